/** The texts of the components that views share. */

import type { ComponentChildren } from "preact";
import { said } from "../said";

export const lineLink = "Show it in the editor";

export const answersNone = "No answer.";
/** After a failed request. */
export const answersLast = "What follows is the last answer, to what was asked before your last change. It may be wrong by now.";
export const answersWaiting = "Asking…";

export const scrollBack = "← Scroll back for more columns";
export const scrollSideways = "Scroll sideways for more columns →";

export const noFetchingTitle = "Fetching is switched off";
export const noFetchingWhat = (what: string) =>
  said`This service was started with <code>comity serve --offline</code>, so it cannot read ${what}. The views Overview, Test, Compare, By engine, Mistakes and AI work without fetching.`;

export const notLoadedTitle = "This view could not be loaded";
export const notLoadedRemedy = "Load the page again: your work is kept.";

// A view of the page without a service that connects to sites.

export const needsServiceTitle = "This view needs the service";
export const needsServiceCommands = {
  fetch: "comity fetch https://example.com",
  page: "comity page https://example.com/page",
  sitemaps: "comity sitemaps https://example.com",
};
export const needsServiceCommand = (command: string) =>
  said`This page answers in your browser and connects to no site. Start <code>comity serve</code> for that: it shows this page with all views. In a terminal, <code>${command}</code> does it.`;
export const needsServiceOthers = "The views Overview, Test, Compare, By engine, Mistakes, AI and Write work here.";

export const oneCrawler = "Crawler";

// A site without a file.

export const absentUnknown = (site: string) => `What does ${site} answer?`;
export const absentSince =
  "When this was shown before, the site had no robots.txt that could be read. Fetch it again to see what counts now. The text beside this is not its file, so nothing is judged by it.";
export const absentAgain = "Fetch it again";
export const absentFetching = "Fetching…";
export const absentTestText = "Test the text instead";
export const absentEvent = (url: ComponentChildren, event: string, meaning: string, effect: string) => said`${url} ${event}${meaning}. ${effect}`;
export const absentSee = "See what was fetched";

// The combobox for crawlers.

export const pickerLabel = "Crawlers";
export const pickerChosen = "Chosen crawlers";
export const pickerPlaceholder = "Add a name, a company, AI";
export const pickerEveryone = "anyone who is not named";
/** The words that find the crawlers that are not named, and all that are known. */
export const pickerEveryoneFoundBy = "* anyone everyone else";
export const pickerAllFoundBy = "all known crawlers";
export const pickerAll = "All known crawlers";
export const pickerAllOf = (group: string) => `All: ${group}`;
export const pickerOwn = "not a known crawler: your own, by this name";
export const pickerOthers = "Others";
export const pickerOtherPurpose = "Other";
export const pickerAdded = (what: string, all: string) => `${what} added. ${all} chosen.`;
export const pickerRemoved = (what: string, all: string) => `${what} removed. ${all} chosen.`;
export const pickerRemovedOne = (what: string) => `${what} removed.`;
export const pickerRemove = (name: string) => `Remove ${name}`;
export const pickerRemoveAll = () => said`Remove all<unseen> crawlers</unseen>`;
export const pickerNothing = "Nothing found.";

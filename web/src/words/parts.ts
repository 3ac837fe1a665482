/** The texts of the components that views share. */

import type { ComponentChildren } from "preact";
import { said } from "../said";

export const LINE_LINK = "Show it in the editor";

export const ANSWERS = {
  none: "No answer.",
  /** After a failed request. */
  last: "What follows is the last answer, to what was asked before your last change. It may be wrong by now.",
  waiting: "Asking…",
};

export const SCROLL = {
  back: "← Scroll back for more columns",
  sideways: "Scroll sideways for more columns →",
};

export const NO_FETCHING = {
  title: "Fetching is switched off",
  what: (what: string) =>
    said`This service was started with <code>comity serve --offline</code>, so it cannot read ${what}. The views Overview, Test, Compare, By engine, Mistakes and AI work without fetching.`,
};

export const NOT_LOADED = {
  title: "This view could not be loaded",
  remedy: "Load the page again: your work is kept.",
};

/** A view of the page without a service that connects to sites. */
export const NEEDS_SERVICE = {
  title: "This view needs the service",
  commands: {
    fetch: "comity fetch https://example.com",
    page: "comity page https://example.com/page",
    sitemaps: "comity sitemaps https://example.com",
  },
  command: (command: string) =>
    said`This page answers in your browser and connects to no site. Start <code>comity serve</code> for that: it shows this page with all views. In a terminal, <code>${command}</code> does it.`,
  others: "The views Overview, Test, Compare, By engine, Mistakes, AI and Write work here.",
};

export const ONE_CRAWLER = "Crawler";

/** A site without a file. */
export const ABSENT = {
  unknown: (site: string) => `What does ${site} answer?`,
  since:
    "When this was shown before, the site had no robots.txt that could be read. Fetch it again to see what counts now. The text beside this is not its file, so nothing is judged by it.",
  again: "Fetch it again",
  fetching: "Fetching…",
  testText: "Test the text instead",
  event: (url: ComponentChildren, event: string, meaning: string, effect: string) => said`${url} ${event}${meaning}. ${effect}`,
  see: "See what was fetched",
};

/** The combobox for crawlers. */
export const PICKER = {
  label: "Crawlers",
  chosen: "Chosen crawlers",
  placeholder: "Add a name, a company, AI",
  everyone: "anyone who is not named",
  /** The words that find the crawlers that are not named, and all that are known. */
  everyoneFoundBy: "* anyone everyone else",
  allFoundBy: "all known crawlers",
  all: "All known crawlers",
  allOf: (group: string) => `All: ${group}`,
  own: "not a known crawler: your own, by this name",
  others: "Others",
  otherPurpose: "Other",
  added: (what: string, all: string) => `${what} added. ${all} chosen.`,
  removed: (what: string, all: string) => `${what} removed. ${all} chosen.`,
  removedOne: (what: string) => `${what} removed.`,
  remove: (name: string) => `Remove ${name}`,
  removeAll: () => said`Remove all<unseen> crawlers</unseen>`,
  nothing: "Nothing found.",
};

/** The texts of the view Fetch. What a site answered, and what that means by a policy, the service says. */

import { said } from "../said";
import { ALLOWED_ANYWAY } from "../words";

export const offline = "Fetching is switched off";
export const offlineMore = () =>
  said`This service was started with <code>comity serve --offline</code>, so it fetches nothing. Paste the file into the editor: the other views work without fetching.`;
export const lead = "What happens when a crawler asks for a site’s robots.txt: each redirect, each failure, and what a careful crawler makes of it.";
export const site = "Site";
export const policy = "What failures mean";
export const ask = "Ask the site";
export const asking = "Asking…";
export const notAsked = (reason: string) => said`<strong>Nothing was asked.</strong> ${reason}`;
export const none = "No site was asked yet";
export const noneMore = "Write a site above. It gets one polite request, and you see each step.";

// The result of a fetch.

export const resultLabel = "What happened";
export const resultRefused = "The service refused to ask";
export const resultEverything = "Everything may be fetched";
export const resultAway = "Crawlers stay away for now";
export const resultWebPage = "There is a web page where the robots.txt should be";
export const resultRules = "There is a robots.txt, and its rules apply";
export const resultSize = "Size";
export const resultCut = (size: string) => `${size}, of which crawlers read the first 512,000`;
export const resultAgain = "A careful crawler asks again";
export const resultEarliest = (when: string) => `${when} at the earliest`;
export const resultInAMinute = "in a minute";
export const resultInMinutes = (minutes: number) => `in ${minutes} minutes`;
export const resultInHours = (hours: number) => `in ${hours} hours`;
export const resultWhoSays = "Who says so?";
export const resultSource = "According to";
export const resultIfItLasts = "If it lasts";
export const resultOtherText = "The text in the editor is not what this site answered, and keeps its own verdicts.";
export const resultVerdicts = (site: string) => `Show the verdicts for ${site}`;
export const resultTake = "Put this file into the editor";

// The effect of a fetch on the site. `detail` and `since` are sentences, or empty.

export const effectDetail = (detail: string) => ` In detail: ${detail}.`;
export const effectSince = " It has lasted for a while.";
export const effectLastGood = (event: string, since: string, detail: string) => `The site ${event}. Its last good copy still applies.${since}${detail}`;
export const effectWebPage = (event: string, url: string, detail: string) =>
  `The site ${event} with a web page. Crawlers find no rules in it, so they may fetch everything. To set rules, put a text file at ${url}; your pages stay as they are.${detail}`;
export const effectRules = (event: string, detail: string, isInEditor: boolean) =>
  `The site ${event}.${detail}${isInEditor ? " The view Test shows what its rules allow." : " To see what its rules allow, put the file into the editor: it still has another text."}`;
export const effectAllowedAnyway = (event: string, detail: string, since: string) => `The site ${event}. ${ALLOWED_ANYWAY}${detail}${since}`;
export const effectNoFile = (event: string, detail: string) => `The site ${event}. So the site has no robots.txt, and crawlers may fetch everything.${detail}`;
export const effectAway = (event: string, detail: string) =>
  `The site ${event}. Until it sends the file, crawlers stay away; no rule is the cause. Ask the site’s host why the server does not send it, and try again later.${detail}`;

// A request and its answer.

export const stepTitle = "Step by step";
export const stepNoAnswer = "No answer";
export const stepStatus = (status: number) => `${status} ${STATUSES[status] ?? ""}`;
export const stepFrom = (address: string) => `from ${address}`;
export const stepTime = (ms: number) => `${ms} ms`;
export const stepProbe = "a probe";
export const stepRedirects = "It redirects, so the next address is asked.";
export const stepFields = "Header fields";

const STATUSES: Record<number, string> = {
  200: "OK",
  301: "Moved for good",
  302: "Found elsewhere",
  304: "Not changed",
  307: "Moved for now",
  308: "Moved for good",
  401: "Wants a password",
  403: "Forbidden",
  404: "Not found",
  410: "Gone",
  429: "Too many requests",
  500: "Server error",
  502: "Bad gateway",
  503: "Not available",
  504: "Gateway timeout",
};

// The versions of a site's file.

export const versionsTitle = "Fetched versions";
export const versionsLead = "http and https, with and without www: each address has a file of its own, and crawlers use the one of the address that they fetch. This is what this service has fetched so far.";
export const versionsTable = "Versions of each address";
export const versionsColumns = ["Address", "Seen", "Result", "Size"];
export const versionsNotYet = "not fetched yet";
export const versionsFetch = (site: string) => said`Fetch it<unseen>: ${site}</unseen>`;
export const versionsFirstSeen = (when: string) => `first seen ${when}`;
export const versionsNoSize = "–";

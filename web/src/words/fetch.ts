/** The texts of the view Fetch. What a site answered, and what that means by a policy, the service says. */

import { said } from "../said";
import { ALLOWED_ANYWAY } from "../words";

export const FETCH = {
  offline: "Fetching is switched off",
  offlineMore: () =>
    said`This service was started with <code>comity serve --offline</code>, so it fetches nothing. Paste the file into the editor: the other views work without fetching.`,
  lead: "What happens when a crawler asks for a site’s robots.txt: each redirect, each failure, and what a careful crawler makes of it.",
  site: "Site",
  policy: "What failures mean",
  ask: "Ask the site",
  asking: "Asking…",
  notAsked: (reason: string) => said`<strong>Nothing was asked.</strong> ${reason}`,
  none: "No site was asked yet",
  noneMore: "Write a site above. It gets one polite request, and you see each step.",
};

/** The result of a fetch. */
export const RESULT = {
  label: "What happened",
  refused: "The service refused to ask",
  everything: "Everything may be fetched",
  away: "Crawlers stay away for now",
  webPage: "There is a web page where the robots.txt should be",
  rules: "There is a robots.txt, and its rules apply",
  size: "Size",
  cut: (size: string) => `${size}, of which crawlers read the first 512,000`,
  again: "A careful crawler asks again",
  earliest: (when: string) => `${when} at the earliest`,
  inAMinute: "in a minute",
  inMinutes: (minutes: number) => `in ${minutes} minutes`,
  inHours: (hours: number) => `in ${hours} hours`,
  whoSays: "Who says so?",
  source: "According to",
  ifItLasts: "If it lasts",
  otherText: "The text in the editor is not what this site answered, and keeps its own verdicts.",
  verdicts: (site: string) => `Show the verdicts for ${site}`,
  take: "Put this file into the editor",
};

/** The effect of a fetch on the site. `detail` and `since` are sentences, or empty. */
export const EFFECTS = {
  detail: (detail: string) => ` In detail: ${detail}.`,
  since: " It has lasted for a while.",
  lastGood: (event: string, since: string, detail: string) => `The site ${event}. Its last good copy still applies.${since}${detail}`,
  webPage: (event: string, url: string, detail: string) =>
    `The site ${event} with a web page. Crawlers find no rules in it, so they may fetch everything. To set rules, put a text file at ${url}; your pages stay as they are.${detail}`,
  rules: (event: string, detail: string, isInEditor: boolean) =>
    `The site ${event}.${detail}${isInEditor ? " The view Test shows what its rules allow." : " To see what its rules allow, put the file into the editor: it still has another text."}`,
  allowedAnyway: (event: string, detail: string, since: string) => `The site ${event}. ${ALLOWED_ANYWAY}${detail}${since}`,
  noFile: (event: string, detail: string) => `The site ${event}. So the site has no robots.txt, and crawlers may fetch everything.${detail}`,
  away: (event: string, detail: string) =>
    `The site ${event}. Until it sends the file, crawlers stay away; no rule is the cause. Ask the site’s host why the server does not send it, and try again later.${detail}`,
};

/** A request and its answer. */
export const STEP = {
  title: "Step by step",
  noAnswer: "No answer",
  status: (status: number) => `${status} ${STATUSES[status] ?? ""}`,
  from: (address: string) => `from ${address}`,
  time: (ms: number) => `${ms} ms`,
  probe: "a probe",
  redirects: "It redirects, so the next address is asked.",
  fields: "Header fields",
};

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

/** The versions of a site's file. */
export const VERSIONS = {
  title: "Fetched versions",
  lead: "http and https, with and without www: each address has a file of its own, and crawlers use the one of the address that they fetch. This is what this service has fetched so far.",
  table: "Versions of each address",
  columns: ["Address", "Seen", "Result", "Size"],
  notYet: "not fetched yet",
  fetch: (site: string) => said`Fetch it<unseen>: ${site}</unseen>`,
  firstSeen: (when: string) => `first seen ${when}`,
  noSize: "–",
};

/** The texts of the view Page. Its headlines and notes are the service's. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { andMore } from "../words";

type Key = "index" | "follow" | "search" | "training" | "ai_input";

/** The object of a sentence about a service that does not fetch. */
export const what = "pages";
export const lead = "Fetches one page and tells what a crawler may do with it: by the site’s own robots.txt, by the rules on the page (noindex and others), and if the crawler may load the page’s styles, scripts and images.";
export const address = "Address of the page";
export const placeholder = "https://shop.example/shoes";
export const check = "Check the page";
export const checking = "Checking…";
export const wrong = "Write the whole address of a page, such as https://shop.example/shoes.";
export const none = "No page was checked yet";
export const noneMore = "Write the address of a page above. The page gets one request, and nothing of it is stored.";
/** `url` and `crawler`: those of the answer, if the fields name others. */
export const former = (url: string, crawler: string) => `This is about ${url}, for ${crawler}. Press “${check}”.`;

export const answerLabel = "The page";
export const answerLine = (line: number, file: string) => `Line ${line} of ${file} decides`;
export const answerLineElsewhere = (line: number, file: string) => `Line ${line} of the site’s own file, ${file}, decides`;
export const answerDeciding = (line: string, text: ComponentChildren) => said`${line}: ${text}.`;
export const answerDecidingUnknown = (line: string) => `${line}.`;
export const answerNoLine = (file: string) => `No line of ${file} is about this page.`;
export const answerNotEditor = () => said` <strong>The text in the editor is not used here.</strong>`;
export const answerAsksItself = (where: string) =>
  `The page asks for that itself${where}. If it should be found in search engines, remove that from the page.`;
export const answerAsksWhere = (text: string, place: string) => `, by “${text}” in ${place}`;
export const answerStatus = (status: number) => ` The page answered with status ${status}.`;
export const answerRedirectsStatus = (status: number) => ` The page redirects, and the page at the end answered with status ${status}.`;
export const answerNeverSeen = (crawler: string) =>
  `The page says “noindex”, but ${crawler} may not fetch it, so it never sees that. Its address may still be listed. To keep the page out of search results, let it be fetched.`;
export const answerRedirects = "Redirects";
export const answerRedirect = (url: ComponentChildren, allowed: boolean | null, status: number) =>
  said`→ ${url}, ${allowed === null ? "without an answer" : allowed ? "allowed" : "blocked"}, status ${status}`;

// The answers to the question what a crawler may do with the page.

export const permissionsTable = "What the crawler may do with the page";
export const permissionsMay = (crawler: string) => `May ${crawler} …`;
export const permissionsAnswer = "Answer";
export const permissionsBecause = "Because";
export const permissionsUses = [
  ["index", "Show it in search results"],
  ["follow", "Follow its links"],
  ["search", "Use it for search"],
  ["training", "Train AI with it"],
  ["ai_input", "Answer questions with it (AI)"],
] as [Key, title: string][];
export const permissionsYes = "Yes";
export const permissionsNo = "No";
export const permissionsNotKnown = "Not known";
export const permissionsNotForbidden = "Nothing forbids it";
export const permissionsPartUnread = "A part of the page was not read, and may forbid it.";
export const permissionsCannotRead = "It may not fetch the page, so it cannot read the page’s rules.";
/** `line`: the line that blocks the page; null if none does. */
export const permissionsBareAddress = (crawler: string, line: number | null) =>
  `${crawler} cannot read it, so at most its bare address is shown. To get it indexed, allow it${line === null ? "" : ` in line ${line}`}.`;
export const permissionsNothing = "Nothing forbids it.";
export const permissionsError = (status: number) => `No rule forbids it, but the page answers ${status}.`;
export const permissionsMoved = (url: string) => `No rule forbids it, but the page redirects to ${url}.`;
export const permissionsCanonical = (url: string) => `No rule forbids it, but the page names ${url} as the original.`;
export const permissionsNothingSaid = (crawler: string) => `Neither the file nor the page says anything about it to ${crawler}.`;
export const permissionsSaid = (place: string, text: ComponentChildren) => said`${place}: ${text}`;

// The places of a rule about a page.

export const placesNames = {
  "robots-txt": "the site’s robots.txt",
  header: "the header of the page",
  meta: "a meta tag of the page",
  "x-robots-tag": "header X-Robots-Tag",
  "robots-tag": "header Robots-Tag",
} as Record<string, string>;
export const placesLine = (place: string, line: number | null) => place + (line === null ? "" : `, line ${line}`);

export const rulesTitle = "Rules on the page itself";
export const rulesNone = "It has none: neither a header X-Robots-Tag nor a meta tag for crawlers.";
export const rulesTable = "Rules on the page";
export const rulesColumns = { rule: "Rule", where: "Where", for: "For", effect: "Effect" };
export const rulesEvery = "every crawler";
export const rulesNeverRead = "none: the crawler may not fetch the page, so it never reads this";
export const rulesInForce = "in force";
export const rulesNoEffect = (because: string | null) => `no effect: ${because ?? "not known"}`;
export const rulesOtherCrawler = "for another crawler";

export const resourcesTitle = "Styles, scripts and images of the page";
export const resourcesNone = "The page names none.";
export const resourcesOnlyBlocked = "Only those that are not allowed";
export const resourcesTable = "Files of the page";
export const resourcesColumns = { file: "File", kind: "Kind", answer: "Answer" };
export const resourcesKinds = { style: "style", script: "script", image: "image" };
export const resourcesNoAnswer = (error: string | null) => `no answer: ${error ?? "not known"}`;
export const resourcesByLine = (line: number, site: string) => ` by line ${line} of the site’s own file, ${site}/robots.txt`;
export const resourcesMore = (number: number) => `${andMore(number)}.`;

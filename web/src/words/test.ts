/** The texts of the view Test: the list of URLs, the verdicts, and their reasons. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { andMore, count, numeral, plural } from "../words";

export const urlsLabel = "URLs, one on each line";
export const urlsRefused = (text: string, reason: string, others: number) => `“${text}” is left out: ${reason}.${leftOut(others)}`;
export const urlsNoUrl = (text: string, others: number) =>
  `“${text}” is no URL, and is left out: write https://host/path, or /path.${leftOut(others)}`;
export const urlsElsewhere = (urls: number, sites: string, more: number, here: string) => {
  const are = plural(urls, "One URL is on another site", `${urls} URLs are on other sites`);
  return `${are} (${sites}${more > 0 ? `, and ${more} more` : ""}): a robots.txt of ${here} has no say there.`;
};
export const urlsChangeSite = "Change the file’s site";

function leftOut(others: number): string {
  return others > 0 ? ` ${count(others, "more line")} ${plural(others, "is", "are")} left out, too.` : "";
}

export const results = "Verdicts";
export const noCrawlers = "Which crawlers?";
export const noCrawlersMore = "Choose one or more above: by name, by company, or a whole group such as AI training.";
export const noUrls = "Which URLs?";
export const noUrlsMore = "Write the URLs to test above, one on each line. A path such as /shop/ will do.";
export const cut = "The file is larger than crawlers must read: only its first 512,000 bytes count here.";
export const firstUrls = (tested: number, urls: number, crawlers: number) =>
  `The first ${numeral(tested)} of ${numeral(urls)} URLs are tested: with ${count(crawlers, "crawler")}, the service answers no more at once.`;
export const firstCrawlers = (tested: number, crawlers: number) => `The first ${tested} of ${crawlers} crawlers are tested.`;

/** The numbers of verdicts of each kind. */
export function verdictsWords(all: number, allowed: number, blocked: number, perhaps: number, none: number): string {
  const neither = `${perhaps > 0 ? `, ${numeral(perhaps)} perhaps` : ""}${none > 0 ? `, ${numeral(none)} without a verdict` : ""}`;
  return `${count(all, "verdict")}: ${numeral(allowed)} allowed, ${numeral(blocked)} blocked${neither}.`;
}

// The main sentence, which comes first on the page.

export const mainLabel = "The answer";
export const mainBefore = "Before your last change: ";
export const mainMissing = (title: string, event: string, meaning: string) => said`<strong>${title}:</strong> the site ${event}${meaning}.`;
export const mainWebPage = () => said`<strong>No robots.txt:</strong> the site sends a web page instead, so everything is allowed.`;
export const mainVerdict = (crawler: string, may: string, url: ComponentChildren, line: number | null, doubt: string | null) => {
  const by = line === null ? "" : `, by line ${line}`;
  return said`${crawler} <em>${may}</em> ${url}${by}${doubt === null ? "" : `, which ${doubt}: crawlers may ignore it`}.`;
};

// The table of verdicts.

export const verdictsLabel = "Verdicts";
export const verdictsByCrawler = "Verdicts, by crawler";
export const verdictsUrl = "URL";
export const verdictsNone = "No URL fits this filter.";
export const verdictsDoubtful = "Perhaps: the line has a mistake";
export const verdictsPress = "Press a sign to see why.";
export const verdictsMore = (urls: number) => `Show more: ${numeral(urls)} URLs are left`;
export const verdictsFiltered = "filtered out";
export const verdictsAskedAs = (url: string) => `asked as ${url}`;
export const verdictsOperator = (operator: string, answer: string) => `As ${operator} reads it: ${answer}`;
export const verdictsWhy = "Why?";
/** A verdict that is shown as a sign. */
export const verdictsSign = (crawler: string, answer: string, operator: string | null) => `${crawler}: ${answer}${operator === null ? "" : `. ${operator}`}`;
export const verdictsAnswer = (answer: string, line: number | null) => answer + (line === null ? "" : ` line ${line}`);

// Filters of a long list, and its download.

export const siftShow = "Show";
export const siftAll = "All";
export const siftSort = "Sort";
export const siftOrders = [
  ["typed", "As in the list"],
  ["url", "By URL"],
  ["blocked", "Blocked first"],
  ["line", "By deciding line"],
] as ["typed" | "url" | "blocked" | "line", string][];
export const siftContains = "URL contains";
export const siftFound = (urls: number, all: number) => `${count(urls, "URL")} of ${numeral(all)}.`;
export const siftFoundOf = (urls: number, all: number, verdicts: number, answer: string) =>
  `${count(urls, "URL")} of ${numeral(all)}, with ${count(verdicts, "verdict")} “${answer}”.`;
export const siftCsv = "Download as CSV";
export const siftSaved = (verdicts: number) => `${count(verdicts, "verdict")} saved.`;
export const siftColumns = ["URL", "Crawler", "Answer", "Line", "Rule", "Asked as"];

// The reasons for a verdict.

export const reasonsTitle = (crawler: string, may: string, url: ComponentChildren) => said`${crawler} <em>${may}</em> ${url}`;
export const reasonsOperator = "its operator";
export const reasonsOtherSite =
  "This file does not decide: a robots.txt applies only to the site from which it is fetched. With or without www, http and https: each is a site of its own.";
export const reasonsNotGoverned = (operator: string) =>
  `${operator} decides. To block this crawler, the web server has to refuse its requests; no line of a robots.txt can.`;
export const reasonsNoLine = (title: string) => `${title}. No line decides.`;
export const reasonsLoading = "Loading the reasons …";
export const reasonsFailed = (reason: string) => `The reasons could not be loaded: ${reason}`;
export const reasonsCrawler = "The crawler";
export const reasonsGroup = "The group that applies";
export const reasonsRules = "The rules that match";
export const reasonsMore = "Good to know";
export const reasonsWhoSays = "Who says so?";
export const reasonsNotBound = (operator: string) => `None, not even one that names it: ${operator} says that this crawler does not obey robots.txt.`;
export const reasonsNoRule = "No rule is checked.";
export const reasonsMatching = (matching: number, all: number, path: ComponentChildren) =>
  said`${matching === 0 ? "None" : matching} of ${count(all, "rule")} in that group ${plural(matching, "matches", "match")} ${path}${matching > 0 ? "." : ""}`;
export const reasonsAskedAs = (url: ComponentChildren) => said`Asked as ${url}, which is what a browser makes of it.`;
export const reasonsDelay = (seconds: number) => `It is asked to wait ${seconds} s between requests.`;
export const reasonsReadAs = (dialect: string) => `Read as ${dialect} reads it.`;

// The reasons if the file is that of another site.

export const elsewhereFileSite = "The site of this file";
export const elsewhereVerdictsFor = (site: ComponentChildren) => said`The verdicts are for ${site}.`;
export const elsewhereTestedAs = (site: ComponentChildren) => said`The text is tested as the robots.txt of ${site}.`;
export const elsewhereAssumed = (site: ComponentChildren) => said`The text is tested as the robots.txt of ${site}, the site of the first URL.`;
export const elsewhereUrlSite = "The site of the URL";
export const elsewhereDiffers = (site: ComponentChildren, difference: string, file: ComponentChildren) =>
  said`On ${site}, which has ${difference}. That makes it another site, with its own robots.txt: ${file}.`;
export const elsewhereIfMeant = "If the file is meant for that site";
export const elsewhereTest = (site: string) => `Test it as the file of ${site}`;

// The reasons if the site has no file.

export const noFileAnswered = "What the site answered";
export const noFileEvent = (url: ComponentChildren, event: string, detail: string | null) =>
  said`${url} ${event}.${detail === null ? "" : ` In detail: ${detail}.`}`;
export const noFileMeaning = "What that means";

// The table of rules that match.

export const rulesLine = "Line";
export const rulesRule = "Rule";
export const rulesCharacters = "Characters";
export const rulesPart = "Part";
export const rulesDecides = "decides";
export const rulesSecond = "runner-up";
export const rulesMore = (rules: number) => `${andMore(rules)} that match`;

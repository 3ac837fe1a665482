/** The texts of the view Test: the list of URLs, the verdicts, and their reasons. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { andMore, count, numeral, plural } from "../words";

export const URLS = {
  label: "URLs, one on each line",
  refused: (text: string, reason: string, others: number) => `“${text}” is left out: ${reason}.${leftOut(others)}`,
  noUrl: (text: string, others: number) =>
    `“${text}” is no URL, and is left out: write https://host/path, or /path.${leftOut(others)}`,
  elsewhere: (urls: number, sites: string, more: number, here: string) => {
    const are = plural(urls, "One URL is on another site", `${urls} URLs are on other sites`);
    return `${are} (${sites}${more > 0 ? `, and ${more} more` : ""}): a robots.txt of ${here} has no say there.`;
  },
  changeSite: "Change the file’s site",
};

function leftOut(others: number): string {
  return others > 0 ? ` ${count(others, "more line")} ${plural(others, "is", "are")} left out, too.` : "";
}

export const TEST = {
  results: "Verdicts",
  noCrawlers: "Which crawlers?",
  noCrawlersMore: "Choose one or more above: by name, by company, or a whole group such as AI training.",
  noUrls: "Which URLs?",
  noUrlsMore: "Write the URLs to test above, one on each line. A path such as /shop/ will do.",
  cut: "The file is larger than crawlers must read: only its first 512,000 bytes count here.",
  firstUrls: (tested: number, urls: number, crawlers: number) =>
    `The first ${numeral(tested)} of ${numeral(urls)} URLs are tested: with ${count(crawlers, "crawler")}, the service answers no more at once.`,
  firstCrawlers: (tested: number, crawlers: number) => `The first ${tested} of ${crawlers} crawlers are tested.`,
};

/** The numbers of verdicts of each kind. */
export function verdictsWords(all: number, allowed: number, blocked: number, perhaps: number, none: number): string {
  const neither = `${perhaps > 0 ? `, ${numeral(perhaps)} perhaps` : ""}${none > 0 ? `, ${numeral(none)} without a verdict` : ""}`;
  return `${count(all, "verdict")}: ${numeral(allowed)} allowed, ${numeral(blocked)} blocked${neither}.`;
}

/** The main sentence, which comes first on the page. */
export const MAIN = {
  label: "The answer",
  before: "Before your last change: ",
  missing: (title: string, event: string, meaning: string) => said`<strong>${title}:</strong> the site ${event}${meaning}.`,
  webPage: () => said`<strong>No robots.txt:</strong> the site sends a web page instead, so everything is allowed.`,
  verdict: (crawler: string, may: string, url: ComponentChildren, line: number | null, doubt: string | null) => {
    const by = line === null ? "" : `, by line ${line}`;
    return said`${crawler} <em>${may}</em> ${url}${by}${doubt === null ? "" : `, which ${doubt}: crawlers may ignore it`}.`;
  },
};

/** The table of verdicts. */
export const VERDICTS = {
  label: "Verdicts",
  byCrawler: "Verdicts, by crawler",
  url: "URL",
  none: "No URL fits this filter.",
  doubtful: "Perhaps: the line has a mistake",
  press: "Press a sign to see why.",
  more: (urls: number) => `Show more: ${numeral(urls)} URLs are left`,
  filtered: "filtered out",
  askedAs: (url: string) => `asked as ${url}`,
  operator: (operator: string, answer: string) => `As ${operator} reads it: ${answer}`,
  why: "Why?",
  /** A verdict that is shown as a sign. */
  sign: (crawler: string, answer: string, operator: string | null) => `${crawler}: ${answer}${operator === null ? "" : `. ${operator}`}`,
  answer: (answer: string, line: number | null) => answer + (line === null ? "" : ` line ${line}`),
};

/** Filters of a long list, and its download. */
export const SIFT = {
  show: "Show",
  all: "All",
  sort: "Sort",
  orders: [
    ["typed", "As in the list"],
    ["url", "By URL"],
    ["blocked", "Blocked first"],
    ["line", "By deciding line"],
  ] as ["typed" | "url" | "blocked" | "line", string][],
  contains: "URL contains",
  found: (urls: number, all: number) => `${count(urls, "URL")} of ${numeral(all)}.`,
  foundOf: (urls: number, all: number, verdicts: number, answer: string) =>
    `${count(urls, "URL")} of ${numeral(all)}, with ${count(verdicts, "verdict")} “${answer}”.`,
  csv: "Download as CSV",
  saved: (verdicts: number) => `${count(verdicts, "verdict")} saved.`,
  columns: ["URL", "Crawler", "Answer", "Line", "Rule", "Asked as"],
};

/** The reasons for a verdict. */
export const REASONS = {
  title: (crawler: string, may: string, url: ComponentChildren) => said`${crawler} <em>${may}</em> ${url}`,
  operator: "its operator",
  otherSite:
    "This file does not decide: a robots.txt applies only to the site from which it is fetched. With or without www, http and https: each is a site of its own.",
  notGoverned: (operator: string) =>
    `${operator} decides. To block this crawler, the web server has to refuse its requests; no line of a robots.txt can.`,
  noLine: (title: string) => `${title}. No line decides.`,
  loading: "Loading the reasons …",
  failed: (reason: string) => `The reasons could not be loaded: ${reason}`,
  crawler: "The crawler",
  group: "The group that applies",
  rules: "The rules that match",
  more: "Good to know",
  whoSays: "Who says so?",
  notBound: (operator: string) => `None, not even one that names it: ${operator} says that this crawler does not obey robots.txt.`,
  noRule: "No rule is checked.",
  matching: (matching: number, all: number, path: ComponentChildren) =>
    said`${matching === 0 ? "None" : matching} of ${count(all, "rule")} in that group ${plural(matching, "matches", "match")} ${path}${matching > 0 ? "." : ""}`,
  askedAs: (url: ComponentChildren) => said`Asked as ${url}, which is what a browser makes of it.`,
  delay: (seconds: number) => `It is asked to wait ${seconds} s between requests.`,
  readAs: (dialect: string) => `Read as ${dialect} reads it.`,
};

/** The reasons if the file is that of another site. */
export const ELSEWHERE = {
  fileSite: "The site of this file",
  verdictsFor: (site: ComponentChildren) => said`The verdicts are for ${site}.`,
  testedAs: (site: ComponentChildren) => said`The text is tested as the robots.txt of ${site}.`,
  assumed: (site: ComponentChildren) => said`The text is tested as the robots.txt of ${site}, the site of the first URL.`,
  urlSite: "The site of the URL",
  differs: (site: ComponentChildren, difference: string, file: ComponentChildren) =>
    said`On ${site}, which has ${difference}. That makes it another site, with its own robots.txt: ${file}.`,
  ifMeant: "If the file is meant for that site",
  test: (site: string) => `Test it as the file of ${site}`,
};

/** The reasons if the site has no file. */
export const NO_FILE = {
  answered: "What the site answered",
  event: (url: ComponentChildren, event: string, detail: string | null) =>
    said`${url} ${event}.${detail === null ? "" : ` In detail: ${detail}.`}`,
  meaning: "What that means",
};

/** The table of rules that match. */
export const RULES = {
  line: "Line",
  rule: "Rule",
  characters: "Characters",
  part: "Part",
  decides: "decides",
  second: "runner-up",
  more: (rules: number) => `${andMore(rules)} that match`,
};

/** The texts of the view Compare. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { andMore, count, numeral, plural } from "../words";

export const COMPARE = {
  noFile: "There is no file to compare the text with.",
  same: "No difference yet",
  sameMore:
    "The draft is your text in the editor, and it is still the same as the original. Change it, and this view shows which verdicts change.",
  all: (known: number, chosen: number) => `Test all ${known > 0 ? known : ""} known crawlers, not only the ${count(chosen, "chosen one")}`,
  liveFile: (url: string) => `the live file, ${url}`,
  liveSite: "Compare with the live file of",
  fetch: "Fetch it",
  fetching: "Fetching…",
  original: (original: string, lines: number) =>
    said`<strong>Original:</strong> ${original}, ${count(lines, "line")}. The draft is your text in the editor.`,
  keep: "Compare with this draft from now on",
  putBack: "Put the original into the editor",
  harmless: "Neither button changes your site. Ctrl Z in the editor brings your changes back.",
  paste: "Paste another original",
  pasteField: "The file that is live now",
  pasteUse: "Compare with this",
  otherSites: (original: string, draft: string) =>
    `The original is the file of ${original}. The draft is tested as that of ${draft}, and so is the original.`,
};

/** The verdicts that change. */
export const CHANGES = {
  none: (all: number) => `None of ${count(all, "verdict")} changes.`,
  some: (changed: number, all: number) => `${changed} of ${count(all, "verdict")} ${plural(changed, "changes", "change")}.`,
  allowed: (number: number) => ` ${number} newly allowed.`,
  blocked: (number: number) => ` ${number} newly blocked.`,
  nothing: "Nothing is asked",
  nothingMore: "Write URLs above, and choose crawlers in the view Test.",
  firstUrls: (asked: number, all: number) => `These are about the first ${numeral(asked)} of ${numeral(all)} URLs.`,
  table: "Verdicts that change",
  question: "URL and crawler",
  original: "Original",
  draft: "Draft",
  anyone: "anyone",
  more: (number: number) => `${andMore(number)}.`,
};

/** The lines of the two texts. */
export const LINES = {
  title: "Lines",
  tooMuch: "The two texts have too little in common to set them side by side.",
  table: "Lines that differ",
  original: "Line in the original",
  draft: "Line in the draft",
  change: "Change",
  text: "Text",
  kinds: { added: "added", removed: "removed", same: "same" },
};

/** The changes for all URLs. Their first sentence is the service's. */
export const PROOF = {
  title: "For all URLs",
  announced: (summary: string) => `For all URLs: ${summary}`,
  same: "Proven: nothing changes.",
  undecided: "Not decided: there may be changes.",
  counts: (blocked: number, allowed: number, content: number) => {
    const parts = [
      [blocked, "newly blocked"] as const,
      [allowed, "newly allowed"] as const,
      [content, "in what may be done with content"] as const,
    ].filter(([number]) => number > 0);
    return `${count(blocked + allowed + content, "change")}: ${parts.map(([number, what]) => `${numeral(number)} ${what}`).join(", ")}.`;
  },
  webPage: {
    old: "The original looks like a web page, not like a robots.txt. It is compared anyway.",
    new: "The draft looks like a web page, not like a robots.txt. It is compared anyway.",
  },
  sameMore: "No URL has another answer, for any crawler.",
  partly: (crawlers: string, hasChanges: boolean) =>
    said`Not everything was decided: there may be ${hasChanges ? "more changes" : "changes"}. The comparison takes too long for ${crawlers}. <code>comity diff --budget</code> can go on.`,
  all: "These are all changes, for all URLs and all crawlers. Press + to add an example to your URLs.",
  how: "How is that known?",
  /** `dialect`: the way in which every crawler reads; null if each reads as its operator documents. */
  howMore: (urls: number, dialect: string | null) => {
    const as = dialect === null ? "Each crawler reads the files as its operator documents" : `Every crawler reads the files as ${dialect}`;
    const checked = plural(urls, "One URL was checked", `${numeral(urls)} URLs were checked`);
    return `${checked}, chosen so that no change can be missed. ${as}. “Start with” counts letters, not folders: URLs that start with /a include /ab.`;
  },
  otherCrawlers: "all other crawlers",
  names: (names: string[], more: number) => names.join(", ") + (more > 0 ? ` and ${more} more` : ""),
  newly: { allowed: "Newly allowed", blocked: "Newly blocked" },
  omitted: (number: number) => `and ${count(number, "more change")}.`,
};

/** A change: its URLs, its exceptions, an example, and its crawlers. */
export const CHANGE = {
  noRule: "URLs that no rule covers",
  only: "Of these, only",
  /** Exceptions for URLs that had the new answer before, and for those that another rule of the draft decides about. */
  before: { allowed: "But not (allowed before already)", blocked: "But not (blocked before already)" },
  undone: { allowed: "But not (the draft blocks them)", blocked: "But not (the draft allows them)" },
  unless: { allowed: "Of those, newly allowed, too", blocked: "Of those, newly blocked, too" },
  moreRules: (number: number) => `those of ${count(number, "more rule")}`,
  part: "Only a part of these URLs gets another answer.",
  notSent: "No browser or crawler sends such a URL.",
  example: (example: ComponentChildren) => said`Example: ${example}`,
  urls: (urls: string) => urls.replace(/^URLs that/, "those that"),
  originalLine: (line: number) => `(line ${line} of the original)`,
  isTested: "It is among the tested URLs",
  isTestedUrl: (url: string) => `${url} is tested`,
  nowTested: (url: string) => `${url} is tested now.`,
  add: "Add it to the tested URLs",
  addUrl: (url: string) => `Add ${url} to the tested URLs`,
  crawlers: "Crawlers",
  for: "for",
  every: "every crawler",
  except: "except",
  fewer: "fewer",
  more: andMore,
};

/** Differences that change no answer. */
export const BESIDE = {
  title: "Beside the rules",
  more: (number: number) => `${andMore(number)}.`,
  seconds: (delay: number | null) => (delay === null ? "none" : `${delay} s`),
  delay: (crawlers: string, now: string, before: string) => `Crawl-delay for ${crawlers}: ${now}, before ${before}`,
  sitemapAdded: (url: string) => `Sitemap added: ${url}`,
  sitemapRemoved: (url: string) => `Sitemap removed: ${url}`,
  notStated: "not stated",
  granted: (line: number) => `granted (line ${line})`,
  refused: (line: number) => `refused (line ${line})`,
  grantedBefore: (line: number) => `granted (original line ${line})`,
  refusedBefore: (line: number) => `refused (original line ${line})`,
  signal: (record: string, crawlers: string, key: string, now: string, before: string, example: string) =>
    `${record} for ${crawlers}: ${key} is ${now}. Before: ${before}. Example: ${example}`,
};

/** The texts about the file: where it comes from, the editor, and the explanation of its lines. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { count, numeral } from "../words";

/** The left half of the page. */
export const FILE = {
  title: "The file",
  /** The file in one line, on a narrow screen. */
  folded: (lines: number, mistakes: number | null): string =>
    `${count(lines, "line")}${mistakes === null ? "" : mistakes === 0 ? ", no mistakes" : `, ${count(mistakes, "mistake")}`}`,
  edit: "Edit",
  paste: () => said`<strong>Paste a robots.txt below.</strong> This service fetches nothing: its operator has switched that off. All the rest works.`,
  pasteStatic: () =>
    said`<strong>Paste a robots.txt below.</strong> This page connects to no site, and what you write leaves your browser nowhere.`,
  site: "Fetch a site’s robots.txt, or paste one below",
  sitePlaceholder: "example.com",
  fetch: "Fetch",
  fetching: "Fetching…",
  cancel: "Cancel",
  open: "Open a file…",
  pasteClipboard: "Paste",
  drop: "or drop a file anywhere",
  example:
    "A robots.txt tells crawlers, the programs of search engines and AI companies, which pages of a site they may fetch. This is an example. Put yours in its place: fetch it, open it, or paste it over this text.",
  exampleStatic:
    "A robots.txt tells crawlers, the programs of search engines and AI companies, which pages of a site they may fetch. This is an example. Put yours in its place: open it, or paste it over this text.",
};

/** The question before a fetched file replaces unsaved work. */
export const OFFERED = {
  question: (site: string) =>
    said`<strong>The robots.txt of ${site} has arrived. Which text do you want to see below?</strong> You have changed yours, and not downloaded it. If the fetched file is shown, a button brings yours back.`,
  take: "Show the fetched file",
  compare: "Keep mine, and compare the two",
  keep: "Keep mine",
};

/** The text that took the place of a former one. */
export const REPLACED = {
  by: (what: string) => `The editor shows ${what}.`,
  putBack: "Put my former text back",
  isBack: "The former text is back.",
  fetched: (site: string) => `the file of ${site}`,
  opened: (name: string, others: number) => `the file ${name}${others > 0 ? `, the first of ${others + 1} files` : ""}`,
  pasted: "the text that you pasted",
  link: "the link",
  written: "the written file",
  fixed: (fixes: number) => `the text with ${count(fixes, "safe fix", "safe fixes")}`,
};

/** The originals that a draft is compared with. */
export const ORIGINALS = {
  example: "the example",
  link: "the link",
  session: "the draft before your changes",
  kept: "a draft that you kept",
  pasted: "what you pasted",
  missing: (url: string, event: string) => `no file: ${url} ${event}`,
};

export const FETCHING = {
  noSite: "Write a site such as example.com, or any URL on it.",
  canceled: "The fetch was canceled.",
  refused: "The service refused to ask this site.",
  fetched: (url: string) => `Fetched ${url}.`,
  event: (url: string, event: string) => `${url} ${event}.`,
  noOriginal: (url: string, event: string) => `${url} ${event}, so there is no file to compare with now.`,
  notYet: (site: string) => `The file of ${site} has not been fetched yet.`,
  missing: (title: string, url: string, event: string, meaning: string, tryHttp: ComponentChildren) =>
    said`<strong>${title}:</strong> ${url} ${event}${meaning}. ${tryHttp}`,
  tryHttp: (address: string) => `Try ${address}`,
  moreThanRead: "more than 512,000 bytes",
};

/** Unusual facts about a file that was fetched or opened. */
export const NOTES = {
  lastGood: (event: string) => `The site ${event} just now. Its last good file stays in force, and is shown.`,
  webPage: (url: string) =>
    `This is a web page, not a robots.txt. Crawlers find no rules in it, so they may fetch everything. To set rules, put a text file at ${url}; your pages stay as they are.`,
  cut: (size: string) =>
    `The file has ${size}; crawlers read the first 512,000 bytes. Shown is that part, so do not save it in place of the whole file.`,
  utf16:
    "The file is UTF-16, which many crawlers cannot read. It is shown decoded; the verdicts are about the file as it was sent, until you change it. A changed file is saved as UTF-8.",
  otherEncoding:
    "The file is not UTF-8, as crawlers expect. What can’t be read is shown as �; the verdicts are about the file as it was sent, until you change it.",
  unread: (bytes: number, read: number, lastLine: ComponentChildren, lines: number) =>
    said`The file has ${numeral(bytes)} bytes. Crawlers read the first ${numeral(read)}, up to ${lastLine} of ${numeral(lines)}. The rest has no effect.`,
  line: (line: number) => `line ${numeral(line)}`,
  looksLikePage:
    "This looks like a web page, not a robots.txt. Crawlers find no rules in it, so they may fetch everything. Did you copy the page that shows the file?",
};

/** Files on the user's disk, and the clipboard. */
export const DISK = {
  name: (name: string) => `“${name}”`,
  tooLarge: (name: string, bytes: number, most: number) =>
    `${name} has ${count(bytes, "byte")}. This page takes up to ${count(most, "byte")}; crawlers read the first 512,000.`,
  unreadable: (name: string) => `${name} could not be read. Is it a folder, or was it moved?`,
  binary: (name: string) =>
    `${name} is no text file that crawlers can read: it contains zero bytes. Your text is unchanged. If it is a text, save it as UTF-8 and open it again.`,
  noReading: "The browser does not let this page read the clipboard. Click into the editor, and press Ctrl A and Ctrl V.",
  emptyClipboard: "The clipboard contains no text.",
  copied: "Copied.",
  noCopying: "The browser does not let this page copy. Click into the editor, and press Ctrl A and Ctrl C.",
  downloaded: (name: string) => `Downloaded as ${name}.`,
};

/** The site of the text. */
export const SITE_OF_FILE = {
  onlyPaths: "Only paths are tested.",
  testedAs: (site: string) => `Tested as the robots.txt of ${site}.`,
  testedAgain: "The text is tested again.",
  notItsFile: () => said`<strong>This text is not that site’s file,</strong> and is not tested.`,
  testText: "Test this text instead",
  none: "Tested as the robots.txt of no site in particular: only paths are tested.",
  named: (site: ComponentChildren) => said`Tested as the robots.txt of ${site}. Your site does not change.`,
  assumed: (site: ComponentChildren) => said`Tested as the robots.txt of ${site}, the site of the first URL. Your site does not change.`,
  name: "Name a site",
  change: () => said`Change<unseen> the site</unseen>`,
  form: "The file’s site",
  question: "Which site is this file for?",
  placeholder: "https://example.com",
  use: "Use it",
  byUrls: "Let the URLs decide",
  cancel: "Cancel",
  wrong: "Write a site such as https://example.com, or any URL on it.",
};

export const EDITOR = {
  label: "The robots.txt",
  placeholder: "Paste a robots.txt here, or write one.",
  help: "Tab leaves the editor. F8 goes to the next finding. What the cursor’s line is about stands below.",
  finding: (message: string, help: string | null) => (help ? `${message}. ${help}.` : message),
  fix: (title: string) => `Fix: ${title}`,
  carefulFix: (title: string) => `Fix, after a look: ${title}`,
};

/** The line of the cursor, and the buttons below the editor. */
export const STATUS = {
  line: (line: number) => `Line ${line}`,
  about: (title: string, details: string[], effect: string | null) =>
    said`<strong>${title}.</strong> ${details.join(" ")}${effect === null ? "" : ` ${effect}`}`,
  emptyFile: "An empty file allows everything.",
  emptyLine: "An empty line.",
  comment: "A comment: crawlers skip it.",
  nothing: "Says nothing to crawlers.",
  asking: "…",
  size: (lines: number, size: string | null) => count(lines, "line") + (size === null ? "" : `, ${size}`),
  undo: "Undo all changes",
  copy: "Copy",
  download: "Download",
  downloadHelp: "Download it as robots.txt (Ctrl S)",
  clear: "Clear",
};

/** The explanation of a line. */
export const LINE = {
  everyCrawler: "For every crawler",
  everyCrawlerMore: "For those that have no rules of their own in this file.",
  crawler: (name: string) => `For ${name}`,
  readAs: (value: string, token: string) => `Of “${value}”, crawlers read “${token}”.`,
  emptyGroup: "The group has no rules: it allows everything.",
  everyOther: "every crawler that has no rules of its own",
  operator: (name: string, operator: string) => `${name} (${operator})`,
  names: (names: string[], more: number) => names.join(", ") + (more > 0 ? ` and ${more} more` : ""),
  forWhom: (whom: string) => `For ${whom}.`,
  allows: (urls: string) => `Allows ${urls}`,
  blocks: (urls: string) => `Blocks ${urls}`,
  emptyRule: "Empty: no effect",
  matchesNothing: "Matches nothing",
  comparedAs: (pattern: string) => `Compared as ${pattern}.`,
  record: (name: string, value: string) => `${name}: ${value}`,
  withoutEffect: (reason: string) => `Without effect: ${reason}.`,
  ignored: "Ignored",
  note: "Note",
  sentence: (text: string) => `${text}.`,
};

/** The effect of an edit for all URLs. */
export const EFFECT = {
  withoutLine: "Without this line",
  withFix: "With this fix",
  asking: "Without this line: …",
  tooLong: (how: string) => `${how}: it takes too long to find out what changes.`,
  none: (how: string) => `${how}, every URL gets the same answer, for every crawler.`,
  changes: (how: string, changes: string[], more: number, isPart: boolean) => {
    const rest = more > 0 ? `; and ${count(more, "more change")}` : "";
    return `${how}: ${changes.join("; ")}${rest}.${isPart ? " There may be more changes." : ""}`;
  },
  allowed: (example: string, whom: string) => `URLs such as ${example} become allowed for ${whom}`,
  blocked: (example: string, whom: string) => `URLs such as ${example} become blocked for ${whom}`,
  every: (except: number) =>
    except <= 0 ? "every crawler" : `every crawler except ${except}, for which other rules decide, with or without it`,
  names: (names: string[], more: number) => names.join(", ") + (more > 0 ? ` and ${more} more` : ""),
};

/** The texts about the file: where it comes from, the editor, and the explanation of its lines. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { count, numeral } from "../words";

// The left half of the page.

export const title = "The file";
/** The file in one line, on a narrow screen. */
export const folded = (lines: number, mistakes: number | null): string =>
  `${count(lines, "line")}${mistakes === null ? "" : mistakes === 0 ? ", no mistakes" : `, ${count(mistakes, "mistake")}`}`;
export const edit = "Edit";
/** The name of the text in the editor, in the view Compare. */
export const after = (before: string, after: string) => said`<strong>After</strong>: ${after}. It is compared with <strong>Before</strong>: ${before}.`;
export const paste = () => said`<strong>Paste a robots.txt below.</strong> This service fetches nothing: its operator has switched that off. All the rest works.`;
export const pasteStatic = () =>
  said`<strong>Paste a robots.txt below.</strong> This page connects to no site, and what you write does not leave your browser.`;
export const site = "Fetch a site’s robots.txt, or paste one below";
export const fetchPlaceholder = "example.com";
export const fetch = "Fetch";
export const fetching = "Fetching…";
export const cancel = "Cancel";
export const open = "Open a file…";
export const pasteClipboard = "Paste";
export const drop = "or drop a file anywhere";
export const example =
  "A robots.txt tells crawlers, the programs of search engines and AI companies, which pages of a site they may fetch. This is an example. Put yours in its place: fetch it, open it, or paste it over this text.";
export const exampleStatic =
  "A robots.txt tells crawlers, the programs of search engines and AI companies, which pages of a site they may fetch. This is an example. Put yours in its place: open it, or paste it over this text.";

// The question before a fetched file replaces unsaved work.

export const offeredQuestion = (site: string) =>
  said`<strong>The robots.txt of ${site} has arrived. Which text do you want to see below?</strong> You have changed yours, and not downloaded it. If the fetched file is shown, a button brings yours back.`;
export const offeredTake = "Show the fetched file";
export const offeredCompare = "Keep mine, and compare the two";
export const offeredKeep = "Keep mine";

// The text that took the place of a former one.

export const replacedBy = (what: string) => `The editor shows ${what}.`;
export const replacedPutBack = "Put my former text back";
export const replacedIsBack = "The former text is back.";
export const replacedFetched = (site: string) => `the file of ${site}`;
export const replacedOpened = (name: string, others: number) => `the file ${name}${others > 0 ? `, the first of ${others + 1} files` : ""}`;
export const replacedPasted = "the text that you pasted";
export const replacedLink = "the link";
export const replacedWritten = "the written file";
export const replacedFixed = (fixes: number) => `the text with ${count(fixes, "safe fix", "safe fixes")}`;

// The originals that a draft is compared with.

export const originalsExample = "the example";
export const originalsLink = "the link";
export const originalsSession = "the draft before your changes";
export const originalsKept = (time: string) => `a draft that you kept at ${time}`;
export const originalsPasted = (time: string) => `what you pasted at ${time}`;
export const originalsUnfixed = "your file before the fixes";
export const originalsMissing = (url: string, event: string) => `no file: ${url} ${event}`;

export const fetchingNoSite = "Write a site such as example.com, or any URL on it.";
export const fetchingCanceled = "The fetch was canceled.";
export const fetchingRefused = "The service refused to ask this site.";
export const fetchingFetched = (url: string) => `Fetched ${url}.`;
export const fetchingEvent = (url: string, event: string) => `${url} ${event}.`;
export const fetchingNoOriginal = (url: string, event: string) => `${url} ${event}, so there is no file to compare with now.`;
export const fetchingNotYet = (site: string) => `The file of ${site} has not been fetched yet.`;
export const fetchingMissing = (title: string, url: string, event: string, meaning: string, tryHttp: ComponentChildren) =>
  said`<strong>${title}:</strong> ${url} ${event}${meaning}. ${tryHttp}`;
export const fetchingTryHttp = (address: string) => `Try ${address}`;
export const fetchingMoreThanRead = "more than 512,000 bytes";

// Unusual facts about a file that was fetched or opened.

export const notesLastGood = (event: string) => `The site ${event} just now. Its last good file stays in force, and is shown.`;
export const notesWebPage = (url: string) =>
  `This is a web page, not a robots.txt. Crawlers find no rules in it, so they may fetch everything. To set rules, put a text file at ${url}; your pages stay as they are.`;
export const notesCut = (size: string) =>
  `The file has ${size}; crawlers read the first 512,000 bytes. Shown is that part, so do not save it in place of the whole file.`;
export const notesUtf16 =
  "The file is UTF-16, which many crawlers cannot read. It is shown decoded; the verdicts are about the file as it was sent, until you change it. A changed file is saved as UTF-8.";
export const notesOtherEncoding =
  "The file is not UTF-8, as crawlers expect. What can’t be read is shown as �; the verdicts are about the file as it was sent, until you change it.";
export const notesUnread = (bytes: number, read: number, lastLine: ComponentChildren, lines: number) =>
  said`The file has ${numeral(bytes)} bytes. Crawlers read the first ${numeral(read)}, up to ${lastLine} of ${numeral(lines)}. The rest has no effect.`;
export const notesLine = (line: number) => `line ${numeral(line)}`;
export const notesLooksLikePage =
  "This looks like a web page, not a robots.txt. Crawlers find no rules in it, so they may fetch everything. Did you copy the page that shows the file?";

// Files on the user's disk, and the clipboard.

export const diskName = (name: string) => `“${name}”`;
export const diskTooLarge = (name: string, bytes: number, most: number) =>
  `${name} has ${count(bytes, "byte")}. This page takes up to ${count(most, "byte")}; crawlers read the first 512,000.`;
export const diskUnreadable = (name: string) => `${name} could not be read. Is it a folder, or was it moved?`;
export const diskBinary = (name: string) =>
  `${name} is no text file that crawlers can read: it contains zero bytes. Your text is unchanged. If it is a text, save it as UTF-8 and open it again.`;
export const diskNoReading = "The browser does not let this page read the clipboard. Click into the editor, and press Ctrl A and Ctrl V.";
export const diskEmptyClipboard = "The clipboard contains no text.";
export const diskCopied = "Copied.";
export const diskNoCopying = "The browser does not let this page copy. Click into the editor, and press Ctrl A and Ctrl C.";
export const diskDownloaded = (name: string) => `Downloaded as ${name}.`;

// The site of the text.

export const siteOnlyPaths = "Only paths are tested.";
export const siteTestedAs = (site: string) => `Tested as the robots.txt of ${site}.`;
export const siteTestedAgain = "The text is tested again.";
export const siteNotItsFile = () => said`<strong>This text is not that site’s file,</strong> and is not tested.`;
export const siteTestText = "Test this text instead";
export const siteNone = "Tested as the robots.txt of no site in particular: only paths are tested.";
export const siteNamed = (site: ComponentChildren) => said`Tested as the robots.txt of ${site}. Nothing is written to your site.`;
export const siteAssumed = (site: ComponentChildren) => said`Tested as the robots.txt of ${site}, the site of the first URL. Nothing is written to your site.`;
export const siteName = "Name a site";
export const siteChange = () => said`Change<unseen> the site</unseen>`;
export const siteForm = "The file’s site";
export const siteQuestion = "Which site is this file for?";
export const sitePlaceholder = "https://example.com";
export const siteUse = "Use it";
export const siteByUrls = "Let the URLs decide";
export const siteCancel = "Cancel";
export const siteWrong = "Write a site such as https://example.com, or any URL on it.";

export const editorLabel = "The robots.txt";
export const editorPlaceholder = "Paste a robots.txt here, or write one.";
export const editorHelp = "Tab leaves the editor. F8 goes to the next finding. The line of the cursor is explained below.";
export const editorFix = (title: string) => `Fix: ${title}`;
export const editorCarefulFix = (title: string) => `Fix, after a look: ${title}`;

// The line of the cursor, and the buttons below the editor.

export const statusLine = (line: number) => `Line ${line}`;
export const statusAbout = (title: string, details: string[], effect: string | null) =>
  said`<strong>${title}.</strong> ${details.join(" ")}${effect === null ? "" : ` ${effect}`}`;
export const statusEmptyFile = "An empty file allows everything.";
export const statusEmptyLine = "An empty line.";
export const statusComment = "A comment: crawlers skip it.";
export const statusNothing = "Says nothing to crawlers.";
export const statusAsking = "…";
export const statusSize = (lines: number, size: string | null) => count(lines, "line") + (size === null ? "" : `, ${size}`);
export const statusUndo = "Undo all changes";
export const statusCopy = "Copy";
export const statusDownload = "Download";
export const statusDownloadHelp = "Download it as robots.txt (Ctrl S)";
export const statusClear = "Clear";

// The explanation of a line.

export const lineEveryCrawler = "For every crawler";
export const lineEveryCrawlerMore = "For those that have no rules of their own in this file.";
export const lineCrawler = (name: string) => `For ${name}`;
export const lineReadAs = (value: string, token: string) => `Of “${value}”, crawlers read “${token}”.`;
export const lineEmptyGroup = "The group has no rules: it allows everything.";
export const lineEveryOther = "every crawler that has no rules of its own";
export const lineOperator = (name: string, operator: string) => `${name} (${operator})`;
export const lineNames = (names: string[], more: number) => names.join(", ") + (more > 0 ? ` and ${more} more` : "");
export const lineForWhom = (whom: string) => `For ${whom}.`;
export const lineAllows = (urls: string) => `Allows ${urls}`;
export const lineBlocks = (urls: string) => `Blocks ${urls}`;
export const lineEmptyRule = "Empty: no effect";
export const lineMatchesNothing = "Matches nothing";
export const lineComparedAs = (pattern: string) => `Compared as ${pattern}.`;
export const lineRecord = (name: string, value: string) => `${name}: ${value}`;
export const lineWithoutEffect = (reason: string) => `Without effect: ${reason}.`;
export const lineIgnored = "Ignored";
export const lineNote = "Note";
export const lineSentence = (text: string) => `${text}.`;

// The effect of an edit for all URLs.

export const effectWithoutLine = "Without this line";
export const effectWithFix = "With this fix";
export const effectAsking = "Without this line: …";
export const effectTooLong = (how: string) => `${how}: it takes too long to find out what changes.`;
export const effectNone = (how: string) => `${how}, every URL gets the same answer, for every crawler.`;
export const effectChanges = (how: string, changes: string[], more: number, isPart: boolean) => {
  const rest = more > 0 ? `; and ${count(more, "more change")}` : "";
  return `${how}: ${changes.join("; ")}${rest}.${isPart ? " There may be more changes." : ""}`;
};
export const effectOnUrls = {
  allowed: (example: string, whom: string) => `URLs such as ${example} become allowed for ${whom}`,
  blocked: (example: string, whom: string) => `URLs such as ${example} become blocked for ${whom}`,
};
export const effectEvery = (except: number) =>
  except <= 0 ? "every crawler" : `every crawler except ${except}, for which other rules decide, with or without it`;
export const effectNames = (names: string[], more: number) => names.join(", ") + (more > 0 ? ` and ${more} more` : "");

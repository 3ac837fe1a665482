/** The texts of the view Compare. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { andMore, count, numeral, plural } from "../words";

export const noFile = "There is no file to compare the text with.";
export const same = "No difference yet";
export const sameMore =
  "After, your text in the editor, is still the same as Before. Change it, and this view shows which verdicts change.";
export const all = (known: number, chosen: number) => `Test all ${known > 0 ? known : ""} known crawlers, not only the ${count(chosen, "chosen one")}`;
// The two sides. Each is named by what it is, with its date.

export const live = "the live file";
export const earlier = "the earlier file of the site";
export const draft = "your text in the editor";
export const oldFile = "your old file";
export const swapped = "the text that was in the editor";
export const fetched = (time: string) => `, fetched ${time}`;
export const saved = (time: string) => `, saved ${time}`;
export const ask = "What do you want to know?";
/** `live`: the live file in words. */
export const askDraft = (live: string) => `What does my draft change? Before is ${live}.`;
export const askSince = (live: string) => `What has changed since my old file? After is ${live}.`;
export const askMore = "One of the two texts is the live file. Only you know whether the other one is older, or a draft for later.";
/** The start of the headline. A name with a date has a comma. */
export const fromTo = (before: string, after: string) => `From ${before}${before.includes(",") ? "," : ""} to ${after}:`;
export const compareWith = (side: string) => `Compare with ${side}`;

// The choice of the text before.

export const liveSite = "Compare with the live file of";
export const fetch = "Fetch it";
export const fetching = "Fetching…";
export const original = (before: string, beforeLines: number, after: string, afterLines: number) =>
  said`<strong>Before:</strong> ${before}, ${count(beforeLines, "line")}. <strong>After:</strong> ${after}, ${count(afterLines, "line")}.`;
export const none = "No original yet: paste the file from before";
export const open = "Open a file as Before…";
export const swap = "Swap Before and After";
export const keep = "Keep my text as Before";
export const putBack = "Put Before into the editor";
export const harmless = "No button changes your site. Ctrl Z in the editor brings your changes back.";
export const paste = "Paste the file from before";
export const pasteField = "Before: the file without your changes";
export const pasteUse = "Compare with this";
export const otherSites = (original: string, draft: string) =>
  `Before is the file of ${original}. After is tested as that of ${draft}, and so is Before.`;
export const otherSitesTheirs = (site: string) => `Test both as the file of ${site}`;
export const otherSitesChange = "Choose another site";

// The verdicts that change.

export const changesNone = (all: number) => `None of ${count(all, "verdict")} changes.`;
export const changesSome = (changed: number, all: number) => `${changed} of ${count(all, "verdict")} ${plural(changed, "changes", "change")}.`;
export const changesAllowed = (number: number) => ` ${number} newly allowed.`;
export const changesBlocked = (number: number) => ` ${number} newly blocked.`;
export const changesNothing = "Nothing is asked";
export const changesNothingMore = "Write URLs above, and choose crawlers in the view Test.";
export const changesFirstUrls = (asked: number, all: number) => `These are about the first ${numeral(asked)} of ${numeral(all)} URLs.`;
export const changesTable = "Verdicts that change";
export const changesQuestion = "URL and crawler";
export const changesOriginal = "Before";
export const changesDraft = "After";
export const changesAnyone = "anyone";
export const changesMore = (number: number) => `${andMore(number)}.`;

// The lines of the two texts.

export const linesTitle = "Lines";
export const linesTooMuch = "The two texts have too little in common to set them side by side.";
export const linesTable = "Lines that differ";
export const linesOriginal = "Line before";
export const linesDraft = "Line after";
export const linesChange = "Change";
export const linesText = "Text";
export const linesKinds = { added: "added", removed: "removed", same: "same" };

// The changes for all URLs. Their first sentence is the service's.

export const proofTitle = "For all URLs";
export const proofAnnounced = (direction: string, summary: string) => `For all URLs: ${direction} ${summary}`;
export const proofSame = "Proven: nothing changes.";
export const proofUndecided = "Not decided: there may be changes.";
export const proofCounts = (blocked: number, allowed: number, content: number) => {
  const parts = [
    [blocked, "newly blocked"] as const,
    [allowed, "newly allowed"] as const,
    [content, "in what may be done with content"] as const,
  ].filter(([number]) => number > 0);
  return `${count(blocked + allowed + content, "change")}: ${parts.map(([number, what]) => `${numeral(number)} ${what}`).join(", ")}.`;
};
export const proofWebPage = {
  old: "Before looks like a web page, not like a robots.txt. It is compared anyway.",
  new: "After looks like a web page, not like a robots.txt. It is compared anyway.",
};
export const proofSameMore = "No URL has another answer, for any crawler.";
export const proofPartly = (crawlers: string, hasChanges: boolean) =>
  said`Not everything was decided: there may be ${hasChanges ? "more changes" : "changes"}. The comparison takes too long for ${crawlers}. <code>comity diff --budget</code> can go on.`;
export const proofAll = "These are all changes, for all URLs and all crawlers. Press + to add an example to your URLs.";
export const proofHow = "How is that known?";
/** `dialect`: the way in which every crawler reads; null if each reads as its operator documents. */
export const proofHowMore = (urls: number, dialect: string | null) => {
  const as = dialect === null ? "Each crawler reads the files as its operator documents" : `Every crawler reads the files as ${dialect}`;
  const checked = plural(urls, "One URL was checked", `${numeral(urls)} URLs were checked`);
  return `${checked}, chosen so that no change can be missed. ${as}. “Start with” counts letters, not folders: URLs that start with /a include /ab.`;
};
export const proofOtherCrawlers = "all other crawlers";
export const proofNames = (names: string[], more: number) => names.join(", ") + (more > 0 ? ` and ${more} more` : "");
export const proofNewly = { allowed: "Newly allowed", blocked: "Newly blocked" };
export const proofOmitted = (number: number) => `and ${count(number, "more change")}.`;

// A change: its URLs, its exceptions, an example, and its crawlers.

export const changeNoRule = "URLs that no rule covers";
export const changeOnly = "Of these, only";
/** Exceptions for URLs that had the new answer before, and for those that another rule of the draft decides about. */
export const changeBefore = { allowed: "But not (allowed before already)", blocked: "But not (blocked before already)" };
export const changeUndone = { allowed: "But not (another line blocks them)", blocked: "But not (another line allows them)" };
export const changeUnless = { allowed: "Of those, newly allowed, too", blocked: "Of those, newly blocked, too" };
export const changeMoreRules = (number: number) => `those of ${count(number, "more rule")}`;
export const changePart = "Only a part of these URLs gets another answer.";
export const changeNotSent = "No browser or crawler sends such a URL.";
export const changeExample = (example: ComponentChildren) => said`Example: ${example}`;
export const changeUrls = (urls: string) => urls.replace(/^URLs that/, "those that");
export const changeOriginalLine = (line: number) => `(line ${line} before)`;
export const changeIsTested = "It is among the tested URLs";
export const changeIsTestedUrl = (url: string) => `${url} is tested`;
export const changeNowTested = (url: string) => `${url} is tested now.`;
export const changeAdd = "Add it to the tested URLs";
export const changeAddUrl = (url: string) => `Add ${url} to the tested URLs`;
export const changeCrawlers = "Crawlers";
export const changeFor = "for";
export const changeEvery = "every crawler";
export const changeExcept = "except";
export const changeFewer = "fewer";
export const changeMore = andMore;

// Differences that change no answer.

export const besideTitle = "Beside the rules";
export const besideMore = (number: number) => `${andMore(number)}.`;
export const besideSeconds = (delay: number | null) => (delay === null ? "none" : `${delay} s`);
export const besideDelay = (crawlers: string, now: string, before: string) => `Crawl-delay for ${crawlers}: ${now}, before ${before}`;
export const besideSitemapAdded = (url: string) => `Sitemap added: ${url}`;
export const besideSitemapRemoved = (url: string) => `Sitemap removed: ${url}`;
export const besideNotStated = "not stated";
export const besideGranted = (line: number) => `granted (line ${line})`;
export const besideRefused = (line: number) => `refused (line ${line})`;
export const besideGrantedBefore = (line: number) => `granted (line ${line} before)`;
export const besideRefusedBefore = (line: number) => `refused (line ${line} before)`;
export const besideSignal = (record: string, crawlers: string, key: string, now: string, before: string, example: string) =>
  `${record} for ${crawlers}: ${key} is ${now}. Before: ${before}. Example: ${example}`;

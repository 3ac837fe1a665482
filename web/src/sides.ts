/** The two sides of the comparison: what they are, and which is the older one. */

import { isStatic } from "#transport";
import type { Text } from "@codemirror/state";
import { computed, signal } from "@preact/signals";
import { short } from "./escape";
import { draft, type Original, original } from "./state";
import { EXAMPLE_TEXT, received } from "./subject";
import type { FetchLog } from "./types";
import { when } from "./words";
import * as COMPARE from "./words/compare";
import * as FILE from "./words/file";

/** A file as a site sent it. */
interface Fetched {
  text: Text;
  url: string;
  site: string;
  /** The time of the fetch, as a timestamp. */
  at: string;
}

/** The file that was fetched last. */
export const liveFile = signal<Fetched | null>(null);

/** The first file of that site, if its text is another one. */
export const earlierFile = signal<Fetched | null>(null);

/** The file that was fetched first from each site since the page was loaded. */
const firsts = new Map<string, Fetched>();

/** Remembers a fetched file, and returns it as a text to compare with. */
export function remembered(log: FetchLog, text: Text): Original {
  const found = { text, url: log.robots_url, site: log.origin, at: log.fetched ?? new Date().toISOString() };
  const first = firsts.get(log.origin) ?? found;
  firsts.set(log.origin, first);
  liveFile.value = found;
  earlierFile.value = first.text.eq(text) ? null : first;
  return asOriginal(found);
}

function asOriginal({ text, url, site, at }: Fetched): Original {
  return { text, from: url, site, at };
}

/** A side in words. `long` has more details. */
export interface Side {
  name: string;
  long: string;
}

function dated(name: string, long: string, date: (time: string) => string, at: string | undefined): Side {
  const rest = at === undefined ? "" : date(when(at));
  return { name: name + rest, long: long + rest };
}

function isEarlier({ site, text }: Original): boolean {
  return liveFile.value?.site === site && liveFile.value?.text.eq(text) === false;
}

/** Describes a text to compare with. */
export function sideOf(side: Original): Side {
  if (side.site === undefined) return dated(side.from, side.from, COMPARE.saved, side.at);
  // A site without a file has no address to show.
  if (!/^https?:/.test(side.from)) return dated(side.from, side.from, COMPARE.fetched, side.at);
  const [name, url] = [isEarlier(side) ? COMPARE.earlier : COMPARE.live, short(side.from, 100)];
  return dated(name, `${name}, ${url}`, COMPARE.fetched, side.at);
}

/** The draft as a text to compare with, if it is a file that was fetched or opened; otherwise null. */
const knownDraft = computed<Original | null>(() => {
  for (const file of [liveFile.value, earlierFile.value]) if (file?.text.eq(draft.value)) return asOriginal(file);
  const found = received.value;
  if (found?.log !== null || found.from === undefined || !found.text.eq(draft.value)) return null;
  return { text: found.text, from: found.from, ...(found.at === undefined ? {} : { at: found.at }) };
});

/** The side After: the text in the editor. */
export const afterSide = computed<Side>(() =>
  knownDraft.value ? sideOf(knownDraft.value) : { name: COMPARE.draft, long: COMPARE.draft },
);

function isLive(side: Original | null): boolean {
  return side?.site !== undefined && !isEarlier(side);
}

/** The side that is the live file, if the other side is no file of the site; otherwise null. */
export const liveSide = computed<"before" | "after" | null>(() => {
  const [before, after] = [original.value, knownDraft.value];
  if (before === null || before.text.eq(draft.value)) return null;
  if (isLive(before)) return after?.site === undefined ? "before" : null;
  return isLive(after) && before.site === undefined ? "after" : null;
});

/**
 * True if nobody knows which text is the older one: one is the live file, and the other was not made from it. Then
 * nothing is compared before the user says it.
 */
export const isUnsure = computed(
  () => !isStatic && liveSide.value === "before" && original.value?.isChosen !== true && received.value?.log?.origin !== original.value?.site,
);

/** Returns the draft as the text before, after the user said that it is the older one. */
export function draftAsBefore(): Original {
  const from = isLive(original.peek()) ? COMPARE.oldFile : COMPARE.swapped;
  return { ...(knownDraft.peek() ?? { text: draft.peek(), from }), isChosen: true };
}

/** The text that the user compared with before a fix took its place. */
const setAside = signal<Original | null>(null);

/** The other texts that the draft can be compared with. */
export const others = computed<Original[]>(() => {
  const found = [liveFile.value, earlierFile.value].flatMap((file) => (file ? [asOriginal(file)] : []));
  if (setAside.value) found.push(setAside.value);
  const known = [draft.value, original.value?.text];
  return found.filter(
    ({ text }, nth) => !known.some((one) => one?.eq(text)) && found.findIndex((other) => other.text.eq(text)) === nth,
  );
});

/** Returns true if a text is the file as it came, or the example. */
function isAsCame({ text }: Original): boolean {
  return text.eq(EXAMPLE_TEXT) || received.peek()?.text.eq(text) === true;
}

/** Compares the draft with the file that was fetched first. */
export function compareWithEarlier(): void {
  const first = earlierFile.peek();
  if (first) original.value = asOriginal(first);
}

/** Applies a fix, and makes the text before the first fix the one to compare with. */
export function fixing(apply: () => void): void {
  const [text, before] = [draft.peek(), original.peek()];
  apply();
  if (draft.peek() === text) return;
  // The file as it came is the one before the fixes, whatever was changed by hand.
  if (before !== null && (before.from === FILE.originalsUnfixed || before.text.eq(text) || isAsCame(before))) return;
  setAside.value = before;
  original.value = { text, from: FILE.originalsUnfixed };
}

/** The subject of the verdicts: the draft as the file of a site, or the policy's ruling if a fetch found no file. */

import { batch, computed, signal } from "@preact/signals";
import type { Text } from "@codemirror/state";
import { EXAMPLE, EXAMPLE_CHOICE, isOfExample, withoutExample } from "./example";
import { chosen, draft, fileNumber, original, toText, toUrl, urls, urlsTyped, wellFormed } from "./state";
import type { FetchLog } from "./types";
import * as FILE from "./words/file";

/** The site of the draft, if a fetch, a link or the user named one; otherwise the URLs determine it. */
export const named = signal<string | null>(null);

/** A site whose file could not be fetched, or does not exist. */
export interface Absent {
  origin: string;
  /** The log of the fetch; null if the page was opened by a link, which contains no results of fetches. */
  log: FetchLog | null;
  /** The list of URLs before the fetch replaced it, and the new list. */
  lists: { before: string; since: string } | null;
}

/** The site without a file. While it is set, no view uses the draft. */
export const absent = signal<Absent | null>(null);

/** A file as a site sent it, or as it is on the user's disk. */
export interface Received {
  /** The text that was put into the editor. */
  text: Text;
  /** The file itself: its text, or its bytes as base64. */
  file: { robots: string } | { robots_b64: string };
  /** The log of the fetch; null for a file from the disk. */
  log: FetchLog | null;
  /** The description of a file from the disk, and the time at which it was saved, as a timestamp. */
  from?: string;
  at?: string;
}

/** The file that the draft is based on. */
export const received = signal<Received | null>(null);

/** The text before the user's changes: a file as it came, or the example. Null if it is not known. */
export const unchanged = computed<Text | null>(
  () => received.value?.text ?? (original.value?.site === undefined ? (original.value?.text ?? null) : null),
);

/** The text of the example. */
export const EXAMPLE_TEXT = toText(EXAMPLE);

/** True if the draft is the example, or was made from it. */
export const isFromExample = computed(() => original.value?.text.eq(EXAMPLE_TEXT) === true);

export interface FileSite {
  /** The site; null if all URLs are paths. */
  site: string | null;
  /** True if nobody named the site, and it is that of the first URL. */
  isAssumed: boolean;
}

/** The site of the draft. */
export const fileSite = computed<FileSite>(() => {
  if (named.value !== null) return { site: named.value, isAssumed: false };
  const first = urls.value.find((url) => !url.startsWith("/"));
  return first === undefined ? { site: null, isAssumed: false } : { site: siteOf(first), isAssumed: true };
});

/** The site of the verdicts. */
export const origin = computed<string | null>(() => absent.value?.origin ?? fileSite.value.site);

/** The URLs of sites other than that of the verdicts. */
export const elsewhere = computed<string[]>(() => {
  const here = origin.value;
  return here === null ? [] : urls.value.filter((url) => !url.startsWith("/") && siteOf(url) !== siteOf(here));
});

/** Returns the scheme, host and port of a URL. */
export function siteOf(url: string): string {
  const parsed = new URL(url);
  return parsed.origin.replace(/\.(?=$|:\d)/, "");
}

/** Returns true if a URL is that of a site's front page. */
export function isFrontPage(url: string): boolean {
  const { pathname, search } = new URL(url);
  return pathname + search === "/";
}

/** Returns the site that the user typed, as a host or as any URL on it; null if the text is not a URL. */
export function typedSite(text: string): string | null {
  const url = toUrl(text.trim());
  return url === null || url.startsWith("/") ? null : siteOf(url);
}

/** Returns the file for a request: as the site sent it if it is unchanged, or else the text. */
export function fileOf(text: Text): Received["file"] {
  const found = received.peek();
  return found?.text.eq(text) ? found.file : { robots: wellFormed(text) };
}

/** Uses the draft for verdicts again, after a fetch that found no file. */
export function judgeByDraft(): void {
  const { lists } = absent.peek() ?? {};
  batch(() => {
    absent.value = null;
    if (lists && urlsTyped.value === lists.since) urlsTyped.value = lists.before;
  });
}

/**
 * Forgets the source of the draft, because another file has replaced it. What belongs to the example goes with it: its
 * URLs would make its site that of the user's file, and a comparison with it would say nothing about that file. URLs of the
 * former file's site become paths, so that no site is known until the user names one.
 */
export function forgetSource(): void {
  batch(() => {
    const site = absent.peek()?.origin ?? named.peek();
    judgeByDraft();
    named.value = null;
    received.value = null;
    fileNumber.value += 1;
    // What was before the fixes was before those of the former file.
    if (isFromExample.value || original.value?.from === FILE.originalsUnfixed) original.value = null;
    const own = withPathsOf(site, withoutExample(urlsTyped.value));
    if (own !== urlsTyped.value) urlsTyped.value = own;
    if (chosen.value?.url === EXAMPLE_CHOICE.url) chosen.value = null;
  });
}

/** Returns a list of URLs in which those of a site are paths. */
function withPathsOf(site: string | null, list: string): string {
  const path = (line: string): string => {
    const url = toUrl(line.trim());
    if (url === null || url.startsWith("/") || siteOf(url) !== site) return line;
    const rest = url.replace(/^[^/]*[/][/][^/?#]*/, "").replace(/^(?![/])/, "/");
    // A path that starts with two slashes would name a host.
    return toUrl(rest) === rest ? rest : line;
  };
  return site === null ? list : list.split("\n").map(path).join("\n");
}

/**
 * Prepares the list of URLs for a site. The page that the user typed for the fetch becomes the first URL. If no other
 * URL is on the site, the page, or the root of the site, replaces the list.
 */
export function askAbout(site: string, page: string | null = null): Absent["lists"] {
  const before = urlsTyped.peek();
  const typedPage = page !== null && !isFrontPage(page) ? page : null;
  const own = urls.peek().filter((url) => !isOfExample(url));
  const isHere = own.some((url) => url.startsWith("/") || siteOf(url) === siteOf(site));
  const kept = isHere ? withoutExample(before) : `${typedPage ?? `${site}/`}\n`;
  const since = isHere && typedPage !== null && !own.includes(typedPage) ? `${typedPage}\n${kept}` : kept;
  if (since === before) return null;
  urlsTyped.value = since;
  return { before, since };
}

/** The part of a request that describes the file. */
export type Basis = { robots: string } | { robots_b64: string } | { access: string };

/** Returns a builder of the file's part of a request; null if nothing is known about the file. */
export function basis(text: Text, missing: Absent | null): (() => Basis & { origin?: string }) | null {
  const site = missing?.origin ?? fileSite.value.site;
  const rest = site === null ? {} : { origin: site };
  if (!missing) return () => ({ ...fileOf(text), ...rest });
  const access = missing.log?.access;
  return access === "allow-all" || access === "disallow-all" ? () => ({ access, ...rest }) : null;
}

/** The draft, if the verdicts are based on it. */
export const judged = computed<Text | null>(() => (absent.value ? null : draft.value));

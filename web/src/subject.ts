/** What the views judge by: the draft, taken for a site, or, where a fetch found no file, what that means. */

import { batch, computed, signal } from "@preact/signals";
import type { Text } from "@codemirror/state";
import { draft, toUrl, urls, urlsTyped, wellFormed } from "./state";
import type { Story } from "./types";

/** The site that the draft is taken for, if a fetch, a link or a person named one; else the URLs decide. */
export const named = signal<string | null>(null);

/** A site whose file could not be had, or does not exist. */
export interface Absent {
  origin: string;
  /** What the fetch found; null if the page was opened by a link, which carries no results of fetches. */
  told: Story | null;
  /** The list of URLs as it was before the fetch put its own in place, and that one. */
  lists: { before: string; since: string } | null;
}

/** While this is set, no view judges by the draft. */
export const absent = signal<Absent | null>(null);

/** A file as a site sent it, or as it is on the disk of the person. */
export interface Received {
  /** The text that the editor got. */
  text: Text;
  /** The file itself: its text, or its bytes as base64. */
  file: { robots: string } | { robots_b64: string };
  /** The fetch that brought it; null for a file that was opened. */
  told: Story | null;
}

/** The file that the draft began as. */
export const received = signal<Received | null>(null);

export interface Whose {
  /** The site; null if only paths are asked about. */
  site: string | null;
  /** Nobody named it: it is the site of the first URL. */
  isAssumed: boolean;
}

/** The site that the draft is taken for. */
export const whose = computed<Whose>(() => {
  if (named.value !== null) return { site: named.value, isAssumed: false };
  const first = urls.value.find((url) => !url.startsWith("/"));
  return first === undefined ? { site: null, isAssumed: false } : { site: siteOf(first), isAssumed: true };
});

/** The site that the verdicts are about. */
export const origin = computed<string | null>(() => absent.value?.origin ?? whose.value.site);

/** The URLs of other sites than the one that the verdicts are about. */
export const elsewhere = computed<string[]>(() => {
  const here = origin.value;
  return here === null ? [] : urls.value.filter((url) => !url.startsWith("/") && siteOf(url) !== siteOf(here));
});

/** Returns the scheme, host and port of a URL. */
export function siteOf(url: string): string {
  const parsed = new URL(url);
  return parsed.origin.replace(/\.(?=$|:\d)/, "");
}

/** Returns the site that somebody typed, as a host or as any URL on it; null if it is none. */
export function typedSite(text: string): string | null {
  const url = toUrl(text.trim());
  return url === null || url.startsWith("/") ? null : siteOf(url);
}

/** Returns the file of a question: what the site sent, as long as nothing was changed, or else the text. */
export function fileOf(text: Text): Received["file"] {
  const found = received.peek();
  return found?.text.eq(text) ? found.file : { robots: wellFormed(text) };
}

/** Judges by the draft again, after a fetch that found no file. */
export function judgeByDraft(): void {
  const { lists } = absent.peek() ?? {};
  batch(() => {
    absent.value = null;
    if (lists && urlsTyped.value === lists.since) urlsTyped.value = lists.before;
  });
}

/** Forgets where the draft came from: another file has taken its place. */
export function forgetSource(): void {
  batch(() => {
    judgeByDraft();
    named.value = null;
    received.value = null;
  });
}

/** Asks about a site: where no URL of the list is on it, its root takes their place. */
export function askAbout(site: string): Absent["lists"] {
  const before = urlsTyped.peek();
  const isHere = urls.peek().some((url) => url.startsWith("/") || siteOf(url) === siteOf(site));
  if (isHere) return null;
  const since = `${site}/\n`;
  urlsTyped.value = since;
  return { before, since };
}

/** What a question says of the file that it is about; null if there is nothing to judge by. */
export type Basis = { robots: string } | { robots_b64: string } | { access: string };

/** Returns what verdicts rest on, made when it is sent; null where nothing is known of the file. */
export function basis(text: Text, missing: Absent | null): (() => Basis & { origin?: string }) | null {
  const site = missing?.origin ?? whose.value.site;
  const rest = site === null ? {} : { origin: site };
  if (!missing) return () => ({ ...fileOf(text), ...rest });
  const access = missing.told?.access;
  return access === "allow-all" || access === "disallow-all" ? () => ({ access, ...rest }) : null;
}

/** The draft, if it is what the views judge by. */
export const judged = computed<Text | null>(() => (absent.value ? null : draft.value));

/** Answers that need requests to the site of the text: its sitemaps, its front page, its other addresses, its history. */

import { isStatic } from "#transport";
import type { Text } from "@codemirror/state";
import { computed, effect, signal } from "@preact/signals";
import { demand } from "./demand";
import { live, type Question } from "./live";
import { earlierFile, liveFile } from "./sides";
import { draft, fileNumber, service, site as siteField, toUrl, view, wellFormed } from "./state";
import { absent, fileOf, isFrontPage, named, received, siteOf } from "./subject";
import type { DiffAnswer, OriginAnswer, PageAnswer, SitemapsAnswer, VariantsAnswer } from "./types";

export const sitemaps = demand<SitemapsAnswer>();
export const page = demand<PageAnswer>();
export const variants = demand<VariantsAnswer>();
export const history = demand<OriginAnswer>();

/** The change of the live file since it was fetched first. A service without a history does not know it. */
export const sinceFirst = live<DiffAnswer>(
  computed<Question | null>(() => {
    const [first, now] = [earlierFile.value, liveFile.value];
    if (view.value !== "overview" || first === null || now === null) return null;
    const body = (): object => ({ old: wellFormed(first.text), new: wellFormed(now.text), max_changes: 1 });
    return { path: "/v1/diff", size: first.text.length + now.text.length, body };
  }),
);

/** The text whose lines the answer about the sitemaps names; null if they are those of the site's own file. */
export const sitemapsText = signal<Text | null>(null);

/** The crawler of the overview: that of the search engine that most people ask about. */
const AGENT = "Googlebot";

/** Reads the sitemaps that the text names, or those that the site's own file names if there is none. */
export function readSitemaps(site: string, agent: string): void {
  sitemapsText.value = absent.peek() ? null : draft.peek();
  const own = sitemapsText.value ? fileOf(sitemapsText.value) : {};
  void sitemaps.send("/v1/sitemaps", { url: `${site}/`, agent, ...own });
}

/** The site that was asked last, the file that it was asked for, and the page; null before the first time. */
const asked = signal<{ file: number; site: string; page: string } | null>(null);

/** The site that can be asked: of a fetched file, or one that the user named. */
export const siteToAsk = computed(() => (isStatic || service.value?.fetches === false ? null : (absent.value?.origin ?? named.value)));

/** True if this site was asked for the text in the editor. */
export const isAsked = computed(() => asked.value?.file === fileNumber.value && asked.value.site === siteToAsk.value);

/** The page of the site that was asked for; null if that is its front page. */
export const pageAsked = computed(() => {
  const url = isAsked.value ? (asked.value?.page ?? null) : null;
  return url === null || isFrontPage(url) ? null : url;
});

/** Returns the page in the field for the fetch, if it is on this site, or else the front page of the site. */
function pageOn(site: string): string {
  const url = toUrl(siteField.peek().trim());
  return url !== null && !url.startsWith("/") && siteOf(url) === siteOf(site) ? (url.split("#")[0] ?? url) : `${site}/`;
}

/** Asks the site all that the overview shows. Each part arrives by itself. */
export function askSite(): void {
  const site = siteToAsk.peek();
  if (site === null) return;
  // A page that was typed is asked for in place of the front page, so that it costs the site no further request.
  const url = pageOn(site);
  asked.value = { file: fileNumber.peek(), site, page: url };
  if (absent.peek()) sitemaps.cancel();
  else readSitemaps(site, AGENT);
  void page.send("/v1/page", { url, agent: AGENT });
  void variants.send("/v1/variants", { url: site });
  void history.send(`/v1/origins?origin=${encodeURIComponent(site)}&diff=true`, null);
}

// Whoever fetches a site's file asks about the site. Of a site that the user only named, nothing is requested by itself.
effect(() => {
  const missing = absent.value;
  const fetched = missing ? (missing.log?.access === "allow-all" ? missing.origin : null) : (received.value?.log?.origin ?? null);
  const isOfSite = fetched !== null && siteToAsk.value !== null && siteOf(fetched) === siteOf(siteToAsk.value);
  if (view.value === "overview" && isOfSite && !isAsked.value) askSite();
});

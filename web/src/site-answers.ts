/** Answers that need requests to the site of the text: its sitemaps, its front page, its other addresses, its history. */

import { isStatic } from "#transport";
import type { Text } from "@codemirror/state";
import { computed, effect, signal } from "@preact/signals";
import { demand } from "./demand";
import { draft, fileNumber, service, view } from "./state";
import { absent, fileOf, named, received } from "./subject";
import type { OriginAnswer, PageAnswer, SitemapsAnswer, VariantsAnswer } from "./types";

export const sitemaps = demand<SitemapsAnswer>();
export const page = demand<PageAnswer>();
export const variants = demand<VariantsAnswer>();
export const history = demand<OriginAnswer>();

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

/** The number of the file for which the site was asked; null before the first time. */
const asked = signal<number | null>(null);

/** True if the site was asked for the text in the editor. */
export const isAsked = computed(() => asked.value === fileNumber.value);

/** The site that can be asked: of a fetched file, or one that the user named. */
export const siteToAsk = computed(() => (isStatic || service.value?.fetches === false ? null : (absent.value?.origin ?? named.value)));

/** Asks the site all that the overview shows. Each part arrives by itself. */
export function askSite(): void {
  const site = siteToAsk.peek();
  if (site === null) return;
  asked.value = fileNumber.peek();
  if (absent.peek()) sitemaps.cancel();
  else readSitemaps(site, AGENT);
  void page.send("/v1/page", { url: `${site}/`, agent: AGENT });
  void variants.send("/v1/variants", { url: site });
  void history.send(`/v1/origins?origin=${encodeURIComponent(site)}&diff=true`, null);
}

// Whoever fetches a site's file asks about the site. Of a site that the user only named, nothing is requested by itself.
effect(() => {
  const isFetched = received.value?.log != null || absent.value?.log?.access === "allow-all";
  if (view.value === "overview" && isFetched && siteToAsk.value !== null && !isAsked.value) askSite();
});

/** What the page knows: what was typed, what was chosen, and what the service says of itself. */

import { batch, computed, effect, signal } from "@preact/signals";
import { Text } from "@codemirror/state";
import { again, ask } from "./api";
import { EXAMPLE, EXAMPLE_AGENTS, EXAMPLE_CHOICE, EXAMPLE_URLS } from "./example";
import { fromFragment, LONGEST, type Shared, toFragment } from "./share";
import type { Crawler, Lint, Service, Story } from "./types";
import { DIALECTS } from "./words";

export const VIEWS = ["test", "compare", "matrix", "lint", "fetch", "ai"] as const;
export type View = (typeof VIEWS)[number];

/** The text in the editor. Copying it is free, turning it into a string is not. */
export const draft = signal<Text>(toText(EXAMPLE));

/** What the draft is compared with, and what that is. */
export const original = signal<{ text: Text; from: string }>({ text: draft.value, from: "the example" });

/** The site that the draft was fetched from, or will be. */
export const site = signal("");

/** How the last fetch of the site went. */
export const story = signal<Story | null>(null);
export const urlsTyped = signal(EXAMPLE_URLS);
export const agents = signal<string[]>(EXAMPLE_AGENTS);
export const dialect = signal("standard");
export const policy = signal("");
export const view = signal<View>("test");

/** The verdict that is being explained: which URL and which crawler. */
export const chosen = signal<{ url: string; agent: string } | null>(EXAMPLE_CHOICE);

/** The lines that the chosen verdict rests on, for the editor. */
export const lit = signal<{ line: number; allowed: boolean; second: number } | null>(null);

/** Said to screen readers when it changes. */
export const announcement = signal("");

export const service = signal<Service | null>(null);
export const crawlers = signal<Crawler[]>([]);
export const lints = signal<Map<string, Lint>>(new Map());

export const crawlerOf = computed(() => {
  const byToken = new Map(crawlers.value.map((crawler) => [crawler.token.toLowerCase(), crawler]));
  return (token: string): Crawler | undefined => byToken.get(token.toLowerCase());
});

export function toText(text: string): Text {
  return Text.of(text.split(/\r\n?|\n/));
}

/** JSON can't carry half of a surrogate pair. */
export function wellFormed(text: Text): string {
  return text.toString().toWellFormed();
}

/** A line of the list of URLs. */
export interface Typed {
  /** As typed. */
  text: string;
  /** What is asked about; null if it is no URL. */
  url: string | null;
}

/** More than a person reads; lists for programs go to `comity batch`. */
export const MOST_URLS = 200;

export const typed = computed<Typed[]>(() => {
  const seen = new Set<string>();
  const found: Typed[] = [];
  for (const line of urlsTyped.value.split("\n")) {
    const text = line.trim();
    if (text === "" || seen.has(text)) continue;
    seen.add(text);
    found.push({ text, url: toUrl(text) });
  }
  return found;
});

/** Paths stay paths; a host without a scheme gets https. */
export function toUrl(text: string): string | null {
  if (text.startsWith("/")) return text;
  const url = /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[^/]*\.[^/]*:\d/.test(text) ? text : `https://${text}`;
  if (!URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return null;
  return url === text || hostname.includes(".") || hostname === "localhost" ? url : null;
}

export const urls = computed(() => {
  const good = typed.value.flatMap(({ url }) => (url === null ? [] : [url]));
  return [...new Set(good)].slice(0, MOST_URLS);
});

/** Whose file the draft is: the fetched site's, or that of the first URL. */
export const origin = computed<string | null>(() => {
  const fetched = story.value?.origin;
  if (fetched) return fetched;
  const first = urls.value.find((url) => !url.startsWith("/"));
  return first === undefined ? null : new URL(first).origin;
});

/** Asks what the service is; without it, the page shows what it has. */
export function learn(): void {
  effect(() => {
    void again.value;
    if (!service.peek()) void ask<Service>("/v1/service", null).then((found) => (service.value = found), quiet);
    if (crawlers.peek().length === 0) void ask<unknown[]>("/v1/crawlers", null).then(learnCrawlers, quiet);
    if (lints.peek().size === 0) void ask<Lint[]>("/lints.json", null).then(learnLints, quiet);
  });
}

/** The notice about the service's health has told it already. */
function quiet(): void {}

function learnCrawlers(found: unknown[]): void {
  // The command spells its keys with hyphens.
  crawlers.value = found.map((row) => {
    const entries = Object.entries(row as object).map(([key, value]) => [key.replaceAll("-", "_"), value]);
    return Object.fromEntries(entries) as Crawler;
  });
}

function learnLints(found: Lint[]): void {
  lints.value = new Map(found.map((lint) => [lint.code, lint]));
}

function shared(): Shared {
  const { text } = original.value;
  return {
    robots: wellFormed(draft.value),
    original: text.eq(draft.value) ? null : wellFormed(text),
    site: site.value,
    urls: urlsTyped.value,
    agents: agents.value,
    dialect: dialect.value,
    view: view.value,
  };
}

/** The link to what is seen now. */
export async function link(withFile = true): Promise<string> {
  const state = withFile ? shared() : { ...shared(), robots: "", original: null };
  return `${location.origin}${location.pathname}#${await toFragment(state)}`;
}

/** Takes over what a link says; returns whether it says anything. */
export async function open(fragment: string): Promise<boolean> {
  const found = await fromFragment(fragment);
  if (!found) return false;
  batch(() => {
    draft.value = toText(found.robots);
    original.value =
      found.original === null
        ? { text: draft.value, from: "the link" }
        : { text: toText(found.original), from: "the link" };
    site.value = found.site;
    story.value = null;
    urlsTyped.value = found.urls;
    agents.value = found.agents;
    dialect.value = Object.hasOwn(DIALECTS, found.dialect) ? found.dialect : "standard";
    view.value = VIEWS.find((name) => name === found.view) ?? "test";
    chosen.value = null;
  });
  return true;
}

/** Keeps the address in step with the page, so that reloading loses nothing that fits. */
export function remember(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = true;
  effect(() => {
    void [draft.value, original.value, site.value, urlsTyped.value, agents.value, dialect.value, view.value];
    if (first) {
      first = false;
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(async () => {
      // Compressed ten to one, a larger text would still not fit.
      const fits = draft.value.length + original.value.text.length < 10 * LONGEST;
      const address = fits ? await link() : "";
      history.replaceState(null, "", fits && address.length <= LONGEST ? address : location.pathname);
    }, 500);
  });
}

/** What the page knows: what was typed, what was chosen, and what the service says of itself. */

import { computed, effect, signal } from "@preact/signals";
import { Text } from "@codemirror/state";
import { again, ask, refusedUrls } from "./api";
import { EXAMPLE, EXAMPLE_AGENTS, EXAMPLE_CHOICE, EXAMPLE_URLS } from "./example";
import type { Crawler, Lint, Service, Story } from "./types";

export const VIEWS = ["test", "compare", "matrix", "lint", "fetch", "ai"] as const;
export type View = (typeof VIEWS)[number];

/** The text in the editor. Copying it is free, turning it into a string is not. */
export const draft = signal<Text>(toText(EXAMPLE));

/** What the draft is compared with, and what that is. */
export const original = signal<{ text: Text; from: string; site?: string }>({ text: draft.value, from: "the example" });

/** What is typed where a site to fetch is named. */
export const site = signal("");

/** How the last fetch went, whatever it was for. */
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

/** Returns how many lines a text has: the end of the last one begins no other. */
export function linesOf(text: Text): number {
  return text.lines > 1 && text.line(text.lines).length === 0 ? text.lines - 1 : text.lines;
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
  /** Why the service does not take it, if only the service found that out. */
  why?: string;
}

export const typed = computed<Typed[]>(() => {
  const seen = new Set<string>();
  const found: Typed[] = [];
  for (const line of urlsTyped.value.split("\n")) {
    const text = line.trim();
    if (text === "" || seen.has(text)) continue;
    seen.add(text);
    const url = toUrl(text);
    const why = url === null ? undefined : refusedUrls.value.get(url);
    found.push(why === undefined ? { text, url } : { text, url: null, why });
  }
  return found;
});

/** Paths stay paths; a host without a scheme gets https. What starts with two slashes could be either. */
export function toUrl(text: string): string | null {
  if (text.startsWith("//")) return null;
  if (text.startsWith("/")) return text;
  const hasPort = /^(localhost|[^/]*\.[^/]*):\d/i.test(text);
  const url = /^[a-z][a-z0-9+.-]*:/i.test(text) && !hasPort ? text : `https://${text}`;
  if (!URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return null;
  return url === text || hostname.includes(".") || hostname === "localhost" ? url : null;
}

export const urls = computed(() => {
  const good = typed.value.flatMap(({ url }) => (url === null ? [] : [url]));
  return [...new Set(good)];
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

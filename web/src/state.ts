/** The state of the page: input, choices, and the facts about the service. */

import { isStatic } from "#transport";
import { computed, effect, signal } from "@preact/signals";
import { Text } from "@codemirror/state";
import { again, ask, refusedUrls } from "./api";
import { EXAMPLE, EXAMPLE_AGENTS, EXAMPLE_CHOICE, EXAMPLE_URLS } from "./example";
import type { Crawler, FetchLog, Lint, Service } from "./types";
import * as FILE from "./words/file";
import { namesHost } from "./worker/parsed";

export const VIEWS = ["overview", "test", "compare", "matrix", "lint", "fetch", "ai", "page", "sitemaps", "generate"] as const;
export type View = (typeof VIEWS)[number];

/** The media query of a screen on which the views are below the file. */
export const NARROW = "(max-width: 639px)";

/** The text in the editor. Copying it is cheap; converting it to a string is not. */
export const draft = signal<Text>(toText(EXAMPLE));

/** A text that the draft is compared with. */
export interface Original {
  text: Text;
  /** A description of the text. */
  from: string;
  /** The site that sent it. */
  site?: string;
  /** The time at which it was fetched or saved, as a timestamp; absent if it is not known. */
  at?: string;
  /** True if the user said that it is the older text. */
  isChosen?: boolean;
}

/** The text that the draft is compared with; null after the user's own text took the place of the example. */
export const original = signal<Original | null>({ text: draft.value, from: FILE.originalsExample });

/** The content of the input field for the site to fetch. */
export const site = signal("");

/**
 * A number that increases when another file takes the place of the text. An answer about a former file must never look like
 * one about this file, not even until the next answer arrives.
 */
export const fileNumber = signal(0);

/** The log of the last fetch, whatever its purpose. */
export const fetchLog = signal<FetchLog | null>(null);
export const urlsTyped = signal(EXAMPLE_URLS);
export const agents = signal<string[]>(EXAMPLE_AGENTS);
export const dialect = signal("standard");
export const policy = signal("");
export const view = signal<View>("overview");

/** The verdict that is explained: its URL and its crawler. */
export const chosen = signal<{ url: string; agent: string } | null>(EXAMPLE_CHOICE);

/** The lines that the chosen verdict or change is based on, which the editor highlights. */
export const lit = signal<{ line: number; allowed: boolean; others: number[] } | null>(null);

/** A text that screen readers announce when it changes. */
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

/** Returns the number of lines of a text. A line end at the end of the text does not start another line. */
export function linesOf(text: Text): number {
  return text.lines > 1 && text.line(text.lines).length === 0 ? text.lines - 1 : text.lines;
}

/** Returns a text without lone surrogates, which JSON cannot represent. */
export function wellFormed(text: Text): string {
  return text.toString().toWellFormed();
}

/** A line of the list of URLs. */
export interface Typed {
  /** The line as typed. */
  text: string;
  /** The URL that is tested; null if the line is not a URL. */
  url: string | null;
  /** The reason why the service refuses it, if only the service detected that. */
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

/** Returns a path unchanged, or a URL; a host without a scheme gets https. Null for others, and for `//host`. */
export function toUrl(text: string): string | null {
  if (namesHost(text)) return null;
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

/**
 * True if mistakes are looked for: always with a service, and else after their view, which has a large module, or the
 * overview of another text than the example was opened.
 */
export const findsMistakes = signal(!isStatic);
const firstText = draft.peek();
effect(() => {
  if (findsMistakes.value) return;
  findsMistakes.value = view.value === "lint" || (view.value === "overview" && !draft.value.eq(firstText));
});

/** Requests the facts about the service. Without an answer, the page shows what it has. */
export function learn(): void {
  effect(() => {
    void again.value;
    if (!service.peek()) void ask<Service>("/v1/service", null).then((found) => (service.value = found), quiet);
    if (crawlers.peek().length === 0) void ask<Crawler[]>("/v1/crawlers", null).then((found) => (crawlers.value = found), quiet);
    if (findsMistakes.value && lints.peek().size === 0) void ask<Lint[]>("/lints.json", null).then(learnLints, quiet);
  });
}

/** Ignores an error, because the notice about the service already shows it. */
function quiet(): void {}

function learnLints(found: Lint[]): void {
  lints.value = new Map(found.map((lint) => [lint.code, lint]));
}

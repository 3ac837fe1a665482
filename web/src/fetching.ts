/** Fetching a site's file, at the user's request. */

import { batch, signal } from "@preact/signals";
import { ask, Refusal } from "./api";
import { decode, fromBase64, utf16 } from "./bytes";
import { agents, announcement, chosen, draft, fetchLog, fileNumber, original, policy, site, toText, toUrl, urls, view } from "./state";
import { remembered } from "./sides";
import { isUnsaved, replacing } from "./replaced";
import { absent, askAbout, judgeByDraft, named, type Received, received, siteOf } from "./subject";
import type { FetchLog } from "./types";
import { count, refusalWords } from "./words";
import * as FILE from "./words/file";
import * as SERVICE from "./words/service";

export const fetching = signal(false);

/** The destination of a fetched file: the editor, the original for the comparison, or only the view Fetch. */
export type Goal = "editor" | "original" | "log";

/** The reason why a fetch gave no file, and the destination of that file. */
export const trouble = signal<{ goal: Goal; text: string } | null>(null);

/** A fetched file that waits for a decision, because the text in the editor has unsaved changes. */
export const offered = signal<FetchLog | null>(null);

/** The page that was typed for the last fetch. It is tested when the file of its site arrives. */
let typedPage: string | null = null;

let running: AbortController | null = null;

/** Cancels the current fetch. */
export function cancelFetch(): void {
  running?.abort();
  running = null;
  fetching.value = false;
  announcement.value = FILE.fetchingCanceled;
}

/** Fetches the robots.txt of the site in the input field. */
export async function fetchSite(goal: Goal): Promise<void> {
  const url = toUrl(site.value.trim());
  if (url === null || url.startsWith("/")) {
    trouble.value = { goal, text: FILE.fetchingNoSite };
    return;
  }
  running?.abort();
  const abort = new AbortController();
  running = abort;
  typedPage = url.split("#")[0] ?? url;
  fetching.value = true;
  trouble.value = null;
  offered.value = null;
  try {
    const question = { url, body: true, ...(policy.value === "" ? {} : { policy: policy.value }) };
    const log = await ask<FetchLog>("/v1/fetch", question, abort.signal);
    if (abort.signal.aborted) return;
    batch(() => {
      fetchLog.value = log;
      if (goal === "editor") takeOrOffer(log);
      if (goal === "original") takeOriginal(log);
    });
    announcement.value = isRefusal(log)
      ? FILE.fetchingRefused
      : log.access === "rules"
        ? FILE.fetchingFetched(log.robots_url)
        : FILE.fetchingEvent(log.robots_url, log.event);
  } catch (error) {
    if (abort.signal.aborted) return;
    trouble.value = { goal, text: error instanceof Refusal ? error.message : SERVICE.unreadable };
  } finally {
    if (running === abort) fetching.value = false;
  }
}

/** Returns the page that was typed for a fetch; null if it is on another site than the fetched file. */
function pageOf(log: FetchLog): string | null {
  return typedPage !== null && siteOf(typedPage) === siteOf(log.origin) ? typedPage : null;
}

/** Returns true if the service's own rules forbade the request. That says nothing about the site. */
export function isRefusal(log: FetchLog): boolean {
  return log.row === "refused" && log.access !== "rules";
}

/** Puts a fetched file into the editor, or asks first if that would replace unsaved work. */
function takeOrOffer(log: FetchLog): void {
  const body = isRefusal(log) ? null : bodyOf(log);
  if (body === null || !isUnsaved() || toText(body).eq(draft.peek())) take(log);
  else offered.value = log;
}

/** Compares the editor's text with the offered file. */
export function compareOffered(log: FetchLog): void {
  batch(() => {
    offered.value = null;
    takeOriginal(log);
    view.value = "compare";
  });
}

/** Makes a fetched file the original of the comparison, and keeps the editor's text. */
function takeOriginal(log: FetchLog): void {
  const goal = "original";
  if (isRefusal(log)) {
    trouble.value = { goal, text: refusalWords(log) };
    return;
  }
  const body = bodyOf(log);
  if (body !== null) {
    original.value = remembered(log, toText(body));
  } else if (log.access === "allow-all") {
    // An empty file allows the same as a missing one.
    original.value = { text: toText(""), from: FILE.originalsMissing(log.robots_url, log.event), site: log.origin, at: log.fetched ?? new Date().toISOString() };
  } else {
    trouble.value = { goal, text: FILE.fetchingNoOriginal(log.robots_url, log.event) };
    return;
  }
  if (named.value === null) {
    // A draft that is compared with a site's file is probably for that site.
    judgeByDraft();
    named.value = log.origin;
    askAbout(log.origin, pageOf(log));
  }
}

/** Uses the result of a fetch for verdicts: the file, which goes into the editor, or the ruling without a file. */
export function take(log: FetchLog): void {
  if (isRefusal(log)) {
    trouble.value = { goal: "editor", text: refusalWords(log) };
    return;
  }
  const body = bodyOf(log);
  offered.value = null;
  replacing(FILE.replacedFetched(log.origin), () => {
    judgeByDraft();
    fileNumber.value += 1;
    if (agents.value.length === 0) agents.value = ["*"];
    const page = pageOf(log);
    const lists = askAbout(log.origin, page);
    // The reasons of the first verdict about the page are shown.
    if (page !== null && urls.value.includes(page)) chosen.value = { url: page, agent: agents.value[0] ?? "*" };
    if (body === null) {
      absent.value = { origin: log.origin, log, lists };
      return;
    }
    const text = toText(body);
    const file = typeof log.body === "string" ? { robots: log.body } : { robots_b64: log.body_b64 ?? "" };
    received.value = { text, file, log };
    named.value = log.origin;
    draft.value = text;
    original.value = remembered(log, text);
  });
}

/** The encoding of a file that is not UTF-8. */
export type Encoding = "utf-16" | "other";

/** Returns the encoding of a file; null if it is UTF-8. */
export function encodingOf(file: Received["file"]): Encoding | null {
  if ("robots" in file) return null;
  return utf16(fromBase64(file.robots_b64)) === null ? "other" : "utf-16";
}

/** Returns the fetched text; null if there is none. */
export function bodyOf(log: FetchLog): string | null {
  if (log.access !== "rules") return null;
  if (typeof log.body === "string") return log.body;
  return typeof log.body_b64 === "string" ? decode(fromBase64(log.body_b64)) : null;
}

/** Returns the size of a file that was too long to be read completely. It is exact if the site stated it. */
export function fullSize(log: FetchLog): string {
  const fields = new Map(log.steps.at(-1)?.fields ?? []);
  const said = Number(fields.get("content-length"));
  const isCoded = fields.has("content-encoding");
  return !isCoded && Number.isSafeInteger(said) && said > 512_000 ? count(said, "byte") : FILE.fetchingMoreThanRead;
}

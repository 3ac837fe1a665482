/** Fetching a site's file, when the person says so. */

import { batch, signal } from "@preact/signals";
import { ask, Refusal } from "./api";
import { agents, announcement, draft, original, policy, site, story, toText, toUrl, typed, urlsTyped } from "./state";
import type { Story } from "./types";

export const fetching = signal(false);

/** Why nothing could be asked. */
export const trouble = signal<string | null>(null);

let running: AbortController | null = null;

/** Where a fetched file goes: into the editor, to what the draft is compared with, or nowhere. */
export type Goal = "editor" | "original" | "story";

/** Fetches the site that is typed. */
export async function fetchSite(goal: Goal): Promise<void> {
  const url = toUrl(site.value.trim());
  if (url === null || url.startsWith("/")) {
    trouble.value = "Write a site such as example.com, or any URL on it.";
    return;
  }
  running?.abort();
  const abort = new AbortController();
  running = abort;
  fetching.value = true;
  trouble.value = null;
  try {
    const question = { url, body: true, ...(policy.value === "" ? {} : { policy: policy.value }) };
    const told = await ask<Story>("/v1/fetch", question, abort.signal);
    if (abort.signal.aborted) return;
    batch(() => {
      story.value = told;
      if (goal === "editor") take(told);
      if (goal === "original") takeOriginal(told);
    });
    announcement.value =
      told.access === "rules" ? `Fetched ${told.robots_url}.` : `${told.robots_url} ${told.event}.`;
  } catch (error) {
    if (abort.signal.aborted) return;
    trouble.value = error instanceof Refusal ? error.message : "The answer could not be read.";
  } finally {
    if (running === abort) fetching.value = false;
  }
}

/** Compares with a fetched file, and leaves the editor alone. */
function takeOriginal(told: Story): void {
  const body = bodyOf(told);
  if (body !== null) original.value = { text: toText(body), from: told.robots_url };
}

/** Puts a fetched file into the editor, and makes it what Compare compares with. */
export function take(told: Story): void {
  const body = bodyOf(told);
  if (body === null) return;
  const text = toText(body);
  batch(() => {
    draft.value = text;
    original.value = { text, from: told.robots_url };
    // The example's URLs are another site's: ask about this one.
    const here = typed.value.some(({ url }) => url !== null && (url.startsWith("/") || url.startsWith(told.origin)));
    if (!here) urlsTyped.value = `${told.origin}/\n`;
    if (agents.value.length === 0) agents.value = ["*"];
  });
}

/** Whether what the editor shows is not, octet by octet, what the site sent. */
export function isApproximate(told: Story): boolean {
  return told.access === "rules" && typeof told.body !== "string" && typeof told.body_b64 === "string";
}

/** The fetched text; null if there is none. */
export function bodyOf(told: Story): string | null {
  if (told.access !== "rules") return null;
  if (typeof told.body === "string") return told.body;
  if (typeof told.body_b64 !== "string") return null;
  const octets = Uint8Array.from(atob(told.body_b64), (c) => c.charCodeAt(0));
  const utf16 = octets[0] === 0xff && octets[1] === 0xfe ? "utf-16le" : octets[0] === 0xfe && octets[1] === 0xff ? "utf-16be" : null;
  return new TextDecoder(utf16 ?? "utf-8").decode(octets);
}

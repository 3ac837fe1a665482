/** The work of this tab, stored by the browser at any size, so that a reload loses nothing. */

import { effect } from "@preact/signals";
import { adopt, shared } from "./link";
import { isUnsure, remembered } from "./sides";
import { fromFields, toFields } from "./share";
import { agents, chosen, dialect, draft, original, site, urlsTyped, view } from "./state";
import { absent, named, received } from "./subject";
import type { FetchLog } from "./types";
import * as FILE from "./words/file";

const KEY = "work";

/** The milliseconds between saves while the user types. The work is also saved when the page is left. */
const SAVE_INTERVAL = 1_000;

let isChanged = false;

/** Saves the work. Returns false if the browser has no room for it. */
function keep(): boolean {
  if (!isChanged) return true;
  const found = received.value;
  const isAsSent = found !== null && found.text.eq(draft.value);
  const record = {
    hash: location.hash,
    fields: toFields(shared()),
    chosen: chosen.value,
    // The bytes of a file that is not UTF-8, and the facts about a fetched one.
    file: isAsSent && "robots_b64" in found.file ? found.file : null,
    log: isAsSent && found.log ? { ...found.log, body: null, body_b64: null } : null,
    isAsSent,
    // What it is and since when; links do not say it.
    original: original.value && { ...original.value, text: null, isChosen: !isUnsure.value },
  };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(record));
    return true;
  } catch {
    return false;
  }
}

/** Returns the saved work if it belongs to this address. */
function kept(): Record<string, unknown> | null {
  try {
    const record: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    if (typeof record !== "object" || record === null) return null;
    const found = record as Record<string, unknown>;
    return location.hash === "" || found["hash"] === location.hash ? found : null;
  } catch {
    return null;
  }
}

/** Restores the description of the text that the draft is compared with. */
function describe(saved: unknown): void {
  const before = original.peek();
  if (typeof saved !== "object" || saved === null || before === null) return;
  const { from, site, at, isChosen } = saved as Record<string, unknown>;
  if (typeof from !== "string") return;
  original.value = {
    text: before.text,
    from,
    ...(typeof site === "string" ? { site } : {}),
    ...(typeof at === "string" ? { at } : {}),
    isChosen: isChosen === true,
  };
}

/** Restores the work of this tab. Returns false if there is none. */
export function restore(): boolean {
  const record = kept();
  const found = record && fromFields(record["fields"]);
  if (!record || !found) return false;
  adopt(found, FILE.originalsSession);
  describe(record["original"]);
  const choice = record["chosen"] as { url?: unknown; agent?: unknown } | null;
  if (typeof choice?.url === "string" && typeof choice.agent === "string") {
    chosen.value = { url: choice.url, agent: choice.agent };
  }
  if (record["isAsSent"] === true) {
    const text = draft.peek();
    const file = record["file"] as { robots_b64?: unknown } | null;
    received.value = {
      text,
      file: typeof file?.robots_b64 === "string" ? { robots_b64: file.robots_b64 } : { robots: found.robots },
      log: (record["log"] ?? null) as FetchLog | null,
    };
    if (received.value.log) remembered(received.value.log, text);
  }
  isChanged = true;
  return true;
}

/** Saves the work from now on. If the browser has no room for it, the user has to confirm leaving the page. */
export function keepWork(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = true;
  effect(() => {
    void [draft.value, original.value, site.value, urlsTyped.value, agents.value, dialect.value, view.value];
    void [named.value, absent.value, received.value, chosen.value];
    if (first) {
      first = false;
      return;
    }
    isChanged = true;
    clearTimeout(timer);
    timer = setTimeout(keep, SAVE_INTERVAL);
  });
  addEventListener("pagehide", keep);
  addEventListener("beforeunload", (event) => {
    if (!keep()) event.preventDefault();
  });
}

/** The text that was replaced by another file, so that it can be restored. */

import type { Text } from "@codemirror/state";
import { batch, computed, signal } from "@preact/signals";
import { announcement, draft, fileNumber, type Original, original, urlsTyped } from "./state";
import { type Absent, absent, named, type Received, received, unchanged } from "./subject";
import * as FILE from "./words/file";

interface Former {
  text: Text;
  named: string | null;
  received: Received | null;
  absent: Absent | null;
  original: Original | null;
  urls: string;
  /** The text that replaced it. */
  after: Text;
  /** A description of that text, in words. */
  by: string;
}

const former = signal<Former | null>(null);

/** The text that was saved last, by a download or a copy. */
const saved = signal<Text | null>(null);

/** Returns true if the editor has a text that would be lost: changed and not saved. */
export function isUnsaved(): boolean {
  const text = draft.peek();
  return text.length > 0 && unchanged.peek()?.eq(text) !== true && saved.peek()?.eq(text) !== true;
}

/** Marks the text as saved. */
export function markSaved(): void {
  saved.value = draft.peek();
}

/** Makes a change that may put another text into the editor, and stores the former one. */
export function replacing(by: string, change: () => void): void {
  const [text, urls] = [draft.peek(), urlsTyped.peek()];
  const before = { named: named.peek(), received: received.peek(), absent: absent.peek(), original: original.peek() };
  batch(change);
  const after = draft.peek();
  if (!after.eq(text)) former.value = text.length === 0 ? null : { ...before, text, urls, after, by };
}

/** The description of the text that replaced the former one, until it is changed. */
export const replacedBy = computed<string | null>(() => {
  const found = former.value;
  return found && draft.value.eq(found.after) ? found.by : null;
});

/** Restores the former text. */
export function putBack(): void {
  const found = former.peek();
  if (!found) return;
  batch(() => {
    former.value = null;
    fileNumber.value += 1;
    named.value = found.named;
    received.value = found.received;
    absent.value = found.absent;
    original.value = found.original;
    urlsTyped.value = found.urls;
    draft.value = found.text;
  });
  announcement.value = FILE.replacedIsBack;
}

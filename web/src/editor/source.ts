/** The source of the editor's text, as part of its history: undoing a fetch also restores the former text's site. */

import { invertedEffects } from "@codemirror/commands";
import { Annotation, EditorState, type Extension, StateEffect, type Transaction } from "@codemirror/state";
import { batch } from "@preact/signals";
import { trouble } from "../fetching";
import { fileNumber, original } from "../state";
import { EXAMPLE_TEXT, forgetSource, judgeByDraft, named, type Received, received } from "../subject";
import * as FILE from "../words/file";

/** The site of a text, and the file as a site sent it. */
interface Source {
  named: string | null;
  received: Received | null;
}

const NONE: Source = { named: null, received: null };

/** Marks a text from a fetch or a link, which state the site of the file. */
const adopted = Annotation.define<boolean>();

const change = StateEffect.define<{ from: Source; to: Source }>();

/** The source of the text that the editor shows. */
let shown: Source = NONE;

function now(): Source {
  return { named: named.peek(), received: received.peek() };
}

/** Returns the annotations and effects of a transaction that puts a text from a fetch or a link into the editor. */
export function adopting(): { annotations: Annotation<boolean>; effects: StateEffect<{ from: Source; to: Source }> } {
  const [from, to] = [shown, now()];
  shown = to;
  return { annotations: adopted.of(true), effects: change.of({ from, to }) };
}

/** Updates the site of the text after edits. */
export function follow(transactions: readonly Transaction[]): void {
  for (const transaction of transactions) {
    if (transaction.annotation(adopted)) continue;
    if (isAnotherFile(transaction)) {
      forgetSource();
      trouble.value = null;
    } else if (transaction.docChanged) {
      judgeByDraft();
    }
    for (const effect of transaction.effects) {
      if (!effect.is(change)) continue;
      batch(() => {
        fileNumber.value += 1;
        named.value = effect.value.to.named;
        received.value = effect.value.to.received;
      });
    }
    // The example comes back by undoing, and with it what it is compared with.
    if (original.peek() === null && transaction.newDoc.eq(EXAMPLE_TEXT)) {
      original.value = { text: transaction.newDoc, from: FILE.originalsExample };
    }
    if (transaction.docChanged) shown = now();
  }
}

/** Returns true if a change of the user replaced the whole text: it was cleared, or another text was put over it. */
function isAnotherFile(transaction: Transaction): boolean {
  if (!transaction.docChanged || transaction.annotation(adopted)) return false;
  if (transaction.isUserEvent("undo") || transaction.isUserEvent("redo")) return false;
  if (transaction.newDoc.length === 0) return true;
  // Dictation and input methods replace a text as typing does. A fix is about the text that it changes.
  if (!transaction.isUserEvent("input") || transaction.isUserEvent("input.fix")) return false;
  const { length } = transaction.startState.doc;
  let isWhole = false;
  transaction.changes.iterChangedRanges((from, to) => (isWhole ||= from === 0 && to === length));
  return isWhole;
}

export const source: Extension = [
  EditorState.transactionExtender.of((transaction) =>
    isAnotherFile(transaction) ? { effects: change.of({ from: now(), to: NONE }) } : null,
  ),
  invertedEffects.of((transaction) =>
    transaction.effects
      .filter((effect) => effect.is(change))
      .map(({ value: { from, to } }) => change.of({ from: to, to: from })),
  ),
];

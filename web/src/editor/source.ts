/** Where the editor's text came from, as part of its history: undoing a fetch brings back the former text's site, too. */

import { invertedEffects } from "@codemirror/commands";
import { Annotation, EditorState, type Extension, StateEffect, type Transaction } from "@codemirror/state";
import { batch } from "@preact/signals";
import { trouble } from "../fetching";
import { forgetSource, judgeByDraft, named, type Received, received } from "../subject";

/** Whose file a text is taken for, and what a site sent. */
interface Source {
  named: string | null;
  received: Received | null;
}

const NONE: Source = { named: null, received: null };

/** Marks a text that came from elsewhere than the editor: from a fetch or a link, which say whose file it is. */
const adopted = Annotation.define<boolean>();

const change = StateEffect.define<{ from: Source; to: Source }>();

/** The source of the text that the editor shows. */
let shown: Source = NONE;

function now(): Source {
  return { named: named.peek(), received: received.peek() };
}

/** Returns what a transaction carries that puts a text from elsewhere into the editor. */
export function adopting(): { annotations: Annotation<boolean>; effects: StateEffect<{ from: Source; to: Source }> } {
  const [from, to] = [shown, now()];
  shown = to;
  return { annotations: adopted.of(true), effects: change.of({ from, to }) };
}

/** Tells what edits mean for the question whose file the text is. */
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
        named.value = effect.value.to.named;
        received.value = effect.value.to.received;
      });
    }
    if (transaction.docChanged) shown = now();
  }
}

/** Whether a change leaves nothing of the former text: a file was pasted over it, dropped on it, or it was cleared. */
function isAnotherFile(transaction: Transaction): boolean {
  if (!transaction.docChanged || transaction.annotation(adopted)) return false;
  if (transaction.isUserEvent("undo") || transaction.isUserEvent("redo")) return false;
  if (transaction.newDoc.length === 0) return true;
  if (!transaction.isUserEvent("input.paste") && !transaction.isUserEvent("input.drop")) return false;
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

/** The effect of an edit for all URLs and all crawlers: of a rule's removal, or of a fix. */

import type { Text } from "@codemirror/state";
import { ask } from "../api";
import { short } from "../escape";
import { dialect, wellFormed } from "../state";
import { positions } from "../offsets";
import type { DiffAnswer, DiffChange, Edit } from "../types";
import * as FILE from "../words/file";

/** The maximum number of steps of the comparison in each dialect. The answer has to be there while the user looks. */
const MAX_STEPS = 500_000;

/** The maximum number of changes in the sentence. The others are counted. */
const MAX_CHANGES = 2;

/** The maximum number of crawlers that are named. */
const MAX_NAMES = 3;

let known: { text: Text; dialect: string; found: Map<number, Promise<string>> } | null = null;

/** Returns the effect of removing a line, as a sentence. Each line of a text is asked about only once. */
export function effectOf(text: Text, line: number): Promise<string> {
  const read = dialect.peek();
  if (known?.text !== text || known.dialect !== read) known = { text, dialect: read, found: new Map() };
  const { found } = known;
  const asked = found.get(line);
  if (asked) return asked;
  const { from, to } = text.line(line);
  const all = text.toString();
  // A comment in its place keeps the numbers of all lines.
  const without = `${all.slice(0, from)}#${all.slice(to)}`;
  const answer = compare(text, without).then((found) => words(found, FILE.effectWithoutLine));
  found.set(line, answer);
  answer.catch(() => found.delete(line));
  return answer;
}

/** Returns the effect of a fix, as a sentence. */
export async function effectOfFix(text: Text, edits: Edit[]): Promise<string> {
  const all = wellFormed(text);
  const at = positions(all, edits.flatMap(({ span }) => [span.start, span.end]));
  const last = [...edits].sort((a, b) => b.span.start - a.span.start);
  const fixed = last.reduce((done, { span, text: put }) => done.slice(0, at.get(span.start)) + put + done.slice(at.get(span.end)), all);
  return words(await compare(text, fixed), FILE.effectWithFix);
}

function compare(text: Text, changed: string): Promise<DiffAnswer> {
  const read = dialect.peek();
  return ask<DiffAnswer>("/v1/diff", {
    old: wellFormed(text),
    new: changed.toWellFormed(),
    ...(read === "standard" ? {} : { dialects: [read] }),
    max_changes: MAX_CHANGES,
    budget: MAX_STEPS,
  });
}

function words({ changes, omitted, crawlers, undecided }: DiffAnswer, how: string): string {
  if (changes.length === 0 && undecided.length > 0) return FILE.effectTooLong(how);
  if (changes.length === 0) return FILE.effectNone(how);
  const shown = changes.slice(0, MAX_CHANGES);
  const more = changes.length - shown.length + (omitted?.allowed ?? 0) + (omitted?.blocked ?? 0);
  return FILE.effectChanges(how, shown.map((change) => changeWords(change, crawlers)), more, undecided.length > 0);
}

function changeWords({ to, witness, crawlers }: DiffChange, compared: string[]): string {
  return FILE.effectOnUrls[to](short(witness, 80), whom(crawlers, compared));
}

function whom(concerned: string[], compared: string[]): string {
  if (concerned.includes("*")) return FILE.effectEvery(compared.length - concerned.length);
  const names = concerned.slice(0, MAX_NAMES).map((name) => short(name, 40));
  return FILE.effectNames(names, concerned.length - names.length);
}

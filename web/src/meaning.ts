/** The comparison of the original and the draft for all URLs. */

import type { Text } from "@codemirror/state";
import { computed, effect, signal } from "@preact/signals";
import { live, type Question, rest } from "./live";
import { isUnsure } from "./sides";
import { dialect, draft, lit, original, view } from "./state";
import { absent, fileOf } from "./subject";
import type { DiffAnswer, DiffChange, DiffRule } from "./types";

export const isSame = computed(() => original.value?.text.eq(draft.value) === true);

/** The two texts of a comparison. */
export interface Texts {
  old: Text;
  new: Text;
}

/** The texts that are compared now; null if nothing is. */
const compared = computed<Texts | null>(() => {
  if (view.value !== "compare" || absent.value || isSame.value || isUnsure.value || original.value === null) return null;
  return { old: original.value.text, new: draft.value };
});

/** The maximum number of changes of each direction that the page asks for. The others are counted. */
const MAX_CHANGES = 20;

function side(name: "old" | "new", text: Text): Record<string, string> {
  const file = fileOf(text);
  return "robots" in file ? { [name]: file.robots } : { [`${name}_b64`]: file.robots_b64 };
}

export const difference = live<DiffAnswer>(
  computed<Question | null>(() => {
    const texts = compared.value;
    const read = dialect.value;
    if (texts === null) return null;
    // The standard is the usual choice. Then each crawler is compared as its operator reads the files.
    const dialects = read === "standard" ? {} : { dialects: [read] };
    return {
      path: "/v1/diff",
      size: texts.old.length + texts.new.length,
      subject: texts,
      body: () => ({ ...side("old", texts.old), ...side("new", texts.new), ...dialects, max_changes: MAX_CHANGES }),
    };
  }),
);

/** The texts of the last answer. */
export const answeredTexts = computed(() => difference.answered.value?.subject as Texts | undefined);

/** The texts whose lines are compared. They follow the draft after a pause in typing, because that is much work. */
export const settled = signal<Texts | null>(null);

effect(() => {
  const texts = compared.value;
  if (texts === null) {
    settled.value = null;
    return undefined;
  }
  const pause = settled.peek() === null ? 0 : rest(texts.old.length + texts.new.length);
  const timer = setTimeout(() => (settled.value = texts), pause);
  return () => clearTimeout(timer);
});

/** Returns what tells a change from the others of its answer. It has no lines, so that it stays when lines move. */
export function keyOf({ to, rule, witness, except, dialects, crawlers }: DiffChange): string {
  const patterns = [rule, ...except].map(({ file, pattern }) => [file, pattern]);
  return JSON.stringify([to, patterns, witness, dialects, crawlers]);
}

/**
 * The key of the change that the user points at or focuses. It is not the change itself: each answer has new objects, so
 * a late answer with the same changes would leave the focus on a change that is not pointed at any more.
 */
export const pointedKey = signal<string | null>(null);

const pointed = computed<DiffChange | null>(() => {
  const key = pointedKey.value;
  if (key === null) return null;
  return difference.answer.value?.changes.find((change) => keyOf(change) === key) ?? null;
});

/** The lines of the pointed change in both files; null while they may have moved. */
export const pointedLines = computed<{ old: Set<number>; new: Set<number> } | null>(() => {
  const change = pointed.value;
  if (!change || view.value !== "compare" || !difference.isCurrent.value) return null;
  const rules = [change.rule, ...change.narrowed_by, ...change.except.flatMap((except) => [except, ...except.unless])];
  const of = (file: DiffRule["file"]): Set<number> =>
    new Set(rules.flatMap((rule) => (rule.file === file && rule.line !== null ? [rule.line] : [])));
  return { old: of("old"), new: of("new") };
});

effect(() => {
  const lines = pointedLines.value;
  const change = pointed.peek();
  if (view.value !== "compare") return;
  if (!lines || !change) {
    lit.value = null;
    return;
  }
  const line = (change.rule.file === "new" ? change.rule.line : null) ?? 0;
  const others = [...lines.new].filter((other) => other !== line);
  lit.value = { line, allowed: change.to === "allowed", others };
});

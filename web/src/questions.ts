/** What is asked all the time, whatever view is open: verdicts for the table, and lints for the squiggles. */

import { computed, effect } from "@preact/signals";
import { findings } from "./editor/shown";
import { live, type Question } from "./live";
import { agents, chosen, dialect, draft, lit, origin, urls, view, wellFormed } from "./state";
import type { CheckAnswer, CheckRow, LintAnswer } from "./types";

/** More columns than a table has room for; `Matrix` takes all crawlers. */
export const MOST_AGENTS = 30;

/** The verdicts of the view Test. */
export const tested = live<CheckAnswer>(
  computed<Question | null>(() => {
    if (view.value !== "test" || urls.value.length === 0 || agents.value.length === 0) return null;
    const [text, of, who, read, whose] = [draft.value, urls.value, agents.value, dialect.value, origin.value];
    return {
      path: "/v1/check",
      size: text.length,
      body: () => ({
        robots: wellFormed(text),
        urls: of,
        agents: who.slice(0, MOST_AGENTS),
        dialect: read,
        ...(whose === null ? {} : { origin: whose }),
      }),
    };
  }),
);

/** The verdict that is explained: the chosen one, or the first. */
export const explained = computed<CheckRow | null>(() => {
  const rows = tested.answer.value?.answers ?? [];
  const wanted = chosen.value;
  return rows.find(({ url, agent }) => wanted?.url === url && wanted.agent === agent) ?? rows[0] ?? null;
});

const asked = computed(() => {
  const row = explained.value;
  return row === null ? null : JSON.stringify([row.url, row.agent]);
});

/** Its reasons. They name every rule of the group, so only one verdict's are asked for. */
export const reasons = live<CheckAnswer>(
  computed<Question | null>(() => {
    if (view.value !== "test" || asked.value === null) return null;
    const [url, agent] = JSON.parse(asked.value) as [string, string];
    const [text, read, whose] = [draft.value, dialect.value, origin.value];
    return {
      path: "/v1/check",
      size: text.length,
      body: () => ({
        robots: wellFormed(text),
        urls: [url],
        agents: [agent],
        dialect: read,
        explain: true,
        ...(whose === null ? {} : { origin: whose }),
      }),
    };
  }),
);

/** The explained verdict with its reasons, once they are there. */
export const reasoned = computed<CheckRow | null>(() => {
  const row = explained.value;
  const found = reasons.answer.value?.answers[0];
  return row && found && found.url === row.url && found.agent === row.agent ? found : null;
});

effect(() => {
  const row = explained.value;
  if (view.value !== "test" || !row || row.line === 0) {
    lit.value = null;
    return;
  }
  const second = reasoned.value?.explanation?.rules.find((rule) => rule.rank === 2)?.line ?? 0;
  const before = lit.peek();
  const allowed = row.allowed === true;
  if (before?.line === row.line && before.allowed === allowed && before.second === second) return;
  lit.value = { line: row.line, allowed, second };
});

let sent = draft.peek();

/** The lints of the draft. */
export const checked = live<LintAnswer>(
  computed<Question | null>(() => {
    const [text, whose] = [draft.value, origin.value];
    if (text.length === 0) return null;
    return {
      path: "/v1/lint",
      size: text.length,
      body: () => {
        sent = text;
        return { robots: wellFormed(text), ...(whose === null ? {} : { origin: whose }) };
      },
    };
  }),
  2,
);

effect(() => {
  const answer = checked.answer.value;
  if (answer) findings.value = { text: sent, list: answer.findings };
});
effect(() => {
  if (draft.value.length === 0) findings.value = { text: draft.value, list: [] };
});

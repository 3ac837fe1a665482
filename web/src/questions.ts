/** What is asked all the time, whatever view is open: verdicts for the table, and lints for the squiggles. */

import { computed, effect } from "@preact/signals";
import { findings } from "./editor/shown";
import { live, type Question } from "./live";
import { agents, chosen, dialect, draft, lit, urls, view, wellFormed } from "./state";
import { absent, basis, named, whose } from "./subject";
import type { CheckAnswer, CheckRow, LintAnswer } from "./types";

/** More columns than a table has room for; `Matrix` takes all crawlers. */
export const MOST_AGENTS = 30;

/** The verdicts of the view Test. */
export const tested = live<CheckAnswer>(
  computed<Question | null>(() => {
    if (view.value !== "test" || urls.value.length === 0 || agents.value.length === 0) return null;
    const [text, of, who, read] = [draft.value, urls.value, agents.value, dialect.value];
    const subject = absent.value;
    const by = basis(text, subject);
    if (by === null) return null;
    return {
      path: "/v1/check",
      size: text.length,
      subject,
      body: () => ({ ...by(), urls: of, agents: who.slice(0, MOST_AGENTS), dialect: read }),
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
    if (view.value !== "test" || asked.value === null || absent.value) return null;
    const [url, agent] = JSON.parse(asked.value) as [string, string];
    const [text, read] = [draft.value, dialect.value];
    const by = basis(text, null);
    if (by === null) return null;
    return {
      path: "/v1/check",
      size: text.length,
      body: () => ({ ...by(), urls: [url], agents: [agent], dialect: read, explain: true }),
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
  if (view.value !== "test" || absent.value || !row || row.line === 0 || tested.problem.value) {
    lit.value = null;
    return;
  }
  // An answer to a former question may name lines that are others by now. What is lit moves with the text.
  if (!tested.isCurrent.value || (!reasons.isCurrent.value && !reasons.problem.value)) return;
  const second = reasoned.value?.explanation?.rules.find((rule) => rule.rank === 2)?.line ?? 0;
  lit.value = { line: row.line, allowed: row.allowed === true, second };
});

let sent = draft.peek();

/** The lints of the draft. */
export const checked = live<LintAnswer>(
  computed<Question | null>(() => {
    const text = draft.value;
    // Beside a site whose file is missing, the text is nobody's but that of the site which was named for it.
    const site = absent.value ? named.value : whose.value.site;
    if (text.length === 0) return null;
    return {
      path: "/v1/lint",
      size: text.length,
      body: () => {
        sent = text;
        return { robots: wellFormed(text), ...(site === null ? {} : { origin: site }) };
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

/** Requests that are sent in every view: verdicts for the table, and lints for the editor. */

import type { Text } from "@codemirror/state";
import { computed, effect } from "@preact/signals";
import { findings } from "./editor/shown";
import { live, type Question } from "./live";
import { agents, chosen, crawlerOf, dialect, draft, findsMistakes, lit, service, urls, view, wellFormed } from "./state";
import { absent, basis, fileOf, named } from "./subject";
import type { AiAnswer, Answer, CheckAnswer, CheckRow, LintAnswer } from "./types";
import { mistakeWords, oddName } from "./words";
import * as TEST from "./words/test";

/** The maximum number of chosen crawlers in the views Compare and By engine; both also offer all known ones. */
export const MAX_AGENTS = 30;

/** The crawlers of the view Test. */
export const testedAgents = computed(() => agents.value.slice(0, service.value?.limits.agents ?? 200));

/** Returns the URLs that fit in one request with this number of crawlers. */
export function fittingUrls(crawlers: number): string[] {
  const { urls: most, questions } = service.value?.limits ?? { urls: 10_000, questions: 50_000 };
  return urls.value.slice(0, Math.min(most, Math.floor(questions / Math.max(crawlers, 1))));
}

/** Returns the approximate size of a request in bytes. Long lists are sent less often, too. */
function sizeOf(text: Text, of: string[], who: string[]): number {
  return text.length + 30 * of.length * who.length;
}

/** The verdicts of the view Test. */
export const tested = live<CheckAnswer>(
  computed<Question | null>(() => {
    if (view.value !== "test" || urls.value.length === 0 || agents.value.length === 0) return null;
    const [text, who, read] = [draft.value, testedAgents.value, dialect.value];
    const of = fittingUrls(who.length);
    const subject = absent.value;
    const by = basis(text, subject);
    if (by === null) return null;
    return {
      path: "/v1/check",
      size: sizeOf(text, of, who),
      subject,
      body: () => ({ ...by(), urls: of, agents: who, dialect: read }),
    };
  }),
);

/** The effect of the file on AI. */
export const ai = live<AiAnswer>(
  computed<Question | null>(() => {
    if ((view.value !== "ai" && view.value !== "overview") || absent.value || draft.value.length === 0) return null;
    const [text, read] = [draft.value, dialect.value];
    return { path: "/v1/ai", size: text.length, body: () => ({ ...fileOf(text), dialect: read }) };
  }),
);

/** The maximum number of verdicts of which the first is explained although none was chosen. */
const MAX_UNCHOSEN = 6;

/** The verdict that is explained: the chosen one, or else the first if there are only a few. */
export const explained = computed<CheckRow | null>(() => {
  const rows = tested.answer.value?.answers ?? [];
  const wanted = chosen.value;
  const found = rows.find(({ url, agent }) => wanted?.url === url && wanted.agent === agent);
  return found ?? (rows.length <= MAX_UNCHOSEN ? (rows[0] ?? null) : null);
});

/** Returns the number of verdicts of each kind, in words. */
export function summaryWords(rows: CheckRow[]): string {
  if (rows.length === 0) return "";
  const sure = rows.filter((row) => doubtOf(row) === null);
  const of = (answer: string): number => sure.filter((row) => row.answer === answer).length;
  const [yes, no, perhaps] = [of("allowed"), of("disallowed"), rows.length - sure.length];
  return TEST.verdictsWords(rows.length, yes, no, perhaps, sure.length - yes - no);
}

/** Returns the mistake in the deciding line if crawlers other than Google's may ignore the line for it; otherwise null. */
export function doubtOf({ agent, line, text }: CheckRow): string | null {
  const isOdd = line !== null && oddName(text ?? "") !== null && crawlerOf.value(agent)?.operator !== "Google";
  return isOdd ? mistakeWords(text ?? "") : null;
}

/** Returns the color and the sign of an answer. A doubtful one has neither those of "allowed" nor those of "blocked". */
export function lookOf(answer: Answer, doubt: string | null): { color: Answer | "partly"; sign: Answer | "perhaps" } {
  return doubt === null ? { color: answer, sign: answer } : { color: "partly", sign: "perhaps" };
}

const asked = computed(() => {
  const row = explained.value;
  return row === null ? null : JSON.stringify([row.url, row.agent]);
});

/** The reasons for the explained verdict only, because they contain every rule of the group. */
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

/** The explained verdict with its reasons; null until they have arrived. */
export const reasoned = computed<CheckRow | null>(() => {
  const row = explained.value;
  const found = reasons.answer.value?.answers[0];
  return row && found && found.url === row.url && found.agent === row.agent ? found : null;
});

effect(() => {
  const row = explained.value;
  if (view.value !== "test" || absent.value || !row || row.line === null || tested.problem.value) {
    lit.value = null;
    return;
  }
  // An outdated answer may contain line numbers that have changed. Highlighted lines move with the text.
  if (!tested.isCurrent.value || (!reasons.isCurrent.value && !reasons.problem.value)) return;
  const second = reasoned.value?.explanation?.rules.find((rule) => rule.rank === 2);
  lit.value = { line: row.line, allowed: row.allowed === true, others: second ? [second.line] : [] };
});

let sent = draft.peek();

/** The lints of the draft. */
export const checked = live<LintAnswer>(
  computed<Question | null>(() => {
    const text = draft.value;
    // The site of the first URL is only assumed, and a fix would write it into the file.
    const site = named.value;
    if (!findsMistakes.value || text.length === 0) return null;
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

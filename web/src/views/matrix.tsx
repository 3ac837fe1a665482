/** Dialects by crawlers: the cases in which readers of the same file get different answers, and the reasons. */

import { computed, signal } from "@preact/signals";
import { short } from "../escape";
import { live, type Question } from "../live";
import { AbsentFile } from "../parts/absent";
import { Answered, Empty, Problem, Prose, Scroll, Verdict, Waiting } from "../parts/bits";
import { MAX_AGENTS } from "../questions";
import { agents, crawlerOf, crawlers, draft, urls, view } from "../state";
import { absent, basis } from "../subject";
import type { MatrixAnswer, MatrixRow } from "../types";
import { capital, DIALECTS_READ, mistakeWords } from "../words";
import * as MATRIX from "../words/matrix";
import { OddLine, oddText } from "./reasoning";
import { Urls } from "./test";

const everyone = signal(false);
const onlyDifferent = signal(false);

/** The maximum number of rows that are shown. More are only counted. */
const MAX_ROWS = 300;

/** The maximum number of URLs. Each is checked for every crawler in every dialect. */
const MAX_URLS = 50;

const matrix = live<MatrixAnswer>(
  computed<Question | null>(() => {
    if (view.value !== "matrix" || urls.value.length === 0) return null;
    if (absent.value || (!everyone.value && agents.value.length === 0)) return null;
    const [text, of, all] = [draft.value, urls.value, everyone.value];
    const who = agents.value.slice(0, MAX_AGENTS);
    const by = basis(text, null);
    if (by === null) return null;
    return {
      path: "/v1/matrix",
      size: text.length,
      body: () => ({
        ...by(),
        urls: of.slice(0, MAX_URLS),
        ...(all ? { all_crawlers: true } : { agents: who }),
      }),
    };
  }),
);

export function MatrixView() {
  return (
    <>
      <p class="lead">{MATRIX.lead()}</p>
      <Urls />
      <div class="checks">
        <label class="check">
          <input type="checkbox" checked={everyone.value} onChange={(event) => (everyone.value = event.currentTarget.checked)} />
          <span>{MATRIX.all(crawlers.value.length)}</span>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={onlyDifferent.value}
            onChange={(event) => (onlyDifferent.value = event.currentTarget.checked)}
          />
          <span>{MATRIX.onlyDifferent}</span>
        </label>
      </div>
      <Results />
    </>
  );
}

function differs(row: MatrixRow): boolean {
  return new Set(Object.values(row.dialects).map(({ answer }) => answer)).size > 1;
}

function Results() {
  if (absent.value) {
    return (
      <AbsentFile missing={absent.value}>
        <p>{MATRIX.noFile}</p>
      </AbsentFile>
    );
  }
  if (urls.value.length === 0 || (!everyone.value && agents.value.length === 0)) {
    return (
      <Empty title={MATRIX.nothing}>
        <p>{MATRIX.nothingMore}</p>
      </Empty>
    );
  }
  const { answer, pending, problem } = matrix;
  if (!answer.value) return problem.value ? <Problem refusal={problem.value} /> : <Waiting />;
  const { rows } = answer.value;
  const different = rows.filter(differs);
  const shown = (onlyDifferent.value ? different : rows).slice(0, MAX_ROWS);
  const names = Object.keys(rows[0]?.dialects ?? {});
  const all = onlyDifferent.value ? different.length : rows.length;
  return (
    <div class="part" aria-busy={pending.value}>
      <Answered to={matrix}>
        <p class="summary">
          {different.length === 0
            ? MATRIX.agree(rows.length)
            : MATRIX.differ(different.length, rows.length)}
        </p>
        {matrix.isCurrent.value && (
          <OddLine
            lines={rows.flatMap(({ dialects }) => Object.values(dialects).map(({ line }) => line))}
            more={MATRIX.undocumented}
          />
        )}
        {urls.value.length > MAX_URLS && <p class="note">{MATRIX.firstUrls(MAX_URLS, urls.value.length)}</p>}
        {shown.length > 0 && (
          <Scroll label={MATRIX.table}>
            <table class="plain matrix">
              <thead>
                <tr>
                  <th scope="col">{MATRIX.question}</th>
                  {names.map((name) => (
                    <th key={name} scope="col">
                      {DIALECTS_READ[name] ?? name}
                    </th>
                  ))}
                </tr>
              </thead>
              {shown.map((row) => (
                <Row key={`${row.url} ${row.agent}`} row={row} names={names} />
              ))}
            </table>
          </Scroll>
        )}
        {all > MAX_ROWS && <p class="note">{MATRIX.more(all - MAX_ROWS)}</p>}
      </Answered>
    </div>
  );
}

function Row({ row, names }: { row: MatrixRow; names: string[] }) {
  const standard = row.dialects["standard"]?.answer;
  const isDifferent = differs(row);
  const operator = crawlerOf.value(row.agent)?.operator;
  return (
    <tbody class={isDifferent ? "different" : ""}>
      <tr>
        <th scope="row">
          <span class="url-path" dir="ltr">
            {short(row.url.replace(/^https?:\/\/[^/?#]*/, "") || "/", 120)}
          </span>
          <span class="agent-operator">
            {MATRIX.asker(row.agent === "*" ? MATRIX.anyone : short(row.agent, 60), operator)}
          </span>
        </th>
        {names.map((name) => {
          const verdict = row.dialects[name];
          // Google documents that it understands misspelled names.
          const odd = verdict && !name.startsWith("google") ? oddText(verdict.line) : null;
          return (
            <td key={name} class={verdict && verdict.answer !== standard ? "other" : ""}>
              {verdict && <Verdict answer={verdict.answer} line={verdict.line} doubt={odd === null ? null : mistakeWords(odd)} />}
            </td>
          );
        })}
      </tr>
      {row.differences.length > 0 && isDifferent && (
        <tr class="because">
          <td colSpan={names.length + 1}>
            {row.differences.map(({ dialect, because }) => (
              <p key={dialect}>
                <strong>{DIALECTS_READ[dialect] ?? dialect}:</strong> <Prose text={capital(because)} />.
              </p>
            ))}
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** The effect of the file on the crawlers of three uses: training, search, and agents. */

import { signal } from "@preact/signals";
import { choose, NO_TRAINING } from "../choices";
import { short } from "../escape";
import { AbsentFile } from "../parts/absent";
import { Answered, Empty, LineLink, Problem, Scroll, Sign, Stacked, Waiting } from "../parts/bits";
import { ai } from "../questions";
import { draft, view } from "../state";
import { absent } from "../subject";
import { OddLine, oddText } from "./reasoning";
import type { AiAnswer, AiRow, Use } from "../types";
import * as AI from "../words/ai";

/** The owner's wish, which decides what is good news. Without one, no answer is. */
const wish = signal<AI.Wish>("none");

/** Returns the wish for a use. Whoever wants search but no training says nothing about agents. */
function wishFor(use: Use): Exclude<AI.Wish, "split"> {
  if (wish.value !== "split") return wish.value;
  return use === "training" ? "out" : use === "search" ? "in" : "none";
}

/** Returns the class that colors the answers of a crawler. One that fetches for both cannot be good or bad news. */
function colorOf(use: Use, row: AiRow | undefined): string {
  return `wish-${wish.value === "split" && row && isForBoth(row) ? "none" : wishFor(use)}`;
}

function isForBoth({ uses, governed }: AiRow): boolean {
  return uses.includes("training") && uses.includes("search") && governed !== "control-token";
}

export function AiView() {
  if (absent.value) {
    return (
      <AbsentFile missing={absent.value}>
        <p>{AI.noFile}</p>
      </AbsentFile>
    );
  }
  const { answer, pending, problem } = ai;
  if (draft.value.length === 0) return <Empty title={AI.empty} />;
  if (!answer.value) return problem.value ? <Problem refusal={problem.value} /> : <Waiting />;
  const { crawlers, preferences, licenses } = answer.value;
  return (
    <section aria-label={AI.label} aria-busy={pending.value}>
      <Answered to={ai}>
        <p class="summary">{answer.value.headline.text}</p>
        <WishForm both={crawlers.filter(isForBoth)} />
        <div class="cards">
          {AI.uses.map(([use, title, meaning]) => (
            <Card key={use} use={use} title={title} meaning={meaning} rows={crawlers.filter((row) => row.uses.includes(use))} />
          ))}
        </div>
        {ai.isCurrent.value && <OddLine lines={crawlers.map(({ line }) => line)} />}
        <Preferences preferences={preferences} />
        {licenses.length > 0 && (
          <section aria-labelledby="licenses-title">
            <h2 id="licenses-title">{AI.licenses}</h2>
            <ul class="statements">
              {licenses.slice(0, 20).map(({ line, text }) => (
                <li key={line}>
                  <LineLink line={line} /> <code>{short(text, 300)}</code>
                </li>
              ))}
            </ul>
          </section>
        )}
        {AI.uses.map(([use, title]) => (
          <Table key={use} use={use} title={title} hasPreferences={preferences.length > 0} rows={crawlers.filter((row) => row.uses.includes(use))} />
        ))}
      </Answered>
    </section>
  );
}

/** The question what the owner wants. */
function WishForm({ both }: { both: AiRow[] }) {
  return (
    <fieldset class="choices goals">
      <legend>{AI.wish}</legend>
      {AI.wishes.map(([name, title]) => (
        <label key={name} class="check">
          <input type="radio" name="wish" checked={wish.value === name} onChange={() => (wish.value = name)} />
          {title}
        </label>
      ))}
      {wish.value === "split" && both.length > 0 && (
        <p class="note">{AI.wishBoth(both.length, short(both.map(({ token }) => token).join(", "), 200))}</p>
      )}
      {(wish.value === "out" || wish.value === "split") && (
        <button
          type="button"
          onClick={() => {
            choose(NO_TRAINING);
            view.value = "generate";
          }}
        >
          {AI.wishWrite}
        </button>
      )}
    </fieldset>
  );
}

/** Returns true if crawlers may ignore the line that decides, because it is misspelled. */
function isDoubtful({ line, operator }: AiRow): boolean {
  return operator !== "Google" && oddText(line) !== null;
}

type Reach = "allowed" | "partly" | "perhaps" | "unstated" | "disallowed" | "not-governed";

/** The preferences that refuse a use. */
const REFUSALS: Record<Use, { signals: string[]; uses: string[] }> = {
  training: { signals: ["ai-train"], uses: ["train-ai"] },
  search: { signals: ["search", "ai-input"], uses: ["search"] },
  agent: { signals: ["ai-input"], uses: [] },
};

/** Returns true if the file asks a crawler that may fetch not to use the pages for this. */
function isRefused({ is_for_ai, reach, content_signal, content_usage }: AiRow, use: Use): boolean {
  if (reach === "nothing" || reach === "not-governed") return false;
  // A search engine without AI puts nothing into a model.
  const signals = REFUSALS[use].signals.filter((key) => is_for_ai || key !== "ai-input");
  return (
    signals.some((key) => content_signal[key]?.says === false) ||
    REFUSALS[use].uses.some((label) => content_usage[label]?.says === "disallow")
  );
}

function reach(row: AiRow, use: Use): { answer: Reach; word: string } {
  const found = fetched(row);
  if (row.governed === "control-token") found.word = AI.reachToken(found.word);
  if (isDoubtful(row)) return { answer: "perhaps", word: AI.reachPerhaps(found.word) };
  return isRefused(row, use) ? { answer: "partly", word: AI.reachRefused(found.word, use) } : found;
}

/** Returns the part of the site that a crawler may fetch, whatever it does with that. */
function fetched(row: AiRow): { answer: Reach; word: string } {
  switch (row.reach) {
    case "all":
      return { answer: "allowed", word: AI.reachAll };
    case "most":
      // A few rules, for example for a cart or a search page, need no warning.
      return { answer: "allowed", word: AI.reachMost };
    case "some":
      return { answer: "partly", word: AI.reachSome };
    case "nothing":
      return { answer: "disallowed", word: AI.reachNothing };
    default:
      return { answer: "not-governed", word: AI.reachNotGoverned };
  }
}

function Card({ use, title, meaning, rows: all }: { use: Use; title: string; meaning: string; rows: AiRow[] }) {
  // The first sentence counts those that fetch for AI and obey the file. So these come first, and the others apart.
  const fetching = all.filter(({ governed }) => governed !== "control-token");
  const names = all.length - fetching.length;
  const obeying = fetching.filter(({ reach }) => reach !== "not-governed");
  const isForAi = ({ is_for_ai }: AiRow): boolean => is_for_ai;
  const [rows, engines] = [obeying.filter(isForAi), obeying.filter((row) => !isForAi(row))];
  const rest: [number, Reach, string][] = [
    [names, "unstated", AI.cardTokens(names)],
    [fetching.length - obeying.length, "not-governed", AI.cardNotGoverned(fetching.length - obeying.length)],
  ];
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="note">{meaning}</p>
      <Counted title={AI.cardCounted(rows.length)} parts={partsOf(rows, use)} color={colorOf(use, undefined)} />
      <Counted title={AI.cardEngines(engines.length)} parts={partsOf(engines, use)} color={colorOf(use, engines.find(isForBoth))} />
      <Counted title={AI.cardRest} parts={rest} color={colorOf(use, undefined)} />
      <Wish rows={[...rows, ...engines]} />
    </section>
  );
}

/** Numbers of crawlers, with a title that says which ones are counted. */
function Counted({ title, parts, color }: { title: string; parts: [number, Reach, string][]; color: string }) {
  const some = parts.filter(([number]) => number > 0);
  if (some.length === 0) return null;
  return (
    <>
      <p class="note">{title}</p>
      <ul class={color}>
        {some.map(([number, answer, words]) => (
          <li key={words} class={`verdict ${answer === "perhaps" ? "partly" : answer}`}>
            <Sign answer={answer} />
            <span>
              <strong>{number}</strong> {words}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns the numbers of crawlers with each answer. */
function partsOf(rows: AiRow[], use: Use): [number, Reach, string][] {
  const of = (reach: AiRow["reach"], refused = false): number =>
    rows.filter((row) => row.reach === reach && isRefused(row, use) === refused && !isDoubtful(row)).length;
  const fetches: [AiRow["reach"], Reach, string][] = [
    ["all", "allowed", AI.cardFetches.all],
    ["most", "allowed", AI.cardFetches.most],
    ["some", "partly", AI.cardFetches.some],
  ];
  return [
    ...fetches.map(([reach, answer, words]): [number, Reach, string] => [of(reach), answer, words]),
    ...fetches.map(([reach, , words]): [number, Reach, string] => [of(reach, true), "partly", AI.cardRefused(words, of(reach, true), use)]),
    [of("nothing"), "disallowed", AI.cardFetches.nothing],
    ...doubtful(rows),
  ];
}

/** Returns the numbers of crawlers whose deciding line is misspelled, by line and reach. */
function doubtful(rows: AiRow[]): [number, Reach, string][] {
  const found = new Map<string, number>();
  for (const row of rows.filter(isDoubtful)) {
    const words = AI.cardDoubtful(fetched(row).word, row.line, oddText(row.line) ?? "");
    found.set(words, (found.get(words) ?? 0) + 1);
  }
  return [...found].map(([words, number]) => [number, "perhaps", words]);
}

/** The file's preferences for the use of content, for these crawlers. */
function Wish({ rows }: { rows: AiRow[] }) {
  const said = new Map<string, number>();
  for (const row of rows) {
    const words = wishes(row);
    if (words !== "") said.set(words, (said.get(words) ?? 0) + 1);
  }
  if (said.size === 0) return null;
  return (
    <p class="note">
      {AI.cardAsks([...said].slice(0, 3).map(([words, number]) => [short(words, 100), number]), rows.length)}
    </p>
  );
}

function Preferences({ preferences }: { preferences: AiAnswer["preferences"] }) {
  return (
    <section aria-labelledby="preferences-title">
      <h2 id="preferences-title">{AI.preferencesTitle}</h2>
      <p class="note">{AI.preferencesLead()}</p>
      {preferences.length === 0 ? (
        <p class="note">{AI.preferencesNone()}</p>
      ) : (
        <ul class="statements">
          {preferences.slice(0, 40).map(({ line, text, agents, understood }) => (
            <li key={line}>
              <LineLink line={line} /> <code dir="ltr">{short(text, 300)}</code>
              <span class="note">
                {agents === null
                  ? AI.preferencesNoGroup
                  : AI.preferencesForWhom(short(agents.map((agent) => (agent === "*" ? AI.preferencesEveryone : agent)).join(", "), 200))}
                {!understood && AI.preferencesNotUnderstood}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function notes(row: AiRow): string {
  const said: string[] = [];
  if (row.reach === "most") said.push(AI.tableBlockRest(row.exceptions));
  const odd = isDoubtful(row) ? oddText(row.line) : null;
  if (odd !== null) said.push(AI.tableOdd(row.line, odd));
  if (row.line !== null && row.reach === "some") said.push(AI.tableLineBlocksRest(row.line));
  if (row.line !== null && row.reach === "nothing") said.push(AI.tableLineBlocksAll(row.line));
  if (row.reach === "some") said.push(AI.tableAllowSome(row.exceptions));
  if (row.basis === "star" && row.reach !== "not-governed") said.push(AI.tableByStar);
  const governed = AI.tableGoverned[row.governed];
  if (governed) said.push(governed);
  return said.join("; ");
}

function wishes(row: AiRow): string {
  const signals = Object.entries(row.content_signal).map(([key, { says }]) => (says ? AI.preferencesYes : AI.preferencesNo)(key));
  const uses = Object.entries(row.content_usage)
    .filter(([, { says }]) => says !== "unknown")
    .map(([label, { says }]) => (says === "allow" ? AI.preferencesYes : AI.preferencesNo)(label));
  // Both records may say the same.
  return [...new Set([...signals, ...uses])].join(", ");
}

/** Groups crawlers with the same answer into one row. */
function grouped(rows: AiRow[], use: Use): AiRow[][] {
  const byAnswer = new Map<string, AiRow[]>();
  for (const row of rows) {
    const key = [isForBoth(row), row.line, reach(row, use).word, wishes(row), notes(row)].join("\n");
    byAnswer.set(key, [...(byAnswer.get(key) ?? []), row]);
  }
  return [...byAnswer.values()];
}

function Table({ use, title, rows, hasPreferences }: { use: Use; title: string; rows: AiRow[]; hasPreferences: boolean }) {
  if (rows.length === 0) return <Empty title={AI.tableNone} />;
  const columns = AI.tableColumns;
  return (
    <div class="part">
      <h2>{title}</h2>
      <Scroll label={AI.tableLabel(title)}>
        <Stacked columns={[columns.crawler, columns.fetches, columns.preferences, columns.because]}>
          <tbody role="rowgroup">
            {grouped(rows, use).map((same) => {
              const row = same[0] as AiRow;
              const { answer, word } = reach(row, use);
              return (
                <tr key={row.token} role="row" class={colorOf(use, row)}>
                  <th scope="row" role="rowheader">
                    <ul class="alike">
                      {same.map(({ token, operator }) => (
                        <li key={token}>
                          <span class="agent-token">{short(token, 60)}</span>{" "}
                          <span class="agent-operator">{short(operator, 60)}</span>
                        </li>
                      ))}
                    </ul>
                  </th>
                  <td role="cell" data-name={columns.fetches}>
                    <span class={`verdict ${answer === "perhaps" ? "partly" : answer}`}>
                      <Sign answer={answer} />
                      <span class="word">{word}</span>
                    </span>
                    {row.line !== null && (
                      <>
                        {" "}
                        <LineLink line={row.line} />
                      </>
                    )}
                  </td>
                  <td role="cell" data-name={columns.preferences}>
                    {wishes(row) === "" ? (
                      <span class="note">{hasPreferences ? AI.tableNoneForIt : AI.tableNoPreference}</span>
                    ) : (
                      wishes(row)
                        .split(/(?<=,) /)
                        .map((wish) => (
                          <span key={wish} class="wish">
                            {short(wish, 60)}{" "}
                          </span>
                        ))
                    )}
                  </td>
                  <td role="cell" class="note">{notes(row)}</td>
                </tr>
              );
            })}
          </tbody>
        </Stacked>
      </Scroll>
    </div>
  );
}

/** The effect of the file on the crawlers of three uses: training, search, and agents. */

import { signal } from "@preact/signals";
import { short } from "../escape";
import { AbsentFile } from "../parts/absent";
import { Answered, Empty, LineLink, Problem, Scroll, Sign, Stacked, Waiting } from "../parts/bits";
import { ai } from "../questions";
import { draft } from "../state";
import { absent } from "../subject";
import { OddLine, oddText } from "./reasoning";
import type { AiAnswer, AiRow, Use } from "../types";
import { AI, count, mistakeWords } from "../words";

/** The owner's wish, which decides what is good news. Without one, no answer is. */
const wish = signal<"none" | "out" | "in">("none");

const USES: [Use, title: string, meaning: string][] = [
  ["training", "Training", "Models learn from what these fetch."],
  ["search", "Search", "Search engines, with and without AI, index what these fetch."],
  ["agent", "Agents", "Assistants fetch a page because a person asks them to."],
];

export function AiView() {
  if (absent.value) {
    return (
      <AbsentFile missing={absent.value}>
        <p>
          This applies to AI crawlers, too. Those that do not obey robots.txt decide themselves. There is no file that
          could state preferences for the use of content.
        </p>
      </AbsentFile>
    );
  }
  const { answer, pending, problem } = ai;
  if (draft.value.length === 0) return <Empty title={AI.empty} />;
  if (!answer.value) return problem.value ? <Problem refusal={problem.value} /> : <Waiting />;
  const { crawlers, preferences, licenses } = answer.value;
  return (
    <section aria-label="AI crawlers" aria-busy={pending.value} class={`wish-${wish.value}`}>
      <Answered to={ai}>
        <p class="summary">{answer.value.headline.text}</p>
        <WishForm />
        <div class="cards">
          {USES.map(([use, title, meaning]) => (
            <Card key={use} use={use} title={title} meaning={meaning} rows={crawlers.filter((row) => row.uses.includes(use))} />
          ))}
        </div>
        {ai.isCurrent.value && <OddLine lines={crawlers.map(({ line }) => line)} />}
        <Preferences preferences={preferences} />
        {licenses.length > 0 && (
          <section aria-labelledby="licenses-title">
            <h2 id="licenses-title">Licenses</h2>
            <ul class="statements">
              {licenses.slice(0, 20).map(({ line, text }) => (
                <li key={line}>
                  <LineLink line={line} /> <code>{short(text, 300)}</code>
                </li>
              ))}
            </ul>
          </section>
        )}
        {USES.map(([use, title]) => (
          <Table key={use} use={use} title={title} hasPreferences={preferences.length > 0} rows={crawlers.filter((row) => row.uses.includes(use))} />
        ))}
      </Answered>
    </section>
  );
}

/** The question what the owner wants. */
function WishForm() {
  return (
    <fieldset class="choices goals">
      <legend>{AI.wish}</legend>
      {AI.wishes.map(([name, title]) => (
        <label key={name} class="check">
          <input type="radio" name="wish" checked={wish.value === name} onChange={() => (wish.value = name)} />
          {title}
        </label>
      ))}
    </fieldset>
  );
}

/** Returns true if crawlers may ignore the line that decides, because it is misspelled. */
function isDoubtful({ line, operator }: AiRow): boolean {
  return operator !== "Google" && oddText(line) !== null;
}

type Reach = "allowed" | "partly" | "perhaps" | "unstated" | "disallowed" | "not-governed";

/** The preferences that refuse a use, and the use in words. */
const REFUSALS: Record<Use, { signals: string[]; uses: string[]; words: string }> = {
  training: { signals: ["ai-train"], uses: ["train-ai"], words: "train with it" },
  search: { signals: ["search", "ai-input"], uses: ["search"], words: "use it for search" },
  agent: { signals: ["ai-input"], uses: [], words: "answer with it" },
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
  if (row.governed === "control-token") found.word = AI.tokenReach(found.word.toLowerCase());
  if (isDoubtful(row)) return { answer: "perhaps", word: `Perhaps ${found.word.toLowerCase()}` };
  return isRefused(row, use) ? { answer: "partly", word: `${found.word}, but asked not to ${REFUSALS[use].words}` } : found;
}

/** Returns the part of the site that a crawler may fetch, whatever it does with that. */
function fetched(row: AiRow): { answer: Reach; word: string } {
  switch (row.reach) {
    case "all":
      return { answer: "allowed", word: "Everything" };
    case "most":
      // A few rules, for example for a cart or a search page, need no warning.
      return { answer: "allowed", word: "Most" };
    case "some":
      return { answer: "partly", word: "Little" };
    case "nothing":
      return { answer: "disallowed", word: "Nothing" };
    default:
      return { answer: "not-governed", word: "Does not obey" };
  }
}

function Card({ use, title, meaning, rows: all }: { use: Use; title: string; meaning: string; rows: AiRow[] }) {
  const rows = all.filter(({ governed }) => governed !== "control-token");
  const names = all.length - rows.length;
  const of = (reach: AiRow["reach"], refused = false): number =>
    rows.filter((row) => row.reach === reach && isRefused(row, use) === refused && !isDoubtful(row)).length;
  const asked = (number: number): string =>
    `, but ${number === 1 ? "is" : "are"} asked not to ${REFUSALS[use].words}`;
  const fetches: [AiRow["reach"], Reach, string][] = [
    ["all", "allowed", "may fetch everything"],
    ["most", "allowed", "may fetch most"],
    ["some", "partly", "may fetch little"],
  ];
  const parts: [number, Reach, string][] = [
    ...fetches.map(([reach, answer, words]): [number, Reach, string] => [of(reach), answer, words]),
    ...fetches.map(([reach, , words]): [number, Reach, string] => [of(reach, true), "partly", words + asked(of(reach, true))]),
    [of("nothing"), "disallowed", "may fetch nothing"],
    ...doubtful(rows),
    [names, "unstated", AI.tokens(names)],
    [of("not-governed"), "not-governed", of("not-governed") === 1 ? "does not obey the file" : "do not obey the file"],
  ];
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="note">{meaning}</p>
      <ul>
        {parts
          .filter(([number]) => number > 0)
          .map(([number, answer, words]) => (
            <li key={words} class={`verdict ${answer === "perhaps" ? "partly" : answer}`}>
              <Sign answer={answer} />
              <span>
                <strong>{number}</strong> {words}
              </span>
            </li>
          ))}
      </ul>
      <Wish rows={rows} />
    </section>
  );
}

/** Returns the numbers of crawlers whose deciding line is misspelled, by line and reach. */
function doubtful(rows: AiRow[]): [number, Reach, string][] {
  const found = new Map<string, number>();
  for (const row of rows.filter(isDoubtful)) {
    const odd = oddText(row.line);
    const words = `may fetch ${fetched(row).word.toLowerCase()}, if they understand line ${row.line}, which ${mistakeWords(odd ?? "")}`;
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
      The file also asks{" "}
      {[...said].slice(0, 3).map(([words, number], nth) => (
        <span key={words}>
          {nth > 0 && "; "}
          {number === rows.length ? "all of them" : count(number, "crawler")} for <strong>{short(words, 100)}</strong>
        </span>
      ))}
      . Few crawlers promise to respect that.
    </p>
  );
}

function Preferences({ preferences }: { preferences: AiAnswer["preferences"] }) {
  return (
    <section aria-labelledby="preferences-title">
      <h2 id="preferences-title">Preferences for content</h2>
      <p class="note">
        A preference asks how pages may be used after they were fetched: <em>search</em> is about search results,{" "}
        <em>ai-input</em> about answers of AI, and <em>ai-train</em> about training. It blocks nothing, and few crawlers
        promise to respect it.
      </p>
      {preferences.length === 0 ? (
        <p class="note">
          This file has none. An example: <code>Content-Signal: search=yes, ai-train=no</code>.
        </p>
      ) : (
        <ul class="statements">
          {preferences.slice(0, 40).map(({ line, text, agents, understood }) => (
            <li key={line}>
              <LineLink line={line} /> <code dir="ltr">{short(text, 300)}</code>
              <span class="note">
                {agents === null
                  ? " It is in no group, so it applies to no crawler."
                  : ` For ${short(agents.map((agent) => (agent === "*" ? "everyone without a group" : agent)).join(", "), 200)}.`}
                {!understood && " Not understood."}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const GOVERNED: Record<string, string> = {
  "may-bypass": "may ignore robots.txt",
  unstated: "does not promise to obey",
  "control-token": "only a name for rules: it fetches nothing itself",
};

function notes(row: AiRow): string {
  const said: string[] = [];
  if (row.reach === "most") said.push(`${count(row.exceptions, "rule")} ${row.exceptions === 1 ? "blocks" : "block"} the rest`);
  const odd = isDoubtful(row) ? oddText(row.line) : null;
  if (odd !== null) said.push(`line ${row.line} ${mistakeWords(odd)}, and may be ignored`);
  if (row.line !== null && (row.reach === "some" || row.reach === "nothing")) said.push(`line ${row.line} blocks ${row.reach === "some" ? "the rest" : "everything"}`);
  if (row.reach === "some") said.push(`${count(row.exceptions, "rule")} ${row.exceptions === 1 ? "allows" : "allow"} something`);
  if (row.basis === "star" && row.reach !== "not-governed") said.push("by the group for everyone");
  const governed = GOVERNED[row.governed];
  if (governed) said.push(governed);
  return said.join("; ");
}

function wishes(row: AiRow): string {
  const signals = Object.entries(row.content_signal).map(([key, { says }]) => `${key}: ${says ? "yes" : "no"}`);
  const uses = Object.entries(row.content_usage)
    .filter(([, { says }]) => says !== "unknown")
    .map(([label, { says }]) => `${label}: ${says === "allow" ? "yes" : "no"}`);
  return [...signals, ...uses].join(", ");
}

/** Groups crawlers with the same answer into one row. */
function grouped(rows: AiRow[], use: Use): AiRow[][] {
  const byAnswer = new Map<string, AiRow[]>();
  for (const row of rows) {
    const key = [row.line, reach(row, use).word, wishes(row), notes(row)].join("\n");
    byAnswer.set(key, [...(byAnswer.get(key) ?? []), row]);
  }
  return [...byAnswer.values()];
}

function Table({ use, title, rows, hasPreferences }: { use: Use; title: string; rows: AiRow[]; hasPreferences: boolean }) {
  if (rows.length === 0) return <Empty title="No crawlers are known for this" />;
  return (
    <div class="part">
      <h2>{title}</h2>
      <Scroll label={`${title}: crawlers`}>
        <Stacked columns={["Crawler", "May fetch", "Preferences", "Because"]}>
          <tbody role="rowgroup">
            {grouped(rows, use).map((same) => {
              const row = same[0] as AiRow;
              const { answer, word } = reach(row, use);
              return (
                <tr key={row.token} role="row">
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
                  <td role="cell" data-name="May fetch">
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
                  <td role="cell" data-name="Preferences">
                    {wishes(row) === "" ? (
                      <span class="note">{hasPreferences ? "none for it" : "none"}</span>
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

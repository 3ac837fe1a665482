/** Filtering, sorting and saving of long lists of verdicts. */

import { computed, signal } from "@preact/signals";
import { toCsv } from "../csv";
import { save } from "../files";
import { tested } from "../questions";
import { announcement } from "../state";
import type { Answer, CheckRow } from "../types";
import { answerWord } from "../words";
import * as TEST from "../words/test";

/** A URL with its verdicts, one for each crawler that is shown; null for a verdict that the filter hides. */
export interface UrlRows {
  url: string;
  cells: (CheckRow | null)[];
}

type Order = (typeof TEST.siftOrders)[number][0];

const answer = signal<Answer | "all">("all");
const words = signal("");
const order = signal<Order>("typed");

/** The maximum number of URLs of a list without filters. */
const MAX_UNSIFTED = 8;

const all = computed<UrlRows[]>(() => {
  const byUrl = new Map<string, UrlRows["cells"]>();
  for (const row of tested.answer.value?.answers ?? []) {
    const cells = byUrl.get(row.url);
    if (cells) cells.push(row);
    else byUrl.set(row.url, [row]);
  }
  return [...byUrl].map(([url, cells]) => ({ url, cells }));
});

const isLong = computed(() => all.value.length > MAX_UNSIFTED);

/** Returns the list with only the verdicts of this answer: without rows and columns that have none. */
function only(wanted: Answer, list: UrlRows[]): UrlRows[] {
  const found = list
    .map(({ url, cells }) => ({ url, cells: cells.map((cell) => (cell?.answer === wanted ? cell : null)) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  const columns = new Set(found.flatMap(({ cells }) => cells.flatMap((cell, nth) => (cell === null ? [] : [nth]))));
  return found.map(({ url, cells }) => ({ url, cells: cells.filter((_, nth) => columns.has(nth)) }));
}

/** The URLs and verdicts that are shown, in order. */
export const sifted = computed<UrlRows[]>(() => {
  if (!isLong.value) return all.value;
  const wanted = words.value.trim().toLowerCase();
  const named = wanted === "" ? [...all.value] : all.value.filter(({ url }) => url.toLowerCase().includes(wanted));
  const found = answer.value === "all" ? named : only(answer.value, named);
  const blocked = ({ cells }: UrlRows): number => cells.filter((cell) => cell?.answer === "disallowed").length;
  const line = ({ cells }: UrlRows): number => cells.find((cell) => cell?.line != null)?.line ?? Infinity;
  switch (order.value) {
    case "url":
      return found.sort((a, b) => (a.url < b.url ? -1 : 1));
    case "blocked":
      return found.sort((a, b) => blocked(b) - blocked(a));
    case "line":
      return found.sort((a, b) => (line(a) === line(b) ? 0 : line(a) - line(b)));
    default:
      return found;
  }
});

/** The verdicts that are shown. */
const shownRows = computed(() => sifted.value.flatMap(({ cells }) => cells.filter((cell) => cell !== null)));

/** The crawlers of the columns that are shown. */
export const columns = computed<string[]>(() => {
  const [first] = sifted.value;
  const agentOf = (nth: number): string => sifted.value.find(({ cells }) => cells[nth])?.cells[nth]?.agent ?? "";
  return first?.cells.map((cell, nth) => cell?.agent ?? agentOf(nth)) ?? [];
});

function saveCsv(): void {
  const rows = shownRows.value;
  save("verdicts.csv", new Blob([toCsv(rows)], { type: "text/csv" }));
  announcement.value = TEST.siftSaved(rows.length);
}

/** A button that saves the verdicts that are shown. */
function Csv() {
  return (
    <button type="button" class="quiet" disabled={tested.isStale.value || sifted.value.length === 0} onClick={saveCsv}>
      {TEST.siftCsv}
    </button>
  );
}

/** The same button below a short list. */
export function ShortCsv() {
  return isLong.value ? null : (
    <div class="row end">
      <Csv />
    </div>
  );
}

export function Sift() {
  if (!isLong.value) return null;
  const answers = new Set(all.value.flatMap(({ cells }) => cells.map((cell) => cell?.answer)));
  return (
    <div class="sift">
      <label>
        {TEST.siftShow}
        <select value={answer.value} onChange={(event) => (answer.value = event.currentTarget.value as Answer | "all")}>
          <option value="all">{TEST.siftAll}</option>
          {(["disallowed", "allowed", "not-governed", "out-of-scope"] as const)
            .filter((one) => answers.has(one) || answer.value === one)
            .map((one) => (
              <option key={one} value={one}>
                {answerWord(one)}
              </option>
            ))}
        </select>
      </label>
      <label>
        {TEST.siftSort}
        <select value={order.value} onChange={(event) => (order.value = event.currentTarget.value as Order)}>
          {TEST.siftOrders.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label class="grow">
        {TEST.siftContains}
        <input
          type="text"
          class="mono"
          autocapitalize="off"
          spellcheck={false}
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
      </label>
      <p class="note" role="status">
        {answer.value === "all"
          ? TEST.siftFound(sifted.value.length, all.value.length)
          : TEST.siftFoundOf(sifted.value.length, all.value.length, shownRows.value.length, answerWord(answer.value))}{" "}
        <Csv />
      </p>
    </div>
  );
}

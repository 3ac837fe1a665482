/** The table of verdicts, with the reasons of the chosen one below its row. */

import { signal, useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { reveal } from "../editor/editor";
import { short } from "../escape";
import { Scroll, Sign, Verdict } from "../parts/bits";
import { doubtOf, explained, lookOf, tested } from "../questions";
import { chosen, crawlerOf } from "../state";
import type { CheckRow } from "../types";
import { answerWord, ANYONE, oddName, ownRulesWords } from "../words";
import * as TEST from "../words/test";
import { OddName, Reasoning } from "./reasoning";
import { columns, sifted, type UrlRows } from "./sift";

/** The maximum number of crawlers with verdicts in words. With more, each verdict is a sign. */
const MAX_COLUMNS = 6;

/** The number of verdicts that are drawn at a time. */
const ROWS_PER_STEP = 1_500;

const most = signal(ROWS_PER_STEP);

/** The layout: columns of crawlers; on narrow screens rows of crawlers below each URL; or a grid of signs. */
type Form = "columns" | "stacked" | "compact";

export function VerdictTable() {
  const wide = useWide();
  const list = sifted.value;
  const names = columns.value;
  const shown = list.slice(0, Math.ceil(most.value / Math.max(names.length, 1)));
  const form: Form = names.length > MAX_COLUMNS ? "compact" : wide ? "columns" : "stacked";
  if (list.length === 0) return <p class="note">{TEST.verdictsNone}</p>;
  const odd = list.flatMap(({ cells }) => cells).find((row) => row && row.line !== null && oddName(row.text ?? "") !== null);
  // Without a chosen verdict, Tab moves to the first one.
  const now = explained.value;
  const isVisible = now !== null && shown.some(({ url }) => url === now.url);
  const first = isVisible ? null : (shown[0]?.cells.find((cell) => cell !== null) ?? null);
  const table = (
    <table
      class={`verdicts ${form}`}
      role="grid"
      aria-label={TEST.verdictsLabel}
      onKeyDown={arrows}
    >
      {form !== "stacked" && (
        <thead>
          <tr>
            <th scope="col">{TEST.verdictsUrl}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {form === "compact" ? <span class="upright">{name === "*" ? ANYONE : short(name, 40)}</span> : <AgentName name={name} />}
              </th>
            ))}
          </tr>
        </thead>
      )}
      {shown.map((row, nth) => (
        <Rows key={row.url} row={row} form={form} above={shown[nth - 1]?.url ?? ""} first={first} />
      ))}
    </table>
  );
  const own = ownRules(list);
  return (
    <>
      {own.length > 0 && <p class="note">{ownRulesWords(own.map((name) => short(name, 60)))}</p>}
      {odd && odd !== now && !tested.isStale.value && <OddName row={odd} />}
      {form === "compact" && (
        <p class="note legend">
          <Key answer="allowed" /> <Key answer="disallowed" /> <Key answer="not-governed" /> <Key answer="out-of-scope" />{" "}
          {list.some(({ cells }) => cells.some((row) => row && doubtOf(row) !== null)) && (
            <span class="verdict partly">
              <Sign answer="perhaps" /> {TEST.verdictsDoubtful}
            </span>
          )}{" "}
          {TEST.verdictsPress}
        </p>
      )}
      {form === "compact" ? (
        <Scroll label={TEST.verdictsByCrawler} kind="compact">
          {table}
        </Scroll>
      ) : (
        table
      )}
      {shown.length < list.length && (
        <button type="button" onClick={() => (most.value += ROWS_PER_STEP)}>
          {TEST.verdictsMore(list.length - shown.length)}
        </button>
      )}
    </>
  );
}

/** Returns the crawlers with groups of their own, if an answer differs from that of the group for everyone. */
function ownRules(list: UrlRows[]): string[] {
  const found = new Set<string>();
  for (const { cells } of list) {
    const star = cells.filter((row) => row?.basis === "star");
    for (const row of cells) {
      if (row?.basis === "own-token" && star.some((other) => other?.answer !== row.answer)) found.add(row.agent);
    }
  }
  return [...found];
}

function Key({ answer }: { answer: CheckRow["answer"] }) {
  return (
    <span class={`verdict ${answer}`}>
      <Sign answer={answer} /> {answerWord(answer)}
    </span>
  );
}

function Rows({ row: { url, cells }, form, above, first }: { row: UrlRows; form: Form; above: string; first: CheckRow | null }) {
  const kept = cells.filter((cell) => cell !== null);
  const name = <UrlName url={url} asked={kept[0]?.asked ?? url} above={above} />;
  const cell = (row: CheckRow) => <Cell row={row} isCompact={form === "compact"} isFirst={row === first} />;
  if (form === "stacked") {
    return (
      <tbody>
        <tr>
          <th scope="rowgroup" colSpan={2}>
            {name}
          </th>
        </tr>
        {kept.map((row) => (
          <Fragment key={row.agent}>
            <tr class="ask">
              <th scope="row">
                <AgentName name={row.agent} />
              </th>
              <td>{cell(row)}</td>
            </tr>
            <Why of={[row]} columns={2} />
          </Fragment>
        ))}
      </tbody>
    );
  }
  return (
    <tbody>
      <tr class="ask">
        <th scope="row">{name}</th>
        {cells.map((row, nth) => (
          <td key={nth}>{row === null ? <span class="note">{TEST.verdictsFiltered}</span> : cell(row)}</td>
        ))}
      </tr>
      <Why of={kept} columns={cells.length + 1} />
    </tbody>
  );
}

/** The reasons, if the explained verdict is in this row. */
function Why({ of, columns }: { of: CheckRow[]; columns: number }) {
  const now = explained.value;
  if (now === null || tested.isStale.value || !of.some((row) => row === now)) return null;
  return (
    <tr class="why">
      <td colSpan={columns}>
        <div class="why-box">
          <Reasoning />
        </div>
      </td>
    </tr>
  );
}

function useWide() {
  const media = matchMedia("(min-width: 640px)");
  const wide = useSignal(media.matches);
  useEffect(() => {
    const changed = (): void => {
      wide.value = media.matches;
    };
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, []);
  return wide.value;
}

function AgentName({ name }: { name: string }) {
  const operator = crawlerOf.value(name)?.operator;
  return (
    <span class="agent">
      <span class="agent-token">{name === "*" ? ANYONE : short(name, 60)}</span>
      {operator && <span class="agent-operator">{operator}</span>}
    </span>
  );
}

const HOST = /^(https?:\/\/[^/?#]*)(.*)$/i;

/** A URL. The path is more important; the host is shown only if it differs from the one above. */
function UrlName({ url, asked, above }: { url: string; asked: string; above: string }) {
  const found = HOST.exec(url);
  const isNew = found?.[1] !== HOST.exec(above)?.[1];
  return (
    <span class="url" dir="ltr">
      {found && <span class={isNew ? "url-host" : "unseen"}>{short(found[1] ?? "", 80)}</span>}
      <span class="url-path">{short(found ? found[2] || "/" : url, 160)}</span>
      {asked !== url && found?.[2] !== "" && <span class="url-asked">{TEST.verdictsAskedAs(short(asked, 160))}</span>}
    </span>
  );
}

function Cell({ row, isCompact, isFirst }: { row: CheckRow; isCompact: boolean; isFirst: boolean }) {
  const isChosen = explained.value === row;
  const choose = (event: Event): void => {
    const button = event.currentTarget as HTMLElement;
    chosen.value = { url: row.url, agent: row.agent };
    if (row.line !== null) reveal(row.line);
    // The reasons open below the row. This scrolls them into view, and keeps the row visible.
    requestAnimationFrame(() => {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const behavior = calm ? "auto" : "smooth";
      document.getElementById("reasoning")?.scrollIntoView({ block: "nearest", behavior });
      if (calm) button.scrollIntoView({ block: "nearest" });
    });
  };
  const differs = row.operator_answer ? TEST.verdictsOperator(short(row.operator_answer.operator, 40), answerWord(row.operator_answer.answer)) : null;
  const doubt = doubtOf(row);
  const { color, sign } = lookOf(row.answer, doubt);
  const words = TEST.verdictsAnswer(answerWord(row.answer, doubt !== null), row.line);
  return (
    <button
      type="button"
      class={row.operator_answer ? "cell differing" : "cell"}
      aria-pressed={isChosen}
      tabIndex={isChosen || isFirst ? 0 : -1}
      onClick={choose}
      title={isCompact ? TEST.verdictsSign(short(row.agent, 60), words, differs) : TEST.verdictsWhy}
    >
      {isCompact ? (
        <span class={`verdict ${color}`}>
          <Sign answer={sign} />
          <span class="unseen">{words}</span>
        </span>
      ) : (
        <>
          <Verdict answer={row.answer} line={row.line} doubt={doubt} />
          {differs && <span class="differs">{differs}</span>}
        </>
      )}
    </button>
  );
}

/** Returns the place of a verdict in its row. A filter hides some verdicts, but not their places. */
function columnOf(cell: Element | undefined): number {
  return cell?.closest("td")?.cellIndex ?? -1;
}

/** Handles keys: arrows move between the verdicts of the table, and Enter explains one. */
function arrows(event: KeyboardEvent & { currentTarget: HTMLTableElement }): void {
  const cells = [...event.currentTarget.querySelectorAll<HTMLElement>("button.cell")];
  const here = cells.indexOf(event.target as HTMLElement);
  if (here < 0) return;
  const isInColumn = (other: Element): boolean => columnOf(other) === columnOf(cells[here]);
  const to = {
    ArrowRight: () => cells[here + 1],
    ArrowLeft: () => cells[here - 1],
    ArrowDown: () => cells.slice(here + 1).find(isInColumn),
    ArrowUp: () => cells.slice(0, here).findLast(isInColumn),
    Home: () => cells[0],
    End: () => cells.at(-1),
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const cell = to();
  if (!cell) return;
  for (const other of cells) other.tabIndex = other === cell ? 0 : -1;
  cell.focus();
}

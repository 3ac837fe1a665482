/** URLs by crawlers: who may fetch what, and why. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { reveal } from "../editor/editor";
import { short } from "../escape";
import { CrawlerPicker } from "../parts/crawlers";
import { AbsentFile } from "../parts/absent";
import { Answered, Empty, Problem, Verdict, Waiting } from "../parts/bits";
import { changeSite } from "../parts/whose";
import { explained, MOST_AGENTS, tested } from "../questions";
import { agents, announcement, chosen, crawlerOf, MOST_URLS, typed, type Typed, urls, urlsTyped } from "../state";
import { absent, elsewhere, origin, siteOf } from "../subject";
import type { CheckRow } from "../types";
import { answerWord, count } from "../words";
import { Reasoning } from "./reasoning";

export function TestView() {
  return (
    <>
      <div class="asked">
        <Urls />
        <CrawlerPicker />
      </div>
      <Results />
    </>
  );
}

export function Urls() {
  const bad = typed.value.filter(({ url }) => url === null);
  const rows = Math.min(Math.max(urlsTyped.value.trimEnd().split("\n").length, 3), 8);
  return (
    <div class="field">
      <label for="urls">URLs, one on each line</label>
      <textarea
        id="urls"
        class="mono"
        rows={rows}
        spellcheck={false}
        autocapitalize="off"
        wrap="off"
        aria-describedby="urls-note"
        value={urlsTyped.value}
        onInput={(event) => (urlsTyped.value = event.currentTarget.value)}
      />
      <p id="urls-note" class={bad.length > 0 ? "note warn" : "note"}>
        {bad[0]
          ? badWords(bad[0], bad.length - 1)
          : typed.value.length > MOST_URLS
            ? `The first ${MOST_URLS} are tested. For longer lists there is the command comity batch.`
            : ""}
      </p>
      <Elsewhere />
    </div>
  );
}

/** Which lines of the list are left out, and why. */
function badWords({ text, why }: Typed, others: number): string {
  const more = others > 0 ? ` ${count(others, "more line")} ${others === 1 ? "is" : "are"} left out, too.` : "";
  if (why !== undefined) return `“${short(text, 60)}” is left out: ${short(why, 300)}.${more}`;
  return `“${short(text, 60)}” is no URL, and is left out: write https://host/path, or /path.${more}`;
}

/** The URLs that the file has no say about, since they are on other sites. */
function Elsewhere() {
  const [others, here] = [elsewhere.value, origin.value];
  if (others.length === 0 || here === null) return null;
  const sites = [...new Set(others.map(siteOf))];
  const more = sites.length > 2 ? `, and ${sites.length - 2} more` : "";
  return (
    <p class="note warn">
      {others.length === 1 ? "One URL is on another site" : `${others.length} URLs are on other sites`} (
      {short(sites.slice(0, 2).join(", "), 160)}
      {more}): a robots.txt of {short(here, 100)} has no say there.{" "}
      {!absent.value && (
        <button type="button" class="line-link" onClick={changeSite}>
          Change the file’s site
        </button>
      )}
    </p>
  );
}

function Results() {
  const { answer, pending, problem, isStale } = tested;
  const missing = absent.value;
  const found = tested.answered.value?.subject === missing ? answer.value : null;
  const rows = found?.answers ?? [];
  const said = summary(rows);
  useEffect(() => {
    if (said === "" || pending.value) return undefined;
    const timer = setTimeout(() => (announcement.value = said), 700);
    return () => clearTimeout(timer);
  }, [said, pending.value]);

  if (agents.value.length === 0) {
    return (
      <Empty title="Which crawlers?">
        <p>Choose one or more above: by name, by company, or a whole group such as AI training.</p>
      </Empty>
    );
  }
  if (urls.value.length === 0) {
    return (
      <Empty title="Which URLs?">
        <p>Write the URLs to test above, one on each line. A path such as /shop/ will do.</p>
      </Empty>
    );
  }
  if (missing && !missing.told) return <AbsentFile missing={missing} />;
  if (!found) {
    return (
      <>
        {missing && <AbsentFile missing={missing} />}
        {problem.value ? <Problem refusal={problem.value} /> : <Waiting />}
      </>
    );
  }
  return (
    <section class="results" aria-label="Verdicts" aria-busy={pending.value}>
      {missing && <AbsentFile missing={missing} />}
      <Answered to={tested}>
        <p class="summary">
          {said}
          {agents.value.length > MOST_AGENTS && ` The first ${MOST_AGENTS} crawlers are shown; Matrix takes all.`}
        </p>
        {found.size === "cut" && (
          <p class="note warn">The file is larger than crawlers must read: only its first 512,000 bytes count here.</p>
        )}
        <VerdictTable rows={rows} />
        {!isStale.value && <Reasoning />}
      </Answered>
    </section>
  );
}

function summary(rows: CheckRow[]): string {
  if (rows.length === 0) return "";
  const of = (answer: string): number => rows.filter((row) => row.answer === answer).length;
  const [yes, no] = [of("allowed"), of("disallowed")];
  const rest = rows.length - yes - no;
  return `${count(rows.length, "verdict")}: ${yes} allowed, ${no} blocked${rest > 0 ? `, ${rest} neither` : ""}.`;
}

/** The table's forms: a column for each crawler, or, where these have no room, a row for each below their URL. */
const WIDEST = 6;

/** More verdicts than a person reads, or a browser draws at once. */
const MOST_CELLS = 1_500;

function VerdictTable({ rows }: { rows: CheckRow[] }) {
  const wide = useWide();
  const names = [...new Set(rows.map(({ agent }) => agent))];
  const byUrl = new Map<string, CheckRow[]>();
  for (const row of rows) byUrl.set(row.url, [...(byUrl.get(row.url) ?? []), row]);
  const lines = [...byUrl].slice(0, Math.ceil(MOST_CELLS / names.length));
  const columns = wide && names.length <= WIDEST;
  return (
    <div class="verdicts-scroll">
      <table class={columns ? "verdicts columns" : "verdicts stacked"} role="grid" aria-label="Verdicts" onKeyDown={arrows}>
        {columns && (
          <thead>
            <tr>
              <th scope="col">URL</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  <AgentName name={name} />
                </th>
              ))}
            </tr>
          </thead>
        )}
        {lines.map(([url, cells], nth) =>
          columns ? (
            <tbody key={url}>
              <tr>
                <th scope="row">
                  <UrlName url={url} asked={cells[0]?.asked ?? url} above={lines[nth - 1]?.[0] ?? ""} />
                </th>
                {cells.map((row) => (
                  <td key={row.agent}>
                    <Cell row={row} />
                  </td>
                ))}
              </tr>
            </tbody>
          ) : (
            <tbody key={url}>
              <tr>
                <th scope="rowgroup" colSpan={2}>
                  <UrlName url={url} asked={cells[0]?.asked ?? url} above={lines[nth - 1]?.[0] ?? ""} />
                </th>
              </tr>
              {cells.map((row) => (
                <tr key={row.agent}>
                  <th scope="row">
                    <AgentName name={row.agent} />
                  </th>
                  <td>
                    <Cell row={row} />
                  </td>
                </tr>
              ))}
            </tbody>
          ),
        )}
      </table>
      {lines.length < byUrl.size && (
        <p class="note">The verdicts of {byUrl.size - lines.length} more URLs are counted above, but not shown.</p>
      )}
    </div>
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
      <span class="agent-token">{name === "*" ? "* (anyone)" : short(name, 60)}</span>
      {operator && <span class="agent-operator">{operator}</span>}
    </span>
  );
}

const HOST = /^(https?:\/\/[^/?#]*)(.*)$/i;

/** The path counts; the host is shown where it is another one than above. */
function UrlName({ url, asked, above }: { url: string; asked: string; above: string }) {
  const found = HOST.exec(url);
  const isNew = found?.[1] !== HOST.exec(above)?.[1];
  return (
    <span class="url" dir="ltr">
      {found && <span class={isNew ? "url-host" : "unseen"}>{short(found[1] ?? "", 80)}</span>}
      <span class="url-path">{short(found ? found[2] || "/" : url, 160)}</span>
      {asked !== url && found?.[2] !== "" && <span class="url-asked">asked as {short(asked, 160)}</span>}
    </span>
  );
}

function Cell({ row }: { row: CheckRow }) {
  const now = explained.value;
  const isChosen = now?.url === row.url && now.agent === row.agent;
  const choose = (): void => {
    chosen.value = { url: row.url, agent: row.agent };
    if (row.line > 0) reveal(row.line);
    if (matchMedia("(max-width: 999px)").matches) {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      document.getElementById("reasoning")?.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
    }
  };
  return (
    <button
      type="button"
      class="cell"
      aria-pressed={isChosen}
      tabIndex={isChosen ? 0 : -1}
      onClick={choose}
      title="Why?"
    >
      <Verdict answer={row.answer} line={row.line} />
      {row.operator_answer && (
        <span class="differs">
          As {short(row.operator_answer.operator, 40)} reads it: {answerWord(row.operator_answer.answer)}
        </span>
      )}
    </button>
  );
}

/** Arrows go through the table's verdicts, Enter explains one. */
function arrows(event: KeyboardEvent & { currentTarget: HTMLTableElement }): void {
  const cells = [...event.currentTarget.querySelectorAll<HTMLElement>("button.cell")];
  const here = cells.indexOf(event.target as HTMLElement);
  if (here < 0) return;
  const columns = event.currentTarget.classList.contains("columns")
    ? (event.currentTarget.querySelectorAll("thead th").length || 2) - 1
    : 1;
  const to = {
    ArrowRight: here + 1,
    ArrowLeft: here - 1,
    ArrowDown: here + columns,
    ArrowUp: here - columns,
    Home: 0,
    End: cells.length - 1,
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const cell = cells[to];
  if (!cell) return;
  for (const other of cells) other.tabIndex = other === cell ? 0 : -1;
  cell.focus();
}

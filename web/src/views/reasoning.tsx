/** The reasons for a verdict in plain sentences: the crawler, the group, the rules, and the rule that wins. */

import { short, visible } from "../escape";
import { Code, LineLink, Prose, Sign } from "../parts/bits";
import { takeFor } from "../parts/site-of-file";
import { doubtOf, explained, lookOf, reasoned, reasons, tested } from "../questions";
import { crawlerOf, dialect, draft } from "../state";
import { absent, fileSite, siteOf } from "../subject";
import type { CheckRow, Considered, FetchLog } from "../types";
import {
  absentTitle,
  absentWords,
  capital,
  count,
  DIALECTS,
  differenceWords,
  groupWords,
  mayWords,
  oddName,
  oddNameWords,
  patternWords,
  who,
  winnerWords,
} from "../words";

/** The maximum number of rules that are shown. More would not help. */
const MAX_RULES = 12;

export function Reasoning() {
  const row = explained.value;
  if (!row) return null;
  const why = reasoned.value;
  const doubt = doubtOf(row);
  const { color, sign } = lookOf(row.answer, doubt);
  return (
    <section id="reasoning" class={`reasoning ${color}`} aria-labelledby="reasoning-title">
      <h2 id="reasoning-title">
        <Sign answer={sign} />
        <span>
          {row.agent === "*" ? "A crawler that is not named" : short(row.agent, 80)}{" "}
          <em>
            {doubt !== null && "perhaps "}
            {mayWords(row.answer)}
          </em>{" "}
          <span class="reasoning-url" dir="ltr">
            {short(row.url, 200)}
          </span>
        </span>
      </h2>
      <p class="because-first">{mainReason(row, why)}</p>
      {row.text !== null && row.line !== null && (
        <p class="deciding">
          <LineLink line={row.line} />
          <Code text={row.text} />
        </p>
      )}
      <OddName row={row} />
      {row.operator_answer && (
        <p class="differs">
          <Prose text={row.operator_answer.sentence} most={600} />
        </p>
      )}
      <Why row={row} why={why} />
    </section>
  );
}

/** A note on a deciding line whose name is misspelled. */
export function OddName({ row, more = "" }: { row: Pick<CheckRow, "line" | "text">; more?: string }) {
  const words = row.line === null ? null : oddNameWords(row.line, row.text ?? "");
  return words === null ? null : <p class="note warn">{short(words, 400) + more}</p>;
}

/** Returns the text of a line of the draft if its name is misspelled; otherwise null. */
export function oddText(line: number | null): string | null {
  const text = draft.value;
  if (line === null || line > text.lines) return null;
  const said = text.line(line).text;
  return oddName(said) === null ? null : said;
}

/** The same note for views whose answers have only the numbers of the deciding lines. */
export function OddLine({ lines, more = "" }: { lines: (number | null)[]; more?: string }) {
  for (const line of new Set(lines)) {
    const said = oddText(line);
    if (line !== null && said !== null) return <OddName row={{ line, text: said }} more={more} />;
  }
  return null;
}

/** Returns the main reason in one or two sentences; an empty text until it is known. */
function mainReason(row: CheckRow, why: CheckRow | null): string {
  const log = absent.value?.log;
  const operator = short(crawlerOf.value(row.agent)?.operator ?? "its operator", 80);
  if (row.answer === "out-of-scope") {
    return "This file does not decide: a robots.txt applies only to the site from which it is fetched. With or without www, http and https: each is a site of its own.";
  }
  if (row.answer === "not-governed") {
    return `${capital(operator)} decides. To block this crawler, the web server has to refuse its requests; no line of a robots.txt can.`;
  }
  if (log) {
    return row.reason === "robots-txt"
      ? "The robots.txt itself may always be fetched."
      : `${absentTitle(log)}. No line decides.`;
  }
  return why?.explanation ? winnerWords(why, why.explanation) : "";
}

/** The reasons, depending on the kind of verdict. */
function Why({ row, why }: { row: CheckRow; why: CheckRow | null }) {
  const log = absent.value?.log;
  if (row.answer === "out-of-scope") return <OtherSite row={row} />;
  if (row.answer === "not-governed") return <NotBound row={row} />;
  if (log) return <NoFile row={row} log={log} />;
  if (why?.explanation) return <Steps row={why} />;
  const refusal = reasons.problem.value;
  if (!refusal) return <p class="note">Loading the reasons …</p>;
  return <p class="note warn">The reasons could not be loaded: {short(refusal.message, 300)}</p>;
}

/** The first step of all explanations. */
function WhoAsks({ row }: { row: CheckRow }) {
  return (
    <li>
      <h3>The crawler</h3>
      <p>{visible(who(short(row.agent, 80), crawlerOf.value(row.agent)))}</p>
    </li>
  );
}

/** The reason why the file does not apply to a URL: it belongs to another site. */
function OtherSite({ row }: { row: CheckRow }) {
  const mine = tested.answer.value?.origin;
  const other = siteOf(row.asked);
  if (!mine) return null;
  return (
    <ol class="steps">
      <WhoAsks row={row} />
      <li>
        <h3>The site of this file</h3>
        <p>
          {absent.value ? "The verdicts are for " : "The text is tested as the robots.txt of "}
          <Code text={mine} most={120} />
          {!absent.value && fileSite.value.isAssumed ? ", the site of the first URL." : "."}
        </p>
      </li>
      <li>
        <h3>The site of the URL</h3>
        <p>
          On <Code text={other} most={120} />, which has {differenceWords(mine, other)}. That makes it another site, with its
          own robots.txt: <Code text={`${other}/robots.txt`} most={140} />.
        </p>
      </li>
      {!absent.value && (
        <li>
          <h3>If the file is meant for that site</h3>
          <p>
            <button type="button" onClick={() => {
                takeFor(other);
                document.querySelector<HTMLElement>(".cell[tabindex='0']")?.focus();
              }}>
              Test it as the file of {short(other, 80)}
            </button>
          </p>
        </li>
      )}
    </ol>
  );
}

/** The reason why the file does not apply to a crawler: its operator states that it does not obey robots.txt. */
function NotBound({ row }: { row: CheckRow }) {
  const crawler = crawlerOf.value(row.agent);
  const operator = crawler?.operator ?? "its operator";
  return (
    <ol class="steps">
      <WhoAsks row={row} />
      <li>
        <h3>The group that applies</h3>
        <p>None, not even one that names it: {short(operator, 80)} says that this crawler does not obey robots.txt.</p>
        {crawler?.note && (
          <p class="note">
            <Prose text={capital(crawler.note)} />
          </p>
        )}
      </li>
      <li>
        <h3>The rules that match</h3>
        <p>No rule is checked.</p>
      </li>
    </ol>
  );
}

/** The reason for a verdict on a site without a file. */
function NoFile({ row, log }: { row: CheckRow; log: FetchLog }) {
  return (
    <ol class="steps">
      <WhoAsks row={row} />
      <li>
        <h3>What the site answered</h3>
        <p>
          <Code text={log.robots_url} most={120} /> {short(log.event, 160)}.
          {log.detail && ` In detail: ${short(log.detail, 300)}.`}
        </p>
      </li>
      <li>
        <h3>What that means</h3>
        <p>{absentWords(log)}</p>
        <details>
          <summary>Who says so?</summary>
          <p class="note">{capital(short(log.source, 300))}.</p>
        </details>
      </li>
    </ol>
  );
}

function Steps({ row }: { row: CheckRow }) {
  const why = row.explanation;
  if (!why) return null;
  const matching = why.rules.filter((rule) => rule.matches).sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  return (
    <ol class="steps">
      <WhoAsks row={row} />
      <li>
        <h3>The group that applies</h3>
        <p>{visible(groupWords(row.agent, row, why))}</p>
        {why.groups.length > 0 && (
          <p class="group-lines">
            {why.groups.slice(0, 8).map((group) => (
              <LineLink key={group.line} line={group.line}>
                {group.line} <Code text={`User-agent: ${group.value}`} most={60} />
              </LineLink>
            ))}
          </p>
        )}
      </li>
      {why.rules.length > 0 && (
        <li>
          <h3>The rules that match</h3>
          <p>
            {matching.length === 0 ? "None" : matching.length} of {count(why.rules.length, "rule")} in that group
            {matching.length === 1 ? " matches " : " match "}
            <Code text={why.path} most={160} />
            {matching.length > 0 && "."}
          </p>
          {matching.length > 0 && <Rules rules={matching} decides={row.line} />}
        </li>
      )}
      {(row.asked !== row.url || row.crawl_delay !== null || dialect.value !== "standard") && (
        <li>
          <h3>Good to know</h3>
          {row.asked !== row.url && (
            <p>
              Asked as <Code text={row.asked} />, which is what a browser makes of it.
            </p>
          )}
          {row.crawl_delay !== null && <p>It is asked to wait {row.crawl_delay} s between requests.</p>}
          {dialect.value !== "standard" && <p>Read as {DIALECTS[dialect.value]} reads it.</p>}
        </li>
      )}
    </ol>
  );
}

function Rules({ rules, decides }: { rules: Considered[]; decides: number | null }) {
  return (
    <table class="rules">
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">Rule</th>
          <th scope="col" class="number">
            Characters
          </th>
          <th scope="col">
            <span class="unseen">Part</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.slice(0, MAX_RULES).map((rule) => (
          <tr key={rule.line} class={rule.line === decides ? "wins" : ""}>
            <td>
              <LineLink line={rule.line}>{rule.line}</LineLink>
            </td>
            <td>
              <Code text={`${rule.kind === "allow" ? "Allow" : "Disallow"}: ${rule.value}`} most={120} />
              <span class="means">{short(patternWords(rule.pattern), 120)}</span>
            </td>
            <td class="number">{rule.priority}</td>
            <td>{rule.line === decides ? <strong>decides</strong> : rule.rank === 2 ? "runner-up" : ""}</td>
          </tr>
        ))}
      </tbody>
      {rules.length > MAX_RULES && (
        <tfoot>
          <tr>
            <td colSpan={4}>and {rules.length - MAX_RULES} more that match</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

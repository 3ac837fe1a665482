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
  DIALECTS,
  differenceWords,
  groupWords,
  mayWords,
  oddName,
  oddNameWords,
  patternWords,
  PERHAPS,
  ROBOTS_ITSELF,
  UNNAMED,
  who,
  winnerWords,
} from "../words";
import * as TEST from "../words/test";

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
          {TEST.reasonsTitle(
            row.agent === "*" ? UNNAMED : short(row.agent, 80),
            (doubt === null ? "" : PERHAPS) + mayWords(row.answer),
            <span class="reasoning-url" dir="ltr">
              {short(row.url, 200)}
            </span>,
          )}
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
  const operator = short(crawlerOf.value(row.agent)?.operator ?? TEST.reasonsOperator, 80);
  if (row.answer === "out-of-scope") {
    return TEST.reasonsOtherSite;
  }
  if (row.answer === "not-governed") {
    return TEST.reasonsNotGoverned(capital(operator));
  }
  if (log) {
    return row.reason === "robots-txt" ? ROBOTS_ITSELF : TEST.reasonsNoLine(absentTitle(log));
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
  if (!refusal) return <p class="note">{TEST.reasonsLoading}</p>;
  return <p class="note warn">{TEST.reasonsFailed(short(refusal.message, 300))}</p>;
}

/** The first step of all explanations. */
function WhoAsks({ row }: { row: CheckRow }) {
  return (
    <li>
      <h3>{TEST.reasonsCrawler}</h3>
      <p>{visible(who(short(row.agent, 80), crawlerOf.value(row.agent)))}</p>
    </li>
  );
}

/** The reason why the file does not apply to a URL: it belongs to another site. */
function OtherSite({ row }: { row: CheckRow }) {
  const mine = tested.answer.value?.origin;
  const other = siteOf(row.asked);
  if (!mine) return null;
  const words = absent.value ? TEST.elsewhereVerdictsFor : fileSite.value.isAssumed ? TEST.elsewhereAssumed : TEST.elsewhereTestedAs;
  return (
    <ol class="steps">
      <WhoAsks row={row} />
      <li>
        <h3>{TEST.elsewhereFileSite}</h3>
        <p>{words(<Code text={mine} most={120} />)}</p>
      </li>
      <li>
        <h3>{TEST.elsewhereUrlSite}</h3>
        <p>
          {TEST.elsewhereDiffers(<Code text={other} most={120} />, differenceWords(mine, other), <Code text={`${other}/robots.txt`} most={140} />)}
        </p>
      </li>
      {!absent.value && (
        <li>
          <h3>{TEST.elsewhereIfMeant}</h3>
          <p>
            <button type="button" onClick={() => {
                takeFor(other);
                document.querySelector<HTMLElement>(".cell[tabindex='0']")?.focus();
              }}>
              {TEST.elsewhereTest(short(other, 80))}
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
  const operator = crawler?.operator ?? TEST.reasonsOperator;
  return (
    <ol class="steps">
      <WhoAsks row={row} />
      <li>
        <h3>{TEST.reasonsGroup}</h3>
        <p>{TEST.reasonsNotBound(short(operator, 80))}</p>
        {crawler?.note && (
          <p class="note">
            <Prose text={capital(crawler.note)} />
          </p>
        )}
      </li>
      <li>
        <h3>{TEST.reasonsRules}</h3>
        <p>{TEST.reasonsNoRule}</p>
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
        <h3>{TEST.noFileAnswered}</h3>
        <p>
          {TEST.noFileEvent(<Code text={log.robots_url} most={120} />, short(log.event, 160), log.detail ? short(log.detail, 300) : null)}
        </p>
      </li>
      <li>
        <h3>{TEST.noFileMeaning}</h3>
        <p>{absentWords(log)}</p>
        <details>
          <summary>{TEST.reasonsWhoSays}</summary>
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
        <h3>{TEST.reasonsGroup}</h3>
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
          <h3>{TEST.reasonsRules}</h3>
          <p>{TEST.reasonsMatching(matching.length, why.rules.length, <Code text={why.path} most={160} />)}</p>
          {matching.length > 0 && <Rules rules={matching} decides={row.line} />}
        </li>
      )}
      {(row.asked !== row.url || row.crawl_delay !== null || dialect.value !== "standard") && (
        <li>
          <h3>{TEST.reasonsMore}</h3>
          {row.asked !== row.url && (
            <p>{TEST.reasonsAskedAs(<Code text={row.asked} />)}</p>
          )}
          {row.crawl_delay !== null && <p>{TEST.reasonsDelay(row.crawl_delay)}</p>}
          {dialect.value !== "standard" && <p>{TEST.reasonsReadAs(DIALECTS[dialect.value] ?? dialect.value)}</p>}
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
          <th scope="col">{TEST.rulesLine}</th>
          <th scope="col">{TEST.rulesRule}</th>
          <th scope="col" class="number">
            {TEST.rulesCharacters}
          </th>
          <th scope="col">
            <span class="unseen">{TEST.rulesPart}</span>
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
            <td>{rule.line === decides ? <strong>{TEST.rulesDecides}</strong> : rule.rank === 2 ? TEST.rulesSecond : ""}</td>
          </tr>
        ))}
      </tbody>
      {rules.length > MAX_RULES && (
        <tfoot>
          <tr>
            <td colSpan={4}>{TEST.rulesMore(rules.length - MAX_RULES)}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/** Why a verdict is what it is, in plain sentences: who asks, which group, which rules, which one wins. */

import { short, visible } from "../escape";
import { Code, LineLink, Sign } from "../parts/bits";
import { explained, reasoned } from "../questions";
import { crawlerOf, dialect } from "../state";
import type { CheckRow, Considered } from "../types";
import { count, DIALECTS, groupWords, mayWords, patternWords, who, winnerWords } from "../words";

/** Rules beyond these say nothing more. */
const MOST_RULES = 12;

export function Reasoning() {
  const row = explained.value;
  if (!row) return null;
  const why = reasoned.value;
  return (
    <section id="reasoning" class={`reasoning ${row.answer}`} aria-labelledby="reasoning-title">
      <h2 id="reasoning-title">
        <Sign answer={row.answer} />
        <span>
          {row.agent === "*" ? "A crawler that is not named" : short(row.agent, 80)} <em>{mayWords(row.answer)}</em>{" "}
          <span class="reasoning-url" dir="ltr">
            {short(row.url, 200)}
          </span>
        </span>
      </h2>
      {row.text !== null && row.line > 0 && (
        <p class="deciding">
          <LineLink line={row.line} />
          <Code text={row.text} />
        </p>
      )}
      {why?.explanation ? <Steps row={why} /> : <p class="note">The reasons are on their way.</p>}
    </section>
  );
}

function Steps({ row }: { row: CheckRow }) {
  const why = row.explanation;
  if (!why) return null;
  const matching = why.rules.filter((rule) => rule.matches).sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  const outside = row.reason === "not-governed" || row.reason === "out-of-scope";
  return (
    <ol class="steps">
      <li>
        <h3>Who asks</h3>
        <p>{visible(who(short(row.agent, 80), crawlerOf.value(row.agent)))}</p>
      </li>
      {!outside && (
        <li>
          <h3>Which group counts</h3>
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
      )}
      {!outside && why.rules.length > 0 && (
        <li>
          <h3>Which rules match</h3>
          <p>
            {matching.length === 0 ? "None" : matching.length} of {count(why.rules.length, "rule")} in that group
            {matching.length === 1 ? " matches " : " match "}
            <Code text={why.path} most={160} />
            {matching.length > 0 && "."}
          </p>
          {matching.length > 0 && <Rules rules={matching} decides={row.line} />}
        </li>
      )}
      <li>
        <h3>What decides</h3>
        <p>{winnerWords(row, why)}</p>
        {row.asked !== row.url && (
          <p class="note">
            Asked as <Code text={row.asked} />, which is what a browser makes of it.
          </p>
        )}
        {row.crawl_delay !== null && <p class="note">It is asked to wait {row.crawl_delay} s between requests.</p>}
        {dialect.value !== "standard" && <p class="note">Read as {DIALECTS[dialect.value]} reads it.</p>}
      </li>
    </ol>
  );
}

function Rules({ rules, decides }: { rules: Considered[]; decides: number }) {
  return (
    <table class="rules">
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">Rule</th>
          <th scope="col" class="number">
            Length
          </th>
          <th scope="col">
            <span class="unseen">Part</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.slice(0, MOST_RULES).map((rule) => (
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
      {rules.length > MOST_RULES && (
        <tfoot>
          <tr>
            <td colSpan={4}>and {rules.length - MOST_RULES} more that match</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/** The main sentence of the view Test, which comes first on the page. */

import { visible, short } from "../escape";
import { agents, draft, urls, view } from "../state";
import { doubtOf, explained, summaryWords, tested } from "../questions";
import { absent, received } from "../subject";
import { absentTitle, mayWords, statusMeaning } from "../words";
import { Sign } from "./bits";

export function AnswerBar() {
  if (view.value !== "test" || urls.value.length === 0 || agents.value.length === 0) return null;
  const missing = absent.value;
  if (missing && !missing.told) return null;
  const rows = tested.answered.value?.subject === missing ? (tested.answer.value?.answers ?? []) : [];
  if (rows.length === 0 && !missing) return null;
  const row = explained.value;
  const doubt = row && doubtOf(row);
  const isWebPage = received.value?.told?.looks_like_html === true && received.value.text.eq(draft.value) && rows.every(({ line }) => line === 0);
  return (
    <section class={tested.isStale.value ? "answer-bar stale" : "answer-bar"} aria-label="The answer" aria-busy={tested.pending.value}>
      {rows.length > 0 && (
        <p class="summary">
          {tested.isStale.value && tested.problem.value && "Before your last change: "}
          {summaryWords(rows)}
        </p>
      )}
      {missing?.told ? (
        <p class="main-answer">
          <strong>{absentTitle(missing.told)}:</strong> the site {short(missing.told.event, 120)}
          {statusMeaning(missing.told.status)}.
        </p>
      ) : (
        row &&
        !tested.isStale.value && (
          isWebPage && row.answer === "allowed" ? (
            <p class="main-answer">
              <strong>No robots.txt:</strong> the site sends a web page instead, so everything is allowed.
            </p>
          ) : (
          <p class={`main-answer verdict ${doubt === null ? row.answer : "partly"}`}>
            <Sign answer={doubt === null ? row.answer : "perhaps"} />
            <span>
              {row.agent === "*" ? "A crawler that is not named" : visible(short(row.agent, 60))} <em>{doubt !== null && "perhaps "}{mayWords(row.answer)}</em>{" "}
              <span class="mono" dir="ltr">
                {row.answer === "out-of-scope" ? short(row.url, 120) : short(row.url.replace(/^https?:\/\/[^/?#]*(?=.)/, "") || "/", 80)}
              </span>
              {row.line > 0 && `, by line ${row.line}`}
              {doubt !== null && `, which ${doubt}: crawlers may ignore it`}.
            </span>
          </p>
          )
        )
      )}
    </section>
  );
}

/** The main sentence of the view Test, which comes first on the page. */

import { facts } from "../editor/shown";
import { health } from "../api";
import { short } from "../escape";
import { agents, draft, fileNumber, urls, view } from "../state";
import { doubtOf, explained, lookOf, summaryWords, tested } from "../questions";
import { absent, received } from "../subject";
import type { CheckRow, FetchLog } from "../types";
import { absentTitle, mayWords, PERHAPS, statusMeaning, UNNAMED } from "../words";
import * as TEST from "../words/test";
import { Sign } from "./bits";

export function AnswerBar() {
  if (view.value !== "test" || urls.value.length === 0 || agents.value.length === 0) return null;
  const missing = absent.value;
  if (missing && !missing.log) return null;
  const isCurrent = tested.answered.value?.subject === missing;
  const rows = isCurrent ? (tested.answer.value?.answers ?? []) : [];
  if (rows.length === 0 && !missing) return null;
  const isStale = tested.isStale.value;
  return (
    <section
      class={isStale ? "answer-bar stale" : "answer-bar"}
      aria-label={TEST.mainLabel}
      aria-busy={tested.pending.value}
    >
      {!missing && <Open />}
      {rows.length > 0 && <Summary rows={rows} />}
      {missing?.log ? <Ruling log={missing.log} /> : !isStale && <MainAnswer rows={rows} />}
    </section>
  );
}

/** For whom the site is closed, if it is closed for somebody. */
function Open() {
  const known = facts.value;
  if (known?.file !== fileNumber.value || known.found.headline.tone === "good") return null;
  // While one types, the last sentence stays, without its color: if it vanished, the page below would jump.
  const isOld = known.text !== draft.value;
  if (isOld && health.value !== "up") return null;
  const { tone, text } = known.found.headline;
  return <p class={`open-words tone-${isOld ? "neutral" : tone}`}>{short(text, 400)}</p>;
}

/** The numbers of verdicts. */
function Summary({ rows }: { rows: CheckRow[] }) {
  return (
    <p class="summary">
      {tested.isStale.value && tested.problem.value && TEST.mainBefore}
      {summaryWords(rows)}
    </p>
  );
}

/** The main sentence about a site without a file. */
function Ruling({ log }: { log: FetchLog }) {
  return (
    <p class="main-answer">
      {TEST.mainMissing(absentTitle(log), short(log.event, 120), statusMeaning(log.status))}
    </p>
  );
}

/** The main sentence about the explained verdict. */
function MainAnswer({ rows }: { rows: CheckRow[] }) {
  const row = explained.value;
  if (!row) return null;
  if (row.answer !== "allowed" || !isWebPage(rows)) return <MainVerdict row={row} />;
  return (
    <p class="main-answer">{TEST.mainWebPage()}</p>
  );
}

/** Returns true if the draft is a web page that was sent as robots.txt, and no line of it decides. */
function isWebPage(rows: CheckRow[]): boolean {
  const file = received.value;
  return file?.log?.looks_like_html === true && file.text.eq(draft.value) && rows.every(({ line }) => line === null);
}

/** A verdict in one sentence, with its sign. */
function MainVerdict({ row }: { row: CheckRow }) {
  const doubt = doubtOf(row);
  const { color, sign } = lookOf(row.answer, doubt);
  return (
    <p class={`main-answer verdict ${color}`}>
      <Sign answer={sign} />
      <span>
        {TEST.mainVerdict(
          row.agent === "*" ? UNNAMED : short(row.agent, 60),
          (doubt === null ? "" : PERHAPS) + mayWords(row.answer),
          <span class="mono" dir="ltr">
            {row.answer === "out-of-scope" ? short(row.url, 120) : short(pathOf(row.url), 80)}
          </span>,
          row.line,
          doubt,
        )}
      </span>
    </p>
  );
}

/** Returns a URL without its scheme and host; "/" if it has nothing else. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*(?=.)/, "") || "/";
}

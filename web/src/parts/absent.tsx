/** The content of a view for a site without a file, and the effect of that. */

import type { ComponentChildren } from "preact";
import { short } from "../escape";
import { fetching, fetchSite } from "../fetching";
import { site, view } from "../state";
import type { Absent } from "../subject";
import { absentTitle, absentWords, statusMeaning } from "../words";
import * as PARTS from "../words/parts";
import { Sign } from "./bits";
import { testDraft } from "./site-of-file";

/** Shows the ruling for the site. `children` describe its effect on the view. */
export function AbsentFile({ missing, children }: { missing: Absent; children?: ComponentChildren }) {
  const { log, origin } = missing;
  if (!log) {
    return (
      <div class="empty">
        <p class="empty-title">{PARTS.absentUnknown(short(origin, 100))}</p>
        <p>{PARTS.absentSince}</p>
        <div class="row">
          <button
            type="button"
            class="primary"
            disabled={fetching.value}
            onClick={() => {
              site.value = origin;
              void fetchSite("editor");
            }}
          >
            {fetching.value ? PARTS.absentFetching : PARTS.absentAgain}
          </button>
          <button type="button" onClick={testDraft}>
            {PARTS.absentTestText}
          </button>
        </div>
      </div>
    );
  }
  const answer = log.access === "allow-all" ? "allowed" : "partly";
  return (
    <div class={`meaning ${answer}`}>
      <h2>
        <Sign answer={answer} /> {absentTitle(log)}
      </h2>
      <p>
        {PARTS.absentEvent(
          <span class="mono" dir="ltr">
            {short(log.robots_url, 120)}
          </span>,
          short(log.event, 160),
          statusMeaning(log.status),
          absentWords(log),
        )}
      </p>
      {children}
      <div class="row">
        <button type="button" onClick={() => (view.value = "fetch")}>
          {PARTS.absentSee}
        </button>
        <button type="button" class="quiet" onClick={testDraft}>
          {PARTS.absentTestText}
        </button>
      </div>
    </div>
  );
}

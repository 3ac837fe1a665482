/** The first view: one page of answers, each with the view that proves it. The parts load by themselves. */

import { isStatic } from "#transport";
import { computed } from "@preact/signals";
import { health } from "../api";
import type { Demand } from "../demand";
import { facts } from "../editor/shown";
import { short } from "../escape";
import { EXAMPLE } from "../example";
import type { Live } from "../live";
import { Prose, Sign } from "../parts/bits";
import { changeSite } from "../parts/site-of-file";
import { ai, checked } from "../questions";
import { askSite, history, isAsked, page, siteToAsk, sitemaps, sitemapsText, variants } from "../site-answers";
import { draft, fileNumber, findsMistakes, service, toText, type View, view } from "../state";
import { absent, origin, received } from "../subject";
import type { Headline } from "../types";
import { absentTitle, statusMeaning, VIEW_TITLES } from "../words";
import * as OVERVIEW from "../words/overview";

/** The state of a part. */
type State =
  | { kind: "answer"; headline: Headline; isOld?: boolean }
  | { kind: "loading" }
  /** There is no answer, for this reason. */
  | { kind: "none"; why: string };

const EXAMPLE_TEXT = toText(EXAMPLE);

const isExample = computed(() => absent.value === null && draft.value.eq(EXAMPLE_TEXT));

const loading: State = { kind: "loading" };
const none = (why: string): State => ({ kind: "none", why });

/** Returns the state of a part that is asked while the user types. */
function ofLive(to: Live<{ headline: Headline }>): State {
  const { answer, isStale, isFormer, problem } = to;
  if (problem.value) return none(problem.value.trouble === "refused" ? OVERVIEW.failed(short(problem.value.message, 200)) : OVERVIEW.noService);
  if (!answer.value || isFormer.value) return loading;
  return { kind: "answer", headline: answer.value.headline, isOld: isStale.value };
}

/** Returns the state of a part that is asked once for each file. `pick` returns its headline. */
function ofDemand<T>(from: Demand<T>, pick: (answer: T) => Headline | undefined, otherwise: string): State {
  if (!isAsked.value) return none(notAsked());
  if (from.pending.value) return loading;
  if (from.problem.value) return none(OVERVIEW.failed(short(from.problem.value.message, 200)));
  if (from.answer.value === null) return none(otherwise);
  const headline = pick(from.answer.value);
  return headline ? { kind: "answer", headline } : none(otherwise);
}

/** Returns the reason why the site was not asked. */
function notAsked(): string {
  if (isStatic) return OVERVIEW.notHere;
  if (service.value?.fetches === false) return OVERVIEW.offline;
  return siteToAsk.value === null ? OVERVIEW.needsSite : OVERVIEW.notAsked;
}

/** Returns for whom the site is open. The answer to a fetch already has the sentence. */
function open(): State {
  const missing = absent.value;
  if (missing) {
    if (!missing.log) return none(OVERVIEW.notAsked);
    const { log } = missing;
    const text = OVERVIEW.missing(absentTitle(log), short(log.event, 160), statusMeaning(log.status));
    return { kind: "answer", headline: { tone: log.access === "allow-all" ? "neutral" : "bad", text } };
  }
  if (draft.value.length === 0) return { kind: "answer", headline: { tone: "neutral", text: OVERVIEW.emptyFile } };
  const fetched = received.value;
  if (fetched?.log && fetched.text.eq(draft.value)) return { kind: "answer", headline: fetched.log.headline };
  const known = facts.value;
  if (known && known.file === fileNumber.value) {
    return { kind: "answer", headline: known.found.headline, isOld: known.text !== draft.value };
  }
  return health.value === "up" ? loading : none(OVERVIEW.noService);
}

function mistakes(): State {
  if (absent.value) return none(OVERVIEW.noFile);
  if (!findsMistakes.value) return none(OVERVIEW.notOpened);
  return draft.value.length === 0 ? none(OVERVIEW.emptyFile) : ofLive(checked);
}

function ofAi(): State {
  if (absent.value) return none(OVERVIEW.noFile);
  // An empty text is not sent.
  return draft.value.length === 0 ? none(OVERVIEW.emptyFile) : ofLive(ai);
}

function ofSitemaps(): State {
  if (absent.value) return none(OVERVIEW.noFile);
  const state = ofDemand(sitemaps, ({ headline }) => headline, OVERVIEW.noFile);
  return state.kind === "answer" ? { ...state, isOld: sitemapsText.value?.eq(draft.value) === false } : state;
}

const PARTS: [key: keyof typeof OVERVIEW.parts, view: View, state: () => State][] = [
  ["open", "test", open],
  ["mistakes", "lint", mistakes],
  ["sitemaps", "sitemaps", ofSitemaps],
  ["ai", "ai", ofAi],
  ["page", "page", () => ofDemand(page, ({ headline }) => headline, "")],
  ["files", "page", () => ofDemand(page, (found) => found.resources_headline, OVERVIEW.noFiles)],
  ["addresses", "fetch", () => ofDemand(variants, ({ headline }) => headline, "")],
  ["changes", "fetch", () => ofDemand(history, ({ headline }) => headline, "")],
];

export function OverviewView() {
  const site = origin.value;
  return (
    <section class="overview" aria-label={VIEW_TITLES.overview}>
      {isExample.value ? (
        <div class="empty">
          <p class="empty-title">{OVERVIEW.ask}</p>
          <p>{isStatic ? OVERVIEW.askMoreStatic : OVERVIEW.askMore}</p>
        </div>
      ) : (
        <>
          <h2>{site === null ? OVERVIEW.ofText : OVERVIEW.of(short(site, 100))}</h2>
          <p class="lead">{OVERVIEW.lead}</p>
        </>
      )}
      <dl class="parts">
        {PARTS.map(([key, to, state]) => (
          <Part key={key} title={OVERVIEW.parts[key]} to={to} state={state()} />
        ))}
      </dl>
      {!isExample.value && !isAsked.value && !isStatic && service.value?.fetches !== false && <Ask />}
    </section>
  );
}

/** A button that asks the site of a text that was not fetched, after the user named the site. */
function Ask() {
  return siteToAsk.value === null ? (
    <button type="button" onClick={changeSite}>
      {OVERVIEW.nameSite}
    </button>
  ) : (
    <button type="button" class="primary" onClick={askSite}>
      {OVERVIEW.askSite}
    </button>
  );
}

const SIGNS = { good: "allowed", bad: "disallowed", caution: "perhaps", neutral: "unstated" } as const;

function Part({ title, to, state }: { title: string; to: View; state: State }) {
  return (
    <div class={state.kind === "answer" && state.isOld ? "part-row stale" : "part-row"} aria-busy={state.kind === "loading"}>
      <dt>{title}</dt>
      <dd>
        {state.kind === "loading" && <span class="note">{OVERVIEW.loading}</span>}
        {state.kind === "none" && <span class="note">{state.why}</span>}
        {state.kind === "answer" && (
          <p class={`verdict tone-${state.headline.tone}`}>
            <Sign answer={SIGNS[state.headline.tone]} />
            <span class="told">
              <Prose text={state.headline.text} most={600} />
              {state.isOld && <span class="note"> {OVERVIEW.former}</span>}
            </span>
          </p>
        )}
        {state.kind === "answer" && (
          <button type="button" class="quiet" onClick={() => (view.value = to)}>
            {OVERVIEW.see(VIEW_TITLES[to])}
          </button>
        )}
      </dd>
    </div>
  );
}

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
import { askSite, history, isAsked, page, pageAsked, sinceFirst, siteToAsk, sitemaps, sitemapsText, variants } from "../site-answers";
import { compareWithEarlier, earlierFile } from "../sides";
import { draft, fileNumber, findsMistakes, service, toText, type View, view } from "../state";
import { absent, isFrontPage, named, received, siteOf } from "../subject";
import type { Headline, PageAnswer } from "../types";
import { absentTitle, statusMeaning, VIEW_TITLES, when } from "../words";
import * as OVERVIEW from "../words/overview";

/** The state of a part. */
type State =
  /** `isOld`: it is about another text, which `former` names; by default that before the user's changes. */
  | { kind: "answer"; headline: Headline; isOld?: boolean; former?: string; but?: string; proof?: Proof }
  | { kind: "loading" }
  /** There is no answer, for this reason. */
  | { kind: "none"; why: string };

/** The view that proves an answer, if it is not that of the part, and what it has to show. */
interface Proof {
  view: View;
  prepare: () => void;
}

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

/** Returns the state of a part that is asked once for each file and site. `pick` returns its headline. */
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
  const log = absent.value?.log;
  // A rung means that the file could not be fetched, whatever the policy makes of it.
  if (log && (log.access !== "allow-all" || log.rung !== null)) return OVERVIEW.notFetched;
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

/** Returns the reason why there is no answer about the file of a site without one. */
function noFile(): string {
  const log = absent.value?.log;
  return log?.access === "allow-all" && log.rung === null ? OVERVIEW.noFile : notAsked();
}

function mistakes(): State {
  if (absent.value) return none(noFile());
  if (!findsMistakes.value) return none(OVERVIEW.notOpened);
  if (draft.value.length === 0) return none(OVERVIEW.emptyFile);
  const state = ofLive(checked);
  // The service lints the file alone. Some mistakes show only in URLs of the site.
  const hasPages = sitemaps.answer.value?.sitemaps.some(({ allowed, disallowed }) => allowed + disallowed > 0);
  if (state.kind !== "answer" || !hasPages || ofSitemaps().kind !== "answer") return state;
  const { headline } = state;
  return { ...state, headline: headline.tone === "good" ? { ...headline, tone: "neutral" } : headline, but: OVERVIEW.withoutSitemap };
}

function ofAi(): State {
  if (absent.value) return none(noFile());
  // An empty text is not sent.
  return draft.value.length === 0 ? none(OVERVIEW.emptyFile) : ofLive(ai);
}

/** Returns what a view that can be used for any site says about another site now; null if it is about this one. */
function otherSite(of: View, url: string | null | undefined): State | null {
  const site = siteToAsk.value;
  if (!isAsked.value || url == null || site === null || siteOf(url) === siteOf(site)) return null;
  return none(OVERVIEW.elsewhere(VIEW_TITLES[of], short(siteOf(url), 100)));
}

function ofSitemaps(): State {
  if (absent.value) return none(noFile());
  const other = otherSite("sitemaps", sitemaps.answer.value?.origin);
  if (other) return other;
  const state = ofDemand(sitemaps, ({ headline }) => headline, OVERVIEW.noFile);
  return state.kind === "answer" ? { ...state, isOld: sitemapsText.value?.eq(draft.value) === false } : state;
}

/** Returns the state of a part that is about a page. */
function ofPage(pick: (answer: PageAnswer) => Headline | undefined, otherwise: string): State {
  const state = otherSite("page", page.answer.value?.url) ?? ofDemand(page, pick, otherwise);
  if (state.kind !== "answer" || absent.value) return state;
  // The service judges a page by the file that it fetches itself.
  const isLive = received.value?.log != null && received.value.text.eq(draft.value);
  return isLive ? state : { ...state, isOld: true, former: OVERVIEW.live };
}

/** Returns the title of the part about a page: the view Page may have checked another one than was asked for. */
function pageTitle(): string {
  const shown = page.answer.value?.url;
  const url = shown === undefined || otherSite("page", shown) ? pageAsked.value : shown;
  if (!isAsked.value || url === null || isFrontPage(url)) return OVERVIEW.parts.page;
  return OVERVIEW.thePage(short(url.slice(siteOf(url).length), 60));
}

/** Returns when the file changed last, and what that meant: since the first fetch, or since a version that is stored. */
function lastChange(): State {
  const first = earlierFile.value;
  if (isStatic || first === null || first.site !== siteToAsk.value) return ofDemand(history, ({ headline }) => headline, "");
  const state = ofLive(sinceFirst);
  if (state.kind !== "answer") return state;
  const { tone, text } = state.headline;
  const headline: Headline = { tone: tone === "good" ? "neutral" : tone, text: OVERVIEW.sinceFetched(when(first.at), text) };
  return { ...state, headline, proof: { view: "compare", prepare: compareWithEarlier } };
}

type PartOf = [key: keyof typeof OVERVIEW.parts, view: View, state: () => State];

const PARTS: PartOf[] = [
  ["open", "test", open],
  ["mistakes", "lint", mistakes],
  ["sitemaps", "sitemaps", ofSitemaps],
  ["ai", "ai", ofAi],
  ["page", "page", () => ofPage(({ headline }) => headline, "")],
  ["files", "page", () => ofPage((found) => found.resources_headline, OVERVIEW.noFiles)],
  ["addresses", "fetch", () => ofDemand(variants, ({ headline }) => headline, "")],
  ["changes", "fetch", lastChange],
];

/** The parts if a page was asked for: those about it are first. */
const PARTS_OF_PAGE = [...PARTS.filter(([, to]) => to === "page"), ...PARTS.filter(([, to]) => to !== "page")];

export function OverviewView() {
  // The site of the first URL is only assumed.
  const site = absent.value?.origin ?? named.value;
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
        {(pageAsked.value === null ? PARTS : PARTS_OF_PAGE).map(([key, to, state]) => (
          <Part key={key} title={key === "page" ? pageTitle() : OVERVIEW.parts[key]} to={to} state={state()} />
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
    <button type="button" class={absent.value ? "" : "primary"} onClick={askSite}>
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
              {state.isOld && <span class="note"> {state.former ?? OVERVIEW.former}</span>}
              {state.but && <span class="note"> {state.but}</span>}
            </span>
          </p>
        )}
        {state.kind === "answer" && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              state.proof?.prepare();
              view.value = state.proof?.view ?? to;
            }}
          >
            {OVERVIEW.see(VIEW_TITLES[state.proof?.view ?? to])}
          </button>
        )}
      </dd>
    </div>
  );
}

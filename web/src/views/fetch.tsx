/** The log of a fetch: the requests, the responses, and the ruling. */

import { bodyOf, fetching, fetchSite, fullSize, isRefusal, take, trouble } from "../fetching";
import { short } from "../escape";
import { Empty, Prose, Sign, Waiting } from "../parts/bits";
import { TryHttp } from "../parts/file";
import { SiteField } from "../parts/url-field";
import { draft, fetchLog, policy, service, view } from "../state";
import { absent, received } from "../subject";
import type { ExchangeFacts, FetchLog } from "../types";
import { bytesWords, capital, POLICIES, refusalWords, statusMeaning } from "../words";
import * as FETCH from "../words/fetch";
import { Versions } from "./versions";

export function FetchView() {
  if (service.value && !service.value.fetches) {
    return (
      <Empty title={FETCH.offline}>
        <p>{FETCH.offlineMore()}</p>
      </Empty>
    );
  }
  const log = fetchLog.value;
  return (
    <>
      <p class="lead">{FETCH.lead}</p>
      <form
        class="fetch-form"
        onSubmit={(event) => {
          event.preventDefault();
          void fetchSite("log");
        }}
      >
        <div class="field">
          <label for="fetch-site">{FETCH.site}</label>
          <SiteField id="fetch-site" />
        </div>
        <div class="field">
          <label for="policy">{FETCH.policy}</label>
          <select id="policy" value={policy.value || (service.value?.policy ?? "standard")} onChange={(event) => (policy.value = event.currentTarget.value)}>
            {(service.value?.policies.map(({ name }) => name) ?? Object.keys(POLICIES)).map((name) => (
              <option key={name} value={name}>
                {POLICIES[name] ?? name}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" class="primary" disabled={fetching.value}>
          {fetching.value ? FETCH.asking : FETCH.ask}
        </button>
      </form>
      {trouble.value?.goal === "log" && (
        <p class="problem" role="alert">
          {FETCH.notAsked(short(trouble.value.text, 400))}
        </p>
      )}
      {fetching.value && !log ? <Waiting /> : log ? <FetchResult log={log} /> : null}
      {!log && !fetching.value && trouble.value === null && (
        <Empty title={FETCH.none}>
          <p>{FETCH.noneMore}</p>
        </Empty>
      )}
      <Versions />
    </>
  );
}

/** Returns the headline of a fetch, and its sign. */
function headline(log: FetchLog): { answer: "allowed" | "partly"; title: string } {
  switch (log.access) {
    case "allow-all":
      return { answer: "allowed", title: FETCH.resultEverything };
    case "disallow-all":
      return { answer: "partly", title: FETCH.resultAway };
    default:
      return log.looks_like_html
        ? { answer: "partly", title: FETCH.resultWebPage }
        : { answer: "allowed", title: FETCH.resultRules };
  }
}

function FetchResult({ log }: { log: FetchLog }) {
  const { answer, title } = headline(log);
  const body = bodyOf(log);
  if (isRefusal(log)) {
    return (
      <section class="fetch-log" aria-label={FETCH.resultLabel} aria-busy={fetching.value}>
        <div class="meaning partly">
          <h2>
            <Sign answer="partly" /> {FETCH.resultRefused}
          </h2>
          <p>
            <Prose text={refusalWords(log)} most={600} />
          </p>
        </div>
        <Hops steps={log.steps} />
      </section>
    );
  }
  return (
    <section class="fetch-log" aria-label={FETCH.resultLabel} aria-busy={fetching.value}>
      <div class={`meaning ${answer}`}>
        <h2>
          <Sign answer={answer} /> {title}
        </h2>
        <p>
          {meaning(log)} {absent.value?.log !== log && <TryHttp log={log} goal="log" />}
        </p>
        <dl class="facts">
          {log.is_cut ? (
            <Fact name={FETCH.resultSize}>{FETCH.resultCut(fullSize(log))}</Fact>
          ) : (
            log.size !== null && <Fact name={FETCH.resultSize}>{bytesWords(log.size)}</Fact>
          )}
          {log.due !== null && <Fact name={FETCH.resultAgain}>{FETCH.resultEarliest(due(log.due))}</Fact>}
        </dl>
        <details>
          <summary>{FETCH.resultWhoSays}</summary>
          <dl class="facts">
            <Fact name={FETCH.policy}>{POLICIES[log.policy] ?? short(log.policy, 40)}</Fact>
            <Fact name={FETCH.resultSource}>{capital(short(log.source, 300))}</Fact>
            {log.if_it_lasts !== null && <Fact name={FETCH.resultIfItLasts}>{short(log.if_it_lasts, 300)}</Fact>}
          </dl>
        </details>
        {body === null && absent.value?.log !== log && (
          <p class="note">{FETCH.resultOtherText}</p>
        )}
        <button
          type="button"
          onClick={() => {
            take(log);
            if (body === null) view.value = "test";
          }}
        >
          {body === null ? FETCH.resultVerdicts(short(log.origin, 80)) : FETCH.resultTake}
        </button>
      </div>
      <Hops steps={log.steps} />
    </section>
  );
}

/** Returns true if the editor has the file of this fetch, unchanged. */
function isInEditor(log: FetchLog): boolean {
  return received.value?.log?.robots_url === log.robots_url && received.value.text.eq(draft.value);
}

/** Returns the effect of the result on the site, and the reason. */
function meaning(log: FetchLog): string {
  const [event, status] = [short(log.event, 200), statusMeaning(log.status)];
  const detail = log.detail ? FETCH.effectDetail(short(log.detail, 300)) : "";
  const since = log.rung && log.rung !== "first" && log.if_it_lasts === null ? FETCH.effectSince : "";
  switch (log.access) {
    case "rules":
      return log.rung
        ? FETCH.effectLastGood(event, since, detail)
        : log.looks_like_html
          ? FETCH.effectWebPage(event, short(log.robots_url, 120), detail)
          : FETCH.effectRules(event, detail, isInEditor(log));
    case "allow-all":
      return log.rung
        ? FETCH.effectAllowedAnyway(event + status, detail, since)
        : FETCH.effectNoFile(event + status, detail);
    default:
      return FETCH.effectAway(event + status, detail);
  }
}

/** Returns the time until a date, or the date itself if it is invalid. */
function due(at: string): string {
  const minutes = Math.round((Date.parse(at) - Date.now()) / 60_000);
  if (!Number.isFinite(minutes)) return short(at, 40);
  if (minutes < 2) return FETCH.resultInAMinute;
  return minutes < 120 ? FETCH.resultInMinutes(minutes) : FETCH.resultInHours(Math.round(minutes / 60));
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The requests, in their order. */
function Hops({ steps }: { steps: ExchangeFacts[] }) {
  if (steps.length === 0) return null;
  return (
    <>
      <h2>{FETCH.stepTitle}</h2>
      <ol class="hops">
        {steps.map((step, nth) => (
          <Hop key={nth} step={step} isLast={nth === steps.length - 1} />
        ))}
      </ol>
    </>
  );
}

function Hop({ step, isLast }: { step: ExchangeFacts; isLast: boolean }) {
  const redirect = step.status !== null && step.status >= 300 && step.status < 400 && !isLast;
  return (
    <li class="hop">
      <p class="hop-url mono wrap" dir="ltr">
        {short(step.url, 300)}
      </p>
      <p class="hop-facts">
        <strong>{step.status === null ? FETCH.stepNoAnswer : FETCH.stepStatus(step.status)}</strong>
        {step.protocol && <span>{short(step.protocol, 20)}</span>}
        {step.peer && <span>{FETCH.stepFrom(short(step.peer, 60))}</span>}
        <span>{FETCH.stepTime(step.head_ms + step.body_ms)}</span>
        {step.bytes > 0 && <span>{bytesWords(step.bytes)}</span>}
        {step.probe && <span>{FETCH.stepProbe}</span>}
      </p>
      {redirect && <p class="note">{FETCH.stepRedirects}</p>}
      {step.detail && <p class="warn">{capital(short(step.detail, 300))}.</p>}
      {step.fields.length > 0 && (
        <details>
          <summary>{FETCH.stepFields}</summary>
          <dl class="fields">
            {step.fields.slice(0, 60).map(([name, value], nth) => (
              <div key={nth}>
                <dt>{short(name, 80)}</dt>
                <dd dir="ltr">{short(value, 400)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </li>
  );
}

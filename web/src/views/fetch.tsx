/** The log of a fetch: the requests, the responses, and the ruling. */

import { bodyOf, fetching, fetchSite, fullSize, isRefusal, take, trouble } from "../fetching";
import { short } from "../escape";
import { Empty, Prose, Sign, Waiting } from "../parts/bits";
import { SiteField } from "../parts/url-field";
import { draft, fetchLog, policy, service, view } from "../state";
import { absent, received } from "../subject";
import type { ExchangeFacts, FetchLog } from "../types";
import { ALLOWED_ANYWAY, bytesWords, capital, POLICIES, refusalWords, statusMeaning } from "../words";
import { Versions } from "./versions";

export function FetchView() {
  if (service.value && !service.value.fetches) {
    return (
      <Empty title="Fetching is switched off">
        <p>
          This service was started with <code>comity serve --offline</code>, so it fetches nothing. Paste the file into
          the editor: the other views work without fetching.
        </p>
      </Empty>
    );
  }
  const log = fetchLog.value;
  return (
    <>
      <p class="lead">
        What happens when a crawler asks for a site’s robots.txt: each redirect, each failure, and what a careful crawler
        makes of it.
      </p>
      <form
        class="fetch-form"
        onSubmit={(event) => {
          event.preventDefault();
          void fetchSite("log");
        }}
      >
        <div class="field">
          <label for="fetch-site">Site</label>
          <SiteField id="fetch-site" />
        </div>
        <div class="field">
          <label for="policy">What failures mean</label>
          <select id="policy" value={policy.value || (service.value?.policy ?? "standard")} onChange={(event) => (policy.value = event.currentTarget.value)}>
            {(service.value?.policies.map(({ name }) => name) ?? Object.keys(POLICIES)).map((name) => (
              <option key={name} value={name}>
                {POLICIES[name] ?? name}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" class="primary" disabled={fetching.value}>
          {fetching.value ? "Asking…" : "Ask the site"}
        </button>
      </form>
      {trouble.value?.goal === "log" && (
        <p class="problem" role="alert">
          <strong>Nothing was asked.</strong> {short(trouble.value.text, 400)}
        </p>
      )}
      {fetching.value && !log ? <Waiting /> : log ? <FetchResult log={log} /> : null}
      {!log && !fetching.value && trouble.value === null && (
        <Empty title="No site was asked yet">
          <p>Write a site above. It gets one polite request, and you see each step.</p>
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
      return { answer: "allowed", title: "Everything may be fetched" };
    case "disallow-all":
      return { answer: "partly", title: "Crawlers stay away for now" };
    default:
      return log.looks_like_html
        ? { answer: "partly", title: "There is a web page where the robots.txt should be" }
        : { answer: "allowed", title: "There is a robots.txt, and its rules apply" };
  }
}

function FetchResult({ log }: { log: FetchLog }) {
  const { answer, title } = headline(log);
  const body = bodyOf(log);
  if (isRefusal(log)) {
    return (
      <section class="fetch-log" aria-label="What happened" aria-busy={fetching.value}>
        <div class="meaning partly">
          <h2>
            <Sign answer="partly" /> The service refused to ask
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
    <section class="fetch-log" aria-label="What happened" aria-busy={fetching.value}>
      <div class={`meaning ${answer}`}>
        <h2>
          <Sign answer={answer} /> {title}
        </h2>
        <p>{meaning(log)}</p>
        <dl class="facts">
          {log.is_cut ? (
            <Fact name="Size">{fullSize(log)}, of which crawlers read the first 512,000</Fact>
          ) : (
            log.size !== null && <Fact name="Size">{bytesWords(log.size)}</Fact>
          )}
          {log.due !== null && <Fact name="A careful crawler asks again">{due(log.due)} at the earliest</Fact>}
        </dl>
        <details>
          <summary>Who says so?</summary>
          <dl class="facts">
            <Fact name="What failures mean">{POLICIES[log.policy] ?? short(log.policy, 40)}</Fact>
            <Fact name="According to">{capital(short(log.source, 300))}</Fact>
            {log.if_it_lasts !== null && <Fact name="If it lasts">{short(log.if_it_lasts, 300)}</Fact>}
          </dl>
        </details>
        {body === null && absent.value?.log !== log && (
          <p class="note">The text in the editor is not what this site answered, and keeps its own verdicts.</p>
        )}
        <button
          type="button"
          onClick={() => {
            take(log);
            if (body === null) view.value = "test";
          }}
        >
          {body === null ? `Show the verdicts for ${short(log.origin, 80)}` : "Put this file into the editor"}
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
  const detail = log.detail ? ` In detail: ${short(log.detail, 300)}.` : "";
  const since = log.rung && log.rung !== "first" && log.if_it_lasts === null ? " It has lasted for a while." : "";
  switch (log.access) {
    case "rules":
      return log.rung
        ? `The site ${event}. Its last good copy still applies.${since}${detail}`
        : log.looks_like_html
          ? `The site ${event} with a web page. Crawlers find no rules in it, so they may fetch everything. To set rules, put a text file at ${short(log.robots_url, 120)}; your pages stay as they are.${detail}`
          : `The site ${event}.${detail}${isInEditor(log) ? " The view Test shows what its rules allow." : " To see what its rules allow, put the file into the editor: it still has another text."}`;
    case "allow-all":
      return log.rung
        ? `The site ${event}${status}. ${ALLOWED_ANYWAY}${detail}${since}`
        : `The site ${event}${status}. So the site has no robots.txt, and crawlers may fetch everything.${detail}`;
    default:
      return `The site ${event}${status}. Until it sends the file, crawlers stay away; no rule is the cause. Ask the site’s host why the server does not send it, and try again later.${detail}`;
  }
}

/** Returns the time until a date, or the date itself if it is invalid. */
function due(at: string): string {
  const minutes = Math.round((Date.parse(at) - Date.now()) / 60_000);
  if (!Number.isFinite(minutes)) return short(at, 40);
  if (minutes < 2) return "in a minute";
  return minutes < 120 ? `in ${minutes} minutes` : `in ${Math.round(minutes / 60)} hours`;
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
      <h2>Step by step</h2>
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
        <strong>{step.status === null ? "No answer" : `${step.status} ${statusWords(step.status)}`}</strong>
        {step.protocol && <span>{short(step.protocol, 20)}</span>}
        {step.peer && <span>from {short(step.peer, 60)}</span>}
        <span>{step.head_ms + step.body_ms} ms</span>
        {step.bytes > 0 && <span>{bytesWords(step.bytes)}</span>}
        {step.probe && <span>a probe</span>}
      </p>
      {redirect && <p class="note">It redirects, so the next address is asked.</p>}
      {step.detail && <p class="warn">{capital(short(step.detail, 300))}.</p>}
      {step.fields.length > 0 && (
        <details>
          <summary>Header fields</summary>
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

function statusWords(status: number): string {
  const known: Record<number, string> = {
    200: "OK",
    301: "Moved for good",
    302: "Found elsewhere",
    304: "Not changed",
    307: "Moved for now",
    308: "Moved for good",
    401: "Wants a password",
    403: "Forbidden",
    404: "Not found",
    410: "Gone",
    429: "Too many requests",
    500: "Server error",
    502: "Bad gateway",
    503: "Not available",
    504: "Gateway timeout",
  };
  return known[status] ?? "";
}

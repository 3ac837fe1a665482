/** The story of a fetch: what was asked, what came, and what follows from it. */

import { bodyOf, fetching, fetchSite, take, trouble } from "../fetching";
import { short } from "../escape";
import { Empty, Sign, Waiting } from "../parts/bits";
import { policy, service, site, story } from "../state";
import type { Step, Story } from "../types";
import { bytesWords, capital, POLICIES } from "../words";

export function FetchView() {
  if (service.value && !service.value.fetches) {
    return (
      <Empty title="Fetching is switched off">
        <p>
          Whoever runs this service has told it to ask no sites (<code>comity serve --offline</code>). Paste the file into
          the editor: the other views work without fetching.
        </p>
      </Empty>
    );
  }
  const told = story.value;
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
          void fetchSite("story");
        }}
      >
        <div class="field">
          <label for="fetch-site">Site</label>
          <input
            id="fetch-site"
            type="text"
            inputMode="url"
            autocapitalize="off"
            spellcheck={false}
            placeholder="example.com"
            value={site.value}
            onInput={(event) => (site.value = event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="policy">Policy: what failures mean</label>
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
      {trouble.value !== null && (
        <p class="problem" role="alert">
          <strong>Nothing was asked.</strong> {short(trouble.value, 400)}
        </p>
      )}
      {fetching.value && !told ? <Waiting /> : told ? <Told story={told} /> : null}
      {!told && !fetching.value && trouble.value === null && (
        <Empty title="No site was asked yet">
          <p>Write a site above. It gets one polite request, and you see each step.</p>
        </Empty>
      )}
    </>
  );
}

function Told({ story: told }: { story: Story }) {
  const answer = told.access === "disallow-all" ? "disallowed" : "allowed";
  const titles: Record<string, string> = {
    rules: "There is a robots.txt, and its rules count",
    "allow-all": "Everything may be fetched",
    "disallow-all": "Nothing may be fetched",
  };
  const body = bodyOf(told);
  return (
    <section class="story" aria-label="What happened" aria-busy={fetching.value}>
      <ol class="hops">
        {told.steps.map((step, nth) => (
          <Hop key={nth} step={step} isLast={nth === told.steps.length - 1} />
        ))}
      </ol>
      <div class={`meaning ${answer}`}>
        <h2>
          <Sign answer={answer} /> {titles[told.access] ?? told.access}
        </h2>
        <p>{meaning(told)}</p>
        <dl class="facts">
          <Fact name="Policy">{POLICIES[told.policy] ?? short(told.policy, 40)}</Fact>
          <Fact name="By">{capital(short(told.source, 300))}</Fact>
          {told.size !== null && <Fact name="Size">{bytesWords(told.size)}</Fact>}
          {told.due !== null && <Fact name="Asked again">{due(told.due)} at the earliest</Fact>}
        </dl>
        {body !== null && (
          <button type="button" onClick={() => take(told)}>
            Put this file into the editor
          </button>
        )}
      </div>
    </section>
  );
}

/** What the result means for the site, and why. */
function meaning(told: Story): string {
  const event = short(told.event, 200);
  const detail = told.detail ? ` In detail: ${short(told.detail, 300)}.` : "";
  const since =
    told.rung === "first"
      ? " It counts as a passing failure so far: if it lasts, another rule of the policy may apply."
      : told.rung
        ? ` It has lasted for a while (step “${short(told.rung, 40)}” of the policy).`
        : "";
  switch (told.access) {
    case "rules":
      return told.rung
        ? `The site ${event}. Its last good copy still counts.${since}${detail}`
        : `The site ${event}. What it allows, the view Test tells.${detail}`;
    case "allow-all":
      return `The site ${event}. A definite “there is none” means that crawlers may fetch everything.${detail}${since}`;
    default:
      return `The site ${event}. Nobody can know its rules now, so a careful crawler fetches nothing until it answers.${since}${detail}`;
  }
}

/** In how long, or when. */
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

function Hop({ step, isLast }: { step: Step; isLast: boolean }) {
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

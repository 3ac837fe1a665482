/** The difference between the original and the draft for all URLs, in sentences. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { short } from "../escape";
import { answeredTexts, difference, keyOf, pointedKey } from "../meaning";
import { Answered, Code, LineLink, Sign, Waiting } from "../parts/bits";
import { announcement, original, toUrl, urls, urlsTyped } from "../state";
import { origin } from "../subject";
import type { DiffAnswer, DiffChange, DiffException, DiffRule, DiffSignal } from "../types";
import { capital, count, DIALECTS, patternWords } from "../words";

/** The maximum number of crawlers, rules and records that are shown before the rest is only counted. */
const MAX_SHOWN = 6;

export function Meaning() {
  // An answer about another original is not shown at all, not even in gray.
  const found = answeredTexts.value?.old === original.value.text ? difference.answer.value : null;
  const said = found ? summary(found) : "";
  useEffect(() => {
    if (said === "") return undefined;
    // The summary of the verdicts below is announced first.
    const timer = setTimeout(() => (announcement.value = `For all URLs: ${said}`), 1_500);
    return () => clearTimeout(timer);
  }, [said]);
  // A change that is not shown any more can't be pointed at: it has lost the focus without an event.
  useEffect(() => {
    if (!found?.changes.some((change) => keyOf(change) === pointedKey.peek())) pointedKey.value = null;
  }, [found]);
  useEffect(() => () => void (pointedKey.value = null), []);
  return (
    <section class="difference" aria-labelledby="meaning-title" aria-busy={difference.pending.value}>
      <h2 id="meaning-title">For all URLs</h2>
      <Answered to={difference}>
        {found ? <Difference found={found} said={said} /> : !difference.problem.value && <Waiting />}
      </Answered>
    </section>
  );
}

/** Returns the result in words. That of a proof without changes says that it is one. */
function summary({ outcome, headline }: DiffAnswer): string {
  if (outcome === "same") return "Proven: nothing changes.";
  if (outcome === "undecided") return "Not decided: there may be changes.";
  return short(headline.text, 500);
}

/** Returns the numbers of changes, by kind. */
function counts({ changes, omitted, signals }: DiffAnswer): string {
  const of = (to: DiffChange["to"]): number => changes.filter((change) => change.to === to).length + (omitted?.[to] ?? 0);
  const parts = [
    [of("blocked"), "newly blocked"] as const,
    [of("allowed"), "newly allowed"] as const,
    [signals.length, "in what may be done with content"] as const,
  ].filter(([number]) => number > 0);
  const all = parts.reduce((sum, [number]) => sum + number, 0);
  return `${count(all, "change")}: ${parts.map(([number, what]) => `${number.toLocaleString("en")} ${what}`).join(", ")}.`;
}

function Difference({ found, said }: { found: DiffAnswer; said: string }) {
  const { outcome, changes, omitted, undecided } = found;
  return (
    <>
      <p class={outcome === "same" ? "summary verdict allowed" : "summary"}>
        {outcome === "same" && <Sign answer="allowed" />}
        <span>{said}</span>
      </p>
      {outcome === "differs" && <p class="note">{counts(found)}</p>}
      {found.looks_like_html.map((file) => (
        <p key={file} class="note warn">
          The {file === "old" ? "original" : "draft"} looks like a web page, not like a robots.txt. It is compared anyway.
        </p>
      ))}
      {outcome === "same" && <p class="note">No URL has another answer, for any crawler.</p>}
      {undecided.length > 0 && (
        <p class="note warn">
          Not everything was decided: there may be {outcome === "differs" ? "more changes" : "changes"}. The comparison
          takes too long for {names(undecided)}. <code>comity diff --budget</code> can go on.
        </p>
      )}
      {(["blocked", "allowed"] as const).map((to) => (
        <Group
          key={to}
          to={to}
          changes={changes.filter((change) => change.to === to)}
          omitted={omitted?.[to] ?? 0}
          compared={found.crawlers}
        />
      ))}
      <Beside found={found} />
      {outcome === "differs" && undecided.length === 0 && (
        <p class="note">
          These are all changes, for all URLs and all crawlers. Press + to add an example to your URLs.
        </p>
      )}
      {outcome !== "undecided" && undecided.length === 0 && (
        <details>
          <summary>How is that known?</summary>
          <p class="note">{read(found)}</p>
        </details>
      )}
    </>
  );
}

/** Returns the size of a proof, and the dialects of its comparison, in words. */
function read({ is_by_operator, dialects, critical_urls }: DiffAnswer): string {
  const dialect = dialects[0] ?? "standard";
  const as = is_by_operator ? "Each crawler reads the files as its operator documents" : `Every crawler reads the files as ${DIALECTS[dialect] ?? dialect}`;
  const checked = critical_urls === 1 ? "One URL was checked" : `${critical_urls.toLocaleString("en")} URLs were checked`;
  return `${checked}, chosen so that no change can be missed. ${as}. “Start with” counts letters, not folders: URLs that start with /a include /ab.`;
}

function names(list: string[]): string {
  const more = list.length - MAX_SHOWN;
  const shown = list.slice(0, MAX_SHOWN).map((name) => (name === "*" ? "all other crawlers" : short(name, 60)));
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

interface GroupProps {
  to: DiffChange["to"];
  changes: DiffChange[];
  omitted: number;
  compared: string[];
}

function Group({ to, changes, omitted, compared }: GroupProps) {
  if (changes.length + omitted === 0) return null;
  const answer = to === "allowed" ? "allowed" : "disallowed";
  return (
    <section class={`changes ${answer}`}>
      <h3 class={`verdict ${answer}`}>
        <Sign answer={answer} />
        <span class="word">{to === "allowed" ? "Newly allowed" : "Newly blocked"}</span>
      </h3>
      <ul>
        {changes.map((change) => (
          <Sentence key={keyOf(change)} change={change} compared={compared} />
        ))}
      </ul>
      {omitted > 0 && <p class="note">and {count(omitted, "more change")}.</p>}
    </section>
  );
}

function Sentence({ change, compared }: { change: DiffChange; compared: string[] }) {
  const key = keyOf(change);
  const point = (): void => void (pointedKey.value = key);
  const leave = (): void => {
    if (pointedKey.peek() === key) pointedKey.value = null;
  };
  const [done, undone] = change.to === "blocked" ? ["blocked", "allows"] : ["allowed", "blocks"];
  return (
    <li
      class={pointedKey.value === key ? "change pointed" : "change"}
      onMouseEnter={point}
      onMouseLeave={leave}
      onFocusIn={point}
      onFocusOut={leave}
    >
      <p>{change.rule.line === null ? "URLs that no rule covers" : <RuleOf rule={change.rule} isFirst />}</p>
      <RuleList before="Of these, only" rules={change.narrowed_by} />
      <RuleList before={`But not (${done} before already)`} rules={change.except.filter(({ file }) => file === "old")} to={change.to} />
      <RuleList before={`But not (the draft ${undone} them)`} rules={change.except.filter(({ file }) => file === "new")} to={change.to} />
      {!change.exact && <p class="note">Only a part of these URLs gets another answer.</p>}
      {!change.sent && <p class="note">No browser or crawler sends such a URL.</p>}
      <p>
        Example: <Witness path={change.witness} />
      </p>
      <Crawlers concerned={change.crawlers} compared={compared} />
    </li>
  );
}

interface RuleListProps {
  before: string;
  rules: (DiffRule & Partial<DiffException>)[];
  /** The new answer of the exceptions of an exception. */
  to?: DiffChange["to"];
}

/** Rules that limit a change, each in a row of its own, with its exceptions. */
function RuleList({ before, rules, to }: RuleListProps) {
  if (rules.length === 0) return null;
  const more = rules.length - MAX_SHOWN;
  return (
    <div>
      <p class="note">{before}</p>
      <ul class="limits">
        {rules.slice(0, MAX_SHOWN).map((rule, nth) => (
          <li key={nth}>
            <RuleOf rule={rule} />
            <RuleList before={`Of those, newly ${to}, too`} rules={rule.unless ?? []} />
          </li>
        ))}
        {more > 0 && <li>those of {count(more, "more rule")}</li>}
      </ul>
    </div>
  );
}

/** The URLs that a rule matches, and its line: a link to a line of the draft, or the number of a line of the original. */
function RuleOf({ rule, isFirst = false }: { rule: DiffRule; isFirst?: boolean }) {
  const words = patternWords(rule.pattern);
  return (
    <>
      {short(isFirst ? capital(words) : words.replace(/^URLs that/, "those that"), 160)}{" "}
      {rule.line !== null && rule.file === "new" && (
        <span class="line-number">
          (<LineLink line={rule.line} />)
        </span>
      )}
      {rule.line !== null && rule.file === "old" && (
        <span class="line-number" title={lineOfOriginal(rule.line)}>
          (line {rule.line} of the original)
        </span>
      )}
    </>
  );
}

function lineOfOriginal(line: number): string {
  const text = answeredTexts.peek()?.old;
  return text && line <= text.lines ? short(text.line(line).text, 200) : "";
}

/** An example. The button adds it to the URLs that are tested. */
function Witness({ path }: { path: string }) {
  // A path that starts with two slashes is a URL only with a site before it.
  const url = origin.value === null ? path : `${origin.value}${path}`;
  if (toUrl(url) !== url) return <Code text={path} most={160} />;
  const isTested = urls.value.includes(url);
  return (
    <button
      type="button"
      class="witness"
      aria-disabled={isTested}
      aria-label={isTested ? `${short(path, 160)} is tested` : `Add ${short(path, 160)} to the tested URLs`}
      title={isTested ? "It is among the tested URLs" : "Add it to the tested URLs"}
      onClick={() => {
        if (isTested) return;
        // Long lists are tested from their start.
        urlsTyped.value = `${url}\n${urlsTyped.value}`;
        announcement.value = `${short(url, 160)} is tested now.`;
      }}
    >
      <span aria-hidden="true">{isTested ? "✓" : "+"}</span>
      <code dir="ltr">{short(path, 160)}</code>
    </button>
  );
}

/** The crawlers of a change. If it concerns all that no file names, only the exceptions are listed. */
function Crawlers({ concerned, compared }: { concerned: string[]; compared: string[] }) {
  const isWhole = useSignal(false);
  const isEvery = concerned.includes("*");
  const known = new Set(concerned);
  const list = isEvery ? compared.filter((name) => !known.has(name)) : concerned;
  const shown = isWhole.value ? list : list.slice(0, MAX_SHOWN);
  return (
    <ul class="whom" aria-label="Crawlers">
      <li class="note">for</li>
      {isEvery && <Chip>every crawler</Chip>}
      {isEvery && list.length > 0 && <li class="note">except</li>}
      {shown.map((name) => (
        <Chip key={name}>{short(name, 60)}</Chip>
      ))}
      {list.length > MAX_SHOWN && (
        <li>
          <button type="button" class="quiet" aria-expanded={isWhole.value} onClick={() => (isWhole.value = !isWhole.value)}>
            {isWhole.value ? "fewer" : `and ${list.length - MAX_SHOWN} more`}
          </button>
        </li>
      )}
    </ul>
  );
}

function Chip({ children }: { children: ComponentChildren }) {
  return (
    <li>
      <span class="chip name">{children}</span>
    </li>
  );
}

/** Differences that change no answer: what may be done with content, sitemaps and delays. */
function Beside({ found }: { found: DiffAnswer }) {
  const { sitemaps, crawl_delay } = found.beside;
  const seconds = (delay: number | null): string => (delay === null ? "none" : `${delay} s`);
  const sites = (list: string[], what: string): string[] => list.map((url) => `Sitemap ${what}: ${short(url, 160)}`);
  const delays = crawl_delay.map(({ crawlers, old, new: is }) => `Crawl-delay for ${names(crawlers)}: ${seconds(is)}, before ${seconds(old)}`);
  const lines = [...found.signals.map(signalWords), ...sites(sitemaps.added, "added"), ...sites(sitemaps.removed, "removed"), ...delays];
  if (lines.length === 0) return null;
  const more = lines.length - 2 * MAX_SHOWN;
  return (
    <section class="changes">
      <h3>Beside the rules</h3>
      <ul>
        {lines.slice(0, 2 * MAX_SHOWN).map((line, nth) => (
          <li key={nth} class="change wrap">
            {line}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="note">and {more} more.</p>}
    </section>
  );
}

function signalWords({ record, key, crawlers, old, new: is, witness }: DiffSignal): string {
  const value = (signal: DiffSignal["old"], of: string): string =>
    signal ? `${signal.granted ? "granted" : "refused"} (${of} ${signal.line})` : "not stated";
  return `${record} for ${names(crawlers)}: ${short(key, 60)} is ${value(is, "line")}. Before: ${value(old, "original line")}. Example: ${short(witness, 120)}`;
}

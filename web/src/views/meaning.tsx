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
import { capital, DIALECTS, patternWords } from "../words";
import { BESIDE, CHANGE, PROOF } from "../words/compare";

/** The maximum number of crawlers, rules and records that are shown before the rest is only counted. */
const MAX_SHOWN = 6;

export function Meaning() {
  // An answer about another original is not shown at all, not even in gray.
  const found = answeredTexts.value?.old === original.value.text ? difference.answer.value : null;
  const said = found ? summary(found) : "";
  useEffect(() => {
    if (said === "") return undefined;
    // The summary of the verdicts below is announced first.
    const timer = setTimeout(() => (announcement.value = PROOF.announced(said)), 1_500);
    return () => clearTimeout(timer);
  }, [said]);
  // A change that is not shown any more can't be pointed at: it has lost the focus without an event.
  useEffect(() => {
    if (!found?.changes.some((change) => keyOf(change) === pointedKey.peek())) pointedKey.value = null;
  }, [found]);
  useEffect(() => () => void (pointedKey.value = null), []);
  return (
    <section class="difference" aria-labelledby="meaning-title" aria-busy={difference.pending.value}>
      <h2 id="meaning-title">{PROOF.title}</h2>
      <Answered to={difference}>
        {found ? <Difference found={found} said={said} /> : !difference.problem.value && <Waiting />}
      </Answered>
    </section>
  );
}

/** Returns the result in words. That of a proof without changes says that it is one. */
function summary({ outcome, headline }: DiffAnswer): string {
  if (outcome === "same") return PROOF.same;
  if (outcome === "undecided") return PROOF.undecided;
  return short(headline.text, 500);
}

/** Returns the numbers of changes, by kind. */
function counts({ changes, omitted, signals }: DiffAnswer): string {
  const of = (to: DiffChange["to"]): number => changes.filter((change) => change.to === to).length + (omitted?.[to] ?? 0);
  return PROOF.counts(of("blocked"), of("allowed"), signals.length);
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
          {PROOF.webPage[file]}
        </p>
      ))}
      {outcome === "same" && <p class="note">{PROOF.sameMore}</p>}
      {undecided.length > 0 && (
        <p class="note warn">{PROOF.partly(names(undecided), outcome === "differs")}</p>
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
        <p class="note">{PROOF.all}</p>
      )}
      {outcome !== "undecided" && undecided.length === 0 && (
        <details>
          <summary>{PROOF.how}</summary>
          <p class="note">{read(found)}</p>
        </details>
      )}
    </>
  );
}

/** Returns the size of a proof, and the dialects of its comparison, in words. */
function read({ is_by_operator, dialects, critical_urls }: DiffAnswer): string {
  const dialect = dialects[0] ?? "standard";
  return PROOF.howMore(critical_urls, is_by_operator ? null : (DIALECTS[dialect] ?? dialect));
}

function names(list: string[]): string {
  const shown = list.slice(0, MAX_SHOWN).map((name) => (name === "*" ? PROOF.otherCrawlers : short(name, 60)));
  return PROOF.names(shown, list.length - MAX_SHOWN);
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
        <span class="word">{PROOF.newly[to]}</span>
      </h3>
      <ul>
        {changes.map((change) => (
          <Sentence key={keyOf(change)} change={change} compared={compared} />
        ))}
      </ul>
      {omitted > 0 && <p class="note">{PROOF.omitted(omitted)}</p>}
    </section>
  );
}

function Sentence({ change, compared }: { change: DiffChange; compared: string[] }) {
  const key = keyOf(change);
  const point = (): void => void (pointedKey.value = key);
  const leave = (): void => {
    if (pointedKey.peek() === key) pointedKey.value = null;
  };
  return (
    <li
      class={pointedKey.value === key ? "change pointed" : "change"}
      onMouseEnter={point}
      onMouseLeave={leave}
      onFocusIn={point}
      onFocusOut={leave}
    >
      <p>{change.rule.line === null ? CHANGE.noRule : <RuleOf rule={change.rule} isFirst />}</p>
      <RuleList before={CHANGE.only} rules={change.narrowed_by} />
      <RuleList before={CHANGE.before[change.to]} rules={change.except.filter(({ file }) => file === "old")} to={change.to} />
      <RuleList before={CHANGE.undone[change.to]} rules={change.except.filter(({ file }) => file === "new")} to={change.to} />
      {!change.exact && <p class="note">{CHANGE.part}</p>}
      {!change.sent && <p class="note">{CHANGE.notSent}</p>}
      <p>{CHANGE.example(<Witness path={change.witness} />)}</p>
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
            <RuleList before={to === undefined ? "" : CHANGE.unless[to]} rules={rule.unless ?? []} />
          </li>
        ))}
        {more > 0 && <li>{CHANGE.moreRules(more)}</li>}
      </ul>
    </div>
  );
}

/** The URLs that a rule matches, and its line: a link to a line of the draft, or the number of a line of the original. */
function RuleOf({ rule, isFirst = false }: { rule: DiffRule; isFirst?: boolean }) {
  const words = patternWords(rule.pattern);
  return (
    <>
      {short(isFirst ? capital(words) : CHANGE.urls(words), 160)}{" "}
      {rule.line !== null && rule.file === "new" && (
        <span class="line-number">
          (<LineLink line={rule.line} />)
        </span>
      )}
      {rule.line !== null && rule.file === "old" && (
        <span class="line-number" title={lineOfOriginal(rule.line)}>
          {CHANGE.originalLine(rule.line)}
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
      aria-label={(isTested ? CHANGE.isTestedUrl : CHANGE.addUrl)(short(path, 160))}
      title={isTested ? CHANGE.isTested : CHANGE.add}
      onClick={() => {
        if (isTested) return;
        // Long lists are tested from their start.
        urlsTyped.value = `${url}\n${urlsTyped.value}`;
        announcement.value = CHANGE.nowTested(short(url, 160));
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
    <ul class="whom" aria-label={CHANGE.crawlers}>
      <li class="note">{CHANGE.for}</li>
      {isEvery && <Chip>{CHANGE.every}</Chip>}
      {isEvery && list.length > 0 && <li class="note">{CHANGE.except}</li>}
      {shown.map((name) => (
        <Chip key={name}>{short(name, 60)}</Chip>
      ))}
      {list.length > MAX_SHOWN && (
        <li>
          <button type="button" class="quiet" aria-expanded={isWhole.value} onClick={() => (isWhole.value = !isWhole.value)}>
            {isWhole.value ? CHANGE.fewer : CHANGE.more(list.length - MAX_SHOWN)}
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
  const lines = [
    ...found.signals.map(signalWords),
    ...sitemaps.added.map((url) => BESIDE.sitemapAdded(short(url, 160))),
    ...sitemaps.removed.map((url) => BESIDE.sitemapRemoved(short(url, 160))),
    ...crawl_delay.map(({ crawlers, old, new: is }) => BESIDE.delay(names(crawlers), BESIDE.seconds(is), BESIDE.seconds(old))),
  ];
  if (lines.length === 0) return null;
  const more = lines.length - 2 * MAX_SHOWN;
  return (
    <section class="changes">
      <h3>{BESIDE.title}</h3>
      <ul>
        {lines.slice(0, 2 * MAX_SHOWN).map((line, nth) => (
          <li key={nth} class="change wrap">
            {line}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="note">{BESIDE.more(more)}</p>}
    </section>
  );
}

function signalWords({ record, key, crawlers, old, new: is, witness }: DiffSignal): string {
  const now = is ? (is.granted ? BESIDE.granted : BESIDE.refused)(is.line) : BESIDE.notStated;
  const before = old ? (old.granted ? BESIDE.grantedBefore : BESIDE.refusedBefore)(old.line) : BESIDE.notStated;
  return BESIDE.signal(record, names(crawlers), short(key, 60), now, before, short(witness, 120));
}

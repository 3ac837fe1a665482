/** The difference between the original and the draft for all URLs, in sentences. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { short } from "../escape";
import { answeredTexts, difference, keyOf, pointedKey } from "../meaning";
import { Answered, Code, LineLink, Sign, Waiting } from "../parts/bits";
import { afterSide, sideOf } from "../sides";
import { announcement, original, toUrl, urls, urlsTyped } from "../state";
import { origin } from "../subject";
import type { DiffAnswer, DiffChange, DiffException, DiffRule, DiffSignal } from "../types";
import { capital, DIALECTS, patternWords } from "../words";
import * as COMPARE from "../words/compare";

/** The maximum number of crawlers, rules and records that are shown before the rest is only counted. */
const MAX_SHOWN = 6;

export function Meaning() {
  // An answer about another original is not shown at all, not even in gray.
  const found = answeredTexts.value?.old === original.value?.text ? difference.answer.value : null;
  const said = found ? summary(found) : "";
  const direction = original.value ? COMPARE.fromTo(sideOf(original.value).name, afterSide.value.name) : "";
  useEffect(() => {
    if (said === "") return undefined;
    // The summary of the verdicts below is announced first.
    const timer = setTimeout(() => (announcement.value = COMPARE.proofAnnounced(direction, said)), 1_500);
    return () => clearTimeout(timer);
  }, [said, direction]);
  // A change that is not shown any more can't be pointed at: it has lost the focus without an event.
  useEffect(() => {
    if (!found?.changes.some((change) => keyOf(change) === pointedKey.peek())) pointedKey.value = null;
  }, [found]);
  useEffect(() => () => void (pointedKey.value = null), []);
  return (
    <section class="difference" aria-labelledby="meaning-title" aria-busy={difference.pending.value}>
      <h2 id="meaning-title">{COMPARE.proofTitle}</h2>
      <Answered to={difference}>
        {found ? <Difference found={found} direction={direction} said={said} /> : !difference.problem.value && <Waiting />}
      </Answered>
    </section>
  );
}

/** Returns the result in words. That of a proof without changes says that it is one. */
function summary({ outcome, headline }: DiffAnswer): string {
  if (outcome === "same") return COMPARE.proofSame;
  if (outcome === "undecided") return COMPARE.proofUndecided;
  return short(headline.text, 500);
}

/** Returns the numbers of changes, by kind. */
function counts({ changes, omitted, signals }: DiffAnswer): string {
  const of = (to: DiffChange["to"]): number => changes.filter((change) => change.to === to).length + (omitted?.[to] ?? 0);
  return COMPARE.proofCounts(of("blocked"), of("allowed"), signals.length);
}

function Difference({ found, direction, said }: { found: DiffAnswer; direction: string; said: string }) {
  const { outcome, changes, omitted, undecided } = found;
  return (
    <>
      <p class={outcome === "same" ? "summary verdict allowed" : "summary"}>
        {outcome === "same" && <Sign answer="allowed" />}
        <span>
          <span class="direction">{direction}</span> {said}
        </span>
      </p>
      {outcome === "differs" && <p class="note">{counts(found)}</p>}
      {found.looks_like_html.map((file) => (
        <p key={file} class="note warn">
          {COMPARE.proofWebPage[file]}
        </p>
      ))}
      {outcome === "same" && <p class="note">{COMPARE.proofSameMore}</p>}
      {undecided.length > 0 && (
        <p class="note warn">{COMPARE.proofPartly(names(undecided), outcome === "differs")}</p>
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
        <p class="note">{COMPARE.proofAll}</p>
      )}
      {outcome !== "undecided" && undecided.length === 0 && (
        <details>
          <summary>{COMPARE.proofHow}</summary>
          <p class="note">{read(found)}</p>
        </details>
      )}
    </>
  );
}

/** Returns the size of a proof, and the dialects of its comparison, in words. */
function read({ is_by_operator, dialects, critical_urls }: DiffAnswer): string {
  const dialect = dialects[0] ?? "standard";
  return COMPARE.proofHowMore(critical_urls, is_by_operator ? null : (DIALECTS[dialect] ?? dialect));
}

function names(list: string[]): string {
  const shown = list.slice(0, MAX_SHOWN).map((name) => (name === "*" ? COMPARE.proofOtherCrawlers : short(name, 60)));
  return COMPARE.proofNames(shown, list.length - MAX_SHOWN);
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
        <span class="word">{COMPARE.proofNewly[to]}</span>
      </h3>
      <ul>
        {changes.map((change) => (
          <Sentence key={keyOf(change)} change={change} compared={compared} />
        ))}
      </ul>
      {omitted > 0 && <p class="note">{COMPARE.proofOmitted(omitted)}</p>}
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
      <p>{change.rule.line === null ? COMPARE.changeNoRule : <RuleOf rule={change.rule} isFirst />}</p>
      <RuleList before={COMPARE.changeOnly} rules={change.narrowed_by} />
      <RuleList before={COMPARE.changeBefore[change.to]} rules={change.except.filter(({ file }) => file === "old")} to={change.to} />
      <RuleList before={COMPARE.changeUndone[change.to]} rules={change.except.filter(({ file }) => file === "new")} to={change.to} />
      {!change.exact && <p class="note">{COMPARE.changePart}</p>}
      {!change.sent && <p class="note">{COMPARE.changeNotSent}</p>}
      <p>{COMPARE.changeExample(<Witness path={change.witness} />)}</p>
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
            <RuleList before={to === undefined ? "" : COMPARE.changeUnless[to]} rules={rule.unless ?? []} />
          </li>
        ))}
        {more > 0 && <li>{COMPARE.changeMoreRules(more)}</li>}
      </ul>
    </div>
  );
}

/** The URLs that a rule matches, and its line: a link to a line of the draft, or the number of a line of the original. */
function RuleOf({ rule, isFirst = false }: { rule: DiffRule; isFirst?: boolean }) {
  const words = patternWords(rule.pattern);
  return (
    <>
      {short(isFirst ? capital(words) : COMPARE.changeUrls(words), 160)}{" "}
      {rule.line !== null && rule.file === "new" && (
        <span class="line-number">
          (<LineLink line={rule.line} />)
        </span>
      )}
      {rule.line !== null && rule.file === "old" && (
        <span class="line-number" title={lineOfOriginal(rule.line)}>
          {COMPARE.changeOriginalLine(rule.line)}
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
      aria-label={(isTested ? COMPARE.changeIsTestedUrl : COMPARE.changeAddUrl)(short(path, 160))}
      title={isTested ? COMPARE.changeIsTested : COMPARE.changeAdd}
      onClick={() => {
        if (isTested) return;
        // Long lists are tested from their start.
        urlsTyped.value = `${url}\n${urlsTyped.value}`;
        announcement.value = COMPARE.changeNowTested(short(url, 160));
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
    <ul class="whom" aria-label={COMPARE.changeCrawlers}>
      <li class="note">{COMPARE.changeFor}</li>
      {isEvery && <Chip>{COMPARE.changeEvery}</Chip>}
      {isEvery && list.length > 0 && <li class="note">{COMPARE.changeExcept}</li>}
      {shown.map((name) => (
        <Chip key={name}>{short(name, 60)}</Chip>
      ))}
      {list.length > MAX_SHOWN && (
        <li>
          <button type="button" class="quiet" aria-expanded={isWhole.value} onClick={() => (isWhole.value = !isWhole.value)}>
            {isWhole.value ? COMPARE.changeFewer : COMPARE.changeMore(list.length - MAX_SHOWN)}
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
    ...sitemaps.added.map((url) => COMPARE.besideSitemapAdded(short(url, 160))),
    ...sitemaps.removed.map((url) => COMPARE.besideSitemapRemoved(short(url, 160))),
    ...crawl_delay.map(({ crawlers, old, new: is }) => COMPARE.besideDelay(names(crawlers), COMPARE.besideSeconds(is), COMPARE.besideSeconds(old))),
  ];
  if (lines.length === 0) return null;
  const more = lines.length - 2 * MAX_SHOWN;
  return (
    <section class="changes">
      <h3>{COMPARE.besideTitle}</h3>
      <ul>
        {lines.slice(0, 2 * MAX_SHOWN).map((line, nth) => (
          <li key={nth} class="change wrap">
            {line}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="note">{COMPARE.besideMore(more)}</p>}
    </section>
  );
}

function signalWords({ record, key, crawlers, old, new: is, witness }: DiffSignal): string {
  const now = is ? (is.granted ? COMPARE.besideGranted : COMPARE.besideRefused)(is.line) : COMPARE.besideNotStated;
  const before = old ? (old.granted ? COMPARE.besideGrantedBefore : COMPARE.besideRefusedBefore)(old.line) : COMPARE.besideNotStated;
  return COMPARE.besideSignal(record, names(crawlers), short(key, 60), now, before, short(witness, 120));
}

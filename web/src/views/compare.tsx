/** The comparison of the original and the draft: the verdicts and the lines that change. */

import { isStatic } from "#transport";
import { computed, signal } from "@preact/signals";
import { structuredPatch } from "diff";
import { useEffect, useRef } from "preact/hooks";
import { short } from "../escape";
import { live, type Question } from "../live";
import { isSame, pointedLines, settled } from "../meaning";
import { AbsentFile } from "../parts/absent";
import { Empty, LineLink, Problem, Prose, Scroll, Verdict, Waiting } from "../parts/bits";
import { changeSite, takeFor } from "../parts/site-of-file";
import { SiteField } from "../parts/url-field";
import { doubtOf, fittingUrls, MAX_AGENTS } from "../questions";
import { fetchSite, fetching, trouble } from "../fetching";
import { openOriginal } from "../files";
import { afterSide, draftAsBefore, isUnsure, liveSide, others, sideOf } from "../sides";
import {
  agents,
  announcement,
  crawlers,
  dialect,
  draft,
  linesOf,
  type Original as OriginalText,
  original,
  service,
  toText,
  urls,
  view,
} from "../state";
import { absent, basis, origin } from "../subject";
import type { CheckAnswer, CheckRow } from "../types";
import { when } from "../words";
import * as COMPARE from "../words/compare";
import * as FILE from "../words/file";
import { replace } from "../editor/editor";
import type { Text } from "@codemirror/state";
import { Meaning } from "./meaning";
import { Urls } from "./test";

const allCrawlers = signal(false);

/** The crawlers that both files are checked for. */
const who = computed(() => {
  if (!allCrawlers.value) return agents.value.slice(0, MAX_AGENTS);
  const known = crawlers.value.filter(({ retired }) => !retired).map(({ token }) => token);
  return [...new Set(["*", ...agents.value, ...known])].slice(0, 200);
});

function verdicts(of: () => Text) {
  return live<CheckAnswer>(
    computed<Question | null>(() => {
      const text = of();
      if (view.value !== "compare" || absent.value || isSame.value || isUnsure.value) return null;
      if (urls.value.length === 0 || who.value.length === 0) return null;
      const [asked, agents, read] = [fittingUrls(who.value.length), who.value, dialect.value];
      const by = basis(text, null);
      if (by === null) return null;
      return {
        path: "/v1/check",
        size: text.length,
        body: () => ({ ...by(), urls: asked, agents, dialect: read }),
      };
    }),
  );
}

const before = verdicts(() => original.value?.text ?? draft.value);
const after = verdicts(() => draft.value);

interface Change {
  was: CheckRow;
  is: CheckRow;
}

/** The verdicts that differ; null while the two answers belong to different questions. */
const changes = computed<{ list: Change[]; all: number } | null>(() => {
  const [old, fresh] = [before.answer.value?.answers, after.answer.value?.answers];
  if (!old || !fresh || old.length !== fresh.length) return null;
  const list: Change[] = [];
  for (const [nth, is] of fresh.entries()) {
    const was = old[nth];
    if (!was || was.url !== is.url || was.agent !== is.agent) return null;
    if (was.answer !== is.answer) list.push({ was, is });
  }
  return { list, all: fresh.length };
});

/** The maximum number of rows that are shown. More are only counted. */
const MAX_ROWS = 300;

export function CompareView() {
  if (absent.value) {
    return (
      <AbsentFile missing={absent.value}>
        <p>{COMPARE.noFile}</p>
      </AbsentFile>
    );
  }
  return (
    <>
      <Original />
      {original.value === null || isUnsure.value ? null : isSame.value ? (
        <Empty title={COMPARE.same}>
          <p>{COMPARE.sameMore}</p>
        </Empty>
      ) : (
        <>
          <Meaning />
          <Urls />
          <label class="check">
            <input
              type="checkbox"
              checked={allCrawlers.value}
              onChange={(event) => (allCrawlers.value = event.currentTarget.checked)}
            />
            <span>{COMPARE.all(crawlers.value.length, agents.value.length)}</span>
          </label>
          <Changes />
          <Lines />
        </>
      )}
    </>
  );
}

/** A form that fetches the live file as the original, without replacing the draft. */
function LiveFile() {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void fetchSite("original");
      }}
    >
      <label for="live">{COMPARE.liveSite}</label>
      <div class="row tight">
        <SiteField id="live" />
        <button type="submit" disabled={fetching.value}>
          {fetching.value ? COMPARE.fetching : COMPARE.fetch}
        </button>
      </div>
    </form>
  );
}

const pasted = signal("");

/** Exchanges the two texts. */
function swap({ text }: OriginalText): void {
  original.value = draftAsBefore();
  replace(text);
}

/** The two questions that can be asked if one text is the live file. Each has an order of the two. */
function Order({ before }: { before: OriginalText }) {
  const side = liveSide.value;
  if (side === null) return null;
  const live = side === "before" ? sideOf(before).name : afterSide.value.name;
  const choose = (wanted: "before" | "after"): void => {
    if (side === wanted) original.value = { ...before, isChosen: true };
    else swap(before);
  };
  return (
    <fieldset class="choices goals">
      <legend>{COMPARE.ask}</legend>
      {isUnsure.value && <p class="note">{COMPARE.askMore}</p>}
      <label class="check">
        <input type="radio" name="order" checked={side === "before" && !isUnsure.value} onChange={() => choose("before")} />
        <span>{COMPARE.askDraft(live)}</span>
      </label>
      <label class="check">
        <input type="radio" name="order" checked={side === "after"} onChange={() => choose("after")} />
        <span>{COMPARE.askSince(live)}</span>
      </label>
    </fieldset>
  );
}

/** A button that opens a file as the original. */
function OpenOriginal() {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={field}
        type="file"
        hidden
        accept=".txt,text/plain"
        onChange={(event) => {
          trouble.value = null;
          void openOriginal(event.currentTarget.files);
        }}
      />
      <button type="button" onClick={() => field.current?.click()}>
        {COMPARE.open}
      </button>
    </>
  );
}

function Original() {
  const before = original.value;
  return (
    <div class="original">
      {before === null ? (
        <p class="empty-title">{COMPARE.none}</p>
      ) : (
        <>
          {!isUnsure.value && (
            <div class="row spread">
              <p>{COMPARE.original(sideOf(before).long, linesOf(before.text), afterSide.value.long, linesOf(draft.value))}</p>
              <button type="button" disabled={isSame.value} onClick={() => swap(before)}>
                {COMPARE.swap}
              </button>
            </div>
          )}
          {!isStatic && <Order before={before} />}
        </>
      )}
      <OtherOriginal />
      <div class="row">
        <OpenOriginal />
        {others.value.map((other) => (
          <button key={other.from + other.at} type="button" onClick={() => (original.value = other)}>
            {COMPARE.compareWith(sideOf(other).long)}
          </button>
        ))}
        <button
          type="button"
          disabled={isSame.value}
          onClick={() => (original.value = { text: draft.value, from: FILE.originalsKept(when(new Date().toISOString())) })}
        >
          {COMPARE.keep}
        </button>
        {before !== null && (
          <button type="button" disabled={isSame.value} onClick={() => replace(before.text)}>
            {COMPARE.putBack}
          </button>
        )}
      </div>
      <p class="note">{COMPARE.harmless}</p>
      {trouble.value?.goal === "original" && (
        <p class="note warn" role="alert">
          <Prose text={trouble.value.text} most={600} />
        </p>
      )}
      {!isStatic && service.value?.fetches !== false && <LiveFile />}
      <details open={before === null}>
        <summary>{COMPARE.paste}</summary>
        <label for="pasted">{COMPARE.pasteField}</label>
        <textarea
          id="pasted"
          class="mono"
          rows={5}
          spellcheck={false}
          value={pasted.value}
          onInput={(event) => (pasted.value = event.currentTarget.value)}
        />
        <button
          type="button"
          onClick={() => {
            original.value = { text: toText(pasted.value), from: FILE.originalsPasted(when(new Date().toISOString())) };
            pasted.value = "";
          }}
        >
          {COMPARE.pasteUse}
        </button>
      </details>
    </div>
  );
}

/** A warning if the two files belong to different sites. */
function OtherOriginal() {
  const [theirs, mine] = [original.value?.site, origin.value];
  if (theirs === undefined || mine === null || theirs === mine) return null;
  return (
    <p class="note warn">
      {COMPARE.otherSites(short(theirs, 100), short(mine, 100))}{" "}
      <button type="button" class="line-link" onClick={() => takeFor(theirs)}>
        {COMPARE.otherSitesTheirs(short(theirs, 100))}
      </button>{" "}
      <button type="button" class="line-link" onClick={changeSite}>
        {COMPARE.otherSitesChange}
      </button>
    </p>
  );
}

function Changes() {
  const found = changes.value;
  const said = found
    ? found.list.length === 0
      ? COMPARE.changesNone(found.all)
      : COMPARE.changesSome(found.list.length, found.all)
    : "";
  useEffect(() => {
    if (said === "") return undefined;
    const timer = setTimeout(() => (announcement.value = said), 700);
    return () => clearTimeout(timer);
  }, [said]);
  const refusal = after.problem.value ?? before.problem.value;
  if (refusal) return <Problem refusal={refusal} />;
  if (urls.value.length === 0 || who.value.length === 0) {
    return <Empty title={COMPARE.changesNothing}>{<p>{COMPARE.changesNothingMore}</p>}</Empty>;
  }
  if (!found) return <Waiting />;
  const asked = fittingUrls(who.value.length).length;
  const isStale = before.isStale.value || after.isStale.value;
  const freed = found.list.filter(({ is }) => is.answer === "allowed").length;
  const blocked = found.list.filter(({ is }) => is.answer === "disallowed").length;
  return (
    <div class={isStale ? "part stale" : "part"} aria-busy={before.pending.value || after.pending.value}>
      <p class="summary">
        {said}
        {freed > 0 && COMPARE.changesAllowed(freed)}
        {blocked > 0 && COMPARE.changesBlocked(blocked)}
      </p>
      {asked < urls.value.length && <p class="note warn">{COMPARE.changesFirstUrls(asked, urls.value.length)}</p>}
      {found.list.length > 0 && (
        <Scroll label={COMPARE.changesTable}>
          <table class="plain pairs">
            <thead>
              <tr>
                <th scope="col">{COMPARE.changesQuestion}</th>
                <th scope="col">{COMPARE.changesOriginal}</th>
                <th scope="col">{COMPARE.changesDraft}</th>
              </tr>
            </thead>
            <tbody>
              {found.list.slice(0, MAX_ROWS).map(({ was, is }) => (
                <tr key={`${is.url} ${is.agent}`}>
                  <th scope="row">
                    <span class="url-path mono wrap" dir="ltr">
                      {short(is.url, 160)}
                    </span>
                    <span class="agent-operator">{is.agent === "*" ? COMPARE.changesAnyone : short(is.agent, 60)}</span>
                  </th>
                  <td>
                    <Verdict answer={was.answer} line={was.line} doubt={doubtOf(was)} />
                  </td>
                  <td>
                    <Verdict answer={is.answer} line={is.line} doubt={doubtOf(is)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {found.list.length > MAX_ROWS && <p class="note">{COMPARE.changesMore(found.list.length - MAX_ROWS)}</p>}
    </div>
  );
}

/** The maximum number of edits for which the lines of the two texts are compared. */
const MAX_EDITS = 1_500;

const TOO_MUCH = "too-much";

const patch = computed(() => {
  const texts = settled.value;
  if (!texts) return null;
  const [old, fresh] = [texts.old.toString(), texts.new.toString()];
  return structuredPatch("", "", old, fresh, "", "", { context: 2, maxEditLength: MAX_EDITS, timeout: 150 }) ?? TOO_MUCH;
});

function Lines() {
  const found = patch.value;
  const isPointed = pointedLines.value;
  if (!found) return null;
  return (
    <section aria-labelledby="lines-title">
      <h2 id="lines-title">{COMPARE.linesTitle}</h2>
      {found === TOO_MUCH ? (
        <p class="note">{COMPARE.linesTooMuch}</p>
      ) : (
        <Scroll label={COMPARE.linesTable}>
          <table class="diff">
            <thead class="unseen">
              <tr>
                <th scope="col">{COMPARE.linesOriginal}</th>
                <th scope="col">{COMPARE.linesDraft}</th>
                <th scope="col">{COMPARE.linesChange}</th>
                <th scope="col">{COMPARE.linesText}</th>
              </tr>
            </thead>
            {found.hunks.slice(0, 60).map((hunk) => {
              let [was, is] = [hunk.oldStart - 1, hunk.newStart - 1];
              return (
                <tbody key={`${hunk.oldStart} ${hunk.newStart}`}>
                  {hunk.lines
                    .filter((line) => !line.startsWith("\\"))
                    .map((line, nth) => {
                      const sign = line.charAt(0);
                      if (sign !== "-") is += 1;
                      if (sign !== "+") was += 1;
                      const kind = sign === "+" ? "added" : sign === "-" ? "removed" : "same";
                      const matters =
                        (sign !== "+" && isPointed?.old.has(was)) || (sign !== "-" && isPointed?.new.has(is));
                      return (
                        <tr key={nth} class={matters ? `${kind} pointed` : kind}>
                          <td class="number">{sign === "+" ? "" : was}</td>
                          <td class="number">{sign === "-" ? "" : <LineLink line={is}>{is}</LineLink>}</td>
                          <td class="diff-sign">
                            <span aria-hidden="true">{sign === "-" ? "−" : sign}</span>
                            <span class="unseen">{COMPARE.linesKinds[kind]}</span>
                          </td>
                          <td class="mono wrap" dir="ltr">
                            {short(line.slice(1), 500) || " "}
                          </td>
                        </tr>
                      );
                    })}
                </tbody>
              );
            })}
          </table>
        </Scroll>
      )}
    </section>
  );
}

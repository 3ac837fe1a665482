/** The comparison of the original and the draft: the verdicts and the lines that change. */

import { isStatic } from "#transport";
import { computed, signal } from "@preact/signals";
import { structuredPatch } from "diff";
import { useEffect } from "preact/hooks";
import { short } from "../escape";
import { live, type Question } from "../live";
import { isSame, pointedLines, settled } from "../meaning";
import { AbsentFile } from "../parts/absent";
import { Empty, LineLink, Problem, Prose, Scroll, Verdict, Waiting } from "../parts/bits";
import { SiteField } from "../parts/url-field";
import { doubtOf, fittingUrls, MAX_AGENTS } from "../questions";
import { fetchSite, fetching, trouble } from "../fetching";
import {
  agents,
  announcement,
  crawlers,
  dialect,
  draft,
  linesOf,
  original,
  service,
  toText,
  urls,
  view,
} from "../state";
import { absent, basis, origin } from "../subject";
import type { CheckAnswer, CheckRow } from "../types";
import { count } from "../words";
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
      if (view.value !== "compare" || absent.value || isSame.value) return null;
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

const before = verdicts(() => original.value.text);
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
        <p>There is no file to compare the text with.</p>
      </AbsentFile>
    );
  }
  return (
    <>
      <Original />
      {isSame.value ? (
        <Empty title="No difference yet">
          <p>
            The draft is your text in the editor, and it is still the same as the original. Change it, and this view shows
            which verdicts change.
          </p>
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
            <span>Test all {crawlers.value.length > 0 ? crawlers.value.length : ""} known crawlers, not only the {count(agents.value.length, "chosen one")}</span>
          </label>
          <Changes />
          <Lines />
        </>
      )}
    </>
  );
}

function originalWords(): string {
  const { from } = original.value;
  return /^https?:/.test(from) ? `the live file, ${short(from, 100)}` : from;
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
      <label for="live">Compare with the live file of</label>
      <div class="row tight">
        <SiteField id="live" />
        <button type="submit" disabled={fetching.value}>
          {fetching.value ? "Fetching…" : "Fetch it"}
        </button>
      </div>
      {trouble.value?.goal === "original" && (
        <p class="note warn" role="alert">
          <Prose text={trouble.value.text} most={600} />
        </p>
      )}
    </form>
  );
}

const pasted = signal("");

function Original() {
  return (
    <div class="original">
      <p>
        <strong>Original:</strong> {originalWords()}, {count(linesOf(original.value.text), "line")}. The draft is your text in the editor.
      </p>
      <OtherOriginal />
      <div class="row">
        <button
          type="button"
          disabled={isSame.value}
          onClick={() => (original.value = { text: draft.value, from: "a draft that you kept" })}
        >
          Compare with this draft from now on
        </button>
        <button type="button" disabled={isSame.value} onClick={() => replace(original.value.text)}>
          Put the original into the editor
        </button>
      </div>
      <p class="note">Neither button changes your site. Ctrl Z in the editor brings your changes back.</p>
      {!isStatic && service.value?.fetches !== false && <LiveFile />}
      <details>
        <summary>Paste another original</summary>
        <label for="pasted">The file that is live now</label>
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
            original.value = { text: toText(pasted.value), from: "what you pasted" };
            pasted.value = "";
          }}
        >
          Compare with this
        </button>
      </details>
    </div>
  );
}

/** A warning if the two files belong to different sites. */
function OtherOriginal() {
  const [theirs, mine] = [original.value.site, origin.value];
  if (theirs === undefined || mine === null || theirs === mine) return null;
  return (
    <p class="note warn">
      The original is the file of {short(theirs, 100)}. The draft is tested as that of {short(mine, 100)}, and so
      is the original.
    </p>
  );
}

function Changes() {
  const found = changes.value;
  const said = found
    ? found.list.length === 0
      ? `None of ${count(found.all, "verdict")} changes.`
      : `${found.list.length} of ${count(found.all, "verdict")} ${found.list.length === 1 ? "changes" : "change"}.`
    : "";
  useEffect(() => {
    if (said === "") return undefined;
    const timer = setTimeout(() => (announcement.value = said), 700);
    return () => clearTimeout(timer);
  }, [said]);
  const refusal = after.problem.value ?? before.problem.value;
  if (refusal) return <Problem refusal={refusal} />;
  if (urls.value.length === 0 || who.value.length === 0) {
    return <Empty title="Nothing is asked">{<p>Write URLs above, and choose crawlers in the view Test.</p>}</Empty>;
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
        {freed > 0 && ` ${freed} newly allowed.`}
        {blocked > 0 && ` ${blocked} newly blocked.`}
      </p>
      {asked < urls.value.length && (
        <p class="note warn">
          These are about the first {asked.toLocaleString("en")} of {urls.value.length.toLocaleString("en")} URLs.
        </p>
      )}
      {found.list.length > 0 && (
        <Scroll label="Verdicts that change">
          <table class="plain pairs">
            <thead>
              <tr>
                <th scope="col">URL and crawler</th>
                <th scope="col">Original</th>
                <th scope="col">Draft</th>
              </tr>
            </thead>
            <tbody>
              {found.list.slice(0, MAX_ROWS).map(({ was, is }) => (
                <tr key={`${is.url} ${is.agent}`}>
                  <th scope="row">
                    <span class="url-path mono wrap" dir="ltr">
                      {short(is.url, 160)}
                    </span>
                    <span class="agent-operator">{is.agent === "*" ? "anyone" : short(is.agent, 60)}</span>
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
      {found.list.length > MAX_ROWS && <p class="note">and {found.list.length - MAX_ROWS} more.</p>}
    </div>
  );
}

/** The maximum number of edits for which the lines of the two texts are compared. */
const MAX_EDITS = 1_500;

const patch = computed(() => {
  const texts = settled.value;
  if (!texts) return null;
  const [old, fresh] = [texts.old.toString(), texts.new.toString()];
  return structuredPatch("", "", old, fresh, "", "", { context: 2, maxEditLength: MAX_EDITS, timeout: 150 }) ?? "too much";
});

function Lines() {
  const found = patch.value;
  const isPointed = pointedLines.value;
  if (!found) return null;
  return (
    <section aria-labelledby="lines-title">
      <h2 id="lines-title">Lines</h2>
      {found === "too much" ? (
        <p class="note">The two texts have too little in common to set them side by side.</p>
      ) : (
        <Scroll label="Lines that differ">
          <table class="diff">
            <thead class="unseen">
              <tr>
                <th scope="col">Line in the original</th>
                <th scope="col">Line in the draft</th>
                <th scope="col">Change</th>
                <th scope="col">Text</th>
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
                            <span class="unseen">{kind}</span>
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

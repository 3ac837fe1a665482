/** Writes a robots.txt from choices. The service proves that the file keeps them. */

import { computed, signal } from "@preact/signals";
import { blocksTraining, choose, NO_TRAINING, prefers, preset } from "../choices";
import { short, visible } from "../escape";
import { live, type Question } from "../live";
import { Answered, Waiting } from "../parts/bits";
import { replacing } from "../replaced";
import { announcement, crawlers, draft, toText, view } from "../state";
import { absent, fileOf, forgetSource, isFromExample, judgeByDraft } from "../subject";
import type { Crawler, DiffAnswer, GenerateAnswer } from "../types";
import { andMore } from "../words";
import * as WRITE from "../words/generate";
import * as FILE from "../words/file";

const blocksAi = signal(false);
const explains = signal(false);
/** True if the choices are added to the text in the editor; null as long as the user has not decided. */
const isAdded = signal<boolean | null>(null);
const protectedPaths = signal("");
const allowedPaths = signal("");
const blockedNames = signal("");
const sitemaps = signal("");

function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Presets that block everything cannot be added to a file, which keeps its rules. */
const canAdd = computed(() => preset.value !== "staging" && preset.value !== "search-only");

/** True if the choices are added to the user's own file, whose rules would be lost otherwise. */
const adds = computed(() => canAdd.value && !absent.value && (isAdded.value ?? (draft.value.length > 0 && !isFromExample.value)));

const written = live<GenerateAnswer>(
  computed<Question | null>(() => {
    if (view.value !== "generate") return null;
    const choices = {
      // This one consists of two choices, which are sent by themselves: they can be added to a file, and taken back.
      preset: preset.value === NO_TRAINING ? null : preset.value || null,
      block_ai_training: blocksTraining.value,
      block_ai: blocksAi.value,
      preferences: prefers.value,
      explain: explains.value,
      protect: lines(protectedPaths.value),
      allow_path: lines(allowedPaths.value),
      block: lines(blockedNames.value),
      sitemap: lines(sitemaps.value),
    };
    const text = adds.value ? draft.value : null;
    return { path: "/v1/generate", size: text?.length ?? 0, body: () => ({ ...choices, ...(text ? fileOf(text) : {}) }) };
  }),
  3,
);

export function GenerateView() {
  return (
    <>
      <p class="lead">{WRITE.lead}</p>
      <fieldset class="choices">
        <legend>{WRITE.kind}</legend>
        {WRITE.presets.map(([name, title, about]) => (
          <label key={name} class="choice">
            <input type="radio" name="preset" value={name} checked={preset.value === name} onChange={() => choose(name)} />
            <span>
              <strong>{title}</strong> <span class="note">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset class="choices">
        <legend>{WRITE.ai}</legend>
        <Check value={blocksTraining} words={WRITE.blocksTraining} />
        <Check value={blocksAi} words={WRITE.blocksAi} />
        <Check value={prefers} words={WRITE.prefers} />
      </fieldset>
      <Check value={explains} words={WRITE.explains} />
      <details>
        <summary>{WRITE.more}</summary>
        <p class="note">{WRITE.paths}</p>
        <div class="asked">
          <Lines id="protect" value={protectedPaths} words={WRITE.protect} />
          <Lines id="allow-path" value={allowedPaths} words={WRITE.allow} />
          <Lines id="block" value={blockedNames} words={WRITE.block} />
          <Lines id="sitemap" value={sitemaps} words={WRITE.sitemaps} />
        </div>
      </details>
      <fieldset class="choices goals">
        <legend>{WRITE.goal}</legend>
        <label class="check">
          <input type="radio" name="goal" checked={!adds.value} onChange={() => (isAdded.value = false)} />
          {WRITE.newFile}
        </label>
        <label class="check">
          <input type="radio" name="goal" checked={adds.value} disabled={!canAdd.value || absent.value !== null} onChange={() => (isAdded.value = true)} />
          {WRITE.addToFile}
        </label>
        {!canAdd.value && <p class="note">{WRITE.onlyNew}</p>}
      </fieldset>
      <Answered to={written}>
        {written.answer.value ? <Written found={written.answer.value} /> : written.problem.value ? null : <Waiting />}
      </Answered>
    </>
  );
}

function Check({ value, words: [title, note] }: { value: typeof prefers; words: [title: string, note: string] }) {
  return (
    <label class="choice">
      <input type="checkbox" checked={value.value} onChange={(event) => (value.value = event.currentTarget.checked)} />
      <span>
        <strong>{title}</strong> <span class="note">{note}</span>
      </span>
    </label>
  );
}

function Lines({ id, value, words: [label, example] }: { id: string; value: typeof preset; words: [label: string, example: string] }) {
  return (
    <div class="field">
      <label for={`generate-${id}`}>
        {label} <span class="note">{WRITE.eachLine}</span>
      </label>
      <textarea
        id={`generate-${id}`}
        class="mono"
        rows={2}
        spellcheck={false}
        autocapitalize="off"
        placeholder={example}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </div>
  );
}

/** The places for the file in common programs. */
function Publish() {
  return (
    <details>
      <summary>{WRITE.publishTitle}</summary>
      <dl class="publish">
        {WRITE.publishPlaces.map(([name, how]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{how}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** The crawlers that the choices are about, but that no line can block: a name with a space cannot be written. */
function Unnamed() {
  const isMeant = ({ purpose }: Crawler): boolean =>
    blocksAi.value ? AI_PURPOSES.includes(purpose) : blocksTraining.value && purpose === "ai-training";
  const names = crawlers.value.filter((one) => isMeant(one) && !one.retired && /[^!-~]/.test(one.token)).map(({ token }) => token);
  if (names.length === 0 || !canAdd.value) return null;
  return <p>{WRITE.writtenUnnamed(names.length, short(names.join(", "), 400), prefers.value)}</p>;
}

const AI_PURPOSES = ["ai-training", "ai-search", "user-triggered"];

const MAX_PROMISES = 200;

/** The maximum number of lines that are shown. The editor gets all of them. */
const MAX_LINES = 1_000;

/** Returns the text of the file, in which only line ends are not escaped. */
function shown(text: string): string {
  const all = text.split("\n");
  const more = all.length > MAX_LINES ? [WRITE.writtenMoreLines(all.length - MAX_LINES)] : [];
  return [...all.slice(0, MAX_LINES).map(visible), ...more].join("\n");
}

/** Returns the promises, those about the crawlers that the user named first. */
function promisesOf(found: GenerateAnswer): string[] {
  const named = lines(blockedNames.value).map((name) => `${name} `);
  const isNamed = (promise: string): boolean => named.some((name) => promise.startsWith(name));
  return [...found.checked.filter(isNamed), ...found.checked.filter((promise) => !isNamed(promise))];
}

/** Returns true if a change of the file changes nothing for any URL, preference, sitemap or crawl delay. */
function changesNothing({ outcome, signals, beside }: DiffAnswer): boolean {
  const { sitemaps: { added, removed }, crawl_delay } = beside;
  return outcome === "same" && [signals, added, removed, crawl_delay].every(({ length }) => length === 0);
}

function Written({ found }: { found: GenerateAnswer }) {
  const changes = found.changes;
  const isThere = draft.value.eq(toText(found.text)) || (changes !== undefined && changesNothing(changes));
  const use = (): void => {
    // The written file is no reason to add the next choices to it.
    isAdded.value = adds.value;
    replacing(FILE.replacedWritten, () => {
      if (changes) judgeByDraft();
      else forgetSource();
      draft.value = toText(found.text);
    });
    announcement.value = WRITE.writtenIsUsed;
  };
  return (
    <section aria-labelledby="written-title" aria-busy={written.pending.value}>
      <div class="row spread">
        <h2 id="written-title">{WRITE.writtenTitle}</h2>
        <button type="button" class="primary" disabled={isThere || !written.isCurrent.value} onClick={use}>
          {WRITE.writtenUse}
        </button>
      </div>
      {isThere && <p>{WRITE.writtenIsThere}</p>}
      <Unnamed />
      <p class="note">{WRITE.writtenYourSite}</p>
      <pre class="written" tabIndex={0} aria-label={WRITE.writtenLabel} dir="ltr">
        {shown(found.text)}
      </pre>
      <Publish />
      {changes && !isThere && (
        <p class="note">
          {changes.outcome === "same"
            ? WRITE.writtenSame
            : WRITE.writtenChanges(changes.changes.length)}
        </p>
      )}
      <details>
        <summary>{WRITE.writtenChecked(found.checked.length)}</summary>
        <ul class="statements note">
          {promisesOf(found).slice(0, MAX_PROMISES).map((promise, nth) => (
            <li key={nth}>{short(promise, 200)}</li>
          ))}
          {found.checked.length > MAX_PROMISES && <li>{andMore(found.checked.length - MAX_PROMISES)}</li>}
        </ul>
      </details>
    </section>
  );
}

/** Writes a robots.txt from choices. The service proves that the file keeps them. */

import { computed, signal } from "@preact/signals";
import { short, visible } from "../escape";
import { live, type Question } from "../live";
import { Answered, Waiting } from "../parts/bits";
import { replacing } from "../replaced";
import { announcement, draft, toText, view } from "../state";
import { absent, fileOf, forgetSource, judgeByDraft } from "../subject";
import type { GenerateAnswer } from "../types";
import { count, PUBLISH } from "../words";

const PRESETS: [name: string, title: string, about: string][] = [
  ["", "Start empty", "Everything is allowed, except what you choose below."],
  ["wordpress", "A WordPress site", "Keeps crawlers out of the dashboard, and of the pages that your site’s own search makes. Your other pages stay open."],
  ["shop", "A shop", "Keeps crawlers out of the cart, the checkout, accounts, and sorted lists."],
  ["block-ai-training", "No AI training", "Blocks the known crawlers that collect text to train AI. AI search stays allowed. The same as “Block crawlers for AI training” and “Also write down how AI and search may use the pages” below."],
  ["search-only", "Search engines only", "Blocks every crawler except those of search engines."],
  ["staging", "Nobody: block everything (for a test copy)", "Blocks every crawler. Use a password too: not every crawler obeys."],
];

const preset = signal("");
const blocksTraining = signal(false);
const blocksAi = signal(false);
const prefers = signal(false);
const explains = signal(false);
const isAdded = signal(false);
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

/** Chooses a kind of site, and the choices that it consists of, so that these can be seen and changed. */
function choose(name: string): void {
  if (name === "block-ai-training" || preset.value === "block-ai-training") {
    blocksTraining.value = name === "block-ai-training";
    prefers.value = name === "block-ai-training";
  }
  preset.value = name;
}

/** Presets that block everything cannot be added to a file, which keeps its rules. */
const canAdd = computed(() => preset.value !== "staging" && preset.value !== "search-only");

const written = live<GenerateAnswer>(
  computed<Question | null>(() => {
    if (view.value !== "generate") return null;
    const choices = {
      // This one consists of two choices, which are sent by themselves: they can be added to a file, and taken back.
      preset: preset.value === "block-ai-training" ? null : preset.value || null,
      block_ai_training: blocksTraining.value,
      block_ai: blocksAi.value,
      preferences: prefers.value,
      explain: explains.value,
      protect: lines(protectedPaths.value),
      allow_path: lines(allowedPaths.value),
      block: lines(blockedNames.value),
      sitemap: lines(sitemaps.value),
    };
    const text = isAdded.value && canAdd.value && !absent.value ? draft.value : null;
    return { path: "/v1/generate", size: text?.length ?? 0, body: () => ({ ...choices, ...(text ? fileOf(text) : {}) }) };
  }),
  3,
);

export function GenerateView() {
  return (
    <>
      <p class="lead">
        Choose, and get a finished file. Before you see it, it is checked that every known crawler gets exactly the answers
        that you chose.
      </p>
      <fieldset class="choices">
        <legend>What kind of site is it?</legend>
        {PRESETS.map(([name, title, about]) => (
          <label key={name} class="choice">
            <input type="radio" name="preset" value={name} checked={preset.value === name} onChange={() => choose(name)} />
            <span>
              <strong>{title}</strong> <span class="note">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset class="choices">
        <legend>What about AI?</legend>
        <Check value={blocksTraining} note="They collect texts and images from which AI learns, such as GPTBot.">
          Block crawlers for AI training
        </Check>
        <Check value={blocksAi} note="For training, for AI search, and those that answer a person’s question. AI answers may then leave out your site.">
          Block all AI crawlers
        </Check>
        <Check value={prefers} note="A line such as “Content-Signal: ai-train=no” asks those that may fetch. Few promise to respect it.">
          Also write down how AI and search may use the pages
        </Check>
      </fieldset>
      <Check value={explains} note="For you; crawlers skip it.">
        Put a comment above each line that says what it does
      </Check>
      <details>
        <summary>More choices: paths, crawlers, sitemaps</summary>
        <p class="note">
          A path is the part of an address after the name of the site: of https://shop.example/drafts/spring it is
          /drafts/spring. A rule for /drafts/ covers everything in that folder.
        </p>
        <div class="asked">
          <Lines id="protect" value={protectedPaths} label="Paths that no crawler may fetch" example={"/drafts/\nGooglebot:/old/"} />
          <Lines id="allow-path" value={allowedPaths} label="Exceptions: paths that stay allowed" example="/drafts/public/" />
          <Lines id="block" value={blockedNames} label="Crawlers to block" example="GPTBot" />
          <Lines id="sitemap" value={sitemaps} label="Addresses of sitemaps, which list your pages for search engines" example="https://shop.example/sitemap.xml" />
        </div>
      </details>
      <fieldset class="choices goals">
        <legend>What do you want?</legend>
        <label class="check">
          <input type="radio" name="goal" checked={!isAdded.value || !canAdd.value} onChange={() => (isAdded.value = false)} />A new file
        </label>
        <label class="check">
          <input type="radio" name="goal" checked={isAdded.value && canAdd.value} disabled={!canAdd.value || absent.value !== null} onChange={() => (isAdded.value = true)} />
          My file in the editor, with these choices added to it
        </label>
        {!canAdd.value && <p class="note">These choices replace all rules, so they need a new file.</p>}
      </fieldset>
      <Answered to={written}>
        {written.answer.value ? <Written found={written.answer.value} /> : written.problem.value ? null : <Waiting />}
      </Answered>
    </>
  );
}

function Check({ value, note, children }: { value: typeof prefers; note: string; children: preact.ComponentChildren }) {
  return (
    <label class="choice">
      <input type="checkbox" checked={value.value} onChange={(event) => (value.value = event.currentTarget.checked)} />
      <span>
        <strong>{children}</strong> <span class="note">{note}</span>
      </span>
    </label>
  );
}

function Lines({ id, value, label, example }: { id: string; value: typeof preset; label: string; example: string }) {
  return (
    <div class="field">
      <label for={`generate-${id}`}>
        {label} <span class="note">(one on each line)</span>
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
      <summary>{PUBLISH.title}</summary>
      <dl class="publish">
        {PUBLISH.places.map(([name, how]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{how}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const MAX_PROMISES = 200;

/** The maximum number of lines that are shown. The editor gets all of them. */
const MAX_LINES = 1_000;

/** Returns the text of the file, in which only line ends are not escaped. */
function shown(text: string): string {
  const all = text.split("\n");
  const more = all.length > MAX_LINES ? [`and ${(all.length - MAX_LINES).toLocaleString("en")} more lines`] : [];
  return [...all.slice(0, MAX_LINES).map(visible), ...more].join("\n");
}

/** Returns the promises, those about the crawlers that the user named first. */
function promisesOf(found: GenerateAnswer): string[] {
  const named = lines(blockedNames.value).map((name) => `${name} `);
  const isNamed = (promise: string): boolean => named.some((name) => promise.startsWith(name));
  return [...found.checked.filter(isNamed), ...found.checked.filter((promise) => !isNamed(promise))];
}

function Written({ found }: { found: GenerateAnswer }) {
  const changes = found.changes;
  const use = (): void => {
    replacing("the written file", () => {
      if (changes) judgeByDraft();
      else forgetSource();
      draft.value = toText(found.text);
    });
    announcement.value = "The written file is in the editor.";
  };
  return (
    <section aria-labelledby="written-title" aria-busy={written.pending.value}>
      <div class="row spread">
        <h2 id="written-title">Your new file</h2>
        <button type="button" class="primary" disabled={!written.isCurrent.value} onClick={use}>
          Put this file into the editor
        </button>
      </div>
      <p class="note">
        Your site does not change: to use the file, put it at /robots.txt of your site. The button replaces the text in
        the editor; another one then brings it back.
      </p>
      <pre class="written" tabIndex={0} aria-label="The written file" dir="ltr">
        {shown(found.text)}
      </pre>
      <Publish />
      {changes && (
        <p class="note">
          {changes.outcome === "same"
            ? "Compared with your file, nothing changes for any URL."
            : `Compared with your file: ${count(changes.changes.length, "change")}. Put it into the editor, and the view Compare shows each.`}
        </p>
      )}
      <details>
        <summary>{count(found.checked.length, "answer was", "answers were")} checked</summary>
        <ul class="statements note">
          {promisesOf(found).slice(0, MAX_PROMISES).map((promise, nth) => (
            <li key={nth}>{short(promise, 200)}</li>
          ))}
          {found.checked.length > MAX_PROMISES && <li>and {(found.checked.length - MAX_PROMISES).toLocaleString("en")} more</li>}
        </ul>
      </details>
    </section>
  );
}

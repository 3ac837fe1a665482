/** The mistakes in the file: their places, the affected crawlers, and fixes. */

import type { Text } from "@codemirror/state";
import { signal, useSignal } from "@preact/signals";
import { applyEdits, focusEditor, goTo } from "../editor/editor";
import { effectOfFix } from "../editor/removal";
import { findings } from "../editor/shown";
import { short, visible } from "../escape";
import { AbsentFile } from "../parts/absent";
import { changeSite } from "../parts/site-of-file";
import { replacing } from "../replaced";
import { Answered, Empty, LineLink, Problem, Prose, Waiting } from "../parts/bits";
import { checked } from "../questions";
import { announcement, dialect, draft, lints, toText } from "../state";
import { absent, named } from "../subject";
import type { Finding } from "../types";
import { capital, count, listLines } from "../words";

const SEVERITIES: [Finding["severity"], string, string][] = [
  ["error", "Errors", "It does something else than it says."],
  ["warning", "Warnings", "Probably not what was meant, or not what every crawler makes of it."],
  ["note", "Notes", "Good to know; often meant that way."],
];

/** The number of findings that are shown first. More are shown on demand. */
const MAX_FINDINGS = 100;
const more = signal(false);

export function LintView() {
  if (absent.value) {
    return (
      <AbsentFile missing={absent.value}>
        <p>There is no file to look for mistakes in.</p>
      </AbsentFile>
    );
  }
  const { answer, pending, problem } = checked;
  const list = findings.value?.list ?? [];
  if (draft.value.length === 0) {
    return (
      <Empty title="Nothing to check">
        <p>The file is empty, and an empty file allows everything.</p>
      </Empty>
    );
  }
  if (!answer.value) return problem.value ? <Problem refusal={problem.value} /> : <Waiting />;
  if (list.length === 0) {
    return (
      <Empty title="No mistakes found">
        <p>Nothing in this file looks wrong. The view Test shows whether it does what you want.</p>
      </Empty>
    );
  }
  const safe = list.filter(({ fix }) => fix?.safety === "safe");
  const { fixed } = answer.value;
  const isCurrent = findings.value?.text === draft.value;
  // The worst findings come first, so that none is missed because it is at the end of a long file.
  const ranked = SEVERITIES.flatMap(([severity]) => list.filter((finding) => finding.severity === severity));
  const shown = ranked.slice(0, more.value ? 2_000 : MAX_FINDINGS);
  return (
    <section aria-label="Findings" aria-busy={pending.value}>
      <Answered to={checked}>
        <div class="row spread">
          <p class="summary">{summary(list)}</p>
          {safe.length > 0 && fixed !== null && (
            <button
              type="button"
              class="primary"
              disabled={!isCurrent}
              onClick={() => {
                replacing(`the text with ${count(safe.length, "safe fix", "safe fixes")}`, () => (draft.value = toText(fixed)));
                // With the focus in the editor, Ctrl Z works.
                focusEditor();
                announcement.value = `${count(safe.length, "safe fix", "safe fixes")} applied.`;
              }}
            >
              Apply {safe.length === 1 ? "the safe fix" : `the ${safe.length} safe fixes`} ({listLines([...new Set(safe.map(({ line }) => line))])})
            </button>
          )}
        </div>
        {safe.length > 0 && fixed !== null && (
          <p class="note">
            Safe fixes change no verdict that this test gives for a known crawler (except as the old draft of 1996).
            {safe.some(({ code }) => code === MISSPELLED) && " Crawlers that ignored a misspelled line may follow it afterwards."}
          </p>
        )}
        {safe.length > 0 && safe.length < list.length && fixed !== null && (
          <p class="note">
            The other {count(list.length - safe.length, "finding needs", "findings need")} your decision.
          </p>
        )}
        {SEVERITIES.map(([severity, title, meaning]) => {
          const of = shown.filter((finding) => finding.severity === severity);
          if (of.length === 0) return null;
          return (
            <section key={severity} class="findings">
              <h2>
                <span class={`mark mark-${severity}`} aria-hidden="true" /> {title} <span class="note">{meaning}</span>
              </h2>
              <ul>
                {byCode(of).map((alike) => (
                  <Alike key={alike[0]?.code} findings={alike} isCurrent={isCurrent} />
                ))}
              </ul>
            </section>
          );
        })}
        {list.length > shown.length && (
          <button type="button" onClick={() => (more.value = true)}>
            Show {list.length - shown.length} more
          </button>
        )}
      </Answered>
    </section>
  );
}

/** The number of findings of one lint that are shown. More are folded. */
const MAX_UNFOLDED = 3;

/** Groups findings by lint, in the order of the first finding of each. */
function byCode(list: Finding[]): Finding[][] {
  const found = new Map<string, Finding[]>();
  for (const finding of list) {
    const alike = found.get(finding.code);
    if (alike) alike.push(finding);
    else found.set(finding.code, [finding]);
  }
  return [...found.values()];
}

function Alike({ findings, isCurrent }: { findings: Finding[]; isCurrent: boolean }) {
  const item = (finding: Finding, nth: number) => (
    <Item key={`${finding.line} ${nth}`} finding={finding} isCurrent={isCurrent} />
  );
  // One more finding needs no more room than the folded list.
  const first = findings.length > MAX_UNFOLDED + 1 ? MAX_UNFOLDED : findings.length;
  const rest = findings.slice(first);
  return (
    <>
      {findings.slice(0, first).map(item)}
      {rest.length > 0 && (
        <li>
          <details class="like">
            <summary>
              {count(rest.length, "more finding")} of {rest[0]?.name}
            </summary>
            <ul>{rest.map(item)}</ul>
          </details>
        </li>
      )}
    </>
  );
}

/** Returns the numbers of problems and notes. The tab shows the number of problems. */
function summary(list: Finding[]): string {
  const notes = list.filter(({ severity }) => severity === "note").length;
  const problems = list.length - notes;
  const parts = [problems > 0 ? count(problems, "problem") : "", notes > 0 ? count(notes, "note") : ""];
  return `${parts.filter((part) => part !== "").join(" and ")}.`;
}

/** Returns a message as a sentence. A question has its mark already. */
function sentence(text: string): string {
  return capital(text) + (/[.?!]$/.test(text) ? "" : ".");
}

/** The lint for misspelled names. As a warning, it is about lines that Google understands. */
const MISSPELLED = "L014";

/** The message of a finding that has a fix if the site of the file is known. */
const NEEDS_SITE = /must start with https:\/\/ and the host$/;

const ACCEPTED_HERE =
  "The view Test understands this line, as Google does. For other crawlers it says “Perhaps” where the line decides, because they may ignore it.";

const IGNORED_HERE = "The view Test ignores this line, because the file is read as the old draft of 1996 defines it.";

function Item({ finding, isCurrent }: { finding: Finding; isCurrent: boolean }) {
  const { fix } = finding;
  const seen = useSignal<{ text: Text; words: string } | null>(null);
  const see = async (): Promise<void> => {
    const text = findings.value?.text;
    if (!fix || !text) return;
    const words = await effectOfFix(text, fix.edits).catch(() => "The service does not answer now.");
    seen.value = { text, words };
    announcement.value = words;
  };
  const apply = (): void => {
    const text = findings.value?.text;
    if (!fix || !text || !applyEdits(text, fix.edits)) return;
    announcement.value = `Line ${finding.line}: ${visible(fix.title)}.`;
    goTo(finding.line);
  };
  return (
    <li class="finding">
      <p class="finding-where">
        <LineLink line={finding.line} /> <span class="finding-code">{finding.code}</span>{" "}
        <span class="finding-name">{finding.name}</span>
      </p>
      <p class="finding-message"><Prose text={sentence(finding.message)} /></p>
      {finding.help && <p><Prose text={sentence(finding.help)} /></p>}
      {finding.related.length > 0 && (
        <p>
          {finding.related.slice(0, 5).map(({ line, because }) => (
            <span key={line}>
              <LineLink line={line} />: <Prose text={because} most={120} />.{" "}
            </span>
          ))}
        </p>
      )}
      {finding.code === MISSPELLED && finding.severity === "warning" && (
        <p class="note">{dialect.value === "norobots-1996" ? IGNORED_HERE : ACCEPTED_HERE}</p>
      )}
      <p class="note">Affects {short(finding.affects, 200)}.</p>
      {fix && (
        <p class="fix">
          {fix.blocks_site ? (
            <>
              Possible fix: <Prose text={fix.title} most={120} />.
            </>
          ) : (
            <button type="button" onClick={apply} disabled={!isCurrent}>
              Fix: <Prose text={fix.title} most={120} />
            </button>
          )}
          {fix.safety === "safe" ? (
            <span class="note"> Safe: no verdict changes.</span>
          ) : (
            <>
              <span class="note">
                {fix.blocks_site
                  ? " There is no button for it, because it may block the whole site, or paths that no rule names. Change the line yourself if you want that."
                  : " Careful: this may change verdicts."}
              </span>{" "}
              <button type="button" class="quiet" disabled={!isCurrent} onClick={() => void see()}>
                See what changes
              </button>
            </>
          )}
        </p>
      )}
      {!fix && named.value === null && NEEDS_SITE.test(finding.message) && (
        <p class="fix">
          <button type="button" onClick={changeSite}>
            Say which site this file is for
          </button>
          <span class="note"> Then there is a fix.</span>
        </p>
      )}
      {seen.value !== null && seen.value.text === draft.value && <p class="note">{short(seen.value.words, 500)}</p>}
      <Why code={finding.code} />
    </li>
  );
}

function Why({ code }: { code: string }) {
  const lint = lints.value.get(code);
  if (!lint) return null;
  return (
    <details>
      <summary>
        Why? <span class="unseen">{lint.name}</span>
      </summary>
      <Docs text={lint.docs} />
    </details>
  );
}

/** Renders the subset of Markdown that the documentation of lints uses: headings, code, lists, paragraphs. */
function Docs({ text }: { text: string }) {
  const blocks = text.split(/\n{2,}(?=(?:[^`]|`(?!``))*(?:```[^`]*```(?:[^`]|`(?!``))*)*$)/);
  return (
    <div class="docs">
      {blocks.map((block, nth) => {
        if (block.startsWith("## ")) return <h3 key={nth}>{block.slice(3)}</h3>;
        if (block.startsWith("```")) {
          return (
            <pre key={nth}>
              <code>{block.replace(/^```\w*\n/, "").replace(/\n?```$/, "")}</code>
            </pre>
          );
        }
        if (block.startsWith("- ")) {
          return (
            <ul key={nth}>
              {block.split(/\n(?=- )/).map((item) => (
                <li key={item}>
                  <Prose text={flow(item.slice(2))} most={Infinity} />
                </li>
              ))}
            </ul>
          );
        }
        return (
          <p key={nth}>
            <Prose text={flow(block)} most={Infinity} />
          </p>
        );
      })}
    </div>
  );
}

function flow(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ");
}

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
import { fixing } from "../sides";
import { announcement, dialect, draft, lints, toText } from "../state";
import { absent, named } from "../subject";
import type { Finding } from "../types";
import { helpWords, listLines, OF_COMMAND, sentence } from "../words";
import * as FILE from "../words/file";
import * as LINT from "../words/lint";
import * as SERVICE from "../words/service";

/** The number of findings that are shown first. More are shown on demand. */
const MAX_FINDINGS = 100;
const more = signal(false);

export function LintView() {
  if (absent.value) {
    return (
      <AbsentFile missing={absent.value}>
        <p>{LINT.noFile}</p>
      </AbsentFile>
    );
  }
  const { answer, pending, problem } = checked;
  const list = findings.value?.list ?? [];
  if (draft.value.length === 0) {
    return (
      <Empty title={LINT.empty}>
        <p>{LINT.emptyMore}</p>
      </Empty>
    );
  }
  if (!answer.value) return problem.value ? <Problem refusal={problem.value} /> : <Waiting />;
  if (list.length === 0) {
    return (
      <Empty title={LINT.none}>
        <p>{LINT.noneMore}</p>
      </Empty>
    );
  }
  const safe = list.filter(({ fix }) => fix?.safety === "safe");
  const { fixed } = answer.value;
  const isCurrent = findings.value?.text === draft.value;
  // The worst findings come first, so that none is missed because it is at the end of a long file.
  const ranked = LINT.severities.flatMap(([severity]) => list.filter((finding) => finding.severity === severity));
  const shown = ranked.slice(0, more.value ? 2_000 : MAX_FINDINGS);
  return (
    <section aria-label={LINT.label} aria-busy={pending.value}>
      <Answered to={checked}>
        <div class="row spread">
          <p class="summary">{summary(list)}</p>
          {safe.length > 0 && fixed !== null && (
            <button
              type="button"
              class="primary"
              disabled={!isCurrent}
              onClick={() => {
                replacing(FILE.replacedFixed(safe.length), () => fixing(() => (draft.value = toText(fixed))));
                // With the focus in the editor, Ctrl Z works.
                focusEditor();
                announcement.value = LINT.applied(safe.length);
              }}
            >
              {LINT.apply(safe.length, listLines([...new Set(safe.map(({ line }) => line))]))}
            </button>
          )}
        </div>
        {safe.length > 0 && fixed !== null && (
          <p class="note">{LINT.safe(safe.some(({ code }) => code === MISSPELLED))}</p>
        )}
        {safe.length > 0 && safe.length < list.length && fixed !== null && (
          <p class="note">{LINT.others(list.length - safe.length)}</p>
        )}
        {LINT.severities.map(([severity, title, meaning]) => {
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
            {LINT.more(list.length - shown.length)}
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
            <summary>{LINT.alike(rest.length, rest[0]?.name ?? "")}</summary>
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
  return LINT.summary(list.length - notes, notes);
}

/** The lint for misspelled names. As a warning, it is about lines that Google understands. */
const MISSPELLED = "L014";

/** The message of a finding that has a fix if the site of the file is known. */
const NEEDS_SITE = /must start with https:\/\/ and the host$/;

function Item({ finding, isCurrent }: { finding: Finding; isCurrent: boolean }) {
  const { fix } = finding;
  const seen = useSignal<{ text: Text; words: string } | null>(null);
  const see = async (): Promise<void> => {
    const text = findings.value?.text;
    if (!fix || !text) return;
    const words = await effectOfFix(text, fix.edits).catch(() => SERVICE.silentNow);
    seen.value = { text, words };
    announcement.value = words;
  };
  const apply = (): void => {
    const text = findings.value?.text;
    if (!fix || !text || !applyEdits(text, fix.edits)) return;
    announcement.value = LINT.findingFixed(finding.line, visible(fix.title));
    goTo(finding.line);
  };
  return (
    <li class="finding">
      <p class="finding-where">
        <LineLink line={finding.line} /> <span class="finding-code">{finding.code}</span>{" "}
        <span class="finding-name">{finding.name}</span>
      </p>
      <p class="finding-message"><Prose text={sentence(finding.message)} /></p>
      {finding.help && <p><Prose text={helpWords(finding.help)} /></p>}
      {finding.related.length > 0 && (
        <p>
          {finding.related.slice(0, 5).map(({ line, because }) => (
            <span key={line}>
              {LINT.findingRelated(<LineLink line={line} />, <Prose text={because} most={120} />)}
            </span>
          ))}
        </p>
      )}
      {finding.code === MISSPELLED && finding.severity === "warning" && (
        <p class="note">{dialect.value === "norobots-1996" ? LINT.findingIgnoredHere : LINT.findingAcceptedHere}</p>
      )}
      <p class="note">{LINT.findingAffects(short(finding.affects, 200))}</p>
      {fix && (
        <p class="fix">
          {fix.blocks_site ? (
            LINT.findingPossibleFix(<Prose text={fix.title} most={120} />)
          ) : (
            <button type="button" onClick={apply} disabled={!isCurrent}>
              {LINT.findingFix(<Prose text={fix.title} most={120} />)}
            </button>
          )}
          {fix.safety === "safe" ? (
            <span class="note">{LINT.findingIsSafe}</span>
          ) : (
            <>
              <span class="note">
                {fix.blocks_site ? LINT.findingMayBlock : LINT.findingMayChange}
              </span>{" "}
              <button type="button" class="quiet" disabled={!isCurrent} onClick={() => void see()}>
                {LINT.findingSee}
              </button>
            </>
          )}
        </p>
      )}
      {!fix && named.value === null && (NEEDS_SITE.test(finding.message) || OF_COMMAND.test(finding.help ?? "")) && (
        <p class="fix">
          <button type="button" onClick={changeSite}>
            {LINT.findingNameSite}
          </button>
          <span class="note">{LINT.findingNameSiteMore}</span>
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
      <summary>{LINT.findingWhy(lint.name)}</summary>
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

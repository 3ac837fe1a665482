/** The left half: the source of the file, the editor, and the explanation of the cursor's line. */

import { isStatic } from "#transport";
import type { Text } from "@codemirror/state";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { health } from "../api";
import { type About, inspect } from "../editor/about";
import { goTo, mount, replace } from "../editor/editor";
import { effectOf } from "../editor/removal";
import { cursorLine, facts, isFolded } from "../editor/shown";
import { short } from "../escape";
import { cancelFetch, compareOffered, encodingOf, fetchSite, fetching, fullSize, type Goal, offered, take, trouble } from "../fetching";
import { copyText, done, download, openFiles, pasteClipboard, takeDrops } from "../files";
import { checked } from "../questions";
import { putBack, replacedBy } from "../replaced";
import { afterSide, isUnsure, sideOf } from "../sides";
import { draft, fileNumber, linesOf, NARROW, original, service, site, toText, toUrl, view } from "../state";
import { absent, EXAMPLE_TEXT, isFrontPage, type Received, received, siteOf, unchanged } from "../subject";
import type { FetchLog } from "../types";
import { absentTitle, bytesWords, statusMeaning } from "../words";
import * as FILE from "../words/file";
import { andKeepFocus, Prose } from "./bits";
import { SiteOfFile } from "./site-of-file";
import { SiteField } from "./url-field";

const isOver = signal(false);

export function FilePane() {
  useEffect(() => takeDrops((over) => (isOver.value = over)), []);
  const now = fileNumber.value;
  useEffect(() => {
    if (received.peek() !== null || absent.peek() !== null) isFolded.value = matchMedia(NARROW).matches;
  }, [now]);
  const name = ["file", isOver.value && "over", isFolded.value && "folded"].filter(Boolean).join(" ");
  return (
    <section class={name} aria-label={FILE.title}>
      <SiteBar />
      {isFolded.value && <Folded />}
      <SiteOfFile />
      {view.value === "compare" && !absent.value && original.value && !isUnsure.value && (
        <div class="site-of-file">
          <p>{FILE.after(sideOf(original.value).name, afterSide.value.name)}</p>
        </div>
      )}
      <Editor />
      <Status />
    </section>
  );
}

/** The file in one line, with a button that shows it. */
function Folded() {
  const mistakes = checked.answer.value;
  const isCurrent = mistakes !== null && !checked.isFormer.value;
  const number = mistakes?.findings.filter(({ severity }) => severity !== "note").length ?? 0;
  return (
    <p class="folded-line">
      <span>{FILE.folded(linesOf(draft.value), isCurrent ? number : null)}</span>
      <button type="button" onClick={andKeepFocus(() => (isFolded.value = false), "#site")}>
        {FILE.edit}
      </button>
    </p>
  );
}

function SiteBar() {
  const off = isStatic || (service.value !== null && !service.value.fetches);
  return (
    <div class="site-bar">
      {off ? (
        <p class="note">{isStatic ? FILE.pasteStatic() : FILE.paste()}</p>
      ) : (
        <Site />
      )}
      <OwnFile />
      <Offered />
      <FetchNote />
      <Replaced />
    </div>
  );
}

function Site() {
  return (
    <form
      class="site-form"
      onSubmit={(event) => {
        event.preventDefault();
        void fetchSite("editor");
      }}
    >
      <label for="site">{FILE.site}</label>
      <div class="row">
        <SiteField id="site" autocomplete="url" />
        <button type="submit" class="primary" disabled={fetching.value}>
          {fetching.value ? FILE.fetching : FILE.fetch}
        </button>
        {fetching.value && (
          <button type="button" onClick={andKeepFocus(cancelFetch, "#site")}>
            {FILE.cancel}
          </button>
        )}
      </div>
    </form>
  );
}

/** Buttons for opening or pasting the user's own file. */
function OwnFile() {
  const field = useRef<HTMLInputElement>(null);
  return (
    <div class="own">
      <input
        ref={field}
        type="file"
        hidden
        data-open
        accept=".txt,text/plain"
        onChange={(event) => {
          void openFiles(event.currentTarget.files);
          event.currentTarget.value = "";
        }}
      />
      <button type="button" class="quiet" onClick={() => field.current?.click()}>
        {FILE.open}
      </button>
      <button type="button" class="quiet" onClick={() => void pasteClipboard()}>
        {FILE.pasteClipboard}
      </button>
      <span class="note can-drop">{FILE.drop}</span>
    </div>
  );
}

/** Asks before a fetched file replaces unsaved work. */
function Offered() {
  const log = offered.value;
  if (!log) return null;
  return (
    <div class="offered" role="alert">
      <p>{FILE.offeredQuestion(short(log.origin, 100))}</p>
      <div class="row">
        <button type="button" onClick={andKeepFocus(() => take(log), ".own button")}>
          {FILE.offeredTake}
        </button>
        <button type="button" onClick={andKeepFocus(() => compareOffered(log), "#tab-compare")}>
          {FILE.offeredCompare}
        </button>
        <button type="button" onClick={andKeepFocus(() => (offered.value = null), ".own button")}>
          {FILE.offeredKeep}
        </button>
      </div>
    </div>
  );
}

/** Names the text that replaced the former one, with a button that restores the former one. */
function Replaced() {
  const by = replacedBy.value;
  if (by === null && !offered.value && !absent.value && draft.value.eq(EXAMPLE_TEXT)) {
    return <p class="note">{isStatic ? FILE.exampleStatic : FILE.example}</p>;
  }
  if (by === null || offered.value) return null;
  return (
    <p class="note replaced">
      <span>{FILE.replacedBy(short(by, 120))}</span>
      <button type="button" class="quiet" onClick={andKeepFocus(putBack, ".own button")}>
        {FILE.replacedPutBack}
      </button>
    </p>
  );
}

function FetchNote() {
  const wrong = trouble.value;
  if (wrong && wrong.goal === "editor") {
    return (
      <p class="note warn" role="alert">
        <Prose text={wrong.text} most={600} />
      </p>
    );
  }
  const unknown = absent.value;
  if (unknown && !unknown.log) {
    return <p class="note warn">{FILE.fetchingNotYet(short(unknown.origin, 100))}</p>;
  }
  const missing = unknown?.log;
  if (missing) {
    return (
      <p class={missing.access === "allow-all" ? "note" : "note warn"}>
        {FILE.fetchingMissing(
          absentTitle(missing),
          short(missing.robots_url, 100),
          short(missing.event, 120),
          statusMeaning(missing.status),
          <TryHttp log={missing} />,
        )}
      </p>
    );
  }
  const found = received.value;
  const notes = found ? notesOn(found) : [];
  if (notes.length === 0) return null;
  return <p class="note warn">{notes.join(" ")}</p>;
}

/** A button for a site that gave no secure connection, such as a program on the user's own computer. `goal` is that of the fetch. */
export function TryHttp({ log, goal = "editor" }: { log: FetchLog; goal?: Goal }) {
  const address = `http://${log.origin.replace(/^https:[/][/]/, "")}`;
  if (!log.origin.startsWith("https://") || log.status !== null || log.access === "rules") return null;
  return (
    <button
      type="button"
      class="primary"
      disabled={fetching.value}
      onClick={() => {
        const typed = toUrl(site.value.trim());
        // The page that was typed is meant with http, too.
        const isPage = typed !== null && !typed.startsWith("/") && siteOf(typed) === siteOf(log.origin);
        site.value = isPage && !isFrontPage(typed) ? typed.replace(/^https/i, "http") : address;
        void fetchSite(goal);
      }}
    >
      {FILE.fetchingTryHttp(short(address, 80))}
    </button>
  );
}

/** Returns notes on unusual facts about a file that was fetched or opened. */
function notesOn({ file, log }: Received): string[] {
  const notes: string[] = [];
  if (log !== null && log.rung !== null) {
    notes.push(FILE.notesLastGood(short(log.event, 120)));
  }
  if (log?.looks_like_html) {
    notes.push(FILE.notesWebPage(short(log.robots_url, 120)));
  }
  if (log?.is_cut) {
    notes.push(FILE.notesCut(fullSize(log)));
  }
  const encoding = encodingOf(file);
  if (encoding === "utf-16") {
    notes.push(FILE.notesUtf16);
  } else if (encoding === "other") {
    notes.push(FILE.notesOtherEncoding);
  }
  return notes;
}

function Editor() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => (host.current ? mount(host.current) : undefined), []);
  return (
    <div class={absent.value ? "editor unused" : "editor"}>
      <div class="editor-host" ref={host} />
      {draft.value.length === 0 && (
        <p class="placeholder" aria-hidden="true">
          {FILE.editorPlaceholder}
        </p>
      )}
      <p id="editor-help" class="unseen">
        {FILE.editorHelp}
      </p>
    </div>
  );
}

function nothing(text: Text, line: number, isKnown: boolean): string {
  if (text.length === 0) return FILE.statusEmptyFile;
  const words = line <= text.lines ? text.line(line).text.trim() : "";
  if (words === "") return FILE.statusEmptyLine;
  if (words.startsWith("#")) return FILE.statusComment;
  return isKnown ? FILE.statusNothing : FILE.statusAsking;
}

const about = signal<{ line: number; file: number; about: About | null }>({ line: 1, file: -1, about: null });

/** The effect of removing the cursor's line, and the text that it belongs to. */
const effect = signal<{ text: Text; line: number; words: string } | null>(null);

/** The length of a text from which the effect is shown only for the line that the user points at. */
const MAX_EFFECT_LENGTH = 64_000;

/** The number of bytes of a file that crawlers read. */
const READ_BYTES = 512_000;

/** Returns the line in which crawlers stop reading. */
function lastRead(text: Text): number {
  const { read } = new TextEncoder().encodeInto(text.toString(), new Uint8Array(READ_BYTES));
  return text.lineAt(read).number;
}

/** Shows which part of the text crawlers don't read, and if it is not a robots.txt. */
function Unread() {
  const known = facts.value;
  if (!known || known.text !== draft.value || absent.value) return null;
  const { text, found } = known;
  // For a fetched file, the notes on the fetch already show it.
  const log = received.value?.text.eq(text) ? received.value.log : null;
  const last = found.isCut ? lastRead(text) : 0;
  return (
    <>
      {found.isCut && !log?.is_cut && (
        <p class="note warn">
          {FILE.notesUnread(
            found.bytes,
            READ_BYTES,
            <button type="button" class="line-link" onClick={() => goTo(last)}>
              {FILE.notesLine(last)}
            </button>,
            linesOf(text),
          )}
        </p>
      )}
      {found.looksLikeHtml && !log?.looks_like_html && (
        <p class="note warn">{FILE.notesLooksLikePage}</p>
      )}
    </>
  );
}

/** The explanation of the cursor's line, as hovering shows it, for users without a mouse. */
function Status() {
  const [text, line, now] = [draft.value, cursorLine.value, fileNumber.value];
  useEffect(() => {
    let over = false;
    const timer = setTimeout(
      async () => {
        const found = await inspect(text).catch(() => null);
        if (over) return;
        about.value = { line, file: now, about: found?.lines.get(line) ?? null };
        if (found) facts.value = { text, file: now, found };
        if (!about.value.about?.isRule || text.length >= MAX_EFFECT_LENGTH) return;
        const words = await effectOf(text, line).catch(() => null);
        if (!over && words !== null) effect.value = { text, line, words };
      },
      text.length < 64_000 ? 250 : 900,
    );
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [text, line, now]);
  // What is known about a former file is not shown, not even until the next answer.
  const isAbout = about.value.line === line && about.value.file === now;
  const explanation = isAbout ? about.value.about : null;
  const without = effect.value?.text === text && effect.value.line === line ? effect.value.words : null;
  const before = unchanged.value;
  // While one types, the last size is shown, until the next one arrives. Without the service, none would.
  const isKnown = facts.value?.file === now && (facts.value.text === text || health.value === "up");
  const bytes = isKnown ? facts.value?.found.bytes : undefined;
  return (
    <div class="status">
      <Unread />
      <p class="status-about">
        <span class="status-line">{FILE.statusLine(line)}</span>{" "}
        {explanation ? (
          FILE.statusAbout(explanation.title, explanation.details, without)
        ) : (
          <span class="note">{nothing(text, line, isAbout)}</span>
        )}
      </p>
      <p class="status-facts">
        <span>
          {FILE.statusSize(linesOf(text), text.length > 0 && bytes !== undefined ? bytesWords(bytes) : null)}
          {done.value !== null && <strong> {done.value}</strong>}
        </span>
        {before !== null && !before.eq(text) && (
          <button type="button" class="quiet" onClick={() => replace(before)}>
            {FILE.statusUndo}
          </button>
        )}
        {text.length > 0 && (
          <>
            <button type="button" class="quiet" onClick={() => void copyText()}>
              {FILE.statusCopy}
            </button>
            <button type="button" class="quiet" onClick={download} title={FILE.statusDownloadHelp}>
              {FILE.statusDownload}
            </button>
            <button type="button" class="quiet" onClick={() => replace(toText(""))}>
              {FILE.statusClear}
            </button>
          </>
        )}
      </p>
    </div>
  );
}

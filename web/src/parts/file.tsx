/** The left half: where the file comes from, the editor, and what the cursor's line is about. */

import type { Text } from "@codemirror/state";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type About, explanations } from "../editor/about";
import { mount, replace } from "../editor/editor";
import { cursorLine } from "../editor/shown";
import { short } from "../escape";
import { fetchSite, fetching, isApproximate, trouble } from "../fetching";
import { draft, original, service, site, story, toText } from "../state";
import { bytesWords, count } from "../words";

export function FilePane() {
  return (
    <section class="file" aria-label="The file">
      <SiteBar />
      <Editor />
      <Status />
    </section>
  );
}

function SiteBar() {
  const off = service.value !== null && !service.value.fetches;
  if (off) {
    return (
      <div class="site-bar">
        <p class="note">
          <strong>Paste a robots.txt below.</strong> This service fetches nothing: its operator has switched that off.
          All the rest works.
        </p>
      </div>
    );
  }
  return (
    <form
      class="site-bar"
      onSubmit={(event) => {
        event.preventDefault();
        void fetchSite("editor");
      }}
    >
      <label for="site">Fetch a site’s robots.txt, or paste one below</label>
      <div class="row">
        <input
          id="site"
          type="text"
          inputMode="url"
          autocomplete="url"
          autocapitalize="off"
          spellcheck={false}
          placeholder="example.com"
          value={site.value}
          onInput={(event) => (site.value = event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={fetching.value}>
          {fetching.value ? "Fetching…" : "Fetch"}
        </button>
      </div>
      <FetchNote />
    </form>
  );
}

function FetchNote() {
  if (trouble.value !== null) {
    return (
      <p class="note warn" role="alert">
        {short(trouble.value, 400)}
      </p>
    );
  }
  const told = story.value;
  if (!told) return null;
  if (isApproximate(told)) {
    return (
      <p class="note warn">
        The file is no UTF-8. What can’t be read is shown as �, and the verdicts are about the text as you see it.
      </p>
    );
  }
  if (told.access === "rules") return null;
  const host = short(told.robots_url, 100);
  return (
    <p class="note warn">
      {told.access === "allow-all"
        ? `${host} ${short(told.event, 120)}: crawlers take that as leave to fetch everything. The text below is still yours.`
        : `${host} ${short(told.event, 120)}: crawlers that care then fetch nothing. The text below is not that site’s.`}{" "}
      The view Fetch tells the story.
    </p>
  );
}

function Editor() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => (host.current ? mount(host.current) : undefined), []);
  return (
    <div class="editor">
      <div class="editor-host" ref={host} />
      {draft.value.length === 0 && (
        <p class="placeholder" aria-hidden="true">
          Paste a robots.txt here, or write one.
        </p>
      )}
      <p id="editor-help" class="unseen">
        Tab leaves the editor. F8 goes to the next finding. What the cursor’s line is about stands below.
      </p>
    </div>
  );
}

function nothing(text: Text, line: number): string {
  if (text.length === 0) return "An empty file allows everything.";
  const words = line <= text.lines ? text.line(line).text.trim() : "";
  if (words === "") return "An empty line.";
  return words.startsWith("#") ? "A comment: crawlers skip it." : "Says nothing to crawlers.";
}

const about = signal<{ line: number; about: About | null }>({ line: 1, about: null });

/** What hovering shows, without a mouse: the line of the cursor, explained. */
function Status() {
  const [text, line] = [draft.value, cursorLine.value];
  useEffect(() => {
    let over = false;
    const timer = setTimeout(
      async () => {
        const lines = await explanations(text).catch(() => null);
        if (!over) about.value = { line, about: lines?.get(line) ?? null };
      },
      text.length < 64_000 ? 250 : 900,
    );
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [text, line]);
  const told = about.value.line === line ? about.value.about : null;
  const isChanged = !original.value.text.eq(text);
  return (
    <div class="status">
      <p class="status-about">
        <span class="status-line">Line {line}</span>{" "}
        {told ? (
          <>
            <strong>{told.title}.</strong> {told.details.join(" ")}
          </>
        ) : (
          <span class="note">{nothing(text, line)}</span>
        )}
      </p>
      <p class="status-facts">
        <span>
          {count(text.lines, "line")}, {bytesWords(text.length)}
        </span>
        {isChanged && (
          <button type="button" class="quiet" onClick={() => replace(original.value.text)}>
            Undo all changes
          </button>
        )}
        {text.length > 0 && (
          <button type="button" class="quiet" onClick={() => replace(toText(""))}>
            Clear
          </button>
        )}
      </p>
    </div>
  );
}

/** The editor: a CodeMirror in a shadow root, whose styles need no exception from the page's content policy. */

import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, Text } from "@codemirror/state";
import {
  closeHoverTooltips,
  drawSelection,
  EditorView,
  hasHoverTooltips,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { batch, effect } from "@preact/signals";
import { SPECIAL, visible } from "../escape";
import { positions } from "../offsets";
import { fixing } from "../sides";
import { draft, fileNumber, lit, view as opened, wellFormed } from "../state";
import type { Edit, Finding } from "../types";
import { helpWords, sentence } from "../words";
import * as FILE from "../words/file";
import { type About, inspect } from "./about";
import { deciding, light } from "./deciding";
import { robotsLanguage } from "./language";
import { effectOf } from "./removal";
import { cursorLine, findings, isFolded } from "./shown";
import { adopting, follow, source } from "./source";
import css from "./editor.css?inline";

let view: EditorView | null = null;

/** Creates the editor in an element. */
export function mount(host: HTMLElement): () => void {
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  const editor = new EditorView({
    root,
    parent: root,
    state: state(draft.peek()),
    dispatchTransactions(transactions, editor) {
      editor.update(transactions);
      cursorLine.value = editor.state.doc.lineAt(editor.state.selection.main.head).number;
      if (transactions.some((transaction) => transaction.docChanged)) {
        batch(() => {
          draft.value = editor.state.doc;
          follow(transactions);
        });
      }
    },
  });
  view = editor;
  const closeTooltips = (): void => {
    if (hasHoverTooltips(editor.state)) editor.dispatch({ effects: closeHoverTooltips });
  };
  // F8 opens a tooltip that only the keyboard can close.
  editor.dom.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && editor.dom.contains(relatedTarget))) closeTooltips();
  });
  const stop = [
    effect(() => {
      void opened.value;
      closeTooltips();
    }),
    // Another file has arrived: by a fetch, a link, or a fix.
    effect(() => {
      if (draft.value !== editor.state.doc) replace(draft.value, true);
    }),
    effect(() => editor.dispatch({ effects: light.of(lit.value) })),
    // Findings in a former file mark nothing in this one.
    effect(() => {
      void fileNumber.value;
      editor.dispatch(setDiagnostics(editor.state, []));
    }),
    effect(() => {
      const found = findings.value;
      if (found) editor.dispatch(setDiagnostics(editor.state, diagnostics(found.text, found.list)));
    }),
  ];
  return () => {
    for (const end of stop) end();
    editor.destroy();
    view = null;
  };
}

function state(doc: Text): EditorState {
  return EditorState.create({
    doc,
    extensions: [
      lineNumbers(),
      lintGutter(),
      deciding,
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSpecialChars({
        specialChars: SPECIAL,
        render(code) {
          const mark = document.createElement("span");
          mark.className = "cm-specialChar";
          mark.textContent = visible(String.fromCodePoint(code));
          return mark;
        },
      }),
      history(),
      source,
      drawSelection(),
      search({ top: true }),
      highlightSelectionMatches(),
      robotsLanguage,
      hover,
      longInput,
      // Tab moves the focus as in the rest of the page, so keyboard users can leave the editor.
      keymap.of([...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({
        "aria-label": FILE.editorLabel,
        "aria-describedby": "editor-help",
        spellcheck: "false",
        tabindex: "0",
        autocapitalize: "off",
      }),
    ],
  });
}

/** The number of characters from which an insertion bypasses the browser. Nobody types so many at once. */
const MIN_LONG_INPUT = 1_000;

/**
 * Inserts a text of several lines, or a long one, that comes as one input event: from dictation, an input method or
 * automation. A browser would make an element for each line, with styles of its own, and take minutes for thousands.
 */
const longInput = EditorView.domEventHandlers({
  beforeinput(event, editor) {
    const text = event.data ?? "";
    const isLong = text.length >= MIN_LONG_INPUT || text.includes("\n");
    if (event.inputType !== "insertText" || !event.cancelable || !isLong) return false;
    event.preventDefault();
    editor.dispatch(editor.state.replaceSelection(editor.state.toText(text)), {
      userEvent: "input.type",
      scrollIntoView: true,
    });
    return true;
  },
});

const hover = hoverTooltip(async (editor, position) => {
  // Where nothing hovers, a tap moves the cursor, and the explanation is below the text. A box would cover the lines.
  if (matchMedia("(hover: none)").matches) return null;
  const { doc } = editor.state;
  const line = doc.lineAt(position);
  if (line.text.trim() === "" || line.text.trimStart().startsWith("#")) return null;
  const about = await inspect(doc).then(({ lines }) => lines.get(line.number), () => undefined);
  if (!about) return null;
  return { pos: line.from, end: line.to, above: true, create: () => ({ dom: tooltip(about, doc, line.number) }) };
});

function tooltip({ title, details, isRule }: About, text: Text, line: number): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "about";
  const first = dom.appendChild(document.createElement("strong"));
  first.textContent = title;
  for (const detail of details) dom.appendChild(document.createElement("p")).textContent = detail;
  if (isRule) {
    const effect = dom.appendChild(document.createElement("p"));
    // The place is kept, so that the explanation does not move when the answer arrives.
    effect.textContent = FILE.effectAsking;
    effectOf(text, line).then((words) => (effect.textContent = words), () => effect.remove());
  }
  return dom;
}

/** Returns what the view Mistakes says about a finding. */
function words({ message, help }: Finding): string {
  return visible([sentence(message), help ? helpWords(help) : ""].join(" ").trim());
}

/** Returns a sentence of the service, in which `backticks` mark text of the file. */
function prose(text: string): Node {
  const all = document.createDocumentFragment();
  for (const [nth, part] of text.split(/`([^`]*)`/).entries()) {
    all.appendChild(document.createElement(nth % 2 === 1 ? "code" : "span")).textContent = part;
  }
  return all;
}

/** The maximum number of findings that the editor marks. Large files may have thousands; the list shows more. */
const MAX_SQUIGGLES = 1_000;

function diagnostics(text: Text, list: Finding[]): Diagnostic[] {
  // While the user types, the findings belong to an older text. The next answer will arrive soon.
  if (!view || view.state.doc !== text) return [];
  const shown = list.slice(0, MAX_SQUIGGLES);
  const at = positions(wellFormed(text), shown.flatMap(({ span }) => [span.start, span.end]));
  return shown.map((finding) => {
    const from = at.get(finding.span.start) ?? 0;
    const found: Diagnostic = {
      from,
      to: Math.max(from, at.get(finding.span.end) ?? from),
      severity: finding.severity === "note" ? "info" : finding.severity,
      source: finding.code,
      message: words(finding),
      renderMessage: () => prose(words(finding)),
    };
    const { fix } = finding;
    // One click must not close the site.
    if (fix && !fix.blocks_site) {
      const name = (fix.safety === "safe" ? FILE.editorFix : FILE.editorCarefulFix)(fix.title);
      // The name of a button cannot contain code.
      found.actions = [{ name: visible(name).replaceAll("`", ""), apply: () => applyEdits(text, fix.edits) }];
    }
    return found;
  });
}

/** Applies a fix's edits, if the text has not changed since. */
export function applyEdits(text: Text, edits: Edit[]): boolean {
  if (!view || view.state.doc !== text) return false;
  const at = positions(wellFormed(text), edits.flatMap(({ span }) => [span.start, span.end]));
  const editor = view;
  const dispatch = (): void => editor.dispatch({
    changes: edits.map(({ span, text: insert }) => ({
      from: at.get(span.start) ?? 0,
      to: at.get(span.end) ?? 0,
      insert,
    })),
    userEvent: "input.fix",
  });
  fixing(dispatch);
  return true;
}

/** Puts another text into the editor, as one undoable change. `isAdopted`: the text is from a fetch or a link. */
export function replace(text: Text, isAdopted = false): void {
  if (!view) return;
  const [before, after] = [view.state.doc, text];
  const [old, fresh] = [before.toString(), after.toString()];
  let start = 0;
  const most = Math.min(old.length, fresh.length);
  while (start < most && old.charCodeAt(start) === fresh.charCodeAt(start)) start++;
  let end = 0;
  while (end < most - start && old.charCodeAt(old.length - 1 - end) === fresh.charCodeAt(fresh.length - 1 - end)) end++;
  const { annotations = [], effects = [] } = isAdopted ? adopting() : {};
  view.dispatch({
    changes: { from: start, to: old.length - end, insert: fresh.slice(start, fresh.length - end) },
    annotations: [isolateHistory.of("full"), annotations].flat(),
    effects,
  });
}

/** Moves the cursor to a line, and focuses the editor. Unfolds it first if it is folded. */
export function goTo(number: number): void {
  if (isFolded.value) {
    isFolded.value = false;
    // What is hidden cannot have the focus.
    requestAnimationFrame(() => goTo(number));
    return;
  }
  if (!view || number < 1 || number > view.state.doc.lines) return;
  const line = view.state.doc.line(number);
  view.dispatch({
    selection: { anchor: line.from },
    effects: EditorView.scrollIntoView(line.from, { y: "center" }),
  });
  view.focus();
}

/** Focuses the editor. */
export function focusEditor(): void {
  view?.focus();
}

/** Scrolls to a line without moving the focus. */
export function reveal(number: number): void {
  if (!view || number < 1 || number > view.state.doc.lines) return;
  view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(number).from, { y: "center" }) });
}

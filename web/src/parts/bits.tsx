/** Small components that views share. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Refusal } from "../api";
import { goTo } from "../editor/editor";
import { short } from "../escape";
import type { Live } from "../live";
import { lookOf } from "../questions";
import type { Answer } from "../types";
import { answerWord, FORMER, lineWords } from "../words";
import * as PARTS from "../words/parts";

/** A sign for each answer. The answers differ in shape, not only in color. */
export function Sign({ answer }: { answer: Answer | "partly" | "perhaps" | "unstated" | "unlisted" }) {
  const paths: Record<string, string> = {
    allowed: "M3.5 8.5l3 3 6-7",
    disallowed: "M4 4l8 8M12 4l-8 8",
    partly: "M3 8h10",
    perhaps: "M5.5 6a2.5 2.5 0 1 1 3.7 2.2c-.8.5-1.2 1-1.2 1.9M8 12.8v.4",
    unstated: "M3 8h10",
    unlisted: "M1.8 8c3.4-5 9-5 12.4 0-3.4 5-9 5-12.4 0zM3.5 13.5l9-11",
    "not-governed": "M8 3.5v5.5M8 12v.5",
    "out-of-scope": "M4 8h8M9 5l3 3-3 3",
  };
  return (
    <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[answer] ?? paths["out-of-scope"]} />
    </svg>
  );
}

/** A verdict with its line. `doubt`: the mistake in the line, because of which crawlers may ignore it. */
export function Verdict({ answer, line, doubt = null }: { answer: Answer; line: number | null; doubt?: string | null }) {
  const { color, sign } = lookOf(answer, doubt);
  return (
    <span class={`verdict ${color}`}>
      <Sign answer={sign} />
      <span class="say">
        <span class="word">{answerWord(answer, doubt !== null)}</span>
        {line !== null && <span class="line-number"> {lineWords(line)}</span>}
        {doubt !== null && <span class="line-number doubt"> {doubt}</span>}
      </span>
    </span>
  );
}

/** A link to a line of the file. */
export function LineLink({ line, children }: { line: number; children?: ComponentChildren }) {
  return (
    <button type="button" class="line-link" onClick={() => goTo(line)} title={PARTS.lineLink}>
      {children ?? lineWords(line)}
    </button>
  );
}

export function Code({ text, most = 300 }: { text: string; most?: number }) {
  return <code dir="ltr">{short(text, most)}</code>;
}

/** A sentence of the service, in which `backticks` mark text of the file. */
export function Prose({ text, most = 400 }: { text: string; most?: number }) {
  const parts = short(text, most).split(/`([^`]*)`/);
  return <>{parts.map((part, nth) => (nth % 2 === 1 ? <code key={nth}>{part}</code> : part))}</>;
}

/** The reason why there is no answer. If the service is unavailable, the top of the page shows it. */
export function Problem({ refusal }: { refusal: Refusal | null }) {
  if (!refusal || refusal.trouble !== "refused") return null;
  return (
    <p class="problem" role="alert">
      <strong>{PARTS.answersNone}</strong> {short(refusal.message, 600)}
    </p>
  );
}

/** An answer, with a note if it is missing or belongs to a former question. */
export function Answered({ to, children }: { to: Live<unknown>; children: ComponentChildren }) {
  const [isStale, isFormer] = [to.isStale.value, to.isFormer.value];
  const refusal = to.problem.value;
  return (
    <>
      <Problem refusal={refusal} />
      {isFormer && <p class="note warn">{FORMER.text}</p>}
      {isStale && !isFormer && refusal && (
        <p class="note warn">{PARTS.answersLast}</p>
      )}
      <div class={isStale ? "answered stale" : "answered"}>{children}</div>
    </>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Says that the service does not fetch. */
export function NoFetching({ what }: { what: string }) {
  return (
    <Empty title={PARTS.noFetchingTitle}>
      <p>{PARTS.noFetchingWhat(what)}</p>
    </Empty>
  );
}

/** A placeholder for an answer that has not arrived. */
export function Waiting() {
  return (
    <div class="waiting" role="status">
      <span class="unseen">{PARTS.answersWaiting}</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/** Moves the focus to an element if the focused element has disappeared. */
export function keepFocus(selector: string): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>(selector)?.focus();
}

/** Returns the handler of a button that disappears afterwards. It keeps the focus on the page. */
export function andKeepFocus(act: () => void, selector: string): () => void {
  return () => {
    act();
    requestAnimationFrame(() => keepFocus(selector));
  };
}

/**
 * A table whose cells are below each other on a phone. Some screen readers know such a table only by its roles, so its
 * rows and cells need them too. On a phone, a cell with `data-name` shows it.
 */
export function Stacked({ columns, children, kind = "" }: { columns: string[]; children: ComponentChildren; kind?: string }) {
  return (
    <table class={`plain stacked ${kind}`} role="table">
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((name) => (
            <th key={name} scope="col" role="columnheader">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  );
}

/** A box in which a wide table scrolls, also by keyboard. It shows on which sides there is more. */
export function Scroll({ label, children, kind = "" }: { label: string; children: ComponentChildren; kind?: string }) {
  const box = useRef<HTMLDivElement>(null);
  const more = useSignal("");
  const look = (): void => {
    const here = box.current;
    if (!here) return;
    const left = here.scrollLeft > 4;
    const right = here.scrollLeft + here.clientWidth < here.scrollWidth - 4;
    more.value = left && right ? "both" : left ? "left" : right ? "right" : "";
  };
  useEffect(() => {
    const sizes = new ResizeObserver(look);
    for (const watched of [box.current, box.current?.firstElementChild]) if (watched) sizes.observe(watched);
    return () => sizes.disconnect();
  }, []);
  return (
    <div class="scrolls" data-more={more.value}>
      {more.value !== "" && (
        <p class="note scroll-hint" aria-hidden="true">
          {more.value === "left" ? PARTS.scrollBack : PARTS.scrollSideways}
        </p>
      )}
      <div class={`scroll ${kind}`} role="region" aria-label={label} tabIndex={0} ref={box} onScroll={look}>
        {children}
      </div>
    </div>
  );
}

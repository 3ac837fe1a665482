/** The form of a view that asks a live site: an address, a crawler and a button, with the answer below them. */

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Demand } from "../demand";
import { Problem, Waiting } from "./bits";
import { OneCrawler } from "./one-crawler";
import { UrlField } from "./url-field";

interface Props<T> {
  /** The start of the ids of the fields. */
  id: string;
  /** The label of the address. */
  label: string;
  placeholder: string;
  /** The address that the user typed; null if the suggested one is meant. */
  typed: Signal<string | null>;
  suggested: string;
  /** The text of the button, and its text during the request. */
  button: { idle: string; busy: string };
  /** Sends the request, or sets `wrong`. */
  send: () => void;
  /** The reason why an address is not sent. */
  wrong: Signal<string | null>;
  found: Demand<T>;
  /** The subject of the answer, if it is not current. */
  outdated: string | null;
  show: (answer: T) => ComponentChildren;
  /** The content before the first request. */
  children: ComponentChildren;
}

export function LiveForm<T>(props: Props<T>) {
  const { id, label, placeholder, typed, suggested, button, send, wrong, found, outdated, show, children } = props;
  const { answer, pending, problem } = found;
  const isUnasked = !pending.value && answer.value === null && problem.value === null && wrong.value === null;
  return (
    <>
      <form
        class="fetch-form wide-first"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div class="field">
          <label for={`${id}-url`}>{label}</label>
          <UrlField
            id={`${id}-url`}
            placeholder={placeholder}
            value={typed.value ?? suggested}
            onType={(text) => (typed.value = text)}
          />
        </div>
        <OneCrawler id={`${id}-crawler`} />
        <button type="submit" class="primary" disabled={pending.value}>
          {pending.value ? button.busy : button.idle}
        </button>
      </form>
      {wrong.value && (
        <p class="problem" role="alert">
          {wrong.value}
        </p>
      )}
      <Problem refusal={problem.value} />
      {pending.value ? (
        <Waiting />
      ) : (
        answer.value !== null && (
          <>
            {outdated !== null && (
              <p class="note warn" role="status">
                {outdated}
              </p>
            )}
            <div class={outdated === null ? "answered" : "answered stale"}>{show(answer.value)}</div>
          </>
        )
      )}
      {isUnasked && children}
    </>
  );
}

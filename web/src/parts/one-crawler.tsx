/** A field for one crawler, with the known names as suggestions. */

import { type Signal, signal } from "@preact/signals";
import { agents, crawlers } from "../state";
import * as PARTS from "../words/parts";

/** The crawler of the views about a live site. Defaults to the first crawler of the view Test. */
const typed = signal<string | null>(null);

/** Returns the chosen crawler. */
export function oneCrawler(): string {
  return (typed.value ?? agents.value[0] ?? "*").trim() || "*";
}

export function OneCrawler({ id, value = typed }: { id: string; value?: Signal<string | null> }) {
  return (
    <div class="field">
      <label for={id}>{PARTS.oneCrawler}</label>
      <input
        id={id}
        type="text"
        list={`${id}-known`}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        value={value.value ?? agents.value[0] ?? "*"}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
      <datalist id={`${id}-known`}>
        {crawlers.value
          .filter(({ retired }) => !retired)
          .map(({ token, operator }) => (
            <option key={token} value={token}>
              {operator}
            </option>
          ))}
      </datalist>
    </div>
  );
}

/** The views, as tabs. Arrow keys move between them, together with the focus. */

import { computed } from "@preact/signals";
import { draft, NARROW, VIEWS, view } from "../state";
import { checked } from "../questions";
import { absent } from "../subject";
import { VIEW_TITLES } from "../words";
import * as FRAME from "../words/frame";

const findings = computed(() => {
  // An empty text has none, and is not sent.
  const list = absent.value || draft.value.length === 0 ? [] : (checked.answer.value?.findings ?? []);
  return list.filter(({ severity }) => severity !== "note").length;
});

/** Scrolls to the beginning of the view. On a narrow screen it is below the file, and otherwise visible if its tabs are. */
export function showView(): void {
  document.getElementById("view")?.scrollTo(0, 0);
  document.querySelector(".tabs")?.scrollIntoView({ block: matchMedia(NARROW).matches ? "start" : "nearest" });
}

export function Tabs() {
  const onKeyDown = (event: KeyboardEvent): void => {
    const here = VIEWS.indexOf(view.value);
    const last = VIEWS.length - 1;
    const to = { ArrowRight: here === last ? 0 : here + 1, ArrowLeft: here === 0 ? last : here - 1, Home: 0, End: last }[
      event.key
    ];
    const name = to === undefined ? undefined : VIEWS[to];
    if (!name) return;
    event.preventDefault();
    view.value = name;
    document.getElementById(`tab-${name}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={FRAME.tabsLabel} onKeyDown={onKeyDown}>
      {VIEWS.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={view.value === name}
          aria-controls="view"
          tabIndex={view.value === name ? 0 : -1}
          onClick={() => {
            // A view that is open already is shown from its beginning, too.
            if (view.value === name) showView();
            view.value = name;
          }}
        >
          {VIEW_TITLES[name]}
          {name === "lint" && findings.value > 0 && (
            <span class={checked.isStale.value ? "badge stale" : "badge"}>
              <span class="unseen">{FRAME.tabsBefore}</span>
              {findings.value}
              <span class="unseen">{FRAME.tabsAfter(findings.value, checked.isStale.value)}</span>
            </span>
          )}
        </button>
      ))}
    </div>
  );
}

/** The page's state as a link, opening such links, and the browser history of the views. */

import { batch, effect, signal } from "@preact/signals";
import { replacing } from "./replaced";
import { fromFragment, MAX_LINK_LENGTH, type Shared, toFragment } from "./share";
import { agents, chosen, dialect, draft, fetchLog, fileNumber, original, site, toText, urlsTyped, type View, VIEWS, view, wellFormed } from "./state";
import { absent, named, received, typedSite } from "./subject";
import { DIALECTS, VIEW_TITLES } from "./words";
import * as FILE from "./words/file";
import * as FRAME from "./words/frame";
import { EXAMPLE } from "./example";

/** The problem of the link that was opened. */
export const linkTrouble = signal<string | null>(null);

/** Returns the state that a link or the session stores. */
export function shared(): Shared {
  const text = original.value?.text ?? draft.value;
  return {
    robots: wellFormed(draft.value),
    original: text.eq(draft.value) ? null : wellFormed(text),
    site: site.value,
    named: named.value,
    absent: absent.value?.origin ?? null,
    urls: urlsTyped.value,
    agents: agents.value,
    dialect: dialect.value,
    view: view.value,
  };
}

/** Returns a link to the current state. */
export async function link(withFile = true): Promise<string> {
  const state = withFile ? shared() : { ...shared(), robots: "", original: null };
  return `${location.origin}${location.pathname}#${await toFragment(state)}`;
}

/** Restores a state. `from` describes the original if it is another text. */
export function adopt(found: Shared, from: string): void {
  batch(() => {
    fileNumber.value += 1;
    draft.value = toText(found.robots);
    original.value = { text: found.original === null ? draft.value : toText(found.original), from };
    site.value = found.site;
    fetchLog.value = null;
    received.value = null;
    named.value = found.named === null ? null : typedSite(found.named);
    // The site's former answer may no longer be valid, and the text is not its file.
    const missing = found.absent === null ? null : typedSite(found.absent);
    absent.value = missing === null ? null : { origin: missing, log: null, lists: null };
    urlsTyped.value = found.urls;
    agents.value = found.agents;
    dialect.value = Object.hasOwn(DIALECTS, found.dialect) ? found.dialect : "standard";
    view.value = VIEWS.find((name) => name === (found.view as View)) ?? "overview";
    chosen.value = null;
  });
}

/** Opens the state in the fragment of an address. Shows a message if it is damaged. */
export async function open(fragment: string): Promise<void> {
  linkTrouble.value = null;
  if (fragment === "") return;
  const found = await fromFragment(fragment);
  if (!found) {
    linkTrouble.value = draft.peek().eq(toText(EXAMPLE)) ? FRAME.noticesLinkExample : FRAME.noticesLinkFormer;
    return;
  }
  replacing(FILE.replacedLink, () => adopt(found, FILE.originalsLink));
}

/** Returns the view of a history entry; undefined if the entry is not from this page. */
function viewOf(state: unknown): View | undefined {
  const name = typeof state === "object" && state !== null && "view" in state ? state.view : undefined;
  return VIEWS.find((one) => one === name);
}

/** Updates the address when the state changes, and adds a history entry for each view. */
export function remember(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = true;
  effect(() => {
    const now = view.value;
    document.title = FRAME.title(VIEW_TITLES[now]);
    const before = viewOf(history.state);
    if (first || before === undefined) history.replaceState({ view: now }, "");
    else if (before !== now) history.pushState({ view: now }, "");
  });
  effect(() => {
    void [draft.value, original.value, site.value, urlsTyped.value, agents.value, dialect.value, view.value];
    void [named.value, absent.value];
    if (first) {
      first = false;
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(async () => {
      // A larger text would not fit even if compressed to a tenth.
      const fits = draft.value.length + (original.value?.text.length ?? 0) + urlsTyped.value.length < 10 * MAX_LINK_LENGTH;
      const address = fits ? await link() : "";
      history.replaceState({ view: view.value }, "", fits && address.length <= MAX_LINK_LENGTH ? address : location.pathname);
    }, 500);
  });
  // "Back" changes the view and keeps the work. An address that the user has typed or pasted is a link.
  addEventListener("popstate", (event) => {
    view.value = viewOf(event.state) ?? view.value;
  });
  addEventListener("hashchange", () => {
    if (viewOf(history.state) === undefined) void open(location.hash.slice(1));
  });
}

/** The page's state as a link, and what opening one does. */

import { batch, effect } from "@preact/signals";
import { fromFragment, LONGEST, type Shared, toFragment } from "./share";
import { agents, chosen, dialect, draft, original, site, story, toText, urlsTyped, type View, VIEWS, view, wellFormed } from "./state";
import { absent, named, received, typedSite } from "./subject";
import { DIALECTS } from "./words";

function shared(): Shared {
  const { text } = original.value;
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

/** Returns the link to what is seen now. */
export async function link(withFile = true): Promise<string> {
  const state = withFile ? shared() : { ...shared(), robots: "", original: null };
  return `${location.origin}${location.pathname}#${await toFragment(state)}`;
}

/** Takes over what a link says; returns whether it says anything. */
export async function open(fragment: string): Promise<boolean> {
  const found = await fromFragment(fragment);
  if (!found) return false;
  batch(() => {
    draft.value = toText(found.robots);
    original.value =
      found.original === null
        ? { text: draft.value, from: "the link" }
        : { text: toText(found.original), from: "the link" };
    site.value = found.site;
    story.value = null;
    received.value = null;
    named.value = found.named === null ? null : typedSite(found.named);
    // What a site answered then says nothing about now, and the text is not its file.
    const missing = found.absent === null ? null : typedSite(found.absent);
    absent.value = missing === null ? null : { origin: missing, told: null, lists: null };
    urlsTyped.value = found.urls;
    agents.value = found.agents;
    dialect.value = Object.hasOwn(DIALECTS, found.dialect) ? found.dialect : "standard";
    view.value = VIEWS.find((name) => name === (found.view as View)) ?? "test";
    chosen.value = null;
  });
  return true;
}

/** Keeps the address in step with the page, so that reloading loses nothing that fits. */
export function remember(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = true;
  effect(() => {
    void [draft.value, original.value, site.value, urlsTyped.value, agents.value, dialect.value, view.value];
    void [named.value, absent.value];
    if (first) {
      first = false;
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(async () => {
      // Compressed ten to one, a larger text would still not fit.
      const fits = draft.value.length + original.value.text.length < 10 * LONGEST;
      const address = fits ? await link() : "";
      history.replaceState(null, "", fits && address.length <= LONGEST ? address : location.pathname);
    }, 500);
  });
}

/** The site of the text, shown next to the editor, and a form to change it. */

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { short } from "../escape";
import { announcement } from "../state";
import { absent, fileSite, judgeByDraft, named, typedSite } from "../subject";
import { keepFocus } from "./bits";
import { UrlField } from "./url-field";

const isOpen = signal(false);
const typed = signal("");
const isWrong = signal(false);

/** Opens the form for the site of the text. */
export function changeSite(): void {
  typed.value = fileSite.peek().site ?? "";
  isWrong.value = false;
  isOpen.value = true;
}

/** Sets the site of the text. With null, the URLs determine it. */
export function takeFor(site: string | null): void {
  named.value = site;
  isOpen.value = false;
  announcement.value =
    fileSite.value.site === null ? "Only paths are tested." : `Tested as the robots.txt of ${fileSite.value.site}.`;
}

/** Uses the text for verdicts again, instead of the ruling of a fetch. */
export function testDraft(): void {
  judgeByDraft();
  announcement.value = "The text is tested again.";
  requestAnimationFrame(() => keepFocus(".site-of-file button"));
}

export function SiteOfFile() {
  const missing = absent.value;
  if (missing) {
    return (
      <div class="site-of-file">
        <p>
          <strong>This text is not that site’s file,</strong> and is not tested.
        </p>
        <button type="button" class="quiet" onClick={testDraft}>
          Test this text instead
        </button>
      </div>
    );
  }
  if (isOpen.value) return <Change />;
  const { site, isAssumed } = fileSite.value;
  return (
    <div class="site-of-file">
      <p>
        {site === null ? (
          "Tested as the robots.txt of no site in particular: only paths are tested."
        ) : (
          <>
            Tested as the robots.txt of <code dir="ltr">{short(site, 100)}</code>
            {isAssumed ? ", the site of the first URL." : "."} Your site does not change.
          </>
        )}
      </p>
      <button type="button" class="quiet" onClick={changeSite}>
        {site === null ? (
          "Name a site"
        ) : (
          <>
            Change<span class="unseen"> the site</span>
          </>
        )}
      </button>
    </div>
  );
}

function Change() {
  const field = useRef<HTMLInputElement>(null);
  // Runs before the next paint, since the form may be closed before that.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
    return () => requestAnimationFrame(() => keepFocus(".site-of-file button"));
  }, []);
  return (
    <form
      class="site-of-file"
      // A name makes a form a landmark.
      aria-label="The file’s site"
      onSubmit={(event) => {
        event.preventDefault();
        const site = typedSite(typed.value);
        isWrong.value = site === null;
        if (site !== null) takeFor(site);
        else field.current?.focus();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") isOpen.value = false;
      }}
    >
      <label for="site-of-file">Which site is this file for?</label>
      <div class="row tight">
        <UrlField
          id="site-of-file"
          field={field}
          placeholder="https://example.com"
          value={typed.value}
          aria-invalid={isWrong.value}
          {...(isWrong.value ? { "aria-describedby": "site-of-file-wrong" } : {})}
          onType={(text) => (typed.value = text)}
        />
        <button type="submit">Use it</button>
        {named.value !== null && (
          <button type="button" onClick={() => takeFor(null)}>
            Let the URLs decide
          </button>
        )}
        <button type="button" class="quiet" onClick={() => (isOpen.value = false)}>
          Cancel
        </button>
      </div>
      {isWrong.value && (
        <p id="site-of-file-wrong" class="note warn" role="alert">
          Write a site such as https://example.com, or any URL on it.
        </p>
      )}
    </form>
  );
}

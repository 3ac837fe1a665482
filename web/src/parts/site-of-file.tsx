/** The site of the text, shown next to the editor, and a form to change it. */

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { short } from "../escape";
import { announcement } from "../state";
import { absent, fileSite, judgeByDraft, named, typedSite } from "../subject";
import * as FILE from "../words/file";
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
    fileSite.value.site === null ? FILE.siteOnlyPaths : FILE.siteTestedAs(fileSite.value.site);
}

/** Uses the text for verdicts again, instead of the ruling of a fetch. */
export function testDraft(): void {
  judgeByDraft();
  announcement.value = FILE.siteTestedAgain;
  requestAnimationFrame(() => keepFocus(".site-of-file button"));
}

export function SiteOfFile() {
  const missing = absent.value;
  if (missing) {
    return (
      <div class="site-of-file">
        <p>{FILE.siteNotItsFile()}</p>
        <button type="button" class="quiet" onClick={testDraft}>
          {FILE.siteTestText}
        </button>
      </div>
    );
  }
  if (isOpen.value) return <Change />;
  const { site, isAssumed } = fileSite.value;
  const words = isAssumed ? FILE.siteAssumed : FILE.siteNamed;
  return (
    <div class="site-of-file">
      <p>{site === null ? FILE.siteNone : words(<code dir="ltr">{short(site, 100)}</code>)}</p>
      <button type="button" class="quiet" onClick={changeSite}>
        {site === null ? FILE.siteName : FILE.siteChange()}
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
      aria-label={FILE.siteForm}
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
      <label for="site-of-file">{FILE.siteQuestion}</label>
      <div class="row tight">
        <UrlField
          id="site-of-file"
          field={field}
          placeholder={FILE.sitePlaceholder}
          value={typed.value}
          aria-invalid={isWrong.value}
          {...(isWrong.value ? { "aria-describedby": "site-of-file-wrong" } : {})}
          onType={(text) => (typed.value = text)}
        />
        <button type="submit">{FILE.siteUse}</button>
        {named.value !== null && (
          <button type="button" onClick={() => takeFor(null)}>
            {FILE.siteByUrls}
          </button>
        )}
        <button type="button" class="quiet" onClick={() => (isOpen.value = false)}>
          {FILE.siteCancel}
        </button>
      </div>
      {isWrong.value && (
        <p id="site-of-file-wrong" class="note warn" role="alert">
          {FILE.siteWrong}
        </p>
      )}
    </form>
  );
}

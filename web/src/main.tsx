/** The tester page: a file on one side, and its verdicts on the other. */

import { PANELS } from "#panels";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { download } from "./files";
import { FilePane } from "./parts/file";
import { AnswerBar } from "./parts/answer";
import { applyTheme, Header, Notice, showHelp } from "./parts/header";
import { showView, Tabs } from "./parts/tabs";
import { Terms } from "./parts/terms";
import { goTo } from "./editor/editor";
import { cursorLine } from "./editor/shown";
import { open, remember } from "./link";
import { keepWork, restore } from "./session";
import { announcement, learn, VIEWS, view } from "./state";
import * as FRAME from "./words/frame";
import "./style.css";

function Page() {
  useEffect(() => {
    addEventListener("keydown", shortcuts);
    return () => removeEventListener("keydown", shortcuts);
  }, []);
  const opened = useRef(view.value);
  useEffect(() => {
    if (opened.current !== view.value) showView();
    opened.current = view.value;
  }, [view.value]);
  const Panel = PANELS[view.value];
  return (
    <>
      <a class="skip" href="#view" onClick={skip}>
        {FRAME.skip}
      </a>
      <Header />
      <Notice />
      <main class="work">
        <AnswerBar />
        <FilePane />
        <section class="views" aria-label={FRAME.views}>
          <Tabs />
          <div id="view" class={`view view-${view.value}`} role="tabpanel" aria-labelledby={`tab-${view.value}`} tabIndex={-1}>
            <Panel />
            <Terms />
          </div>
        </section>
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </>
  );
}

/** Skips to the view without a link, because the fragment of the address contains the page's state. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("view")?.focus();
}

function shortcuts(event: KeyboardEvent): void {
  const number = /^Digit(\d)$/.exec(event.code)?.[1];
  if (event.altKey && !event.ctrlKey && !event.metaKey && number) {
    event.preventDefault();
    // The digits as they are on the keyboard: the tenth view is 0.
    view.value = VIEWS[(Number(number) + 9) % 10] ?? view.value;
    document.getElementById(`tab-${view.value}`)?.focus();
  } else if (event.key === "." && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    const panel = document.getElementById("view");
    if (panel?.contains(document.activeElement)) goTo(cursorLine.value);
    else (panel?.querySelector<HTMLElement>(".cell[tabindex='0']") ?? panel)?.focus();
  } else if (event.key === "s" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    download();
  } else if (event.key === "F1") {
    event.preventDefault();
    showHelp();
  }
}

async function start(): Promise<void> {
  applyTheme();
  if (!restore()) await open(location.hash.slice(1));
  learn();
  remember();
  keepWork();
  const place = document.getElementById("page");
  place?.replaceChildren();
  if (place) render(<Page />, place);
}

void start();

/** The views of the page without a service, which has a small part of the program. */

import { Empty } from "../parts/bits";
import type { View } from "../state";
import { AiView } from "../views/ai";
import { CompareView } from "../views/compare";
import { MatrixView } from "../views/matrix";
import { OverviewView } from "../views/overview";
import { TestView } from "../views/test";

/** Returns a view that needs the program. `command` does the same in a terminal. */
function needsService(what: string, command: string): () => preact.JSX.Element {
  return () => (
    <Empty title="This view needs the service">
      <p>
        {what} Start <code>comity serve</code> for that: it shows this page with all views. In a terminal,{" "}
        <code>{command}</code> does it.
      </p>
      <p>The views Overview, Test, Compare, By engine and AI work here.</p>
    </Empty>
  );
}

/** The reason of the views that fetch. */
const NO_CONNECTION = "This page answers in your browser and connects to no site.";

/** The reason of the views whose programs are large. */
const TOO_LARGE = "This page answers in your browser, and is kept small: it has no part that does this.";

export const PANELS: Record<View, () => preact.JSX.Element> = {
  overview: OverviewView,
  test: TestView,
  compare: CompareView,
  matrix: MatrixView,
  lint: needsService(TOO_LARGE, "comity lint robots.txt"),
  fetch: needsService(NO_CONNECTION, "comity fetch https://example.com"),
  ai: AiView,
  page: needsService(NO_CONNECTION, "comity page https://example.com/page"),
  sitemaps: needsService(NO_CONNECTION, "comity sitemaps https://example.com"),
  generate: needsService(TOO_LARGE, "comity generate"),
};

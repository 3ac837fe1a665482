/** The views of the page without a service. Those that need a module of their own are loaded when they are opened. */

import { Empty } from "../parts/bits";
import { later } from "../parts/later";
import type { View } from "../state";
import { AiView } from "../views/ai";
import { CompareView } from "../views/compare";
import { MatrixView } from "../views/matrix";
import { OverviewView } from "../views/overview";
import { TestView } from "../views/test";

/** Returns a view that connects to sites. `command` does the same in a terminal. */
function needsService(command: string): () => preact.JSX.Element {
  return () => (
    <Empty title="This view needs the service">
      <p>
        This page answers in your browser and connects to no site. Start <code>comity serve</code> for that: it shows this
        page with all views. In a terminal, <code>{command}</code> does it.
      </p>
      <p>The views Overview, Test, Compare, By engine, Mistakes, AI and Write work here.</p>
    </Empty>
  );
}

export const PANELS: Record<View, () => preact.JSX.Element> = {
  overview: OverviewView,
  test: TestView,
  compare: CompareView,
  matrix: MatrixView,
  lint: later(() => import("../views/lint").then((found) => found.LintView)),
  fetch: needsService("comity fetch https://example.com"),
  ai: AiView,
  page: needsService("comity page https://example.com/page"),
  sitemaps: needsService("comity sitemaps https://example.com"),
  generate: later(() => import("../views/generate").then((found) => found.GenerateView)),
};

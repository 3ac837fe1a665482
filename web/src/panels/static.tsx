/** The views of the page without a service. Those that need a module of their own are loaded when they are opened. */

import { Empty } from "../parts/bits";
import { later } from "../parts/later";
import type { View } from "../state";
import { AiView } from "../views/ai";
import { CompareView } from "../views/compare";
import { MatrixView } from "../views/matrix";
import { OverviewView } from "../views/overview";
import { TestView } from "../views/test";
import * as PARTS from "../words/parts";

/** Returns a view that connects to sites. `command` does the same in a terminal. */
function needsService(command: string): () => preact.JSX.Element {
  return () => (
    <Empty title={PARTS.needsServiceTitle}>
      <p>{PARTS.needsServiceCommand(command)}</p>
      <p>{PARTS.needsServiceOthers}</p>
    </Empty>
  );
}

export const PANELS: Record<View, () => preact.JSX.Element> = {
  overview: OverviewView,
  test: TestView,
  compare: CompareView,
  matrix: MatrixView,
  lint: later(() => import("../views/lint").then((found) => found.LintView)),
  fetch: needsService(PARTS.needsServiceCommands.fetch),
  ai: AiView,
  page: needsService(PARTS.needsServiceCommands.page),
  sitemaps: needsService(PARTS.needsServiceCommands.sitemaps),
  generate: later(() => import("../views/generate").then((found) => found.GenerateView)),
};

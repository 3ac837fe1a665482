/** The views, with a service. Those that are not first are loaded when they are opened. */

import { later } from "../parts/later";
import type { View } from "../state";
import { OverviewView } from "../views/overview";
import { TestView } from "../views/test";

export const PANELS: Record<View, () => preact.JSX.Element> = {
  overview: OverviewView,
  test: TestView,
  compare: later(() => import("../views/compare").then((found) => found.CompareView)),
  matrix: later(() => import("../views/matrix").then((found) => found.MatrixView)),
  lint: later(() => import("../views/lint").then((found) => found.LintView)),
  fetch: later(() => import("../views/fetch").then((found) => found.FetchView)),
  ai: later(() => import("../views/ai").then((found) => found.AiView)),
  page: later(() => import("../views/page").then((found) => found.PageView)),
  sitemaps: later(() => import("../views/sitemaps").then((found) => found.SitemapsView)),
  generate: later(() => import("../views/generate").then((found) => found.GenerateView)),
};

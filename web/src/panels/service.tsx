/** The views, with a service. */

import type { View } from "../state";
import { AiView } from "../views/ai";
import { CompareView } from "../views/compare";
import { FetchView } from "../views/fetch";
import { GenerateView } from "../views/generate";
import { LintView } from "../views/lint";
import { MatrixView } from "../views/matrix";
import { PageView } from "../views/page";
import { SitemapsView } from "../views/sitemaps";
import { TestView } from "../views/test";

export const PANELS: Record<View, () => preact.JSX.Element> = {
  test: TestView,
  compare: CompareView,
  matrix: MatrixView,
  lint: LintView,
  fetch: FetchView,
  ai: AiView,
  page: PageView,
  sitemaps: SitemapsView,
  generate: GenerateView,
};

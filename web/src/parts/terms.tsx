/** Explanations of the words that a view uses, for people who meet them for the first time. */

import type { View } from "../state";
import { view } from "../state";
import * as FRAME from "../words/frame";
import type { Term } from "../words/frame";

const OF_VIEW: Record<View, Term[]> = {
  overview: ["crawler", "group", "rule", "sitemap", "preference", "redirect"],
  test: ["crawler", "verdict", "group", "rule", "path", "readings"],
  compare: ["original", "witness", "verdict", "rule", "readings"],
  matrix: ["readings", "crawler", "rule"],
  lint: ["rule", "group", "crawler", "fix"],
  fetch: ["redirect", "policy", "crawler"],
  ai: ["purposes", "preference", "group"],
  page: ["crawler", "noindex", "rule"],
  sitemaps: ["sitemap", "crawler", "rule"],
  generate: ["path", "crawler", "preference", "sitemap"],
};

export function Terms() {
  const terms = OF_VIEW[view.value];
  return (
    // A new element for each view is closed at first.
    <details class="terms" key={view.value}>
      <summary>{FRAME.termsTitle}</summary>
      <dl>
        {terms.map((term) => {
          const [word, meaning] = FRAME.terms[term] as [word: string, meaning: string];
          return (
            <div key={term}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          );
        })}
      </dl>
    </details>
  );
}

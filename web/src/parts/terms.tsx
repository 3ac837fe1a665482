/** Explanations of the words that a view uses, for people who meet them for the first time. */

import type { View } from "../state";
import { view } from "../state";

type Term =
  | "crawler"
  | "verdict"
  | "rule"
  | "group"
  | "readings"
  | "original"
  | "witness"
  | "policy"
  | "redirect"
  | "purposes"
  | "preference"
  | "noindex"
  | "sitemap"
  | "path"
  | "fix";

const TERMS: Record<Term, [word: string, meaning: string]> = {
  crawler: ["Crawler", "a program that reads websites for a search engine or another company. Googlebot is the one of Google’s search."],
  verdict: ["Verdict", "the answer to the question if a crawler may fetch a URL: allowed or blocked. To block is not to hide: a blocked page can still be listed."],
  rule: ["Rule", "a line with Allow or Disallow. If several fit a URL, the one with the longest path decides: the one with the most characters after the colon. A letter such as ü counts as %C3%BC."],
  group: ["Group", "one or more User-agent lines, which name crawlers, with the rules below them. A crawler obeys the group that names it; only without one, the group for everyone (*)."],
  readings: ["Read as", "crawlers differ in small things when they read a robots.txt. The standard is the common rules of the Internet for it, published as RFC 9309 in 2022. It is right for most questions."],
  original: ["Original and draft", "the file before your changes, for example the one that is live now, and your text in the editor."],
  witness: ["Newly blocked, newly allowed", "what crawlers could fetch by the original and can’t by the draft, and the other way around."],
  policy: ["What failures mean", "what crawlers do if a site does not answer, or answers with an error. Search engines differ, so you can choose."],
  redirect: ["Redirect", "the server says that the file is at another address, and the crawler asks there."],
  purposes: ["Training, Search, Agents", "the three uses of pages: models learn from them, search engines list them, and assistants read them when a person asks."],
  preference: ["Preference", "a line that asks how pages may be used after they were fetched. It blocks nothing, and few crawlers promise to respect it."],
  noindex: ["noindex", "a note on a page, for search engines: do not show this page in search results. They must be able to fetch the page to see it."],
  sitemap: ["Sitemap", "a file on the site that lists its pages for search engines. Shop programs often write it by themselves."],
  path: ["Path", "the part of an address after the name of the site: of https://shop.example/cart/ it is /cart/."],
  fix: ["Safe fix", "a correction that changes no verdict of a known crawler."],
};

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
      <summary>What do the words here mean?</summary>
      <dl>
        {terms.map((term) => {
          const [word, meaning] = TERMS[term];
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

/** Syntax colors for a robots.txt, by the field of each line. */

import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

interface State {
  field: string;
  inValue: boolean;
}

/** The style of each field. Crawlers, disallow, allow and other fields differ in color. */
const FIELDS: Record<string, string> = {
  "user-agent": "heading",
  useragent: "heading",
  "user agent": "heading",
  disallow: "deleted",
  allow: "inserted",
  sitemap: "keyword",
  "crawl-delay": "keyword",
  "content-signal": "keyword",
  "content-usage": "keyword",
  license: "keyword",
  host: "keyword",
  "clean-param": "keyword",
  "request-rate": "keyword",
  "visit-time": "keyword",
  noindex: "keyword",
};

const robots = StreamLanguage.define<State>({
  name: "robots",
  startState: () => ({ field: "", inValue: false }),
  token(stream, state) {
    if (stream.sol()) {
      state.field = "";
      state.inValue = false;
    }
    if (stream.eatSpace()) return null;
    if (stream.peek() === "#") {
      stream.skipToEnd();
      return "comment";
    }
    if (!state.inValue) {
      const found = stream.match(/^[^:#]*/) as RegExpMatchArray | null;
      state.field = (found?.[0] ?? "").trim().toLowerCase();
      state.inValue = true;
      return FIELDS[state.field] ?? "invalid";
    }
    if (stream.match(/^:/)) return "punctuation";
    if (state.field === "allow" || state.field === "disallow") {
      if (stream.match(/^(\*|\$(?=\s*(#|$)))/)) return "operator";
      stream.match(/^[^*$#]+/) || stream.next();
      return "string";
    }
    stream.match(/^[^#]+/) || stream.next();
    return state.field.startsWith("user") ? "strong" : "string";
  },
  languageData: { commentTokens: { line: "#" } },
});

const style = HighlightStyle.define([
  { tag: tags.comment, class: "r-comment" },
  { tag: tags.heading, class: "r-agent" },
  { tag: tags.strong, class: "r-name" },
  { tag: tags.deleted, class: "r-disallow" },
  { tag: tags.inserted, class: "r-allow" },
  { tag: tags.keyword, class: "r-other" },
  { tag: tags.operator, class: "r-operator" },
  { tag: tags.string, class: "r-value" },
  { tag: tags.invalid, class: "r-unknown" },
  { tag: tags.punctuation, class: "r-colon" },
]);

export const robotsLanguage = [robots, syntaxHighlighting(style)];

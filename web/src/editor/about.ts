/** Explanations of lines: the crawler that a token names, the URLs and crawlers of a rule, and lines without effect. */

import type { Text } from "@codemirror/state";
import { ask } from "../api";
import { short } from "../escape";
import { crawlerOf, dialect } from "../state";
import { fileOf } from "../subject";
import type { Headline, InspectAnswer } from "../types";
import { capital, patternWords, who } from "../words";
import { LINE } from "../words/file";

/** An explanation: a title, and more sentences. */
export interface About {
  title: string;
  details: string[];
  /** True for a rule, whose removal may change answers. */
  isRule: boolean;
}

/** The explanations of a text: of each line, and of the whole. */
export interface Inspected {
  /** For whom the site is open. */
  headline: Headline;
  lines: Map<number, About>;
  bytes: number;
  /** True if it is longer than crawlers read. */
  isCut: boolean;
  looksLikeHtml: boolean;
}

let known: { text: Text; dialect: string; found: Promise<Inspected> } | null = null;

/** Returns the explanations of a text. They are requested only once for each text. */
export function inspect(text: Text): Promise<Inspected> {
  const read = dialect.peek();
  if (known?.text !== text || known.dialect !== read) {
    const found = ask<InspectAnswer>("/v1/inspect", { ...fileOf(text), dialect: read }).then((answer) => ({
      headline: answer.headline,
      lines: explain(answer),
      bytes: answer.bytes,
      isCut: answer.size === "cut",
      looksLikeHtml: answer.looks_like_html,
    }));
    known = { text, dialect: read, found };
    found.catch(() => (known = null));
  }
  return known.found;
}

function explain(found: InspectAnswer): Map<number, About> {
  const lines = new Map<number, About>();
  const crawler = crawlerOf.peek();
  for (const { agents, rules } of found.groups) {
    const names = agents.map(({ token }) => token);
    for (const { line, token, value } of agents) {
      const details = [token === "*" ? LINE.everyCrawlerMore : who(short(token, 80), crawler(token))];
      if (token !== value && token !== "") details.push(LINE.readAs(short(value, 80), short(token, 80)));
      if (rules.length === 0) details.push(LINE.emptyGroup);
      lines.set(line, { title: token === "*" ? LINE.everyCrawler : LINE.crawler(short(token, 80)), details, isRule: false });
    }
    const all = names.includes("*");
    const named = names.slice(0, 3).map((name) => {
      const operator = crawler(name)?.operator;
      return operator ? LINE.operator(short(name, 60), operator) : short(name, 60);
    });
    const whom = all ? LINE.everyOther : LINE.names(named, names.length - named.length);
    for (const { line, kind, pattern, value, never_matches } of rules) {
      const details = [LINE.forWhom(whom)];
      let title = (kind === "allow" ? LINE.allows : LINE.blocks)(short(patternWords(pattern)));
      if (pattern === "") title = LINE.emptyRule;
      if (never_matches !== null) {
        title = LINE.matchesNothing;
        details.unshift(LINE.sentence(capital(short(String(never_matches)))));
      }
      if (pattern !== value && pattern !== "") details.push(LINE.comparedAs(short(pattern)));
      lines.set(line, { title, details, isRule: never_matches === null && pattern !== "" });
    }
  }
  for (const { line, name, value, without_effect } of [...found.records, ...found.sitemaps]) {
    const details = without_effect === null ? [] : [LINE.withoutEffect(short(without_effect))];
    lines.set(line, { title: LINE.record(short(name, 60), short(value, 100)), details, isRule: false });
  }
  for (const { line, because } of found.ignored) {
    lines.set(line, { title: LINE.ignored, details: [LINE.sentence(capital(short(because)))], isRule: false });
  }
  for (const { line, note } of found.notes) {
    const about = lines.get(line) ?? { title: LINE.note, details: [], isRule: false };
    about.details.push(LINE.sentence(capital(short(note))));
    lines.set(line, about);
  }
  return lines;
}

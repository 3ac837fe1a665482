/** Explanations of lines: the crawler that a token names, the URLs and crawlers of a rule, and lines without effect. */

import type { Text } from "@codemirror/state";
import { ask } from "../api";
import { short } from "../escape";
import { crawlerOf, dialect } from "../state";
import { fileOf } from "../subject";
import type { Headline, InspectAnswer } from "../types";
import { capital, patternWords, who } from "../words";
import * as FILE from "../words/file";

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
      const details = [token === "*" ? FILE.lineEveryCrawlerMore : who(short(token, 80), crawler(token))];
      if (token !== value && token !== "") details.push(FILE.lineReadAs(short(value, 80), short(token, 80)));
      if (rules.length === 0) details.push(FILE.lineEmptyGroup);
      lines.set(line, { title: token === "*" ? FILE.lineEveryCrawler : FILE.lineCrawler(short(token, 80)), details, isRule: false });
    }
    const all = names.includes("*");
    const named = names.slice(0, 3).map((name) => {
      const operator = crawler(name)?.operator;
      return operator ? FILE.lineOperator(short(name, 60), operator) : short(name, 60);
    });
    const whom = all ? FILE.lineEveryOther : FILE.lineNames(named, names.length - named.length);
    for (const { line, kind, pattern, value, never_matches } of rules) {
      const details = [FILE.lineForWhom(whom)];
      let title = (kind === "allow" ? FILE.lineAllows : FILE.lineBlocks)(short(patternWords(pattern)));
      if (pattern === "") title = FILE.lineEmptyRule;
      if (never_matches !== null) {
        title = FILE.lineMatchesNothing;
        details.unshift(FILE.lineSentence(capital(short(String(never_matches)))));
      }
      if (pattern !== value && pattern !== "") details.push(FILE.lineComparedAs(short(pattern)));
      lines.set(line, { title, details, isRule: never_matches === null && pattern !== "" });
    }
  }
  for (const { line, name, value, without_effect } of [...found.records, ...found.sitemaps]) {
    const details = without_effect === null ? [] : [FILE.lineWithoutEffect(short(without_effect))];
    lines.set(line, { title: FILE.lineRecord(short(name, 60), short(value, 100)), details, isRule: false });
  }
  for (const { line, because } of found.ignored) {
    lines.set(line, { title: FILE.lineIgnored, details: [FILE.lineSentence(capital(short(because)))], isRule: false });
  }
  for (const { line, note } of found.notes) {
    const about = lines.get(line) ?? { title: FILE.lineNote, details: [], isRule: false };
    about.details.push(FILE.lineSentence(capital(short(note))));
    lines.set(line, about);
  }
  return lines;
}

/** The texts of the view By engine. */

import { said } from "../said";
import { andMore, count } from "../words";

export const MATRIX = {
  lead: () =>
    said`Crawlers don’t all read a robots.txt alike. Each column is one way to read the same file, whichever crawler asks. <em>The standard</em> is the common rules of the Internet (RFC 9309). <em>The 1996 draft</em> is old, but simple crawlers still follow it.`,
  all: (known: number) => `All ${known > 0 ? known : ""} known crawlers`,
  onlyDifferent: "Only where they differ",
  noFile: "There is no file that crawlers could read in different ways. The view Test has the verdicts.",
  nothing: "Nothing is asked",
  nothingMore: "Write URLs above, and choose crawlers in the view Test, or take all known ones.",
  agree: (questions: number) => `All readings agree on ${count(questions, "question")}.`,
  differ: (different: number, questions: number) => `The readings differ on ${different} of ${count(questions, "question")}.`,
  undocumented: " What Bing and Yandex do is not documented: their columns assume that they understand it.",
  firstUrls: (asked: number, all: number) => `These are about the first ${asked} of ${all} URLs.`,
  table: "Answers by engine",
  question: "URL, and the crawler that asks",
  anyone: "anyone",
  asker: (crawler: string, operator: string | undefined) => crawler + (operator ? `, ${operator}` : ""),
  more: (number: number) => `${andMore(number)}.`,
};

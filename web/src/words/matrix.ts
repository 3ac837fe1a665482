/** The texts of the view By engine. */

import { said } from "../said";
import { andMore, count } from "../words";

export const lead = () =>
  said`Crawlers don’t all read a robots.txt alike. Each column is one way to read the same file, whichever crawler asks. <em>The standard</em> is the common rules of the Internet (RFC 9309). <em>The 1996 draft</em> is old, but simple crawlers still follow it.`;
export const all = (known: number) => `All ${known > 0 ? known : ""} known crawlers`;
export const onlyDifferent = "Only where they differ";
export const noFile = "There is no file that crawlers could read in different ways. The view Test has the verdicts.";
export const nothing = "Nothing is asked";
export const nothingMore = "Write URLs above, and choose crawlers in the view Test, or take all known ones.";
export const agree = (questions: number) => `All readings agree on ${count(questions, "question")}.`;
export const differ = (different: number, questions: number) => `The readings differ on ${different} of ${count(questions, "question")}.`;
export const undocumented = " What Bing and Yandex do is not documented: their columns assume that they understand it.";
export const firstUrls = (asked: number, all: number) => `These are about the first ${asked} of ${all} URLs.`;
export const table = "Answers by engine";
export const question = "URL, and the crawler that asks";
export const anyone = "anyone";
export const asker = (crawler: string, operator: string | undefined) => crawler + (operator ? `, ${operator}` : "");
export const more = (number: number) => `${andMore(number)}.`;

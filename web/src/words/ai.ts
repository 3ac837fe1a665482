/** The texts of the view AI. Its first sentence is the service's. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { count, mistakeWords, plural } from "../words";

type Use = "training" | "search" | "agent";
/** The wish of the owner: nothing decided, AI out, training out but search in, or AI in. */
export type Wish = "none" | "out" | "split" | "in";

export const label = "AI crawlers";
export const empty = "The file is empty: it allows everything, and asks for nothing.";
export const noFile =
  "This applies to AI crawlers, too. Those that do not obey robots.txt decide themselves. There is no file that could state preferences for the use of content.";
export const uses = [
  ["training", "Training", "Models learn from what these fetch."],
  ["search", "Search", "Search engines, with and without AI, index what these fetch."],
  ["agent", "Agents", "Assistants fetch a page because a person asks them to."],
] as [Use, title: string, meaning: string][];
export const wish = "What do you want?";
export const wishes = [
  ["none", "I have not decided"],
  ["out", "Keep AI out"],
  ["split", "Training out, search in"],
  ["in", "Let AI in"],
] as [Wish, string][];
export const wishBoth = (number: number, names: string) =>
  `${names} ${plural(number, "fetches", "fetch")} for both: without ${plural(number, "it", "them")}, your pages leave search, too. A preference asks ${plural(number, "it", "them")} not to train.`;
export const wishWrite = "Write rules against AI training";
export const licenses = "Licenses";

// The part of the site that a crawler may fetch.

export const reachAll = "Everything";
export const reachMost = "Most";
export const reachSome = "Little";
export const reachNothing = "Nothing";
export const reachNotGoverned = "Does not obey";
export const reachPerhaps = (part: string) => `Perhaps ${part.toLowerCase()}`;
export const reachToken = (part: string) => `Its company may use ${part.toLowerCase()}`;
export const reachRefused = (part: string, use: Use) => `${part}, but asked not to ${REFUSED[use]}`;

const REFUSED: Record<Use, string> = { training: "train with it", search: "use it for search", agent: "answer with it" };

// The numbers of crawlers on a card. Each text follows a number; a title says which crawlers are counted.

/** The number is the one of the first sentence, which counts the same crawlers. */
export const cardCounted = (number: number) => `Of ${count(number, "AI crawler")} that ${plural(number, "obeys", "obey")} robots.txt:`;
export const cardEngines = (number: number) => `Not counted as AI crawlers: ${count(number, "crawler")} of search engines. Of these:`;
export const cardRest = "Not counted, because no rule for fetching applies:";

export const cardFetches = { all: "may fetch everything", most: "may fetch most", some: "may fetch little", nothing: "may fetch nothing" };
export const cardRefused = (fetches: string, number: number, use: Use) => `${fetches}, but ${plural(number, "is", "are")} asked not to ${REFUSED[use]}`;
export const cardDoubtful = (part: string, line: number | null, text: string) =>
  `may fetch ${part.toLowerCase()}, if they understand line ${line}, which ${mistakeWords(text)}`;
export const cardTokens = (number: number) =>
  plural(
    number,
    "fetches nothing itself: it is a name that tells a company how to use pages",
    "fetch nothing themselves: they are names that tell companies how to use pages",
  );
export const cardNotGoverned = (number: number) => plural(number, "does not obey the file", "do not obey the file");
/** The preferences that the file states for these crawlers, each with the number of crawlers. */
export const cardAsks = (asked: [wish: string, crawlers: number][], all: number) => {
  const parts = asked.flatMap(([wish, crawlers], nth): ComponentChildren[] => [
    nth > 0 ? "; " : "",
    said`${crawlers === all ? "all of them" : count(crawlers, "crawler")} for <strong>${wish}</strong>`,
  ]);
  return said`The file also asks ${parts}. Few crawlers promise to respect that.`;
};

export const preferencesTitle = "Preferences for content";
export const preferencesLead = () =>
  said`A preference asks how pages may be used after they were fetched: <em>search</em> is about search results, <em>ai-input</em> about answers of AI, and <em>ai-train</em> about training. It blocks nothing, and few crawlers promise to respect it.`;
export const preferencesNone = () => said`This file has none. An example: <code>Content-Signal: search=yes, ai-train=no</code>.`;
export const preferencesNoGroup = " It is in no group, so it applies to no crawler.";
export const preferencesForWhom = (crawlers: string) => ` For ${crawlers}.`;
export const preferencesEveryone = "everyone without a group";
export const preferencesNotUnderstood = " Not understood.";
export const preferencesYes = (key: string) => `${key}: yes`;
export const preferencesNo = (key: string) => `${key}: no`;

// The crawlers of a use.

export const tableNone = "No crawlers are known for this";
export const tableLabel = (title: string) => `${title}: crawlers`;
export const tableColumns = { crawler: "Crawler", fetches: "May fetch", preferences: "Preferences", because: "Because" };
export const tableNoPreference = "none";
export const tableNoneForIt = "none for it";
export const tableBlockRest = (rules: number) => `${count(rules, "rule")} ${plural(rules, "blocks", "block")} the rest`;
export const tableOdd = (line: number | null, text: string) => `line ${line} ${mistakeWords(text)}, and may be ignored`;
export const tableLineBlocksRest = (line: number) => `line ${line} blocks the rest`;
export const tableLineBlocksAll = (line: number) => `line ${line} blocks everything`;
export const tableAllowSome = (rules: number) => `${count(rules, "rule")} ${plural(rules, "allows", "allow")} something`;
export const tableByStar = "by the group for everyone";
export const tableGoverned = {
  "may-bypass": "may ignore robots.txt",
  unstated: "does not promise to obey",
  "control-token": "only a name for rules: it fetches nothing itself",
} as Record<string, string>;

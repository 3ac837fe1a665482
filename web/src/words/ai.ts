/** The texts of the view AI. Its first sentence is the service's. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { count, mistakeWords, plural } from "../words";

type Use = "training" | "search" | "agent";

export const AI = {
  label: "AI crawlers",
  empty: "The file is empty: it allows everything, and asks for nothing.",
  noFile:
    "This applies to AI crawlers, too. Those that do not obey robots.txt decide themselves. There is no file that could state preferences for the use of content.",
  uses: [
    ["training", "Training", "Models learn from what these fetch."],
    ["search", "Search", "Search engines, with and without AI, index what these fetch."],
    ["agent", "Agents", "Assistants fetch a page because a person asks them to."],
  ] as [Use, title: string, meaning: string][],
  wish: "What do you want?",
  wishes: [
    ["none", "I have not decided"],
    ["out", "Keep AI out"],
    ["in", "Let AI in"],
  ] as ["none" | "out" | "in", string][],
  licenses: "Licenses",
};

/** The part of the site that a crawler may fetch. */
export const REACH = {
  all: "Everything",
  most: "Most",
  some: "Little",
  nothing: "Nothing",
  notGoverned: "Does not obey",
  perhaps: (part: string) => `Perhaps ${part.toLowerCase()}`,
  token: (part: string) => `Its company may use ${part.toLowerCase()}`,
  refused: (part: string, use: Use) => `${part}, but asked not to ${REFUSED[use]}`,
};

const REFUSED: Record<Use, string> = { training: "train with it", search: "use it for search", agent: "answer with it" };

/** The numbers of crawlers on a card. Each text follows a number. */
export const CARD = {
  fetches: { all: "may fetch everything", most: "may fetch most", some: "may fetch little", nothing: "may fetch nothing" },
  refused: (fetches: string, number: number, use: Use) => `${fetches}, but ${plural(number, "is", "are")} asked not to ${REFUSED[use]}`,
  doubtful: (part: string, line: number | null, text: string) =>
    `may fetch ${part.toLowerCase()}, if they understand line ${line}, which ${mistakeWords(text)}`,
  tokens: (number: number) =>
    plural(
      number,
      "fetches nothing itself: it is a name that tells a company how to use pages",
      "fetch nothing themselves: they are names that tell companies how to use pages",
    ),
  notGoverned: (number: number) => plural(number, "does not obey the file", "do not obey the file"),
  /** The preferences that the file states for these crawlers, each with the number of crawlers. */
  asks: (asked: [wish: string, crawlers: number][], all: number) => {
    const parts = asked.flatMap(([wish, crawlers], nth): ComponentChildren[] => [
      nth > 0 ? "; " : "",
      said`${crawlers === all ? "all of them" : count(crawlers, "crawler")} for <strong>${wish}</strong>`,
    ]);
    return said`The file also asks ${parts}. Few crawlers promise to respect that.`;
  },
};

export const PREFERENCES = {
  title: "Preferences for content",
  lead: () =>
    said`A preference asks how pages may be used after they were fetched: <em>search</em> is about search results, <em>ai-input</em> about answers of AI, and <em>ai-train</em> about training. It blocks nothing, and few crawlers promise to respect it.`,
  none: () => said`This file has none. An example: <code>Content-Signal: search=yes, ai-train=no</code>.`,
  noGroup: " It is in no group, so it applies to no crawler.",
  forWhom: (crawlers: string) => ` For ${crawlers}.`,
  everyone: "everyone without a group",
  notUnderstood: " Not understood.",
  yes: (key: string) => `${key}: yes`,
  no: (key: string) => `${key}: no`,
};

/** The crawlers of a use. */
export const AI_TABLE = {
  none: "No crawlers are known for this",
  label: (title: string) => `${title}: crawlers`,
  columns: { crawler: "Crawler", fetches: "May fetch", preferences: "Preferences", because: "Because" },
  noPreference: "none",
  noneForIt: "none for it",
  blockRest: (rules: number) => `${count(rules, "rule")} ${plural(rules, "blocks", "block")} the rest`,
  odd: (line: number | null, text: string) => `line ${line} ${mistakeWords(text)}, and may be ignored`,
  lineBlocksRest: (line: number) => `line ${line} blocks the rest`,
  lineBlocksAll: (line: number) => `line ${line} blocks everything`,
  allowSome: (rules: number) => `${count(rules, "rule")} ${plural(rules, "allows", "allow")} something`,
  byStar: "by the group for everyone",
  governed: {
    "may-bypass": "may ignore robots.txt",
    unstated: "does not promise to obey",
    "control-token": "only a name for rules: it fetches nothing itself",
  } as Record<string, string>,
};

/**
 * The table of all texts that people read on the page. This file has those that several views share: answers in words, and
 * how numbers and lists are written. Those of one place are in `words/`, a file for each, so that they are loaded with their
 * view. Each of those is imported as a whole, and its texts are exports and not fields of an object: their names take no
 * space in the bundle, and a text that a build does not use is left out. No other file has a text, which
 * `tests/table.test.mjs` checks.
 */

import type { View } from "./state";
import type { Answer, Considered, Crawler, Explanation, FetchLog, Governed, Verdict } from "./types";

export const VIEW_TITLES: Record<View, string> = {
  overview: "Overview",
  test: "Test",
  compare: "Compare",
  matrix: "By engine",
  lint: "Mistakes",
  fetch: "Fetch",
  ai: "AI",
  page: "Page",
  sitemaps: "Sitemaps",
  generate: "Write",
};

/** The crawlers that a file does not name, as a heading and in a sentence. */
export const ANYONE = "* (anyone)";
export const UNNAMED = "A crawler that is not named";

/** The word before an answer that crawlers may give otherwise. */
export const PERHAPS = "perhaps ";

/** The beginning of what is said about the line that decides, and its number. */
export const lineWords = (line: number): string => `line ${line}`;

/** The subject of an answer from before. */
export const FORMER = {
  text: "This is about the text that was here before. The answer about this one is on its way.",
  sitemaps: (site: string) => `This is about the text that was here before${site === "" ? "" : `, and ${site}`}. Read the sitemaps again.`,
  changed: "This is about the text before your changes. Read the sitemaps again.",
  page: (url: string) => `This is about ${url}, and was checked before another text took the place of the former one.`,
};

export const PURPOSES: [name: string, title: string][] = [
  ["search", "Search engines"],
  ["ai-search", "AI search and answers"],
  ["ai-training", "AI training"],
  ["user-triggered", "Because a person asks"],
  ["ads", "Advertising"],
  ["preview", "Link previews"],
  ["seo", "SEO tools"],
  ["archive", "Archives"],
  ["tool", "Site owners’ tools"],
  ["security", "Security"],
  ["other", "Other"],
];

const PURPOSE_OF: Record<string, string> = {
  search: "for search",
  "ai-search": "for AI search and answers",
  "ai-training": "for AI training",
  "user-triggered": "for pages that a person asks for",
  ads: "for advertising",
  preview: "for link previews",
  seo: "for SEO reports",
  archive: "for an archive",
  tool: "as a tool for site owners",
  security: "for security",
  other: "for other things",
};

export const DIALECTS: Record<string, string> = {
  standard: "Standard (RFC 9309)",
  google: "Google",
  "google-parser": "Google’s parser alone",
  bing: "Bing",
  yandex: "Yandex",
  "norobots-1996": "The old draft of 1996",
};

export const DIALECTS_SHORT: Record<string, string> = {
  ...DIALECTS,
  standard: "Standard",
  "google-parser": "Google’s parser",
  "norobots-1996": "1996 draft",
};

/** The ways of reading, as headings that cannot be taken for crawlers. */
export const DIALECTS_READ: Record<string, string> = {
  standard: "By the standard",
  google: "As Google reads it",
  "google-parser": "As Google’s parser reads it",
  bing: "As Bing reads it",
  yandex: "As Yandex reads it",
  "norobots-1996": "By the 1996 draft",
};

export const POLICIES: Record<string, string> = {
  standard: "Standard: the careful reading",
  google: "Google",
  "google-2019": "Google, as of 2019",
  rfc9309: "RFC 9309, to the letter",
  strict: "Strict: when in doubt, no",
  archive: "Archive",
};

/** Returns an answer in words. `isDoubtful`: crawlers may ignore the line that decides. */
export function answerWord(answer: Answer, isDoubtful = false): string {
  if (isDoubtful) return `Perhaps ${answerWord(answer).toLowerCase()}`;
  switch (answer) {
    case "allowed":
      return "Allowed";
    case "disallowed":
      return "Blocked";
    case "not-governed":
      return "Does not obey";
    default:
      return "Other site";
  }
}

/** Returns the verb of a sentence such as "Googlebot … /x". */
export function mayWords(answer: Answer): string {
  switch (answer) {
    case "allowed":
      return "may fetch";
    case "disallowed":
      return "may not fetch";
    case "not-governed":
      return "does not obey robots.txt, and decides itself about";
    default:
      return "needs another site’s robots.txt for";
  }
}

export function who(agent: string, crawler: Crawler | undefined): string {
  if (agent === "*") return "Any crawler that the file does not name.";
  if (!crawler) return `${agent} is not a known crawler; the name is used literally.`;
  let text = `${crawler.token} is a crawler of ${crawler.operator}, ${PURPOSE_OF[crawler.purpose] ?? crawler.purpose}.`;
  if (crawler.governed === "control-token") {
    text = `${crawler.token} fetches nothing itself: rules for this name tell ${crawler.operator} how it may use pages (${PURPOSE_OF[crawler.purpose] ?? crawler.purpose}).`;
  }
  if (crawler.fallback.length > 0) text += ` Without its own group it uses that of ${crawler.fallback.join(", then ")}.`;
  if (!crawler.obeys_star && crawler.governed !== "no") text += " It ignores the rules for everyone (*).";
  return text + promise(crawler.governed);
}

function promise(governed: Governed): string {
  switch (governed) {
    case "no":
      return " Its operator says that it does not obey robots.txt.";
    case "may-bypass":
      return " Its operator says that it may ignore robots.txt, so this is advice.";
    case "unstated":
      return " Its operator does not promise to obey robots.txt, so this is advice.";
    default:
      return "";
  }
}

/** Returns the effect of a fetch that found no file, as a headline. */
export function absentTitle(log: FetchLog): string {
  if (log.access !== "allow-all") return "Crawlers stay away for now";
  return log.rung === null ? "No file: everything is allowed" : "Everything is allowed";
}

/** The reason why everything is allowed on a site that fails. */
export const ALLOWED_ANYWAY = "This policy allows everything although the file could not be fetched.";

/** Returns the effect of a fetch that found no file, with the reason. */
export function absentWords(log: FetchLog): string {
  if (log.access !== "allow-all") {
    return "Until the site sends the file, crawlers that obey robots.txt fetch nothing; no rule is the cause. Ask the site’s host why the server does not send it, and fetch it again later.";
  }
  switch (log.rung) {
    case null:
      return "The site has no robots.txt, so everything is allowed.";
    case "first":
      return ALLOWED_ANYWAY;
    default:
      return "It has not answered for so long that the policy treats it as a site without a robots.txt.";
  }
}

/** Returns the meaning of an HTTP status in parentheses, for people who don't know the numbers; often empty. */
export function statusMeaning(status: number | null): string {
  if (status === null) return "";
  if (status === 404 || status === 410) return " (there is no such file)";
  if (status === 401 || status === 403) return " (the server refuses access to it)";
  if (status === 429) return " (the server gets too many requests)";
  if (status === 503) return " (the server is overloaded, or closed for maintenance)";
  return status >= 500 ? " (something is broken on the server)" : "";
}

/** Returns a sentence of the service with the meaning of the status that a server answered. */
export function withStatusMeaning(text: string): string {
  return text.replace(/answered (\d{3})$/, (said, status) => said + statusMeaning(Number(status)));
}

/** Returns the reason why the service itself refused to ask a site. `Backticks` mark words to type. */
export function refusalWords(log: FetchLog): string {
  const at = log.steps.at(-1)?.url ?? log.robots_url;
  const start = log.steps.length > 1 ? `The site redirects to ${at}, to which this service may not connect` : `This service may not connect to ${at}`;
  const detail = log.detail === null ? "" : `: ${log.detail}`;
  let remedy = "";
  if (detail.includes("not a public address")) {
    remedy = " This service connects only to public addresses. The person who runs it can start it with `--addresses any`.";
  } else if (detail.includes("not in the list of addresses")) {
    remedy = " The person who runs this service chose its addresses, with `--addresses`.";
  }
  return `${start}${detail}.${remedy} The site itself was not contacted, so there is no verdict.`;
}

/** Returns the differences of two sites: one word for each part. */
export function differenceWords(one: string, other: string): string {
  const [a, b] = [new URL(one), new URL(other)];
  const parts = [
    ...(a.protocol === b.protocol ? [] : ["scheme"]),
    ...(a.hostname === b.hostname ? [] : ["host"]),
    ...(a.port === b.port ? [] : ["port"]),
  ];
  const last = parts.pop() ?? "site";
  return `another ${parts.length === 0 ? last : `${parts.join(", ")} and ${last}`}`;
}

/** Returns the group that applies, and the reason. */
export function groupWords(agent: string, verdict: Verdict, why: Explanation): string {
  const lines = listLines(why.groups.map((group) => group.line));
  const groups = plural(why.groups.length, "this group applies", "these groups apply together");
  const names = plural(why.groups.length, "names", "name");
  switch (verdict.basis) {
    case "own-token":
      return `${capital(lines)} ${names} ${why.token ?? agent}, so ${groups}. It does not use the rules for everyone (*).`;
    case "fallback-token":
      return `No group names ${why.tokens[0] ?? agent}. It uses the group of ${why.token ?? "another name"} (${lines}): ${groups}.`;
    case "merged-tokens":
      return `${capital(lines)} ${names} ${why.tokens.join(" or ")}: ${groups}.`;
    case "star":
      return agent === "*"
        ? `The group for everyone applies (${lines}).`
        : `No group names ${orList(why.tokens)}, so the group for everyone applies (${lines}).`;
    case "star-ignored":
      return `No group names ${orList(why.tokens)}, and it ignores the rules for everyone (*).`;
    default:
      return `No group names ${orList(why.tokens)}, and there is none for everyone (*).`;
  }
}

/** The reason for a verdict about the file itself. */
export const ROBOTS_ITSELF = "The robots.txt itself may always be fetched.";

/** Returns the rule that decides, and why it precedes the next one. */
export function winnerWords(verdict: Verdict, why: Explanation): string {
  const ranked = (rank: number): Considered | undefined => why.rules.find((rule) => rule.rank === rank);
  const [first, second] = [ranked(1), ranked(2)];
  switch (verdict.reason) {
    case "robots-txt":
      return ROBOTS_ITSELF;
    case "file-refused":
      return "The file is larger than this crawler accepts, so it is treated as missing.";
    case "no-rule-matches":
      return why.rules.length === 0
        ? "The group has no rules, so everything is allowed."
        : "No rule of the group matches this path, so it is allowed.";
    case "no-group":
    case "star-ignored":
      return "The file has no rules for this crawler, so everything is allowed.";
    case "empty-rule":
      return `Line ${verdict.line} is empty, which has no effect, and no other rule matches.`;
  }
  if (!first) return "";
  if (!second) return `Line ${first.line} is the only rule that matches, so it decides.`;
  if (why.dialect === "norobots-1996") {
    return `Line ${first.line} comes first, and in the draft of 1996 the first rule that matches decides. Line ${second.line} matches too.`;
  }
  if (first.priority > second.priority) {
    return `Line ${first.line} decides: its path is longer (${characters(first)}) than that of line ${second.line} (${characters(second)}). The longest path wins, wherever its line is.`;
  }
  return first.kind === second.kind
    ? `The paths of line ${first.line} and line ${second.line} are equally long, and both lines agree; the first one is named.`
    : `The paths of line ${first.line} and line ${second.line} are equally long (${characters(first)}), and then Allow wins.`;
}

/** Returns the length by which rules are ranked, in words. */
function characters({ priority }: Considered): string {
  return count(priority, "character");
}

/** Returns the field name of a rule as written, if it is misspelled or has no colon after it; otherwise null. */
export function oddName(text: string): string | null {
  const name = /^[\s\uFEFF]*([^:#]*?)\s*(?:[:#]|$)/.exec(text)?.[1] ?? "";
  return /^(dis)?allow$/i.test(name) ? null : (/^\S+/.exec(name)?.[0] ?? null);
}

/** Returns what to know about a deciding line that not every crawler understands; null for others. */
export function oddNameWords(line: number, text: string): string | null {
  const name = oddName(text);
  if (name === null) return null;
  const what = /^(dis)?allow$/i.test(name) ? `“${name}” has no colon after it` : `“${name}” is misspelled`;
  return `Line ${line}: ${what}. Google understands the line anyway, and so does this test. Other crawlers may ignore it, so their answer may differ. The view Mistakes corrects it.`;
}

/** Returns the mistake in the name of a deciding line, in two or three words. */
export function mistakeWords(text: string): string {
  return /^(dis)?allow$/i.test(oddName(text) ?? "") ? "has no colon" : "is misspelled";
}

/** Returns a sentence about crawlers that do not use the group for everyone. */
export function ownRulesWords(names: string[]): string {
  const shown = names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(names.length === 2 ? " and " : ", ");
  const [own, them] = [plural(names.length, "has rules of its own", "have rules of their own"), plural(names.length, "it", "them")];
  return `${shown} ${own} in the file, so the rules for everyone (*) do not apply to ${them}.`;
}

/** Returns a description of the URLs that a pattern matches. */
export function patternWords(pattern: string): string {
  if (pattern === "/" || pattern === "*" || pattern === "/*") return "every URL of the site";
  const anchored = pattern.endsWith("$");
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split(/\*+/);
  const start = parts[0] ?? "";
  const later = parts.slice(1).filter((part) => part !== "");
  if (anchored && parts.length === 1) return `exactly ${start}, and nothing longer`;
  // The last part is at the end of the URL, unless a star is after it.
  const end = anchored && parts.at(-1) !== "" ? later.pop() : undefined;
  const said = [
    ...(start === "" || start === "/" ? [] : [`start with ${start}`]),
    ...(later.length === 0 ? [] : [`contain ${later.join(", then ")}`]),
    ...(end === undefined ? [] : [`end with ${end}`]),
  ];
  return said.length === 0 ? "every URL of the site" : `URLs that ${said.join(", and then ")}`;
}

export function listLines(lines: number[]): string {
  const [first, ...more] = lines;
  if (first === undefined) return "no line";
  if (more.length === 0) return `line ${first}`;
  const shown = lines.slice(0, Math.min(lines.length - 1, 6)).join(", ");
  return `lines ${shown}${lines.length > 7 ? ", …" : ""} and ${lines.at(-1)}`;
}

/** Returns the form of a word that fits a number. All texts with a number use it, or `count`. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return number === 1 ? one : many;
}

/** Returns a number with its word. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${numeral(number)} ${plural(number, one, many)}`;
}

/** Returns a number as people write it: `1,204`. */
export function numeral(number: number): string {
  return number.toLocaleString("en");
}

/** Returns the end of a list or table of which only the first items are shown. */
export function andMore(number: number): string {
  return `and ${numeral(number)} more`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a message as a sentence. A question has its mark already. */
export function sentence(text: string): string {
  return capital(text) + (/[.?!]$/.test(text) ? "" : ".");
}

/** The part of a finding's help that names options of the command. Its fix needs the site of the file, too. */
export const OF_COMMAND = / \(with --url, [^)]*\)/;

/** Returns the help of a finding as a sentence. */
export function helpWords(help: string): string {
  return sentence(help.replace(OF_COMMAND, ""));
}

function orList(names: string[]): string {
  return names.length < 2 ? (names[0] ?? "it") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** Returns a time for a sentence, in the language and the time zone of the browser: `12:03`, with the day if it is not today. */
export function when(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at.slice(0, 40);
  if (time.toDateString() === new Date().toDateString()) return time.toLocaleTimeString(undefined, { timeStyle: "short" });
  return time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** Returns a size in words: `334 bytes`, `12.4 KB`. */
export function bytesWords(bytes: number): string {
  if (bytes < 10_000) return count(bytes, "byte");
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(2)} MB`;
}

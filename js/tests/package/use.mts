// A program of a user: its types are checked, and it runs with nothing but the package.
import { candidates, InvalidCrawler, Robots, type CrawlerRow, type Explanation, type Verdict } from "comity";
import * as inline from "comity/inline";
import { diff, type Difference } from "comity/diff";
import { lint, type Finding } from "comity/lint";
import robotsParser from "comity/robots-parser";

const robots = new Robots(new TextEncoder().encode("User-agent: *\nDisallow: /private/\n"), { dialect: "google" });
const verdict: Verdict = robots.rulesFor("ExampleBot").check("/private/");
const line: number | null = verdict.line;
const explanation: Explanation = robots.explain("/private/", ["ExampleBot", "OtherBot"]);
const own: CrawlerRow = { token: "ExampleBot-Images", fallback: ["ExampleBot"], governed: "may-bypass" };
const findings: readonly Finding[] = lint("Disallow: /\n", { crawlers: [own] });
const difference: Difference = diff(robots, "User-agent: *\n", { crawlers: [own, "ExampleBot"] });
// @ts-expect-error: a crawler of a comparison has one name.
const several = () => diff(robots, robots, { crawlers: [["ExampleBot", "OtherBot"]] });
const tokens: string[] = candidates("ExampleBot-Images/1.0", { crawlers: [own] });
const answer: boolean | undefined = robotsParser("https://example.com/robots.txt", "").isAllowed("https://example.com/");
const error: InvalidCrawler = new InvalidCrawler("");
// @ts-expect-error: a dialect is one of six names.
const unknown = () => new Robots("", { dialect: "altavista" });
// @ts-expect-error: an option is misspelled.
const misspelled = () => new Robots("", { orgin: "https://example.com" });
// @ts-expect-error: a field of a row is misspelled.
const row = () => robots.check("/", { token: "ExampleBot", fallbacks: [] });
const allowed: boolean[] = robots.areAllowed([new URL("https://example.com/private/"), "/"], { token: "ExampleBot", note: "" });
inline.configure({ memory: 32 << 20 });
// @ts-expect-error: a crawler is necessary.
const without = () => robots.check("/");

const results = [
  !verdict.allowed,
  line === 2,
  explanation.rules.length === 1,
  findings.length > 0,
  difference.outcome === "differs",
  answer,
  error.suggestion === null,
  allowed.join() === "false,true",
  tokens.join() === "ExampleBot-Images",
  new inline.Robots("").isAllowed("/", "ExampleBot"),
  [unknown, without, misspelled, row, several].every((call) => typeof call === "function"),
];
console.log(results.every((result) => result === true));

// A program of a user: its types are checked, and it runs with nothing but the package.
import { InvalidCrawler, Robots, type Explanation, type Verdict } from "comity";
import { diff, type Difference } from "comity/diff";
import { lint, type Finding } from "comity/lint";
import robotsParser from "comity/robots-parser";

const robots = new Robots(new TextEncoder().encode("User-agent: *\nDisallow: /private/\n"), { dialect: "google" });
const verdict: Verdict = robots.rulesFor("ExampleBot").check("/private/");
const line: number | null = verdict.line;
const explanation: Explanation = robots.explain("/private/", ["ExampleBot", "OtherBot"]);
const findings: readonly Finding[] = lint("Disallow: /\n");
const difference: Difference = diff(robots, "User-agent: *\n");
const answer: boolean | undefined = robotsParser("https://example.com/robots.txt", "").isAllowed("https://example.com/");
const error: InvalidCrawler = new InvalidCrawler("");
// @ts-expect-error: a dialect is one of six names.
const unknown = () => new Robots("", { dialect: "altavista" });
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
  typeof unknown === typeof without,
];
console.log(results.every((result) => result === true));

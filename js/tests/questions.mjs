/** Questions whose answers are the same on every platform. */

import { Robots } from "comity";

const BODY = "User-agent: *\nDisallow: /private/\nAllow: /*.html$\nUser-agent: Googlebot\nDisallow: /ü\n";

/** Each question: a body, a URL and a crawler. */
export const QUESTIONS = ["/", "/private/", "/private/map.html", "https://example.com/ü?a=b#c", "/a/../private/x"].flatMap((url) =>
  ["ExampleBot", "Googlebot-Image", "*", "Google-Safety"].map((crawler) => [BODY, url, crawler]),
);

/** The answers in Node. */
export const VERDICTS = QUESTIONS.map(([body, url, crawler]) => new Robots(body).check(url, crawler));

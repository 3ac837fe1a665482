/** The texts of the view Page. Its headlines and notes are the service's. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { andMore } from "../words";

type Key = "index" | "follow" | "search" | "training" | "ai_input";

export const PAGE = {
  /** The object of a sentence about a service that does not fetch. */
  what: "pages",
  lead: "Fetches one page and tells what a crawler may do with it: by the site’s own robots.txt, by the rules on the page (noindex and others), and if the crawler may load the page’s styles, scripts and images.",
  address: "Address of the page",
  placeholder: "https://shop.example/shoes",
  check: "Check the page",
  checking: "Checking…",
  wrong: "Write the whole address of a page, such as https://shop.example/shoes.",
  none: "No page was checked yet",
  noneMore: "Write the address of a page above. The page gets one request, and nothing of it is stored.",
};

export const PAGE_ANSWER = {
  label: "The page",
  line: (line: number, file: string) => `Line ${line} of ${file} decides`,
  lineElsewhere: (line: number, file: string) => `Line ${line} of the site’s own file, ${file}, decides`,
  deciding: (line: string, text: ComponentChildren) => said`${line}: ${text}.`,
  decidingUnknown: (line: string) => `${line}.`,
  noLine: (file: string) => `No line of ${file} is about this page.`,
  notEditor: () => said` <strong>The text in the editor is not used here.</strong>`,
  asksItself: (where: string) =>
    `The page asks for that itself${where}. If it should be found in search engines, remove that from the page.`,
  asksWhere: (text: string, place: string) => `, by “${text}” in ${place}`,
  status: (status: number) => ` The page answered with status ${status}.`,
  neverSeen: (crawler: string) =>
    `The page says “noindex”, but ${crawler} may not fetch it, so it never sees that. Its address may still be listed. To keep the page out of search results, let it be fetched.`,
  redirects: "Redirects",
  redirect: (url: ComponentChildren, allowed: boolean | null, status: number) =>
    said`→ ${url}, ${allowed === null ? "without an answer" : allowed ? "allowed" : "blocked"}, status ${status}`,
};

/** The answers to the question what a crawler may do with the page. */
export const PERMISSIONS = {
  table: "What the crawler may do with the page",
  may: (crawler: string) => `May ${crawler} …`,
  answer: "Answer",
  because: "Because",
  uses: [
    ["index", "Show it in search results"],
    ["follow", "Follow its links"],
    ["search", "Use it for search"],
    ["training", "Train AI with it"],
    ["ai_input", "Answer questions with it (AI)"],
  ] as [Key, title: string][],
  yes: "Yes",
  no: "No",
  notKnown: "Not known",
  notForbidden: "Nothing forbids it",
  partUnread: "A part of the page was not read, and may forbid it.",
  cannotRead: "It may not fetch the page, so it cannot read the page’s rules.",
  nothing: "Nothing forbids it.",
  nothingSaid: (crawler: string) => `Neither the file nor the page says anything about it to ${crawler}.`,
  said: (place: string, text: ComponentChildren) => said`${place}: ${text}`,
};

/** The places of a rule about a page. */
export const PLACES = {
  names: {
    "robots-txt": "the site’s robots.txt",
    header: "the header of the page",
    meta: "a meta tag of the page",
    "x-robots-tag": "header X-Robots-Tag",
    "robots-tag": "header Robots-Tag",
  } as Record<string, string>,
  line: (place: string, line: number | null) => place + (line === null ? "" : `, line ${line}`),
};

export const PAGE_RULES = {
  title: "Rules on the page itself",
  none: "It has none: neither a header X-Robots-Tag nor a meta tag for crawlers.",
  table: "Rules on the page",
  columns: { rule: "Rule", where: "Where", for: "For", effect: "Effect" },
  every: "every crawler",
  neverRead: "none: the crawler may not fetch the page, so it never reads this",
  inForce: "in force",
  noEffect: (because: string | null) => `no effect: ${because ?? "not known"}`,
  otherCrawler: "for another crawler",
};

export const RESOURCES = {
  title: "Styles, scripts and images of the page",
  none: "The page names none.",
  onlyBlocked: "Only those that are not allowed",
  table: "Files of the page",
  columns: { file: "File", kind: "Kind", answer: "Answer" },
  kinds: { style: "style", script: "script", image: "image" },
  noAnswer: (error: string | null) => `no answer: ${error ?? "not known"}`,
  byLine: (line: number, site: string) => ` by line ${line} of the site’s own file, ${site}/robots.txt`,
  more: (number: number) => `${andMore(number)}.`,
};

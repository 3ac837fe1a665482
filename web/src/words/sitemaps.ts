/** The texts of the view Sitemaps. Its headline, and the problems of sitemaps, are the service's. */

import { said } from "../said";
import { andMore, count, numeral, plural } from "../words";

export const SITEMAPS = {
  /** The object of a sentence about a service that does not fetch. */
  what: "sitemaps",
  lead: "A sitemap lists the pages that search engines should find. This view fetches the sitemaps that your file names, and finds listed pages that the file blocks.",
  site: "Site of the file",
  placeholder: "shop.example",
  read: "Read the sitemaps",
  reading: "Reading…",
  wrong: "Write a site such as shop.example.",
  notRead: "No sitemap was read yet",
  notReadMore: "Each sitemap gets one request: at most 20 of them, and the first 4 MB of each.",
  none: "The file names no sitemap",
  noneMore: (site: string) =>
    said`A line such as <code>Sitemap: ${site}/sitemap.xml</code> names one. It may be anywhere in the file.`,
  label: "Result",
  allow: (pages: number) => {
    const them = plural(pages, "it", "them");
    return `Allow ${them} in the robots.txt if search engines should find ${them}; otherwise remove ${them} from the sitemap.`;
  },
  table: "The sitemaps",
  columns: { sitemap: "Sitemap", allowed: "Allowed", blocked: "Blocked", other: "Other" },
  error: (error: string, isPartlyRead: boolean) => `${error}.${isPartlyRead ? " The rest was not read." : ""}`,
  others: (sitemaps: number, elsewhere: number, problems: number, files: number, outside: number) => {
    const parts = [
      sitemaps > 0 ? count(sitemaps, "sitemap") : "",
      elsewhere > 0 ? `${numeral(elsewhere)} on another site` : "",
      problems > 0 ? `${numeral(problems)} not a web address` : "",
      files > 0 ? count(files, "blocked file of a page", "blocked files of pages") : "",
      outside > 0 ? `${numeral(outside)} outside its folder` : "",
    ];
    return parts.filter((part) => part !== "").join(", ") || "–";
  },
  noAddress: (url: string, problem: string) => `: ${url} is not a sitemap’s address: ${problem}.`,
  leftOut: (number: number) => `${count(number, "more sitemap was", "more sitemaps were")} not read.`,
};

/** The lines of the text by which sitemaps were checked. */
export const SITEMAP_LINE = {
  of: (line: number, text: string) => `line ${line} of ${text}`,
  formerText: "the text that was here before",
  textBefore: "the text before your changes",
};

/** The entries with a problem. */
export const ENTRIES = {
  title: "What to look at",
  test: "Test the blocked pages instead of my URLs",
  table: "Entries with a problem",
  page: "Page",
  answer: "Answer",
  files: { image: "an image of a page", video: "a video of a page", alternate: "another form of a page" },
  file: (kind: string, crawler: string | null) => ` ${kind}${crawler === null ? "" : `, which ${crawler} fetches`}`,
  outside: (folder: string) => ` not below ${folder}, the folder of its sitemap`,
  more: (number: number) => `${andMore(number)}.`,
};

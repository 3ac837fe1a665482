/** The texts of the view Sitemaps. Its headline, and the problems of sitemaps, are the service's. */

import { said } from "../said";
import { andMore, count, numeral, plural } from "../words";

/** The object of a sentence about a service that does not fetch. */
export const what = "sitemaps";
export const lead = "A sitemap lists the pages that search engines should find. This view fetches the sitemaps that your file names, and finds listed pages that the file blocks.";
export const site = "Site of the file";
export const placeholder = "shop.example";
export const read = "Read the sitemaps";
export const reading = "Reading…";
/** `site` and `crawler`: those of the answer, if the fields name others. */
export const former = (site: string, crawler: string) => `This is about ${site}, for ${crawler}. Press “${read}”.`;
export const wrong = "Write a site such as shop.example.";
export const notRead = "No sitemap was read yet";
export const notReadMore = "Each sitemap gets one request: at most 20 of them, and the first 4 MB of each.";
export const none = "The file names no sitemap";
export const noneMore = (site: string) =>
  said`A line such as <code>Sitemap: ${site}/sitemap.xml</code> names one. It may be anywhere in the file.`;
export const label = "Result";
export const allow = (pages: number) => {
  const them = plural(pages, "it", "them");
  return `Allow ${them} in the robots.txt if search engines should find ${them}; otherwise remove ${them} from the sitemap.`;
};
export const table = "The sitemaps";
export const columns = { sitemap: "Sitemap", allowed: "Allowed", blocked: "Blocked", other: "Other" };
export const error = (error: string, isPartlyRead: boolean) => `${error}.${isPartlyRead ? " The rest was not read." : ""}`;
export const others = (sitemaps: number, elsewhere: number, problems: number, files: number, outside: number) => {
  const parts = [
    sitemaps > 0 ? count(sitemaps, "sitemap") : "",
    elsewhere > 0 ? `${numeral(elsewhere)} on another site` : "",
    problems > 0 ? `${numeral(problems)} not a web address` : "",
    files > 0 ? count(files, "blocked file of a page", "blocked files of pages") : "",
    outside > 0 ? `${numeral(outside)} outside its folder` : "",
  ];
  return parts.filter((part) => part !== "").join(", ") || "–";
};
export const noAddress = (url: string, problem: string) => `: ${url} is not a sitemap’s address: ${problem}.`;
export const leftOut = (number: number) => `${count(number, "more sitemap was", "more sitemaps were")} not read.`;

// The lines of the text by which sitemaps were checked.

export const lineOf = (line: number, text: string) => `line ${line} of ${text}`;
export const lineFormerText = "the text that was here before";
export const lineTextBefore = "the text before your changes";

// The entries with a problem.

export const entriesTitle = "What to look at";
export const entriesTest = "Open these pages in Test";
export const entriesTable = "Entries with a problem";
export const entriesPage = "Page";
export const entriesAnswer = "Answer";
export const entriesFiles = { image: "an image of a page", video: "a video of a page", alternate: "another form of a page" };
export const entriesFile = (kind: string, crawler: string | null) => ` ${kind}${crawler === null ? "" : `, which ${crawler} fetches`}`;
export const entriesOutside = (folder: string) => ` not below ${folder}, the folder of its sitemap`;
export const entriesMore = (number: number) => `${andMore(number)}.`;

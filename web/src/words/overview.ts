/** The texts of the view Overview. */

export const lead = "One page of answers. Each of them leads to the view that proves it.";
export const ask = "Which site is it about?";
export const askMore = "Write its address at the top of this page and fetch its robots.txt, or put your own file in place of the example. These are the answers for the example.";
export const askMoreStatic = "Open your own robots.txt, or paste it in place of the example. These are the answers for the example.";
export const of = (site: string) => `The answers for ${site}`;
export const ofText = "The answers for this text";
export const parts = {
  open: "The site",
  mistakes: "Mistakes",
  sitemaps: "Sitemaps",
  ai: "AI",
  page: "Front page",
  files: "Its styles and scripts",
  addresses: "Addresses",
  changes: "Last change",
};
export const loading = "Loading…";
export const see = (view: string) => `See ${view}`;
// A refusal may name another endpoint, which is for programs.
export const failed = (reason: string) => `No answer: ${reason.replace(/: POST .*$/, "")}`;
export const former = "About the text before your changes.";
export const live = "About the live file, not the text in the editor.";
export const noService = "No answer: the service does not answer.";
export const missing = (title: string, event: string, meaning: string) => `${title}: the site ${event}${meaning}.`;
export const sinceFetched = (time: string, change: string) => `Changed since you first fetched it (${time}): ${change}`;
export const emptyFile = "The file is empty, so everything may be fetched.";
export const noFiles = "The page loads no styles, scripts or images.";
export const thePage = (path: string) => `The page ${path}`;
export const needsSite = "Not asked: it needs the address of the site.";
export const notAsked = "Not asked yet: the text was not fetched from the site.";
export const askSite = "Ask the site";
export const nameSite = "Name the site";
export const offline = "Not asked: this service fetches nothing.";
export const notHere = "Not asked: this page connects to no site.";
export const notOpened = "Not checked yet: open the view Mistakes.";
export const noFile = "Not asked: the site has no robots.txt.";
export const notFetched = "Not asked: the site’s robots.txt could not be fetched.";
export const elsewhere = (view: string, site: string) => `The view ${view} is about ${site} now.`;
export const withoutSitemap = "Not checked against the pages of the sitemap: see Sitemaps.";

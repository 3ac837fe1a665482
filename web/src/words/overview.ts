/** The texts of the view Overview. */

/** The parts of the overview. */
export const OVERVIEW = {
  lead: "One page of answers. Each of them leads to the view that proves it.",
  ask: "Which site is it about?",
  askMore: "Write its address at the top of this page and fetch its robots.txt, or put your own file in place of the example. These are the answers for the example.",
  askMoreStatic: "Open your own robots.txt, or paste it in place of the example. These are the answers for the example.",
  of: (site: string) => `The answers for ${site}`,
  ofText: "The answers for this text",
  parts: {
    open: "The site",
    mistakes: "Mistakes",
    sitemaps: "Sitemaps",
    ai: "AI",
    page: "Front page",
    files: "Its styles and scripts",
    addresses: "Addresses",
    changes: "Last change",
  },
  loading: "Loading…",
  see: (view: string) => `See ${view}`,
  failed: (reason: string) => `No answer: ${reason}`,
  former: "About the text before your changes.",
  noService: "No answer: the service does not answer.",
  missing: (title: string, event: string, meaning: string) => `${title}: the site ${event}${meaning}.`,
  emptyFile: "The file is empty, so everything may be fetched.",
  noFiles: "The front page loads no styles, scripts or images.",
  needsSite: "Not asked: it needs the address of the site.",
  notAsked: "Not asked yet: the text was not fetched from the site.",
  askSite: "Ask the site",
  nameSite: "Name the site",
  offline: "Not asked: this service fetches nothing.",
  static: "Not asked: this page connects to no site.",
  notOpened: "Not checked yet: open the view Mistakes.",
  noFile: "Not asked: the site has no robots.txt.",
};


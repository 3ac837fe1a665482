/** The scenes of the pictures in the documentation: each view of the tester, filled, empty and in trouble. */

import { HTML, SHOP, site, TEXT } from "./harness.mjs";

/** Sites with fixed ports, so that later pictures show the same addresses. */
const PORTS = { shop: 8081, busy: 8082, web: 8083, new: 8084 };
const SHOP_SITE = `http://shop.example:${PORTS.shop}`;
const BUSY_SITE = `http://busy.example:${PORTS.busy}`;
const WEB_SITE = `http://web.example:${PORTS.web}`;
const NEW_SITE = `http://new.example:${PORTS.new}`;

/** Starts the sites of the scenes. */
export function sites() {
  const page = [
    200,
    { ...HTML, "x-robots-tag": "max-snippet: 60" },
    '<meta name="robots" content="noindex"><meta name="bingbot" content="nofollow"><link rel="stylesheet" href="/shop.css">' +
      '<script src="/internal/gallery.js"></script><img src="/shoes.png"><img src="/internal/banner.png">',
  ];
  const listed = ["shoes", "bags", "internal/stock", "internal/press/2026"];
  return Promise.all([
    site(
      {
        "/robots.txt": [301, { location: "/files/robots.txt" }, ""],
        "/files/robots.txt": [200, { ...TEXT, "cache-control": "max-age=3600" }, SHOP],
        "/shoes": page,
        "/internal/plan": [200, HTML, '<meta name="robots" content="noindex">'],
        "/sitemap.txt": [200, {}, listed.map((path) => `${SHOP_SITE}/${path}`).join("\n")],
      },
      PORTS.shop,
    ),
    site({ "/robots.txt": [503, {}, "Busy."] }, PORTS.busy),
    site({ "/robots.txt": [200, HTML, "<!doctype html>\n<title>Our shop</title>\n<h1>Welcome</h1>\n"] }, PORTS.web),
    site({}, PORTS.new),
  ]);
}

/** Asks a site in the view Fetch. */
async function askSite(tester, address) {
  await tester.view("Fetch");
  await tester.askSite(address);
  await tester.panel().locator(".meaning").waitFor();
}

async function checkPage(tester, address) {
  await tester.view("Page");
  await tester.checkPage(address);
  await tester.panel().locator(".meaning").waitFor();
}

/** Returns the verdict of the example for a URL and a crawler, by their places. On a phone, each has a row of its own. */
function verdictOf(tester, { isPhone, row, column, columns }) {
  return isPhone ? tester.verdict(row * columns + column, 0) : tester.verdict(row, column);
}

/** Scrolls an element to the top of its half, or of the window. */
function toTop(locator) {
  return locator.evaluate((element) => element.scrollIntoView({ block: "start" }));
}

async function addGroup(tester, words, option) {
  const box = tester.page.getByRole("combobox", { name: "Crawlers" });
  await box.fill(words);
  await tester.page.getByRole("option", { name: option }).click();
  await tester.page.keyboard.press("Escape");
}

/** The URLs of the example, which would go with its text. Typed ones stay. */
const EXAMPLE_URLS = ["/", "/cart/checkout", "/shoes?sort=price", "/internal/press/2026.html"].map((path) => `https://shop.example${path}`);

const CHANGED = (text) =>
  text.replace("Disallow: /cart/\n", "Disallow: /cart\n").replace("Disallow: /internal/\n", "Disallow: /internal/\nDisallow: /cart/\n");

/** Compares the example with a changed one. */
async function changed(tester) {
  const text = await tester.text();
  await tester.view("Compare");
  await tester.paste(CHANGED(text));
  await tester.panel().getByLabel("Before: the file without your changes").fill(text);
  await tester.panel().getByRole("button", { name: "Compare with this" }).click();
}

const MISTAKES =
  "User-agent: *\nDisalow: /cart/\nDisallow: private/\nAllow: /*.html*\nNoindex: /old/\n\nUser-agent: Googelbot\nDisallow: /internal/\n\nSitemap: /sitemap.xml\n";

/**
 * The scenes. `shows` is the caption. `at` is the element that is at the top of the window of a phone; without it, the views are.
 */
export const SCENES = [
  { name: "tester", shows: "The first visit: an example, its verdicts, and the reasons of one", at: "body" },
  {
    name: "reasons",
    shows: "A verdict that was clicked: the deciding line, and the steps that lead to it",
    at: ".verdicts",
    async prepare(tester, { isPhone }) {
      await verdictOf(tester, { isPhone, row: 1, column: 1, columns: 3 }).getByRole("button").click();
      await tester.page.locator("#reasoning-title", { hasText: "bingbot" }).waitFor();
      await toTop(tester.page.locator("#reasoning"));
    },
  },
  {
    name: "explain",
    shows: "A line that the pointer or the cursor is on: its meaning, and what changes without it",
    at: ".file",
    async prepare(tester, { isPhone }) {
      const rule = tester.page.locator(".cm-line", { hasText: "Disallow: /cart/" }).locator("span").last();
      if (isPhone) await rule.click();
      else await rule.hover();
      await tester.page.getByText(/Without this line: URLs/).first().waitFor();
    },
  },
  {
    name: "other-site",
    shows: "A URL of another site, for which the file has no answer",
    at: ".verdicts",
    async prepare(tester, { isPhone }) {
      await tester.urls("https://shop.example/cart/checkout", "https://www.shop.example/cart/checkout");
      await verdictOf(tester, { isPhone, row: 1, column: 0, columns: 3 }).filter({ hasText: "Other site" }).getByRole("button").click();
      await tester.page.locator("#reasoning-title", { hasText: "needs another site’s robots.txt" }).waitFor();
    },
  },
  {
    name: "not-bound",
    shows: "A crawler that does not obey robots.txt",
    at: ".verdicts",
    async prepare(tester, { isPhone }) {
      await tester.urls("/cart/checkout");
      await tester.crawlers("Googlebot", "Google-Read-Aloud");
      await verdictOf(tester, { isPhone, row: 0, column: 1, columns: 2 }).filter({ hasText: "Does not obey" }).getByRole("button").click();
      await tester.page.locator("#reasoning-title", { hasText: "does not obey" }).waitFor();
    },
  },
  {
    name: "urls",
    shows: "Many URLs: filtered, sorted, and ready to download as CSV",
    at: ".sift",
    async prepare(tester) {
      await tester.crawlers("Googlebot", "bingbot");
      const paths = ["cart/", "shoes/", "internal/stock/", "internal/press/", "bags/?sort=price&page="];
      await tester.urls(...Array.from({ length: 2_000 }, (_, nth) => `https://shop.example/${paths[nth % paths.length]}${nth}`));
      await tester.page.locator(".sift").waitFor();
      await tester.page.getByLabel("Show").selectOption("Blocked");
    },
  },
  {
    name: "crawlers",
    shows: "All known crawlers as a grid of signs",
    at: ".legend",
    async prepare(tester) {
      await addGroup(tester, "all known", "All known crawlers");
      await tester.page.locator(".verdicts.compact").waitFor();
      await toTop(tester.page.locator(".legend"));
    },
  },
  {
    name: "compare",
    shows: "What an edit changes for all URLs, with its lines highlighted in the editor",
    async prepare(tester) {
      await tester.urls(...EXAMPLE_URLS);
      await changed(tester);
      await tester.panel().getByText(/verdicts? changes?\./).waitFor();
      await tester.panel().locator("li.change").first().hover();
    },
  },
  {
    name: "compare-lines",
    shows: "The chosen URLs whose verdicts change, and the lines that differ",
    at: "#lines-title",
    async prepare(tester) {
      await tester.urls(...EXAMPLE_URLS);
      await changed(tester);
      await tester.panel().getByText(/verdicts? changes?\./).waitFor();
      await toTop(tester.panel().getByLabel("URLs, one on each line"));
    },
  },
  {
    name: "matrix",
    shows: "The answers of different engines, with the reasons where they differ",
    async prepare(tester) {
      await tester.urls("/internal/press/2026.html", "/cart/help");
      await tester.view("By engine");
      await tester.panel().getByRole("table").waitFor();
    },
  },
  {
    name: "lint",
    shows: "Mistakes with their lines, the crawlers that they affect, and fixes",
    async prepare(tester) {
      await tester.paste(MISTAKES);
      await tester.view(/^Mistakes/);
      await tester.panel().getByText("missing-leading-slash").first().waitFor();
    },
  },
  {
    name: "lint-why",
    shows: "The explanation of a mistake",
    at: "details.open-now",
    async prepare(tester) {
      await tester.paste(MISTAKES);
      await tester.view(/^Mistakes/);
      const why = tester.panel().locator("details", { hasText: "Why?" }).first();
      await why.locator("summary").click();
      await why.evaluate((details) => {
        details.classList.add("open-now");
        details.closest("li").scrollIntoView({ block: "start" });
      });
    },
  },
  {
    name: "fetch",
    shows: "A redirect, the answer, and what follows from it",
    async prepare(tester) {
      await askSite(tester, SHOP_SITE);
      await tester.panel().getByText("Header fields").nth(1).click();
    },
  },
  {
    name: "fetch-fails",
    shows: "A site that fails, and what that means for crawlers",
    prepare: (tester) => askSite(tester, BUSY_SITE),
  },
  {
    name: "versions",
    shows: "Fetched versions of each address of a site",
    at: "#versions-title",
    async prepare(tester) {
      await askSite(tester, SHOP_SITE);
      await tester.panel().getByRole("region", { name: "Versions of each address" }).getByText(/bytes/).waitFor();
      await toTop(tester.page.locator("#versions-title"));
    },
  },
  {
    name: "ai",
    shows: "Who may train, search and answer",
    async prepare(tester) {
      await tester.view("AI");
      await tester.panel().getByRole("table").first().waitFor();
    },
  },
  {
    name: "ai-crawlers",
    shows: "AI crawlers with their answers and reasons",
    at: ".view .part",
    async prepare(tester) {
      await tester.view("AI");
      await tester.panel().getByRole("table").first().waitFor();
      await toTop(tester.panel().locator(".part").first());
    },
  },
  {
    name: "page",
    shows: "What a crawler may do with a page",
    async prepare(tester) {
      await tester.fetchFile(`${SHOP_SITE}/shoes`);
      await tester.page.getByText("The editor shows the file of").waitFor();
      await checkPage(tester, `${SHOP_SITE}/shoes`);
    },
  },
  {
    name: "page-files",
    shows: "The rules on a page, and the files that it loads",
    at: "#page-rules",
    async prepare(tester) {
      await checkPage(tester, `${SHOP_SITE}/shoes`);
      await tester.panel().getByLabel("Only those that are not allowed").uncheck();
      await toTop(tester.page.locator("#page-rules"));
    },
  },
  {
    name: "page-never-seen",
    shows: "A noindex that the crawler never sees",
    prepare: (tester) => checkPage(tester, `${SHOP_SITE}/internal/plan`),
  },
  {
    name: "sitemaps",
    shows: "Listed pages that the file blocks, with their lines",
    async prepare(tester) {
      await tester.paste(`${SHOP}\nSitemap: ${SHOP_SITE}/sitemap.txt\nSitemap: ${SHOP_SITE}/gone.xml\n`);
      await tester.view("Sitemaps");
      await tester.readSitemaps(SHOP_SITE);
      await tester.panel().getByRole("table").first().waitFor();
    },
  },
  {
    name: "write",
    shows: "A file for a WordPress site, ready to use",
    async prepare(tester) {
      await tester.view("Write");
      await tester.panel().getByLabel("A WordPress site").check();
      await tester.panel().getByLabel("The written file").filter({ hasText: "wp-admin" }).waitFor();
    },
  },
  {
    name: "write-more",
    shows: "Choices added to an existing file",
    at: ".goals",
    async prepare(tester) {
      await tester.view("Write");
      await tester.panel().getByText("More choices").click();
      await tester.panel().getByLabel(/^Paths that no crawler may fetch/).fill("/drafts/");
      await tester.panel().getByLabel("My file in the editor").check();
      await tester.panel().getByText("Compared with your file").waitFor();
      await toTop(tester.panel().locator("details").first());
    },
  },
  {
    name: "site-fails",
    shows: "A fetched site that fails: crawlers stay away, whatever text is in the editor",
    at: "body",
    async prepare(tester) {
      await tester.fetchFile(`${BUSY_SITE}/shoes`);
      await tester.panel().getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
    },
  },
  {
    name: "site-without-file",
    shows: "A fetched site without a robots.txt",
    at: "body",
    async prepare(tester) {
      await tester.fetchFile(`${NEW_SITE}/shoes`);
      await tester.panel().getByRole("heading", { name: "No file: everything is allowed" }).waitFor();
    },
  },
  {
    name: "web-page",
    shows: "A web page in place of a robots.txt",
    at: "body",
    async prepare(tester) {
      await tester.fetchFile(`${WEB_SITE}/shoes`);
      await tester.page.locator(".site-bar").getByText("This is a web page, not a robots.txt.").waitFor();
    },
  },
  {
    name: "keep-or-replace",
    shows: "A fetched file that does not replace unsaved changes unasked",
    at: "body",
    async prepare(tester) {
      await tester.editor().focus();
      await tester.page.keyboard.press("Control+End");
      await tester.page.keyboard.type("# My own line");
      await tester.fetchFile(SHOP_SITE);
      await tester.page.locator(".offered").waitFor();
    },
  },
  {
    name: "token",
    shows: "A service that requires a token",
    at: "body",
    forgives: /401/,
    async prepare(tester) {
      const problem = { title: "Unauthorized", status: 401, detail: "a token is required" };
      await tester.page.route(/\/v1\//, (route) =>
        route.fulfill({ status: 401, headers: { "content-type": "application/problem+json" }, body: JSON.stringify(problem) }),
      );
      await tester.paste(SHOP);
      await tester.page.getByLabel("This service asks for a password").waitFor();
    },
  },
  {
    name: "share",
    shows: "A link, its contents, and a warning that it works only on this computer",
    at: "body",
    async prepare(tester) {
      await tester.page.getByRole("button", { name: "Share" }).click();
      await tester.page.getByLabel("The link").waitFor();
    },
  },
  {
    name: "help",
    shows: "Help, with the keys",
    at: "body",
    async prepare(tester) {
      await tester.page.keyboard.press("F1");
      await tester.page.getByRole("heading", { name: "How it works" }).waitFor();
    },
  },
];

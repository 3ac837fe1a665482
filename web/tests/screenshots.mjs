/**
 * Makes the pictures of the documentation anew: `npm run screenshots`.
 *
 * They look as ours do where the fonts of the package fonts-dejavu-core are the only ones, and are small where pngquant
 * is installed.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { browser, service, SHOP, site, Tester } from "./stage.mjs";

const OUT = path.resolve(import.meta.dirname, "../../docs/images");
mkdirSync(OUT, { recursive: true });

/** What a README has room for. */
const MAX_BYTES = 150_000;

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844, deviceScaleFactor: 1.5, hasTouch: true, isMobile: true };

const shop = await site({
  "/robots.txt": [301, { location: "/files/robots.txt" }, ""],
  "/shoes": [
    200,
    { "content-type": "text/html", "x-robots-tag": "max-snippet: 60" },
    '<meta name="googlebot" content="notranslate"><link rel="stylesheet" href="/shop.css">' +
      '<script src="/internal/gallery.js"></script><img src="/shoes.png">',
  ],
  "/sitemap.txt": (request) => [200, {}, ["shoes", "internal/stock", "internal/press/2026"].map((path) => `http://${request.headers.host}/${path}`).join("\n")],
  "/files/robots.txt": [200, { "content-type": "text/plain", "cache-control": "max-age=3600" }, SHOP],
});
const chrome = await browser();
const comity = await service({ sites: [shop.port] });

async function picture(name, options, prepare) {
  const tester = await Tester.open(chrome, comity.url, { reducedMotion: "reduce", ...options });
  await tester.page.locator("#reasoning .rules").waitFor();
  await tester.page.locator(".cm-lint-marker-warning").waitFor();
  await prepare?.(tester);
  await tester.page.waitForTimeout(900);
  const file = path.join(OUT, `${name}.png`);
  await tester.page.screenshot({ path: file, caret: "hide" });
  await tester.close();
  // A page of few colors loses nothing that one sees.
  spawnSync("pngquant", ["--force", "--skip-if-larger", "--strip", "--output", file, "96", file]);
  const { size } = statSync(file);
  console.log(`${name}.png ${size} bytes${size > MAX_BYTES ? ": TOO LARGE" : ""}`);
}

await picture("tester-light", { ...DESKTOP, colorScheme: "light" });
await picture("tester-dark", { ...DESKTOP, colorScheme: "dark" }, async (tester) => {
  await tester.verdict(1, 1).getByRole("button").click();
  await tester.page.getByRole("combobox", { name: "Crawlers" }).fill("ai");
});
await picture("compare-light", { ...DESKTOP, colorScheme: "light" }, async (tester) => {
  await tester.view("Compare");
  const text = await tester.text();
  await tester.paste(
    text.replace("Disallow: /cart/\n", "Disallow: /cart\n").replace("Disallow: /internal/\n", "Disallow: /internal/\nDisallow: /cart/\n"),
  );
  await tester.panel().getByText(/verdicts? changes?\./).waitFor();
  await tester.panel().locator("li.change").first().hover();
});
await picture("matrix-light", { ...DESKTOP, colorScheme: "light" }, async (tester) => {
  await tester.urls("/internal/press/2026.html", "/cart/help");
  await tester.view("Matrix");
  await tester.panel().getByRole("table").waitFor();
});
await picture("lint-dark", { ...DESKTOP, colorScheme: "dark" }, async (tester) => {
  await tester.paste("User-agent: *\nDisalow: /cart/\nDisallow: private/\nAllow: /*.html*\nNoindex: /old/\n\nUser-agent: Googelbot\nDisallow: /internal/\n\nSitemap: /sitemap.xml\n");
  await tester.view(/^Lint/);
  await tester.panel().getByText("missing-leading-slash").first().waitFor();
});
await picture("fetch-light", { ...DESKTOP, colorScheme: "light" }, async (tester) => {
  await tester.view("Fetch");
  await tester.panel().getByLabel("Site").fill(`http://shop.example:${shop.port}`);
  await tester.panel().getByRole("button", { name: "Ask the site" }).click();
  await tester.panel().getByText("Header fields").nth(1).click();
});
await picture("ai-light", { ...DESKTOP, colorScheme: "light" }, async (tester) => {
  await tester.view("AI");
  await tester.panel().getByRole("table").first().waitFor();
});
const here = `http://shop.example:${shop.port}`;
await picture("page-light", { ...DESKTOP, colorScheme: "light" }, async (tester) => {
  await tester.page.getByLabel("Fetch a site’s robots.txt").fill(`${here}/shoes`);
  await tester.page.getByRole("button", { name: "Fetch", exact: true }).click();
  await tester.page.getByText("The editor shows the file of").waitFor();
  await tester.view("Page");
  await tester.panel().getByRole("button", { name: "Check the page" }).click();
  await tester.panel().getByRole("table").first().waitFor();
});
await picture("sitemaps-dark", { ...DESKTOP, colorScheme: "dark" }, async (tester) => {
  await tester.paste(`${SHOP}\nSitemap: ${here}/sitemap.txt\n`);
  await tester.view("Sitemaps");
  await tester.panel().getByLabel("Site of the file").fill(here);
  await tester.panel().getByRole("button", { name: "Read the sitemaps" }).click();
  await tester.panel().getByRole("table").first().waitFor();
});
await picture("write-light", { ...DESKTOP, colorScheme: "light" }, async (tester) => {
  await tester.view("Write");
  await tester.panel().getByLabel("A WordPress site").check();
  await tester.panel().getByLabel("The written file").filter({ hasText: "wp-admin" }).waitFor();
});
await picture("phone-light", { ...PHONE, colorScheme: "light" });
await picture("phone-dark", { ...PHONE, colorScheme: "dark" }, async (tester) => {
  await tester.urls("/internal/press/2026.html");
  await tester.crawlers("Googlebot", "bingbot", "GPTBot");
  await tester.page.getByRole("grid").getByRole("row", { name: /GPTBot/ }).getByRole("button").tap();
  await tester.page.getByRole("grid").evaluate((grid) => grid.scrollIntoView({ block: "start" }));
});

await chrome.close();
await comity.stop();
await shop.stop();

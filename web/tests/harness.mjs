/**
 * The harness of the tests: the service as its users start it, sites on loopback, and a browser that reaches nothing
 * else.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { after } from "node:test";
import { chromium } from "playwright-core";
import { CHROMIUM } from "./browsers.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** The program under test: built, or named by `COMITY`. */
export const COMITY = process.env.COMITY ?? path.resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target", "debug/comity");

/** A folder with a built page, which is tested in place of the one that the program embeds. */
const PAGE = process.env.PAGE;

/** Answers with a file of `PAGE`, and with the headers of the service. */
async function fromFolder(route) {
  const { pathname } = new URL(route.request().url());
  const file = path.join(PAGE, pathname === "/" ? "index.html" : pathname);
  const body = readFileSync(file);
  if (pathname !== "/") return route.fulfill({ body, contentType: { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" }[path.extname(file)] });
  const response = await route.fetch();
  return route.fulfill({ response, body });
}

/** The options that keep the browser from sending requests of its own. */
const QUIET = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** All but loopback goes to a proxy that is not there. To intercept each request instead would take longer. */
const LOOPBACK_ONLY = { server: "http://127.0.0.1:9", bypass: "127.0.0.1" };

export async function browser(...more) {
  return chromium.launch({ executablePath: CHROMIUM.executablePath, args: [...QUIET, ...more], proxy: LOOPBACK_ONLY });
}

/** Starts `comity serve`; every name leads to loopback. `addresses` are those that it may ask. `program` may be another build. */
export async function service({ port = 0, sites = [], more = [], env = {}, addresses = "any", program = COMITY } = {}) {
  assert.ok(existsSync(program), `${program} is not there: cargo build -p comity-cli`);
  const resolve = sites.flatMap((site) => ["--resolve", `*:${site}:127.0.0.1`]);
  const child = spawn(program, ["serve", "--listen", `127.0.0.1:${port}`, "--addresses", addresses, ...resolve, ...more], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  // A test that fails stops nothing, and must not go on forever.
  process.once("exit", () => child.kill());
  for (const held of [child, child.stdout, child.stderr]) held.unref();
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const url = await new Promise((resolve, reject) => {
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
      const found = /Listening on (http:\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`comity serve ended with ${code}: ${errors}`)));
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    url,
    port: Number(new URL(url).port),
    async stop() {
      child.kill();
      await ended;
    },
  };
}

/** A site that answers from a table: path to status, headers and body, or a function that returns them. */
export async function site(pages, listenOn = 0) {
  const asked = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url);
    const page = pages[request.url] ?? [404, {}, "Not here."];
    const [status, headers, body] = typeof page === "function" ? page(request) : page;
    response.writeHead(status, headers);
    response.end(body);
  });
  await new Promise((done, fail) => server.once("error", fail).listen(listenOn, "127.0.0.1", done));
  const { port } = server.address();
  return {
    port,
    asked,
    stop() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}

/**
 * Starts what the tests of a file need: sites with these pages by name, a browser, and a service that may ask the sites.
 * All of it ends after the tests. `open` opens a page of the service. `flags` are those of the browser.
 */
export async function start({ sites = {}, flags = [] } = {}) {
  let chrome, comity;
  const started = {};
  const end = async () => {
    await chrome?.close();
    await comity?.stop();
    for (const one of Object.values(started)) await one.stop();
  };
  after(end);
  try {
    // The browser is first: Node does not wait for the service alone.
    chrome = await browser(...flags);
    for (const [name, pages] of Object.entries(sites)) {
      const one = await site(pages);
      started[name] = { ...one, url: `http://${name}.test:${one.port}` };
    }
    comity = await service({ sites: Object.values(started).map(({ port }) => port) });
  } catch (error) {
    await end();
    throw error;
  }
  return { ...started, chrome, comity, open: (options) => Tester.open(chrome, comity.url, options) };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A page of the tester, which remembers all that must not happen. */
export class Tester {
  #wrong = [];
  /** The errors that the console may show: a service that is away is no mistake of the page. */
  forgives = null;

  /** Opens a page of the tester. `prepare` runs before it is loaded; `staysFirst` keeps the first view. */
  static async open(browser, url, { fragment = "", forgives = null, prepare = null, staysFirst = false, width = 1280, height = 800, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, locale: "en-GB", ...options });
    const tester = new Tester();
    tester.context = context;
    tester.forgives = forgives;
    context.on("request", (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol.startsWith("http") && hostname !== "127.0.0.1") tester.#wrong.push(`a request to ${hostname}`);
    });
    if (PAGE) await context.route(/^http:[/][/]127[.]0[.]0[.]1:\d+[/]($|[#]|assets[/])/, fromFolder);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    tester.page = page;
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      if (tester.forgives?.test(message.text())) return;
      tester.#wrong.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => tester.#wrong.push(`error: ${error.stack}`));
    page.on("dialog", (dialog) => {
      tester.#wrong.push(`a dialog: ${dialog.message()}`);
      return dialog.dismiss();
    });
    await page.addInitScript(() => {
      globalThis.violations = [];
      addEventListener("securitypolicyviolation", (event) => {
        globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    await prepare?.(page);
    await page.goto(url + (fragment === "" ? "" : `#${fragment}`));
    await page.getByRole("heading", { level: 1 }).waitFor();
    // Most tests are about verdicts. Those of the first view ask for it.
    const isFirst = await page.getByRole("tab", { name: "Overview", selected: true }).isVisible();
    if (isFirst && !staysFirst) await tester.view("Test");
    return tester;
  }

  /** Closes the page, and fails if anything went wrong on it. */
  async close() {
    const violations = await this.page.evaluate(() => globalThis.violations);
    await this.context.close();
    assert.deepEqual([...this.#wrong, ...violations], [], "something happened that must not");
  }

  editor() {
    return this.page.getByRole("textbox", { name: "The robots.txt" });
  }

  /** Puts a text into the editor, as pasting does. */
  async paste(text) {
    await this.editor().focus();
    await this.page.keyboard.press("Control+a");
    await this.editor().evaluate((content, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  }

  /** The editor's text; of a long one, what is drawn. */
  text() {
    return this.editor().evaluate((content) =>
      [...content.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"),
    );
  }

  async urls(...urls) {
    const list = this.page.getByLabel("URLs, one on each line");
    // `fill` takes a minute for a megabyte.
    if (urls.length < 1_000) return list.fill(urls.join("\n"));
    return list.evaluate((list, text) => {
      list.value = text;
      list.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }, urls.join("\n"));
  }

  /** Chooses these crawlers and no others. */
  async crawlers(...names) {
    const picker = this.page.locator(".picker");
    const box = picker.getByRole("combobox", { name: "Crawlers" });
    await box.focus();
    while ((await picker.locator(".chip").count()) > 0) await this.page.keyboard.press("Backspace");
    for (const name of names) {
      await box.fill(name);
      await picker.getByRole("option").filter({ has: this.page.getByText(name, { exact: true }) }).first().click();
    }
    await this.page.keyboard.press("Escape");
  }

  async view(name) {
    const tab = this.page.getByRole("tab", { name });
    const opened = tab.and(this.page.locator('[aria-selected="true"]'));
    // An answer that arrives may move the tab away from the place of the click.
    for (let tries = 0; tries < 3; tries++) {
      await tab.click();
      const isOpen = await opened.waitFor({ timeout: 5_000 }).then(() => true, () => false);
      if (isOpen) return;
    }
    await opened.waitFor();
  }

  panel() {
    return this.page.getByRole("tabpanel");
  }

  /** The verdict of a URL's path and a crawler, as the table says it. */
  verdict(row, column) {
    const table = this.page.getByRole("grid", { name: "Verdicts" });
    return table.locator("tr.ask").nth(row).locator(":scope > td").nth(column);
  }

  /** Fetches a site's file with the field above the editor. */
  async fetchFile(address) {
    await this.page.getByLabel("Fetch a site’s robots.txt").fill(address);
    await this.page.getByRole("button", { name: "Fetch", exact: true }).click();
  }

  /** Fetches a site's file in the view Fetch, which is open. */
  async askSite(address) {
    await this.panel().getByLabel("Site", { exact: true }).fill(address);
    await this.panel().getByRole("button", { name: "Ask the site" }).click();
  }

  /** Checks a page in the view Page, which is open. */
  async checkPage(url, crawler = null) {
    await this.panel().getByLabel("Address of the page").fill(url);
    if (crawler !== null) await this.panel().getByLabel("Crawler", { exact: true }).fill(crawler);
    await this.panel().getByRole("button", { name: "Check the page" }).click();
  }

  /** Reads the sitemaps of a site in the view Sitemaps, which is open. */
  async readSitemaps(address, crawler = null) {
    await this.panel().getByLabel("Site of the file").fill(address);
    if (crawler !== null) await this.panel().getByLabel("Crawler", { exact: true }).fill(crawler);
    await this.panel().getByRole("button", { name: "Read the sitemaps" }).click();
  }

  /** Makes the draft the original of the comparison, and stays in the view Compare. */
  async keepAsOriginal() {
    await this.view("Compare");
    await this.panel().getByRole("button", { name: "Keep my text as Before" }).click();
    await this.panel().getByText("No difference yet").waitFor();
  }

  /** Holds back the answers of an endpoint, or only those to some requests. Returns the function that sends them. */
  async hold(path, isHeld = () => true) {
    let send;
    const held = new Promise((resolve) => (send = resolve));
    await this.page.route(`**${path}*`, async (route) => {
      if (isHeld(route.request())) await held;
      await route.fallback();
    });
    return send;
  }

  /** Waits until no answer is on its way. */
  settled() {
    return this.page.locator('[aria-busy="true"]').first().waitFor({ state: "detached", timeout: 60_000 });
  }

  /** Returns the findings of axe, by all rules or only by these. */
  async violations({ only = null, tries = 3 } = {}) {
    await this.settled();
    const runOnly = only
      ? { type: "rule", values: only }
      : { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
    try {
      if (!(await this.page.evaluate(() => "axe" in globalThis))) await this.page.evaluate(AXE);
      // What is not reported need not be collected.
      const options = { runOnly, resultTypes: ["violations"] };
      const { violations } = await this.page.evaluate((options) => globalThis.axe.run(document, options), options);
      const node = ({ target, failureSummary }) => `${target} ${failureSummary}`;
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node).join("; ")}`);
    } catch (error) {
      // It fails if something is replaced while it looks.
      if (tries === 1) throw error;
      return this.violations({ only, tries: tries - 1 });
    }
  }

  /** Returns true if something is wider than the window. */
  overflows() {
    return this.page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  }
}

/** The headers of a file, and of a page. */
export const TEXT = { "content-type": "text/plain" };
export const HTML = { "content-type": "text/html" };

export const SHOP = `User-agent: *
Disallow: /cart/
Allow: /cart/help

User-agent: Googlebot
Disallow: /internal/
Allow: /internal/press/
`;

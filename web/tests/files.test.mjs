/** Files of one's own: opened, dropped, pasted, copied, downloaded, and kept over a reload. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SHOP, start, TEXT } from "./harness.mjs";

const { shop, open } = await start({ sites: { shop: { "/robots.txt": [200, TEXT, SHOP] } } });

const line = (tester, text) => tester.page.locator(".cm-line").filter({ hasText: text }).first().waitFor();
const EXAMPLE = "A shop's robots.txt";

/** Opens a file, as choosing it in the dialog does. */
const choose = (tester, name, content) =>
  tester.page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) });

async function downloaded(tester, press) {
  const [file] = await Promise.all([tester.page.waitForEvent("download"), press()]);
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
}

test("a file is opened in place of the text, and the text can be put back", async () => {
  const tester = await open();
  await choose(tester, "robots.txt", SHOP);
  await line(tester, "Allow: /cart/help");
  assert.equal((await tester.text()).trim(), SHOP.trim());
  await tester.page.getByText("The editor shows the file “robots.txt”.").first().waitFor();
  assert.deepEqual(await tester.violations(), []);
  await tester.page.getByRole("button", { name: "Put my former text back" }).click();
  await line(tester, EXAMPLE);
  // Undo works, too.
  await choose(tester, "robots.txt", SHOP);
  await line(tester, "Allow: /cart/help");
  await tester.editor().focus();
  await tester.page.keyboard.press("Control+z");
  await line(tester, EXAMPLE);
  await tester.close();
});

test("the example's URLs and site go with its text, and no fix writes its host into another file", async () => {
  const OWN = "Sitemap: /sitemap.xml\nUser-agent: *\nDisallow: /wp-admin\nDisalow: /wp-includes/\n";
  for (const put of [(tester) => choose(tester, "robots.txt", OWN), (tester) => tester.paste(OWN)]) {
    const tester = await open();
    await tester.page.getByText("the site of the first URL").waitFor();
    await put(tester);
    await line(tester, "Disallow: /wp-admin");
    await tester.page.getByText("Tested as the robots.txt of no site in particular").waitFor();
    assert.equal(await tester.page.getByLabel("URLs, one on each line").inputValue(), "/\n");
    await tester.view(/^Mistakes/);
    const finding = tester.panel().getByRole("listitem").filter({ hasText: "L026" });
    await finding.filter({ hasText: "must start with https:// and the host" }).waitFor();
    await finding.getByRole("button", { name: /^Fix/ }).first().waitFor({ state: "detached" });
    await tester.panel().getByRole("button", { name: /^Apply the .*safe fix/ }).click();
    await line(tester, "Disallow: /wp-includes/");
    assert.ok((await tester.text()).startsWith("Sitemap: /sitemap.xml\n"), await tester.text());
    // The user says which site it is, and then there is a fix.
    await finding.getByRole("button", { name: "Say which site this file is for" }).click();
    await tester.page.getByLabel("Which site is this file for?").fill("my.example");
    await tester.page.keyboard.press("Enter");
    await finding.getByRole("button", { name: "Fix: write https://my.example/sitemap.xml" }).waitFor();
    assert.deepEqual(await tester.violations(), []);
    assert.ok(!(await tester.page.content()).includes("Sitemap: https://shop.example"));
    await tester.close();
  }
});

test("URLs of the user stay when a file is opened, and the example's come back with its text", async () => {
  const tester = await open();
  await choose(tester, "robots.txt", SHOP);
  await line(tester, "Allow: /cart/help");
  await tester.page.getByRole("button", { name: "Put my former text back" }).click();
  await line(tester, EXAMPLE);
  await tester.page.getByText("the site of the first URL").waitFor();
  await tester.urls("https://mine.example/a");
  await choose(tester, "robots.txt", SHOP);
  await line(tester, "Allow: /cart/help");
  assert.equal(await tester.page.getByLabel("URLs, one on each line").inputValue(), "https://mine.example/a");
  await tester.close();
});

test("a dropped file takes the place of the text, wherever it is dropped", async () => {
  const tester = await open();
  const drop = (target, name, content) =>
    target.evaluate(
      (element, [name, content]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([content], name, { type: "text/plain" }));
        for (const type of ["dragover", "drop"]) {
          element.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, composed: true, clientX: 300, clientY: 300 }));
        }
      },
      [name, content],
    );
  await drop(tester.editor(), "live.txt", SHOP);
  await line(tester, "Allow: /cart/help");
  assert.equal((await tester.text()).trim(), SHOP.trim());
  await drop(tester.page.locator("body"), "<img src=x onerror=alert(1)>.txt", "User-agent: *\nDisallow: /b/\n");
  await line(tester, "Disallow: /b/");
  await tester.page.getByText("The editor shows the file “<img src=x onerror=alert(1)>.txt”.").first().waitFor();
  await tester.page.getByRole("button", { name: "Put my former text back" }).click();
  await line(tester, "Allow: /cart/help");
  await tester.close();
});

test("a file that is no text, or too long, is refused, and the editor keeps its text", async () => {
  const tester = await open();
  await choose(tester, "logo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]));
  await tester.page.getByRole("alert").filter({ hasText: "“logo.png” is no text file that crawlers can read: it contains zero bytes." }).waitFor();
  await choose(tester, "robots.txt", Buffer.alloc(3_500_000, "#"));
  await tester.page.getByRole("alert").filter({ hasText: "“robots.txt” has 3,500,000 bytes. This page takes up to" }).waitFor();
  await line(tester, EXAMPLE);
  await tester.close();
});

test("a UTF-16 file is opened, tested as it is, and downloaded byte for byte", async () => {
  const tester = await open({ acceptDownloads: true });
  const content = Buffer.from("\uFEFFUser-agent: *\r\nDisallow: /caf\u00e9/\r\n", "utf16le");
  const isUtf16 = (request) => {
    const body = request.url().endsWith("/v1/check") ? request.postDataJSON().robots_b64 : undefined;
    return body !== undefined && Buffer.from(body, "base64").equals(content);
  };
  const asked = tester.page.waitForRequest(isUtf16);
  await choose(tester, "robots.txt", content);
  await line(tester, "Disallow: /café/");
  await tester.page.getByText("The file is UTF-16, which many crawlers cannot read.").waitFor();
  await asked;
  const saved = await downloaded(tester, () => tester.page.getByRole("button", { name: "Download", exact: true }).click());
  assert.equal(saved.name, "robots.txt");
  assert.deepEqual(saved.content, content);
  // A reload keeps the bytes, too.
  const askedAgain = tester.page.waitForRequest(isUtf16);
  await tester.page.reload();
  await tester.page.getByText("The file is UTF-16, which many crawlers cannot read.").waitFor();
  await askedAgain;
  await tester.close();
});

test("the buttons copy, paste and download the text", async () => {
  const tester = await open({ acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = tester;
  await tester.paste(SHOP);
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByText("Copied.").first().waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), SHOP);
  await page.evaluate(() => navigator.clipboard.writeText("User-agent: *\nDisallow: /pasted/\n"));
  await page.getByRole("button", { name: "Paste", exact: true }).click();
  await line(tester, "Disallow: /pasted/");
  const saved = await downloaded(tester, () => page.keyboard.press("Control+s"));
  assert.equal(saved.content.toString(), "User-agent: *\nDisallow: /pasted/\n");
  await page.getByRole("button", { name: "Put my former text back" }).click();
  await line(tester, "Allow: /cart/help");
  await tester.close();
});

test("a fetched file replaces unsaved work only after a button is pressed", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.editor().focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("# mine");
  await tester.fetchFile(shop.url);
  const question = page.getByRole("alert").filter({ hasText: `The robots.txt of ${shop.url} has arrived.` });
  await question.waitFor();
  assert.match(await tester.text(), /# mine/);
  assert.deepEqual(await tester.violations(), []);
  assert.equal(await question.locator("button.quiet").count(), 0, "no choice looks weaker than another");
  await question.getByRole("button", { name: "Keep mine", exact: true }).click();
  await question.waitFor({ state: "detached" });
  assert.match(await tester.text(), /# mine/);
  await tester.fetchFile(shop.url);
  await question.getByRole("button", { name: "Keep mine, and compare the two" }).click();
  await tester.panel().getByRole("radio", { name: "What does my draft change?" }).check();
  await tester.panel().getByText(`Before: the live file, ${shop.url}/robots.txt`).waitFor();
  assert.match(await tester.text(), /# mine/);
  await tester.fetchFile(shop.url);
  // It is what the draft is compared with, and still not what is in the editor.
  await question.getByRole("button", { name: "Show the fetched file" }).click();
  await line(tester, "Allow: /cart/help");
  await page.getByRole("button", { name: "Put my former text back" }).click();
  await line(tester, "# mine");
  await tester.close();
});

test("work survives a reload at any size, up to the last key", async () => {
  const tester = await open();
  const { page } = tester;
  // Nothing that a link could carry.
  const lines = Array.from({ length: 30_000 }, (_, n) => `Disallow: /${Math.sin(n)}`).join("\n");
  await choose(tester, "robots.txt", `User-agent: *\n${lines}\n`);
  await line(tester, "User-agent: *");
  await tester.urls("/kept/");
  await tester.crawlers("bingbot", "My-Bot");
  await tester.view("AI");
  await tester.editor().focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# typed just now\n");
  await page.reload();
  await line(tester, "# typed just now");
  await page.getByText("30,002 lines").first().waitFor();
  assert.equal(await page.getByRole("tab", { selected: true }).innerText(), "AI");
  await tester.view("Test");
  assert.equal(await page.getByLabel("URLs, one on each line").inputValue(), "/kept/");
  await page.getByRole("list", { name: "Chosen crawlers" }).filter({ hasText: "My-Bot" }).waitFor();
  await tester.close();
});

test("leaving asks for confirmation if the browser cannot store the work", async () => {
  const tester = await open();
  await tester.page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await tester.paste(SHOP);
  const asked = new Promise((resolve) => {
    tester.page.removeAllListeners("dialog");
    tester.page.once("dialog", (dialog) => {
      resolve(dialog.type());
      return dialog.accept();
    });
  });
  await tester.page.close({ runBeforeUnload: true });
  assert.equal(await asked, "beforeunload");
  await tester.context.close();
});

test("Back moves between the views, and keeps the work", async () => {
  const tester = await open();
  const { page } = tester;
  const selected = (name) => page.getByRole("tab", { selected: true }).filter({ hasText: name }).waitFor();
  await tester.view("By engine");
  await tester.view("AI");
  await tester.paste(SHOP);
  await page.goBack();
  await selected("By engine");
  await page.goBack();
  await selected("Test");
  await line(tester, "Allow: /cart/help");
  await page.goForward();
  await selected("By engine");
  await line(tester, "Allow: /cart/help");
  assert.equal(await page.title(), "By engine – comity, the robots.txt tester");
  await tester.close();
});

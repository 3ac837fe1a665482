/** A page of another origin that asks the service: a browser decides whether it sees the answer. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, service, site } from "./harness.mjs";

let chrome, tools, stranger;
before(async () => {
  const page = { "/": [200, { "content-type": "text/html" }, "<!doctype html><title>Tools</title>"] };
  [chrome, tools, stranger] = [await browser(), await site(page), await site(page)];
});
after(async () => {
  await chrome?.close();
  for (const one of [tools, stranger]) await one?.stop();
});

/** Returns the answers that a page at this port gets from the service, by GET and by POST. */
async function ask(port, comity, token) {
  const page = await chrome.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const answers = await page.evaluate(
    async ([url, token]) => {
      const authorization = `Bearer ${token}`;
      const json = { method: "POST", headers: { authorization, "content-type": "application/json" } };
      const question = JSON.stringify({ url: "/cart/", robots: "User-agent: *\nDisallow: /cart/\n" });
      const get = await fetch(`${url}/v1/service`, { headers: { authorization } }).then((answer) => answer.json(), () => null);
      const post = await fetch(`${url}/v1/check`, { ...json, body: question }).then((answer) => answer.json(), () => null);
      return [get?.name ?? null, post?.answers[0].answer ?? null];
    },
    [comity.url.replace(/\/$/, ""), token],
  );
  await page.close();
  return answers;
}

test("a page of an allowed origin reads the answers, with a token, and another does not", async () => {
  const token = "s3cret-enough-for-a-test";
  const comity = await service({
    more: ["--origin", `http://127.0.0.1:${tools.port}`],
    env: { COMITY_TOKEN: token },
  });
  assert.deepEqual(await ask(tools.port, comity, token), ["comity", "disallowed"]);
  assert.deepEqual(await ask(stranger.port, comity, token), [null, null]);
  await comity.stop();
});

/** Asks a service by the client of openapi-typescript and openapi-fetch: a check, a batch and an error. */

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [baseUrl, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
const robots = "User-agent: *\nDisallow: /private/\n";

const checked = await client.POST("/v1/check", { body: { urls: ["/", "/private/x"], robots } });
assert.deepEqual(checked.data?.answers.map((row) => row.allowed), [true, false]);

const batch = await client.POST("/v1/batch", {
  body: [{ url: "/private/x", agent: "mybot", robots }, { agent: "mybot" }],
  headers: { "content-type": "application/json" },
});
// The type is that of both formats of a batch.
const [answered, refused] = batch.data as components["schemas"]["BatchAnswer"][];
assert.ok(answered && refused);
assert.deepEqual([answered.allowed, answered.line, answered.url], [false, 2, "/private/x"]);
assert.equal(refused.input_line, 2);
assert.match(refused.error ?? "", /url/);

const failed = await client.GET("/v1/check", { params: { query: { url: "no URL" } } });
assert.equal(failed.error?.status, 422);
assert.equal(failed.error?.code, "unprocessable");

console.log("The TypeScript client works.");

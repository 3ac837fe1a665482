/** Writes the module `check` as text, for `comity/inline`. */

import { readFileSync, writeFileSync } from "node:fs";

const dist = new URL("dist/", import.meta.url);
const text = readFileSync(new URL("comity-check.wasm", dist)).toString("base64");
writeFileSync(new URL("comity-check.base64.js", dist), `export default "${text}";\n`);

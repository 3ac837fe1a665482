/** A module of the page by itself, for tests without a browser. */

import path from "node:path";
import { build } from "vite";

/** Returns the exports of a file in `src`. */
export async function load(file) {
  const entry = path.resolve(import.meta.dirname, "../src", file);
  const { output } = await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, rolldownOptions: { input: entry, preserveEntrySignatures: "strict", output: { format: "es" } } },
  });
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

import { compile } from "./compile.js";

const start = await compile(() => fetch(new URL("../../comity-diff.wasm", import.meta.url)));

/** Starts the module `diff`. */
export function load(): WebAssembly.Exports {
  return start();
}

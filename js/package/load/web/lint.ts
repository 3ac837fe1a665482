import { compile } from "./compile.js";

const start = await compile(() => fetch(new URL("../../comity-lint.wasm", import.meta.url)));

/** Starts the module `lint`. */
export function load(): WebAssembly.Exports {
  return start();
}

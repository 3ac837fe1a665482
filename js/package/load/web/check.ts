import { compile } from "./compile.js";

const start = await compile(() => fetch(new URL("../../comity-check.wasm", import.meta.url)));

/** Starts the module `check`. */
export function load(): WebAssembly.Exports {
  return start();
}

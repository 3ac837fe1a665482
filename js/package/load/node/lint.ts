import { readFileSync } from "node:fs";

/** Starts the module `lint`. */
export function load(): WebAssembly.Exports {
  const bytes = readFileSync(new URL("../../comity-lint.wasm", import.meta.url));
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}

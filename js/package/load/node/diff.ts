import { readFileSync } from "node:fs";

/** Starts the module `diff`. */
export function load(): WebAssembly.Exports {
  const bytes = readFileSync(new URL("../../comity-diff.wasm", import.meta.url));
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}

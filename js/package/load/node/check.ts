import { readFileSync } from "node:fs";

/** Starts the module `check`. */
export function load(): WebAssembly.Exports {
  const bytes = readFileSync(new URL("../../comity-check.wasm", import.meta.url));
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}

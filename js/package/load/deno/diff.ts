// @ts-expect-error: Deno imports it as a module that has been started. A file could only be read with a permission.
import * as exports from "../../comity-diff.wasm";

/** Returns the module `diff`, which Deno has started. */
export function load(): WebAssembly.Exports {
  return exports;
}

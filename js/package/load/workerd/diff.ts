// @ts-expect-error: workerd imports it as a WebAssembly.Module.
import module from "../../comity-diff.wasm";

/** Starts the module `diff`. */
export function load(): WebAssembly.Exports {
  return new WebAssembly.Instance(module).exports;
}

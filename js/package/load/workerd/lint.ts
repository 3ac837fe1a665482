// @ts-expect-error: workerd imports it as a WebAssembly.Module.
import module from "../../comity-lint.wasm";

/** Starts the module `lint`. */
export function load(): WebAssembly.Exports {
  return new WebAssembly.Instance(module).exports;
}

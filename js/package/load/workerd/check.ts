// @ts-expect-error: workerd imports it as a WebAssembly.Module.
import module from "../../comity-check.wasm";

/** Starts the module `check`. */
export function load(): WebAssembly.Exports {
  return new WebAssembly.Instance(module).exports;
}

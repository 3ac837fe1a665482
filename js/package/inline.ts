/** The same as `comity`, with the WebAssembly module in the script, for bundlers and platforms that copy no other file. */

import BASE64 from "./comity-check.base64.js";
import { provide } from "./file.js";

provide(() => {
  const bytes = Uint8Array.from(atob(BASE64), (character) => character.charCodeAt(0));
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}, true);

export * from "./robots.js";
export { robotsParser } from "./parser.js";

/** Questions in the form in which the module reads them. */

import { packed } from "../../../js/package/packed";
import { fromBase64 } from "../bytes";
import { sent, siteOf } from "./parsed";

/** A field of a question, as the page writes it. */
type Value = string | number | boolean | string[] | null | undefined;

/** Returns the fields of a question for the module: URLs are parsed, and a field of base64 becomes that of its bytes. */
function* fields(question: object): Generator<[name: string, values: (string | Uint8Array<ArrayBuffer>)[]]> {
  for (const [name, value] of Object.entries(question) as [string, Value][]) {
    if (value === null || value === undefined) continue;
    if (name.endsWith("_b64")) yield [name.slice(0, -"_b64".length), [fromBase64(String(value))]];
    // What is no URL is passed on, to be named in the refusal.
    else if (name === "origin") yield [name, [siteOf(String(value)) || String(value)]];
    else yield [name, (Array.isArray(value) ? value : [value]).map(String)];
    if (name === "urls" && Array.isArray(value)) {
      yield ["sent", value.map(sent)];
      yield ["sites", value.map(siteOf)];
    }
  }
}

/** Returns the path and the fields of a question as parts. A field is its name, the number of values, and the values. */
export function encode(path: string, question: object): Uint8Array {
  const parts: (string | Uint8Array)[] = [path];
  for (const [name, values] of fields(question)) parts.push(name, String(values.length), ...values);
  return packed(parts);
}

/** Questions in the form in which the module reads them. */

import { fromBase64 } from "../bytes";
import { sent, siteOf } from "./parsed";

const UTF8 = new TextEncoder();

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

/**
 * Returns the path and the fields of a question as parts: each has its length in four bytes, the lowest first, and its
 * bytes. A field is its name, the number of its values, and its values.
 */
export function encode(path: string, question: object): Uint8Array<ArrayBuffer> {
  const parts = [UTF8.encode(path)];
  const octets = (value: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => (typeof value === "string" ? UTF8.encode(value) : value);
  for (const [name, values] of fields(question)) parts.push(...[name, String(values.length), ...values].map(octets));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length, true);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  return bytes;
}

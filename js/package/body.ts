/** Bodies as arguments. */

import { described } from "./described.js";
import { InvalidBody } from "./errors.js";
import { ENCODER } from "./packed.js";

/** A body: text, or bytes. */
export type Body = string | ArrayBuffer | Uint8Array;

/** Returns a body that its owner cannot change. Throws `InvalidBody` if it is neither text nor bytes. */
export function copied(body: unknown, end = 512_002): string | Uint8Array {
  if (typeof body === "string") return body.length * 3 > end ? ENCODER.encode(body.slice(0, end)).slice(0, end) : body;
  // Not `instanceof`, for other realms.
  const type = Object.prototype.toString.call(body);
  if (type === "[object ArrayBuffer]") return new Uint8Array(body as ArrayBuffer).slice(0, end);
  if (type === "[object Uint8Array]" && ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice(0, end);
  }
  throw new InvalidBody(
    `expected the body as a string, an ArrayBuffer or a Uint8Array, found ${described(body)}; pass the content of the ` +
      "response, such as `await response.arrayBuffer()`",
  );
}

/** Questions in the form in which a WebAssembly module reads them. The page of the tester uses it, too. */

/** The encoder of all text. */
export const ENCODER = new TextEncoder();

/** Returns parts in the form in which a module reads them: each is its length in four bytes and its bytes. */
export function packed(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const encoded = parts.map((part) => (typeof part === "string" ? ENCODER.encode(part) : part));
  const bytes = new Uint8Array(encoded.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of encoded) {
    view.setUint32(at, part.length, true);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  return bytes;
}

/** The bytes of a file: decoding to text, and base64 for JSON. */

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

export function toBase64(octets: Uint8Array): string {
  let binary = "";
  // The number of arguments of a call is limited.
  for (let at = 0; at < octets.length; at += 0x8000) binary += String.fromCharCode(...octets.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Returns the variant of UTF-16 that a byte order mark indicates; null without one. */
export function utf16(octets: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (octets[0] === 0xff && octets[1] === 0xfe) return "utf-16le";
  return octets[0] === 0xfe && octets[1] === 0xff ? "utf-16be" : null;
}

/** Returns the text of a file: UTF-16 if it has that byte order mark, or else UTF-8 with � for invalid bytes. */
export function decode(octets: Uint8Array<ArrayBuffer>): string {
  return new TextDecoder(utf16(octets) ?? "utf-8").decode(octets);
}

/** Returns the text of a UTF-8 file, with its byte order mark; null if it is not valid UTF-8. */
export function decodeUtf8(octets: Uint8Array<ArrayBuffer>): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    return null;
  }
}

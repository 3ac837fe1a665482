/** The bytes of a file: decoded to text, and carried in JSON. */

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

export function toBase64(octets: Uint8Array): string {
  let binary = "";
  // Arguments are limited in number.
  for (let at = 0; at < octets.length; at += 0x8000) binary += String.fromCharCode(...octets.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Returns which UTF-16 a byte order mark announces. */
export function utf16(octets: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (octets[0] === 0xff && octets[1] === 0xfe) return "utf-16le";
  return octets[0] === 0xfe && octets[1] === 0xff ? "utf-16be" : null;
}

/** Returns the text of a file: UTF-16 by its byte order mark, or else UTF-8 with � for what is none. */
export function decode(octets: Uint8Array<ArrayBuffer>): string {
  return new TextDecoder(utf16(octets) ?? "utf-8").decode(octets);
}

/** Returns the text of a file that is UTF-8, with its byte order mark; null if it is no UTF-8. */
export function decodeUtf8(octets: Uint8Array<ArrayBuffer>): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    return null;
  }
}

/** Conversion of offsets: the service counts bytes of UTF-8, the editor UTF-16 units. */

/** Returns the length of a text in bytes of UTF-8. */
export function octets(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    count += 1;
    if (unit < 0x800) continue;
    // Each half of a surrogate pair counts as two of the four octets.
    if (unit < 0xd800 || unit > 0xdfff || !isPair(text, i, unit)) count += 1;
  }
  return count;
}

function isPair(text: string, i: number, unit: number): boolean {
  const other = unit < 0xdc00 ? text.charCodeAt(i + 1) : text.charCodeAt(i - 1);
  return unit < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other <= 0xdbff;
}

/** Converts offsets in bytes to positions in the text, in one pass over the text. */
export function positions(text: string, offsets: Iterable<number>): Map<number, number> {
  const sorted = [...new Set(offsets)].sort((a, b) => a - b);
  const found = new Map<number, number>();
  let octet = 0;
  let unit = 0;
  for (const offset of sorted) {
    while (octet < offset && unit < text.length) {
      const code = text.codePointAt(unit) ?? 0;
      unit += code > 0xffff ? 2 : 1;
      octet += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    }
    found.set(offset, unit);
  }
  return found;
}

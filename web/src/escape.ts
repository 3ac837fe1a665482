/** Display of untrusted text: characters that are invisible or that reorder a line are shown as escapes. */

const HIDDEN =
  /[\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}\p{Cs}]/gu;

/** Escapes the same characters as `comity::Escaped`, in the same notation. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (c) => {
    const code = c.codePointAt(0) ?? 0;
    if (c === "\t") return "\\t";
    return code < 0x80 ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 1)}}`;
  });
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, "0");
}

/** Returns the start of a text that may be very long, escaped. */
export function short(text: string, most = 200): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return visible(cut);
}

/** The same characters for the editor, except tabs and line ends, which it draws itself. */
export const SPECIAL = new RegExp(HIDDEN.source.replace("\\u0000-\\u001F", "\\u0000-\\u0008\\u000B-\\u001F"), "gu");

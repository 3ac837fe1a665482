/** Verdicts as a table for spreadsheets. What strangers wrote can't become a formula there. */

import { visible } from "./escape";
import type { CheckRow } from "./types";
import { answerWord } from "./words";

/** What spreadsheets may take for a formula, also after a separator that some of them split at. */
const FORMULA = /(^|;)(?=\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Returns a field in quotes; where it could be a formula, an apostrophe makes it text. */
export function field(text: string): string {
  return `"${visible(text).replaceAll(FORMULA, "$1'").replaceAll('"', '""')}"`;
}

/** Returns the verdicts as CSV (RFC 4180), with a byte order mark, by which spreadsheets know UTF-8. */
export function toCsv(rows: Iterable<CheckRow>): string {
  const lines = [["URL", "Crawler", "Answer", "Line", "Rule", "Asked as"].map(field).join(",")];
  for (const row of rows) {
    const line = row.line > 0 ? String(row.line) : "";
    lines.push([row.url, row.agent, answerWord(row.answer), line, row.text ?? "", row.asked].map(field).join(","));
  }
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}

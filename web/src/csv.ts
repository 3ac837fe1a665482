/** Verdicts as CSV for spreadsheets. Text of others cannot become a formula there. */

import { visible } from "./escape";
import type { CheckRow } from "./types";
import { answerWord } from "./words";
import * as TEST from "./words/test";

/** The starts of formulas in spreadsheets, also after a separator at which some of them split. */
const FORMULA = /(^|;)(?=\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Returns a field in quotes. An apostrophe before a possible formula makes it text. */
export function field(text: string): string {
  return `"${visible(text).replaceAll(FORMULA, "$1'").replaceAll('"', '""')}"`;
}

/** Returns the verdicts as CSV (RFC 4180), with a byte order mark, by which spreadsheets recognize UTF-8. */
export function toCsv(rows: Iterable<CheckRow>): string {
  const lines = [TEST.siftColumns.map(field).join(",")];
  for (const row of rows) {
    const line = row.line === null ? "" : String(row.line);
    lines.push([row.url, row.agent, answerWord(row.answer), line, row.text ?? "", row.asked].map(field).join(","));
  }
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}

/** State that the editor shares with other parts of the page. */

import type { Text } from "@codemirror/state";
import { signal } from "@preact/signals";
import type { Finding } from "../types";

/** The findings, and the text that they belong to. */
export const findings = signal<{ text: Text; list: Finding[] } | null>(null);

/** The line of the cursor. */
export const cursorLine = signal(1);

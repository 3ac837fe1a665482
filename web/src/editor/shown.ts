/** What the editor shows that others find, and what others show of the editor. */

import type { Text } from "@codemirror/state";
import { signal } from "@preact/signals";
import type { Finding } from "../types";

/** The findings, and the text that they are about. */
export const findings = signal<{ text: Text; list: Finding[] } | null>(null);

/** Where the cursor is. */
export const cursorLine = signal(1);

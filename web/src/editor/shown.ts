/** State that the editor shares with other parts of the page. */

import type { Text } from "@codemirror/state";
import { signal } from "@preact/signals";
import type { Finding } from "../types";
import type { Inspected } from "./about";

/** The findings, and the text that they belong to. */
export const findings = signal<{ text: Text; list: Finding[] } | null>(null);

/** The service's facts about a text, such as its size. */
export const facts = signal<{ text: Text; file: number; found: Inspected } | null>(null);

/** True on a narrow screen after a file arrived: the answers are more important then. */
export const isFolded = signal(false);

/** The line of the cursor. */
export const cursorLine = signal(1);

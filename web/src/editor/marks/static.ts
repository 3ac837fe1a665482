/** The page without a service has no findings, so it marks none. */

import type { Diagnostic } from "@codemirror/lint";
import type { EditorState, Extension, TransactionSpec } from "@codemirror/state";
import type { KeyBinding } from "@codemirror/view";

export const lintGutter = (): Extension => [];
export const lintKeymap: KeyBinding[] = [];
export const setDiagnostics = (..._: [EditorState, readonly Diagnostic[]]): TransactionSpec => ({});

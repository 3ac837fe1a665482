/** Marks of findings in the editor. */

export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";

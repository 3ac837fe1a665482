/** Files on the user's disk: opening, dropping, pasting, copying and downloading. */

import { signal } from "@preact/signals";
import { decode, decodeUtf8, fromBase64, toBase64, utf16 } from "./bytes";
import { short } from "./escape";
import { type Goal, offered, trouble } from "./fetching";
import { markSaved, replacing } from "./replaced";
import { announcement, draft, original, service, toText } from "./state";
import { fileOf, forgetSource, received } from "./subject";
import * as FILE from "./words/file";

/** The result of the last copy or download. */
export const done = signal<string | null>(null);

/** The service's default limit, used until the service has reported its own. */
const MAX_BYTES = 4_194_304;

/** Returns the maximum size of a file. A request in base64 is a third larger than its file. */
function mostBytes(): number {
  return Math.floor((service.peek()?.limits.body_bytes ?? MAX_BYTES) * 0.7);
}

function refuse(text: string, goal: Goal = "editor"): void {
  trouble.value = { goal, text };
}

/** Reads the first of some files, or says why it is none for `goal`. */
async function read(files: FileList | File[] | null | undefined, goal: Goal) {
  const [file, ...others] = [...(files ?? [])];
  if (!file) return null;
  const name = FILE.diskName(short(file.name, 60));
  trouble.value = null;
  if (file.size > mostBytes()) {
    refuse(FILE.diskTooLarge(name, file.size, mostBytes()), goal);
    return null;
  }
  let octets: Uint8Array<ArrayBuffer>;
  try {
    octets = new Uint8Array(await file.arrayBuffer());
  } catch {
    refuse(FILE.diskUnreadable(name), goal);
    return null;
  }
  if (utf16(octets) === null && octets.subarray(0, 8_000).includes(0)) {
    refuse(FILE.diskBinary(name), goal);
    return null;
  }
  const utf8 = decodeUtf8(octets);
  const text = toText(utf8 ?? decode(octets));
  return {
    text,
    file: utf8 === null ? { robots_b64: toBase64(octets) } : { robots: utf8 },
    from: FILE.replacedOpened(name, others.length),
    at: new Date(file.lastModified).toISOString(),
  };
}

/** Opens the first of the files, and replaces the text with it. */
export async function openFiles(files: FileList | File[] | null | undefined): Promise<void> {
  const found = await read(files, "editor");
  if (found === null) return;
  const { text, file, from, at } = found;
  put(text, from, () => (received.value = { text, file, log: null, from, at }), at);
}

/** Opens the first of the files as the original, and keeps the text. */
export async function openOriginal(files: FileList | null): Promise<void> {
  const found = await read(files, "original");
  if (found !== null) original.value = { text: found.text, from: found.from, at: found.at };
}

function put(text: ReturnType<typeof toText>, from: string, more: () => void, at?: string): void {
  offered.value = null;
  done.value = null;
  replacing(from, () => {
    // A draft that is opened is compared with the file that was fetched before, as one fetches the live file first.
    const fetched = original.peek()?.site === undefined ? null : original.peek();
    forgetSource();
    more();
    draft.value = text;
    original.value = fetched ?? { text, from, ...(at === undefined ? {} : { at }) };
  });
  announcement.value = FILE.replacedBy(from);
}

/** Replaces the text with the content of the clipboard. */
export async function pasteClipboard(): Promise<void> {
  trouble.value = null;
  let text: string;
  try {
    text = await navigator.clipboard.readText();
  } catch {
    refuse(FILE.diskNoReading);
    return;
  }
  if (text === "") refuse(FILE.diskEmptyClipboard);
  else {
    const pasted = toText(text);
    put(pasted, FILE.replacedPasted, () => (received.value = { text: pasted, file: { robots: text.toWellFormed() }, log: null }));
  }
}

/** Copies the whole text. */
export async function copyText(): Promise<void> {
  try {
    await navigator.clipboard.writeText(draft.peek().toString());
    markSaved();
    done.value = FILE.diskCopied;
  } catch {
    done.value = FILE.diskNoCopying;
  }
  announcement.value = done.value;
}

/** Downloads the file: with its original bytes if nothing was changed, or else as UTF-8. */
export function download(): void {
  const file = fileOf(draft.peek());
  const content = "robots" in file ? file.robots : fromBase64(file.robots_b64);
  // The name warns against uploading the first part of a file in place of the whole.
  const isPart = received.peek()?.log?.is_cut === true;
  const name = isPart ? "robots-first-part.txt" : "robots.txt";
  save(name, new Blob([content], { type: "text/plain" }));
  markSaved();
  done.value = FILE.diskDownloaded(name);
  announcement.value = done.value;
}

/** Starts a download of a file in the browser. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download reads the address soon. Then the memory can be released.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Opens files that are dropped anywhere on the page. By default, a browser would leave the page to show them. */
export function takeDrops(isOver: (over: boolean) => void): () => void {
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
  const over = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    isOver(true);
  };
  const leave = (event: DragEvent): void => {
    if (event.relatedTarget === null) isOver(false);
  };
  const drop = (event: DragEvent): void => {
    isOver(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    void openFiles(event.dataTransfer?.files);
  };
  const paste = (event: ClipboardEvent): void => {
    if (!event.clipboardData?.files.length || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    event.stopPropagation();
    void openFiles(event.clipboardData.files);
  };
  // These run before the handlers of the editor, which would insert the text at the pointer.
  addEventListener("dragover", over, true);
  addEventListener("dragleave", leave, true);
  addEventListener("drop", drop, true);
  addEventListener("paste", paste, true);
  return () => {
    removeEventListener("dragover", over, true);
    removeEventListener("dragleave", leave, true);
    removeEventListener("drop", drop, true);
    removeEventListener("paste", paste, true);
  };
}

/** Sharing: the content of the link, and for whom it works. */

import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { download } from "../files";
import { link } from "../link";
import { MAX_LINK_LENGTH } from "../share";
import { agents, announcement, draft, original, urls, view } from "../state";
import { bytesWords, count, VIEW_TITLES } from "../words";
import * as FRAME from "../words/frame";

/** Returns true if a host is the computer that the browser runs on. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)$/i.test(host);
}

/** Returns true if a host can be reached only from its own network. */
function isPrivate(host: string): boolean {
  return /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cde])|\.(local|lan|internal|home\.arpa)$/i.test(host) || !/[.:]/.test(host);
}

const withFile = signal(true);
const address = signal<string | null>(null);
/** True after the link was copied; null if the browser refused that. */
const isCopied = signal<boolean | null>(false);

async function make(): Promise<void> {
  const made = await link(withFile.value);
  isCopied.value = false;
  address.value = made.length > MAX_LINK_LENGTH ? null : made;
  if (address.value === null) announcement.value = FRAME.shareTitleLong;
}

/** Copies the link, because the user asked for it. */
async function copy(made: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(made);
    isCopied.value = true;
    announcement.value = FRAME.shareCopied;
  } catch {
    isCopied.value = null;
  }
}

/** Returns the content of the link, in words. */
function contents(): string {
  const parts: string[] = [];
  if (withFile.value) {
    parts.push(FRAME.shareFile(bytesWords(new Blob([draft.value.toString()]).size)));
    if (original.value?.text.eq(draft.value) === false) parts.push(FRAME.shareOriginal);
  }
  if (urls.value.length > 0) parts.push(count(urls.value.length, "URL"));
  if (agents.value.length > 0) parts.push(count(agents.value.length, "crawler"));
  parts.push(FRAME.shareView(VIEW_TITLES[view.value]));
  return FRAME.shareList(parts);
}

export function Share() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = async (): Promise<void> => {
    withFile.value = true;
    await make();
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  const made = address.value;
  return (
    <>
      <button type="button" class="tool wide" onClick={() => void open()}>
        {FRAME.shareOpen}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="share-title">
        <h2 id="share-title">{made === null ? FRAME.shareTitleLong : FRAME.shareTitle}</h2>
        {made === null ? (
          <p>{FRAME.shareLong(MAX_LINK_LENGTH)}</p>
        ) : (
          <>
            <p>{FRAME.shareContents(contents())}</p>
            <Reach />
            <input
              class="mono"
              type="text"
              readOnly
              aria-label={FRAME.shareField}
              value={made}
              onFocus={(event) => event.currentTarget.select()}
            />
            <div class="row">
              {isLoopback(location.hostname) && (
                <button type="button" class="primary" onClick={download}>
                  {FRAME.shareDownload}
                </button>
              )}
              <button type="button" class={isLoopback(location.hostname) ? "" : "primary"} onClick={() => void copy(made)}>
                {FRAME.shareCopy}
              </button>
              {isCopied.value === true && <p class="copied">{FRAME.shareCopiedHere}</p>}
              {isCopied.value === null && (
                <p class="note warn" role="alert">
                  {FRAME.shareNotCopied}
                </p>
              )}
            </div>
            {made.length > 2_000 && <p class="note">{FRAME.shareMayBeCut(made.length)}</p>}
          </>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={withFile.value}
            onChange={(event) => {
              withFile.value = event.currentTarget.checked;
              void make();
            }}
          />
          <span>{FRAME.shareWithFile}</span>
        </label>
        <div class="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            {FRAME.shareClose}
          </button>
        </div>
      </dialog>
    </>
  );
}

/** A warning if the link does not work for others. */
function Reach() {
  const { hostname, host } = location;
  if (isLoopback(hostname)) return <p class="note warn">{FRAME.shareOnlyHere(host)}</p>;
  return isPrivate(hostname) ? <p class="note warn">{FRAME.shareOnlyInside(host)}</p> : null;
}

/** Sharing: the content of the link, and for whom it works. */

import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { download } from "../files";
import { link } from "../link";
import { MAX_LINK_LENGTH } from "../share";
import { agents, announcement, draft, original, urls, view } from "../state";
import { bytesWords, count, VIEW_TITLES } from "../words";

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
  if (address.value === null) announcement.value = "Too long for a link";
}

/** Copies the link, because the user asked for it. */
async function copy(made: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(made);
    isCopied.value = true;
    announcement.value = "The link is copied.";
  } catch {
    isCopied.value = null;
  }
}

/** Returns the content of the link, in words. */
function contents(): string {
  const parts: string[] = [];
  if (withFile.value) {
    parts.push(`the whole file (${bytesWords(new Blob([draft.value.toString()]).size)})`);
    if (!original.value.text.eq(draft.value)) parts.push("the original that it is compared with");
  }
  if (urls.value.length > 0) parts.push(count(urls.value.length, "URL"));
  if (agents.value.length > 0) parts.push(count(agents.value.length, "crawler"));
  parts.push(`the view ${VIEW_TITLES[view.value]}`);
  const last = parts.pop();
  return parts.length === 0 ? `${last}` : `${parts.join(", ")} and ${last}`;
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
        Share
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="share-title">
        <h2 id="share-title">{made === null ? "Too long for a link" : "A link to what you see"}</h2>
        {made === null ? (
          <p>
            The link would have more than {count(MAX_LINK_LENGTH, "character")}, and most chats and mail programs cut such links.
            Share it without the file, and send the file itself: Download saves it.
          </p>
        ) : (
          <>
            <p>
              The link contains {contents()}. Nothing is stored on a server: all of it is in the link itself, for whoever gets
              it.
            </p>
            <Reach />
            <input
              class="mono"
              type="text"
              readOnly
              aria-label="The link"
              value={made}
              onFocus={(event) => event.currentTarget.select()}
            />
            <div class="row">
              {isLoopback(location.hostname) && (
                <button type="button" class="primary" onClick={download}>
                  Download the file
                </button>
              )}
              <button type="button" class={isLoopback(location.hostname) ? "" : "primary"} onClick={() => void copy(made)}>
                Copy the link
              </button>
              {isCopied.value === true && <p class="copied">✓ Copied just now. Paste it into a mail or a chat.</p>}
              {isCopied.value === null && (
                <p class="note warn" role="alert">
                  The browser did not let the page copy it. Select the link above, and copy it yourself.
                </p>
              )}
            </div>
            {made.length > 2_000 && (
              <p class="note">It is {count(made.length, "character")} long, and some programs cut long links.</p>
            )}
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
          <span>With the file</span>
        </label>
        <div class="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </dialog>
    </>
  );
}

/** A warning if the link does not work for others. */
function Reach() {
  const { hostname, host } = location;
  if (isLoopback(hostname)) {
    return (
      <p class="note warn">
        <strong>This link works only on this computer.</strong> The page that you see comes from a program that runs here (
        {host}), which other computers and your phone cannot reach. To show the file to others, download it and send it.
        For a link that works everywhere, this program has to run on a server.
      </p>
    );
  }
  if (!isPrivate(hostname)) return null;
  return (
    <p class="note warn">
      <strong>This link works only inside your own network:</strong> {host} cannot be reached from elsewhere.
    </p>
  );
}

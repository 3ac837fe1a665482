/** The page's state in the fragment of its address, which browsers don't send: compressed, validated when read. */

export interface Shared {
  /** The file in the editor. */
  robots: string;
  /** The original in the view Compare, if it is another text. */
  original: string | null;
  /** The content of the input field for the site to fetch. */
  site: string;
  /** The site of the draft, if one was named. */
  named: string | null;
  /** The site of the verdicts, if a fetch found no file there. */
  absent: string | null;
  urls: string;
  agents: string[];
  dialect: string;
  view: string;
}

/** The format's version: the first character of the fragment. */
const VERSION = "1";

/** The maximum size of a link's decompressed content, in bytes. Otherwise a short link could fill the memory. */
const MAX_BYTES = 4_000_000;

/** The maximum length of a link. Chats and mail programs cut longer ones. */
export const MAX_LINK_LENGTH = 32_000;

/** Returns the state as the fields that links and the session store. */
export function toFields(state: Shared): object {
  const { robots, original, site, named, absent, urls, agents, dialect, view } = state;
  return { r: robots, o: original, s: site, w: named, x: absent, u: urls, a: agents, d: dialect, v: view };
}

export async function toFragment(state: Shared): Promise<string> {
  const text = JSON.stringify(toFields(state));
  const packed = await pump(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Infinity);
  let binary = "";
  for (const octet of packed) binary += String.fromCharCode(octet);
  return VERSION + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Returns the state in a fragment; null if the fragment is damaged or not one of ours. */
export async function fromFragment(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith(VERSION) || !/^[\w-]+$/.test(fragment)) return null;
  try {
    const binary = atob(fragment.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const text = await pump(packed, new DecompressionStream("deflate-raw"), MAX_BYTES);
    return fromFields(JSON.parse(new TextDecoder().decode(text)));
  } catch {
    return null;
  }
}

/** Returns the state from untrusted fields; null if they are not an object. */
export function fromFields(found: unknown): Shared | null {
  if (typeof found !== "object" || found === null) return null;
  const fields = found as Record<string, unknown>;
  const text = (name: string, most: number): string => {
    const value = fields[name];
    return typeof value === "string" ? value.slice(0, most) : "";
  };
  const agents = Array.isArray(fields["a"]) ? fields["a"] : [];
  return {
    robots: text("r", MAX_BYTES),
    original: typeof fields["o"] === "string" ? fields["o"] : null,
    site: text("s", 2_000),
    named: text("w", 2_000) || null,
    absent: text("x", 2_000) || null,
    urls: text("u", MAX_BYTES),
    agents: agents.filter(isName).slice(0, 200),
    dialect: text("d", 40),
    view: text("v", 40),
  };
}

/** Returns true if this can be a crawler's name. Spaces and slashes occur only in headers, which are refused. */
function isName(agent: unknown): agent is string {
  return typeof agent === "string" && /^[^\s/\p{C}]{1,100}$/u.test(agent);
}

async function pump(octets: Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream, most: number): Promise<Uint8Array> {
  const reader = new Blob([octets]).stream().pipeThrough(through as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new RangeError("the link unfolds to too much");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** URLs as arguments. */

import { described } from "./described.js";
import { InvalidUrl } from "./errors.js";

const PATH = /(?:\/(?![.%])[A-Za-z0-9._~!$&()*+,;=:@?%-]*)+/.source;
const HOST = /(?:[a-z0-9]+[.-])*[a-z][a-z0-9]*/.source;

/**
 * A URL or a path in the form in which a browser sends it: a plain host in lower case without a port, and a path without
 * a byte that would be escaped, and without a segment that may be `.` or `..`. Nearly all are, and need not be parsed,
 * which takes longer than the answer.
 */
const SENT = new RegExp(`^(?:https?://${HOST}|(?!//))${PATH}$`);

/** Returns true if a URL or a path is known to be in the form in which it is sent. */
export function isSent(url: string): boolean {
  return SENT.test(url);
}

const ORIGIN = new RegExp(`^https?://${HOST}(?=/)`);

/** The origin of the last URL: most questions are about URLs of one site. */
let lastOrigin = "https://example.com";

/**
 * Returns the index of the path in a URL or a path, if everything before it is known to be in the form in which it is
 * sent, and of this origin. Returns -1 otherwise, and for a path with two slashes at its start, in which a host could be
 * read.
 */
export function pathStart(url: string, origin: string | null): number {
  let start = 0;
  if (url.charCodeAt(0) !== SLASH) {
    const expected = origin ?? lastOrigin;
    start = expected.length;
    if (!url.startsWith(expected) || url.charCodeAt(start) !== SLASH) {
      const found = origin === null ? ORIGIN.exec(url) : null;
      if (!found) return -1;
      lastOrigin = found[0];
      start = lastOrigin.length;
    }
  }
  return url.charCodeAt(start + 1) === SLASH ? -1 : start;
}

const SLASH = 47;

/** The base of paths. Its host is not the host of any URL. */
const BASE = "http://path.invalid";

/** A URL or a path in the form in which a browser would send it, and the origin of a URL. */
export interface Sent {
  url: string;
  origin: string | null;
}

/** Parses a URL or a path as a browser does. Throws `InvalidUrl` if it is neither. */
export function parse(url: string): Sent {
  if (url.startsWith("/")) {
    const parsed = parsedOrNull(url, BASE);
    if (parsed?.host !== "path.invalid") {
      throw new InvalidUrl(`${EXPECTED}, found ${described(withoutUserinfo(url))}, which names another host`);
    }
    const path = parsed.href.slice(BASE.length);
    // In two slashes at its start, a dialect may read a host.
    return { url: path.startsWith("//") ? parsed.href : path, origin: null };
  }
  const parsed = parsedOrNull(url);
  if (!parsed) throw new InvalidUrl(`${EXPECTED}, found ${described(withoutUserinfo(url))}`);
  return { url: parsed.href, origin: originOf(parsed) };
}

/** Returns the origin of a site: a URL of it. Throws `InvalidUrl` if it has none. */
export function parseOrigin(url: unknown): string {
  const text = textOf(url);
  const parsed = parsedOrNull(text);
  if (!parsed) {
    throw new InvalidUrl(`expected a URL of the site, such as https://example.com, found ${described(withoutUserinfo(text))}`);
  }
  return originOf(parsed);
}

/** Returns a URL as text. Throws `InvalidUrl` if it is neither text nor a `URL`. */
export function textOf(url: unknown): string {
  if (typeof url === "string") return url;
  // Not `instanceof`, for other realms.
  if (Object.prototype.toString.call(url) === "[object URL]") return (url as URL).href;
  throw new InvalidUrl(`${EXPECTED}, found ${described(url)}; pass its text, or a \`URL\``);
}

const EXPECTED = "expected a URL such as https://example.com/page, or a path such as /page";

function parsedOrNull(url: string, base?: string): URL | null {
  try {
    return new URL(url, base);
  } catch {
    return null;
  }
}

/** Returns scheme, host and port. `URL.origin` has none for schemes other than those of the web, and keeps a final dot. */
function originOf(url: URL): string {
  const host = url.hostname.replace(/\.$/, "").toLowerCase();
  if (host === "") throw new InvalidUrl(`expected a URL with a host, found one of the scheme ${described(url.protocol)}`);
  return `${url.protocol}//${host}${url.port === "" ? "" : `:${url.port}`}`;
}

/**
 * Returns text without the user name and the password of a URL, for messages. The text need not be a valid URL.
 *
 * URL parsers ignore tabs and line ends. After a scheme of the web, they take a backslash for a slash, and need no slashes
 * (URL Standard, basic URL parser).
 */
export function withoutUserinfo(url: string): string {
  const [start = "", scheme = ""] = /^([^:/\\?#@]*):[/\\\t\n\r]*/.exec(url) ?? [];
  if (!/^(?:https?|ftp|wss?)$/i.test(scheme.replace(/[\s\p{Cc}]/gu, ""))) {
    return url.replace(/^([^/?#]*:?\/\/)?[^/?#]*@/, "$1");
  }
  const [authority = ""] = /^[^/?#\\]*/.exec(url.slice(start.length)) ?? [];
  return start + url.slice(start.length + authority.lastIndexOf("@") + 1);
}

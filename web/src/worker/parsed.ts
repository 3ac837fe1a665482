/** URLs as a browser sends them. The module has no parser of URLs: the browser's takes no space. */

/** The base of paths. It is removed again. */
const BASE = "http://site.invalid";

/** Returns a parsed URL; null if the text is none. Without `canParse`, which refuses hosts with ü in Node 20 at times. */
function parse(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

/** Returns true if browsers read a host in text that starts with a slash: `//host`, `/\host`, or with a tab between. */
export function namesHost(text: string): boolean {
  return /^\/[\t\n\r]*[/\\]/.test(text);
}

/** Returns a URL or a path in the form in which a browser sends it; "" if it is neither. */
export function sent(url: string): string {
  if (namesHost(url)) return "";
  if (url.startsWith("/")) return new URL(BASE + url).href.slice(BASE.length);
  const parsed = siteOf(url) === "" ? null : parse(url);
  if (!parsed) return "";
  // No crawler sends them.
  parsed.username = parsed.password = "";
  return parsed.href;
}

/** Returns the scheme, host and port of a URL; "" for a path, and for a text without them. */
export function siteOf(url: string): string {
  const parsed = url.startsWith("/") ? null : parse(url);
  const host = parsed?.hostname.replace(/[.]$/, "") ?? "";
  return !parsed || host === "" ? "" : `${parsed.protocol}//${host}${parsed.port === "" ? "" : `:${parsed.port}`}`;
}

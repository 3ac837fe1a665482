/** The robots.txt that a new visitor sees: that of a shop, with mistakes that shops make. */

export const EXAMPLE = `# A shop's robots.txt. Change anything!

User-agent: *
Disallow: /cart/
Disallow: /*?sort=
Allow: /cart/help

# Replaces the group above, adds nothing to it.
User-agent: Googlebot
Disallow: /internal/
Allow: /internal/press/

User-agent: GPTBot
User-agent: CCBot
Disalow: /
Allow: /press/

User-agent: *
Content-Signal: search=yes, ai-train=no

Sitemap: https://shop.example/sitemap.xml
`;

export const EXAMPLE_URLS = `https://shop.example/
https://shop.example/cart/checkout
https://shop.example/shoes?sort=price
https://shop.example/internal/press/2026.html
`;

const EXAMPLES = new Set(EXAMPLE_URLS.trim().split("\n"));

/** Returns true if a URL is one of the example. */
export function isOfExample(url: string): boolean {
  return EXAMPLES.has(url);
}

/** Returns a list of URLs without those of the example, or the root alone if it has no others. */
export function withoutExample(urls: string): string {
  const own = urls.split("\n").filter((line) => !isOfExample(line.trim()));
  return own.some((line) => line.trim() !== "") ? own.join("\n") : "/\n";
}

export const EXAMPLE_AGENTS = ["Googlebot", "bingbot", "GPTBot"];

/** The verdict that is explained first: two rules match, and one wins. */
export const EXAMPLE_CHOICE = { url: "https://shop.example/internal/press/2026.html", agent: "Googlebot" };

/** What a first visitor sees: a shop with the mistakes that shops make. */

export const EXAMPLE = `# robots.txt of a shop. Change anything: the verdicts follow.

User-agent: *
Disallow: /cart/
Disallow: /*?sort=
Allow: /cart/help

# This group replaces the one above. It does not add to it.
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

export const EXAMPLE_AGENTS = ["Googlebot", "bingbot", "GPTBot"];

//! What pages and sitemaps say to crawlers: meta robots out of HTML, and the URLs of sitemaps.
//!
//! Both are read as streams, from any [`Read`](std::io::Read); nothing here fetches anything. Both come from strangers,
//! so bytes, depth and numbers are bounded, and no input makes anything panic.
//!
//! # For a page
//!
//! [`read_page`] puts the meta tags of a page into a [`comity::page::Page`], beside what the response's header said.
//! `comity` has the rest: what it comes to for a crawler, and together with the robots.txt.
//!
//! ```
//! use comity::page::Page;
//! use comity::{Crawler, Robots, Stance};
//!
//! let mut page = Page::new();
//! page.header("X-Robots-Tag", b"nofollow");
//! let html = r#"<!doctype html><title>A</title><meta name="GoogleBot" content="noindex, max-snippet:20">"#;
//! comity_page::read_page(html.as_bytes(), &mut page, &[])?;
//!
//! let googlebot = Crawler::known("Googlebot").unwrap();
//! assert_eq!(page.rules_for(googlebot).to_string(), "noindex, nofollow, max-snippet:20");
//!
//! let robots = Robots::parse(b"User-agent: *\nDisallow: /private/\n");
//! assert_eq!(robots.permissions(googlebot, "/a", &page).index.stance, Stance::No);
//! // What may not be fetched is never read: the noindex above does nothing here.
//! assert_eq!(robots.permissions(googlebot, "/private/a", &page).index.stance, Stance::Hidden);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # For a sitemap
//!
//! [`Sitemap`] takes XML, an index, plain text, RSS or Atom, each compressed with gzip or not, and finds out which. It
//! gives one [`Entry`] after the other. [`Walk`] says which sitemaps of an index to fetch next, and when to stop.
//!
//! ```
//! use comity::{Crawler, Robots};
//! use comity_page::Sitemap;
//!
//! let robots = Robots::parse(b"User-agent: *\nDisallow: /cart/\n");
//! let rules = robots.rules_for(Crawler::known("Googlebot").unwrap());
//! let xml = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
//!     <url><loc>https://shop.example/</loc></url>
//!     <url><loc>https://shop.example/cart/?a=1&amp;b=2</loc></url>
//! </urlset>";
//! let mut blocked = Vec::new();
//! for entry in Sitemap::read(xml.as_bytes())? {
//!     let entry = entry?;
//!     if rules.check(&entry.location).is_disallowed() {
//!         blocked.push(entry.location);
//!     }
//! }
//! assert_eq!(blocked, ["https://shop.example/cart/?a=1&b=2"]); // listed, and blocked: a common mistake
//! # Ok::<(), comity_page::SitemapError>(())
//! ```

mod decode;
mod html;
mod sitemap;
mod walk;

pub use html::{Found, HTML_LIMIT, Tag, TagKind, Tags, read_page};
pub use sitemap::{
    ENTRY_LIMIT, Entry, EntryKind, Format, LOCATION_LIMIT, Limits, Problem, SIZE_LIMIT, Sitemap, SitemapError,
};
pub use walk::{Step, Walk};

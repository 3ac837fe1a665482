//! Detection of product tokens in `User-Agent` headers.
//!
//! Groups name crawlers by product token (RFC 9309 §2.2.1), and the engine expects a token. Logs contain whole headers
//! instead, with the token somewhere among products and comments (RFC 9110 §10.1.5), often after the names of a
//! browser. [`candidates`] finds it, and [`is_header`] distinguishes headers from tokens:
//!
//! ```
//! use comity::Crawlers;
//! use comity::user_agent::{candidates, is_header};
//!
//! let table = Crawlers::builtin();
//! let header = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; \
//!               +http://www.google.com/bot.html) Chrome/125.0.0.0 Safari/537.36";
//! assert!(is_header(header, &table));
//! assert_eq!(candidates(header, &table), ["Googlebot"]);
//!
//! let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0";
//! assert!(candidates(browser, &table).is_empty());
//! ```
//!
//! Headers can be forged: a token in a header does not prove that the request came from that crawler.

use alloc::vec::Vec;

use crate::crawler::crawlers::Crawlers;

/// The maximum number of bytes of a header that are read. Common servers refuse header lines over 8 KiB.
const MAX_BYTES: usize = 8 * 1024;

/// The maximum number of candidates that are returned. Real headers name one to three.
const MAX_CANDIDATES: usize = 16;

/// The maximum number of words of a token that is looked up, such as `Screaming Frog SEO Spider`.
const MAX_WORDS: usize = 4;

/// The names of browsers, platforms and engines, which are not candidates. Neither are names that end in `browser`.
#[rustfmt::skip] // one word per line would only be longer
const BROWSER_WORDS: &[&str] = &[
    // engines and the words around them
    "Mozilla", "AppleWebKit", "WebKit", "KHTML", "Gecko", "Goanna", "Presto", "Trident", "Blink", "Servo", "Version",
    "Mobile", "Tablet", "Safari", "compatible", "like", "Build", "wv", "rv", "U",
    // browsers
    "Chrome", "Chromium", "CriOS", "Firefox", "FxiOS", "Focus", "Klar", "Edg", "Edge", "EdgA", "EdgiOS", "MSIE",
    "IEMobile", "Opera", "OPR", "OPT", "OPX", "OPiOS", "Vivaldi", "Brave", "Ddg", "DuckDuckGo", "Yowser", "Whale",
    "Silk", "Puffin", "Maxthon", "MetaSr", "GSA", "SeaMonkey", "PaleMoon", "Waterfox", "LibreWolf",
    "Iceweasel", "IceCat", "Konqueror", "Epiphany", "Falkon", "Camino", "Netscape", "Lynx", "Avast", "AVG",
    "MicroMessenger", "Instagram", "Electron", "U3",
    // platforms
    "Windows", "NT", "WOW64", "Win64", "x64", "Macintosh", "Intel", "Mac", "OS", "X", "iPhone", "iPad", "iPod", "CPU",
    "Linux", "X11", "Wayland", "Android", "Ubuntu", "Fedora", "Debian", "CrOS", "FreeBSD", "OpenBSD", "x86_64",
    "aarch64", "arm64", "i686", "Dalvik", "CFNetwork", "Darwin",
];

/// Generic words, which do not identify a program.
const GENERIC: &[&str] = &["bot", "robot", "spider", "crawler", "crawl", "webcrawler"];

/// Returns the product tokens that a `User-Agent` header may mean, without duplicates and most likely first. Returns
/// none for browsers.
///
/// Tokens of the table come first, with up to three words and in the order of the header, then names that contain
/// `bot`, `spider` or `crawl`, and then other products. Other products in a comment are included only if the header has
/// a contact address, as those of crawlers do and those of browsers do not.
///
/// ```
/// use comity::user_agent::candidates;
/// use comity::{Crawlers, Profile, Purpose};
///
/// let mut table = Crawlers::builtin();
/// assert_eq!(candidates("CCBot/2.0 (https://commoncrawl.org/faq/)", &table), ["CCBot"]);
/// assert_eq!(candidates("Sogou web spider/4.0(+http://www.sogou.com/docs/help/)", &table), ["Sogou web spider"]);
/// assert_eq!(candidates("acme-fetch/3.1 python-requests/2.32", &table), ["acme-fetch", "python-requests"]);
///
/// assert!(candidates("Mozilla/5.0 (compatible) Acme Reader", &table).is_empty());
/// table.add(Profile::new("Acme Reader", "Acme", Purpose::Preview));
/// assert_eq!(candidates("Mozilla/5.0 (compatible) Acme Reader", &table), ["Acme Reader"]);
/// ```
///
/// Any text is accepted: comments may be nested, unterminated or missing. At most 16 candidates are returned, and only
/// the first 8 KiB are read, so the time is linear in the header and bounded.
pub fn candidates<'h>(header: &'h str, table: &Crawlers) -> Vec<&'h str> {
    let header = prefix(header, MAX_BYTES);
    let words = words(header);
    let contact = header.contains("://") || header.contains('@');

    let mut ranked = Vec::new();
    let mut next = 0;
    while next < words.len() {
        let i = next;
        next += 1;
        let word = &words[i];
        if word.after_like {
            continue;
        }
        if let Some((token, len)) = known(header, &words[i..], table) {
            ranked.push((Rank::Known, token));
            next = i + len;
            continue;
        }
        let Some(token) = word.token(header) else { continue };
        if is_browser_word(token) || is_host(token, word, header) {
            continue;
        }
        let product = if word.in_comment {
            contact && word.first && (word.versioned(header) || word.after_compatible)
        } else {
            i == 0 || word.versioned(header)
        };
        if is_named_like_a_crawler(token) {
            ranked.push((Rank::Named, token));
        } else if product {
            ranked.push((Rank::Product, token));
        }
    }
    // The sort is stable: within a rank, the order of the header is kept.
    ranked.sort_by_key(|&(rank, _)| rank);

    let mut found: Vec<&str> = Vec::new();
    for (_, token) in ranked {
        if found.len() == MAX_CANDIDATES {
            break;
        }
        if !found.iter().any(|f| f.eq_ignore_ascii_case(token)) {
            found.push(token);
        }
    }
    found
}

/// Returns true if a text that should be a product token is a whole `User-Agent` header: it has a version or a comment,
/// and is not a token of the table.
///
/// ```
/// use comity::Crawlers;
/// use comity::user_agent::is_header;
///
/// let table = Crawlers::builtin();
/// assert!(is_header("Googlebot/2.1", &table));
/// assert!(is_header("AdsBot-Google (+http://www.google.com/adsbot.html)", &table));
/// assert!(!is_header("Googlebot", &table));
/// assert!(!is_header("Mozilla", &table));
/// assert!(!is_header("Sogou web spider", &table));
/// ```
pub fn is_header(agent: &str, table: &Crawlers) -> bool {
    let agent = agent.trim();
    if table.find(agent).is_some() {
        return false;
    }
    let bytes = agent.as_bytes();
    bytes.iter().enumerate().any(|(i, b)| match b {
        b'(' | b')' => true,
        b'/' => is_version(&bytes[i + 1..]),
        _ => false,
    })
}

/// The likelihood of a candidate, most likely first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Known,
    Named,
    Product,
}

/// A part of a header between separators. It is delimited by ASCII bytes or the ends of the header, so its offsets are
/// character boundaries.
struct Word {
    start: usize,
    /// The end of its leading token bytes.
    token_end: usize,
    end: usize,
    in_comment: bool,
    /// True if it starts a comment or follows a `;` or `,`.
    first: bool,
    /// True if the previous part of the comment is `compatible`.
    after_compatible: bool,
    /// True if it follows `like`, so that it names a program that this one resembles.
    after_like: bool,
}

impl Word {
    /// Returns its product token, if it is one with or without a version.
    fn token<'a>(&self, header: &'a str) -> Option<&'a str> {
        let token = &header[self.start..self.token_end];
        let bare = self.token_end == self.end;
        let bytes = token.as_bytes();
        (bytes.first().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.iter().any(u8::is_ascii_alphabetic)
            && (bare || header.as_bytes()[self.token_end] == b'/'))
            .then_some(token)
    }

    fn versioned(&self, header: &str) -> bool {
        header.as_bytes().get(self.token_end) == Some(&b'/') && self.token_end < self.end
    }
}

/// Splits a header into words. Brackets are treated as parentheses, since apps put fields between them.
fn words(header: &str) -> Vec<Word> {
    let bytes = header.as_bytes();
    let mut words: Vec<Word> = Vec::new();
    // A counter suffices for nesting, so the depth is not limited.
    let mut depth = 0_usize;
    let mut first = true;
    // `compatible` is true if the only word since the last `;`, `,` or parenthesis is `compatible`, and
    // `after_compatible` if that was so for the words before that separator.
    let mut compatible = false;
    let mut after_compatible = false;
    let mut like = false;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if is_separator(byte) {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if !matches!(byte, b' ' | b'\t') {
                first = true;
                after_compatible = compatible && matches!(byte, b';' | b',');
                compatible = false;
                like = false;
            }
            at += 1;
            continue;
        }
        let end = at + bytes[at..].iter().position(|&b| is_separator(b)).unwrap_or(bytes.len() - at);
        let token_end = at + bytes[at..end].iter().position(|&b| !is_token_byte(b)).unwrap_or(end - at);
        words.push(Word {
            start: at,
            token_end,
            end,
            in_comment: depth > 0,
            first,
            after_compatible: first && after_compatible,
            after_like: like,
        });
        let word = &bytes[at..end];
        compatible = first && word.eq_ignore_ascii_case(b"compatible");
        like = word.eq_ignore_ascii_case(b"like");
        first = false;
        at = end;
    }
    words
}

/// Returns the longest token of the table that the words start with, and its number of words.
fn known<'a>(header: &'a str, words: &[Word], table: &Crawlers) -> Option<(&'a str, usize)> {
    let first = words.first()?;
    // The words of a token are separated by single spaces, and only the last one can have a version.
    let joined = words.windows(2).take_while(|pair| {
        pair[0].token_end == pair[0].end && pair[1].start == pair[0].end + 1 && header.as_bytes()[pair[0].end] == b' '
    });
    let most = 1 + joined.take(MAX_WORDS - 1).count();
    (1..=most).rev().find_map(|len| {
        let last = &words[len - 1];
        last.token(header)?;
        let token = &header[first.start..last.token_end];
        table.find(token).is_some().then_some((token, len))
    })
}

fn is_browser_word(token: &str) -> bool {
    let tail = token.len().checked_sub("browser".len()).and_then(|at| token.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case("browser"))
        || BROWSER_WORDS.iter().any(|name| name.eq_ignore_ascii_case(token))
}

/// Returns true if a token is actually a host, as in `www.example.com/bot`: it contains a dot, and no version follows.
fn is_host(token: &str, word: &Word, header: &str) -> bool {
    token.contains('.') && !(word.versioned(header) && is_version(&header.as_bytes()[word.token_end + 1..]))
}

/// Returns true if a product token contains `bot`, `spider` or `crawl`, as names of crawlers do, and more than such a word.
///
/// ```
/// use comity::user_agent::is_named_like_a_crawler;
///
/// assert!(is_named_like_a_crawler("AcmeBot"));
/// assert!(!is_named_like_a_crawler("curl") && !is_named_like_a_crawler("bot"));
/// ```
pub fn is_named_like_a_crawler(token: &str) -> bool {
    let contains = |part: &str| token.as_bytes().windows(part.len()).any(|w| w.eq_ignore_ascii_case(part.as_bytes()));
    (contains("bot") || contains("spider") || contains("crawl"))
        // A brand of phones.
        && !contains("cubot")
        && !GENERIC.iter().any(|name| name.eq_ignore_ascii_case(token))
}

/// Returns true if the text after a product and a slash is a version, such as `2` or `v2`.
fn is_version(bytes: &[u8]) -> bool {
    match bytes {
        [b'v' | b'V', digit, ..] | [digit, ..] => digit.is_ascii_digit(),
        [] => false,
    }
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_control() || matches!(byte, b' ' | b';' | b',' | b'(' | b')' | b'[' | b']' | b'"' | b'\\')
}

/// Returns the longest prefix of at most `max` bytes that ends at a character boundary.
fn prefix(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;
    use core::fmt::Write as _;

    fn found_in(header: &str) -> Vec<&str> {
        candidates(header, &Crawlers::builtin())
    }

    #[test]
    fn crawlers_of_the_table() {
        for (header, expected) in [
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; \
                 +http://www.google.com/bot.html) Chrome/W.X.Y.Z Safari/537.36",
                "Googlebot",
            ),
            (
                "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "Googlebot",
            ),
            ("Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot"),
            ("Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)", "PetalBot"),
            (
                "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
                "archive.org_bot",
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36", "Storebot-Google"),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot",
                "GPTBot",
            ),
            ("Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (compatible; Bytespider; a@b.com)", "Bytespider"),
            ("CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"),
            ("AdsBot-Google (+http://www.google.com/adsbot.html)", "AdsBot-Google"),
            ("facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "facebookexternalhit"),
            ("Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)", "Sogou web spider"),
            ("Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/49.0 Safari/537.36 Google Favicon", "Google Favicon"),
            ("googlebot", "googlebot"),
        ] {
            assert_eq!(found_in(header), [expected], "{header}");
        }
    }

    #[test]
    fn every_row_is_found_in_a_header() {
        for profile in &Crawlers::builtin() {
            let token = profile.token.as_ref();
            let url = "+http://x.example/bot.html";
            assert_eq!(found_in(&format!("{token}/1.0 ({url})")), [token]);
            assert_eq!(found_in(&format!("Mozilla/5.0 (compatible; {token}/1.0; {url})")), [token]);
            assert_eq!(found_in(token), [token]);
            assert!(!is_header(token, &Crawlers::builtin()));
            assert!(is_header(&format!("{token}/1.0"), &Crawlers::builtin()));
            assert!(!is_browser_word(token), "{token}");
        }
    }

    #[test]
    fn strangers() {
        for (header, expected) in [
            ("AcmeBot/1.0 (+https://acme.example/bot)", &["AcmeBot"][..]),
            ("Mozilla/5.0 (compatible; AcmeSpider; +https://acme.example)", &["AcmeSpider"]),
            ("Mozilla/5.0 (compatible; Acme/2; mail@acme.example)", &["Acme"]),
            ("Mozilla/5.0 (compatible; Acme; mail@acme.example)", &["Acme"]),
            ("Mozilla/5.0 (compatible; Acme)", &[]),
            ("TelegramBot (like TwitterBot)", &["TelegramBot"]),
            ("curl/8.7.1", &["curl"]),
            ("python-requests/2.32 acme-crawler/1 GPTBot/1", &["GPTBot", "acme-crawler", "python-requests"]),
            ("Foo Bar", &["Foo"]),
            ("AcmeBot AcmeBot/2 ACMEBOT (acmebot)", &["AcmeBot"]),
            ("crawler/1.0", &["crawler"]),
        ] {
            assert_eq!(found_in(header), expected, "{header}");
        }
    }

    #[test]
    fn browsers_and_nothing() {
        for header in [
            "",
            "  ",
            "-",
            "Mozilla/5.0",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 \
             Safari/537.36 Edg/125.0.0.0",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
             Version/17.5 Mobile/15E148 Safari/604.1",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:126.0) Gecko/20100101 Firefox/126.0",
            "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; .NET4.0C; rv:11.0) like Gecko",
            "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 5.1; InfoPath.2; .NET CLR 2.0.50727)",
            "Mozilla/5.0 (Linux; Android 10; CUBOT X30 Build/QP1A) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/125.0.0.0 Mobile Safari/537.36",
            "Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 \
             Chrome/121.0.0.0 Mobile Safari/537.36",
            "Opera/9.80 (X11; Linux i686; Ubuntu/14.10) Presto/2.12.388 Version/12.16",
            "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBDV/iPhone11,8;FBSV/13.3.1]",
        ] {
            assert!(found_in(header).is_empty(), "{header}: {:?}", found_in(header));
        }
    }

    #[test]
    fn any_text_is_some_header() {
        assert_eq!(found_in("AcmeBot/1.0 (((((+http://acme.example"), ["AcmeBot"]);
        assert_eq!(found_in(")))) AcmeBot/1.0"), ["AcmeBot"]);
        assert!(found_in("Böt/1.0 ☃/2 /3 ; , ( \\ \"").iter().all(|t| t.is_ascii()));
        let deep = "(".repeat(1 << 20);
        assert!(found_in(&deep).is_empty());
        // Cut in the middle of a character.
        for pad in 0..4 {
            let long: String = "x".repeat(pad) + &"\u{1F980}".repeat(1 << 16);
            assert!(found_in(&long).is_empty());
        }
        let mut many = String::new();
        for i in 0..100_000 {
            write!(many, "bot{i}/1 ").unwrap();
        }
        assert_eq!(found_in(&many).len(), MAX_CANDIDATES);
    }

    #[test]
    fn headers_and_tokens() {
        for header in ["mozilla/5.0", "MJ12bot/v1.4", "a (b", "Foo/2", "AcmeBot (b)"] {
            assert!(is_header(header, &Crawlers::builtin()), "{header}");
        }
        for token in [
            "",
            "Mozilla",
            "Foo",
            "Foo Bar",
            "Foo/bar",
            "Foo/",
            "MozillaBot",
            " sogou web spider ",
            "archive.org_bot",
            "*",
        ] {
            assert!(!is_header(token, &Crawlers::builtin()), "{token}");
        }
    }
}

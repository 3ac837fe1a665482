//! Dialects: the differences between robots.txt parsers, as fields of one struct.
//!
//! Every difference is a field of [`Dialect`]: the engine reads these fields and never asks *which* dialect it is. For
//! a dialect of your own, copy one and change a field:
//!
//! ```
//! use comity::{Crawler, Dialect, Robots};
//!
//! let mut exact = Dialect::STANDARD;
//! exact.missing_colon = false;
//! let robots = Robots::parse_with(b"User-agent: *\nDisallow /private\n", &exact);
//! assert!(robots.check(&Crawler::ANY, "/private").is_allowed());
//! ```
//!
//! | choice | `STANDARD` | `GOOGLE_PARSER` | `BING` | `YANDEX` | `NOROBOTS_1996` |
//! |---|---|---|---|---|---|
//! | [`field_names`](Dialect::field_names) | exact, and common typos | prefix, and common typos | as `STANDARD` | as `STANDARD` | exact |
//! | [`missing_colon`](Dialect::missing_colon) | two words are enough | same | same | same | no |
//! | [`product_token`](Dialect::product_token) | `[A-Za-z0-9_.-]`, whole | `[A-Za-z_-]`, whole | as `STANDARD` | as `STANDARD` | asked token contains it |
//! | [`fallback_token`](Dialect::fallback_token) | – | – | – | `Yandex` | – |
//! | [`star_with_text`](Dialect::star_with_text) | `* text` is `*` | same | same | same | only `*` is |
//! | [`merge_groups`](Dialect::merge_groups) | yes | yes | yes | yes | the first record only |
//! | [`blank_line_ends_group`](Dialect::blank_line_ends_group) | no | no | no | yes | yes |
//! | [`wildcards`](Dialect::wildcards) | `*` and final `$` | same | same | same | plain prefixes |
//! | [`escapes`](Dialect::escapes) | both sides, as RFC 9309 | pattern only; `GOOGLE`: and bytes of URLs outside ASCII | as `STANDARD` | as `STANDARD` | both sides decoded |
//! | [`precedence`](Dialect::precedence) | longest | longest | longest | longest | first match |
//! | [`robots_txt_allowed`](Dialect::robots_txt_allowed) | yes | no | yes | yes | yes |
//! | [`allow_index_allows_directory`](Dialect::allow_index_allows_directory) | no | yes | no | no | no |
//! | [`url_path`](Dialect::url_path) | path and query | as the reference | as `STANDARD` | as `STANDARD` | path alone |
//! | [`byte_order_mark`](Dialect::byte_order_mark) | UTF-8 whole, UTF-16 decoded | any prefix of UTF-8's | as `STANDARD` | as `STANDARD` | as `STANDARD` |
//! | [`cut_allow_ignored`](Dialect::cut_allow_ignored) | yes | no | yes | yes | yes |
//! | [`max_rule_len`](Dialect::max_rule_len), [`max_rules`](Dialect::max_rules) | – | – | – | 1,024 bytes, 2,048 rules | – |
//! | [`size_limit`](Dialect::size_limit) | 512,000 bytes, of whole lines | none; `GOOGLE`: 512,000 bytes, and the cut last line acts | as `STANDARD` | over 512,000: no file | as `STANDARD` |
//! | [`crawl_delay`](Dialect::crawl_delay) | of the selected group | ignored | inherited from `*` | ignored | of the selected record |
//!
//! In all dialects, a NUL ends the content of its line; spaces, tabs, VT and FF are trimmed; other records never end a
//! group (RFC 9309 §2.2.4); a group without rules is a group and allows everything; a pattern that starts with neither
//! `/` nor `*` never matches; and among rules of equal length, `Allow` wins (§2.2.2).
//!
//! `GOOGLE_PARSER` reproduces Google's open-source parser, including the line numbers: it accepts any string as a URL
//! and has no size limit. `GOOGLE` is Googlebot as documented by Google: `GOOGLE_PARSER` except for the two fields in
//! the table. `BING` and `YANDEX` follow the documentation of those companies; where it says nothing they equal
//! `STANDARD`, which is an assumption. `NOROBOTS_1996` is the draft of December 1996 as implemented by parsers of that
//! time.
//!
//! URLs are checked in the form in which a client sends them, as far as their paths differ: see [URLs](crate#urls).
//! `GOOGLE_PARSER` is the exception: it accepts any string unchanged.

use core::fmt;
use core::str::FromStr;

use crate::name::UnknownName;

/// A set of options for parsing a robots.txt and matching URLs. See the [table of the module](self).
///
/// Dialects are compared by value, with their names: give a dialect of your own another [`name`](Self::name).
///
/// With the feature `serde`, a dialect is serialized as its name, and the names of [`ALL`](Self::ALL) are deserialized.
/// A dialect that differs from the one of [`ALL`](Self::ALL) with its name is not serialized, since another dialect would
/// be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Dialect {
    /// The name, as in `--dialect`. Documents name the dialect by it.
    pub name: &'static str,
    /// The spellings of field names that are recognized.
    pub field_names: FieldNames,
    /// True if two words without a colon, such as `Disallow /x`, are a record.
    pub missing_colon: bool,
    /// The part of the value of a user-agent line that names a crawler.
    pub product_token: ProductToken,
    /// A token that every literal token falls back to before `*`.
    pub fallback_token: Option<&'static str>,
    /// True if `*` followed by white space and more text means `*`.
    pub star_with_text: bool,
    /// True if all groups that name a crawler are merged (RFC 9309 §2.2.1), false if only the first one applies.
    pub merge_groups: bool,
    /// True if a blank line ends a group.
    pub blank_line_ends_group: bool,
    /// True if `*` and a final `$` are operators (RFC 9309 §2.2.3).
    pub wildcards: bool,
    /// The normal form of percent-encoding, in which patterns and URLs are compared (RFC 9309 §2.2.2).
    pub escapes: Escapes,
    /// The rule that decides if several match.
    pub precedence: Precedence,
    /// True if `/robots.txt` itself is always allowed (RFC 9309 §2.2.2).
    pub robots_txt_allowed: bool,
    /// True if an `Allow` of `…/index.htm…` also allows the directory `…/`.
    pub allow_index_allows_directory: bool,
    /// The part of a URL that is matched.
    pub url_path: UrlPath,
    /// The treatment of a byte order mark at the start of the file.
    pub byte_order_mark: ByteOrderMark,
    /// True if an `Allow` with a value that was cut at the line limit is ignored. Otherwise it would allow more than
    /// written.
    pub cut_allow_ignored: bool,
    /// The maximum length of the value of a rule in bytes. Longer rules are dropped.
    pub max_rule_len: Option<u32>,
    /// The maximum number of rules in a file. Later rules are dropped.
    pub max_rules: Option<u32>,
    /// The treatment of files larger than [`SIZE_LIMIT`] bytes.
    pub size_limit: SizeLimit,
    /// The groups that the crawl-delay is taken from.
    pub crawl_delay: CrawlDelayFrom,
}

/// The number of bytes that a parser must be able to read (RFC 9309 §2.5: 500 kibibytes). This parser reads no more
/// than that if the dialect has a limit.
pub const SIZE_LIMIT: usize = 512_000;

/// The number of bytes of a body to read or fetch: [`SIZE_LIMIT`] and one line end, which tells whether the last line
/// was cut. A line end has two bytes in UTF-16.
pub const READ_LIMIT: usize = SIZE_LIMIT + 2;

/// The maximum length of a line in bytes. The rest of a longer line is dropped. Google's parser keeps eight times the
/// 2,083 characters that browsers once allowed in a URL, less one.
pub const LINE_LIMIT: usize = 2_083 * 8 - 1;

impl Dialect {
    /// RFC 9309, with the tolerance that real files need. The default.
    pub const STANDARD: Self = Self {
        name: "standard",
        field_names: FieldNames::ExactOrTypo,
        missing_colon: true,
        product_token: ProductToken::Wide,
        fallback_token: None,
        star_with_text: true,
        merge_groups: true,
        blank_line_ends_group: false,
        wildcards: true,
        escapes: Escapes::Normalized,
        precedence: Precedence::Longest,
        robots_txt_allowed: true,
        allow_index_allows_directory: false,
        url_path: UrlPath::PathAndQuery,
        byte_order_mark: ByteOrderMark::Unicode,
        cut_allow_ignored: true,
        max_rule_len: None,
        max_rules: None,
        size_limit: SizeLimit::Cut,
        crawl_delay: CrawlDelayFrom::Selected,
    };

    /// Google's open-source parser, including its line numbers. It accepts any string as a URL and has no size limit.
    pub const GOOGLE_PARSER: Self = Self {
        name: "google-parser",
        field_names: FieldNames::Prefix,
        product_token: ProductToken::Letters,
        escapes: Escapes::PatternOnly,
        robots_txt_allowed: false,
        allow_index_allows_directory: true,
        url_path: UrlPath::Reference,
        byte_order_mark: ByteOrderMark::Utf8Prefix,
        cut_allow_ignored: false,
        size_limit: SizeLimit::None,
        crawl_delay: CrawlDelayFrom::Nowhere,
        ..Self::STANDARD
    };

    /// Googlebot, as documented: [`GOOGLE_PARSER`](Self::GOOGLE_PARSER) with Google's size limit, for URLs in the form
    /// that a browser sends.
    pub const GOOGLE: Self = Self {
        name: "google",
        escapes: Escapes::PatternAndNonAscii,
        size_limit: SizeLimit::CutMidLine,
        ..Self::GOOGLE_PARSER
    };

    /// Bing, as documented: the crawl-delay of `*` applies even if a group names the crawler.
    pub const BING: Self = Self { name: "bing", crawl_delay: CrawlDelayFrom::SelectedThenStar, ..Self::STANDARD };

    /// Yandex, as documented.
    pub const YANDEX: Self = Self {
        name: "yandex",
        fallback_token: Some("Yandex"),
        blank_line_ends_group: true,
        max_rule_len: Some(1_024),
        max_rules: Some(2_048),
        size_limit: SizeLimit::NoFile,
        crawl_delay: CrawlDelayFrom::Nowhere,
        ..Self::STANDARD
    };

    /// The Internet-Draft of December 1996 (draft-koster-robots-00), as implemented by parsers of that time.
    pub const NOROBOTS_1996: Self = Self {
        name: "norobots-1996",
        field_names: FieldNames::Exact,
        missing_colon: false,
        product_token: ProductToken::Contained,
        star_with_text: false,
        merge_groups: false,
        blank_line_ends_group: true,
        wildcards: false,
        escapes: Escapes::Decoded,
        precedence: Precedence::FirstMatch,
        url_path: UrlPath::PathOnly,
        ..Self::STANDARD
    };

    /// All named dialects, starting with the default.
    pub const ALL: &'static [Self] =
        &[Self::STANDARD, Self::GOOGLE, Self::GOOGLE_PARSER, Self::BING, Self::YANDEX, Self::NOROBOTS_1996];

    /// Returns the dialect with this name, ignoring ASCII case. [`FromStr`] does the same with an error that lists the
    /// names.
    ///
    /// ```
    /// assert_eq!(comity::Dialect::named("google"), Some(comity::Dialect::GOOGLE));
    /// assert_eq!(comity::Dialect::named("altavista"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|dialect| dialect.name.eq_ignore_ascii_case(name))
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl FromStr for Dialect {
    type Err = UnknownName;

    /// Parses a name, like [`named`](Self::named).
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let names = || Self::ALL.iter().map(|dialect| dialect.name);
        Self::named(name).ok_or_else(|| UnknownName::new("a dialect", names(), name))
    }
}

impl fmt::Display for Dialect {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Dialect {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Self::named(self.name) {
            Some(named) if named != *self => {
                let name = self.name;
                Err(serde::ser::Error::custom(format_args!(
                    "expected a name of its own for a changed dialect, found `{name}`"
                )))
            }
            _ => serializer.serialize_str(self.name),
        }
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Dialect {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        alloc::string::String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The spellings of field names that are recognized. Case is always ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldNames {
    /// The exact names.
    Exact,
    /// The names, and common misspellings: `useragent`, `user agent`, `dissallow`, `dissalow`, `disalow`, `diasllow`,
    /// `disallaw`, `site-map`.
    ExactOrTypo,
    /// Any name that starts with one of these names or misspellings: `Disallowed`, `allow-all`, `sitemap_index`.
    Prefix,
}

/// The part of the value of a user-agent line that names a crawler. ASCII case is always ignored (RFC 9309 §2.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProductToken {
    /// The leading letters, digits, `_`, `.` and `-`, without trailing dots, compared as a whole: `Googlebot/2.1` names
    /// Googlebot, and `MJ12bot` names itself and not MJ. A value that equals the crawler's token as a whole also
    /// matches, so that `Sogou web spider` can be used as a token.
    Wide,
    /// The leading letters, `_` and `-` (the grammar of RFC 9309), compared as a whole: `MJ12bot` names MJ.
    Letters,
    /// The value up to a `/`. It names every crawler with a token that contains it.
    Contained,
}

/// The normal form of percent-encoding, in which patterns and URLs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Escapes {
    /// In patterns and URLs, escapes of unreserved bytes are decoded, other escapes get upper-case digits, and bytes
    /// outside ASCII are escaped. A `*` or `$` in a URL, and a `$` inside a pattern, is escaped, so that all unescaped
    /// ones are operators (RFC 9309 §2.2.2 and §2.2.3).
    Normalized,
    /// In patterns, escapes get upper-case digits and bytes outside ASCII are escaped. URLs are not changed, and any
    /// string is one: `/a/../b` stays as it is. With the other forms, URLs are checked as a client sends them.
    PatternOnly,
    /// Patterns are changed as in [`PatternOnly`](Self::PatternOnly). In URLs, bytes outside ASCII are escaped, and
    /// escapes are not changed.
    PatternAndNonAscii,
    /// In patterns and URLs, every escape except `%2F` is decoded. Only for dialects without wildcards, since a decoded
    /// `*` or `$` in a pattern would become an operator.
    Decoded,
}

/// The rule that decides if several match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precedence {
    /// The rule with the longest pattern in bytes, including operators; among equals, `Allow`.
    Longest,
    /// The first matching rule in the file.
    FirstMatch,
}

/// The part of a URL that is matched. The fragment never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UrlPath {
    /// The path and the query.
    PathAndQuery,
    /// The part of any string that Google's parser matches: the text from the first `/`, `?` or `;` after the
    /// authority.
    Reference,
    /// The path without the query.
    PathOnly,
}

/// The treatment of a byte order mark at the start of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ByteOrderMark {
    /// A complete UTF-8 mark is dropped. A file that starts with a UTF-16 mark is decoded from UTF-16.
    Unicode,
    /// A UTF-8 mark is dropped, even if incomplete. UTF-16 is not decoded.
    Utf8Prefix,
}

/// The treatment of files larger than [`SIZE_LIMIT`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SizeLimit {
    /// The whole file is read.
    None,
    /// The first [`SIZE_LIMIT`] bytes are read. If this cuts the last line, the line is dropped, since a cut `Allow`
    /// would allow more than written.
    Cut,
    /// The first [`SIZE_LIMIT`] bytes are read. If this cuts the last line, the rest of it takes effect.
    CutMidLine,
    /// The file is ignored, as if there were none.
    NoFile,
}

/// The groups that a crawler's crawl-delay is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CrawlDelayFrom {
    /// The groups that are selected for the crawler.
    Selected,
    /// The selected groups or, if they have no crawl-delay, the groups for `*`.
    SelectedThenStar,
    /// None: crawl-delays are ignored. The records are still reported.
    Nowhere,
}

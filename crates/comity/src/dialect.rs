//! What the engines of this world do differently, as one struct of choices.
//!
//! Every difference is a field here and nowhere else: the steps of the engine ask the dialect, they never ask
//! *which* dialect it is. For a dialect of your own, copy one and change a field:
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
//! | [`escapes`](Dialect::escapes) | both sides, as RFC 9309 | pattern only; `GOOGLE`: and octets of URLs outside ASCII | as `STANDARD` | as `STANDARD` | both sides decoded |
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
//! The same in all of them: a NUL ends the content of its line; spaces, tabs, VT and FF are trimmed; other records
//! never end a group (RFC 9309 §2.2.4); a group without rules is a group and allows everything; a pattern that
//! starts neither with `/` nor with `*` never matches; equal rules of both kinds allow (§2.2.2).
//!
//! `GOOGLE_PARSER` reproduces Google's open-source parser to the line number: it takes any string as a URL and has no
//! size limit. `GOOGLE` is Googlebot as Google documents it: `GOOGLE_PARSER` but for the two choices that the table
//! names. `BING` and `YANDEX` follow those companies' documentation; where it is silent they are `STANDARD`, which is an
//! assumption. `NOROBOTS_1996` is the draft of December 1996 as the parsers of its time read it.
//!
//! The engine parses no URLs: callers hand in what a browser would send, which a WHATWG URL parser makes of what a
//! person typed. `GOOGLE_PARSER` is the exception: it is asked about any string as it is.

#[cfg(feature = "serde")]
mod fields;

use core::fmt;
use core::str::FromStr;

use crate::name::UnknownName;

/// A set of choices that say how a robots.txt file is read and a URL is matched. See the [module's table](self).
///
/// With the feature `serde` it is written as its name; one of your own, as a table of what differs from the standard
/// dialect. Such a table can also be read, with any named dialect as `base`. It has the names of the fields here and the
/// names of their values in kebab case, and refuses unknown fields. A limit or a token may be `none`; a `fallback_token`
/// is that of a named dialect. The dialect is then called `custom`.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// # use comity::Dialect;
/// # use comity::dialect::SizeLimit;
/// let mine: Dialect = serde_json::from_str(r#"{ "base": "google", "size_limit": "no-file", "max_rules": 500 }"#).unwrap();
/// assert_eq!((mine.name, mine.size_limit, mine.max_rules), ("custom", SizeLimit::NoFile, Some(500)));
/// assert_eq!(mine.escapes, Dialect::GOOGLE.escapes);
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Dialect {
    /// The name, as `--dialect` takes it.
    pub name: &'static str,
    /// Which spellings of a field name count.
    pub field_names: FieldNames,
    /// Whether `Disallow /x`, two words without a colon, is a record.
    pub missing_colon: bool,
    /// How the value of a user-agent line names a crawler.
    pub product_token: ProductToken,
    /// A token that every literal token falls back to before `*`.
    pub fallback_token: Option<&'static str>,
    /// Whether `*` followed by white space and more text is still `*`.
    pub star_with_text: bool,
    /// Whether all groups that name a crawler are combined (RFC 9309 §2.2.1), or only the first one counts.
    pub merge_groups: bool,
    /// Whether a blank line ends a group.
    pub blank_line_ends_group: bool,
    /// Whether `*` and a final `$` are operators (RFC 9309 §2.2.3).
    pub wildcards: bool,
    /// How percent-encoding is made comparable (RFC 9309 §2.2.2).
    pub escapes: Escapes,
    /// Which of several matching rules decides.
    pub precedence: Precedence,
    /// Whether `/robots.txt` itself is always allowed (RFC 9309 §2.2.2).
    pub robots_txt_allowed: bool,
    /// Whether an `Allow` of `…/index.htm…` allows the directory `…/` too.
    pub allow_index_allows_directory: bool,
    /// Which part of a URL is matched.
    pub url_path: UrlPath,
    /// What a byte order mark at the start means.
    pub byte_order_mark: ByteOrderMark,
    /// Whether an `Allow` whose value was cut at the line limit is ignored: cut, it would allow more than was said.
    pub cut_allow_ignored: bool,
    /// The most bytes that a rule's value may have; longer rules are dropped.
    pub max_rule_len: Option<u32>,
    /// The most rules that a file may have; later ones are dropped.
    pub max_rules: Option<u32>,
    /// What happens to a file of more than [`SIZE_LIMIT`] bytes.
    pub size_limit: SizeLimit,
    /// Whose crawl-delay counts.
    pub crawl_delay: CrawlDelayFrom,
}

/// The number of bytes that a parser must read at least (RFC 9309 §2.5: 500 kibibytes), and that ours reads at most
/// where the dialect has a limit.
pub const SIZE_LIMIT: usize = 512_000;

/// The number of bytes of a body that whoever reads or fetches one should keep: [`SIZE_LIMIT`], and a line end more, which
/// tells whether the last line was cut. In UTF-16 it has two bytes.
pub const READ_LIMIT: usize = SIZE_LIMIT + 2;

/// The bytes of a line that count; the rest, up to the end of the line, is dropped. Google's parser keeps eight
/// times the 2,083 characters that browsers once allowed in a URL, less one.
pub const LINE_LIMIT: usize = 2_083 * 8 - 1;

impl Dialect {
    /// RFC 9309 and the tolerances that real files need. The default.
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

    /// Google's open-source parser, to the line number: any string as a URL, no size limit.
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

    /// Googlebot, as documented: [`GOOGLE_PARSER`](Self::GOOGLE_PARSER) with Google's size limit, for URLs as a browser
    /// sends them.
    pub const GOOGLE: Self = Self {
        name: "google",
        escapes: Escapes::PatternAndNonAscii,
        size_limit: SizeLimit::CutMidLine,
        ..Self::GOOGLE_PARSER
    };

    /// Bing, as documented: a group of its own does not hide the crawl-delay of `*`.
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

    /// The Internet-Draft of December 1996 (draft-koster-robots-00), as the parsers of its time read it.
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

    /// All named dialects, the default first.
    pub const ALL: &'static [Self] =
        &[Self::STANDARD, Self::GOOGLE, Self::GOOGLE_PARSER, Self::BING, Self::YANDEX, Self::NOROBOTS_1996];

    /// Returns the dialect of this name, ASCII case folded. [`FromStr`] does the same with an error that says which names
    /// there are.
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

    /// Parses a name, as [`named`](Self::named).
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

/// Which spellings of a field name count. Upper and lower case never differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum FieldNames {
    /// The names themselves.
    Exact,
    /// The names, and the misspellings that are common enough to be understood: `useragent`, `user agent`,
    /// `dissallow`, `dissalow`, `disalow`, `diasllow`, `disallaw`, `site-map`.
    ExactOrTypo,
    /// Whatever starts with one of these names or misspellings: `Disallowed`, `allow-all`, `sitemap_index`.
    Prefix,
}

/// How the value of a user-agent line names a crawler. ASCII case never matters (RFC 9309 §2.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ProductToken {
    /// The leading run of letters, digits, `_`, `.` and `-`, without dots at its end, compared as a whole:
    /// `Googlebot/2.1` names Googlebot, `MJ12bot` names itself and not MJ. A value that equals the asked token as a
    /// whole matches too, so that `Sogou web spider` can be asked for.
    Wide,
    /// The leading run of letters, `_` and `-` (the grammar of RFC 9309), compared as a whole: `MJ12bot` names MJ.
    Letters,
    /// The value up to a `/`; it names every crawler whose token contains it.
    Contained,
}

/// How percent-encoding is made comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Escapes {
    /// On both sides, escapes of unreserved octets are decoded, other escapes get upper-case digits and octets
    /// outside ASCII are escaped. `*` and `$` in a URL, and a `$` inside a pattern, are escaped so that only
    /// operators are left bare (RFC 9309 §2.2.2 and §2.2.3).
    Normalized,
    /// In patterns, escapes get upper-case digits and octets outside ASCII are escaped. URLs are taken as they are, and
    /// callers do not parse them either: any string is a URL.
    PatternOnly,
    /// The same in patterns. In URLs, octets outside ASCII are escaped, and escapes are left as they are.
    PatternAndNonAscii,
    /// On both sides, every escape but `%2F` is decoded. It goes with dialects without wildcards: an escaped `*` or `$`
    /// in a pattern would become an operator.
    Decoded,
}

/// Which of several matching rules decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Precedence {
    /// The one with the most octets in its pattern, operators counted; between equals, `Allow`.
    Longest,
    /// The first one in the file.
    FirstMatch,
}

/// Which part of a URL is matched. The fragment never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum UrlPath {
    /// The path and the query as they stand.
    PathAndQuery,
    /// Whatever Google's parser finds in any string: the text from the first `/`, `?` or `;` behind the authority.
    Reference,
    /// The path without the query.
    PathOnly,
}

/// What a byte order mark at the start of a file means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ByteOrderMark {
    /// A whole UTF-8 mark is dropped; a file that starts with one of UTF-16's is decoded from UTF-16.
    Unicode,
    /// As much of a UTF-8 mark as is there is dropped, be it one byte. UTF-16 is just bytes.
    Utf8Prefix,
}

/// What happens to a file of more than [`SIZE_LIMIT`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum SizeLimit {
    /// All of it is read.
    None,
    /// The first [`SIZE_LIMIT`] bytes are read; a last line that is cut by this is dropped, for a cut `Allow` would
    /// allow more than was said.
    Cut,
    /// The first [`SIZE_LIMIT`] bytes are read, and what is left of a last line that is cut by this acts.
    CutMidLine,
    /// It counts as if there were no file.
    NoFile,
}

/// Whose crawl-delay counts for a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum CrawlDelayFrom {
    /// The one of the selected groups.
    Selected,
    /// The one of the selected groups; if they have none, the one of the `*` groups.
    SelectedThenStar,
    /// None: the crawler ignores it. The records are still reported.
    Nowhere,
}

crate::__names! {
    FieldNames is "a choice of field names" {
        Exact = "exact",
        ExactOrTypo = "exact-or-typo",
        Prefix = "prefix",
    }, Display
}

crate::__names! {
    ProductToken is "a kind of product token" {
        Wide = "wide",
        Letters = "letters",
        Contained = "contained",
    }, Display
}

crate::__names! {
    Escapes is "a way to compare escapes" {
        Normalized = "normalized",
        PatternOnly = "pattern-only",
        PatternAndNonAscii = "pattern-and-non-ascii",
        Decoded = "decoded",
    }, Display
}

crate::__names! {
    Precedence is "a precedence" {
        Longest = "longest",
        FirstMatch = "first-match",
    }, Display
}

crate::__names! {
    UrlPath is "a part of a URL" {
        PathAndQuery = "path-and-query",
        Reference = "reference",
        PathOnly = "path-only",
    }, Display
}

crate::__names! {
    ByteOrderMark is "a meaning of byte order marks" {
        Unicode = "unicode",
        Utf8Prefix = "utf8-prefix",
    }, Display
}

crate::__names! {
    SizeLimit is "a size limit" {
        None = "none",
        Cut = "cut",
        CutMidLine = "cut-mid-line",
        NoFile = "no-file",
    }, Display
}

crate::__names! {
    CrawlDelayFrom is "a source of crawl-delays" {
        Selected = "selected",
        SelectedThenStar = "selected-then-star",
        Nowhere = "nowhere",
    }, Display
}

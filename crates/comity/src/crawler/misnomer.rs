//! Names that people give to crawlers, and that no crawler has.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::crawler::crawlers::Crawlers;
use crate::crawler::profile::Governed;
use crate::escape::Escaped;

/// A name that is probably not the product token of a crawler: the name of a company or a product, a word for all
/// crawlers, or a name with white space in it. Returned by [`Crawlers::misnomer`].
///
/// No crawler obeys a group for such a name. So an answer for it would be the one for `*`, whatever the file says about
/// the crawlers that are meant.
///
/// ```
/// use comity::Crawlers;
///
/// let table = Crawlers::builtin();
/// let misnomer = table.misnomer("ChatGPT").unwrap();
/// assert_eq!(misnomer.meant(), ["GPTBot", "OAI-SearchBot", "ChatGPT-User"]);
/// assert_eq!(
///     misnomer.to_string(),
///     "ChatGPT is a product. Its crawlers are GPTBot, OAI-SearchBot and ChatGPT-User"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misnomer {
    name: String,
    kind: Kind,
    meant: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A company or an organization, with these words. It may have crawlers that are not `meant`.
    Operator(&'static str),
    Product,
    /// A product whose use of pages a token controls that makes no requests.
    Controlled,
    All,
    Spaced,
}

use Kind::{Controlled, Operator, Product};

const COMPANY: Kind = Operator("a company");

/// The name of a company or a product in lower case, without spaces, `-` and `_`, and the product tokens that users of
/// this name may mean.
type Row = (&'static str, Kind, &'static [&'static str]);

const NAMES: &[Row] = &[
    ("chatgpt", Product, &["GPTBot", "OAI-SearchBot", "ChatGPT-User"]),
    ("chatgptbot", Product, &["GPTBot", "OAI-SearchBot", "ChatGPT-User"]),
    ("gpt", Product, &["GPTBot", "OAI-SearchBot", "ChatGPT-User"]),
    ("openai", COMPANY, &["GPTBot", "OAI-SearchBot", "ChatGPT-User"]),
    ("claude", Product, &["ClaudeBot", "Claude-SearchBot", "Claude-User"]),
    ("anthropic", COMPANY, &["ClaudeBot", "Claude-SearchBot", "Claude-User"]),
    ("perplexity", COMPANY, &["PerplexityBot", "Perplexity-User"]),
    ("bard", Controlled, &["Google-Extended"]),
    ("gemini", Controlled, &["Google-Extended"]),
    ("googlegemini", Controlled, &["Google-Extended"]),
    ("googlebard", Controlled, &["Google-Extended"]),
    ("google", COMPANY, &["Googlebot"]),
    ("bing", Product, &["bingbot"]),
    ("yahoo", COMPANY, &["Slurp"]),
    ("baidu", COMPANY, &["Baiduspider"]),
    ("twitter", Product, &["Twitterbot"]),
    ("facebook", Product, &["facebookexternalhit", "meta-externalagent"]),
    ("meta", COMPANY, &["meta-externalagent", "facebookexternalhit"]),
    ("linkedin", COMPANY, &["LinkedInBot"]),
    ("duckduckgo", COMPANY, &["DuckDuckBot"]),
    ("apple", COMPANY, &["Applebot", "Applebot-Extended"]),
    ("amazon", COMPANY, &["Amazonbot"]),
    ("bytedance", COMPANY, &["Bytespider"]),
    ("tiktok", Product, &["Bytespider", "TikTokSpider"]),
    ("commoncrawl", Operator("an organization"), &["CCBot"]),
    ("ahrefs", COMPANY, &["AhrefsBot"]),
    ("semrush", COMPANY, &["SemrushBot"]),
    ("majestic", COMPANY, &["MJ12bot"]),
    ("seznam", COMPANY, &["SeznamBot"]),
];

/// Words that people write for every crawler, in lower case.
const ALL: &[&str] = &["all", "any", "everyone", "everybody"];

impl Misnomer {
    pub(super) fn of(name: &str, table: &Crawlers) -> Option<Self> {
        let name = name.trim();
        if table.find(name).is_some() {
            return None;
        }
        let found = |kind, meant: Vec<String>| Some(Self { name: name.to_owned(), kind, meant });
        if let Some((_, kind, tokens)) = NAMES.iter().find(|(known, ..)| is_spelling_of(known, name)) {
            return found(*kind, tokens.iter().map(ToString::to_string).collect());
        }
        if ALL.iter().any(|word| word.eq_ignore_ascii_case(name)) {
            return found(Kind::All, ["*".to_owned()].into());
        }
        if name.contains(char::is_whitespace) {
            return found(Kind::Spaced, joined(name, table).into_iter().collect());
        }
        None
    }

    /// Returns the product tokens that the name may mean, most likely first; `*` for a word such as `all`. Empty if
    /// none is known.
    pub fn meant(&self) -> &[String] {
        &self.meant
    }

    /// Returns true if the name has white space in it and is not known as the name of a company or a product.
    pub fn has_white_space(&self) -> bool {
        self.kind == Kind::Spaced
    }
}

impl fmt::Display for Misnomer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Escaped(self.name.as_bytes());
        let meant = Listed(&self.meant);
        let crawlers = |all: bool| match (self.meant.len(), all) {
            (1, true) => "Its crawler is",
            (_, true) => "Its crawlers are",
            (_, false) => "Its crawlers include",
        };
        match self.kind {
            Operator(what) => write!(f, "{name} is {what}. {} {meant}", crawlers(self.is_complete())),
            Product => write!(f, "{name} is a product. {} {meant}", crawlers(true)),
            Controlled => write!(f, "{name} is a product. Its name in robots.txt files is {meant}"),
            Kind::All => {
                write!(f, "`{name}` is no crawler. The name of every crawler without its own group is {meant}")
            }
            Kind::Spaced => {
                write!(f, "`{name}` is no product token: it has white space in it")?;
                if self.meant.is_empty() { Ok(()) } else { write!(f, ". It probably means {meant}") }
            }
        }
    }
}

impl Misnomer {
    /// Returns true if the built-in table has no other crawlers of the operator of the tokens.
    fn is_complete(&self) -> bool {
        let table = Crawlers::builtin();
        let Some(operator) = self.meant.first().and_then(|token| table.find(token)).map(|row| &row.operator) else {
            return false;
        };
        table
            .iter()
            .filter(|row| row.operator == *operator && !row.retired && row.governed != Governed::ControlToken)
            .all(|row| self.meant.iter().any(|token| row.token == token.as_str()))
    }
}

/// Product tokens in a sentence.
struct Listed<'a>(&'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, token) in self.0.iter().enumerate() {
            f.write_str(match nth {
                0 => "",
                _ if nth + 1 == self.0.len() => " and ",
                _ => ", ",
            })?;
            f.write_str(token)?;
        }
        Ok(())
    }
}

/// Returns true if a name is a known one, ignoring ASCII case, spaces, `-` and `_`.
fn is_spelling_of(known: &str, name: &str) -> bool {
    let letters = name.bytes().filter(|octet| !matches!(octet, b' ' | b'-' | b'_'));
    letters.map(|octet| octet.to_ascii_lowercase()).eq(known.bytes())
}

/// Returns the token of the table that a name with white space in it is without it, or with `-` or `_` instead.
pub(super) fn joined(name: &str, table: &Crawlers) -> Option<String> {
    /// The maximum length of a name in bytes. No token is as long.
    const MAX_BYTES: usize = 100;
    if name.len() > MAX_BYTES || !name.contains(char::is_whitespace) {
        return None;
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    ["-", "", "_"].iter().find_map(|between| table.find(&words.join(between)).map(|row| row.token.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_that_is_meant_is_known() {
        let table = Crawlers::builtin();
        for (name, kind, tokens) in NAMES {
            for token in *tokens {
                let row = table.find(token).unwrap_or_else(|| panic!("{token}"));
                assert_eq!(*kind == Controlled, row.governed == Governed::ControlToken && tokens.len() == 1, "{name}");
            }
            assert_eq!(table.misnomer(name).unwrap().meant(), *tokens);
        }
    }

    #[test]
    fn names_are_explained() {
        let table = Crawlers::builtin();
        for (name, sentence) in [
            ("chatGPT", "chatGPT is a product. Its crawlers are GPTBot, OAI-SearchBot and ChatGPT-User"),
            ("Chat GPT", "Chat GPT is a product. Its crawlers are GPTBot, OAI-SearchBot and ChatGPT-User"),
            ("Open-AI", "Open-AI is a company. Its crawlers include GPTBot, OAI-SearchBot and ChatGPT-User"),
            ("Google", "Google is a company. Its crawlers include Googlebot"),
            ("Perplexity", "Perplexity is a company. Its crawlers are PerplexityBot and Perplexity-User"),
            ("Bing", "Bing is a product. Its crawler is bingbot"),
            ("Gemini", "Gemini is a product. Its name in robots.txt files is Google-Extended"),
            ("Common Crawl", "Common Crawl is an organization. Its crawler is CCBot"),
            ("ALL", "`ALL` is no crawler. The name of every crawler without its own group is *"),
            (
                "Googlebot Image",
                "`Googlebot Image` is no product token: it has white space in it. It probably means Googlebot-Image",
            ),
            ("GPT\u{a0}Bot", "`GPT\u{a0}Bot` is no product token: it has white space in it. It probably means GPTBot"),
            ("my\tbot", "`my\\tbot` is no product token: it has white space in it"),
        ] {
            assert_eq!(table.misnomer(name).unwrap().to_string(), sentence);
        }
    }

    #[test]
    fn tokens_are_no_misnomers() {
        let mut table = Crawlers::builtin();
        let named =
            ["*", "GPTBot", "mybot", "Sogou web spider", " Sogou web spider ", "", "googl", "Googlebot-Extended"];
        for name in named.into_iter().chain(Crawlers::builtin().iter().map(|row| row.token.as_ref())) {
            assert_eq!(table.misnomer(name), None, "{name}");
        }
        // A row of the user's own table is a crawler.
        table.add(crate::Profile::new("Google", "Me", crate::Purpose::Other));
        assert_eq!(table.misnomer("google"), None);
    }
}

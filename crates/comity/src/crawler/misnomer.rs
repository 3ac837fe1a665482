//! Names that people give to crawlers, and that no crawler has.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::crawler::crawlers::Crawlers;
use crate::crawler::profile::{Governed, Profile};
use crate::escape::Escaped;

/// A name that is probably not the product token of a crawler: the name of a company or a product, a word for all
/// crawlers or for any, or a name with characters that no product token has. Returned by [`Crawlers::misnomer`].
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
    /// A name with this character in it, which no product token has.
    Has(char),
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
    ("copilot", Product, &["bingbot"]),
    ("siri", Product, &["Applebot"]),
    ("llama", Product, &["meta-externalagent"]),
    ("alexa", Product, &["Amazonbot"]),
    ("googlenews", Product, &["Googlebot-News"]),
    ("xai", COMPANY, &[]),
    ("grok", Product, &[]),
    ("kagi", COMPANY, &[]),
];

/// Words that people write for every crawler, in lower case.
const ALL: &[&str] = &["all", "any", "everyone", "everybody"];

/// Words for any crawler, in lower case. Files have groups for them, which may be meant for crawlers that look for a
/// part of their name.
const WORDS: &[&str] = &["ai", "bot", "bots", "crawler", "crawlers", "spider", "spiders", "robot", "robots", "none"];

impl Misnomer {
    pub(super) fn of(name: &str, table: &Crawlers) -> Option<Self> {
        Self::in_file(name, table).or_else(|| Self::typed(name.trim(), table))
    }

    /// Returns the misnomer if a group for the name in a robots.txt is a mistake, too. Names that only the operators of
    /// the table explain, words such as `bot`, and characters that end a product token in a file are left out: groups for
    /// those may bind crawlers that the table does not have.
    ///
    /// A file may name 100,000 crawlers, so this does not read the whole table for each.
    pub(super) fn in_file(name: &str, table: &Crawlers) -> Option<Self> {
        let name = name.trim();
        if matches!(name, "" | "*") || table.find(name).is_some() {
            return None;
        }
        let found = |kind, meant| Some(Self { name: name.to_owned(), kind, meant });
        if let Some((_, kind, tokens)) = NAMES.iter().find(|(known, ..)| is_spelling_of(known, name)) {
            return found(*kind, owned(tokens));
        }
        if is_one_of(ALL, name) {
            return found(Kind::All, owned(&["*"]));
        }
        found(Kind::Spaced, [joined(name, table)?].into())
    }

    /// Returns the misnomer of a name that somebody typed.
    fn typed(name: &str, table: &Crawlers) -> Option<Self> {
        if matches!(name, "" | "*") || table.find(name).is_some() {
            return None;
        }
        let found = |kind, meant| Some(Self { name: name.to_owned(), kind, meant });
        if is_one_of(WORDS, name) {
            return found(Kind::All, owned(&["*"]));
        }
        let stem = stem(name);
        if let Some((_, kind, tokens)) = NAMES.iter().find(|(known, ..)| is_spelling_of(known, stem)) {
            return found(*kind, owned(tokens));
        }
        let tokens = [name, stem].map(|name| tokens_of(name, table)).into_iter().find(|tokens| !tokens.is_empty());
        if let Some(tokens) = tokens {
            return found(Operator("an operator of crawlers"), tokens);
        }
        if name.contains(char::is_whitespace) {
            return found(Kind::Spaced, Vec::new());
        }
        let foreign = name.chars().find(|char| !is_of_token(*char))?;
        found(Kind::Has(foreign), without_foreign(name, table).into_iter().collect())
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
            Operator(what) if self.meant.is_empty() => write!(f, "{name} is {what}, and no crawler of it is known"),
            Product if self.meant.is_empty() => write!(f, "{name} is a product, and no crawler of it is known"),
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
            Kind::Has(foreign) => {
                write!(f, "`{name}` is no product token: it has ")?;
                // A character that looks like an ASCII letter, or that can't be seen, is only clear by its number.
                match foreign {
                    '!'..='~' => write!(f, "`{foreign}` in it")?,
                    _ => write!(f, "the character U+{:04X} in it", u32::from(foreign))?,
                }
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

fn owned(tokens: &[&str]) -> Vec<String> {
    tokens.iter().map(ToString::to_string).collect()
}

fn is_one_of(words: &[&str], name: &str) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(name))
}

/// Returns true if two names are the same, ignoring ASCII case, spaces, `-` and `_`.
fn is_spelling_of(known: &str, name: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = u8> {
        text.bytes().filter(|octet| !matches!(octet, b' ' | b'-' | b'_')).map(|octet| octet.to_ascii_lowercase())
    }
    letters(name).eq(letters(known))
}

/// Returns the name without `AI` or a version number at its end.
fn stem(name: &str) -> &str {
    let between = [' ', '-', '_'];
    let start = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let start = match start.char_indices().nth_back(1) {
        Some((at, _)) if start.len() == name.len() && start[at..].eq_ignore_ascii_case("ai") => &start[..at],
        _ => start,
    };
    start.trim_end_matches(between)
}

/// Returns the tokens of the first crawlers of an operator. Empty if the table has no operator of this name, or if
/// crawlers obey a group for it, as those of Yandex do.
fn tokens_of(name: &str, table: &Crawlers) -> Vec<String> {
    /// More tokens would hide the first, which are the most likely ones.
    const MAX_TOKENS: usize = 3;
    /// The operators of rows that do not know theirs, and of the letter that people write for any crawler.
    const NO_NAMES: &[&str] = &["unknown", "X"];
    let is_name = |text: &str| text.eq_ignore_ascii_case(name);
    let binds = |row: &Profile| {
        // A token of several words is read up to the first space.
        row.fallback.iter().any(|token| is_name(token)) || row.token.split(' ').next().is_some_and(is_name)
    };
    let is_of =
        |row: &&Profile| !row.retired && row.governed != Governed::ControlToken && is_spelling_of(&row.operator, name);
    if NO_NAMES.iter().any(|text| is_name(text)) || table.iter().any(binds) {
        return Vec::new();
    }
    table.iter().filter(is_of).take(MAX_TOKENS).map(|row| row.token.to_string()).collect()
}

/// Returns true for the characters of a product token.
fn is_of_token(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.')
}

/// Returns the token of the table that a name is without characters that no token has. Full-width letters are read as
/// ASCII.
fn without_foreign(name: &str, table: &Crawlers) -> Option<String> {
    const FULL_WIDTH: core::ops::RangeInclusive<u32> = 0xFF01..=0xFF5E;
    let ascii = |char: char| match u32::from(char) {
        code if FULL_WIDTH.contains(&code) => char::from_u32(code - 0xFF00 + 0x20).unwrap_or(char),
        _ => char,
    };
    let token: String = name.chars().map(ascii).filter(|char| is_of_token(*char)).collect();
    table.find(&token).map(|row| row.token.to_string())
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
            ("GPTBot;", "`GPTBot;` is no product token: it has `;` in it. It probably means GPTBot"),
            ("my-bot*", "`my-bot*` is no product token: it has `*` in it"),
            ("ChatGPT-4", "ChatGPT-4 is a product. Its crawlers are GPTBot, OAI-SearchBot and ChatGPT-User"),
            ("Grok", "Grok is a product, and no crawler of it is known"),
            ("Kagi", "Kagi is a company, and no crawler of it is known"),
            ("Huawei", "Huawei is an operator of crawlers. Its crawlers are PetalBot and PanguBot"),
            ("Brave", "Brave is an operator of crawlers. Its crawler is Bravebot"),
            ("bots", "`bots` is no crawler. The name of every crawler without its own group is *"),
        ] {
            assert_eq!(table.misnomer(name).unwrap().to_string(), sentence);
        }
    }

    #[test]
    fn operators_of_the_table_are_explained() {
        let table = Crawlers::builtin();
        for (name, first) in [
            ("DeepSeek", "DeepSeekBot"),
            ("Mistral", "MistralAI-User"),
            ("MistralAI", "MistralAI-User"),
            ("Mistral AI", "MistralAI-User"),
            ("Meta AI", "meta-externalagent"),
            ("Cohere", "cohere-training-data-crawler"),
            ("Microsoft", "bingbot"),
            ("Naver", "Yeti"),
            ("Copilot", "bingbot"),
            ("Siri", "Applebot"),
            ("Llama", "meta-externalagent"),
            ("Alexa", "Amazonbot"),
            ("GoogleNews", "Googlebot-News"),
            ("Google\u{200b}bot", "Googlebot"),
            ("ＧＰＴＢｏｔ", "GPTBot"),
        ] {
            assert_eq!(table.misnomer(name).unwrap().meant()[0], first, "{name}");
        }
        assert!(table.misnomer("GPTB\u{43e}t").unwrap().to_string().contains("U+043E"));
        // Groups for these may be meant for crawlers that are not in the table.
        for (name, expected) in [("ChatGPT", true), ("all", true), ("Google Extended", true), ("bot", false)]
            .into_iter()
            .chain([("Naver", false), ("GPTBot;", false), ("ChatGPT4", false)])
        {
            assert_eq!(table.misnomer_in_file(name).is_some(), expected, "{name}");
        }
    }

    #[test]
    fn tokens_are_no_misnomers() {
        let mut table = Crawlers::builtin();
        let named =
            ["*", "GPTBot", "mybot", "Sogou web spider", " Sogou web spider ", "", "googl", "Googlebot-Extended"];
        // Crawlers obey groups for some names of operators.
        let obeyed = ["Yandex", "Sogou", "Naverbot", "X", "unknown", "bot7", "7", "ai2bot"];
        for name in named.into_iter().chain(obeyed).chain(Crawlers::builtin().iter().map(|row| row.token.as_ref())) {
            assert_eq!(table.misnomer(name), None, "{name}");
        }
        // A row of the user's own table is a crawler.
        table.add(crate::Profile::new("Google", "Me", crate::Purpose::Other));
        assert_eq!(table.misnomer("google"), None);
    }
}

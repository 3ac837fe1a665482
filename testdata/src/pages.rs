//! Page rules, licenses and reservations of rights: the files of `page/`.
//!
//! ```toml
//! [[page]]
//! name = "negatives-add-up"                 # unique among the pages
//! clause = "H4"                             # the source of the answers; optional
//! why = "…"                                 # optional
//! headers = ["X-Robots-Tag: googlebot: nofollow"]
//! metas = [["robots", "noindex"]]           # names and contents; or `html`, which contains them
//! html = "<meta name=robots content=noindex>"
//! for = [
//!   { crawler = "Googlebot", is = "noindex, nofollow" },       # the rules that apply, as PageRules prints them
//!   { agent = "otherbot", is = "noindex", ignored = ["x: 1"] } # the rules without effect, as written
//! ]
//! ```
//!
//! With `robots`, the permissions of the page are checked, too: `fetch`, `index`, `follow`, `training`, `ai_input` and
//! `search` are each `yes`, `no`, `not stated` or `not known`, and `conflicts` is the number of conflicts. The path of
//! the page is `/page`.
//!
//! Statements that are not rules do not depend on the crawler. They are `licenses`, each with its part, line and URL,
//! and `tdm`, the reservation of rights of text and data mining:
//!
//! ```toml
//! licenses = ["header 1: /terms.xml, RSL"]
//! tdmrep = '[{"location": "/", "tdm-reservation": 1}]'   # the site's file, in JSON
//! tdm = "reserved, header 2; https://a.example/policy, HTML 1"   # or "not reserved, …", or "not stated"
//! ```

use serde::Deserialize;

use crate::Error;

/// The themes, each with the name of its file without `.toml`, and its text.
const THEMES: &[(&str, &str)] = &[
    ("answers", include_str!("../page/answers.toml")),
    ("combinations", include_str!("../page/combinations.toml")),
    ("grammar", include_str!("../page/grammar.toml")),
    ("licenses-and-mining", include_str!("../page/licenses-and-mining.toml")),
    ("robots-tag", include_str!("../page/robots-tag.toml")),
    ("rules", include_str!("../page/rules.toml")),
];

/// A page and its expected results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PageCase {
    /// The name, unique among the pages.
    pub name: String,
    /// The source of the answers, or empty.
    #[serde(default)]
    pub clause: String,
    /// The purpose of the case, or empty.
    #[serde(default)]
    pub why: String,
    /// Lines of the response's header.
    #[serde(default)]
    pub headers: Vec<String>,
    /// Meta tags, as names and contents.
    #[serde(default)]
    pub metas: Vec<(String, String)>,
    /// The HTML of the page.
    pub html: Option<String>,
    /// The robots.txt.
    pub robots: Option<String>,
    /// The site's `tdmrep.json`.
    pub tdmrep: Option<String>,
    /// The licenses that the page names. Not checked if absent.
    pub licenses: Option<Vec<String>>,
    /// The reservation of text and data mining, with its policy. Not checked if absent.
    pub tdm: Option<String>,
    /// The questions, each with a crawler and its answers.
    #[serde(rename = "for", default)]
    pub asks: Vec<PageAsk>,
}

/// A question: a crawler, and the answers for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PageAsk {
    /// The product token of the crawler, as a literal.
    pub agent: Option<String>,
    /// The name of the crawler in the table.
    pub crawler: Option<String>,
    /// The rules that apply.
    pub is: Option<String>,
    /// The rules without effect. Not checked if absent.
    pub ignored: Option<Vec<String>>,
    /// The answer for fetching the page.
    pub fetch: Option<String>,
    /// The answer for indexing it.
    pub index: Option<String>,
    /// The answer for following its links.
    pub follow: Option<String>,
    /// The answer for training models on it.
    pub training: Option<String>,
    /// The answer for using it as an input of a model.
    pub ai_input: Option<String>,
    /// The answer for showing it in search results.
    pub search: Option<String>,
    /// The number of conflicts.
    pub conflicts: Option<usize>,
}

/// Returns all pages, each with its theme.
///
/// # Panics
///
/// If an embedded theme can't be parsed, which the tests of this crate rule out.
pub fn pages() -> Vec<(&'static str, PageCase)> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Theme {
        page: Vec<PageCase>,
    }
    let read = |theme: &str, text: &str| -> Result<Theme, Error> {
        toml::from_str(text).map_err(|e| Error(format!("page/{theme}.toml: {e}")))
    };
    let themes = THEMES.iter().map(|(theme, text)| (*theme, read(theme, text).unwrap_or_else(|e| panic!("{e}"))));
    themes.flat_map(|(theme, pages)| pages.page.into_iter().map(move |page| (theme, page))).collect()
}

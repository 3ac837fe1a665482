//! What pages say of themselves: the files of `page/`.
//!
//! ```toml
//! [[page]]
//! name = "negatives-add-up"                 # unique
//! clause = "H4"                             # where the answers come from; optional
//! why = "…"                                 # optional
//! headers = ["X-Robots-Tag: googlebot: nofollow"]
//! metas = [["robots", "noindex"]]           # names and contents; or `html`, from which they are taken
//! html = "<meta name=robots content=noindex>"
//! for = [
//!   { crawler = "Googlebot", is = "noindex, nofollow" },       # what counts, as PageRules prints it
//!   { agent = "otherbot", is = "noindex", ignored = ["x: 1"] } # what has no effect, as it stands
//! ]
//! ```
//!
//! With `robots`, the page is also asked for as a whole: `fetch`, `index`, `follow`, `training`, `ai_input` and `search`
//! are each `yes`, `no`, `not stated` or `not known`, and `conflicts` is how many there are. The page is `/page`.
//!
//! What is no rule is asked of the page itself: `licenses`, each with its part, its line and its URL, and whether the
//! rights of text and data mining are reserved:
//!
//! ```toml
//! licenses = ["header 1: /terms.xml, RSL"]
//! tdmrep = '[{"location": "/", "tdm-reservation": 1}]'   # the site's file, in JSON
//! tdm = "reserved, header 2; https://a.example/policy, HTML 1"   # or "not reserved, …", or "not stated"
//! ```

use serde::Deserialize;

use crate::Error;

/// The themes: a file's name without `.toml`, and its text.
const THEMES: &[(&str, &str)] = &[
    ("answers", include_str!("../page/answers.toml")),
    ("combinations", include_str!("../page/combinations.toml")),
    ("grammar", include_str!("../page/grammar.toml")),
    ("licences-and-mining", include_str!("../page/licences-and-mining.toml")),
    ("robots-tag", include_str!("../page/robots-tag.toml")),
    ("rules", include_str!("../page/rules.toml")),
];

/// A page and what it comes to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PageCase {
    /// Its name, unique.
    pub name: String,
    /// Where the answers come from, or empty.
    #[serde(default)]
    pub clause: String,
    /// The point of it, or empty.
    #[serde(default)]
    pub why: String,
    /// Lines of the response's header.
    #[serde(default)]
    pub headers: Vec<String>,
    /// Meta tags: name and content.
    #[serde(default)]
    pub metas: Vec<(String, String)>,
    /// The page.
    pub html: Option<String>,
    /// The robots.txt.
    pub robots: Option<String>,
    /// The site's `tdmrep.json`.
    pub tdmrep: Option<String>,
    /// The licences that it names; not looked at if absent.
    pub licenses: Option<Vec<String>>,
    /// Whether text and data mining is reserved, and the policy; not looked at if absent.
    pub tdm: Option<String>,
    /// Who asks, and what they are told.
    #[serde(rename = "for", default)]
    pub asks: Vec<PageAsk>,
}

/// Who asks about a page, and what they are told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PageAsk {
    /// A literal product token.
    pub agent: Option<String>,
    /// A crawler of the table.
    pub crawler: Option<String>,
    /// The rules that count.
    pub is: Option<String>,
    /// What has no effect; not looked at if absent.
    pub ignored: Option<Vec<String>>,
    /// Whether it may be fetched.
    pub fetch: Option<String>,
    /// Whether it may be indexed.
    pub index: Option<String>,
    /// Whether its links may be followed.
    pub follow: Option<String>,
    /// Whether models may be trained on it.
    pub training: Option<String>,
    /// Whether it may be an input to a model.
    pub ai_input: Option<String>,
    /// Whether it may be searched.
    pub search: Option<String>,
    /// How many conflicts there are.
    pub conflicts: Option<usize>,
}

/// All pages, each with its theme.
///
/// # Panics
///
/// If an embedded theme can't be read, which the tests of this crate rule out.
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

//! The URLs to check: those given as arguments, and the site of those in lists.

use anyhow::{Result, anyhow, bail};
use comity::Origin;
use comity_report::{AskError, Question, Questions};

use crate::args::UrlLists;
use crate::input::file;
use crate::input::rows::Rows;

/// Returns the questions about one robots.txt that were given as arguments, and the site of the file. If nothing else
/// names it, the first URL of a list does. Returns `None` if the only lists could not be read, which was reported.
pub(crate) fn of_file(
    typed: &[String],
    lists: &UrlLists,
    rows: &mut Rows,
    origin: Option<&str>,
    raw: bool,
) -> Result<Option<Questions>> {
    let list = collect(typed, raw)?;
    if !list.is_empty() || lists.is_empty() {
        let mut questions = in_options(Questions::of_file(list, origin))?;
        if questions.site.is_none() {
            assume_site(&mut questions, rows);
        }
        return Ok(Some(questions));
    }
    let mut questions = in_options(Questions::without_urls(origin))?;
    assume_site(&mut questions, rows);
    if !rows.has_none_ahead() {
        return Ok(Some(questions));
    }
    if rows.lost.is_any() {
        return Ok(None);
    }
    bail!("expected URLs, found none in {}", lists.paths().map(|path| file::name(path)).collect::<Vec<_>>().join(", "))
}

/// Sets the site to that of the first URL of the lists, if it is not known.
fn assume_site(questions: &mut Questions, rows: &mut Rows) {
    let first = rows.first_site();
    if questions.site.is_none() && first.is_some() {
        (questions.site, questions.is_assumed) = (first, true);
    }
}

/// Returns questions about one robots.txt from the arguments alone.
pub(crate) fn typed(typed: &[String], origin: Option<&str>, raw: bool) -> Result<Questions> {
    in_options(Questions::of_file(collect(typed, raw)?, origin))
}

/// Returns the questions about live sites that were given as arguments: each URL is checked by the robots.txt of its own
/// site. Paths without a host belong to `origin`.
pub(crate) fn live(typed: &[String], lists: &UrlLists, origin: Option<&str>, raw: bool) -> Result<Questions> {
    let list = collect(typed, raw)?;
    let has_lists = list.is_empty() && !lists.is_empty();
    in_options(if has_lists { Questions::without_urls(origin) } else { Questions::live(list, origin) })
}

/// Returns the site of a URL, as `--origin` accepts it: any URL on the site.
pub(crate) fn site(typed: &str) -> Result<Origin> {
    in_options(comity_report::site_of(typed))
}

/// Returns a sentence that states the assumed site of a file, if the site was not given.
pub(crate) fn assumption(questions: &Questions, file: &str) -> Option<String> {
    let site = questions.site.as_ref().filter(|_| questions.is_assumed)?;
    Some(format!("Assumed: {file} is the robots.txt of {site}; if not, give --origin."))
}

fn in_options<T>(asked: Result<T, AskError>) -> Result<T> {
    asked.map_err(|error| anyhow!(error.in_options()))
}

fn collect(typed: &[String], raw: bool) -> Result<Vec<Question>> {
    let question = |url: &String| {
        let question = in_options(Question::new(url, raw));
        question.map_err(|error| file::hint_of_file(url).map_or(error, |hint| anyhow!(hint)))
    };
    typed.iter().map(question).collect()
}

//! Crawlers as arguments.

use comity::{Crawler, Crawlers, Escaped, TokenError};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::crawlers::{Crawler as Row, Crawlers as Table};
use crate::errors;

static TABLE: Crawlers = Crawlers::builtin();

/// Returns the crawler with this name: a product token, a name of the table, or `*`.
pub(crate) fn named(py: Python<'_>, name: &str) -> PyResult<Crawler<'static>> {
    if name == "*" {
        return Ok(Crawler::ANY);
    }
    let token = || Crawler::token(name).map(Crawler::into_owned).map_err(|error| refused(py, name, &error));
    Crawler::known(name).map_or_else(token, Ok)
}

/// Reads a crawler from an argument: one name, or several tokens whose groups are merged. If it is `literal`, it is
/// neither looked up in the table nor checked.
pub(crate) fn argument(argument: &Bound<'_, PyAny>, literal: bool) -> PyResult<Crawler<'static>> {
    let py = argument.py();
    if let Ok(text) = argument.cast::<PyString>() {
        let name = errors::text(text, "a product token", |py, message| errors::invalid_crawler(py, message, None))?;
        return if literal { Ok(Crawler::literal(name).into_owned()) } else { named(py, name) };
    }
    if literal && let Ok(token) = argument.cast::<PyBytes>() {
        return Ok(Crawler::literal(token.as_bytes()).into_owned());
    }
    if let Ok(row) = argument.cast::<Row>() {
        return Ok(row.get().crawler.clone());
    }
    let Ok(tokens) = argument.extract::<Vec<String>>() else {
        return Err(PyTypeError::new_err(format!(
            "expected a product token as str, such as \"ExampleBot\", a list of them, or a comity.Crawler, found {}",
            argument.get_type().name()?
        )));
    };
    if tokens.is_empty() && !literal {
        let message = "expected at least one product token, found an empty list; use \"*\" for any crawler";
        return Err(errors::invalid_crawler(py, message.to_owned(), None));
    }
    if !literal {
        for token in &tokens {
            Crawler::token(token).map_err(|error| refused(py, token, &error))?;
        }
    }
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    Ok(Crawler::merged_literal(&tokens).into_owned())
}

/// Returns the exception for text that is no product token, in terms of Python.
fn refused(py: Python<'_>, text: &str, error: &TokenError) -> PyErr {
    let suggestion = error.suggestion().map(str::to_owned);
    let message = match &suggestion {
        Some(token) if error.is_header() => {
            format!("expected a product token, found a User-Agent header; use crawler={token:?}")
        }
        Some(name) => format!("expected a product token, found `{}`; use crawler={name:?}", Escaped(text.as_bytes())),
        None if text.trim().is_empty() => {
            "expected a product token, found no text; use crawler=\"*\" for any crawler that no group names".to_owned()
        }
        None if text.trim() == "*" => "expected a product token, found spaces around `*`; use crawler=\"*\"".to_owned(),
        None => error.to_string(),
    };
    errors::invalid_crawler(py, message, suggestion)
}

/// Returns the product tokens that a `User-Agent` header may mean, most likely first. Returns none for browsers. `crawlers`
/// is the table whose names are known; it defaults to the built-in one.
///
/// >>> comity.candidates("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)")
/// ['GPTBot']
#[pyfunction]
#[pyo3(signature = (user_agent, *, crawlers=None))]
pub(crate) fn candidates(user_agent: &Bound<'_, PyAny>, crawlers: Option<&Table>) -> PyResult<Vec<String>> {
    let Ok(header) = user_agent.cast::<PyString>() else {
        return Err(errors::wrong_type("expected a User-Agent header as str", user_agent));
    };
    let header = header.to_string_lossy();
    let table = crawlers.map_or(&TABLE, |table| &table.0);
    Ok(comity::user_agent::candidates(&header, table).into_iter().map(str::to_owned).collect())
}

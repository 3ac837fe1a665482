//! Parameters in the query of a URL.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use comity::Escaped;
use http::Uri;
use url::form_urlencoded;

use crate::problem::Problem;

/// Returns the values of the parameters with these names, in the order of the names.
///
/// # Errors
///
/// If the query has a parameter of another name, or one of them several times.
pub(crate) fn parse<'q, const N: usize>(uri: &'q Uri, names: [&str; N]) -> Result<[Option<Cow<'q, str>>; N], Problem> {
    let query = uri.query().unwrap_or_default();
    let mut values: [Option<Cow<'q, str>>; N] = [const { None }; N];
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let Some((_, place)) = names.into_iter().zip(&mut values).find(|(known, _)| **known == *name) else {
            let (expected, name) = (one_of(&names), Escaped(name.as_bytes()));
            return Err(Problem::bad_request(format!("expected {expected} in the query, found `{name}`")));
        };
        if place.replace(value).is_some() {
            return Err(Problem::bad_request(format!("expected `{name}` once in the query, found it several times")));
        }
    }
    Ok(values)
}

/// Returns the value of a parameter that the query must have.
pub(crate) fn required<'q>(name: &str, value: Option<Cow<'q, str>>) -> Result<Cow<'q, str>, Problem> {
    value.ok_or_else(|| Problem::bad_request(format!("expected `{name}` in the query, found none")))
}

/// Returns the value of a parameter that is a number in this range, or the default if the query does not have the
/// parameter.
pub(crate) fn number(
    name: &str,
    value: Option<&str>,
    range: RangeInclusive<u64>,
    default: u64,
) -> Result<u64, Problem> {
    let Some(value) = value else { return Ok(default) };
    value.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        let (min, max, found) = (range.start(), range.end(), Escaped(value.as_bytes()));
        Problem::bad_request(format!("expected a number from {min} to {max} in `{name}`, found `{found}`"))
    })
}

/// Returns the value of a parameter that is true or false, or the default if the query does not have the parameter.
pub(crate) fn boolean(name: &str, value: Option<&str>, default: bool) -> Result<bool, Problem> {
    match value {
        None => Ok(default),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(_) => Err(Problem::bad_request(format!("expected true or false in `{name}`"))),
    }
}

/// Returns names as a list in words, such as "`a`, `b` or `c`".
fn one_of(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_only_copied_if_they_are_escaped() {
        let uri = Uri::from_static("/?url=https%3A%2F%2Fa.test%2Fx%3Fa%3Db&agent=Googlebot");
        let [url, agent, dialect] = parse(&uri, ["url", "agent", "dialect"]).unwrap();
        assert_eq!(url.as_deref(), Some("https://a.test/x?a=b"));
        assert!(matches!(agent, Some(Cow::Borrowed("Googlebot"))));
        assert_eq!(dialect, None);
        assert_eq!(parse(&Uri::from_static("/"), ["url"]).unwrap(), [None]);
    }

    #[test]
    fn unknown_and_repeated_parameters_are_problems() {
        for (query, detail) in [
            ("/?a=1&a=2", "expected `a` once in the query, found it several times"),
            ("/?a=1&d=2", "expected `a`, `b` or `c` in the query, found `d`"),
        ] {
            let problem = parse(&Uri::from_static(query), ["a", "b", "c"]).unwrap_err();
            assert_eq!((problem.code(), problem.detail()), ("bad-request", detail), "{query}");
        }
        assert_eq!(one_of(&["a", "b"]), "`a` or `b`");
        assert_eq!(one_of(&["a"]), "`a`");
    }

    #[test]
    fn a_number_is_in_its_range() {
        for (value, expected) in [(None, Some(7)), (Some("0"), None), (Some("1"), Some(1)), (Some("x"), None)] {
            assert_eq!(number("a", value, 1..=9, 7).ok(), expected, "{value:?}");
        }
        let problem = number("a", Some("10"), 1..=9, 7).unwrap_err();
        assert_eq!(problem.detail(), "expected a number from 1 to 9 in `a`, found `10`");
    }

    #[test]
    fn a_boolean_is_true_or_false() {
        for (value, expected) in
            [(None, Ok(true)), (Some("true"), Ok(true)), (Some("false"), Ok(false)), (Some("1"), Err(()))]
        {
            assert_eq!(boolean("a", value, true).map_err(drop), expected, "{value:?}");
        }
    }
}

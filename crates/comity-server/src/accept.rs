//! The preferences of clients: `Accept` and `Accept-Encoding` (RFC 9110 §12.5).

use http::HeaderMap;
use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderName};

/// An element of a list of preferences, for example `text/plain;version=0.0.4;q=0.5`.
#[derive(Clone, Copy, Debug)]
struct Element<'h> {
    name: &'h str,
    /// The parameters before the weight.
    parameters: &'h str,
    /// The weight, from 0 (not acceptable) to 1.
    weight: f32,
}

impl<'h> Element<'h> {
    fn parse(text: &'h str) -> Self {
        let (name, parameters) = text.split_once(';').unwrap_or((text, ""));
        let is_weight = |parameter: &str| parameter.trim_start().get(..2).is_some_and(|q| q.eq_ignore_ascii_case("q="));
        let weight = parameters.split(';').find(|parameter| is_weight(parameter));
        let weight = weight.map_or(Some(1.0), |weight| weight.trim()[2..].parse().ok());
        Self { name: name.trim(), parameters, weight: weight.unwrap_or(1.0_f32).clamp(0.0, 1.0) }
    }

    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// The elements of a header.
struct Preferences<'h>(Vec<Element<'h>>);

impl<'h> Preferences<'h> {
    fn of(headers: &'h HeaderMap, name: HeaderName) -> Self {
        let lists = headers.get_all(name).into_iter().filter_map(|list| list.to_str().ok());
        Self(lists.flat_map(|list| list.split(',')).map(Element::parse).collect())
    }

    /// Returns the highest weight of the elements that match; 0 if there are none.
    fn weight(&self, is_match: impl Fn(&Element<'h>) -> bool) -> f32 {
        self.0.iter().filter(|element| is_match(element)).map(|element| element.weight).fold(0.0, f32::max)
    }

    /// Returns the weight of a name, or that of `*` if the name is not listed.
    fn weight_or_any(&self, name: &str) -> f32 {
        let is_listed = self.0.iter().any(|element| element.is(name));
        self.weight(|element| element.is(if is_listed { name } else { "*" }))
    }
}

/// Returns true if the client is a browser that shows a page, and not a program that reads JSON.
pub(crate) fn prefers_html(headers: &HeaderMap) -> bool {
    let accepted = Preferences::of(headers, ACCEPT);
    let html = accepted.weight(|element| element.is("text/html"));
    let json = accepted.weight(|element| element.is("application/json") || element.is("application/problem+json"));
    html > 0.0 && html >= json
}

/// Returns true if the client names `OpenMetrics` 1.0, and does not prefer the older text format.
pub(crate) fn prefers_openmetrics(headers: &HeaderMap) -> bool {
    let accepted = Preferences::of(headers, ACCEPT);
    let is_openmetrics = |element: &Element<'_>| {
        let version = element.parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("version="));
        element.is("application/openmetrics-text") && version.is_none_or(|version| version.trim_matches('"') == "1.0.0")
    };
    let openmetrics = accepted.weight(is_openmetrics);
    openmetrics > 0.0 && openmetrics >= accepted.weight(|element| element.is("text/plain"))
}

/// Returns true if the client accepts answers that are compressed by gzip, and does not prefer them as they are.
pub(crate) fn prefers_gzip(headers: &HeaderMap) -> bool {
    let accepted = Preferences::of(headers, ACCEPT_ENCODING);
    let gzip = accepted.weight_or_any("gzip");
    // No coding is always acceptable, but preferred only if the client says so.
    gzip > 0.0 && gzip >= accepted.weight(|element| element.is("identity"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn gzip() {
        for (list, expected) in [
            ("gzip, deflate, br, zstd", true),
            ("br, zstd", false),
            ("br;q=0.5, GZIP;q=0.4", true),
            ("gzip; q=0.5 , br ;q=0", true),
            ("gzip;q=0", false),
            ("identity", false),
            ("identity;q=1, gzip;q=0.5", false),
            ("identity, gzip", true),
            ("*", true),
            ("gzip;q=0, *;q=0.1", false),
            ("deflate", false),
            ("", false),
            ("gzip;q=nonsense", true),
        ] {
            assert_eq!(prefers_gzip(&headers(ACCEPT_ENCODING, list)), expected, "{list:?}");
        }
        assert!(!prefers_gzip(&HeaderMap::new()));
    }

    #[test]
    fn browsers_prefer_pages() {
        for (accept, expected) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
            ("text/html", true),
            ("*/*", false),
            ("application/json", false),
            ("application/json, text/html;q=0.5", false),
            ("text/html;q=0", false),
        ] {
            assert_eq!(prefers_html(&headers(ACCEPT, accept)), expected, "{accept}");
        }
        assert!(!prefers_html(&HeaderMap::new()));
    }

    #[test]
    fn formats_of_metrics() {
        let prometheus = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
                          application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        for (accept, expected) in [
            (prometheus, true),
            ("application/openmetrics-text; version=1.0.0", true),
            ("application/openmetrics-text", true),
            ("application/openmetrics-text; version=0.0.1", false),
            ("text/plain;version=0.0.4", false),
            ("text/plain, application/openmetrics-text;q=0.5", false),
            ("*/*", false),
        ] {
            assert_eq!(prefers_openmetrics(&headers(ACCEPT, accept)), expected, "{accept}");
        }
        assert!(!prefers_openmetrics(&HeaderMap::new()));
    }
}

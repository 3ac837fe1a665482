//! Licenses that a page names: links with the relation `license`, in the HTTP field `Link` (RFC 8288) or in HTML. The
//! media type of a link identifies a license of RSL 1.0.

use std::fmt;

use comity::Escaped;

use crate::page::Part;

/// A license that a page names. It is evidence of the wish of the page's author, not a rule: its terms are in another
/// document.
///
/// ```
/// use comity_page::Page;
///
/// let mut page = Page::new();
/// page.header("Link", b"</style.css>; rel=preload, </terms.xml>; rel=\"license\"; type=\"application/rsl+xml\"");
/// let [license] = page.licenses() else { unreachable!() };
/// assert_eq!((license.url.as_str(), license.is_rsl()), ("/terms.xml", true));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct License {
    /// The part of the response that names it.
    pub part: Part,
    /// The line there, from 1, if the caller gave it.
    pub line: Option<u32>,
    /// The URL as written, which may be relative to the page.
    pub url: String,
    /// The media type as written. RSL has `application/rsl+xml`.
    pub media_type: Option<String>,
}

impl License {
    pub(super) fn new(part: Part, line: Option<u32>, url: &[u8], media_type: Option<&[u8]>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
        Self { part, line, url: text(url), media_type: media_type.map(text) }
    }

    /// Returns true if the media type is that of RSL (Really Simple Licensing), a format for machines.
    pub fn is_rsl(&self) -> bool {
        self.media_type.as_ref().is_some_and(|media_type| {
            let essence = media_type.split(';').next().unwrap_or_default();
            essence.trim().eq_ignore_ascii_case("application/rsl+xml")
        })
    }
}

impl fmt::Display for License {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Escaped(self.url.as_bytes()).fmt(f)
    }
}

/// Calls `each` with every link of one `Link` line that has this relation: its URL, and its media type.
///
/// An invalid link is skipped, up to the next comma outside of a quoted string (RFC 8288 §B.2). A link with an `anchor`
/// is about something else than the page, and is skipped, too.
pub(super) fn of_field<'a>(field: &'a [u8], wanted: &str, mut each: impl FnMut(&'a [u8], Option<&'a [u8]>)) {
    let mut rest = field;
    while !rest.is_empty() {
        let (url, mut parameters) = match target(rest) {
            Some(found) => found,
            None => (&b""[..], rest),
        };
        let (mut relation, mut media_type, mut is_elsewhere) = (None, None, false);
        // Text between the target and the first `;` is not a parameter.
        let mut parameter = Parameter::next(&mut parameters);
        while !parameter.is_last {
            parameter = Parameter::next(&mut parameters);
            // The first of several is used (RFC 8288 §3.3, §3.4.1).
            if parameter.name.eq_ignore_ascii_case(b"rel") {
                relation = relation.or(Some(parameter.value));
            } else if parameter.name.eq_ignore_ascii_case(b"type") {
                media_type = media_type.or(Some(parameter.value));
            } else if parameter.name.eq_ignore_ascii_case(b"anchor") {
                is_elsewhere = true;
            }
        }
        let mut relations = relation.unwrap_or_default().split(u8::is_ascii_whitespace);
        let is_wanted = relations.any(|name| name.eq_ignore_ascii_case(wanted.as_bytes()));
        if !is_elsewhere && !url.is_empty() && is_wanted {
            each(url, media_type);
        }
        rest = parameters;
    }
}

/// Returns the text between `<` and `>` at the start of a link, and the text after it.
fn target(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start().strip_prefix(b"<")?;
    let end = memchr::memchr(b'>', text)?;
    Some((text[..end].trim_ascii(), &text[end + 1..]))
}

/// A parameter of a link.
struct Parameter<'a> {
    name: &'a [u8],
    /// The value without quotation marks. Escapes are not replaced, because no value that matters contains one.
    value: &'a [u8],
    /// True if a comma follows, or the end.
    is_last: bool,
}

impl<'a> Parameter<'a> {
    /// Takes the text up to the next `;` or `,` outside of a quoted string, and that separator.
    fn next(rest: &mut &'a [u8]) -> Self {
        let text = *rest;
        let (mut is_quoted, mut is_escaped) = (false, false);
        let end = text.iter().position(|octet| match octet {
            _ if is_escaped => {
                is_escaped = false;
                false
            }
            b'\\' if is_quoted => {
                is_escaped = true;
                false
            }
            b'"' => {
                is_quoted = !is_quoted;
                false
            }
            b';' | b',' => !is_quoted,
            _ => false,
        });
        let parameter = &text[..end.unwrap_or(text.len())];
        let is_last = end.is_none_or(|end| text[end] == b',');
        *rest = end.map_or(&b""[..], |end| &text[end + 1..]);
        let (name, value) = match memchr::memchr(b'=', parameter) {
            Some(equals) => (parameter[..equals].trim_ascii(), parameter[equals + 1..].trim_ascii()),
            None => (parameter.trim_ascii(), &b""[..]),
        };
        let value = value.strip_prefix(b"\"").map_or(value, |value| value.strip_suffix(b"\"").unwrap_or(value));
        Self { name, value, is_last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links() {
        for (field, expected) in [
            ("", &[][..]),
            ("<a>; rel=license", &[("a", None)]),
            ("<a>; REL=\"License\"", &[("a", None)]),
            (" < a > ;\trel = \"help license\" ; type=\"application/rsl+xml\"", &[("a", Some("application/rsl+xml"))]),
            (
                "<a>; rel=license, <b>; rel=next, <c>; type=text/html; rel=license",
                &[("a", None), ("c", Some("text/html"))],
            ),
            ("<a,b;c>; title=\"x, y; \\\" <z>; rel=license\"; rel=license", &[("a,b;c", None)]),
            ("<a>; rel=next; rel=license", &[]),
            ("<a>; rel=license; anchor=\"#b\"", &[]),
            ("<a>; rel=licenses", &[]),
            ("<a>", &[]),
            ("<>; rel=license", &[]),
            ("a; rel=license, <b>; rel=license", &[("b", None)]),
            ("<a; rel=license", &[]),
            ("<a> rel=license, <b>; rel=license", &[("b", None)]),
            ("<a>; title=\"open; rel=license, <b>; rel=license", &[]),
            (",,;,<a>;;rel=license;,", &[("a", None)]),
        ] {
            let mut found = Vec::new();
            of_field(field.as_bytes(), "license", |url, media_type| {
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                found.push((text(url), media_type.map(text)));
            });
            let found: Vec<_> = found.iter().map(|(url, media_type)| (url.as_str(), media_type.as_deref())).collect();
            assert_eq!(found, expected, "{field}");
        }
    }

    #[test]
    fn kinds() {
        let is_rsl = |media_type: &str| License::new(Part::Header, None, b"a", Some(media_type.as_bytes())).is_rsl();
        assert!(is_rsl("application/rsl+xml") && is_rsl("Application/RSL+XML; charset=utf-8"));
        assert!(!is_rsl("text/html") && !is_rsl(""));
    }
}

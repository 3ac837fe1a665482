//! The choices of a dialect as sentences.

use comity::dialect::{ByteOrderMark, Escapes, FieldNames, Precedence, ProductToken, SizeLimit, UrlPath};
use comity::{Dialect, Encoding, SourceText};

/// A choice in which a dialect differs from another one.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    /// The choice as a sentence whose subject, "it", is the dialect or its crawler.
    pub(crate) sentence: &'static str,
    /// Copies the choice from the second dialect to the first.
    pub(crate) adopt: fn(&mut Dialect, &Dialect),
}

/// Returns the choices in which `to` differs from `from`. A sentence may depend on the file: for UTF-16, it says so.
#[expect(clippy::too_many_lines, reason = "an entry for each field, and each is short")]
pub(crate) fn choices(from: &Dialect, to: &Dialect, body: &[u8]) -> Vec<Choice> {
    let mut choices = Vec::new();
    macro_rules! choice {
        ($field:ident, $sentence:expr) => {
            if to.$field != from.$field {
                choices.push(Choice { sentence: $sentence, adopt: |trial, to| trial.$field = to.$field });
            }
        };
    }
    let is_utf16 = || {
        let start = &body[..body.len().min(4)];
        matches!(SourceText::new(start, &Dialect::STANDARD).encoding(), Encoding::Utf16Le | Encoding::Utf16Be)
    };
    choice!(
        byte_order_mark,
        match to.byte_order_mark {
            ByteOrderMark::Unicode if is_utf16() => "it decodes the file, which is UTF-16",
            _ if is_utf16() => "it does not decode UTF-16, so it reads no rules in the file",
            ByteOrderMark::Unicode => "it ignores only a whole byte order mark",
            _ => "it ignores a part of a byte order mark too",
        }
    );
    choice!(
        robots_txt_allowed,
        if to.robots_txt_allowed {
            "/robots.txt is always allowed"
        } else {
            "it does not except /robots.txt from the rules"
        }
    );
    choice!(
        escapes,
        match to.escapes {
            Escapes::PatternOnly => "it does not normalize URLs, neither their dot segments nor their percent-encoding",
            Escapes::PatternAndNonAscii => "it escapes bytes outside ASCII in URLs and leaves all others as they are",
            Escapes::Decoded => "it decodes percent-encoding before it compares",
            _ => "it normalizes percent-encoding before it compares",
        }
    );
    choice!(
        allow_index_allows_directory,
        if to.allow_index_allows_directory {
            "an Allow of …/index.html allows the directory too"
        } else {
            "an Allow of …/index.html does not allow the directory"
        }
    );
    choice!(
        precedence,
        match to.precedence {
            Precedence::FirstMatch => "the first rule that matches decides, not the longest",
            _ => "the longest rule that matches decides, not the first",
        }
    );
    choice!(
        wildcards,
        if to.wildcards {
            "it has wildcards: `*` and a final `$`"
        } else {
            "it has no wildcards: `*` and `$` are literal"
        }
    );
    choice!(
        product_token,
        match to.product_token {
            ProductToken::Letters => "a product token ends at the first character other than a letter, `_` or `-`",
            ProductToken::Contained => "a group names every crawler whose token contains the group's",
            _ => "a product token may contain digits and dots and is compared as a whole",
        }
    );
    choice!(
        fallback_token,
        if to.fallback_token.is_some() {
            "a crawler without its own group uses the group of Yandex"
        } else {
            "a crawler without its own group uses the group of `*`"
        }
    );
    choice!(
        star_with_text,
        if to.star_with_text { "`*` with text after it is `*`" } else { "`*` with text after it is not `*`" }
    );
    choice!(
        blank_line_ends_group,
        if to.blank_line_ends_group { "a blank line ends a group" } else { "a blank line ends no group" }
    );
    choice!(
        merge_groups,
        if to.merge_groups {
            "all groups that name a crawler apply together"
        } else {
            "only the first record that names a crawler applies"
        }
    );
    choice!(
        field_names,
        match to.field_names {
            FieldNames::Prefix => "a field name may have more letters at its end",
            FieldNames::Exact => "it does not accept misspelled field names",
            _ => "it accepts common misspellings of field names, and no other names",
        }
    );
    choice!(
        missing_colon,
        if to.missing_colon {
            "it accepts a record without a colon"
        } else {
            "it does not accept a record without a colon"
        }
    );
    choice!(
        url_path,
        match to.url_path {
            UrlPath::Reference => "it finds the path of a URL in its own way",
            UrlPath::PathOnly => "it matches the path without the query",
            _ => "it matches the path with the query",
        }
    );
    choice!(
        cut_allow_ignored,
        if to.cut_allow_ignored {
            "an Allow that is cut at the line limit is ignored"
        } else {
            "an Allow that is cut at the line limit applies"
        }
    );
    choice!(
        max_rule_len,
        if to.max_rule_len.is_some() {
            "it ignores rules of more than 1,024 bytes"
        } else {
            "it accepts rules of any length"
        }
    );
    choice!(
        max_rules,
        if to.max_rules.is_some() {
            "it ignores all rules after the 2,048th"
        } else {
            "it accepts any number of rules"
        }
    );
    choice!(
        size_limit,
        match to.size_limit {
            SizeLimit::NoFile => "a file of more than 512,000 bytes is treated as no file",
            SizeLimit::CutMidLine => {
                "it reads the first 512,000 bytes, with a part of the last line"
            }
            SizeLimit::Cut => "it reads the whole lines of the first 512,000 bytes",
            _ => "it reads on after the first 512,000 bytes",
        }
    );
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adopting all choices of a dialect gives that dialect, but for its name and its crawl-delay.
    #[test]
    fn all_choices_make_the_dialect() {
        for from in Dialect::ALL {
            for to in Dialect::ALL {
                let choices = choices(from, to, b"");
                let mut trial = *from;
                for choice in &choices {
                    (choice.adopt)(&mut trial, to);
                }
                (trial.name, trial.crawl_delay) = (to.name, to.crawl_delay);
                assert_eq!(trial, *to);
                let mut sentences: Vec<&str> = choices.iter().map(|choice| choice.sentence).collect();
                sentences.sort_unstable();
                sentences.dedup();
                assert_eq!(sentences.len(), choices.len());
            }
        }
    }
}

//! The draft successor of `X-Robots-Tag`: draft-illyes-repext-03 of 18 April 2026, an individual draft. A list of
//! product tokens, with rules as their parameters.

use comity::structured::{self, Bare};

use super::rule::PageRule;
use super::statement::{Source, Statement};
use super::{Page, value};

/// The maximum number of bytes of a field that are read; the draft requires 8 KiB. Of a longer field, only complete
/// members are used.
const MAX_OCTETS: usize = 16 * 1024;

impl Page<'_> {
    pub(super) fn robots_tag(&mut self, field: &[u8], line: Option<u32>) {
        let (field, is_cut) = if field.len() > MAX_OCTETS { (&field[..MAX_OCTETS], true) } else { (field, false) };
        let Some(members) = structured::list(field, is_cut) else {
            let rule = PageRule::NotUnderstood { expected: "expected a list such as *;nosnippet, ExampleBot;noindex" };
            let item = value::Item { agent: None, text: field, rule };
            return self.statements.push(Statement::new(Source::RobotsTag, line, item));
        };
        for (token, parameters) in members {
            let Bare::Token(token) = token else { continue };
            let agent = (!value::is_everyone(token)).then_some(token);
            for parameter in parameters {
                let rule = match parameter.text {
                    b"" => PageRule::flag(parameter.key),
                    text => PageRule::valued(
                        parameter.key,
                        text.strip_prefix(b"\"").map_or(text, |t| t.strip_suffix(b"\"").unwrap_or(t)),
                    ),
                };
                let item = value::Item { agent, text: parameter.whole, rule };
                self.statements.push(Statement::new(Source::RobotsTag, line, item));
            }
        }
    }
}

use comity::{Content, Effect};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::lint::lint;

lint! {
    /// A blank line inside a group, where Yandex and old parsers end it.
    ///
    /// ## What it does
    ///
    /// Finds rules that are cut off from their user-agent line by a blank line. It tells of the first one only.
    ///
    /// ## Why is this bad?
    ///
    /// RFC 9309 gives blank lines no meaning, and Google gives them none. Yandex documents that there should be none inside a
    /// group, and the drafts of the 1990s ended a record there: to such parsers the rules below belong to nobody.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    ///
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - Yandex, Using the robots.txt file: no blank lines between directives of a group
    /// - draft-koster-robots-00 §3.2
    "L046" "blank-line-in-group", Note, concerns: "Yandex, and parsers after the drafts of the 1990s"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut blank = None;
    let mut first = None;
    let mut count = 0;
    for line in &file.lines {
        match line.content {
            Content::Blank => blank = Some(line.number),
            Content::UserAgent { .. } => blank = None,
            Content::Rule { effect: Effect::Acts, .. } if blank.is_some() => {
                first = first.or(Some((line.number, blank.unwrap_or(0))));
                count += 1;
            }
            _ => {}
        }
    }
    if let Some((line, blank)) = first {
        let more = if count > 1 { format!("this rule and {} more", count - 1) } else { "this rule".to_owned() };
        out.add(line, file.said(line), format!("a blank line cuts {more} off from the user-agent line, for Yandex"))
            .related(blank, "the blank line");
    }
}

use crate::prelude::*;
use crate::recognize::comments::{comment_of, is_record};

lint! {
    /// A comment says that a rule is for a crawler, but the rule is in the group of another one.
    ///
    /// Move the rule into the group of the crawler that the comment names.
    ///
    /// ## What it does
    ///
    /// Finds rules with a comment directly above them, or at the end of their line, that names one known crawler. The rule
    /// is reported if it does not apply to that crawler (AdsBot-Google does not obey the rules for `*`), and no group of the crawler repeats it. Comments that contain a
    /// record, such as `# User-agent: GPTBot`, are not reported.
    ///
    /// ## Why is this bad?
    ///
    /// A rule belongs to the last user-agent lines above it. A comment does not start a group.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: Googlebot
    /// Disallow: /cart/
    ///
    /// User-agent: Halebot
    /// # Googlebot does not work well with comments
    /// Disallow: /plugins/feedback.php
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: Googlebot
    /// Disallow: /cart/
    /// # Googlebot does not work well with comments
    /// Disallow: /plugins/feedback.php
    ///
    /// User-agent: Halebot
    /// Disallow: /
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2: a group is its user-agent lines and the rules below them
    "L069" "comment-for-other-crawler", Warning, affects: "the crawler that the comment names"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // A blank line may separate a comment from its group, but not from a rule.
    let (mut above, mut near, mut above_group): (Option<&Line<'_>>, Option<&Line<'_>>, Option<&Line<'_>>) =
        (None, None, None);
    for line in &file.lines {
        match line.content {
            Content::Comment => (above, near) = (Some(line), Some(line)),
            Content::Blank => above = None,
            Content::UserAgent { .. } => (above, above_group) = (None, near.take().or(above_group)),
            Content::Rule { kind: RuleKind::Disallow, value, .. } if !value.is_empty() => {
                near = None;
                let comment = if line.comment { Some(line) } else { above.take() };
                check_rule(file, line, comment, false, out);
                check_rule(file, line, above_group.take(), true, out);
            }
            _ => (above, near) = (None, None),
        }
    }
}

/// Checks a rule with its comment, or the first rule of a group with the comment above the group. That one may name crawlers
/// which the group is not about, so only those that do not obey the group for `*` are looked for.
fn check_rule(file: &File<'_>, rule: &Line<'_>, comment: Option<&Line<'_>>, is_of_group: bool, out: &mut Diagnostics) {
    let Some(comment) = comment else { return };
    let Some(group) = file.group_of(rule.number).filter(|group| !is_of_group || group.is_for_any()) else { return };
    let Some(text) = comment_of(comment.text) else { return };
    let has = |words: &[u8]| text.windows(words.len()).any(|part| part.eq_ignore_ascii_case(words));
    if is_record(text) {
        return;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let words = || text.split(|byte| !is_name(byte)).filter(|word| word.len() >= MIN_NAME);
    let mut named = words().filter_map(|word| file.known.find(word));
    // People know AdsBot-Google by the name of its product.
    let is_of_google = |word: &[u8]| word.eq_ignore_ascii_case(b"google") || word.eq_ignore_ascii_case(b"adsbot");
    let of_ads = || {
        let is_meant = words().any(is_of_google) && (has(b"google ads") || has(b"adsbot"));
        file.known.find(b"AdsBot-Google").filter(|_| is_meant)
    };
    let (Some(known), None) = (named.next().or_else(of_ads), named.next()) else { return };
    let applies = |group: &GroupOf<'_>| {
        group.agents.iter().any(|agent| known.chain().any(|token| token.as_bytes().eq_ignore_ascii_case(agent.token)))
    };
    let mut own = file.groups.iter().filter(|other| applies(other)).peekable();
    if is_of_group && known.obeys_star {
        return;
    }
    let obeys_any = own.peek().is_none() && group.is_for_any() && known.obeys_star;
    let pattern = group.rules.iter().find(|own| own.line() == rule.number).map(Rule::pattern);
    if applies(group) || obeys_any || own.any(|own| own.rules.iter().any(|rule| Some(rule.pattern()) == pattern)) {
        return;
    }
    let message = if group.is_for_any() && !known.obeys_star {
        format!("the comment names {}, which does not obey the rules for `*`", known.token)
    } else {
        format!("the comment names {}, but this rule is for {}", known.token, group.names())
    };
    let found = out.add(file.record_span(rule.number), message);
    found.related(comment.number, "the comment");
    if let Some(line) = file.line_naming(&known.token) {
        found.help(format!("the group of `{}` is in line {line}", shown(known.token.as_bytes())));
    }
}

/// The minimum length of a name that is looked for in comments. Shorter ones are words.
const MIN_NAME: usize = 6;

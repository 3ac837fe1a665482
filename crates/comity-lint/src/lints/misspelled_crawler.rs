use crate::prelude::*;
use crate::recognize::crawlers::crawler_meant;

lint! {
    /// A user-agent line seems to misspell the name of a crawler, which then does not obey the group.
    ///
    /// Correct the name. `comity crawlers` lists the known crawlers.
    ///
    /// ## What it does
    ///
    /// Compares unknown product tokens with those of the known crawlers. It reports a token with one letter too many,
    /// too few or in the wrong place, with one wrong letter if the name is not short, with two such mistakes if the
    /// name is long, with other hyphens (`CC-Bot`), a plural (`CCBots`), a dash in place of a hyphen (`Google–Extended`), or the name of a sibling (`Googlebot-Extended`).
    /// Tokens with other digits or another short last part
    /// (`SemrushBot-BA` and `SemrushBot-SI`) belong to different crawlers, and are not reported. Neither are
    /// groups of more than 200 names, and a misspelling if the right name has the same rules.
    ///
    /// ## Why is this bad?
    ///
    /// No crawler obeys a group for `Gogglebot`: Googlebot obeys another one.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: Googelbot
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: Googlebot
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: tokens are compared as a whole
    "L034" "misspelled-crawler", Warning, affects: "the crawler that is meant"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // A list of hundreds of names is copied, and names crawlers that nobody knows.
    let short = file.groups.iter().filter(|group| group.agents.len() <= MAX_LIST);
    for (group, agent) in short.flat_map(|group| group.agents.iter().map(move |agent| (group, agent))) {
        if agent.known.is_some_and(|known| known.token.as_bytes().eq_ignore_ascii_case(agent.value)) {
            continue;
        }
        // A dash ends the token, which may then be that of another crawler.
        let dashed = with_hyphens(agent.value).and_then(|value| file.known.find(value.as_bytes()));
        let token = if dashed.is_some() { agent.value } else { agent.token };
        if dashed.is_none() && agent.known.is_some() {
            continue;
        }
        let Some(known) = dashed.or_else(|| crawler_meant(token, file.known)) else { continue };
        let span = file.value(agent.line);
        let span = span.start..span.start + token.len();
        let (own, meant) = (shown(token), &known.token);
        let message = match dashed {
            Some(_) => {
                format!("`{own}` has a dash that is not a hyphen, and names no crawler; did you mean `{meant}`?")
            }
            None => format!("`{own}` is not a known crawler; did you mean `{meant}` ({})?", known.operator),
        };
        if let Some(line) = file.line_naming(&known.token) {
            // The right name is there as well. If it has the same rules, the wrong one does no harm.
            let is_same = file.is_same_group(line, agent.line);
            if !is_same {
                out.add(span, message).related(line, "this line has the right name, with other rules");
            }
            continue;
        }
        let found = out.add(span.clone(), message);
        // With the right name, a group without rules would free the crawler from the rules of `*`.
        if is_joined_with_closing_rules(file, group, agent) {
            found.help(format!("first end this list of user-agent lines: with the right name, the rules below would close the whole site to {}", known.token));
        } else if !group.rules.is_empty() {
            found.unsafe_fix(format!("write `{}`", known.token), vec![Edit::new(span, known.token.as_bytes())]);
        }
    }
}

/// Returns true if a group closes the site, and its rules apply to this user-agent line only because nothing ends a list
/// of user-agent lines but a rule.
fn is_joined_with_closing_rules(file: &File<'_>, group: &GroupOf<'_>, agent: &AgentOf<'_>) -> bool {
    let last = group.agents.last().map_or(agent.line, |last| last.line);
    let is_parted = |line: &Line<'_>| matches!(line.content, Content::Blank | Content::Other { .. });
    group.closes() && file.lines[agent.line as usize..last as usize].iter().any(is_parted)
}

/// Returns a name with hyphens in place of the dashes and the minus sign that editors write for them.
fn with_hyphens(value: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(value).ok().filter(|name| !name.is_ascii())?;
    let is_dash = |c: char| matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}');
    name.contains(is_dash).then(|| name.replace(is_dash, "-"))
}

/// The maximum number of user-agent lines of a group that is checked.
const MAX_LIST: usize = 200;

//! The choices as header fields, in the syntax of a web server's configuration.

use std::fmt::Write as _;

use super::{Result, bail};
use comity::{Crawler, Crawlers, Escaped, Preference};
use comity_page::Page;

use super::HeaderServer;
use super::paths::PathRule;
use super::plan::Plan;

const VALUE: &str = "noindex, nofollow";
/// A value that no specification defines and few crawlers obey. It is written without the name of a crawler, because a
/// name would not state anything about the use of pages.
const NO_AI: &str = "noai, noimageai";

/// A header field, and the paths that it applies to; all paths if `None`.
struct Line<'p> {
    name: &'static str,
    value: String,
    path: Option<&'p str>,
}

/// Returns the configuration of the web server, and a description of each check that it passed.
pub(super) fn write(plan: &Plan, server: HeaderServer, table: &Crawlers) -> Result<(String, Vec<String>)> {
    if let Some(exception) = plan.allowed.first().map(|rule| &rule.path).or(plan.exempt.first()) {
        bail!("headers can't express exceptions, such as {}", Escaped(exception.as_bytes()));
    }
    let lines = lines(plan);
    if lines.is_empty() {
        bail!("these choices block nothing, so there is no header to send: block crawlers, or protect paths");
    }
    for path in plan.protected.iter().map(|protected| protected.path.as_str()) {
        check_path(path)?;
    }
    let checked = prove(plan, &lines, table)?;
    let mut text = String::from(
        "# Written by `comity generate`. A crawler sees these lines only where it may fetch the page: to get pages out\n\
         # of an index, let them be fetched, and send these lines; don't disallow them in the robots.txt as well.\n",
    );
    match server {
        HeaderServer::Nginx => nginx(&mut text, &lines),
        HeaderServer::Apache => apache(&mut text, &lines),
        HeaderServer::Caddy => caddy(&mut text, &lines),
    }
    Ok((text, checked))
}

fn lines(plan: &Plan) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut line = |name, value, path| lines.push(Line { name, value, path });
    if plan.block_all {
        line("X-Robots-Tag", VALUE.to_owned(), None);
    } else {
        for group in &plan.blocked {
            if group.is_ai {
                line("X-Robots-Tag", NO_AI.to_owned(), None);
                continue;
            }
            for token in &group.tokens {
                line("X-Robots-Tag", format!("{token}: {VALUE}"), None);
            }
        }
        for PathRule { token, path } in &plan.protected {
            let value = token.as_ref().map_or(VALUE.to_owned(), |token| format!("{token}: {VALUE}"));
            line("X-Robots-Tag", value, Some(path.as_str()));
        }
    }
    if let Some(preferences) = plan.preferences {
        let letter = |granted: bool| if granted { "y" } else { "n" };
        let value = format!("search={}, train-ai={}", letter(preferences.search), letter(preferences.train));
        line("Content-Usage", value, None);
    }
    lines
}

/// Parses each value again for the crawler that it applies to, and fails if the result differs from the choices.
fn prove(plan: &Plan, lines: &[Line<'_>], table: &Crawlers) -> Result<Vec<String>> {
    let mut checked = Vec::new();
    for line in lines {
        let mut page = Page::with_crawlers(table);
        page.header(line.name, line.value.as_bytes());
        let is_as_chosen = if line.name == "Content-Usage" {
            let wanted = plan.preferences.map(|preferences| preferences.train);
            let found = page.content_usage().map(|found| found.of("train-ai"));
            found == wanted.map(|train| if train { Preference::Allow } else { Preference::Disallow })
        } else {
            let token = line.value.split_once(':').map_or("a-crawler-nobody-has-heard-of", |(token, _)| token);
            let crawler = table.find(token).map_or(Crawler::literal(token), Crawler::from);
            let rules = page.rules_for(&crawler);
            rules.to_string() == if line.value == NO_AI { NO_AI } else { VALUE }
        };
        let shown = format!("{}: {}", line.name, line.value);
        if !is_as_chosen {
            bail!("the line `{}` does not have the chosen meaning", Escaped(shown.as_bytes()));
        }
        checked.push(shown);
    }
    Ok(checked)
}

/// Checks that a path can be written in the configurations of all three servers, as a regular expression in quotes.
fn check_path(path: &str) -> Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-._~!&()+,;=:@%?*$".contains(c);
    if let Some(odd) = path.chars().find(|c| !is_plain(*c)) {
        bail!(
            ["protect", path],
            "`{}` can't be written in a server's configuration: escape it, as in %27",
            Escaped(odd.encode_utf8(&mut [0; 4]).as_bytes())
        );
    }
    Ok(())
}

/// Returns a path pattern as a regular expression that matches a request's target from its start. Servers match targets
/// as they are sent, so an escape matches itself with hexadecimal digits in either case, and also the character if that
/// needs no escape.
fn expression(path: &str, end: &str) -> String {
    let (path, end) = path.strip_suffix('$').map_or((path, ""), |path| (path, end));
    let mut expression = String::new();
    let mut rest = path;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '*' => expression += "[^ ]*",
            '%' => match octet(rest) {
                Some(octet) => {
                    rest = &rest[2..];
                    push_escaped(octet, &mut expression);
                }
                None => expression.push(c),
            },
            _ => push(c, &mut expression),
        }
    }
    expression + end
}

/// Returns the byte of an escape from the hexadecimal digits at the start of the text.
fn octet(text: &str) -> Option<u8> {
    let digits = text.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    u8::from_str_radix(digits, 16).ok()
}

fn push(c: char, expression: &mut String) {
    if matches!(c, '.' | '+' | '?' | '(' | ')' | '$') {
        expression.push('\\');
    }
    expression.push(c);
}

fn push_escaped(octet: u8, expression: &mut String) {
    let mut escape = String::from("%");
    for digit in format!("{octet:02X}").chars() {
        if digit.is_ascii_digit() {
            escape.push(digit);
        } else {
            let _ = write!(escape, "[{digit}{}]", digit.to_ascii_lowercase());
        }
    }
    let is_unreserved = octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
    if is_unreserved {
        *expression += "(";
        push(char::from(octet), expression);
        let _ = write!(expression, "|{escape})");
    } else {
        *expression += &escape;
    }
}

fn nginx(text: &mut String, lines: &[Line<'_>]) {
    let scoped = || (1..).zip(lines.iter().filter_map(|line| line.path.map(|path| (line, path))));
    if scoped().next().is_some() {
        *text += "\n# In http { }:\n";
    }
    for (number, (line, path)) in scoped() {
        let expression = expression(path, "$");
        let value = &line.value;
        let _ = writeln!(
            text,
            "map $request_uri $robots_tag_{number} {{\n    default \"\";\n    \"~^{expression}\" \"{value}\";\n}}"
        );
    }
    *text += "\n# In server { }, and again in each location { } that has an add_header of its own:\n";
    for line in lines.iter().filter(|line| line.path.is_none()) {
        let _ = writeln!(text, "add_header {} \"{}\" always;", line.name, line.value);
    }
    for (number, (line, _)) in scoped() {
        let _ = writeln!(text, "add_header {} $robots_tag_{number} always;", line.name);
    }
}

fn apache(text: &mut String, lines: &[Line<'_>]) {
    *text += "\n# In the server's configuration or .htaccess, with mod_headers:\n";
    for line in lines {
        let _ = write!(text, "Header always add {} \"{}\"", line.name, line.value);
        if let Some(path) = line.path {
            // The request line contains path and query as they were sent.
            let _ = write!(text, " \"expr=%{{THE_REQUEST}} =~ m#^[A-Z]+ {}#\"", expression(path, "( |$)"));
        }
        *text += "\n";
    }
}

fn caddy(text: &mut String, lines: &[Line<'_>]) {
    *text += "\n# In the site's block:\n";
    let mut number = 0;
    for line in lines {
        match line.path {
            None => {
                let _ = writeln!(text, "header +{} \"{}\"", line.name, line.value);
            }
            Some(path) => {
                number += 1;
                let expression = expression(path, "$");
                let _ = writeln!(text, "@robots_{number} vars_regexp {{uri}} `^{expression}`");
                let _ = writeln!(text, "header @robots_{number} +{} \"{}\"", line.name, line.value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::expression;

    #[test]
    fn patterns_become_expressions() {
        for (path, expected) in [
            ("/private/", "/private/"),
            ("/*.pdf$", r"/[^ ]*\.pdf$"),
            ("/a?b=(c)+d", r"/a\?b=\(c\)\+d"),
            ("/a$b", r"/a\$b"),
            ("/caf%c3%A9", "/caf%[Cc]3%[Aa]9"),
            ("/%7Eme/%2E%41", r"/(~|%7[Ee])me/(\.|%2[Ee])(A|%41)"),
            ("/100%/%+5%", r"/100%/%\+5%"),
        ] {
            assert_eq!(expression(path, "$"), expected);
        }
    }
}

use crate::prelude::*;

lint! {
    /// The file has the wrong name or is in the wrong place, so no crawler reads it.
    ///
    /// Serve it as `/robots.txt` at the top level of the site, with the name in lower case.
    ///
    /// ## What it does
    ///
    /// Compares the name of the file, and with `--url` its address, with the only path that crawlers request:
    /// `/robots.txt`. Also finds a comment in the first line that states another address of the file.
    ///
    /// ## Why is this bad?
    ///
    /// Crawlers never read a file in a directory, or a file with a name such as `Robots.txt` or `robot.txt`. Then
    /// everything is allowed.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ```location
    /// https://example.com/shop/robots.txt
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /shop/cart/
    /// ```
    ///
    /// ```location
    /// https://example.com/robots.txt
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.3: the access method
    "L005" "wrong-location", Error, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let Some(location) = &file.evidence.location else { return check_comment(file, out) };
    let message = if let Some((_, rest)) = location.split_once("://") {
        let path = rest.find(['/', '?']).map_or("/", |at| &rest[at..]);
        // The URL of a site does not state where the file is.
        if matches!(path, "/robots.txt" | "/") {
            return;
        }
        "crawlers do not read this file: they only request /robots.txt at the top level of the site"
    } else {
        // A local file may have any name until it is served, but these names are mistakes.
        let name = location.rsplit(['/', '\\']).next().unwrap_or(location);
        let slips = ["robot.txt", "robots.text", "robots.txt.txt", "robotx.txt", "robots.html", "robots"];
        let is_slip = slips.iter().any(|slip| name.eq_ignore_ascii_case(slip))
            || name.eq_ignore_ascii_case("robots.txt") && name != "robots.txt";
        if !is_slip {
            return check_comment(file, out);
        }
        "crawlers do not request a file of this name: it must be robots.txt, in lower case"
    };
    let first = file.record_span(1);
    out.add(first, message);
}

/// Checks a comment in the first line, such as `# File: https://shop.example/fr/robots.txt`.
fn check_comment(file: &File<'_>, out: &mut Diagnostics) {
    let Some(first) = file.lines.first().filter(|line| matches!(line.content, Content::Comment)) else { return };
    let text = String::from_utf8_lossy(first.text);
    let is_below = |word: &&str| {
        let path = word.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
        path.is_some_and(|(_, path)| path.ends_with("/robots.txt"))
    };
    if text.split_whitespace().any(|word| is_below(&word)) {
        let message =
            "crawlers do not read a file at this address: they only request /robots.txt at the top level of the site";
        out.add(file.record_span(1), message).severity(Severity::Warning);
    }
}

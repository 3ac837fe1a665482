use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::lint::lint;

lint! {
    /// The file is not where crawlers look, or not called what they ask for.
    ///
    /// ## What it does
    ///
    /// Compares the file's name, and with `--url` its address, with the only one that counts: `/robots.txt` at the top of
    /// the site, in lower case.
    ///
    /// ## Why is this bad?
    ///
    /// Crawlers ask for `/robots.txt` and nothing else. A file in a directory, or one that is called `Robots.txt` or
    /// `robot.txt`, is never read: everything is allowed.
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
    "L005" "wrong-location", Error, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let Some(location) = &file.evidence.location else { return };
    let message = if let Some((_, rest)) = location.split_once("://") {
        let path = rest.find(['/', '?']).map_or("/", |at| &rest[at..]);
        // The URL of a site does not state where the file is.
        if matches!(path, "/robots.txt" | "/") {
            return;
        }
        "no crawler looks here: it asks for /robots.txt at the top of the site"
    } else {
        // A local file may have any name until it is served, but these names are mistakes.
        let name = location.rsplit(['/', '\\']).next().unwrap_or(location);
        let slips = ["robot.txt", "robots.text", "robots.txt.txt", "robotx.txt", "robots.html", "robots"];
        let is_slip = slips.iter().any(|slip| name.eq_ignore_ascii_case(slip))
            || name.eq_ignore_ascii_case("robots.txt") && name != "robots.txt";
        if !is_slip {
            return;
        }
        "no crawler asks for this name: it must be robots.txt, in lower case"
    };
    let first = file.said(1);
    out.add(1, first, message);
}

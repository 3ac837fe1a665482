use crate::ignore;
use crate::linter::Linter;
use crate::prelude::*;

lint! {
    /// A comment that should suppress findings is not understood, or names a lint that does not exist.
    ///
    /// Write `# comity: ignore[CODE]` with the code or the name of a lint. `comity lint --explain` lists them.
    ///
    /// ## What it does
    ///
    /// Finds comments that start with `comity:` and are not understood.
    ///
    /// ## Why is this bad?
    ///
    /// The finding that should be suppressed is still reported. A typo may also suppress another finding.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /a  # comity: ignore[L999]
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /a  # comity: ignore[L004]
    /// ```
    ///
    /// ## Sources
    ///
    /// - comity's documentation of `comity lint`
    "L048" "bad-ignore", Warning, affects: "people who maintain the file"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if !ignore::is_used(file) {
        return;
    }
    for request in ignore::requests(file) {
        let line = file.line(request.line);
        let hash = line.text.iter().position(|b| *b == b'#').unwrap_or(0);
        let span = file.span(line.text[hash..].trim_ascii_end());
        if let Some(asked) = request.not_understood {
            out.add(span, format!("`{}` is not understood: write, for example, `comity: ignore[L011]`", shown(asked)));
            continue;
        }
        for name in request.names {
            if std::str::from_utf8(name).is_ok_and(|name| Linter::find(name).is_ok()) {
                continue;
            }
            out.add(span.clone(), format!("no lint is called `{}`", shown(name)));
        }
    }
}

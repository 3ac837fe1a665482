//! The overview as one HTML page without scripts, which also prints well.

use std::io::{self, Write};

use comity::Escaped;
use comity_report::{Overview, OverviewPart, Tone};
use quick_xml::escape::escape;

/// The policy of the page: it loads nothing and runs nothing, whatever is in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}\
h1{font-size:1.4rem;overflow-wrap:anywhere}\
dt{font-weight:600;margin-top:1rem}\
dd{margin:0;padding-left:.7rem;border-left:4px solid #888;overflow-wrap:anywhere}\
.good{border-color:#2a8c4a}.bad{border-color:#c0392b}.caution{border-color:#c58a00}\
.missing{font-style:italic}code{font-size:.85em}\
@media print{body{margin:0;max-width:none;color:#000;background:#fff}dt,dd{break-inside:avoid}}";

pub(super) fn write(overview: &Overview, out: &mut impl Write) -> io::Result<()> {
    let title = escaped(overview.site.as_ref().unwrap_or(&overview.file));
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width\">\n<title>robots.txt of {title}</title>")?;
    writeln!(out, "<style>{STYLE}</style>\n<h1>The robots.txt of {title}</h1>\n<dl>")?;
    for part in &overview.parts {
        write_part(part, out)?;
    }
    writeln!(
        out,
        "</dl>\n<p>Read from {} by comity {}.</p>\n</html>",
        escaped(&overview.file),
        env!("CARGO_PKG_VERSION")
    )
}

fn write_part(part: &OverviewPart, out: &mut impl Write) -> io::Result<()> {
    let (class, word, text) = match (&part.headline, &part.missing) {
        (Some(headline), _) => {
            // Color is never the only sign of anything.
            let (class, word) = match headline.tone {
                Tone::Good => ("good", "✓ "),
                Tone::Bad => ("bad", "✕ "),
                Tone::Caution => ("caution", "! "),
                _ => ("", ""),
            };
            (class, word, escaped(&headline.text))
        }
        (None, missing) => ("missing", "", escaped(missing.as_deref().unwrap_or_default())),
    };
    write!(out, "<dt>{}</dt>\n<dd class=\"{class}\">{word}{text}", part.part.title())?;
    if let Some(command) = &part.command {
        write!(out, "<br><code>{}</code>", escaped(command))?;
    }
    writeln!(out, "</dd>")
}

/// Returns a text as HTML, without control characters.
fn escaped(text: &str) -> String {
    escape(Escaped(text.as_bytes()).to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup() {
        assert_eq!(escaped("<b a='\"'>&\u{1b}"), "&lt;b a=&apos;&quot;&apos;&gt;&amp;\\x1B");
    }
}

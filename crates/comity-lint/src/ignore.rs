//! Comments that suppress findings, such as `# comity: ignore[L011, prefix-overreach]`.
//!
//! After a record, such a comment applies to its line. On a line of its own, it applies to the next line that is
//! neither blank nor a comment. `ignore-file[...]` applies to the whole file.

use comity::Content;

use crate::diagnostic::Diagnostic;
use crate::file::File;
use crate::linter::Linter;
use crate::recognize::comments::comment_of;

/// The lints whose findings are suppressed, by line.
pub(crate) struct Ignored {
    /// The line, or 0 for the whole file, and the code of the lint. Sorted.
    entries: Vec<(u32, &'static str)>,
}

/// A comment that starts with `comity:`, and what it requests.
pub(crate) struct Request<'a> {
    pub(crate) line: u32,
    /// The line that the request applies to; 0 for the whole file.
    pub(crate) about: u32,
    /// The names of lints, as written.
    pub(crate) names: Vec<&'a [u8]>,
    /// The text after `comity:`, if it is not understood.
    pub(crate) not_understood: Option<&'a [u8]>,
}

/// Returns the requests in a file.
pub(crate) fn requests<'a>(file: &File<'a>) -> Vec<Request<'a>> {
    let mut requests: Vec<Request<'a>> = Vec::new();
    // The next line that is neither blank nor a comment.
    let mut below = None;
    for line in file.lines.iter().rev() {
        let own = if matches!(line.content, Content::Comment) { below.unwrap_or(line.number) } else { line.number };
        if !matches!(line.content, Content::Comment | Content::Blank) {
            below = Some(line.number);
        }
        let comment = comment_of(line.text).filter(|_| line.comment);
        let Some(asked) = comment.and_then(|comment| comment.trim_ascii().strip_prefix(b"comity:")) else { continue };
        let asked = asked.trim_ascii();
        let parsed = [(&b"ignore-file["[..], 0), (b"ignore[", own)].iter().find_map(|(start, about)| {
            let names = asked.strip_prefix(*start)?;
            let end = names.iter().position(|b| *b == b']')?;
            Some((names[..end].split(|b| *b == b',').map(<[u8]>::trim_ascii).collect::<Vec<_>>(), *about))
        });
        let not_understood = parsed.is_none().then_some(asked);
        let (names, about) = parsed.unwrap_or_default();
        requests.push(Request { line: line.number, about, names, not_understood });
    }
    requests.reverse();
    requests
}

/// Returns true if a file may contain such comments, which few files do.
pub(crate) fn is_used(file: &File<'_>) -> bool {
    const MARK: &[u8] = b"comity:";
    file.lines.iter().any(|line| line.comment && line.text.windows(MARK.len()).any(|part| part == MARK))
}

impl Ignored {
    pub(crate) fn of(file: &File<'_>) -> Self {
        if !is_used(file) {
            return Self { entries: Vec::new() };
        }
        let mut entries: Vec<_> = requests(file)
            .into_iter()
            .flat_map(|request| request.names.into_iter().map(move |name| (request.about, name)))
            .filter_map(|(about, name)| Some((about, Linter::find(std::str::from_utf8(name).ok()?).ok()?.code)))
            .collect();
        entries.sort_unstable();
        Self { entries }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn covers(&self, found: &Diagnostic) -> bool {
        [0, found.line].iter().any(|line| self.entries.binary_search(&(*line, found.lint.code)).is_ok())
    }
}

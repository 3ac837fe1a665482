//! Comments that tell the linter to look away: `# comity: ignore[L011, prefix-overreach]`.
//!
//! Behind a record, such a comment speaks of its line; on a line of its own, of the next line that says something.
//! `ignore-file[...]` speaks of the whole file.

use comity::Content;

use crate::diagnostic::Diagnostic;
use crate::file::File;
use crate::linter::Linter;

/// Which findings are not wanted.
pub(crate) struct Ignored {
    /// The line, 0 for the file; and the lint's code. Sorted.
    entries: Vec<(u32, &'static str)>,
}

/// What a comment asks for, and where it says so.
pub(crate) struct Request<'a> {
    pub(crate) line: u32,
    /// 0: the whole file.
    pub(crate) about: u32,
    /// The names, as they stand.
    pub(crate) names: Vec<&'a [u8]>,
    /// The text behind `comity:`, if it is no request that is understood.
    pub(crate) not_understood: Option<&'a [u8]>,
}

/// The requests of a file.
pub(crate) fn requests<'a>(file: &File<'a>) -> Vec<Request<'a>> {
    let mut requests: Vec<Request<'a>> = Vec::new();
    let mut pending: Vec<usize> = Vec::new();
    for line in &file.lines {
        let alone = matches!(line.content, Content::Comment);
        if line.comment
            && let Some(hash) = line.text.iter().position(|b| *b == b'#')
            && let Some(asked) = line.text[hash + 1..].trim_ascii().strip_prefix(b"comity:")
        {
            let asked = asked.trim_ascii();
            let parsed = [(&b"ignore-file["[..], true), (b"ignore[", false)].iter().find_map(|(start, whole)| {
                let names = asked.strip_prefix(*start)?;
                let end = names.iter().position(|b| *b == b']')?;
                Some((names[..end].split(|b| *b == b',').map(<[u8]>::trim_ascii).collect::<Vec<_>>(), *whole))
            });
            let (names, whole) = parsed.clone().unwrap_or_default();
            if alone && !whole {
                pending.push(requests.len());
            }
            requests.push(Request {
                line: line.number,
                about: if whole { 0 } else { line.number },
                names,
                not_understood: parsed.is_none().then_some(asked),
            });
        }
        if !matches!(line.content, Content::Comment | Content::Blank) {
            for request in pending.drain(..) {
                requests[request].about = line.number;
            }
        }
    }
    requests
}

/// Whether a file may hold such comments; nearly none does.
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

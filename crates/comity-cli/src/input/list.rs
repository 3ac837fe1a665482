//! Lists of URLs: plain text, tables as crawlers and spreadsheets export them, and sitemaps.

mod cells;

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use comity::Escaped;
use comity_page::{Decoded, Sitemap};

use crate::input::line_ends::LineEnds;
use crate::input::{file, sitemap};
use cells::Cells;

/// The maximum length of a URL and of a line, in bytes.
pub(crate) const MAX_LINE_BYTES: usize = 64 << 10;

/// The maximum number of bytes of a line, or of a row of a table, that are skipped. A longer line is no list.
const MAX_SKIPPED_BYTES: usize = 16 << 20;

/// The maximum number of bytes before the first URL, such as comments, that are read to find out the form of a list.
const MAX_HEAD_BYTES: usize = 1 << 20;

/// The names of columns that contain URLs. If a table has several, the first of these counts.
const COLUMNS: [&str; 8] = ["url", "address", "loc", "page url", "full url", "page", "top pages", "landing page"];

/// An entry of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The line, from 1.
    pub(crate) line: u64,
    /// The text in place of a URL.
    pub(crate) text: String,
    /// The reason why the text can't be a URL, if that is known already.
    pub(crate) problem: Option<String>,
}

impl Entry {
    fn new(line: u64, text: &[u8]) -> Self {
        if text.len() > MAX_LINE_BYTES {
            let problem = format!("expected a URL of at most {MAX_LINE_BYTES} bytes, found a longer text");
            return Self::invalid(line, text, problem);
        }
        let is_utf8 = std::str::from_utf8(text).is_ok();
        let text = String::from_utf8_lossy(text).trim().trim_start_matches('\u{FEFF}').to_owned();
        let problem = if !is_utf8 {
            Some("expected a URL, found bytes that are not UTF-8".to_owned())
        } else if text.contains(['\t', '\n', '\r']) {
            // Parsers of URLs remove these characters, so another URL would be answered.
            Some("expected a URL, found a tab or a line end in it".to_owned())
        } else {
            None
        };
        Self { line, text, problem }
    }

    /// Creates an entry for a text that can't be a URL, with its start.
    pub(crate) fn invalid(line: u64, text: &[u8], problem: String) -> Self {
        /// The number of bytes that are enough to recognize the entry.
        const MAX_QUOTED_BYTES: usize = 60;
        let start = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let kept = String::from_utf8_lossy(&start[..start.len().min(MAX_QUOTED_BYTES)]).trim().to_owned();
        let text = if start.len() > MAX_QUOTED_BYTES { format!("{kept}…") } else { kept };
        Self { line, text, problem: Some(problem) }
    }
}

/// The entries of a list. An error ends the list.
pub(crate) type Entries = Box<dyn Iterator<Item = Result<Entry>>>;

/// Opens a list, and finds out its form and its encoding. `before_read` is called before each read of the file, which
/// may take long if it is a pipe.
pub(crate) fn open(path: &Path, before_read: impl FnMut() + 'static) -> Result<Entries> {
    let name = file::name(path);
    let source = Announced { source: file::open(path)?, before_read };
    let entries = from_source(sitemap::unpacked_source(source)).with_context(|| name.clone())?;
    Ok(Box::new(entries.map(move |entry| entry.with_context(|| name.clone()))))
}

fn from_source(source: impl Read + 'static) -> Result<Entries> {
    let mut source = BufReader::new(LineEnds::new(Decoded::new(source)));
    let mut head = Head::read(&mut source)?;
    if head.first.starts_with(b"<") {
        let sitemap = Sitemap::read(Cursor::new(head.bytes).chain(source))?;
        return Ok(Box::new(sitemap.map(|entry| {
            let entry = entry?;
            let problem = entry.problem().map(|problem| problem.to_string());
            Ok(Entry { line: entry.line, text: entry.location, problem })
        })));
    }
    if comity_log::is_combined_line(&head.first) {
        bail!("expected a list of URLs, found an access log: name it with --log");
    }
    // Spreadsheets write the delimiter in a line of its own.
    let mut delimiter = None;
    if let [b's', b'e', b'p', b'=', given @ (b',' | b';' | b'\t')] = *head.first.trim_ascii_end() {
        delimiter = Some(given);
        head.skip_line(&mut source)?;
    }
    let form = form(&head.first, delimiter)?;
    if form == Form::Column {
        head.skip_line(&mut source)?;
    } else {
        head.drop_comments();
    }
    let source = Cursor::new(head.bytes).chain(source);
    Ok(match form {
        Form::Table(table) => Box::new(Cells::new(source, &table, head.lines_before)),
        Form::Plain | Form::Column => {
            Box::new(Lines { number: head.lines_before, source, may_be_quoted: form == Form::Column })
        }
    })
}

/// The start of a list, up to the end of the first line that is neither blank nor a comment.
struct Head {
    bytes: Vec<u8>,
    /// The last line of `bytes`, and its position.
    first: Vec<u8>,
    first_at: usize,
    /// The number of lines that were dropped before `bytes`.
    lines_before: u64,
}

impl Head {
    fn read(source: &mut impl BufRead) -> io::Result<Self> {
        let mut head = Self { bytes: Vec::new(), first: Vec::new(), first_at: 0, lines_before: 0 };
        while head.bytes.len() < MAX_HEAD_BYTES {
            let start = head.bytes.len();
            if source.take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut head.bytes)? == 0 {
                break;
            }
            let line = head.bytes[start..].trim_ascii();
            if !line.is_empty() && !line.starts_with(b"#") {
                (head.first, head.first_at) = (line.to_vec(), start);
                break;
            }
        }
        Ok(head)
    }

    /// Drops the lines so far, and reads on.
    fn skip_line(&mut self, source: &mut impl BufRead) -> io::Result<()> {
        let lines = cells::newlines(&self.bytes);
        *self = Self { lines_before: self.lines_before + lines, ..Self::read(source)? };
        Ok(())
    }

    /// Drops the lines before the first one that is neither blank nor a comment.
    fn drop_comments(&mut self) {
        self.lines_before += cells::newlines(&self.bytes[..self.first_at]);
        self.bytes.drain(..self.first_at);
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Form {
    /// A URL on each line.
    Plain,
    /// A URL on each line after the name of the column. Without a delimiter in the first line, a comma is a part of the
    /// URL.
    Column,
    Table(Table),
}

#[derive(Debug, PartialEq, Eq)]
struct Table {
    delimiter: u8,
    /// The index of the column with the URLs.
    column: usize,
    /// True if the first line names the columns.
    has_header: bool,
}

/// Returns the form of a list by its first line.
fn form(first: &[u8], given: Option<u8>) -> Result<Form> {
    let delimiters = given.map_or(vec![b',', b';', b'\t'], |given| vec![given]);
    let rows: Vec<(u8, Vec<String>)> =
        delimiters.into_iter().map(|delimiter| (delimiter, cells::split(first, delimiter))).collect();
    let is_quoted = first.starts_with(b"\"") || given.is_some();
    // URLs may contain the name of a column between commas.
    for (delimiter, cells) in rows.iter().filter(|(_, cells)| !cells.iter().any(|cell| looks_like_url(cell))) {
        let position = |name: &str| cells.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        if let Some(column) = COLUMNS.iter().find_map(|name| position(name)) {
            let is_table = cells.len() > 1 || is_quoted;
            let table = Table { delimiter: *delimiter, column, has_header: true };
            return Ok(if is_table { Form::Table(table) } else { Form::Column });
        }
    }
    // A plain list contains neither tabs nor quotes, but URLs contain commas and semicolons.
    let has_tabs = first.contains(&b'\t');
    let is_table = is_quoted || has_tabs;
    for (delimiter, cells) in rows.iter().filter(|(delimiter, _)| is_table && (!has_tabs || *delimiter == b'\t')) {
        let whole = cells.iter().position(|cell| cell.contains("://"));
        let column = whole.or_else(|| cells.iter().position(|cell| looks_like_url(cell)));
        if let Some(column) = column.filter(|_| cells.len() > 1) {
            return Ok(Form::Table(Table { delimiter: *delimiter, column, has_header: false }));
        }
    }
    match rows.iter().max_by_key(|(_, cells)| cells.len()) {
        Some((_, cells)) if cells.len() > 1 && !cells[0].contains([':', '/']) => {
            let named: Vec<String> = cells.iter().take(8).map(|cell| Escaped(cell.as_bytes()).to_string()).collect();
            bail!("expected a column named url, address or loc, found the columns {}", named.join(", "))
        }
        _ => Ok(Form::Plain),
    }
}

fn no_list(line: u64) -> anyhow::Error {
    anyhow!("expected a list of URLs, found a line {line} of more than {} MiB", MAX_SKIPPED_BYTES >> 20)
}

fn looks_like_url(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('/') || text.contains("://")
}

/// The lines of a plain list. Blank lines and comments are skipped.
struct Lines<R> {
    source: R,
    /// The number of the last line.
    number: u64,
    /// True if a line may be a cell in quotes.
    may_be_quoted: bool,
}

impl<R: BufRead> Lines<R> {
    /// Skips the rest of a line.
    fn skip_line(&mut self) -> Result<()> {
        let skipped = self.source.by_ref().take(MAX_SKIPPED_BYTES as u64 + 1).skip_until(b'\n')?;
        if skipped > MAX_SKIPPED_BYTES { Err(no_list(self.number)) } else { Ok(()) }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        loop {
            line.clear();
            self.number += 1;
            if let Err(error) = self.source.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line) {
                return Some(Err(error.into()));
            }
            if line.is_empty() {
                return None;
            }
            let is_whole = line.len() <= MAX_LINE_BYTES || line.ends_with(b"\n");
            if !is_whole && let Err(error) = self.skip_line() {
                return Some(Err(error));
            }
            if line.ends_with(b"\n") {
                line.pop();
            }
            let unquoted = if self.may_be_quoted { unquoted(&line) } else { None };
            let entry = Entry::new(self.number, unquoted.as_deref().unwrap_or(&line));
            if !entry.text.is_empty() && !entry.text.starts_with('#') {
                return Some(Ok(entry));
            }
        }
    }
}

/// Returns the text of a cell in quotes.
fn unquoted(line: &[u8]) -> Option<Vec<u8>> {
    let text = line.trim_ascii().strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let text = std::str::from_utf8(text).ok()?;
    let is_cell = !text.replace("\"\"", "").contains('"');
    is_cell.then(|| text.replace("\"\"", "\"").into_bytes())
}

/// A file with a function that is called before each read.
struct Announced<R, F> {
    source: R,
    before_read: F,
}

impl<R: Read, F: FnMut()> Read for Announced<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.before_read)();
        self.source.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(bytes: &[u8]) -> Vec<(u64, String)> {
        let entries = from_source(Cursor::new(bytes.to_vec())).unwrap();
        entries.map(|entry| entry.unwrap()).map(|entry| (entry.line, entry.text)).collect()
    }

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect()
    }

    #[test]
    fn every_form_gives_the_same_urls() {
        let exported = "\"Address\",\"Status Code\"\r\n\"https://a.example/ü,1\",\"200\"\r\n\r\n/b,404\r\n";
        for (form, bytes) in [
            ("comma", exported.as_bytes().to_vec()),
            ("mark", [b"\xEF\xBB\xBF", exported.as_bytes()].concat()),
            ("UTF-16, little endian", utf16(exported, u16::to_le_bytes)),
            ("UTF-16, big endian", utf16(exported, u16::to_be_bytes)),
            ("semicolon", b"id;loc\n1;\"https://a.example/\xC3\xBC,1\"\n\n2;/b\n".to_vec()),
            ("tab", b"URL\tid\nhttps://a.example/\xC3\xBC,1\t1\n\n/b\t2\n".to_vec()),
            ("tab without names", b"\n1\thttps://a.example/\xC3\xBC,1\n\n2\t/b\n".to_vec()),
            ("plain", "# of today\nhttps://a.example/ü,1\n\n/b".as_bytes().to_vec()),
            ("one column", "url\nhttps://a.example/ü,1\n\n/b\n".as_bytes().to_vec()),
            ("one column with quotes", "url\n\"https://a.example/ü,1\"\n\n/b\n".as_bytes().to_vec()),
            ("one column in quotes", "\"url\"\n\"https://a.example/ü,1\"\n\n\"/b\"\n".as_bytes().to_vec()),
            ("carriage returns", "#\rhttps://a.example/ü,1\r\r/b\r".as_bytes().to_vec()),
            ("table with carriage returns", exported.replace('\n', "").into_bytes()),
        ] {
            let expected = [(2, "https://a.example/ü,1".to_owned()), (4, "/b".to_owned())];
            assert_eq!(entries(&bytes), expected, "{form}");
        }
        let separated = "sep=;\nAddress;Title\n/a;\"x\ny\"\n/b;z\n";
        assert_eq!(entries(separated.as_bytes()), [(3, "/a".to_owned()), (5, "/b".to_owned())]);
        let sitemap = "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
                       <url><loc>https://a.example/</loc></url></urlset>";
        assert_eq!(entries(sitemap.as_bytes()), [(3, "https://a.example/".to_owned())]);
    }

    #[test]
    fn bad_entries_have_a_problem_and_a_line() {
        let long = "a".repeat(MAX_LINE_BYTES);
        for text in [format!("/a\n/{long}\n\u{1F600}/b\n/c\n"), format!("url,id\n/{long},1\n\"/{long}\n\",2\n/c,3\n")] {
            let found: Vec<Entry> =
                from_source(Cursor::new(text.clone().into_bytes())).unwrap().map(Result::unwrap).collect();
            let long = found.iter().find(|entry| entry.problem.is_some()).unwrap();
            assert_eq!(long.line, 2);
            assert!(long.text.len() < 100 && long.problem.as_ref().unwrap().contains("a longer text"), "{long:?}");
            assert_eq!(found.last().unwrap().text, "/c");
        }
        let found: Vec<Entry> = from_source(&b"/a\n/\xFF\n/b\n"[..]).unwrap().map(Result::unwrap).collect();
        assert_eq!((found.len(), found[1].line), (3, 2));
        assert!(found[1].problem.as_ref().unwrap().contains("not UTF-8"), "{found:?}");
    }

    #[test]
    fn no_row_disappears() {
        for (text, expected) in [
            // An open quote.
            ("url,title\n/q,\"a\n/p,2\n/p,3\n", &["/q!"][..]),
            ("/q\t\"5 inch\n/p\tx\n", &["/q!"]),
            ("url,title\n/q,\"5 inch\n/p,\"7 inch\"\n/r,1\n", &["/q!", "/r"]),
            ("url,title\n\"/q\"x,1\n/r,1\n", &["/q!", "/r"]),
            ("url,title\n/a\"b,5\" disk\n", &["/a\"b"]),
            // Too many or too few cells.
            ("url,title\n/a,secret,1\n/b,2\n", &["/a!", "/b"]),
            ("id,url\n1,/a,secret\n2\n3,/b\n", &["/a!", "!", "/b"]),
            ("\"url\"\n/a,secret\n", &["/a!"]),
            ("url\n/a,secret\n\"/b\"\"c\"\n\"/d\n", &["/a,secret", "/b\"c", "\"/d"]),
            // The first line.
            ("https://a.example/api?f=id,url,title\n/x,/p,z\n", &["https://a.example/api?f=id,url,title", "/x,/p,z"]),
            ("/title\thttps://a.example/b\n/x\thttps://a.example/c\n", &["https://a.example/b", "https://a.example/c"]),
            // Characters that parsers of URLs remove.
            ("url,id\n\"/a\n/b\",1\n/c\td,2\n", &["/a\n/b!", "/c\td!"]),
        ] {
            let found: Vec<String> = from_source(Cursor::new(text.as_bytes()))
                .unwrap()
                .map(Result::unwrap)
                .map(|entry| entry.text + if entry.problem.is_some() { "!" } else { "" })
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn an_open_quote_hides_at_most_100_lines() {
        let text = format!("url,id\n\"/a,1\n{}", "/b,2\n".repeat(1_000));
        let found: Vec<Entry> = from_source(Cursor::new(text.into_bytes())).unwrap().map(Result::unwrap).collect();
        assert_eq!(found.len(), 1 + 1_000 - 99);
        assert!(found[0].problem.as_ref().unwrap().ends_with("the row of lines 2 to 101 was not read"), "{found:?}");
        assert_eq!((found[1].line, found[0].text.len()), (102, 4));
    }

    #[test]
    fn other_files_are_refused() {
        for (text, reason) in [
            (
                "Address 2,Status\n/a,200\n",
                "expected a column named url, address or loc, found the columns Address 2, Status",
            ),
            ("192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] \"GET /a HTTP/1.1\" 200 5\n", "found an access log"),
        ] {
            let error = from_source(Cursor::new(text.as_bytes().to_vec())).err().unwrap();
            assert!(error.to_string().contains(reason), "{error}");
        }
        assert_eq!(entries(b"mailto:me@a.example,b\n/c,d\n").len(), 2, "a bad URL is not a header");
        assert_eq!(entries(b""), []);
    }
}

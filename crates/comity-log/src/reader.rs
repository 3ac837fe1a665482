//! Logs, as blocks of lines.

use std::fmt;
use std::io::{self, Read};

use memchr::{memchr, memrchr};

use crate::entry::{LogEntry, LogProblem};
use crate::format::{Form, LogFormat};
use crate::json::FieldPlace;
use crate::unpack::unpacked;

/// The maximum length of a line in bytes. A longer one is a problem, and takes no memory.
pub const MAX_LINE_BYTES: usize = 64 << 10;
/// The size of a block in bytes.
const BLOCK_BYTES: usize = 1 << 20;
/// The maximum number of lines, and of their bytes, before the first request.
const MAX_OTHER_LINES: usize = 1_000;
const MAX_OTHER_BYTES: usize = BLOCK_BYTES;
/// The maximum number of lines that show the format.
const MAX_SAMPLE_LINES: usize = 100;

const TOO_LONG: LogProblem = LogProblem("expected a line of at most 64 KiB");

/// The options of reading a log. By default, its format is found out.
#[derive(Clone, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct LogOptions {
    /// The format. By default, the first lines show it.
    pub format: Option<LogFormat>,
    /// The places of fields in JSON objects, such as `request.path`. By default, the places of common servers are tried.
    pub fields: Vec<FieldPlace>,
}

/// A log that is read block by block, so that threads can share the work.
///
/// ```
/// use comity_log::{LogOptions, LogReader};
///
/// let log = b"192.0.2.1 - - [01/Nov/2026:09:30:00 +0000] \"GET /a HTTP/1.1\" 200 512 \"-\" \"ExampleBot/1.0\"\n";
/// let mut reader = LogReader::open(&log[..], &LogOptions::default())?;
/// while let Some(block) = reader.next_block() {
///     for line in block?.lines() {
///         if let Some(request) = line.entry? {
///             assert_eq!(*request.target.unwrap(), *b"/a");
///         }
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LogReader<'r> {
    source: Source<'r>,
    form: Form,
    /// The bytes after the last block.
    rest: Vec<u8>,
    /// The number of lines so far.
    lines: u64,
    is_over: bool,
}

impl fmt::Debug for LogReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogReader").field("form", &self.form).field("lines", &self.lines).finish_non_exhaustive()
    }
}

/// An error of reading a log.
#[derive(Debug)]
#[non_exhaustive]
pub enum LogError {
    /// The file could not be read or decompressed further. It may be truncated.
    Read(io::Error),
    /// None of the first lines is a request in a known format. Contains the start of the first lines.
    NotALog(Vec<String>),
    /// The file has no line.
    Empty,
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "could not be read further: {error}"),
            Self::NotALog(lines) => {
                f.write_str(
                    "expected an access log: combined or common (nginx, Apache), JSON lines (Caddy, Traefik, nginx, Logpush), W3C \
                     extended (IIS, CloudFront), S3 or ALB; found",
                )?;
                lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
            }
            Self::Empty => f.write_str("expected an access log, found an empty file"),
        }
    }
}

impl std::error::Error for LogError {}

impl<'r> LogReader<'r> {
    /// Opens a log, decompresses it if it is compressed with gzip or zstd, and finds out its format.
    pub fn open(source: impl Read + Send + 'r, options: &LogOptions) -> Result<Self, LogError> {
        let mut source = Source { bytes: unpacked(source).map_err(LogError::Read)?, size: MAX_LINE_BYTES };
        let mut head = Vec::new();
        loop {
            let is_end = source.fill(&mut head).map_err(LogError::Read)?;
            if head.starts_with(b"\xEF\xBB\xBF") {
                head.drain(..3);
            }
            // The last line may be incomplete.
            let whole = if is_end { head.len() } else { memrchr(b'\n', &head).map_or(0, |end| end + 1) };
            let lines: Vec<&[u8]> = head[..whole].split(|byte| *byte == b'\n').collect();
            for sample in lines[..lines.len().min(MAX_OTHER_LINES)].chunks(MAX_SAMPLE_LINES) {
                if let Some(form) = Form::of(sample, options.format, &options.fields) {
                    return Ok(Self { source, form, rest: head, lines: 0, is_over: false });
                }
            }
            if is_end || lines.len() > MAX_OTHER_LINES || head.len() > MAX_OTHER_BYTES {
                return Err(not_a_log(&head));
            }
        }
    }

    /// Returns a warning about the log, for people: its targets may not be those that were sent.
    pub fn warning(&self) -> Option<&'static str> {
        const REWRITTEN: &str = "`uri` may be the path that the server chose, not the one that was asked for: log `$request_uri`, or name the \
                 field with --field uri=NAME";
        matches!(&self.form, Form::Json(fields) if fields.is_rewritten).then_some(REWRITTEN)
    }

    /// Returns the next lines; `None` at the end, and after an error.
    pub fn next_block(&mut self) -> Option<Result<LogBlock, LogError>> {
        if self.is_over {
            return None;
        }
        let mut bytes = std::mem::take(&mut self.rest);
        let mut searched = 0;
        while memchr(b'\n', &bytes[searched..]).is_none() {
            if bytes.len() >= BLOCK_BYTES {
                // What is left is still too long for a line.
                bytes.truncate(MAX_LINE_BYTES + 2);
            }
            searched = bytes.len();
            let read = self.source.fill(&mut bytes);
            self.is_over = !matches!(read, Ok(false));
            match read {
                Ok(false) => {}
                // The last line may have no end.
                Ok(true) => return (!bytes.is_empty()).then(|| Ok(self.block(bytes))),
                Err(error) => return Some(Err(LogError::Read(error))),
            }
        }
        self.rest = bytes.split_off(memrchr(b'\n', &bytes).map_or(0, |end| end + 1));
        Some(Ok(self.block(bytes)))
    }

    /// Returns the number of lines that were returned.
    pub fn line_count(&self) -> u64 {
        self.lines
    }

    fn block(&mut self, bytes: Vec<u8>) -> LogBlock {
        let form = self.form.clone();
        let first = self.lines + 1;
        self.lines += memchr::memchr_iter(b'\n', &bytes).count() as u64 + u64::from(!bytes.ends_with(b"\n"));
        self.form.pass(&bytes);
        LogBlock { bytes, first, form }
    }
}

/// The bytes of a log, and how many of them are asked for at once.
struct Source<'r> {
    bytes: Box<dyn Read + Send + 'r>,
    size: usize,
}

impl Source<'_> {
    /// Reads once, up to the size of a block. Returns true at the end.
    ///
    /// Each read sets its buffer to zero first. Filling a whole block with zeros for each few bytes of a slow pipe took
    /// longer than parsing its lines, so the buffer is as large as a block only after a read that filled its buffer.
    fn fill(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let start = bytes.len();
        bytes.resize(start.max(self.size - MAX_LINE_BYTES) + MAX_LINE_BYTES, 0);
        let read = loop {
            match self.bytes.read(&mut bytes[start..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let length = start + read.as_ref().copied().unwrap_or(0);
        self.size = if length == bytes.len() { BLOCK_BYTES } else { MAX_LINE_BYTES };
        bytes.truncate(length);
        read.map(|read| read == 0)
    }
}

fn not_a_log(head: &[u8]) -> LogError {
    /// The number of lines, and of their bytes, that are quoted.
    const MAX_QUOTED: (usize, usize) = (3, 100);
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let quoted: Vec<String> = lines
        .take(MAX_QUOTED.0)
        .map(|line| String::from_utf8_lossy(&line[..line.len().min(MAX_QUOTED.1)]).escape_debug().to_string())
        .collect();
    if quoted.is_empty() { LogError::Empty } else { LogError::NotALog(quoted) }
}

/// Some consecutive lines of a log.
#[derive(Clone, Debug)]
pub struct LogBlock {
    bytes: Vec<u8>,
    /// The number of the first line, from 1.
    first: u64,
    form: Form,
}

/// A line of a log.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LogLine<'l> {
    /// The number of the line, from 1.
    pub number: u64,
    /// The bytes, without the line end. Of a line that is longer than a block, not all of them.
    pub bytes: &'l [u8],
    /// The request; `None` for a blank line or a comment.
    pub entry: Result<Option<LogEntry<'l>>, LogProblem>,
}

impl LogBlock {
    /// Reads the lines.
    pub fn lines(&self) -> impl Iterator<Item = LogLine<'_>> {
        let mut form = self.form.clone();
        let mut rest = &self.bytes[..];
        let mut number = self.first;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            let bytes = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            rest = &rest[(end + 1).min(rest.len())..];
            let entry = if bytes.len() > MAX_LINE_BYTES { Err(TOO_LONG) } else { form.read(bytes) };
            number += 1;
            Some(LogLine { number: number - 1, bytes, entry })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::io::Write as _;

    use super::*;

    const LINE: &str = "192.0.2.1 - - [01/Nov/2026:09:30:00 +0000] \"GET /a HTTP/1.1\" 200 512 \"-\" \"Bot/1\"\n";

    /// A source of a few bytes at a time.
    struct Slow<'b>(&'b [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let some = buffer.len().min(7);
            self.0.read(&mut buffer[..some])
        }
    }

    /// The numbers of the lines that are requests, and of those that are problems, and the error.
    type Outcome = (Vec<u64>, Vec<u64>, Option<String>);

    fn read(source: impl Read + Send) -> Result<Outcome, LogError> {
        let mut reader = LogReader::open(source, &LogOptions::default())?;
        let (mut good, mut bad, mut error) = (Vec::new(), Vec::new(), None);
        while let Some(block) = reader.next_block() {
            match block {
                Ok(block) => {
                    for line in block.lines() {
                        match line.entry {
                            Ok(Some(_)) => good.push(line.number),
                            Ok(None) => {}
                            Err(_) => bad.push(line.number),
                        }
                    }
                }
                Err(failure) => error = Some(failure.to_string()),
            }
        }
        Ok((good, bad, error))
    }

    #[test]
    fn every_line_is_read_however_it_arrives() {
        let text = format!("{LINE}\nx\r\n{}\r\n{}", LINE.trim_end(), LINE.trim_end());
        let expected = (vec![1, 4, 5], vec![3], None);
        assert_eq!(read(text.as_bytes()).unwrap(), expected);
        assert_eq!(read(Slow(text.as_bytes())).unwrap(), expected);
        let mut gzip = Vec::new();
        for part in [&text.as_bytes()[..100], &text.as_bytes()[100..]] {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(part).unwrap();
            gzip.extend(writer.finish().unwrap());
            // Tapes and block storages pad files.
            gzip.extend([0; 600]);
        }
        assert_eq!(read(&gzip[..]).unwrap(), expected);
        assert_eq!(read(Slow(&gzip)).unwrap(), expected);
        gzip.extend(b"junk");
        let (good, _, error) = read(&gzip[..]).unwrap();
        assert!(good.starts_with(&[1, 4]) && error.unwrap().contains("could not be read further"));
        let frame = |part: &[u8]| ruzstd::encoding::compress_to_vec(part, ruzstd::encoding::CompressionLevel::Fastest);
        let skippable = [0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 9, 9];
        let zstd = [&frame(&text.as_bytes()[..100])[..], &skippable, &frame(&text.as_bytes()[100..])].concat();
        assert_eq!(read(&zstd[..]).unwrap(), expected);
        assert_eq!(read(Slow(&zstd)).unwrap(), expected);
    }

    #[test]
    fn truncated_files_give_what_they_have() {
        let text = LINE.repeat(50_000);
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(text.as_bytes()).unwrap();
        let gzip = writer.finish().unwrap();
        let zstd = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
        for whole in [gzip, zstd] {
            let (good, bad, error) = read(&whole[..whole.len() / 2]).unwrap();
            assert!(!good.is_empty() && good.len() < 50_000 && bad.is_empty(), "{} {}", good.len(), bad.len());
            assert!(error.unwrap().contains("could not be read further"));
        }
    }

    #[test]
    fn long_lines_are_counted_and_skipped() {
        let long = "x".repeat(MAX_LINE_BYTES + 1);
        let endless = "y".repeat(3 * BLOCK_BYTES);
        let text = format!("{LINE}{long}\n{LINE}{endless}\n{LINE}{endless}");
        assert_eq!(read(text.as_bytes()).unwrap(), (vec![1, 3, 5], vec![2, 4, 6], None));
        assert_eq!(read(&text.as_bytes()[..text.len() - endless.len()]).unwrap(), (vec![1, 3, 5], vec![2, 4], None));
    }

    #[test]
    fn other_files_are_refused_with_their_first_lines() {
        for (text, expected) in [
            ("User-agent: *\nDisallow: /\n".to_owned(), "found\n  User-agent: *\n  Disallow: /"),
            ("\n\n".to_owned(), "found an empty file"),
            (String::new(), "found an empty file"),
            ("{\"a\": 1}\n".to_owned(), "found\n  {\\\"a\\\": 1}"),
            ("no\n".repeat(2_000) + LINE, "found\n  no\n  no\n  no"),
            ("\u{1B}[2J".to_owned(), "\\u{1b}[2J"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{error}");
        }
        assert!(read(format!("{}{LINE}", "no\n".repeat(900)).as_bytes()).is_ok());
    }

    #[test]
    fn columns_may_change_within_a_log() {
        let part = |fields: &str, line: &str| format!("#Fields: {fields}\n{}", format!("{line}\n").repeat(60_000));
        let text = part("date time cs-uri-stem", "2026-11-01 09:30:00 /a")
            + &part("cs-uri-stem date time c-ip", "/b 2026-11-01 09:30:00 192.0.2.1");
        let mut reader = LogReader::open(text.as_bytes(), &LogOptions::default()).unwrap();
        let mut targets = Vec::new();
        while let Some(block) = reader.next_block() {
            let block = block.unwrap();
            targets.extend(block.lines().filter_map(|line| line.entry.unwrap()?.target.map(Cow::into_owned)));
        }
        assert_eq!(targets.len(), 120_000);
        assert!(targets[..60_000].iter().all(|target| target == b"/a") && targets[60_000..].iter().all(|t| t == b"/b"));
    }
}

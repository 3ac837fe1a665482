//! Reads the records of a WARC file.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use super::fetch::MAX_BLOCK;

/// The maximum length of a record's header in bytes.
const MAX_HEADER: u64 = 64 << 10;

/// The number of bytes that are read to find the reason why a record is not valid.
const MAX_SEARCH: u64 = 16 << 20;

/// Reads the records of a WARC file with one gzip member for each record.
///
/// It takes memory for one record, and at most about 600 KB of it. After an error, there are no more records.
#[derive(Debug)]
pub struct WarcReader<R> {
    input: Counted<R>,
    header: Vec<u8>,
    is_at_end: bool,
}

/// A record of a WARC file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WarcRecord {
    /// The value of `WARC-Type`, such as `response`.
    pub kind: String,
    /// The value of `WARC-Target-URI`, or empty.
    pub target: String,
    /// The value of `WARC-Date`, or empty.
    pub date: String,
    /// True if the archive contains only the start of what was sent (`WARC-Truncated`).
    pub is_truncated: bool,
    /// The start of the block. Of a response, it contains the head and all that is parsed of the body.
    pub block: Vec<u8>,
    /// True if the block is longer than what is read of it.
    pub(super) is_block_cut: bool,
}

/// The error of an archive that is damaged or cut, with the offset of the record in the file.
#[derive(Debug)]
pub struct WarcError {
    offset: u64,
    kind: ErrorKind,
}

#[derive(Debug)]
enum ErrorKind {
    Read(io::Error),
    NotARecord(String),
    HeaderTooLong,
    NoLength(String),
    Cut { declared: u64, found: u64 },
    MoreRecords,
}

impl WarcError {
    /// Returns the offset of the record in the file, in bytes. All records before it were read.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl fmt::Display for WarcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at offset {}: ", self.offset)?;
        match &self.kind {
            ErrorKind::Read(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                f.write_str("expected the rest of a gzip member, found the end of the file; the archive is cut")
            }
            ErrorKind::Read(error) => write!(f, "expected a gzip member with a WARC record, found damaged data: {error}"),
            ErrorKind::NotARecord(found) => write!(f, "expected a record that starts with `WARC/1.`, found `{found}`"),
            ErrorKind::HeaderTooLong => write!(f, "expected the header of a record, found more than {MAX_HEADER} bytes"),
            ErrorKind::NoLength(found) => write!(f, "expected a number as `Content-Length`, found `{found}`"),
            ErrorKind::Cut { declared, found } => {
                write!(f, "expected a block of {declared} bytes, found {found}; the record is cut")
            }
            ErrorKind::MoreRecords => f.write_str(
                "expected one record in the gzip member, found more data; write the archive with a member for each record",
            ),
        }
    }
}

impl std::error::Error for WarcError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Read(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ErrorKind {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl<R: BufRead> WarcReader<R> {
    /// Creates a reader of an archive.
    pub fn new(input: R) -> Self {
        Self { input: Counted { input, position: 0 }, header: Vec::new(), is_at_end: false }
    }

    /// Reads the next record. Returns false at the end of the archive.
    ///
    /// # Errors
    ///
    /// If the archive is damaged or cut. The next call returns false.
    pub fn read(&mut self, record: &mut WarcRecord) -> Result<bool, WarcError> {
        let offset = self.input.position;
        if self.is_at_end {
            return Ok(false);
        }
        let result = self.read_member(record);
        self.is_at_end = !matches!(result, Ok(true));
        result.map_err(|kind| WarcError { offset, kind })
    }

    fn read_member(&mut self, record: &mut WarcRecord) -> Result<bool, ErrorKind> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let mut member = BufReader::with_capacity(16 << 10, GzDecoder::new(&mut self.input));
        match read_record(&mut member, &mut self.header, record) {
            Ok(()) => Ok(true),
            Err(ErrorKind::Read(error)) => Err(error.into()),
            // Damaged data may look like a strange record. The checksum is at the end of the member.
            Err(other) => match io::copy(&mut member.take(MAX_SEARCH), &mut io::sink()) {
                Ok(_) => Err(other),
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// Reads a record, and the end of its member.
fn read_record(member: &mut impl BufRead, header: &mut Vec<u8>, record: &mut WarcRecord) -> Result<(), ErrorKind> {
    let length = read_header(member, header, record)?;
    record.block.clear();
    let kept = member.take(length.min(MAX_BLOCK as u64)).read_to_end(&mut record.block)? as u64;
    record.is_block_cut = kept < length;
    let skipped = io::copy(&mut member.take(length - kept), &mut io::sink())?;
    if kept + skipped < length {
        return Err(ErrorKind::Cut { declared: length, found: kept + skipped });
    }
    // Two line ends follow. Reading to the end of the member verifies its checksum.
    let mut rest = Vec::new();
    member.take(16).read_to_end(&mut rest)?;
    if rest.iter().any(|octet| !matches!(octet, b'\r' | b'\n')) || rest.len() == 16 {
        return Err(ErrorKind::MoreRecords);
    }
    Ok(())
}

/// Reads the header of a record. Returns the length of its block.
fn read_header(member: &mut impl BufRead, header: &mut Vec<u8>, record: &mut WarcRecord) -> Result<u64, ErrorKind> {
    let mut input = member.take(MAX_HEADER);
    header.clear();
    input.read_until(b'\n', header)?;
    if !header.starts_with(b"WARC/1.") {
        let start = &header[..header.len().min(40)];
        return Err(ErrorKind::NotARecord(comity::Escaped(start.trim_ascii_end()).to_string()));
    }
    for field in [&mut record.kind, &mut record.target, &mut record.date] {
        field.clear();
    }
    record.is_truncated = false;
    let mut length = None;
    loop {
        header.clear();
        input.read_until(b'\n', header)?;
        if !header.ends_with(b"\n") {
            return Err(if input.limit() == 0 { ErrorKind::HeaderTooLong } else { ErrorKind::NoLength(String::new()) });
        }
        let line = header.trim_ascii();
        if line.is_empty() {
            break;
        }
        let Some(colon) = line.iter().position(|octet| *octet == b':') else { continue };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        let text = || String::from_utf8_lossy(value);
        if is("WARC-Type") {
            record.kind.push_str(&text());
        } else if is("WARC-Target-URI") {
            // Some writers put the URI into angle brackets, as the standard once did by mistake.
            record.target.push_str(text().trim_start_matches('<').trim_end_matches('>'));
        } else if is("WARC-Date") {
            record.date.push_str(&text());
        } else if is("WARC-Truncated") {
            record.is_truncated = true;
        } else if is("Content-Length") {
            length = Some(text().into_owned());
        }
    }
    let length = length.unwrap_or_default();
    length.parse().map_err(|_| ErrorKind::NoLength(comity::Escaped(length.as_bytes()).to_string()))
}

/// A reader that counts the bytes that were used.
#[derive(Debug)]
struct Counted<R> {
    input: R,
    position: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, used: usize) {
        self.position += used as u64;
        self.input.consume(used);
    }
}

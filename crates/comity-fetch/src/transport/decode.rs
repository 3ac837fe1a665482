//! Decodes content codings (RFC 9110 §8.4).
//!
//! Everything in a body must be understood, since it might be a rule. So a second coding, and bytes after the end of a
//! coded stream are errors. A coded body without any bytes is an error too, because an empty file would allow everything.
//!
//! A name that is no coding at all is an error, unless the body is a robots.txt as it is: UTF-8 text with a record that
//! crawlers know. Servers write `UTF-8` and `none` there, and browsers and curl then use the bytes as they are. Google
//! documents the codings that it decodes, but not what it does about others. A coding that exists but is not decoded
//! here is always an error, since some of them copy parts of a text: what is between these parts might be a rule.
//!
//! gzip and deflate are enough: a robots.txt is read up to 500 KiB, and a server that sends `br` or `zstd` although they
//! are not in `Accept-Encoding` breaks RFC 9110 §12.5.3. Both were decoded once; zstd is C, which took a tenth of the
//! processor time of a build.

mod input;

use std::io::{self, ErrorKind};

use ::http::{HeaderMap, HeaderValue, header};
use comity_policy::Failure;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use self::input::Input;
use super::error::{TransportError, shown};
use super::framing::Framed;

/// The value of `Accept-Encoding`.
pub(super) const ACCEPTED: HeaderValue = HeaderValue::from_static("gzip, deflate");

/// The maximum number of bytes of a coded body that are read by default. No coding makes the parsed part of a
/// robots.txt longer than this; a longer body decodes to nothing forever.
const MAX_CODED: usize = 1024 * 1024;

/// The maximum number of bytes that are decoded at once.
const PIECE_BYTES: usize = 16 * 1024;

/// A body after decoding.
pub(super) struct Decoded {
    framed: Framed,
    /// The number of bytes of the coded body that have been received.
    received: usize,
    max_coded: usize,
    state: State,
}

enum State {
    Plain,
    /// Nothing has been read yet.
    Coded(Coding),
    Decoding(Box<dyn Decode>),
    /// Nothing has been read yet, and this is the error of the coding, unless the body is a robots.txt as it is.
    Unknown(TransportError),
    /// The body has been read to its end.
    Over,
}

/// A decoder, which reads an [`Input`].
///
/// `read` fails with [`ErrorKind::WouldBlock`] if there is no input, and returns 0 at the end of the coded stream, not at the
/// end of the input.
trait Decode: io::Read + Send {
    fn input(&mut self) -> &mut Input;
}

impl Decode for MultiGzDecoder<Input> {
    fn input(&mut self) -> &mut Input {
        self.get_mut()
    }
}

impl Decode for ZlibDecoder<Input> {
    fn input(&mut self) -> &mut Input {
        self.get_mut()
    }
}

impl Decode for DeflateDecoder<Input> {
    fn input(&mut self) -> &mut Input {
        self.get_mut()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
}

impl Coding {
    /// Returns the coding of this name, in lower case.
    fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"gzip" | b"x-gzip" => Some(Self::Gzip),
            b"deflate" => Some(Self::Deflate),
            _ => None,
        }
    }
}

/// Returns true for the name, in lower case, of a coding that leaves a body as it is.
fn is_identity(name: &[u8]) -> bool {
    matches!(name, b"" | b"identity")
}

/// Returns true if a `Content-Encoding` has only codings that are known here.
pub(crate) fn is_known(value: &str) -> bool {
    value.split(',').all(|name| {
        let name = name.trim().to_ascii_lowercase();
        is_identity(name.as_bytes()) || Coding::named(name.as_bytes()).is_some()
    })
}

impl Decoded {
    pub(super) fn new(framed: Framed, headers: &HeaderMap) -> Result<Self, TransportError> {
        let state = coding(headers)?;
        Ok(Self { framed, received: 0, max_coded: MAX_CODED, state })
    }

    /// Raises the limit on a coded body for `bytes` decoded bytes. No coding doubles a length.
    pub(super) fn make_room_for(&mut self, bytes: usize) {
        self.max_coded = bytes.saturating_mul(2).max(MAX_CODED);
    }

    /// Returns the next bytes, or `None` after the end of a whole body.
    pub(super) async fn chunk(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        if let State::Coded(coding) = self.state {
            let Some(bytes) = self.next_coded().await? else {
                return Err(undecodable("the body is empty, and not what its Content-Encoding says"));
            };
            self.state = State::Decoding(decoder(coding, bytes));
        }
        match &self.state {
            State::Unknown(error) => {
                let error = error.clone();
                let body = self.whole().await?;
                return if has_record(&body) { Ok(Some(body)) } else { Err(error) };
            }
            State::Over => return Ok(None),
            _ => {}
        }
        let mut piece = Vec::new();
        loop {
            let State::Decoding(decoder) = &mut self.state else { return self.framed.next_bytes().await };
            piece.resize(PIECE_BYTES, 0);
            match decoder.read(&mut piece) {
                Ok(0) => return self.check_end().await.map(|()| None),
                Ok(read) => {
                    piece.truncate(read);
                    return Ok(Some(piece));
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    let more = self.next_coded().await?;
                    let State::Decoding(decoder) = &mut self.state else { continue };
                    match more {
                        Some(bytes) => decoder.input().add(bytes),
                        None => decoder.input().end(),
                    }
                }
                Err(e) => return Err(undecoded(&e)),
            }
        }
    }

    /// Returns the whole body.
    async fn whole(&mut self) -> Result<Vec<u8>, TransportError> {
        let mut body = Vec::new();
        while let Some(bytes) = self.next_coded().await? {
            body.extend(bytes);
        }
        self.state = State::Over;
        Ok(body)
    }

    async fn next_coded(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        let Some(bytes) = self.framed.next_bytes().await? else { return Ok(None) };
        self.received = self.received.saturating_add(bytes.len());
        if self.received > self.max_coded {
            return Err(undecodable(format!("more than {} bytes that decode to less", self.max_coded)));
        }
        Ok(Some(bytes))
    }

    /// Checks that the body ends where its coding does.
    async fn check_end(&mut self) -> Result<(), TransportError> {
        let State::Decoding(decoder) = &mut self.state else { return Ok(()) };
        let (has_more, has_ended) = (!decoder.input().is_empty(), decoder.input().has_ended());
        if has_more || (!has_ended && self.next_coded().await?.is_some()) {
            return Err(undecodable("there is more after the end of what was encoded"));
        }
        Ok(())
    }
}

/// Chooses the decoder by the coding and the first bytes.
fn decoder(coding: Coding, bytes: Vec<u8>) -> Box<dyn Decode> {
    // The name means zlib, but some servers send the bare format. That starts with this value only in streams that no
    // encoder writes: a stored block with bits set that must be zero.
    let is_zlib = bytes.first().is_some_and(|first| first & 0x0F == 8);
    let input = Input::new(bytes);
    match coding {
        Coding::Gzip => Box::new(MultiGzDecoder::new(input)),
        Coding::Deflate if is_zlib => Box::new(ZlibDecoder::new(input)),
        Coding::Deflate => Box::new(DeflateDecoder::new(input)),
    }
}

/// The codings that exist and are not decoded here: those of the IANA registry (RFC 9110 §18.6), and others that are used
/// without it.
#[rustfmt::skip] // one name per line would only be longer
const NOT_DECODED: [&[u8]; 18] = [
    b"br", b"zstd", b"compress", b"x-compress", b"dcb", b"dcz", b"aes128gcm", b"exi", b"pack200-gzip",
    b"bzip2", b"x-bzip", b"x-bzip2", b"lz4", b"lzma", b"sdch", b"snappy", b"x-snappy-framed", b"xz",
];

/// Returns true for UTF-8 text with a record of a robots.txt. Control characters show that it is no text, and a size in
/// hexadecimal digits on its first line that it is a series of chunks, as of `aws-chunked`: these may part a rule.
fn has_record(body: &[u8]) -> bool {
    const NAMES: [&str; 4] = ["user-agent", "disallow", "allow", "sitemap"];
    let is_record = |line: &str| {
        line.split_once(':').is_some_and(|(name, _)| NAMES.iter().any(|known| name.trim().eq_ignore_ascii_case(known)))
    };
    let is_text = body.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..));
    let is_size = |line: &str| {
        let size = line.split(';').next().unwrap_or_default().trim();
        !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    is_text
        && str::from_utf8(body).is_ok_and(|text| {
            let text = text.trim_start_matches('\u{feff}').trim_start();
            !text.lines().next().is_some_and(is_size) && text.lines().any(is_record)
        })
}

/// Returns the state in which a body is read first, by its coding.
fn coding(headers: &HeaderMap) -> Result<State, TransportError> {
    let (mut found, mut unknown) = (None, None);
    for field in headers.get_all(header::CONTENT_ENCODING) {
        for name in field.as_bytes().split(|byte| *byte == b',') {
            let name = name.trim_ascii().to_ascii_lowercase();
            if is_identity(&name) {
                continue;
            }
            let Some(coding) = Coding::named(&name) else {
                let shown = shown(&*name);
                let error = undecodable(format!("expected the Content-Encoding gzip or deflate, found `{shown}`"));
                // The parameters of a name are not read.
                let name = name.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
                if NOT_DECODED.contains(&name) {
                    return Err(error);
                }
                unknown.get_or_insert(error);
                continue;
            };
            if found.replace(coding).is_some() {
                return Err(undecodable("more than one Content-Encoding"));
            }
        }
    }
    Ok(unknown.map(State::Unknown).or(found.map(State::Coded)).unwrap_or(State::Plain))
}

fn undecodable(detail: impl Into<String>) -> TransportError {
    TransportError::new(Failure::Encoding, detail)
}

fn undecoded(error: &io::Error) -> TransportError {
    undecodable(format!("the body can't be decoded: {}", shown(error.to_string())))
}

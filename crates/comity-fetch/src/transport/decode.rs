//! Decodes content codings (RFC 9110 §8.4).
//!
//! Everything in a body must be understood, since it might be a rule. So an unknown coding, a second coding, and bytes after
//! the end of a coded stream are problems. So is a coded body without any member or frame of data (no bytes at all, or
//! skippable frames only), which as an empty file would allow everything.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::http::{HeaderMap, header};
use async_compression::tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use async_compression::zstd::DParameter;
use bytes::{Bytes, BytesMut};
use comity_policy::Failure;
use futures_core::Stream;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _};
use tokio_util::io::StreamReader;

use super::framing::RawBody;
use super::problem::{Problem, cause, shown};
use super::zstd;

/// The most bytes of a coded body that are read by default. No coding makes the part of a robots.txt that counts longer
/// than this; a longer body decodes to nothing forever.
const MAX_CODED: usize = 1024 * 1024;

/// The most bytes that are decoded at once.
const PIECE: usize = 16 * 1024;

/// The largest window of zstd: 8 MiB, which decoders must support (RFC 9659).
const ZSTD_WINDOW_LOG: u32 = 23;

type Reader = StreamReader<Frames, Bytes>;

/// A body of HTTP after decoding.
pub(super) enum Decoded {
    Plain(Frames),
    /// Nothing was read yet.
    Coded(Coding, Reader),
    Gzip(GzipDecoder<Reader>),
    Zlib(ZlibDecoder<Reader>),
    Deflate(DeflateDecoder<Reader>),
    Brotli(BrotliDecoder<Reader>),
    Zstd(ZstdDecoder<Reader>),
    /// While one of them becomes another.
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Decoded {
    pub(super) fn new(raw: RawBody, fields: &HeaderMap) -> Result<Self, Problem> {
        let coding = coding(fields)?;
        let zstd = (coding == Some(Coding::Zstd)).then(zstd::Frames::default);
        let frames = |most| Frames { raw, read: 0, most, zstd };
        Ok(match coding {
            None => Self::Plain(frames(usize::MAX)),
            Some(coding) => Self::Coded(coding, StreamReader::new(frames(MAX_CODED))),
        })
    }

    /// Raises the limit on a coded body, before the first read, for so many decoded bytes. No coding doubles a length.
    pub(super) fn make_room_for(&mut self, bytes: usize) {
        if let Self::Coded(_, reader) = self {
            reader.get_mut().most = bytes.saturating_mul(2).max(MAX_CODED);
        }
    }

    /// Returns the next bytes, or `None` after the end of a whole body.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, Problem> {
        if let Self::Plain(frames) = self {
            let frame = std::future::poll_fn(|cx| Pin::new(&mut *frames).poll_next(cx)).await;
            return frame.transpose().map_err(|e| problem(&e));
        }
        if matches!(self, Self::Coded(..)) {
            self.begin().await?;
        }
        let mut piece = BytesMut::with_capacity(PIECE);
        let read = match self {
            Self::Gzip(decoder) => decoder.read_buf(&mut piece).await,
            Self::Zlib(decoder) => decoder.read_buf(&mut piece).await,
            Self::Deflate(decoder) => decoder.read_buf(&mut piece).await,
            Self::Brotli(decoder) => decoder.read_buf(&mut piece).await,
            Self::Zstd(decoder) => decoder.read_buf(&mut piece).await,
            Self::Plain(_) | Self::Coded(..) | Self::Gone => Err(io::ErrorKind::Other.into()),
        };
        if read.map_err(|e| problem(&e))? == 0 {
            self.end().await?;
            return Ok(None);
        }
        Ok(Some(piece.freeze()))
    }

    /// Chooses the decoder by the coding and the first byte.
    async fn begin(&mut self) -> Result<(), Problem> {
        let Self::Coded(coding, mut reader) = std::mem::replace(self, Self::Gone) else { return Ok(()) };
        let Some(first) = reader.fill_buf().await.map_err(|e| problem(&e))?.first().copied() else {
            return Err(undecodable("the body is empty, and not what its Content-Encoding says"));
        };
        *self = match coding {
            Coding::Gzip => {
                let mut decoder = GzipDecoder::new(reader);
                decoder.multiple_members(true);
                Self::Gzip(decoder)
            }
            // The name says zlib, and some send the bare format. That starts with this only in streams that no encoder
            // writes: a stored block with bits set that must be zero.
            Coding::Deflate if first & 0x0F == 8 => Self::Zlib(ZlibDecoder::new(reader)),
            Coding::Deflate => Self::Deflate(DeflateDecoder::new(reader)),
            Coding::Brotli => Self::Brotli(BrotliDecoder::new(reader)),
            Coding::Zstd => {
                let window = DParameter::window_log_max(ZSTD_WINDOW_LOG);
                let mut decoder = ZstdDecoder::with_params(reader, &[window]);
                decoder.multiple_members(true);
                Self::Zstd(decoder)
            }
        };
        Ok(())
    }

    /// Checks that the body ends where its coding does.
    async fn end(&mut self) -> Result<(), Problem> {
        let reader = match self {
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
            Self::Brotli(decoder) => decoder.get_mut(),
            Self::Zstd(decoder) => decoder.get_mut(),
            Self::Plain(_) | Self::Coded(..) | Self::Gone => return Ok(()),
        };
        let more = reader.fill_buf().await.map_err(|e| problem(&e))?;
        if !more.is_empty() {
            return Err(undecodable("there is more after the end of what was encoded"));
        }
        match &reader.get_ref().zstd {
            Some(frames) if !frames.has_data() => Err(undecodable("the body has nothing but skippable frames")),
            _ => Ok(()),
        }
    }
}

/// Returns the coding of a body, if it has one.
fn coding(fields: &HeaderMap) -> Result<Option<Coding>, Problem> {
    let mut found = None;
    for field in fields.get_all(header::CONTENT_ENCODING) {
        for name in field.as_bytes().split(|byte| *byte == b',') {
            let coding = match name.trim_ascii().to_ascii_lowercase().as_slice() {
                b"" | b"identity" => continue,
                b"gzip" | b"x-gzip" => Coding::Gzip,
                b"deflate" => Coding::Deflate,
                b"br" => Coding::Brotli,
                b"zstd" => Coding::Zstd,
                other => return Err(undecodable(format!("an unknown Content-Encoding, `{}`", shown(other)))),
            };
            if found.replace(coding).is_some() {
                return Err(undecodable("more than one Content-Encoding"));
            }
        }
    }
    Ok(found)
}

fn undecodable(detail: impl Into<String>) -> Problem {
    Problem::new(Failure::Encoding, detail)
}

/// Returns the problem that a decoder's error wraps, or else a problem of decoding.
fn problem(error: &io::Error) -> Problem {
    match cause::<Problem>(error) {
        Some(problem) => problem.clone(),
        None => undecodable(format!("the body can't be decoded: {}", shown(error.to_string()))),
    }
}

/// The bytes of a body as they come, up to a limit.
pub(super) struct Frames {
    raw: RawBody,
    read: usize,
    most: usize,
    zstd: Option<zstd::Frames>,
}

impl Stream for Frames {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let bytes = match ready!(self.raw.poll_bytes(cx)) {
            None => return Poll::Ready(None),
            Some(Ok(bytes)) => bytes,
            Some(Err(problem)) => return Poll::Ready(Some(Err(io::Error::other(problem)))),
        };
        self.read = self.read.saturating_add(bytes.len());
        if self.read > self.most {
            let detail = format!("more than {} bytes that decode to less", self.most);
            return Poll::Ready(Some(Err(io::Error::other(undecodable(detail)))));
        }
        if let Some(frames) = &mut self.zstd {
            frames.parse(&bytes);
        }
        Poll::Ready(Some(Ok(bytes)))
    }
}

//! Content codings (RFC 9110 §8.4.1), for whole bodies and for endless streams.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use crate::wire::Pieces;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coding {
    /// `gzip` (RFC 1952).
    Gzip,
    /// `deflate`, which is the zlib format (RFC 1950).
    Deflate,
    /// The bare format (RFC 1951) without the zlib header, which some servers send as `deflate`.
    BareDeflate,
}

impl Coding {
    /// All codings.
    pub const ALL: [Coding; 3] = [Coding::Gzip, Coding::Deflate, Coding::BareDeflate];

    /// Returns its name in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Deflate | Coding::BareDeflate => "deflate",
        }
    }

    /// Encodes the bytes.
    ///
    /// ```
    /// use comity_testserver::Coding;
    ///
    /// let bomb = Coding::Gzip.encode(&[0; 1 << 20]);
    /// assert_eq!(bomb[..2], [0x1f, 0x8b]);
    /// assert!(bomb.len() < 2_000);
    /// ```
    pub fn encode(self, bytes: &[u8]) -> Bytes {
        self.encode_stream(Box::new(std::iter::once(Bytes::copy_from_slice(bytes)))).flatten().collect()
    }

    pub(crate) fn encode_stream(self, pieces: Pieces) -> Pieces {
        let out = Out::default();
        Box::new(Encoding { pieces, encoder: Some(self.encoder(out.clone())), out })
    }

    /// Returns an encoder that ends its stream on drop.
    fn encoder(self, out: Out) -> Box<dyn Write + Send> {
        match self {
            Coding::Gzip => Box::new(GzEncoder::new(out, Compression::default())),
            Coding::Deflate => Box::new(ZlibEncoder::new(out, Compression::default())),
            Coding::BareDeflate => Box::new(DeflateEncoder::new(out, Compression::default())),
        }
    }
}

/// The output of an encoder that has not been taken yet.
#[derive(Clone, Default)]
struct Out(Arc<Mutex<Vec<u8>>>);

impl Out {
    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().expect("no encoder panics")).into()
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no encoder panics").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Encoding {
    pieces: Pieces,
    encoder: Option<Box<dyn Write + Send>>,
    out: Out,
}

impl Iterator for Encoding {
    type Item = Bytes;

    /// Encodes one piece and returns the output. Without the flush, megabytes of zeros would go in before anything
    /// comes out.
    fn next(&mut self) -> Option<Bytes> {
        let encoder = self.encoder.as_mut()?;
        match self.pieces.next() {
            Some(piece) => encoder.write_all(&piece).and_then(|()| encoder.flush()).expect("memory takes everything"),
            None => self.encoder = None,
        }
        Some(self.out.take())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::Coding;

    /// Checks that the encoder returns output for each input: otherwise a client of a bomb would wait for long, while
    /// the encoder reads gigabytes.
    #[test]
    fn encoder_returns_output_for_each_input() {
        for coding in Coding::ALL {
            let zeros = std::iter::repeat(Bytes::from_static(&[0; 1024]));
            let mut encoded = coding.encode_stream(Box::new(zeros));
            assert!((0..100).all(|_| !encoded.next().unwrap().is_empty()), "{coding:?}");
        }
    }
}

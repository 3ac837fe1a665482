//! Compression of answers.
//!
//! Only complete documents are compressed, where they are made: on threads where long work delays nobody, and before
//! their size is counted. A layer around all handlers would compress on the threads of all clients, and would hide the
//! size of an answer from the limit on memory.

use std::io::{self, Write};

use flate2::write::GzEncoder;

use crate::accept::Coding;

/// The minimum size of an answer that is compressed, in bytes. A smaller one fits into one packet anyway.
pub(crate) const MIN_BYTES: usize = 1400;

/// The effort of a compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// For an answer that is sent once.
    Once,
    /// For a document that is compressed once and sent many times.
    Kept,
}

/// Compresses a document.
///
/// # Errors
///
/// If there is not enough memory for it.
pub(crate) fn compress(body: &[u8], coding: Coding, effort: Effort) -> io::Result<Vec<u8>> {
    let is_kept = effort == Effort::Kept;
    let out = Vec::with_capacity(body.len() / 4);
    match coding {
        Coding::Zstd => zstd::bulk::compress(body, if is_kept { 12 } else { 3 }),
        Coding::Brotli => {
            const BUFFER_BYTES: usize = 16 << 10;
            // The logarithm of the number of bytes in which repetitions are found. More would cost more memory.
            const WINDOW: u32 = 18;
            let quality = if is_kept { 9 } else { 4 };
            let mut encoder = brotli::CompressorWriter::new(out, BUFFER_BYTES, quality, WINDOW);
            encoder.write_all(body)?;
            Ok(encoder.into_inner())
        }
        Coding::Gzip => {
            let level = flate2::Compression::new(if is_kept { 9 } else { 4 });
            let mut encoder = GzEncoder::new(out, level);
            encoder.write_all(body)?;
            encoder.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn documents_come_back() {
        let body = "{\"url\":\"https://example.com/private/\",\"allowed\":false}".repeat(100);
        for effort in [Effort::Once, Effort::Kept] {
            for coding in Coding::ALL {
                let compressed = compress(body.as_bytes(), coding, effort).unwrap();
                assert!(compressed.len() < body.len() / 10, "{coding:?}: {}", compressed.len());
                assert_eq!(decompress(&compressed, coding), body.as_bytes(), "{coding:?}");
            }
        }
    }

    fn decompress(compressed: &[u8], coding: Coding) -> Vec<u8> {
        let mut body = Vec::new();
        match coding {
            Coding::Zstd => body = zstd::stream::decode_all(compressed).unwrap(),
            Coding::Brotli => drop(brotli::Decompressor::new(compressed, 4096).read_to_end(&mut body).unwrap()),
            Coding::Gzip => drop(flate2::read::GzDecoder::new(compressed).read_to_end(&mut body).unwrap()),
        }
        body
    }
}

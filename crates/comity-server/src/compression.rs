//! Compression of answers.
//!
//! Only complete documents are compressed, where they are made: on threads where long work delays nobody, and before
//! their size is counted. A layer around all handlers would compress on the threads of all clients, and would hide the
//! size of an answer from the limit on memory.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

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

/// Compresses a document by gzip, which all clients know that accept any coding.
pub(crate) fn compress(body: &[u8], effort: Effort) -> io::Result<Vec<u8>> {
    let level = match effort {
        Effort::Once => 4,
        Effort::Kept => 9,
    };
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::new(level));
    encoder.write_all(body)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn documents_come_back() {
        let body = "{\"url\":\"https://example.com/private/\",\"allowed\":false}".repeat(100);
        for effort in [Effort::Once, Effort::Kept] {
            let compressed = compress(body.as_bytes(), effort).unwrap();
            assert!(compressed.len() < body.len() / 10, "{effort:?}: {}", compressed.len());
            let mut decompressed = String::new();
            GzDecoder::new(&compressed[..]).read_to_string(&mut decompressed).unwrap();
            assert_eq!(decompressed, body, "{effort:?}");
        }
    }
}

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

/// The level for an answer that is sent once.
pub(crate) const ONCE: Compression = Compression::new(4);

/// The level for a document that is compressed once and sent many times.
pub(crate) const KEPT: Compression = Compression::best();

/// Compresses a document by gzip, which all clients know that accept any coding.
pub(crate) fn compress(body: &[u8], level: Compression) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), level);
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
        for level in [ONCE, KEPT] {
            let compressed = compress(body.as_bytes(), level).unwrap();
            assert!(compressed.len() < body.len() / 10, "{level:?}: {}", compressed.len());
            let mut decompressed = String::new();
            GzDecoder::new(&compressed[..]).read_to_string(&mut decompressed).unwrap();
            assert_eq!(decompressed, body, "{level:?}");
        }
    }
}

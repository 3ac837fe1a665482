//! Detects the data frames of a zstd body (RFC 8878 §3.1).
//!
//! Skippable frames are not content, so a body that consists of them is not an empty file. The decoder returns no bytes
//! for them, nor for an empty data frame.

/// A parser of frame headers that stops at the first data frame, which it leaves to the decoder to check.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The magic number and the length of a skippable frame.
    header: [u8; 8],
    /// The number of octets of `header` that have been received.
    read: usize,
    /// The number of octets of the skippable frame that are still to come.
    left: usize,
    has_data: bool,
}

const MAGIC: usize = 4;

/// The magic number of skippable frames, except its lowest four bits.
const SKIPPABLE: u32 = 0x184D_2A50;

impl Frames {
    /// Returns true if a data frame has begun.
    pub(super) fn has_data(&self) -> bool {
        self.has_data
    }

    /// Parses the next bytes of the body.
    pub(super) fn parse(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.has_data {
            if self.left > 0 {
                let passed = self.left.min(bytes.len());
                self.left -= passed;
                bytes = &bytes[passed..];
                continue;
            }
            let end = if self.read < MAGIC { MAGIC } else { self.header.len() };
            let taken = bytes.len().min(end - self.read);
            self.header[self.read..self.read + taken].copy_from_slice(&bytes[..taken]);
            self.read += taken;
            bytes = &bytes[taken..];
            let [a, b, c, d, length @ ..] = self.header;
            if self.read == MAGIC {
                self.has_data = u32::from_le_bytes([a, b, c, d]) & !0xF != SKIPPABLE;
            } else if self.read == self.header.len() {
                self.left = u32::from_le_bytes(length) as usize;
                self.read = 0;
            }
        }
    }
}

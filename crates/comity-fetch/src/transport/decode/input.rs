//! The coded bytes that have been received and not decoded yet.

use std::io::{self, BufRead, ErrorKind, Read};

/// A reader that fails with [`ErrorKind::WouldBlock`] until more bytes are added or the end is declared.
#[derive(Debug)]
pub(super) struct Input {
    bytes: Vec<u8>,
    /// The number of bytes that have been read.
    start: usize,
    has_ended: bool,
}

impl Input {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, start: 0, has_ended: false }
    }

    /// Adds bytes, after all previous ones have been read.
    pub(super) fn add(&mut self, bytes: Vec<u8>) {
        if self.is_empty() {
            (self.bytes, self.start) = (bytes, 0);
        } else {
            self.bytes.extend_from_slice(&bytes);
        }
    }

    /// Declares that no bytes follow.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start >= self.bytes.len()
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_empty() && !self.has_ended {
            Err(ErrorKind::WouldBlock.into())
        } else {
            Ok(&self.bytes[self.start..])
        }
    }

    fn consume(&mut self, amount: usize) {
        self.start = self.bytes.len().min(self.start + amount);
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

//! The coding `deflate`: zlib (RFC 1950), or bare DEFLATE (RFC 1951).

use std::io::{self, BufRead as _, Read};

use flate2::{Decompress, FlushDecompress, Status};

use super::Decode;
use super::input::{Input, incomplete};

pub(super) struct Deflate {
    input: Input,
    state: Decompress,
    has_ended: bool,
}

impl Deflate {
    pub(super) fn new(input: Input, is_zlib: bool) -> Self {
        Self { input, state: Decompress::new(is_zlib), has_ended: false }
    }
}

impl Decode for Deflate {
    fn input(&mut self) -> &mut Input {
        &mut self.input
    }
}

impl Read for Deflate {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        // Bytes inside the decoder are decoded before more input is needed.
        while !self.has_ended {
            let is_starved = self.input.is_empty() && !self.input.has_ended();
            let bytes = if is_starved { &[][..] } else { self.input.fill_buf()? };
            let (had, wrote) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(bytes, output, FlushDecompress::None)?;
            let (had, wrote) = ((self.state.total_in() - had) as usize, (self.state.total_out() - wrote) as usize);
            let is_stuck = had == 0 && wrote == 0;
            self.input.consume(had);
            self.has_ended = status == Status::StreamEnd;
            if wrote > 0 {
                return Ok(wrote);
            }
            if is_stuck && !self.has_ended {
                return Err(if is_starved { io::ErrorKind::WouldBlock.into() } else { incomplete() });
            }
        }
        Ok(0)
    }
}

//! The coding `br` (RFC 7932).

use std::io::{self, BufRead as _, Read};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::Decode;
use super::input::{Input, incomplete};

pub(super) struct Brotli {
    input: Input,
    state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
    has_ended: bool,
}

impl Brotli {
    pub(super) fn new(input: Input) -> Self {
        // Strict: without the large windows that RFC 7932 does not have.
        let alloc = StandardAlloc::default;
        Self { input, state: Box::new(BrotliState::new_strict(alloc(), alloc(), alloc())), has_ended: false }
    }
}

impl Decode for Brotli {
    fn input(&mut self) -> &mut Input {
        &mut self.input
    }
}

impl Read for Brotli {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended {
            let is_starved = self.input.is_empty() && !self.input.has_ended();
            let bytes = if is_starved { &[][..] } else { self.input.fill_buf()? };
            let (mut had, mut wrote) = (0, 0);
            let result = BrotliDecompressStream(
                &mut bytes.len(),
                &mut had,
                bytes,
                &mut output.len(),
                &mut wrote,
                output,
                &mut 0,
                &mut self.state,
            );
            self.input.consume(had);
            match result {
                BrotliResult::ResultFailure => return Err(io::Error::new(io::ErrorKind::InvalidData, "it is damaged")),
                BrotliResult::ResultSuccess => self.has_ended = true,
                BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
            }
            if wrote > 0 {
                return Ok(wrote);
            }
            if had == 0 && !self.has_ended {
                return Err(if is_starved { io::ErrorKind::WouldBlock.into() } else { incomplete() });
            }
        }
        Ok(0)
    }
}

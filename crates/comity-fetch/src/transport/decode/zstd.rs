//! The coding `zstd` (RFC 8878, RFC 9659).

use std::io::{self, BufRead as _, Read};

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation as _, OutBuffer};

use super::Decode;
use super::input::{Input, incomplete};
use super::skippable::Frames;

/// The largest window: 8 MiB, which decoders must support (RFC 9659).
const WINDOW_LOG: u32 = 23;

pub(super) struct Zstd {
    input: Input,
    decoder: Decoder<'static>,
    frames: Frames,
    /// True if the last frame is complete. Another one may follow.
    is_complete: bool,
}

impl Zstd {
    pub(super) fn new(input: Input) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
        Ok(Self { input, decoder, frames: Frames::default(), is_complete: false })
    }
}

impl Decode for Zstd {
    fn input(&mut self) -> &mut Input {
        &mut self.input
    }

    fn flaw(&self) -> Option<&'static str> {
        (!self.frames.has_data()).then_some("the body has nothing but skippable frames")
    }
}

impl Read for Zstd {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.is_complete {
                if self.input.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.decoder.reinit()?;
                self.is_complete = false;
            }
            let is_starved = self.input.is_empty() && !self.input.has_ended();
            let bytes = if is_starved { &[][..] } else { self.input.fill_buf()? };
            let (mut from, mut to) = (InBuffer::around(bytes), OutBuffer::around(&mut *output));
            let left = self.decoder.run(&mut from, &mut to)?;
            let (had, wrote) = (from.pos(), to.pos());
            self.frames.parse(&bytes[..had]);
            self.input.consume(had);
            self.is_complete = left == 0;
            if wrote > 0 {
                return Ok(wrote);
            }
            if had == 0 && !self.is_complete {
                return Err(if is_starved { io::ErrorKind::WouldBlock.into() } else { incomplete() });
            }
        }
    }
}

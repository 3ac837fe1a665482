//! Decompression, by the first bytes of a file and not by its name.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use comity_page::Gunzip;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The number of compressed bytes that are read at once.
const BUFFER_BYTES: usize = 128 << 10;

/// Returns the content of a file that may be compressed with gzip or zstd.
pub(crate) fn unpacked<'r>(mut source: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    let mut start = Vec::with_capacity(4);
    source.by_ref().take(4).read_to_end(&mut start)?;
    let whole = Cursor::new(start.clone()).chain(source);
    Ok(match start[..] {
        [0x1F, 0x8B, ..] => Box::new(Gunzip::new(BufReader::with_capacity(BUFFER_BYTES, whole))),
        [0x28, 0xB5, 0x2F, 0xFD] => {
            Box::new(Frames { source: BufReader::with_capacity(BUFFER_BYTES, whole), decoder: FrameDecoder::new() })
        }
        _ => Box::new(whole),
    })
}

/// The content of a file of zstd frames. The decoder reads one frame.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.decoder.can_collect() == 0 {
            if !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, one).map_err(io::Error::other)?;
                continue;
            }
            if self.source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {}
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    io::copy(&mut self.source.by_ref().take(u64::from(length)), &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        self.decoder.read(buffer)
    }
}

//! Line ends of text files.

use std::io::{self, Read};

/// A reader that replaces each line end, `\r\n` or `\r`, with `\n`.
pub(crate) struct LineEnds<R> {
    source: R,
    /// True if the last byte was `\r`, so a following `\n` belongs to the same line end.
    after_return: bool,
}

impl<R: Read> LineEnds<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, after_return: false }
    }
}

impl<R: Read> Read for LineEnds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.source.read(buffer)?;
            if read == 0 || (!self.after_return && !buffer[..read].contains(&b'\r')) {
                return Ok(read);
            }
            let mut kept = 0;
            for at in 0..read {
                let byte = buffer[at];
                if !(byte == b'\n' && self.after_return) {
                    buffer[kept] = if byte == b'\r' { b'\n' } else { byte };
                    kept += 1;
                }
                self.after_return = byte == b'\r';
            }
            // Zero would mean the end.
            if kept > 0 {
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_becomes_a_newline() {
        /// A reader of one byte at a time.
        struct Slow<'b>(&'b [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0.read(&mut buffer[..1])
            }
        }
        let text = b"a\r\nb\rc\n\r\r\nd\r";
        let (mut slow, mut fast) = (String::new(), String::new());
        LineEnds::new(Slow(text)).read_to_string(&mut slow).unwrap();
        LineEnds::new(&text[..]).read_to_string(&mut fast).unwrap();
        assert_eq!((&*slow, &*fast), ("a\nb\nc\n\n\nd\n", "a\nb\nc\n\n\nd\n"));
    }
}

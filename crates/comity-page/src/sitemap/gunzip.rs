//! Decompresses gzip as the program does: one member or several, and zeros after them.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

/// A reader of the uncompressed bytes. Zeros after a member are padding, for example of a tape or of a block storage
/// (GNU gzip). Other bytes that are no member are an error.
#[derive(Debug)]
pub struct Gunzip<R: Read>(Option<Box<GzDecoder<BufReader<R>>>>);

impl<R: Read> Gunzip<R> {
    /// Creates a reader of the bytes that `packed` has in compressed form.
    pub fn new(packed: R) -> Self {
        Self(Some(Box::new(GzDecoder::new(BufReader::new(packed)))))
    }
}

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            loop {
                let rest = match member.get_mut().fill_buf() {
                    Ok(rest) => rest,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                let zeros = rest.iter().take_while(|byte| **byte == 0).count();
                if zeros == 0 {
                    let is_over = rest.is_empty();
                    let next = self.0.take().filter(|_| !is_over);
                    self.0 = next.map(|member| Box::new(GzDecoder::new(member.into_inner())));
                    break;
                }
                member.get_mut().consume(zeros);
            }
        }
        Ok(0)
    }
}

//! Decodes input to UTF-8: drops a byte order mark, and decodes UTF-16 that starts with one.

use std::io::{self, Read};

/// A reader that returns UTF-16 with a byte order mark as UTF-8. Other input passes through, without a byte order mark.
///
/// ```
/// use std::io::Read as _;
/// use comity_page::Decoded;
///
/// let mut text = String::new();
/// Decoded::new(&b"\xFF\xFEa\0b\0"[..]).read_to_string(&mut text)?;
/// assert_eq!(text, "ab");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoded<R> {
    inner: R,
    form: Form,
    /// Bytes that were read ahead or decoded. The first `given` of them were returned already.
    ready: Vec<u8>,
    given: usize,
    /// The first byte of an incomplete UTF-16 code unit.
    odd: Option<u8>,
    high: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Unknown,
    Bytes,
    Utf16 { is_big: bool },
}

impl<R: Read> Decoded<R> {
    /// Returns a reader of the decoded input. Nothing is read yet.
    pub fn new(inner: R) -> Self {
        Self { inner, form: Form::Unknown, ready: Vec::new(), given: 0, odd: None, high: None }
    }

    /// Detects the form from the byte order mark, if there is one.
    fn find_form(&mut self) -> io::Result<()> {
        let mut head = Vec::with_capacity(3);
        (&mut self.inner).take(3).read_to_end(&mut head)?;
        (self.form, self.ready) = match head.as_slice() {
            [0xEF, 0xBB, 0xBF] => (Form::Bytes, Vec::new()),
            [0xFF, 0xFE, rest @ ..] => (Form::Utf16 { is_big: false }, rest.to_vec()),
            [0xFE, 0xFF, rest @ ..] => (Form::Utf16 { is_big: true }, rest.to_vec()),
            _ => (Form::Bytes, head),
        };
        if let Form::Utf16 { .. } = self.form {
            self.odd = self.ready.pop();
        }
        Ok(())
    }

    /// Reads and decodes the next bytes. Returns false at the end.
    fn decode(&mut self, is_big: bool) -> io::Result<bool> {
        let mut octets = [0; 4_096];
        let start = usize::from(self.odd.is_some());
        octets[0] = self.odd.unwrap_or_default();
        // A read that is interrupted is tried again, so nothing may be taken before.
        let read = self.inner.read(&mut octets[start..])?;
        self.odd = None;
        let octets = &octets[..start + read];
        let (pairs, rest) = octets.as_chunks::<2>();
        self.ready.clear();
        self.given = 0;
        if read == 0 {
            // An incomplete code unit or surrogate pair at the end becomes one replacement character.
            if !rest.is_empty() || self.high.take().is_some() {
                self.push(char::REPLACEMENT_CHARACTER);
            }
            return Ok(!self.ready.is_empty());
        }
        self.odd = rest.first().copied();
        let unit = if is_big { u16::from_be_bytes } else { u16::from_le_bytes };
        let units = self.high.take().into_iter().chain(pairs.iter().map(|pair| unit(*pair)));
        let units: Vec<u16> = units.collect();
        let whole = match units.split_last() {
            Some((last @ 0xD800..0xDC00, before)) => {
                self.high = Some(*last);
                before
            }
            _ => &units,
        };
        for decoded in char::decode_utf16(whole.iter().copied()) {
            self.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(true)
    }

    fn push(&mut self, c: char) {
        self.ready.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.form == Form::Unknown {
            self.find_form()?;
        }
        loop {
            let ready = &self.ready[self.given..];
            if !ready.is_empty() || into.is_empty() {
                let count = ready.len().min(into.len());
                into[..count].copy_from_slice(&ready[..count]);
                self.given += count;
                return Ok(count);
            }
            match self.form {
                Form::Utf16 { is_big } => {
                    if !self.decode(is_big)? {
                        return Ok(0);
                    }
                }
                _ => return self.inner.read(into),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns at most this many bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(into.len()).min(self.0.len());
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    /// A reader whose every second read is interrupted, as by a signal.
    struct Interrupted<R>(R, bool);

    impl<R: Read> Read for Interrupted<R> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.read(into) }
        }
    }

    fn decoded(bytes: &[u8], step: usize) -> String {
        let mut text = Vec::new();
        Decoded::new(Interrupted(Drip(bytes, step), false)).read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    }

    #[test]
    fn marks_and_utf_16() {
        let text = "<é😀>\n";
        let utf16 = |bytes: fn(u16) -> [u8; 2], mark: [u8; 2]| -> Vec<u8> {
            mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
        };
        let (little, big) = (utf16(u16::to_le_bytes, [0xFF, 0xFE]), utf16(u16::to_be_bytes, [0xFE, 0xFF]));
        let marked = ["\u{FEFF}".as_bytes(), text.as_bytes()].concat();
        for step in [1, 2, 3, 5, 4_096] {
            for bytes in [little.as_slice(), &big, &marked, text.as_bytes()] {
                assert_eq!(decoded(bytes, step), text, "{step}");
            }
            assert_eq!(decoded(&little[..little.len() - 1], step), "<é😀>\u{FFFD}");
            assert_eq!(decoded(&[0xFF, 0xFE, 0x3D, 0xD8], step), "\u{FFFD}");
            assert_eq!(decoded(&[0xFF, 0xFE], step), "");
            assert_eq!(decoded(b"", step), "");
            assert_eq!(decoded(b"a", step), "a");
        }
    }
}

//! Lists of texts in a buffer: each part is its length in four bytes, the lowest first, and its bytes.

/// A writer of parts.
#[derive(Debug, Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    // Copies of it at each call would be half a kilobyte of a module.
    #[inline(never)]
    pub(crate) fn text(&mut self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        let len = u32::try_from(text.len()).expect("the memory of a module ends at 4 GiB");
        self.0.extend_from_slice(&len.to_le_bytes());
        self.0.extend_from_slice(text);
    }

    /// Writes a number in decimal digits.
    pub(crate) fn number(&mut self, number: u32) {
        self.text(number.to_string());
    }

    /// Writes the number of texts, and the texts.
    pub(crate) fn list<T: AsRef<[u8]>>(&mut self, texts: impl IntoIterator<Item = T>) {
        let texts: Vec<T> = texts.into_iter().collect();
        self.text(texts.len().to_string());
        for text in texts {
            self.text(text);
        }
    }

    /// Writes a list of one text or none.
    pub(crate) fn optional<T: AsRef<[u8]>>(&mut self, text: Option<T>) {
        self.list(text);
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// A reader of parts.
///
/// # Panics
///
/// Its methods panic if a part is missing or cut, which the TypeScript of the package never writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        let (len, rest) = self.0.split_first_chunk::<4>().expect("a part starts with its length");
        let (bytes, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
        self.0 = rest;
        bytes
    }

    pub(crate) fn text(&mut self) -> &'a str {
        std::str::from_utf8(self.bytes()).expect("text is encoded as UTF-8")
    }

    /// Returns true if no part is left.
    #[cfg(any(feature = "lint", feature = "documents"))]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads all parts that are left.
    #[cfg(any(feature = "check", feature = "diff", feature = "lint"))]
    pub(crate) fn texts(mut self) -> Vec<&'a str> {
        let mut texts = Vec::new();
        while !self.0.is_empty() {
            texts.push(self.text());
        }
        texts
    }

    /// Reads a number in decimal digits.
    #[cfg(any(feature = "lint", feature = "diff"))]
    pub(crate) fn number(&mut self) -> u32 {
        self.text().parse().expect("a number has decimal digits")
    }

    /// Reads a number of texts, and the texts.
    #[cfg(any(feature = "lint", feature = "diff"))]
    pub(crate) fn list(&mut self) -> Vec<&'a str> {
        (0..self.number()).map(|_| self.text()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reader_returns_the_written_parts() {
        let mut writer = Writer::default();
        writer.text("a");
        writer.text("");
        writer.number(70_000);
        let bytes = writer.into_bytes();
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.bytes(), b"a");
        assert_eq!((reader.text(), reader.text()), ("", "70000"));
    }

    #[test]
    #[should_panic(expected = "a part starts with its length")]
    fn a_missing_part() {
        Reader::new(&[1, 0]).bytes();
    }
}

//! Sitemaps in plain text, with a URL on each line.

use std::io::{BufRead, Read};

use super::error::{Kind, SitemapError};
use super::{Entry, EntryKind, Source};

#[derive(Debug)]
pub(super) struct Text<R: Read> {
    source: Source<R>,
}

impl<R: Read> Text<R> {
    pub(super) fn new(source: Source<R>) -> Self {
        Self { source }
    }

    /// Skips white space, many blank lines at a time.
    fn skip_blank(&mut self) -> Result<(), SitemapError> {
        loop {
            self.source.next_piece();
            let blank = match self.source.fill_buf() {
                Ok(buffer) => buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count(),
                Err(error) => return Err(self.source.error(error)),
            };
            if blank == 0 {
                return Ok(());
            }
            self.source.consume(blank);
        }
    }

    /// Returns the next line that is not blank.
    pub(super) fn entry(&mut self) -> Result<Option<Entry>, SitemapError> {
        loop {
            self.skip_blank()?;
            let line = self.source.line;
            let mut bytes = Vec::new();
            if let Err(error) = self.source.read_until(b'\n', &mut bytes) {
                return Err(self.source.error(error));
            }
            if bytes.is_empty() {
                return Ok(None);
            }
            let text = std::str::from_utf8(&bytes).map_err(|_| Kind::NotText(line))?.trim();
            if text.contains('\0') {
                return Err(Kind::NotText(line).into());
            }
            if !text.is_empty() {
                return Ok(Some(Entry {
                    kind: EntryKind::Page,
                    location: text.to_owned(),
                    modified: None,
                    line,
                    has_several: false,
                    is_misplaced: false,
                }));
            }
        }
    }
}

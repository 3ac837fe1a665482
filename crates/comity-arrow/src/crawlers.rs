//! The crawlers of a batch: one for all rows, or a column of names.

use std::collections::HashMap;

use arrow_array::Array;
use comity::{Crawler, Crawlers};
use foldhash::quality::RandomState;

use crate::column::Column;
use crate::error::ColumnError;
use crate::verdicts::ReasonIndex;

/// The crawlers of a batch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CrawlerColumn<'a> {
    /// One crawler for all rows.
    One(Crawler<'a>),
    /// A column of names: of known crawlers, with their fallback tokens, or product tokens. Rows with any other text
    /// have no verdict.
    Names(&'a dyn Array),
}

/// The names of crawlers in columns, with their numbers in the cache.
#[derive(Debug)]
pub(crate) struct Naming {
    pub(crate) table: Crawlers,
    /// Names are product tokens, and are not looked up.
    pub(crate) is_literal: bool,
    numbers: HashMap<Box<[u8]>, Option<u32>, RandomState>,
    next: u32,
}

/// The start of what identifies a crawler that is not from a column. No crawler has such a name.
const IDENTITY: &[u8] = b"\0";

/// The maximum number of names that are remembered.
const MAX_NAMES: usize = 1 << 16;

impl Naming {
    pub(crate) fn new(table: Crawlers) -> Self {
        Self { table, is_literal: false, numbers: HashMap::default(), next: 0 }
    }

    /// Returns true if the names must be forgotten, together with the cache that contains their numbers.
    pub(crate) fn is_full(&self) -> bool {
        self.numbers.len() >= MAX_NAMES
    }

    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.next = 0;
    }

    /// Returns the crawler with this name. Returns `None` if it is neither known nor a product token.
    pub(crate) fn crawler<'n>(&'n self, name: &'n [u8]) -> Option<Crawler<'n>> {
        let name = std::str::from_utf8(name).ok()?;
        if self.is_literal {
            return Crawler::token(name).ok();
        }
        if name == "*" {
            return Some(Crawler::ANY);
        }
        self.table.find(name).map(Crawler::from).or_else(|| Crawler::token(name).ok())
    }

    /// Returns the number of the crawler with this name.
    fn number_of_name(&mut self, name: &[u8]) -> Option<u32> {
        if name.starts_with(IDENTITY) {
            return None;
        }
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let is_crawler = self.crawler(name).is_some();
        self.enter(name, is_crawler)
    }

    /// Returns the number of a crawler.
    fn number_of_crawler(&mut self, crawler: &Crawler<'_>) -> u32 {
        // The text contains all fields of the crawler.
        let identity = [IDENTITY, format!("{crawler:?}").as_bytes()].concat();
        let known = self.numbers.get(&*identity).copied().flatten();
        known.or_else(|| self.enter(&identity, true)).unwrap_or_default()
    }

    fn enter(&mut self, name: &[u8], is_crawler: bool) -> Option<u32> {
        let number = is_crawler.then(|| {
            self.next += 1;
            self.next
        });
        self.numbers.insert(name.into(), number);
        number
    }
}

/// The crawlers of the rows of a batch.
#[derive(Debug)]
pub(crate) enum RowCrawlers<'a> {
    One(u32, Crawler<'a>),
    Names(Column<'a>),
}

impl<'a> RowCrawlers<'a> {
    pub(crate) fn new(crawlers: &CrawlerColumn<'a>, rows: usize, naming: &mut Naming) -> Result<Self, ColumnError> {
        match crawlers {
            CrawlerColumn::One(crawler) => Ok(Self::One(naming.number_of_crawler(crawler), crawler.clone())),
            CrawlerColumn::Names(names) if names.len() == rows => Ok(Self::Names(Column::new("crawlers", *names)?)),
            CrawlerColumn::Names(names) => Err(ColumnError::of_length("crawlers", rows, names.len())),
        }
    }

    /// Returns true if the crawler of a row has this name in the column.
    #[inline]
    pub(crate) fn is(&self, row: usize, name: &[u8]) -> bool {
        match self {
            Self::One(..) => true,
            Self::Names(names) => names.get(row) == Some(name),
        }
    }

    /// Returns the number of the crawler of a row, and its name in the column, or the reason why there is none.
    pub(crate) fn get(&self, row: usize, naming: &mut Naming) -> Result<(u32, &'a [u8]), ReasonIndex> {
        match self {
            Self::One(number, _) => Ok((*number, &[])),
            Self::Names(names) => {
                let name = names.get(row).ok_or(ReasonIndex::MISSING_INPUT)?;
                Ok((naming.number_of_name(name).ok_or(ReasonIndex::INVALID_CRAWLER)?, name))
            }
        }
    }
}

//! The kernel: columns of questions in, a column of answers out.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use arrow_array::{Array, StructArray};
use arrow_schema::{DataType, Fields};
use comity::{Crawler, Crawlers, Dialect, Origin, Reason, Rules, Verdict};
use foldhash::fast::RandomState;

use crate::cache::{FileRef, RulesCache};
use crate::column::Column;
use crate::crawlers::{CrawlerColumn, Naming, RowCrawlers};
use crate::error::ColumnError;
use crate::table::{Slot, SlotAccess, Table};
use crate::url::{Sent, UrlForm, sent};
use crate::verdicts::{ReasonIndex, RowVerdict, Verdicts, fields};

/// The robots.txt files of a batch.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RobotsColumn<'a> {
    /// One body for all rows.
    One(&'a [u8]),
    /// A column of bodies. In a dictionary, each body is looked up once for each batch, and equal neighbors are looked
    /// up once in any column.
    Bodies(&'a dyn Array),
    /// A column of keys of a table.
    Keys(&'a Table, &'a dyn Array),
    /// A table whose keys are origins. The key of a row is the origin of its URL.
    Origins(&'a Table),
}

/// Answers columns of questions.
///
/// It keeps parsed files and compiled rules from batch to batch, within a bound of memory. A kernel is for one thread;
/// threads share a [`Table`].
///
/// ```
/// use arrow_array::cast::AsArray;
/// use arrow_array::{Array, StringArray};
/// use comity::Crawler;
/// use comity_arrow::{CrawlerColumn, Kernel, RobotsColumn, Table};
///
/// let origins = StringArray::from(vec!["https://a.example", "https://b.example"]);
/// let bodies = StringArray::from(vec!["User-agent: *\nDisallow: /private/\n", ""]);
/// let table = Table::new(&origins, &bodies)?;
///
/// let keys = StringArray::from(vec!["https://a.example", "https://a.example", "https://c.example"]);
/// let urls = StringArray::from(vec!["https://a.example/private/", "/", "https://c.example/"]);
/// let crawler = CrawlerColumn::One(Crawler::known("Googlebot").unwrap());
/// let answers = Kernel::new().check(&RobotsColumn::Keys(&table, &keys), &urls, &crawler)?;
///
/// let allowed = answers.column_by_name("allowed").unwrap().as_boolean();
/// assert_eq!(allowed.iter().collect::<Vec<_>>(), [Some(false), Some(true), None]);
/// # Ok::<(), comity_arrow::ColumnError>(())
/// ```
#[derive(Debug)]
pub struct Kernel {
    dialect: Dialect,
    url_form: UrlForm,
    naming: Naming,
    cache: RulesCache,
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}

/// The rules of a row. The next row often has the same file and crawler.
struct Current<'a> {
    file: RowFile<'a>,
    /// The name in the column of crawlers.
    crawler: &'a [u8],
    rules: Arc<Rules>,
}

/// The file of a row.
#[derive(Clone, Copy, Debug)]
enum RowFile<'a> {
    /// The number of a table, and the index of an entry.
    Slot(u64, u32, &'a Slot),
    Body(&'a [u8]),
}

/// The files of the rows of a batch.
enum RowFiles<'a> {
    One(&'a [u8]),
    Bodies(Column<'a>, Option<SharedRules>),
    /// Keys of a table, or the origins of the URLs.
    Keys(&'a Table, Option<Column<'a>>),
}

/// The rules of bodies that rows share in memory, by address and length of the body, and crawler.
type SharedRules = HashMap<(usize, usize, u32), Weak<Rules>, RandomState>;

impl Kernel {
    /// The default bound of memory, in bytes.
    pub const DEFAULT_MEMORY: usize = 64 << 20;

    /// Returns a kernel for the standard dialect and the built-in table of crawlers, with a cache of
    /// [`DEFAULT_MEMORY`](Self::DEFAULT_MEMORY).
    pub fn new() -> Self {
        Self {
            dialect: Dialect::STANDARD,
            url_form: UrlForm::default(),
            naming: Naming::new(Crawlers::builtin()),
            cache: RulesCache::new(Self::DEFAULT_MEMORY),
        }
    }

    /// Sets the dialect of bodies. Defaults to [`Dialect::STANDARD`]. A table has a dialect of its own.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self.cache.clear();
        self
    }

    /// Sets the form of URLs. Defaults to [`UrlForm::AsSent`].
    #[must_use]
    pub fn with_url_form(mut self, form: UrlForm) -> Self {
        self.url_form = form;
        self
    }

    /// Sets the table in which the names of a column of crawlers are looked up. Defaults to the built-in table.
    #[must_use]
    pub fn with_crawlers(mut self, table: Crawlers) -> Self {
        self.naming.table = table;
        self.naming.clear();
        self.cache.clear();
        self
    }

    /// Uses the names of a column of crawlers as product tokens, which are not looked up. Disabled by default.
    #[must_use]
    pub fn with_literal_names(mut self) -> Self {
        self.naming.is_literal = true;
        self.naming.clear();
        self.cache.clear();
        self
    }

    /// Sets the bound of the memory of parsed files and compiled rules, in bytes. Defaults to
    /// [`DEFAULT_MEMORY`](Self::DEFAULT_MEMORY).
    #[must_use]
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.cache = RulesCache::new(bytes);
        self
    }

    /// Returns the number of times that rules were compiled. If it is not much smaller than the number of rows, the
    /// rows are not sorted by file, and the cache is too small for all of them.
    pub fn compilations(&self) -> u64 {
        self.cache.compilations()
    }

    /// Returns the memory of the parsed files and compiled rules in bytes, approximately.
    pub fn memory(&self) -> usize {
        self.cache.memory()
    }

    /// Returns the fields of the answers, in the order of the columns of [`check`](Self::check).
    pub fn fields() -> Fields {
        fields()
    }

    /// Checks whether [`check`](Self::check) can read columns of a type. The name of the column is for the error.
    ///
    /// # Errors
    ///
    /// If the type is neither text, binary data, nor a dictionary of these.
    pub fn check_type(column: &'static str, data_type: &DataType) -> Result<(), ColumnError> {
        if Column::has_layout(data_type) { Ok(()) } else { Err(ColumnError::of_type(column, data_type)) }
    }

    /// Answers a batch of questions: `allowed` (null where there is no verdict), `line` (null where no rule decides)
    /// and `reason`. All columns may have any string or binary type, or be dictionaries of these.
    ///
    /// There is no verdict if the crawler does not obey robots.txt, the table has no such key, a column is null, the
    /// URL is of another site or no URL, or the name is no crawler. The reason states which. Other rows are not
    /// affected. An offset, index or view that leads out of the buffers of its array is read as null.
    ///
    /// # Errors
    ///
    /// If a column has another type, or the columns differ in length.
    pub fn check(
        &mut self,
        robots: &RobotsColumn<'_>,
        urls: &dyn Array,
        crawlers: &CrawlerColumn<'_>,
    ) -> Result<StructArray, ColumnError> {
        self.check_chunks([(*robots, urls, crawlers.clone())])
    }

    /// Answers several batches of questions, as [`check`](Self::check) does, in one column.
    ///
    /// # Errors
    ///
    /// If a column has another type, or the columns of a batch differ in length.
    pub fn check_chunks<'a>(
        &mut self,
        chunks: impl IntoIterator<Item = (RobotsColumn<'a>, &'a dyn Array, CrawlerColumn<'a>)>,
    ) -> Result<StructArray, ColumnError> {
        let mut verdicts = Verdicts::default();
        for (robots, urls, crawlers) in chunks {
            self.add(&robots, urls, &crawlers, &mut verdicts)?;
        }
        Ok(verdicts.finish())
    }

    /// Adds the answers to a batch.
    fn add(
        &mut self,
        robots: &RobotsColumn<'_>,
        urls: &dyn Array,
        crawlers: &CrawlerColumn<'_>,
        verdicts: &mut Verdicts,
    ) -> Result<(), ColumnError> {
        let rows = urls.len();
        if self.naming.is_full() {
            self.naming.clear();
            self.cache.clear();
        }
        let url = Column::new("urls", urls)?;
        let crawlers = RowCrawlers::new(crawlers, rows, &mut self.naming)?;
        let mut files = RowFiles::new(robots, rows)?;
        let mut current: Option<Current<'_>> = None;
        for (row, verdict) in verdicts.add(rows).iter_mut().enumerate() {
            let Some(url) = url.get(row) else { continue };
            let is_current =
                |current: &Current<'_>| crawlers.is(row, current.crawler) && files.is(row, url, current.file);
            if !current.as_ref().is_some_and(is_current) {
                match self.find(row, url, &crawlers, &mut files) {
                    Ok(found) => current = Some(found),
                    Err(reason) => {
                        *verdict = RowVerdict::without_rule(None, reason);
                        continue;
                    }
                }
            }
            if let Some(current) = &current {
                *verdict = self.answer(current, url);
            }
        }
        Ok(())
    }

    /// Returns the rules of a row, or the reason why it has none. The rules are from the batch, from the cache, or
    /// compiled.
    fn find<'a>(
        &mut self,
        row: usize,
        url: &[u8],
        crawlers: &RowCrawlers<'a>,
        files: &mut RowFiles<'a>,
    ) -> Result<Current<'a>, ReasonIndex> {
        let (number, name) = crawlers.get(row, &mut self.naming)?;
        let file = files.get(row, url)?;
        if let Some(rules) = files.shared(file, number) {
            return Ok(Current { file, crawler: name, rules });
        }
        let (file_ref, parsed) = match file {
            RowFile::Slot(table, index, slot) => (FileRef::Slot(table, index), Some(&slot.robots)),
            RowFile::Body(body) => (FileRef::Body(body), None),
        };
        let rules = self.cache.get(&file_ref, number).unwrap_or_else(|| {
            let crawler = match crawlers {
                RowCrawlers::One(_, crawler) => crawler.clone(),
                // A name with a number is a crawler.
                RowCrawlers::Names(_) => self.naming.crawler(name).unwrap_or(Crawler::ANY),
            };
            self.cache.compile(file_ref, parsed, &self.dialect, number, &crawler)
        });
        files.share(file, number, &rules);
        Ok(Current { file, crawler: name, rules })
    }

    /// Returns the answer of a row.
    #[inline]
    fn answer(&self, Current { file, rules, .. }: &Current<'_>, url: &[u8]) -> RowVerdict {
        let slot = match *file {
            RowFile::Slot(.., slot) => Some(slot),
            RowFile::Body(_) => None,
        };
        let text;
        let url = match self.url_form {
            UrlForm::Unchanged => url,
            UrlForm::AsSent => match sent(url, slot.and_then(Slot::origin)) {
                Sent::Url(url) => {
                    text = url;
                    text.as_bytes()
                }
                Sent::OtherSite => return RowVerdict::of(&Verdict::out_of_scope()),
                Sent::Invalid => return RowVerdict::without_rule(None, ReasonIndex::INVALID_URL),
            },
        };
        let verdict = rules.check_bytes(url);
        let access = slot.map_or(SlotAccess::Rules, |slot| slot.access);
        match (access, verdict.reason()) {
            (SlotAccess::Rules, _) | (_, Reason::RobotsTxt | Reason::NotGoverned | Reason::OutOfScope) => {
                RowVerdict::of(&verdict)
            }
            (SlotAccess::AllowAll, _) => RowVerdict::without_rule(Some(true), ReasonIndex::ALLOW_ALL),
            (SlotAccess::DisallowAll, _) => RowVerdict::without_rule(Some(false), ReasonIndex::DISALLOW_ALL),
            (SlotAccess::NoAnswer, _) => RowVerdict::without_rule(None, ReasonIndex::NO_ANSWER),
        }
    }
}

impl<'a> RowFiles<'a> {
    fn new(robots: &RobotsColumn<'a>, rows: usize) -> Result<Self, ColumnError> {
        let of_length =
            |name, found| if found == rows { Ok(()) } else { Err(ColumnError::of_length(name, rows, found)) };
        Ok(match *robots {
            RobotsColumn::One(body) => Self::One(body),
            RobotsColumn::Bodies(bodies) => {
                of_length("robots", bodies.len())?;
                let bodies = Column::new("robots", bodies)?;
                let shared = bodies.shares_values().then(SharedRules::default);
                Self::Bodies(bodies, shared)
            }
            RobotsColumn::Keys(table, keys) => {
                of_length("keys", keys.len())?;
                Self::Keys(table, Some(Column::new("keys", keys)?))
            }
            RobotsColumn::Origins(table) => Self::Keys(table, None),
        })
    }

    /// Returns true if this is the file of a row.
    #[inline]
    fn is(&self, row: usize, url: &[u8], file: RowFile<'_>) -> bool {
        match (self, file) {
            (Self::One(_), _) => true,
            // Bodies at the same address are not compared.
            (Self::Bodies(bodies, _), RowFile::Body(body)) => {
                bodies.get(row).is_some_and(|other| std::ptr::eq(other, body) || other == body)
            }
            (Self::Keys(_, None), RowFile::Slot(.., slot)) => slot.has_url(url),
            (Self::Keys(_, Some(keys)), RowFile::Slot(.., slot)) => keys.get(row).is_some_and(|key| slot.has_key(key)),
            _ => false,
        }
    }

    /// Returns the file of a row, or the reason why there is none.
    fn get(&self, row: usize, url: &[u8]) -> Result<RowFile<'a>, ReasonIndex> {
        let find = |table: &'a Table, key: &[u8]| {
            let index = table.find(key).ok_or(ReasonIndex::UNKNOWN_KEY)?;
            Ok(RowFile::Slot(table.id(), index, table.slot(index)))
        };
        match self {
            Self::One(body) => Ok(RowFile::Body(body)),
            Self::Bodies(bodies, _) => bodies.get(row).map(RowFile::Body).ok_or(ReasonIndex::MISSING_INPUT),
            Self::Keys(table, None) => {
                let url = std::str::from_utf8(url).map_err(|_| ReasonIndex::INVALID_URL)?;
                let origin = Origin::of(url).map_err(|_| ReasonIndex::INVALID_URL)?;
                find(table, origin.as_str().as_bytes())
            }
            Self::Keys(table, Some(keys)) => find(table, keys.get(row).ok_or(ReasonIndex::MISSING_INPUT)?),
        }
    }

    /// Returns the rules of a body that an earlier row of the batch shares, unless they are no longer in the cache.
    fn shared(&self, file: RowFile<'_>, number: u32) -> Option<Arc<Rules>> {
        match (self, file) {
            (Self::Bodies(_, Some(shared)), RowFile::Body(body)) => {
                shared.get(&(body.as_ptr().addr(), body.len(), number))?.upgrade()
            }
            _ => None,
        }
    }

    fn share(&mut self, file: RowFile<'_>, number: u32, rules: &Arc<Rules>) {
        if let (Self::Bodies(_, Some(shared)), RowFile::Body(body)) = (self, file) {
            shared.insert((body.as_ptr().addr(), body.len(), number), Arc::downgrade(rules));
        }
    }
}

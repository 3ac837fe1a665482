//! Tables: the files of many sites, by key.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::Array;
use arrow_schema::DataType;
use comity::{Dialect, Origin, Robots};
use foldhash::quality::RandomState;
use sha2::{Digest, Sha256};

use crate::column::Column;
use crate::error::ColumnError;
use crate::times::Times;

/// The files of many sites, by key. A key is usually an origin, such as `https://example.com`.
///
/// Each file is parsed once, and equal bodies share one parsed file. Rows of questions carry only the key. A table does
/// not change, so threads can share it.
///
/// If a key is an origin, it is compared in its usual notation, and URLs of other sites have no verdict
/// ([`UrlForm::AsSent`](crate::UrlForm::AsSent)). Other keys, such as hashes of bodies, are compared byte by byte.
#[derive(Debug)]
pub struct Table {
    /// Distinguishes tables in the cache of a kernel.
    id: u64,
    slots: Vec<Slot>,
    keys: HashMap<Arc<[u8]>, u32, RandomState>,
    memory: usize,
}

/// The entry of a key.
#[derive(Debug)]
pub(crate) struct Slot {
    key: Arc<[u8]>,
    is_origin: bool,
    pub(crate) robots: Robots,
    pub(crate) access: SlotAccess,
}

/// The access to a site. It is that of the last fetch of its file.
///
/// The greatest of several fetches at the same time counts. A redirect is a step to an answer, so any answer is greater; of two
/// answers, the one that allows less is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SlotAccess {
    NoAnswer,
    AllowAll,
    Rules,
    DisallowAll,
}

impl Slot {
    #[inline]
    pub(crate) fn has_key(&self, key: &[u8]) -> bool {
        *self.key == *key
    }

    /// Returns true if the key is an origin, and a URL that starts with it and a slash has it.
    #[inline]
    pub(crate) fn has_url(&self, url: &[u8]) -> bool {
        self.is_origin && url.strip_prefix(&*self.key).is_some_and(|rest| rest.starts_with(b"/"))
    }

    /// Returns the origin of the file, if the key is one.
    pub(crate) fn origin(&self) -> Option<&str> {
        if self.is_origin { std::str::from_utf8(&self.key).ok() } else { None }
    }
}

impl Table {
    /// Returns a table of bodies by key, in the [standard dialect](Dialect::STANDARD). Rows whose key or body is null
    /// are left out.
    ///
    /// # Errors
    ///
    /// If a column is neither text nor binary data, if their lengths differ, or if a key has two bodies.
    pub fn new(keys: &dyn Array, bodies: &dyn Array) -> Result<Self, ColumnError> {
        let dialect = Dialect::STANDARD;
        let mut builder = TableBuilder::new(dialect);
        // The bodies outlive this map, so it does not copy them, as that of the builder does.
        let mut parsed: HashMap<&[u8], Parsed, RandomState> = HashMap::default();
        builder.add(keys, bodies, |builder, body| {
            let number = parsed.len();
            let parsed = parsed.entry(body).or_insert_with(|| {
                let robots = Robots::parse_with(body, &dialect);
                builder.table.memory += robots.memory();
                Parsed { robots, number }
            });
            parsed.clone()
        })?;
        Ok(builder.build())
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns true if the table has no keys.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the memory of the parsed files and the keys in bytes, approximately.
    pub fn memory(&self) -> usize {
        self.memory
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn slot(&self, index: u32) -> &Slot {
        &self.slots[index as usize]
    }

    /// Returns the slot of a key.
    #[inline]
    pub(crate) fn find(&self, key: &[u8]) -> Option<u32> {
        self.keys.get(key).copied().or_else(|| self.find_origin(key))
    }

    /// Returns the slot of an origin in another notation.
    #[cold]
    fn find_origin(&self, key: &[u8]) -> Option<u32> {
        let origin = origin(key)?;
        self.keys.get(origin.as_str().as_bytes()).copied()
    }
}

/// Returns a key as an origin, if it is one.
fn origin(key: &[u8]) -> Option<Origin> {
    std::str::from_utf8(key).ok().filter(|key| key.contains("://"))?.parse().ok()
}

/// Returns the SHA-256 that a hash states, if it has the form of one. 32 printable characters are a name, for example an
/// MD5 in hexadecimal digits; one of 10^13 SHA-256 looks like that.
fn stated_sha256(hash: &[u8]) -> Option<[u8; 32]> {
    if !hash.iter().all(u8::is_ascii_graphic) {
        return hash.try_into().ok();
    }
    let (pairs, rest) = hash.as_chunks::<2>();
    if pairs.len() != 32 || !rest.is_empty() || !hash.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut octets = [0; 32];
    for (octet, pair) in octets.iter_mut().zip(pairs) {
        *octet = u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(octets)
}

/// A parsed body. Equal bodies have the same number.
#[derive(Clone, Debug)]
struct Parsed {
    robots: Robots,
    number: usize,
}

/// The row that an entry is from. Of the rows of one key, the greatest counts, so that their order does not matter.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// A body without a fetch, by its number.
    Body(usize),
    /// The time of a fetch, its access, and the hash of its body.
    Fetch(Option<i128>, SlotAccess, Option<Arc<[u8]>>),
}

/// Builds a [`Table`] from columns, batch by batch: either bodies by key, or fetches of sites with their bodies by hash.
///
/// ```
/// use arrow_array::{StringArray, TimestampSecondArray};
/// use comity::Dialect;
/// use comity_arrow::TableBuilder;
///
/// let mut builder = TableBuilder::new(Dialect::STANDARD);
/// let hashes = StringArray::from(vec!["1"]);
/// builder.add_hashed_bodies(&hashes, &StringArray::from(vec!["User-agent: *\nDisallow: /private/\n"]))?;
/// let origins = StringArray::from(vec!["https://a.example", "https://a.example", "https://b.example"]);
/// let outcomes = StringArray::from(vec!["rules", "disallow-all", "allow-all"]);
/// let hashes = StringArray::from(vec![Some("1"), None, None]);
/// let fetched = TimestampSecondArray::from(vec![1, 2, 1]);
/// builder.add_sites(&origins, &outcomes, &hashes, Some(&fetched))?;
/// // The later fetch of https://a.example failed, so nothing is allowed there.
/// assert_eq!(builder.build().len(), 2);
/// # Ok::<(), comity_arrow::ColumnError>(())
/// ```
#[derive(Debug)]
pub struct TableBuilder {
    dialect: Dialect,
    table: Table,
    parsed: HashMap<Box<[u8]>, Parsed, RandomState>,
    /// Parsed files by the hash of their body.
    hashed: HashMap<Arc<[u8]>, Robots, RandomState>,
    /// The row that each entry of the table is from.
    sources: Vec<Source>,
    /// The memory of what the table does not need after it is built.
    temporary: usize,
}

impl TableBuilder {
    /// Returns a builder of a table whose files are parsed in a dialect.
    pub fn new(dialect: Dialect) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let table = Table { id, slots: Vec::new(), keys: HashMap::default(), memory: 0 };
        let (parsed, hashed, sources) = (HashMap::default(), HashMap::default(), Vec::new());
        Self { dialect, table, parsed, hashed, sources, temporary: 0 }
    }

    /// Adds bodies by key. Rows whose key or body is null are left out.
    ///
    /// # Errors
    ///
    /// If a column is neither text nor binary data, if their lengths differ, or if a key has two bodies: nothing states
    /// which is newer.
    pub fn add_bodies(&mut self, keys: &dyn Array, bodies: &dyn Array) -> Result<(), ColumnError> {
        self.add(keys, bodies, Self::parse)
    }

    /// Adds bodies by key, which a function parses.
    fn add<'a>(
        &mut self,
        keys: &'a dyn Array,
        bodies: &'a dyn Array,
        mut parse: impl FnMut(&mut Self, &'a [u8]) -> Parsed,
    ) -> Result<(), ColumnError> {
        if keys.len() != bodies.len() {
            return Err(ColumnError::of_length("bodies", keys.len(), bodies.len()));
        }
        let (key, body) = (Column::new("keys", keys)?, Column::new("bodies", bodies)?);
        for row in 0..keys.len() {
            let (Some(key), Some(body)) = (key.get(row), body.get(row)) else { continue };
            let Parsed { robots, number } = parse(self, body);
            let index = self.insert(key, robots, SlotAccess::Rules, Source::Body(number));
            if matches!(index.map(|index| &self.sources[index]), Some(Source::Body(other)) if *other != number) {
                return Err(ColumnError::of_key(key));
            }
        }
        Ok(())
    }

    /// Adds bodies by their hashes, for [`add_sites`](Self::add_sites).
    ///
    /// A hash of 32 bytes that are not all printable, or of 64 hexadecimal digits, is a SHA-256, and is compared with that
    /// of the body. Anything else is only a name for the body, and is not checked.
    ///
    /// # Errors
    ///
    /// If a column is neither text nor binary data, if their lengths differ, or if a body has another SHA-256.
    pub fn add_hashed_bodies(&mut self, hashes: &dyn Array, bodies: &dyn Array) -> Result<(), ColumnError> {
        if hashes.len() != bodies.len() {
            return Err(ColumnError::of_length("bodies", hashes.len(), bodies.len()));
        }
        let (hash, body) = (Column::new("hashes", hashes)?, Column::new("bodies", bodies)?);
        for row in 0..hashes.len() {
            let (Some(hash), Some(body)) = (hash.get(row), body.get(row)) else { continue };
            if let Some(stated) = stated_sha256(hash) {
                let found: [u8; 32] = Sha256::digest(body).into();
                if stated != found {
                    return Err(ColumnError::of_hash(&stated, &found));
                }
            }
            let robots = Robots::parse_with(body, &self.dialect);
            self.table.memory += hash.len() + robots.memory();
            self.hashed.insert(hash.into(), robots);
        }
        Ok(())
    }

    /// Adds the access to sites by origin: the outcome is `rules`, `allow-all` or `disallow-all`, and the hash is that
    /// of a body that was added before. Any other outcome is no answer. `fetched` has the times of the fetches: timestamps,
    /// or integers of one unit.
    ///
    /// The row that was fetched last counts if there are several for one origin, also in several calls. A row without a time
    /// is older than any other. At the same time, an answer counts before none, then the one that allows less
    /// (`disallow-all`, `rules`, `allow-all`), then the file with the greater hash. So the order of the rows does not matter.
    ///
    /// # Errors
    ///
    /// If a column has another type, if their lengths differ, or if there is no body for an outcome `rules`.
    pub fn add_sites(
        &mut self,
        origins: &dyn Array,
        outcomes: &dyn Array,
        hashes: &dyn Array,
        fetched: Option<&dyn Array>,
    ) -> Result<(), ColumnError> {
        for (name, column) in [("outcomes", Some(outcomes)), ("hashes", Some(hashes)), ("fetched", fetched)] {
            if let Some(column) = column.filter(|column| column.len() != origins.len()) {
                return Err(ColumnError::of_length(name, origins.len(), column.len()));
            }
        }
        let origin = Column::new("origins", origins)?;
        let (outcome, hash) = (Column::new("outcomes", outcomes)?, Column::new("hashes", hashes)?);
        let fetched = fetched.map(|fetched| Times::new("fetched", fetched)).transpose()?;
        for row in 0..origins.len() {
            let Some(origin) = origin.get(row) else { continue };
            let hash = hash.get(row);
            let body = hash.and_then(|hash| self.hashed.get_key_value(hash));
            let (robots, access, hash) = match (outcome.get(row), body) {
                (Some(b"rules"), Some((hash, robots))) => (robots.clone(), SlotAccess::Rules, Some(Arc::clone(hash))),
                (Some(b"rules"), None) => return Err(ColumnError::without_body(origin, hash)),
                (Some(b"allow-all"), _) => (self.parse(b"").robots, SlotAccess::AllowAll, None),
                (Some(b"disallow-all"), _) => (self.parse(b"").robots, SlotAccess::DisallowAll, None),
                _ => (self.parse(b"").robots, SlotAccess::NoAnswer, None),
            };
            let time = fetched.as_ref().and_then(|times| times.get(row));
            self.insert(origin, robots, access, Source::Fetch(time, access, hash));
        }
        Ok(())
    }

    /// Checks whether [`add_sites`](Self::add_sites) can read the times of fetches in a column of a type. The name of the
    /// column is for the error.
    ///
    /// # Errors
    ///
    /// If the type is neither a timestamp nor an integer of 64 bits.
    pub fn check_time_type(column: &'static str, data_type: &DataType) -> Result<(), ColumnError> {
        Times::check_type(column, data_type)
    }

    /// Returns the memory of the table so far in bytes, approximately, with that which building it takes.
    pub fn memory(&self) -> usize {
        self.table.memory + self.temporary
    }

    /// Returns the table.
    pub fn build(self) -> Table {
        self.table
    }

    fn parse(&mut self, body: &[u8]) -> Parsed {
        if let Some(parsed) = self.parsed.get(body) {
            return parsed.clone();
        }
        let robots = Robots::parse_with(body, &self.dialect);
        self.table.memory += robots.memory();
        self.temporary += body.len();
        let parsed = Parsed { robots, number: self.parsed.len() };
        self.parsed.insert(body.into(), parsed.clone());
        parsed
    }

    /// Adds an entry, or replaces that of its key if the source is greater. Returns the index of the entry, unless the
    /// table is full.
    fn insert(&mut self, key: &[u8], robots: Robots, access: SlotAccess, source: Source) -> Option<usize> {
        let origin = origin(key);
        let key = origin.as_ref().map_or(key, |origin| origin.as_str().as_bytes());
        let table = &mut self.table;
        if let Some(index) = table.keys.get(key).map(|index| *index as usize) {
            if source > self.sources[index] && !matches!(source, Source::Body(_)) {
                (table.slots[index].robots, table.slots[index].access) = (robots, access);
                self.sources[index] = source;
            }
            return Some(index);
        }
        let index = u32::try_from(table.slots.len()).ok()?;
        let key: Arc<[u8]> = key.into();
        // The reference counts of the key, and an entry of the map, which is up to half empty.
        table.memory += key.len() + 16 + size_of::<Slot>() + 2 * size_of::<(Arc<[u8]>, u32)>();
        self.temporary += size_of::<Source>();
        table.keys.insert(Arc::clone(&key), index);
        table.slots.push(Slot { key, is_origin: origin.is_some(), robots, access });
        self.sources.push(source);
        Some(index as usize)
    }
}

//! Tables: the files of many sites, by key.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::Array;
use comity::{Dialect, Origin, Robots};
use foldhash::quality::RandomState;
use sha2::{Digest, Sha256};

use crate::column::Column;
use crate::error::ColumnError;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotAccess {
    Rules,
    AllowAll,
    DisallowAll,
    NoAnswer,
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
    /// are left out. Of equal keys, the last row is used.
    ///
    /// # Errors
    ///
    /// If a column is neither text nor binary data, or if their lengths differ.
    pub fn new(keys: &dyn Array, bodies: &dyn Array) -> Result<Self, ColumnError> {
        let dialect = Dialect::STANDARD;
        let mut builder = TableBuilder::new(dialect);
        // The bodies outlive this map, so it does not copy them, as that of the builder does.
        let mut parsed: HashMap<&[u8], Robots, RandomState> = HashMap::default();
        builder.add(keys, bodies, |builder, body| {
            let robots = parsed.entry(body).or_insert_with(|| {
                let robots = Robots::parse_with(body, &dialect);
                builder.table.memory += robots.memory();
                robots
            });
            robots.clone()
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

/// Builds a [`Table`] from columns, batch by batch.
#[derive(Debug)]
pub struct TableBuilder {
    dialect: Dialect,
    table: Table,
    /// Parsed files by body.
    parsed: HashMap<Box<[u8]>, Robots, RandomState>,
    /// Parsed files by the hash of their body.
    hashed: HashMap<Box<[u8]>, Robots, RandomState>,
    /// The time at which each site's file was fetched, if it is known.
    fetched: Vec<i64>,
    /// The memory of what the table does not need after it is built.
    temporary: usize,
}

impl TableBuilder {
    /// Returns a builder of a table whose files are parsed in a dialect.
    pub fn new(dialect: Dialect) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let table = Table { id, slots: Vec::new(), keys: HashMap::default(), memory: 0 };
        let (parsed, hashed, fetched) = (HashMap::default(), HashMap::default(), Vec::new());
        Self { dialect, table, parsed, hashed, fetched, temporary: 0 }
    }

    /// Adds bodies by key. Rows whose key or body is null are left out. Of equal keys, the last row is used.
    ///
    /// # Errors
    ///
    /// If a column is neither text nor binary data, or if their lengths differ.
    pub fn add_bodies(&mut self, keys: &dyn Array, bodies: &dyn Array) -> Result<(), ColumnError> {
        self.add(keys, bodies, Self::parse)
    }

    /// Adds bodies by key, which a function parses.
    fn add<'a>(
        &mut self,
        keys: &'a dyn Array,
        bodies: &'a dyn Array,
        mut parse: impl FnMut(&mut Self, &'a [u8]) -> Robots,
    ) -> Result<(), ColumnError> {
        if keys.len() != bodies.len() {
            return Err(ColumnError::of_length("bodies", keys.len(), bodies.len()));
        }
        let (key, body) = (Column::new("keys", keys)?, Column::new("bodies", bodies)?);
        for row in 0..keys.len() {
            let (Some(key), Some(body)) = (key.get(row), body.get(row)) else { continue };
            let robots = parse(self, body);
            self.insert(key, robots, SlotAccess::Rules, i64::MIN);
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
    /// of a body that was added before. Any other outcome is no answer. Of several rows of one origin, the one that was
    /// fetched last is used.
    ///
    /// # Errors
    ///
    /// If a column is neither text nor binary data, if their lengths differ, or if there is no body for an outcome
    /// `rules`.
    pub fn add_sites(
        &mut self,
        origins: &dyn Array,
        outcomes: &dyn Array,
        hashes: &dyn Array,
        fetched: impl Fn(usize) -> Option<i64>,
    ) -> Result<(), ColumnError> {
        for (name, column) in [("outcomes", outcomes), ("hashes", hashes)] {
            if column.len() != origins.len() {
                return Err(ColumnError::of_length(name, origins.len(), column.len()));
            }
        }
        let origin = Column::new("origins", origins)?;
        let (outcome, hash) = (Column::new("outcomes", outcomes)?, Column::new("hashes", hashes)?);
        for row in 0..origins.len() {
            let Some(origin) = origin.get(row) else { continue };
            let hash = hash.get(row);
            let body = hash.and_then(|hash| self.hashed.get(hash));
            let (robots, access) = match (outcome.get(row), body) {
                (Some(b"rules"), Some(robots)) => (robots.clone(), SlotAccess::Rules),
                (Some(b"rules"), None) => return Err(ColumnError::without_body(origin, hash)),
                (Some(b"allow-all"), _) => (self.parse(b""), SlotAccess::AllowAll),
                (Some(b"disallow-all"), _) => (self.parse(b""), SlotAccess::DisallowAll),
                _ => (self.parse(b""), SlotAccess::NoAnswer),
            };
            self.insert(origin, robots, access, fetched(row).unwrap_or(i64::MIN));
        }
        Ok(())
    }

    /// Returns the memory of the table so far in bytes, approximately, with that which building it takes.
    pub fn memory(&self) -> usize {
        self.table.memory + self.temporary
    }

    /// Returns the table.
    pub fn build(self) -> Table {
        self.table
    }

    fn parse(&mut self, body: &[u8]) -> Robots {
        if let Some(robots) = self.parsed.get(body) {
            return robots.clone();
        }
        let robots = Robots::parse_with(body, &self.dialect);
        self.table.memory += robots.memory();
        self.temporary += body.len();
        self.parsed.insert(body.into(), robots.clone());
        robots
    }

    fn insert(&mut self, key: &[u8], robots: Robots, access: SlotAccess, fetched: i64) {
        let origin = origin(key);
        let key = origin.as_ref().map_or(key, |origin| origin.as_str().as_bytes());
        let table = &mut self.table;
        if let Some(index) = table.keys.get(key).map(|index| *index as usize) {
            if fetched >= self.fetched[index] {
                (table.slots[index].robots, table.slots[index].access) = (robots, access);
                self.fetched[index] = fetched;
            }
            return;
        }
        let Ok(index) = u32::try_from(table.slots.len()) else { return };
        let key: Arc<[u8]> = key.into();
        // The reference counts of the key, and an entry of the map, which is up to half empty.
        table.memory += key.len() + 16 + size_of::<Slot>() + 2 * size_of::<(Arc<[u8]>, u32)>();
        table.keys.insert(Arc::clone(&key), index);
        table.slots.push(Slot { key, is_origin: origin.is_some(), robots, access });
        self.fetched.push(fetched);
    }
}

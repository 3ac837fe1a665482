//! The tables of the journal, which are created when the first change is written: most stores have no watcher.

use comity_policy::Time;
use rusqlite::{Row, params};

use super::errors::SqliteError;
use super::tables::{Tables, bytes, seal, unseal};
use super::transaction::millis;
use crate::store::{JournalChange, JournalEntry};

/// The statements that create the tables, as SQLite stores them.
///
/// - `journal`: the entries. Times are in milliseconds since 1970.
/// - `notes`: the notes.
pub(super) const SCHEMA: [&str; 2] = [
    "CREATE TABLE journal (number integer primary key, id text not null unique, at integer not null, entry blob not null)",
    "CREATE TABLE notes (name text primary key, note blob not null)",
];

impl Tables<'_> {
    fn has_journal(self) -> Result<bool, SqliteError> {
        let found = self.one("select 1 from sqlite_schema where name = 'journal'", [], |_| Ok(()))?;
        Ok(found.is_some())
    }

    pub(super) fn notes(self, names: &[String]) -> Result<Vec<Option<String>>, SqliteError> {
        if !self.has_journal()? {
            return Ok(vec![None; names.len()]);
        }
        let note = |name: &String| {
            self.one("select note from notes where name = ?", [name], |row| unseal("note", name, bytes(row, 0)))
        };
        names.iter().map(note).collect()
    }

    pub(super) fn change_journal(self, change: &JournalChange) -> Result<(), SqliteError> {
        if !self.has_journal()? {
            for table in SCHEMA {
                self.0.execute(table, [])?;
            }
        }
        for (name, note) in &change.notes {
            let insert = "insert or replace into notes (name, note) values (?, ?)";
            self.0.prepare_cached(insert)?.execute(params![name, seal("note", name, note)?])?;
        }
        for JournalEntry { id, at, text, .. } in &change.entries {
            let insert = "insert into journal (id, at, entry) values (?, ?, ?) on conflict (id) do nothing";
            self.0.prepare_cached(insert)?.execute(params![id, millis(*at), seal("entry", id, text)?])?;
        }
        Ok(())
    }

    pub(super) fn entries(self, after: u64, max: usize) -> Result<Vec<JournalEntry>, SqliteError> {
        if !self.has_journal()? {
            return Ok(Vec::new());
        }
        let select = "select number, id, at, entry from journal where number > ? order by number limit ?";
        let mut entries = self.0.prepare(select)?;
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let mut rows = entries.query([number(after), number(max as u64)])?;
        let mut entries = Vec::new();
        while let Some(row) = rows.next()? {
            entries.push(entry(row)?);
        }
        Ok(entries)
    }

    pub(super) fn newest(self) -> Result<u64, SqliteError> {
        if !self.has_journal()? {
            return Ok(0);
        }
        let newest: i64 = self.0.query_row("select coalesce(max(number), 0) from journal", [], |row| row.get(0))?;
        Ok(newest.cast_unsigned())
    }

    pub(super) fn trim_journal(self, before: Time, max: u64) -> Result<u64, SqliteError> {
        if !self.has_journal()? {
            return Ok(0);
        }
        let newest = self.newest()?.cast_signed();
        let first_kept = newest.saturating_sub(i64::try_from(max).unwrap_or(i64::MAX));
        let delete = "delete from journal where (at < ?1 or number <= ?2) and number < ?3";
        Ok(self.0.execute(delete, params![millis(before), first_kept, newest])? as u64)
    }
}

fn entry(row: &Row<'_>) -> Result<JournalEntry, SqliteError> {
    let id: String = row.get(1)?;
    Ok(JournalEntry {
        number: row.get::<_, i64>(0)?.cast_unsigned(),
        text: unseal("entry", &id, bytes(row, 3))?,
        at: Time::from_unix_millis(row.get::<_, i64>(2)?.cast_unsigned()),
        id,
    })
}

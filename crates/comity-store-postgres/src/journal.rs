//! Notes and entries of watchers.

use std::collections::HashMap;

use comity_fetch::Time;
use comity_fetch::store::{ContentHash, JournalChange, JournalEntry};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::connections::Operation;
use crate::failure::Failure;
use crate::record;
use crate::schema::{Parameter, Schema};

fn key(name: &str) -> Vec<u8> {
    ContentHash::of(name.as_bytes()).as_bytes().to_vec()
}

/// Reads notes.
pub(crate) struct Notes(pub(crate) Vec<String>);

impl Operation for Notes {
    type Output = Vec<Option<String>>;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<Vec<Option<String>>, Failure> {
        let keys: Vec<Vec<u8>> = self.0.iter().map(|name| key(name)).collect();
        let select = schema.sql("select key, note from comity.note where key = any($1)");
        let rows = client.query_typed(&select, &[(&keys, Type::BYTEA_ARRAY)]).await?;
        let notes = rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
        let notes: HashMap<Vec<u8>, String> = notes.collect::<Result<_, Failure>>()?;
        Ok(keys.iter().map(|key| notes.get(key).cloned()).collect())
    }
}

/// Replaces notes and appends entries.
pub(crate) struct Change(pub(crate) JournalChange);

impl Operation for Change {
    type Output = ();

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<(), Failure> {
        let transaction = record::write(client, schema).await?;
        let JournalChange { notes, entries } = &self.0;
        // One statement replaces no row twice, so the last note with a name wins.
        let notes: HashMap<Vec<u8>, &str> = notes.iter().map(|(name, note)| (key(name), note.as_str())).collect();
        let (keys, texts): (Vec<Vec<u8>>, Vec<&str>) = notes.into_iter().unzip();
        let replace = "insert into comity.note (key, note) select * from unnest($1, $2)
            on conflict (key) do update set note = excluded.note";
        let parameters: &[Parameter<'_>] = &[(&keys, Type::BYTEA_ARRAY), (&texts, Type::TEXT_ARRAY)];
        transaction.execute_typed(&schema.sql(replace), parameters).await?;
        if !entries.is_empty() {
            // Until the end of the transaction: otherwise a greater number could become visible before a smaller one, and a
            // reader would miss the smaller one.
            transaction.batch_execute(&schema.sql("lock table comity.entry in share row exclusive mode")).await?;
        }
        for JournalEntry { id, at, text, .. } in entries {
            let at = at.as_unix_millis().cast_signed();
            let append = "insert into comity.entry (number, id, at, entry)
                select coalesce(max(number), 0) + 1, $1, $2, $3 from comity.entry on conflict (id) do nothing";
            let parameters: &[Parameter<'_>] = &[(id, Type::TEXT), (&at, Type::INT8), (text, Type::TEXT)];
            transaction.execute_typed(&schema.sql(append), parameters).await?;
        }
        Ok(transaction.commit().await?)
    }
}

/// Reads entries after a number.
pub(crate) struct Entries {
    pub(crate) after: u64,
    pub(crate) max: usize,
}

impl Operation for Entries {
    type Output = Vec<JournalEntry>;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<Vec<JournalEntry>, Failure> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let (after, max) = (number(self.after), number(self.max as u64));
        let select = "select number, id, at, entry from comity.entry where number > $1 order by number limit $2";
        let rows = client.query_typed(&schema.sql(select), &[(&after, Type::INT8), (&max, Type::INT8)]).await?;
        let entry = |row: &tokio_postgres::Row| {
            Ok(JournalEntry {
                number: row.try_get::<_, i64>(0)?.cast_unsigned(),
                id: row.try_get(1)?,
                at: Time::from_unix_millis(row.try_get::<_, i64>(2)?.cast_unsigned()),
                text: row.try_get(3)?,
            })
        };
        rows.iter().map(entry).collect()
    }
}

/// Reads the number of the newest entry.
pub(crate) struct Newest;

impl Operation for Newest {
    type Output = u64;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<u64, Failure> {
        let select = schema.sql("select coalesce(max(number), 0) from comity.entry");
        Ok(client.query_typed_one(&select, &[]).await?.try_get::<_, i64>(0)?.cast_unsigned())
    }
}

/// Removes old entries, but not the newest.
pub(crate) struct Trim {
    pub(crate) before: Time,
    pub(crate) max: u64,
}

impl Operation for Trim {
    type Output = u64;
    const IS_REPEATABLE: bool = false;
    const HAS_TIMEOUT: bool = false;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<u64, Failure> {
        let before = self.before.as_unix_millis().cast_signed();
        let max = i64::try_from(self.max).unwrap_or(i64::MAX);
        let delete = "delete from comity.entry where number < (select max(number) from comity.entry)
            and (at < $1 or number <= (select max(number) from comity.entry) - $2)";
        let transaction = record::write(client, schema).await?;
        let parameters: &[Parameter<'_>] = &[(&before, Type::INT8), (&max, Type::INT8)];
        let count = transaction.execute_typed(&schema.sql(delete), parameters).await?;
        transaction.commit().await?;
        Ok(count)
    }
}

//! Checks of everything that is stored.

use comity_fetch::store::{ContentHash, VerifyReport, Version};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, IsolationLevel, Row, Transaction};

use crate::connections::Operation;
use crate::failure::Failure;
use crate::lease::key;
use crate::record::{self, UNUSED};
use crate::schema::{Parameter, Schema};

/// The number of rows that are read at a time.
const PAGE: i64 = 1000;

/// Checks everything that is stored. The database checks references itself.
pub(crate) struct Verify;

impl Operation for Verify {
    type Output = VerifyReport;
    const HAS_TIMEOUT: bool = false;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<VerifyReport, Failure> {
        let begin = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
        let transaction = begin.start().await?;
        let mut report = VerifyReport::default();
        origins(&transaction, schema, &mut report).await?;
        versions(&transaction, schema, &mut report).await?;
        bodies(&transaction, schema, &mut report).await?;
        Ok(report)
    }
}

async fn origins(transaction: &Transaction<'_>, schema: &Schema, report: &mut VerifyReport) -> Result<(), Failure> {
    let select = schema.sql(
        "select key, origin, record::text, hash, ended from comity.origin
            where record is not null and key > $1 order by key limit $2",
    );
    let mut after: Vec<u8> = Vec::new();
    loop {
        let parameters: &[Parameter<'_>] = &[(&after, Type::BYTEA), (&PAGE, Type::INT8)];
        let rows = transaction.query_typed(&select, parameters).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = last.try_get(0)?;
        for row in &rows {
            report.origins += 1;
            origin(row, report)?;
        }
    }
}

fn origin(row: &Row, report: &mut VerifyReport) -> Result<(), Failure> {
    let origin: &str = row.try_get(1)?;
    let mut add = |message: &str| report.add(Some(origin), None, message);
    if row.try_get::<_, &[u8]>(0)? != key(origin).as_bytes() {
        add("is at the key of another origin");
    }
    match record::parse(row.try_get(2)?, origin) {
        Ok(record) => {
            if record.copy.is_some() != row.try_get::<_, Option<&[u8]>>(3)?.is_some() {
                add("has a record that contradicts its content");
            }
            let ended = record.last.as_ref().map(|last| last.ended.as_unix_millis().cast_signed());
            if ended != row.try_get(4)? {
                add("has a record that contradicts the end of its last attempt");
            }
        }
        Err(_) => add("has a record that can't be understood"),
    }
    Ok(())
}

async fn versions(transaction: &Transaction<'_>, schema: &Schema, report: &mut VerifyReport) -> Result<(), Failure> {
    let select = schema.sql(
        "select v.key, v.number, v.version::text, v.hash, octet_length(b.content), o.origin, o.record is not null
            from comity.version v left join comity.body b on b.hash = v.hash left join comity.origin o on o.key = v.key
            where (v.key, v.number) > ($1, $2) order by v.key, v.number limit $3",
    );
    let (mut after, mut number) = (Vec::<u8>::new(), 0_i64);
    loop {
        let parameters: &[Parameter<'_>] = &[(&after, Type::BYTEA), (&number, Type::INT8), (&PAGE, Type::INT8)];
        let rows = transaction.query_typed(&select, parameters).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        (after, number) = (last.try_get(0)?, last.try_get(1)?);
        for row in &rows {
            let origin: &str = row.try_get(5)?;
            let hash: Option<&[u8]> = row.try_get(3)?;
            let size: Option<i32> = row.try_get(4)?;
            let found = size.and_then(|size| usize::try_from(size).ok());
            match serde_json::from_str::<Version>(row.try_get(2)?) {
                Ok(version) => {
                    let copy = version.copy.as_ref();
                    if copy.map(|copy| &copy.hash.as_bytes()[..]) != hash || copy.map(|copy| copy.size) != found {
                        report.add(Some(origin), None, "has a version that contradicts its content");
                    }
                }
                Err(_) => report.add(Some(origin), None, "has a version that can't be understood"),
            }
            if !row.try_get::<_, bool>(6)? {
                report.add(Some(origin), None, "has a history and no record");
            }
        }
    }
}

/// The condition for contents that are not as they were written, or so large that they are never loaded.
const DAMAGED: &str = "({content} is null or sha256(b.content) <> b.hash)";

async fn bodies(transaction: &Transaction<'_>, schema: &Schema, report: &mut VerifyReport) -> Result<(), Failure> {
    let count = transaction.query_typed_one(&schema.sql("select count(*) from comity.body"), &[]).await?;
    report.bodies = count.try_get::<_, i64>(0)?.cast_unsigned();
    let select = format!("select b.hash, {DAMAGED}, {UNUSED} from comity.body b where {DAMAGED} or {UNUSED}");
    for row in transaction.query_typed(&schema.sql(&select), &[]).await? {
        let hash = row.try_get::<_, &[u8]>(0)?.try_into().ok().map(ContentHash::from_bytes);
        if row.try_get(1)? {
            report.add(None, hash, "is not as it was written");
        }
        if row.try_get(2)? {
            report.add(None, hash, "belongs to no origin");
        }
    }
    Ok(())
}

//! Leases.

use std::time::Duration;

use comity_fetch::store::{ContentHash, FetchKind, Lease, Ticket};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::connections::Operation;
use crate::failure::Failure;
use crate::record;
use crate::schema::{Parameter, Schema};

/// The maximum span of a lease, and of a record's freshness: longer ones would be beyond the range of intervals.
const MAX_SPAN: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// Requests a lease.
pub(crate) struct Begin<'a> {
    pub(crate) ticket: &'a Ticket,
    pub(crate) span: Duration,
    pub(crate) kind: FetchKind,
}

/// Renews a lease.
pub(crate) struct Renew<'a> {
    pub(crate) ticket: &'a Ticket,
    pub(crate) span: Duration,
}

/// Gives a lease back.
pub(crate) struct Abandon<'a>(pub(crate) &'a Ticket);

/// Returns the key of an origin's rows.
pub(crate) fn key(origin: &str) -> ContentHash {
    ContentHash::of(origin.as_bytes())
}

/// Returns a span in seconds, as statements take it.
pub(crate) fn seconds(span: Duration) -> f64 {
    span.min(MAX_SPAN).as_secs_f64()
}

/// Grants a lease if there is none, or it is already this ticket's: the answer to the first request may have been lost.
const BEGIN: &str = "
    insert into comity.origin as o (key, origin, ticket, lease_until)
        values ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
        on conflict (key) do update set ticket = excluded.ticket, lease_until = excluded.lease_until
            where (o.lease_until is null or o.lease_until <= clock_timestamp() or o.ticket = excluded.ticket)
                and not ($5 and o.record is not null and o.saved <= clock_timestamp() and clock_timestamp() < o.due)
        returning 1";

const STATE: &str = "
    select coalesce(o.record is not null and o.saved <= clock_timestamp() and clock_timestamp() < o.due, false),
            coalesce(extract(epoch from o.lease_until - clock_timestamp()), 0)::float8,
            o.record::text, o.revision, o.hash, {content}
        from comity.origin o left join comity.body b on b.hash = o.hash where o.key = $1";

impl Operation for Begin<'_> {
    type Output = Lease;

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<Lease, Failure> {
        let origin = self.ticket.origin().to_string();
        let (key, id) = (key(&origin), self.ticket.id().to_be_bytes());
        let mut is_due = self.kind == FetchKind::Due;
        loop {
            let parameters: &[Parameter<'_>] = &[
                (&&key.as_bytes()[..], Type::BYTEA),
                (&origin, Type::TEXT),
                (&&id[..], Type::BYTEA),
                (&seconds(self.span), Type::FLOAT8),
                (&is_due, Type::BOOL),
            ];
            if client.query_typed_opt(&schema.sql(BEGIN), parameters).await?.is_some() {
                return Ok(Lease::Granted(self.ticket.clone()));
            }
            let row = client.query_typed_opt(&schema.sql(STATE), &[(&&key.as_bytes()[..], Type::BYTEA)]).await?;
            // It was purged meanwhile.
            let Some(row) = row else { continue };
            if is_due && row.try_get(0)? {
                match record::read(&row, &origin, 2) {
                    Ok(Some(stored)) => return Ok(Lease::Fresh(stored)),
                    Ok(None) => continue,
                    // The record cannot be read, so a new one is needed.
                    Err(_) => is_due = false,
                }
                continue;
            }
            let until: f64 = row.try_get(1)?;
            return Ok(Lease::Held { until: Duration::try_from_secs_f64(until).unwrap_or_default() });
        }
    }
}

impl Operation for Renew<'_> {
    type Output = ();

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<(), Failure> {
        let (key, id) = (key(self.ticket.origin().as_str()), self.ticket.id().to_be_bytes());
        let parameters: &[Parameter<'_>] =
            &[(&&key.as_bytes()[..], Type::BYTEA), (&&id[..], Type::BYTEA), (&seconds(self.span), Type::FLOAT8)];
        let renew = "update comity.origin set lease_until = clock_timestamp() + $3 * interval '1 second'
            where key = $1 and ticket = $2";
        client.execute_typed(&schema.sql(renew), parameters).await?;
        Ok(())
    }
}

impl Operation for Abandon<'_> {
    type Output = ();

    async fn run(&self, client: &mut Client, schema: &Schema) -> Result<(), Failure> {
        let (key, id) = (key(self.0.origin().as_str()), self.0.id().to_be_bytes());
        let parameters: &[Parameter<'_>] = &[(&&key.as_bytes()[..], Type::BYTEA), (&&id[..], Type::BYTEA)];
        let end = "update comity.origin set ticket = null, lease_until = null where key = $1 and ticket = $2";
        client.execute_typed(&schema.sql(end), parameters).await?;
        Ok(())
    }
}

//! `--verify-dns`: the names of the addresses of crawlers.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use comity_audit::{Audit, DnsAnswer, DnsAnswers};
use comity_fetch::{Resolve, ResolveError, SystemResolver};
use futures_util::StreamExt as _;

use super::reading;
use crate::args;
use crate::input::{file, live};

/// The maximum number of addresses that are looked up, and of look-ups at once.
const MAX_ADDRESSES: usize = 20_000;
const MAX_AT_ONCE: usize = 16;
/// The time limit of each look-up.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Looks up the addresses in the logs that claim to be crawlers with documented names.
pub(super) fn verify(args: &args::Audit, audit: &mut Audit) -> Result<DnsAnswers> {
    if args.logs.iter().any(|path| file::is_stdin(path)) {
        bail!("--verify-dns reads the logs twice, so standard input can't be one: name a file");
    }
    audit.claimants = MAX_ADDRESSES + 1;
    let (tally, _) = reading::count(args, audit)?;
    audit.claimants = 0;
    if tally.claimants.len() > MAX_ADDRESSES {
        eprintln!("warning: only the first {MAX_ADDRESSES} addresses are looked up");
    }
    let addresses = tally.claimants.into_iter().take(MAX_ADDRESSES);
    let runtime = live::runtime()?;
    let resolver = SystemResolver::default();
    let answers = runtime.block_on(ask(addresses, |address| resolver.name_of(address), &resolver));
    // Look-ups without an answer may keep their threads for long.
    runtime.shutdown_background();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(DnsAnswers::new(answers, i64::try_from(now.as_secs())?))
}

/// Asks for the name of each address, and for the addresses of that name, which anybody can give to an address of their own.
async fn ask<F: Future<Output = Result<Option<String>, ResolveError>>>(
    addresses: impl IntoIterator<Item = IpAddr>,
    reverse: impl Fn(IpAddr) -> F,
    forward: &dyn Resolve,
) -> HashMap<IpAddr, DnsAnswer> {
    let answer = async |address: IpAddr| {
        let name = tokio::time::timeout(TIMEOUT, reverse(address)).await.ok()?.ok()?;
        let Some(name) = name else { return Some(DnsAnswer::Unnamed) };
        match tokio::time::timeout(TIMEOUT, forward.resolve(&name, 443)).await.ok()? {
            Ok(found) if found.iter().any(|found| found.ip().to_canonical() == address) => Some(DnsAnswer::Named(name)),
            Ok(_) => Some(DnsAnswer::Unnamed),
            // getaddrinfo does not tell a name without addresses from a name server that is down.
            Err(error) => error.is_no_address().then_some(DnsAnswer::Unnamed),
        }
    };
    let one = async |address| (address, answer(address).await.unwrap_or(DnsAnswer::Failed));
    futures_util::stream::iter(addresses).map(one).buffer_unordered(MAX_AT_ONCE).collect().await
}

#[cfg(test)]
mod tests {
    use comity_fetch::Fixed;

    use super::*;

    #[tokio::test]
    async fn only_an_answer_refutes() {
        let own: IpAddr = "192.0.2.1".parse().unwrap();
        let name = || Ok(Some("crawl.acme.example".to_owned()));
        for (reverse, forward, expected) in [
            (name(), Fixed::new(["192.0.2.1:0".parse().unwrap()]), DnsAnswer::Named("crawl.acme.example".to_owned())),
            (name(), Fixed::new(["192.0.2.2:0".parse().unwrap()]), DnsAnswer::Unnamed),
            (name(), Fixed::in_turn([Err(ResolveError::no_address())]), DnsAnswer::Unnamed),
            (name(), Fixed::in_turn([Err(ResolveError::failed("down"))]), DnsAnswer::Failed),
            (Ok(None), Fixed::in_turn([]), DnsAnswer::Unnamed),
            (Err(ResolveError::failed("down")), Fixed::in_turn([]), DnsAnswer::Failed),
        ] {
            let answers = ask([own], async |_| reverse.clone(), &forward).await;
            assert_eq!(answers[&own], expected, "{reverse:?}");
        }
        let never = ask([own], async |_| std::future::pending().await, &Fixed::in_turn([])).await;
        assert_eq!(never[&own], DnsAnswer::Failed);
    }
}

//! `comity serve`: runs the HTTP service.

mod files;
pub(super) mod log;

use std::io::{self, Write};
use std::num::NonZeroU32;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use comity::Escaped;
use comity_server::{BearerToken, Handle, Server, ServerBuilder, ServerLimits, Tls};
use url::Url;

use crate::args;
use crate::args::live::{Cache, CacheOptions};
use crate::commands::watch::Setup;
use crate::input::{crawlers, file, live};
use crate::outcome::Outcome;

/// The environment variable with the bearer token, if no file is given for it.
const TOKEN: &str = "COMITY_TOKEN";

pub(crate) fn run(args: &args::Serve) -> Result<Outcome> {
    let table = crawlers::table(args.crawlers.as_deref())?;
    let setup = || Setup::new(args.config.as_deref(), args.crawlers.as_deref(), &args.live);
    let setup = args.watch.then(setup).transpose()?;
    let mut limits = limits(&args.limits);
    let too_few = files::raise(&mut limits);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the network could not be set up")?;
    let ended = runtime.block_on(async {
        let client = client(args)?;
        let builder = Server::builder(client).crawlers(table).limits(limits);
        let (mut builder, has_token) = admit(builder, &args.access)?;
        let mut watching = None;
        if let Some(setup) = setup {
            let kept = Cache { dir: args.cache.clone(), store: args.store.clone(), waits: false };
            let (_, watcher) = setup.watcher(&args.live, &kept).await?;
            builder = builder.watch(watcher.status());
            watching = Some((watcher, setup.deliveries));
        }
        let server = builder.bind(args.listen).await;
        let server = server.with_context(|| {
            format!("could not listen on {}; --listen chooses another address, port 0 any free port", args.listen)
        })?;
        log::start(args.log, args.log_format)?;
        if let Some(too_few) = too_few {
            too_few.warn();
        }
        if !has_token && !server.address().ip().is_loopback() {
            eprintln!(
                "Everybody who can reach {} can use the service; --token-file FILE requires a token.",
                Escaped(server.url().as_bytes())
            );
        }
        let signals = end_on_signals(server.handle())?;
        let mut out = io::stdout().lock();
        writeln!(out, "Listening on {}", server.url())?;
        out.flush()?;
        drop(out);
        let releasing = tokio::spawn(release_memory());
        let url = server.url().trim_end_matches('/').to_owned();
        let watching = watching.map(|(watcher, deliveries)| tokio::spawn(watcher.run(deliveries, Some(url))));
        let left = server.run().await;
        releasing.abort();
        if let Some(watching) = watching {
            watching.abort();
        }
        signals.abort();
        if left > 0 {
            tracing::warn!(connections = left, "ended with requests in progress");
        }
        Ok(Outcome::Yes)
    });
    // The results of tasks that still run are no longer needed.
    runtime.shutdown_background();
    ended
}

/// The interval at which freed memory is returned to the system.
const RELEASE_INTERVAL: Duration = Duration::from_secs(10);

/// Returns freed memory to the system regularly, until the service ends.
async fn release_memory() {
    let mut interval = tokio::time::interval(RELEASE_INTERVAL);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        // This may take milliseconds, and no request should wait for this thread meanwhile.
        let _ = tokio::task::spawn_blocking(comity_heap::release).await;
    }
}

fn client(args: &args::Serve) -> Result<comity_fetch::Client> {
    let keeping = CacheOptions {
        cache: Cache { dir: args.cache.clone(), store: args.store.clone(), waits: args.require_store },
        no_cache: args.cache.is_none() && args.store.is_none(),
        revalidate: args.revalidate,
    };
    // No URLs are given as arguments here, so no site is trusted: the client connects to public addresses only.
    let mut client = live::client(&args.live, &keeping, &args.dialect.dialect, std::iter::empty())?;
    if let Some(mebibytes) = args.memory {
        client = client.memory(mebibytes.saturating_mul(1 << 20));
    }
    Ok(client.offline(args.offline).require_store(args.require_store).build()?)
}

/// Sets the access control of the service. Also returns true if a token is required.
fn admit(mut builder: ServerBuilder, args: &args::serve::Access) -> Result<(ServerBuilder, bool)> {
    for host in &args.host {
        builder = builder.host(name(host)?);
    }
    for page in &args.origin {
        builder = builder.origin(origin(page)?);
    }
    let token = match &args.token_file {
        Some(path) => {
            let text = String::from_utf8(file::read(path)?).unwrap_or_default();
            let first = text.lines().next().unwrap_or_default().trim_ascii();
            Some(BearerToken::new(first).with_context(|| file::name(path))?)
        }
        None => match std::env::var_os(TOKEN) {
            Some(token) => Some(BearerToken::new(token.to_str().unwrap_or_default()).context(TOKEN)?),
            None => None,
        },
    };
    let has_token = token.is_some();
    if let Some(token) = token {
        builder = builder.token(token);
    }
    if let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) {
        let tls = Tls::from_pem(&file::read(certificate)?, &file::read(key)?);
        builder = builder.tls(tls.with_context(|| format!("{}, {}", file::name(certificate), file::name(key)))?);
    }
    for network in &args.trust_proxy {
        let expected = || anyhow!("--trust-proxy: expected a network such as 10.0.0.0/8, found `{network}`");
        builder = builder.trust_proxies([network.parse().map_err(|_| expected())?]);
    }
    Ok((builder.proxy_header(args.proxy_header), has_token))
}

/// Returns a host name as it appears in requests. Refuses a name that cannot appear there, because no request could
/// match it.
fn name(host: &str) -> Result<String> {
    if host == "*" {
        return Ok(host.to_owned());
    }
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if let Ok(address) = bare.parse::<std::net::Ipv6Addr>() {
        return Ok(format!("[{address}]"));
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_name = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if !is_name {
        let shown = Escaped(host.as_bytes());
        bail!("--host: expected a name without scheme and port, such as robots.example.com, found `{shown}`");
    }
    Ok(host.to_owned())
}

/// Returns the origin of a page as browsers send it.
fn origin(page: &str) -> Result<String> {
    let shown = Escaped(page.as_bytes());
    let expected = || anyhow!("--origin: expected an address such as https://tools.example.com, found `{shown}`");
    let url = Url::parse(page).map_err(|_| expected())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(expected());
    }
    Ok(url.origin().ascii_serialization())
}

fn limits(args: &args::serve::Limits) -> ServerLimits {
    fn set<T: Copy>(limit: &mut T, said: Option<T>) {
        if let Some(said) = said {
            *limit = said;
        }
    }
    let mut limits = ServerLimits::default();
    set(&mut limits.connections, args.connections);
    set(&mut limits.in_flight, args.in_flight);
    set(&mut limits.queue, args.queue);
    set(&mut limits.queue_wait, args.queue_wait);
    set(&mut limits.waiting, args.waiting);
    set(&mut limits.batches, args.batches);
    set(&mut limits.rate, args.rate.map(NonZeroU32::new));
    set(&mut limits.fetch_rate, args.fetch_rate.map(NonZeroU32::new));
    set(&mut limits.body_bytes, args.body);
    set(&mut limits.urls, args.urls);
    set(&mut limits.head_timeout, args.head_timeout);
    set(&mut limits.body_timeout, args.body_timeout);
    set(&mut limits.write_timeout, args.write_timeout);
    set(&mut limits.request_timeout, args.request_timeout);
    set(&mut limits.idle_timeout, args.idle_timeout);
    set(&mut limits.grace, args.grace);
    limits
}

/// Shuts the service down gracefully at the first signal, and immediately at the second.
fn end_on_signals(handle: Handle) -> Result<tokio::task::JoinHandle<()>> {
    #[cfg(unix)]
    let mut signals = {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        async move || {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        }
    };
    #[cfg(not(unix))]
    let signals = async || {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    Ok(tokio::spawn(async move {
        signals().await;
        tracing::info!("finishing requests in progress; another signal ends the service at once");
        handle.shut_down();
        signals().await;
        handle.abort();
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_pages_are_as_requests_say_them() {
        for (host, said) in [
            ("*", "*"),
            ("robots.example.com", "robots.example.com"),
            ("robots.example.com.", "robots.example.com"),
            ("10.0.0.7", "10.0.0.7"),
            ("fd00::5", "[fd00::5]"),
            ("[FD00:0::5]", "[fd00::5]"),
        ] {
            assert_eq!(name(host).unwrap(), said);
        }
        for host in ["", "a.example:9309", "https://a.example", "a b", "a/b", "[a]"] {
            assert!(name(host).is_err(), "{host}");
        }
        assert_eq!(origin("https://Tools.example.com:443/a/").unwrap(), "https://tools.example.com");
        assert_eq!(origin("http://localhost:8080").unwrap(), "http://localhost:8080");
        for page in ["tools.example.com", "ftp://a.example", "null", ""] {
            assert!(origin(page).is_err(), "{page}");
        }
    }
}

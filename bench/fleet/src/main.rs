//! A benchmark of the store in PostgreSQL, compared with `pgbench`, and of answers from memory with and without it: their
//! time, and their number of instructions.
//!
//! ```text
//! cargo run --release --manifest-path bench/fleet/Cargo.toml [-- --out DIR]
//! ```
//!
//! It starts a PostgreSQL server on loopback that commits to disk. A unit of work is the lease and the result of one fetch,
//! which are two commits. `pgbench` runs its simple update with as many clients, in turn with it, so that a disturbance of
//! the machine affects both. Whatever is compared is measured in both orders. The benchmark fails if a ratio is beyond its
//! limit. With `--out`, the results are written to `fleet.md` in that directory.

#[path = "../../src/callgrind.rs"]
#[allow(dead_code, reason = "other benchmarks use more of it")]
mod callgrind;
mod instructions;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use comity::{Crawler, Origin};
use comity_fetch::store::{FetchKind, Lease, Saved, Store};
use comity_fetch::{Addresses, Client, ClientBuilder, Fixed, StoredRecord};
use comity_policy::{Action, Head, Input, Policy, Site, Time};
use comity_store_postgres::{PostgresOptions, PostgresStore};
use comity_testserver::{ANY, HttpServer, Postgres, Reply};

const ROUNDS: usize = 7;
const SECONDS: u64 = 4;
const CLIENTS: usize = 32;
const LEASE: Duration = Duration::from_secs(60);
/// The minimum ratio of units to transactions of `pgbench`: two commits are one unit.
const MIN_RATIO: f64 = 0.25;

/// The rounds, origins and questions of the answers from memory. The clients of a round are asked in turn, so many times.
const MEMORY_ROUNDS: usize = 10;
const ORIGINS: usize = 500;
const QUESTIONS: usize = 100_000;
const TURNS: usize = 20;
/// The maximum ratio of the 99th percentiles with and without a store.
const MAX_P99: f64 = 1.2;

/// A file of a common size. Each origin has another one.
const RULES: &str =
    "User-agent: *\nDisallow: /private/\nDisallow: /*?session=\nDisallow: /cart\nAllow: /private/map.html\n";

/// The maximum ratio of the instructions of an answer from memory, with a store and without: the hashes of origins differ
/// between processes, and nothing else.
const MAX_INSTRUCTIONS: f64 = 1.01;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure(None),
        ["--out", dir] => measure(Some(Path::new(dir))),
        // This program runs that under valgrind.
        ["answers", web, ref store @ ..] => instructions::run(web, store.first().copied()),
        _ => bail!("expected --out DIR, found `{}`", arguments.join(" ")),
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn measure(out: Option<&Path>) -> Result<()> {
    let server = Postgres::start_with(&["fsync=on", "max_connections=100"]).context("PostgreSQL is not installed")?;
    let initialized = pgbench(&server, &["--initialize", "--scale=10", "--quiet"])?;
    ensure!(initialized.status.success(), "pgbench: {}", String::from_utf8_lossy(&initialized.stderr));

    let mut pairs = Vec::new();
    for round in 0..=ROUNDS {
        let (mut theirs, mut ours) = (0.0, 0.0);
        for which in order(round) {
            match which {
                0 => theirs = simple_updates(&server)?,
                _ => ours = units(&server, &format!("round{round}"), CLIENTS).await?,
            }
        }
        println!("{theirs:8.0} simple updates/s   {ours:8.0} units/s   {:.2}", ours / theirs);
        // The first round is a warm-up.
        if round > 0 {
            pairs.push((theirs, ours));
        }
    }
    let ratio = median(pairs.iter().map(|(theirs, ours)| ours / theirs));
    let mut text = String::from(
        "# The cost of a shared database\n\nA unit is the lease and the result of one fetch, which are two commits to disk. \
         `pgbench` runs its simple update, one commit, with as many clients on the same server, in turn with it. Medians of \
         7 rounds. Clients and server share the machine. Absolute numbers differ between machines; quote ratios.\n\n",
    );
    let theirs = median(pairs.iter().map(|pair| pair.0));
    let ours = median(pairs.iter().map(|pair| pair.1));
    writeln!(text, "| | per second | x simple update | target |\n|---|--:|--:|---|")?;
    writeln!(text, "| pgbench, simple update, {CLIENTS} clients | {theirs:.0} | 1.00 | |")?;
    writeln!(text, "| lease and result, {CLIENTS} clients | {ours:.0} | {ratio:.2} | ≥ {MIN_RATIO} |")?;
    for clients in [1, 4] {
        let found = units(&server, &format!("clients{clients}"), clients).await?;
        writeln!(text, "| lease and result, {clients} at once | {found:.0} | {:.2} | |", found / theirs)?;
    }
    server.psql("alter role postgres set synchronous_commit = off");
    let found = units(&server, "asynchronous", CLIENTS).await?;
    writeln!(
        text,
        "| lease and result, {CLIENTS} clients, `synchronous_commit = off` | {found:.0} | {:.2} | |",
        found / theirs
    )?;
    let store = store(&server, "round1", 1)?;
    let stats = store.archive().context("an archive")?.stats().await?;
    writeln!(
        text,
        "\nAn origin with a file of its own of {} bytes takes {} bytes in the database, with indexes.",
        RULES.len() + 24,
        stats.bytes / stats.origins
    )?;

    let web = HttpServer::start().await;
    web.serve(ANY, "/robots.txt", Reply::ok(RULES).header("Cache-Control", "max-age=86400"));
    let ratios = memory(&server, &web).await?;
    let p99 = median(ratios.iter().copied());
    let (least, most) = (ratios.iter().copied().fold(f64::MAX, f64::min), ratios.iter().copied().fold(0.0, f64::max));
    let [without, with] = tokio::task::block_in_place(|| instructions::count(&web, &server))?;
    let instructions = with / without;
    writeln!(
        text,
        "\nAn answer from memory: the 99th percentile with the store is {p99:.2} times that without (target: ≤ {MAX_P99}; median \
         of {MEMORY_ROUNDS} paired rounds, which had {least:.2} to {most:.2}). It takes {with:.0} instructions with the store, and {without:.0} without \
         (target: ≤ {MAX_INSTRUCTIONS} times).\n\n`cargo xtask bench --fleet` measures again."
    )?;
    print!("\n{text}");
    if let Some(out) = out {
        std::fs::write(out.join("fleet.md"), text)?;
    }
    ensure!(ratio >= MIN_RATIO, "a unit costs too much: {ratio:.2} < {MIN_RATIO}");
    ensure!(p99 <= MAX_P99, "an answer from memory takes too long: {p99:.2} > {MAX_P99}");
    ensure!(
        instructions <= MAX_INSTRUCTIONS,
        "an answer from memory takes {with:.0} instructions with a store, and {without:.0} without"
    );
    Ok(())
}

fn pgbench(server: &Postgres, arguments: &[&str]) -> Result<std::process::Output> {
    let mut command = server.command("pgbench");
    command.args(["--host=127.0.0.1", &format!("--port={}", server.port()), "--username=postgres"]);
    Ok(command.args(arguments).arg("postgres").output()?)
}

/// Returns the simple updates per second of `pgbench`.
fn simple_updates(server: &Postgres) -> Result<f64> {
    let (clients, seconds) = (format!("--client={CLIENTS}"), format!("--time={SECONDS}"));
    let output = pgbench(server, &["--skip-some-updates", "--no-vacuum", "--jobs=2", &clients, &seconds])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("tps = ")).with_context(|| text.clone())?;
    Ok(line.split(' ').next().context("a number")?.parse()?)
}

fn store(server: &Postgres, schema: &str, connections: usize) -> Result<PostgresStore> {
    let options: PostgresOptions = format!("{}?schema={schema}", server.url()).parse()?;
    Ok(PostgresStore::new(options.pool_size(connections))?)
}

/// Returns the leases and results per second of so many clients, which have one connection each.
async fn units(server: &Postgres, schema: &str, clients: usize) -> Result<f64> {
    let store = Arc::new(store(server, schema, clients)?);
    store.connect().await?;
    let next = Arc::new(AtomicU64::new(0));
    let began = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..clients {
        let (store, next) = (Arc::clone(&store), Arc::clone(&next));
        tasks.spawn(async move {
            let mut units = 0_u64;
            while began.elapsed() < Duration::from_secs(SECONDS) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let origin = Origin::of(&format!("https://site{number}.example/"))?;
                let Lease::Granted(ticket) = store.begin(&origin, LEASE, FetchKind::Due).await? else {
                    bail!("expected a lease");
                };
                ensure!(store.complete(&record(&origin, number), Some(&ticket)).await? == Saved::Kept, "it was late");
                units += 1;
            }
            Ok(units)
        });
    }
    let mut all = 0;
    while let Some(units) = tasks.join_next().await {
        all += units??;
    }
    Ok(all as f64 / began.elapsed().as_secs_f64())
}

/// Returns the record of an origin that has just answered with a file of its own.
fn record(origin: &Origin, number: u64) -> StoredRecord {
    let now = Time::from_unix_seconds(1_800_000_000);
    let mut site = Site::new(origin, Policy::STANDARD);
    assert!(matches!(site.poll(now), Action::Send(_)));
    site.handle(Input::Head(Head::http(200)), now);
    site.handle(Input::Bytes(format!("{RULES}# {number:022}").as_bytes()), now);
    site.handle(Input::End, now);
    site.record().clone()
}

/// Returns the ratios of the 99th percentiles of the time of answers from memory, with the store and without.
///
/// Each round has new clients, created in the order of that round, and asks them in turn, in either order. So neither the
/// place of a client in memory, nor a change of the machine's speed, is an advantage in all rounds.
async fn memory(server: &Postgres, web: &HttpServer) -> Result<Vec<f64>> {
    let urls: Vec<String> = (0..ORIGINS).map(|number| format!("http://site{number}.test/private/x")).collect();
    let mut ratios = Vec::new();
    for round in 0..=MEMORY_ROUNDS {
        let mut clients = [None, None];
        for which in order(round) {
            let mut builder = builder(web.addr());
            if which == 1 {
                builder = builder.store(Arc::new(store(server, &format!("memory{round}"), 16)?));
            }
            clients[which] = Some(filled(builder.build()?, &urls).await?);
        }
        let clients = clients.map(|client| client.expect("both are created"));
        let mut times = [0; 2].map(|_| Vec::with_capacity(QUESTIONS));
        for turn in 0..TURNS {
            for which in order(round + turn) {
                ask(&clients[which], &urls, QUESTIONS / TURNS, &mut times[which]).await?;
            }
        }
        for client in &clients {
            let stats = client.stats();
            ensure!(stats.requests_total == ORIGINS as u64 && stats.store_errors_total == 0, "{stats:?}");
        }
        let [without, with] = times.map(p99);
        println!("p99 of answers from memory: {:.2} µs without, {:.2} µs with", without * 1e6, with * 1e6);
        // The first round is a warm-up.
        if round > 0 {
            ratios.push(with / without);
        }
    }
    Ok(ratios)
}

/// Returns the order of two measurements in a round.
fn order(round: usize) -> [usize; 2] {
    if round.is_multiple_of(2) { [0, 1] } else { [1, 0] }
}

/// Fetches all files, and asks until their rules are compiled, which is done for the third question.
async fn filled(client: Client, urls: &[String]) -> Result<Client> {
    let mut tasks = tokio::task::JoinSet::new();
    for part in urls.chunks(ORIGINS / 16) {
        let (client, part) = (client.clone(), part.to_vec());
        tasks.spawn(async move { ask(&client, &part, 4 * part.len(), &mut Vec::new()).await });
    }
    while let Some(asked) = tasks.join_next().await {
        asked??;
    }
    Ok(client)
}

/// Returns a builder of clients for which all hosts have this address.
fn builder(web: SocketAddr) -> ClientBuilder {
    Client::builder("BenchBot/1.0 (+https://bot.test/)").addresses(Addresses::Any).resolver(Arc::new(Fixed::new([web])))
}

/// Asks so many questions about these URLs, and adds the time of each answer.
async fn ask(client: &Client, urls: &[String], questions: usize, times: &mut Vec<Duration>) -> Result<()> {
    for url in urls.iter().cycle().take(questions) {
        let began = Instant::now();
        let decision = client.check(&Crawler::ANY, url).await?;
        times.push(began.elapsed());
        ensure!(decision.is_disallowed(), "expected a disallowed URL");
    }
    Ok(())
}

/// Returns the 99th percentile, in seconds.
fn p99(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() * 99 / 100].as_secs_f64()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { f64::midpoint(values[middle - 1], values[middle]) } else { values[middle] }
}

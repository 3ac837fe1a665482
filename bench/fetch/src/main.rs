//! A benchmark of fetching robots.txt files: comity against a bare loop of reqwest, which requests the bytes and does
//! nothing with them. The files are those of thousands of sites on loopback, each different and each on a new
//! connection.
//!
//! ```text
//! cargo run --release --manifest-path bench/fetch/Cargo.toml [PARTICIPANT]
//! ```
//!
//! The participants take turns, so that a disturbance of the machine affects all of them. comity takes part in three
//! ways: with its transport, which does the same as reqwest; with its client, which parses and caches each file; and
//! with a question about each site, for which the rules are compiled. The benchmark fails if the transport has less
//! than nine tenths of the throughput of reqwest. To profile one participant alone, name it as the argument.

mod work;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use comity::{Crawler, Origin};
use comity_fetch::transport::{Options, Sender};
use comity_fetch::{Addresses, Client, Fixed, Policy, Time};
use comity_policy::{Action, Site};
use comity_testserver::{HttpServer, Reply};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;

const FILES: usize = 5_000;
const AT_ONCE: usize = 64;
const ROUNDS: usize = 9;
const MIN_RATIO: f64 = 0.9;

fn main() -> Result<()> {
    let (tell, told) = oneshot::channel();
    // The server has its own thread, and does the same work for each participant.
    std::thread::spawn(move || serve(tell));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { measure(told.await.context("the server did not start")?).await })
}

fn host(n: usize) -> String {
    format!("s{n}.test")
}

#[tokio::main(flavor = "current_thread")]
async fn serve(tell: oneshot::Sender<SocketAddr>) {
    let server = HttpServer::start().await;
    for (n, file) in work::files(FILES).into_iter().enumerate() {
        server.serve(&host(n), "/robots.txt", Reply::ok(file));
    }
    let _ = tell.send(server.addr());
    std::future::pending::<()>().await;
}

/// The duration of a piece of work, and the processor time that this thread used for it, if the system reports it.
#[derive(Clone, Copy, Debug)]
struct Took {
    wall: Duration,
    work: Option<Duration>,
}

/// Returns the time that this thread has spent on a processor, from Linux. Other programs do not change it.
fn work() -> Option<Duration> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// A program that fetches the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Participant {
    Reqwest,
    /// comity's transport, which returns bytes as reqwest does.
    Transport,
    /// comity's client, which parses and caches the files.
    Client,
    /// comity's client, with a question about each site.
    Question,
}

const PARTICIPANTS: [Participant; 4] =
    [Participant::Reqwest, Participant::Transport, Participant::Client, Participant::Question];

async fn measure(server: SocketAddr) -> Result<()> {
    let only = std::env::args().nth(1);
    let mut rounds: [Vec<Took>; 4] = Default::default();
    // The first round is a warm-up, because the first connections of a process are slow.
    for round in 0..=ROUNDS {
        for turn in 0..PARTICIPANTS.len() {
            let who = (round + turn) % PARTICIPANTS.len();
            if only.as_ref().is_some_and(|name| *name != format!("{:?}", PARTICIPANTS[who])) {
                continue;
            }
            let took = match PARTICIPANTS[who] {
                Participant::Reqwest => by_reqwest(server).await?,
                Participant::Transport => by_transport(server).await?,
                Participant::Client => by_client(server, false).await?,
                Participant::Question => by_client(server, true).await?,
            };
            if round > 0 {
                rounds[who].push(took);
            }
        }
    }
    if only.is_some() {
        return Ok(());
    }
    println!("{FILES} files, {AT_ONCE} at a time, medians of {ROUNDS} rounds:");
    println!("              files/s  ratio   µs of work/file  ratio");
    let mut ratios = [1.0; 4];
    for (who, took) in rounds.iter().enumerate() {
        let ratio = |of: fn(&Took) -> f64| median(rounds[0].iter().zip(took).map(|(first, took)| of(first) / of(took)));
        let wall = |took: &Took| took.wall.as_secs_f64();
        let work = |took: &Took| took.work.map_or(f64::NAN, |work| work.as_secs_f64());
        ratios[who] = ratio(wall);
        let files = FILES as f64;
        let per_second = median(took.iter().map(|took| files / wall(took)));
        let per_file = median(took.iter().map(|took| work(took) * 1e6 / files));
        let name = format!("{:?}", PARTICIPANTS[who]);
        println!("  {name:9} {per_second:9.0} {:6.2} {per_file:17.1} {:6.2}", ratios[who], ratio(work));
    }
    ensure!(ratios[1] >= MIN_RATIO, "the transport is to do at least {MIN_RATIO} of what reqwest does");
    Ok(())
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Requests all files, at most `AT_ONCE` at the same time. Returns the time that this takes.
async fn time<F>(ask: impl Fn(usize) -> F) -> Result<Took>
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    let (began, worked) = (Instant::now(), work());
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    let mut asking = JoinSet::new();
    for n in 0..FILES {
        let permit = at_once.clone().acquire_owned().await?;
        let asked = ask(n);
        asking.spawn(async move {
            let _permit = permit;
            asked.await
        });
        while let Some(asked) = asking.try_join_next() {
            asked??;
        }
    }
    while let Some(asked) = asking.join_next().await {
        asked??;
    }
    Ok(Took { wall: began.elapsed(), work: work().zip(worked).map(|(now, then)| now.saturating_sub(then)) })
}

async fn by_client(server: SocketAddr, asks: bool) -> Result<Took> {
    let client = Client::builder("BenchBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([server])))
        .build()?;
    let asking = client.clone();
    let took = time(move |n| {
        let client = asking.clone();
        async move {
            let url = format!("http://{}/tmp/", host(n));
            let site = client.robots(&url).await?;
            ensure!(site.ruling().event.is_found(), "{}", site.ruling());
            if asks {
                let decision = site.check(&Crawler::ANY, &url);
                ensure!(decision.verdict().is_some(), "{decision}");
            }
            Ok(())
        }
    });
    let took = took.await?;
    ensure!(client.stats().requests_total == FILES as u64, "{:?}", client.stats());
    Ok(took)
}

async fn by_transport(server: SocketAddr) -> Result<Took> {
    let mut options = Options::new("BenchBot/1.0 (+https://bot.test/)");
    options.addresses = Addresses::Any;
    options.builtin.resolver = Some(Arc::new(Fixed::new([server])));
    let sender = Sender::new(options)?;
    time(move |n| {
        let sender = sender.clone();
        async move {
            let origin = Origin::of(&format!("http://{}/", host(n)))?;
            let now = Time::from_unix_seconds(1_800_000_000);
            let Action::Send(request) = Site::new(&origin, Policy::STANDARD).poll(now) else { bail!("no request") };
            let mut answer = sender.send(&request, &origin).await?;
            let mut file = Vec::new();
            while let Some(bytes) = answer.body.chunk().await? {
                file.extend_from_slice(&bytes);
            }
            ensure!(!file.is_empty(), "no file");
            Ok(())
        }
    })
    .await
}

/// A resolver that returns the server's address for every name.
#[derive(Clone, Copy, Debug)]
struct Names(SocketAddr);

impl reqwest::dns::Resolve for Names {
    fn resolve(&self, _: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let addresses: reqwest::dns::Addrs = Box::new(std::iter::once(self.0));
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

async fn by_reqwest(server: SocketAddr) -> Result<Took> {
    let client = reqwest::Client::builder()
        .user_agent("BenchBot/1.0 (+https://bot.test/)")
        .no_proxy()
        .pool_max_idle_per_host(0)
        .dns_resolver(Arc::new(Names(server)))
        .build()?;
    time(move |n| {
        let client = client.clone();
        async move {
            // The resolver sets the port.
            let answer = client.get(format!("http://{}/robots.txt", host(n))).send().await?;
            let bytes = answer.bytes().await?;
            ensure!(!bytes.is_empty(), "no file");
            Ok(())
        }
    })
    .await
}

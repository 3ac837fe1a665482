//! What an answer of the service costs its processor, beside a bare hello of axum: processes of their own on loopback,
//! whose processor time is read from `/proc`, in turns, so that what disturbs the machine disturbs them alike.
//!
//! ```text
//! cargo run --release --manifest-path bench/serve/Cargo.toml [WORK]
//! ```
//!
//! `GET /v1/check` is asked over kept connections, about pages of one site whose file is remembered; `/v1/batch` is sent
//! questions about it, one in a line and many in a line. One of them alone, for a profiler, is named.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use comity_fetch::{Addresses, Client, Fixed};
use comity_server::{Limits, Server};
use comity_testserver::{HttpServer, Reply};

const ROUNDS: usize = 9;
const CONNECTIONS: usize = 16;
/// Requests of one connection in one round.
const REQUESTS: usize = 2_000;
const LINES: usize = 200_000;
/// URLs of one line, where there are many.
const GROUP: usize = 1_000;

const RULES: &str = "User-agent: *\nDisallow: /private/\nDisallow: /*?session=\nAllow: /private/map.html\nDisallow: /cart\n\
                     Crawl-delay: 2\n\nUser-agent: GPTBot\nDisallow: /\n";

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        None => measure(""),
        Some("hello") => run(hello()),
        Some("service") => run(service()),
        Some(name) => measure(name),
    }
}

fn run(serve: impl Future<Output = Result<()>>) -> Result<()> {
    // One thread, so that what is measured is work and not its distribution.
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?.block_on(serve)
}

async fn hello() -> Result<()> {
    let router = axum::Router::new().route("/", axum::routing::get(async || "hello"));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    axum::serve(axum::serve::ListenerExt::tap_io(listener, |stream| drop(stream.set_nodelay(true))), router).await?;
    Ok(())
}

async fn service() -> Result<()> {
    let sites = HttpServer::start().await;
    sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let client = Client::builder("BenchBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([sites.addr()])))
        .build()?;
    client.known("http://a.test/").await?;
    let mut limits = Limits::default();
    limits.rate = None;
    let server = Server::builder(client).limits(limits).bind("127.0.0.1:0".parse()?).await?;
    println!("{}", server.address());
    server.run().await;
    Ok(())
}

/// A process that serves.
struct Process {
    child: Child,
    address: SocketAddr,
    _out: BufReader<ChildStdout>,
}

impl Process {
    fn start(what: &str) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?).arg(what).stdout(Stdio::piped()).spawn()?;
        let mut out = BufReader::new(child.stdout.take().context("its output")?);
        let mut line = String::new();
        out.read_line(&mut line)?;
        Ok(Self { address: line.trim().parse()?, child, _out: out })
    }

    /// The processor time that it has taken.
    fn spent(&self) -> Result<Duration> {
        // Nanoseconds on the processor, for each thread.
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id()))?;
        let mut spent = 0;
        for task in tasks {
            let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
            spent += text.split(' ').next().context("schedstat")?.parse::<u64>()?;
        }
        Ok(Duration::from_nanos(spent))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn measure(wanted: &str) -> Result<()> {
    let (hello, service) = (Process::start("hello")?, Process::start("service")?);
    let work: [(&str, &Process, &dyn Fn(SocketAddr) -> Result<usize>); 5] = [
        ("hello", &hello, &|to| requests(to, "/")),
        ("GET /healthz", &service, &|to| requests(to, "/healthz")),
        ("GET /v1/check", &service, &|to| {
            requests(to, "/v1/check?url=http%3A%2F%2Fa.test%2Fprivate%2Fpage-17.html&agent=Googlebot")
        }),
        ("/v1/batch, a line each", &service, &|to| batch(to, &lines())),
        ("/v1/batch, grouped", &service, &|to| batch(to, &groups())),
    ];
    let mut costs = vec![Vec::new(); work.len()];
    for _ in 0..ROUNDS {
        for ((name, process, work), costs) in work.iter().zip(&mut costs) {
            if *name != "hello" && !name.contains(wanted) {
                continue;
            }
            let before = process.spent()?;
            let answers = work(process.address)?;
            costs.push((process.spent()? - before).as_secs_f64() / answers as f64);
        }
    }
    ensure!(costs[1..].iter().any(|costs| !costs.is_empty()), "nothing is called {wanted}");
    let medians: Vec<f64> = costs.iter_mut().map(|costs| median(costs)).collect();
    for ((name, ..), cost) in work.iter().zip(&medians).filter(|(_, cost)| !cost.is_nan()) {
        println!("{name:<24}{:>9.2} us  {:>5.2}x hello  {:>10.0} a second", cost * 1e6, cost / medians[0], 1.0 / cost);
    }
    Ok(())
}

fn median(costs: &mut [f64]) -> f64 {
    costs.sort_unstable_by(f64::total_cmp);
    costs.get(costs.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Asks the same over kept connections, one request at a time on each.
fn requests(to: SocketAddr, target: &str) -> Result<usize> {
    let request = format!("GET {target} HTTP/1.1\r\nHost: {to}\r\n\r\n");
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(|| one(to, request.as_bytes()))).collect();
        clients.into_iter().try_for_each(|client| client.join().expect("no panic"))
    })?;
    Ok(CONNECTIONS * REQUESTS)
}

fn one(to: SocketAddr, request: &[u8]) -> Result<()> {
    let mut stream = TcpStream::connect(to)?;
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; 16 << 10];
    for _ in 0..REQUESTS {
        stream.write_all(request)?;
        let mut read = 0;
        loop {
            read += stream.read(&mut buffer[read..])?;
            ensure!(read > 0, "the connection was closed");
            let text = &buffer[..read];
            let Some(end) = text.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&text[..end])?.to_ascii_lowercase();
            ensure!(head.starts_with("http/1.1 200"), "{head}");
            let length = head.split("content-length: ").nth(1).context("a length")?;
            let length: usize = length.split('\r').next().context("a length")?.parse()?;
            if read == end + 4 + length {
                break;
            }
        }
    }
    Ok(())
}

fn lines() -> Vec<u8> {
    let line = |nth| format!("{{\"url\":\"http://a.test/shop/article-{nth}.html?page=2\",\"agent\":\"ExampleBot\"}}\n");
    (0..LINES).flat_map(|nth| line(nth).into_bytes()).collect()
}

fn groups() -> Vec<u8> {
    let mut lines = String::new();
    for group in 0..5 * LINES / GROUP {
        let urls: Vec<String> =
            (0..GROUP).map(|nth| format!("\"http://a.test/shop/article-{group}-{nth}.html?page=2\"")).collect();
        lines += &format!("{{\"origin\":\"http://a.test\",\"agent\":\"ExampleBot\",\"urls\":[{}]}}\n", urls.join(","));
    }
    lines.into_bytes()
}

/// Sends a body while it reads the answers; how many decisions there are.
fn batch(to: SocketAddr, body: &[u8]) -> Result<usize> {
    let began = Instant::now();
    let mut stream = TcpStream::connect(to)?;
    let mut writer = stream.try_clone()?;
    let head = format!(
        "POST /v1/batch HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    /// Each decision ends in one of these.
    const WORDS: [&[u8]; 4] = [b"true,", b"alse,", b"true]", b"alse]"];
    let answers = thread::scope(|scope| {
        scope.spawn(move || writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(body)));
        let (mut buffer, mut answers) = (vec![0; 256 << 10], 0);
        loop {
            let read = stream.read(&mut buffer)?;
            if read == 0 {
                return Ok::<_, anyhow::Error>(answers);
            }
            // A few that are cut by a buffer's end don't matter.
            answers += buffer[..read].windows(5).filter(|five| WORDS.contains(five)).count();
        }
    })?;
    let lines = body.iter().filter(|byte| **byte == b'\n').count();
    let expected = if lines == LINES { LINES } else { 5 * LINES };
    ensure!(
        began.elapsed() < Duration::from_secs(60) && answers + 1000 > expected,
        "{answers} answers, not {expected}"
    );
    Ok(expected)
}

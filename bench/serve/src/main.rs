//! A benchmark of the processor time that the service takes for an answer, compared with a minimal axum service
//! ("hello").
//!
//! ```text
//! cargo run --release --manifest-path bench/serve/Cargo.toml [PARTICIPANT | --out DIR]
//! ```
//!
//! Each service is a process of its own on loopback. Its processor time is read from `/proc`. The services take turns,
//! so that a disturbance of the machine affects all of them.
//!
//! `GET /v1/check` is requested over persistent connections, for pages of one site whose file is cached: from the
//! handlers alone, with only axum before them, like the hello, and from the whole service. `/v1/batch` gets questions
//! about the same site, one or many in a line. The benchmark fails if something costs more than its limit. With
//! `--out`, the results are written to `serve.md` and `serve.json` in that directory. To profile one service alone,
//! name it as the argument.

mod report;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroU32;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use comity_fetch::{Addresses, Client, Fixed};
use comity_server::{Server, ServerBuilder, ServerLimits};
use comity_testserver::{HttpServer, Reply};

const ROUNDS: usize = 9;
const CONNECTIONS: usize = 16;
/// The number of requests of one connection in one round.
const REQUESTS: usize = 2_000;
const LINES: usize = 200_000;
/// The number of URLs of one line, for lines with many.
const GROUP: usize = 1_000;

const RULES: &str = "User-agent: *\nDisallow: /private/\nDisallow: /*?session=\nAllow: /private/map.html\nDisallow: /cart\n\
                     Crawl-delay: 2\n\nUser-agent: GPTBot\nDisallow: /\n";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure(None),
        ["--out", dir] => measure(Some(Path::new(dir))),
        ["hello"] => run(hello()),
        ["handler"] => run(handler()),
        ["service"] => run(service()),
        _ => bail!("expected hello, handler, service or --out DIR, found `{}`", arguments.join(" ")),
    }
}

fn run(serve: impl Future<Output = Result<()>>) -> Result<()> {
    // There is one thread, so that the work itself is measured, and not its distribution to threads.
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?.block_on(serve)
}

/// Serves the minimum that axum does for the same request: one route, and a body of about the same length.
async fn hello() -> Result<()> {
    const HELLO: &str = concat!("{\"hello\":\"", include_str!("hello.txt"), "\"}");
    let answer = async || ([(axum::http::header::CONTENT_TYPE, "application/json")], HELLO);
    by_axum(axum::Router::new().route("/v1/check", axum::routing::get(answer))).await
}

/// Serves with the handlers of the service, and only axum before them.
async fn handler() -> Result<()> {
    let (_sites, server) = builder().await?;
    by_axum(server.unguarded_router()).await
}

async fn by_axum(router: axum::Router) -> Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    axum::serve(axum::serve::ListenerExt::tap_io(listener, |stream| drop(stream.set_nodelay(true))), router).await?;
    Ok(())
}

async fn service() -> Result<()> {
    let (_sites, server) = builder().await?;
    let server = server.bind("127.0.0.1:0".parse()?).await?;
    println!("{}", server.address());
    server.run().await;
    Ok(())
}

/// Returns a service that knows one site, and the server of that site, which gets no more requests.
async fn builder() -> Result<(HttpServer, ServerBuilder)> {
    let sites = HttpServer::start().await;
    sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let client = Client::builder("BenchBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([sites.addr()])))
        .build()?;
    let _ = client.robots("http://a.test/").await?;
    let mut limits = ServerLimits::default();
    // One client sends as many requests as thousands would. The service still counts each request.
    limits.rate = NonZeroU32::new(u32::MAX);
    Ok((sites, Server::builder(client).limits(limits)))
}

/// A process that runs one of the services.
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

    /// Returns the processor time that the process has taken.
    fn spent(&self) -> Result<Duration> {
        // This is in nanoseconds, for each thread.
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

const CHECK: &str = "/v1/check?url=http%3A%2F%2Fa.test%2Fprivate%2Fpage-17.html&agent=Googlebot";

/// A measured kind of work.
struct Work<'p> {
    name: &'static str,
    process: &'p Process,
    /// Does the work once, and returns the number of answers.
    ask: &'p dyn Fn(SocketAddr) -> Result<usize>,
    bound: Bound,
}

/// The limit on the cost of an answer.
#[derive(Clone, Copy, Debug)]
enum Bound {
    None,
    /// The maximum ratio to the cost of a hello.
    TimesHello(f64),
    /// The minimum number of answers per second of processor time.
    PerSecond(f64),
}

/// The measured cost of an answer: the median over all rounds of the seconds of processor time, and of the ratio to a
/// hello.
#[derive(Debug)]
struct Cost {
    name: &'static str,
    seconds: f64,
    ratio: f64,
    bound: Bound,
}

impl Cost {
    fn is_within(&self) -> bool {
        match self.bound {
            Bound::None => true,
            Bound::TimesHello(most) => self.ratio <= most,
            Bound::PerSecond(least) => self.seconds * least <= 1.0,
        }
    }
}

fn measure(out: Option<&Path>) -> Result<()> {
    let (hello, handler, service) = (Process::start("hello")?, Process::start("handler")?, Process::start("service")?);
    let (lines, groups) = (lines(), groups());
    let check = |to| requests(to, CHECK);
    let plain = |to| batch(to, &lines);
    let grouped = |to| batch(to, &groups);
    let work = |name, process, ask, bound| Work { name, process, ask, bound };
    let work = [
        work("axum hello", &hello, &check, Bound::None),
        work("GET /v1/check, handler alone", &handler, &check, Bound::TimesHello(1.5)),
        work("GET /v1/check, service", &service, &check, Bound::TimesHello(2.0)),
        work("POST /v1/batch, a URL a line", &service, &plain, Bound::PerSecond(1e6)),
        work("POST /v1/batch, 1,000 URLs a line", &service, &grouped, Bound::PerSecond(3e6)),
    ];
    let mut rounds: Vec<Vec<f64>> = vec![Vec::new(); work.len()];
    // The first round is a warm-up.
    for round in 0..=ROUNDS {
        for turn in 0..work.len() {
            let which = (round + turn) % work.len();
            let before = work[which].process.spent()?;
            let answers = (work[which].ask)(work[which].process.address)?;
            let spent = work[which].process.spent()?.saturating_sub(before);
            if round > 0 {
                rounds[which].push(spent.as_secs_f64() / answers as f64);
            }
        }
    }
    let costs: Vec<Cost> = work
        .iter()
        .zip(&rounds)
        .map(|(work, costs)| Cost {
            name: work.name,
            seconds: median(costs.iter().copied()),
            ratio: median(costs.iter().zip(&rounds[0]).map(|(cost, hello)| cost / hello)),
            bound: work.bound,
        })
        .collect();
    let page = report::markdown(&costs);
    print!("{page}");
    if let Some(dir) = out {
        std::fs::write(dir.join("serve.md"), &page)?;
        std::fs::write(dir.join("serve.json"), report::json(&costs))?;
    }
    let over: Vec<&str> = costs.iter().filter(|cost| !cost.is_within()).map(|cost| cost.name).collect();
    ensure!(over.is_empty(), "more than it should cost: {}", over.join("; "));
    Ok(())
}

fn median(costs: impl Iterator<Item = f64>) -> f64 {
    let mut costs: Vec<f64> = costs.collect();
    costs.sort_unstable_by(f64::total_cmp);
    costs[costs.len() / 2]
}

/// Repeats one request over persistent connections, with one request at a time on each. This thread never sleeps,
/// because waking it would cost processor time that is not the service's own.
fn requests(to: SocketAddr, target: &str) -> Result<usize> {
    let request = format!("GET {target} HTTP/1.1\r\nHost: {to}\r\n\r\n");
    let connect = |_| Connection::ask(to, request.as_bytes());
    let mut connections: Vec<Connection> = (0..CONNECTIONS).map(connect).collect::<Result<_>>()?;
    while connections.iter().any(|connection| connection.answers < REQUESTS) {
        for connection in connections.iter_mut().filter(|connection| connection.answers < REQUESTS) {
            if connection.is_answered()? && connection.answers < REQUESTS {
                connection.stream.write_all(request.as_bytes())?;
            }
        }
    }
    Ok(CONNECTIONS * REQUESTS)
}

/// A connection with a request in progress.
struct Connection {
    stream: TcpStream,
    answers: usize,
    buffer: Vec<u8>,
    read: usize,
}

impl Connection {
    fn ask(to: SocketAddr, request: &[u8]) -> Result<Self> {
        let mut stream = TcpStream::connect(to)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        stream.write_all(request)?;
        Ok(Self { stream, answers: 0, buffer: vec![0; 16 << 10], read: 0 })
    }

    /// Returns true if the whole answer has been received.
    fn is_answered(&mut self) -> Result<bool> {
        match self.stream.read(&mut self.buffer[self.read..]) {
            Ok(0) => bail!("the connection was closed"),
            Ok(read) => self.read += read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let text = &self.buffer[..self.read];
        let Some(end) = text.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(false) };
        let head = std::str::from_utf8(&text[..end])?.to_ascii_lowercase();
        ensure!(head.starts_with("http/1.1 200"), "{head}");
        let length = head.split("content-length: ").nth(1).context("a length")?;
        let length: usize = length.split('\r').next().context("a length")?.parse()?;
        if self.read < end + 4 + length {
            return Ok(false);
        }
        self.answers += 1;
        self.read = 0;
        Ok(true)
    }
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
        let urls = urls.join(",");
        lines.push_str(r#"{"origin":"http://a.test","agent":"ExampleBot","urls":["#);
        lines.push_str(&urls);
        lines.push_str("]}\n");
    }
    lines.into_bytes()
}

/// Sends a body and reads the answers at the same time. Returns the number of decisions.
fn batch(to: SocketAddr, body: &[u8]) -> Result<usize> {
    let mut stream = TcpStream::connect(to)?;
    let mut writer = stream.try_clone()?;
    let head = format!(
        "POST /v1/batch HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    let answer = thread::scope(|scope| {
        scope.spawn(move || writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(body)));
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).map(|_| answer)
    })?;
    let lines = body.split(|byte| *byte == b'\n').count() - 1;
    let answer = String::from_utf8(answer)?;
    let (head, answers) = answer.split_once("\r\n\r\n").context("a head")?;
    ensure!(head.starts_with("HTTP/1.1 200"), "{head}");
    let is_answer = |line: &&str| line.starts_with('{') && !line.contains("\"error\"");
    let answered = answers.lines().filter(is_answer).count();
    // The count is not exact, because a chunk of the transfer coding may end in the middle of a line.
    ensure!(answered > lines * 99 / 100 && answered <= lines, "{answered} answers to {lines} lines");
    Ok(if lines == LINES { LINES } else { lines * GROUP })
}

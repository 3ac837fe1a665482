//! The service as a process, as observed from outside.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use comity_testserver::{ANY, At, HttpServer, Reply};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};

use crate::client::{Answer, Client, get};

/// A timeout that is longer than any operation that works.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Returns true if response times are compared closely: with `COMITY_TIMED_TESTS=1`, as in `cargo xtask test --long`. On a
/// machine with other work, the longest ones mean nothing.
pub(crate) fn compares_times() -> bool {
    std::env::var_os("COMITY_TIMED_TESTS").is_some()
}

/// The robots.txt of every site. Sites with names that start with `slow` never finish sending it.
pub(crate) const ROBOTS: &str =
    "User-agent: *\nDisallow: /private/\nAllow: /private/open\n\nUser-agent: GPTBot\nDisallow: /\n";

/// A service that runs until it is dropped, and the sites that it fetches. One server serves all hosts.
pub(crate) struct Service {
    child: Child,
    /// The lines of its standard error so far.
    log: Arc<Mutex<Vec<String>>>,
    pub(crate) address: SocketAddr,
    pub(crate) sites: HttpServer,
    _runtime: Runtime,
}

impl Service {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_as(&mut Command::new(env!("CARGO_BIN_EXE_comity")), arguments)
    }

    /// Starts a service with a limit on open files, as an option and value of `ulimit`: `-n 80` sets both the soft and
    /// the hard limit, `-Sn 80` only the soft limit.
    pub(crate) fn start_with_files(limit: &str, arguments: &[&str]) -> Self {
        let script = format!("ulimit {limit} && exec \"$0\" \"$@\"");
        Self::start_as(Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_comity")]), arguments)
    }

    fn start_as(command: &mut Command, arguments: &[&str]) -> Self {
        raise_files();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let sites = runtime.block_on(HttpServer::start());
        sites.serve_with(ANY, "/robots.txt", |request| {
            let is_slow = request.header("host").is_some_and(|host| host.starts_with("slow"));
            let reply = Reply::ok(ROBOTS);
            if is_slow { reply.stall(At::Body(3)) } else { reply }
        });
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--addresses", "any", "--resolve"])
            .arg(format!("*:{}:127.0.0.1", sites.addr().port()))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (stderr, lines) = (child.stderr.take().unwrap(), Arc::clone(&log));
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                eprintln!("{line}");
                lines.lock().unwrap().push(line);
            }
        });
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Listening on http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Self { child, log, address, sites, _runtime: runtime }
    }

    /// Returns the URL of a path on one of the sites.
    pub(crate) fn url(&self, host: &str, path: &str) -> String {
        self.sites.url_of(host, path)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        patient(TcpStream::connect(self.address).unwrap())
    }

    /// Connects from another loopback address.
    pub(crate) fn connect_from(&self, client: Ipv4Addr) -> TcpStream {
        let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None);
        let socket = socket.unwrap();
        rustix::net::bind(&socket, &SocketAddrV4::new(client, 0)).unwrap();
        rustix::net::connect(&socket, &self.address).unwrap();
        patient(TcpStream::from(socket))
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.connect())
    }

    /// Sends a request on a new connection. Returns the answer.
    pub(crate) fn ask(&self, request: &[u8]) -> Answer {
        self.client().ask(request).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns a number from `/metrics`, requested from an address of its own.
    pub(crate) fn number(&self, name: &str) -> f64 {
        const OPERATOR: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);
        let text = Client::new(self.connect_from(OPERATOR)).ask(&get("/metrics")).unwrap().text();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
    }

    /// Waits until a number is at most this value, as long as it still falls now and then.
    pub(crate) fn until(&self, name: &str, max: f64) {
        let (mut fell, mut lowest) = (Instant::now(), f64::INFINITY);
        loop {
            let number = self.number(name);
            if number <= max + 0.1 {
                return;
            }
            if number < lowest {
                (fell, lowest) = (Instant::now(), number);
            }
            assert!(fell.elapsed() < TEST_TIMEOUT, "{name} does not fall below {lowest}, expected {max}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the current memory of the service, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.status("VmRSS:") << 10
    }

    /// Returns the peak memory of the service, in bytes.
    pub(crate) fn peak(&self) -> usize {
        self.status("VmHWM:") << 10
    }

    fn status(&self, name: &str) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Returns its soft limit on open files.
    pub(crate) fn file_limit(&self) -> u64 {
        let limits = fs::read_to_string(format!("/proc/{}/limits", self.child.id())).unwrap();
        let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap_or(u64::MAX)
    }

    /// Lowers its limit on open files while it runs.
    pub(crate) fn limit_files(&self, files: u64) {
        prlimit(Some(self.pid()), Resource::Nofile, Rlimit { current: Some(files), maximum: Some(files) }).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Returns the lines of its standard error so far that contain a text.
    pub(crate) fn logged(&self, text: &str) -> Vec<String> {
        self.log.lock().unwrap().iter().filter(|line| line.contains(text)).cloned().collect()
    }

    /// Returns the lines that contain a text once there is one. Another thread reads them, so a line that was written before
    /// an answer may come after it. Panics after ten seconds without such a line.
    pub(crate) fn logged_soon(&self, text: &str) -> Vec<String> {
        for _ in 0..1_000 {
            let lines = self.logged(text);
            if !lines.is_empty() {
                return lines;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("no line of the log contains {text:?}");
    }

    /// Returns the number of files that it has open, including sockets.
    pub(crate) fn files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn patient(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
    stream.set_write_timeout(Some(TEST_TIMEOUT)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Raises the limit on open files of this process, which the services that it starts inherit, to the hard limit.
fn raise_files() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }).unwrap();
}

/// Returns the maximum number of files that this process may open.
pub(crate) fn max_files() -> usize {
    raise_files();
    getrlimit(Resource::Nofile).current.and_then(|files| files.try_into().ok()).unwrap_or(usize::MAX)
}

//! The web: one server for all origins.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use comity_testserver::{ANY, At, HttpServer, Reply};
use tokio::runtime::Runtime;

/// A web server for all hosts. Each file disallows `/private/`, and states its version in its last line.
pub(crate) struct Web {
    server: HttpServer,
    /// `None` if it runs in that of the test.
    _runtime: Option<Runtime>,
}

impl Web {
    /// Starts a server with one version of each file.
    pub(crate) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let web = runtime.block_on(Self::start_here());
        Self { _runtime: Some(runtime), ..web }
    }

    /// Starts a server in the runtime of the caller.
    pub(crate) async fn start_here() -> Self {
        let server = HttpServer::start().await;
        server.serve(ANY, "/robots.txt", version(1));
        Self { server, _runtime: None }
    }

    /// Starts a server with another version for each request, which is answered after this time.
    pub(crate) fn start_slow(origins: usize, after: Duration) -> Self {
        let web = Self::start();
        for number in 0..origins {
            let versions = (1..9).map(|number| version(number).pause(At::Start, after));
            web.server.serve_in_turn(&format!("site{number}.test"), "/robots.txt", versions);
        }
        web
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.addr()
    }

    pub(crate) fn requests(&self) -> usize {
        self.server.requests().len()
    }

    /// Returns the number of requests for the origin with the most.
    pub(crate) fn most_for_one_origin(&self) -> usize {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for request in self.server.requests() {
            *counts.entry(request.header("host").unwrap().to_owned()).or_default() += 1;
        }
        counts.into_values().max().unwrap_or_default()
    }
}

fn version(number: usize) -> Reply {
    Reply::ok(format!("User-agent: *\nDisallow: /private/\n# {number}")).header("Cache-Control", "max-age=86400")
}

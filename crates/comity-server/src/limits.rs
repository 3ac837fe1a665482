//! How much is taken on.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::server;

/// How much the service takes on. Beyond that it says so, at once: 413, 429 or 503.
///
/// ```
/// let mut limits = comity_server::ServerLimits::default();
/// limits.in_flight = 64;
/// limits.rate = None;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerLimits {
    /// Connections at once. Defaults to 4,096, of which one client may have seven eighths. For one more, the one that has
    /// been idle for longest is closed: of the client that has its share, else of the one that has the most. A connection
    /// is idle, too, while the rest of a head or body does not arrive. If none is idle, the new connection can only ask
    /// about health, and anything else is answered with 503.
    pub connections: usize,
    /// Requests that are worked on at once. Defaults to 512. One that waits for a site is not among them. Those of one
    /// client that wait for a processor may be an eighth of them.
    pub in_flight: usize,
    /// Requests that wait until they are worked on: 1,024.
    pub queue: usize,
    /// How long they wait at most: 1 second.
    pub queue_wait: Duration,
    /// Requests that wait for sites at once, and as many that wait for their bodies. Defaults to 8,192. A quarter of them
    /// may be one client's, and an eighth of them may wait for one and the same site.
    pub waiting: usize,
    /// Batches that run at once: 64. A quarter of them may be one client's.
    pub batches: usize,
    /// Requests a second of one client: 5,000. As many may come at once. None: no such limit.
    pub rate: Option<NonZeroU32>,
    /// Requests a minute of one client that always ask a site: 60. None: no such limit.
    pub fetch_rate: Option<NonZeroU32>,
    /// Bytes of a body that is read as a whole: 4 MiB.
    pub body_bytes: usize,
    /// Bytes of all such bodies that are held at once. Defaults to 256 MiB, of which one client may have a quarter.
    pub bodies_bytes: usize,
    /// Bytes of all long answers that are held at once, until their clients have taken them. Defaults to 256 MiB, of which
    /// one client may have a quarter.
    pub answers_bytes: usize,
    /// Bytes of a line of `/v1/batch`: 2 MiB.
    pub batch_line_bytes: usize,
    /// URLs of a request: 10,000.
    pub urls: usize,
    /// Crawlers of a request: 200.
    pub agents: usize,
    /// Questions of a request, that is URLs times crawlers: 50,000.
    pub questions: usize,
    /// Bytes of an answer that is one document: 64 MiB.
    pub answer_bytes: usize,
    /// How long an answer may take to be worked out, without waiting for sites or a processor. Defaults to 5 seconds.
    pub answer_time: Duration,
    /// How long the head of a request may take, and the handshake of TLS: 10 seconds.
    pub head_timeout: Duration,
    /// How long a body may take, and the next bytes of one that is read as it comes: 30 seconds.
    pub body_timeout: Duration,
    /// How long a client may take no bytes of an answer: 30 seconds.
    pub write_timeout: Duration,
    /// How long a request may be worked on until its answer begins: 60 seconds.
    pub request_timeout: Duration,
    /// How long a connection may be idle: 75 seconds.
    pub idle_timeout: Duration,
    /// How long what began may take to end when the service shuts down: 30 seconds.
    pub grace: Duration,
}

impl ServerLimits {
    /// Returns the number of open files that a service with these limits may need, connections included.
    pub fn files(&self) -> usize {
        /// Connections to sites, the store, the listener, and what the runtime has open.
        const OTHER_FILES: usize = 512;
        self.connections.saturating_add(server::RESERVED_CONNECTIONS + OTHER_FILES)
    }
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 4096,
            in_flight: 512,
            queue: 1024,
            queue_wait: Duration::from_secs(1),
            waiting: 8192,
            batches: 64,
            rate: NonZeroU32::new(5000),
            fetch_rate: NonZeroU32::new(60),
            body_bytes: 4 << 20,
            bodies_bytes: 256 << 20,
            answers_bytes: 256 << 20,
            batch_line_bytes: 2 << 20,
            urls: 10_000,
            agents: 200,
            questions: 50_000,
            answer_bytes: 64 << 20,
            answer_time: Duration::from_secs(5),
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(75),
            grace: Duration::from_secs(30),
        }
    }
}

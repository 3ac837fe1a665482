//! Limits of the service on load, sizes and times.

use std::num::NonZeroU32;
use std::time::Duration;

/// Connections beyond [`ServerLimits::connections`]. They only answer questions about health, and refuse all others.
pub(crate) const RESERVED_CONNECTIONS: usize = 128;

/// Limits of the service. Requests beyond them are refused at once, with 413, 429 or 503.
///
/// ```
/// let mut limits = comity_server::ServerLimits::default();
/// limits.in_flight = 64;
/// limits.rate = None;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerLimits {
    /// Maximum number of open connections. Defaults to 4,096, of which one client may have seven eighths. When a new
    /// connection exceeds the limit, the connection that has been idle for longest is closed: of the same client if
    /// that has its share, otherwise of the client that has the most. A connection also counts as idle while the rest
    /// of a head or body does not arrive. If none is idle, the new connection can only ask about health, and anything
    /// else is answered with 503.
    pub connections: usize,
    /// Maximum number of requests that are processed at the same time. Defaults to 512. A request that waits for a site
    /// does not count. One eighth of them may be requests of one client that wait for a processor.
    pub in_flight: usize,
    /// Maximum number of requests in the queue. Defaults to 1,024.
    pub queue: usize,
    /// Maximum time in the queue. Defaults to 1 second.
    pub queue_wait: Duration,
    /// Maximum number of requests that wait for sites, and of requests that wait for their bodies. Defaults to 8,192
    /// each. A quarter of them may be one client's, and an eighth may wait for the same site. It is also the maximum number
    /// of fetches that questions cause, in progress and waiting. Of those in progress, one client of the service may have
    /// seven eighths of [`at_once`](comity_fetch::ClientBuilder::at_once), and one per host.
    pub waiting: usize,
    /// Maximum number of batches at the same time. Defaults to 64. A quarter of them may be one client's.
    pub batches: usize,
    /// Requests per second of one client, and the size of a burst. Defaults to 5,000. `None`: no limit.
    pub rate: Option<NonZeroU32>,
    /// Requests per minute that the service sends to a site for one client. Defaults to 60. `None`: no limit.
    ///
    /// Each request counts: for a robots.txt, a page, a sitemap, and the target of a redirect. A site is a registrable domain,
    /// by the public suffix list with its private part; a host, if the list has no suffix of it; or a network of 24 bits
    /// (IPv4) or 48 bits (IPv6), for an address. All clients together have four times as many for a site, beside those for
    /// robots.txt files that are due.
    pub fetch_rate: Option<NonZeroU32>,
    /// Maximum size of a body that is read as a whole, in bytes. Defaults to 4 MiB.
    pub body_bytes: usize,
    /// Maximum size of all such bodies in memory, in bytes. Defaults to 256 MiB, of which one client may have a
    /// quarter.
    pub bodies_bytes: usize,
    /// Maximum size of all long answers that their clients have not received yet, in bytes. Defaults to 256 MiB, of
    /// which one client may have a quarter.
    pub answers_bytes: usize,
    /// Maximum size of a line of `/v1/batch`, in bytes. Defaults to 2 MiB.
    pub batch_line_bytes: usize,
    /// Maximum number of URLs in a request. Defaults to 10,000.
    pub urls: usize,
    /// Maximum number of crawlers in a request. Defaults to 200.
    pub agents: usize,
    /// Maximum number of questions in a request: URLs times crawlers. Defaults to 50,000.
    pub questions: usize,
    /// Maximum size of an answer that is one document, in bytes. Defaults to 64 MiB.
    pub answer_bytes: usize,
    /// Maximum processor time to compute an answer that is one document. Defaults to 5 seconds. A request for one that
    /// takes more is refused with 413. If the processors are so busy that an answer takes longer than
    /// [`request_timeout`](Self::request_timeout), the request is refused with 503. Systems other than Linux, macOS and
    /// FreeBSD count the time that passes instead.
    pub answer_time: Duration,
    /// Timeout for the head of a request, and for the TLS handshake. Defaults to 10 seconds.
    pub head_timeout: Duration,
    /// Timeout for a body, and for the next bytes of a body that is processed while it arrives. Defaults to 30 seconds.
    pub body_timeout: Duration,
    /// Maximum time during which a client accepts no bytes of an answer. Defaults to 30 seconds.
    pub write_timeout: Duration,
    /// Maximum time from a request's head to the head of its answer. Defaults to 60 seconds.
    pub request_timeout: Duration,
    /// Maximum time for which a connection may be idle. Defaults to 75 seconds.
    pub idle_timeout: Duration,
    /// Time that requests in progress have to end when the service shuts down. Defaults to 30 seconds.
    pub grace: Duration,
}

impl ServerLimits {
    /// Returns the number of open files that a service with these limits may need, connections included.
    pub fn files(&self) -> usize {
        /// Files for connections to sites, the store, the listener, and the runtime.
        const OTHER_FILES: usize = 512;
        self.connections.saturating_add(RESERVED_CONNECTIONS + OTHER_FILES)
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

//! `comity serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use comity_server::ProxyHeader;
use tracing::level_filters::LevelFilter;

use super::DialectName;
use super::live::{DatabaseUrl, Live, duration};
use super::names::{levels, proxy_headers};

const HELP: &str = "\
Examples:
  comity serve
      Local use: the page at http://127.0.0.1:9309/, and the API
  curl 'http://127.0.0.1:9309/v1/check?url=https://example.com/&agent=Googlebot'
      A single question
  comity serve --cache /var/lib/comity --user-agent 'MyBot/1.0 (+https://my.example/bot)'
      For crawlers: fetched files are stored on disk
  comity serve --store postgres://comity@db.example/comity --user-agent 'MyBot/1.0 (+https://my.example/bot)'
      One of several services that share a database: see docs/fleet.md
  comity serve --watch --config comity.toml --cache /var/lib/comity
      Also watch sites, and show alerts at /v1/watch
  comity serve --listen 0.0.0.0:9309 --host robots.example.com --token-file token.txt --tls-cert cert.pem --tls-key key.pem
      Remote clients: with a host name, TLS and a token
  comity serve --listen 10.0.0.7:9309 --host robots.example.com --trust-proxy 10.0.0.0/8
      After a reverse proxy, which states the addresses of clients

/openapi.json describes the API, /metrics has metrics for Prometheus, /healthz and /readyz are health checks. Requests \
beyond the limits are answered with 429 or 503, and Retry-After. The environment variable COMITY_TOKEN sets the token, too.

SIGTERM and SIGINT (Ctrl-C) end the service when the requests in progress are done; a second signal ends it at once.

Exit codes: 0 ended by a signal, 2 could not start";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
#[command(group(clap::ArgGroup::new("kept").args(["cache", "store"])))]
pub(crate) struct Serve {
    /// The address to listen on; port 0 selects any free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9309")]
    pub(crate) listen: SocketAddr,

    /// Fetch nothing; use the files in requests, and cached files
    #[arg(long)]
    pub(crate) offline: bool,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// The lowest level to log to standard error: off, error, warn, info or debug (each request)
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = levels())]
    pub(crate) log: LevelFilter,

    /// The format of the log: text, or one JSON object per line
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) log_format: super::Format,

    #[command(flatten)]
    pub(crate) access: Access,

    #[command(flatten)]
    pub(crate) limits: Limits,

    #[command(flatten)]
    pub(crate) live: Live,

    /// The folder in which fetched files are stored; other processes of this machine may use it, too [default: in memory only]
    #[arg(long, value_name = "DIR", help_heading = "Live sites")]
    pub(crate) cache: Option<PathBuf>,

    /// The database in which fetched files are stored, and which other services may share: `postgres://USER@HOST/DATABASE`.
    /// The environment variable PGPASSWORD sets the password
    #[arg(long, value_name = "URL", help_heading = "Live sites")]
    pub(crate) store: Option<DatabaseUrl>,

    /// Answer with an error instead of fetching while the cache cannot be read or written. A database that is down is
    /// waited for, up to 10 seconds
    #[arg(long, requires = "kept", help_heading = "Live sites")]
    pub(crate) require_store: bool,

    /// Revalidate copies (`ETag`, `Last-Modified`) instead of fetching the whole file
    #[arg(long, help_heading = "Live sites")]
    pub(crate) revalidate: bool,

    /// Watch the sites of [watch] in comity.toml as well, and report changes at /v1/watch and to receivers; see `comity
    /// watch --help`
    #[arg(long, requires = "kept", conflicts_with = "offline", help_heading = "Live sites")]
    pub(crate) watch: bool,

    /// The configuration of --watch [default: comity.toml in this folder, or in the nearest one above]
    #[arg(long, value_name = "FILE", requires = "watch", help_heading = "Live sites")]
    pub(crate) config: Option<PathBuf>,

    /// The size of the cache in memory, in MiB [default: 256]
    #[arg(long, value_name = "MIB", help_heading = "Live sites")]
    pub(crate) memory: Option<u64>,
}

// Access control.
#[derive(Args, Debug)]
#[command(next_help_heading = "Access")]
pub(crate) struct Access {
    /// Accept requests for this host name, in addition to loopback names and the address; `*`: any; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,

    /// Accept requests from pages of this origin, such as `https://tools.example.com`; repeatable
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,

    /// Require a token, which is the first line of this file: `Authorization: Bearer TOKEN`
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Serve https with this certificate and its chain, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Trust the proxies of this network to state the addresses of clients; repeatable
    #[arg(long, value_name = "NETWORK")]
    pub(crate) trust_proxy: Vec<String>,

    /// The header in which proxies state the addresses of clients
    #[arg(long, value_name = "NAME", default_value = "x-forwarded-for", value_parser = proxy_headers(),
          requires = "trust_proxy")]
    pub(crate) proxy_header: ProxyHeader,
}

// Limits on load, sizes and times.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Open connections; one client may have seven eighths of them [default: 4096]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) connections: Option<usize>,

    /// Requests processed at the same time [default: 512]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) in_flight: Option<usize>,

    /// Requests in the queue [default: 1024]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) queue: Option<usize>,

    /// Maximum time in the queue [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) queue_wait: Option<Duration>,

    /// Requests that wait for sites; an eighth of them for the same site, a quarter of one client [default: 8192]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) waiting: Option<usize>,

    /// Batches processed at the same time; one client may have a quarter of them [default: 64]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) batches: Option<usize>,

    /// Requests per second of one client; 0: no limit [default: 5000]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rate: Option<u32>,

    /// Requests per minute to one domain for one client; 0: no limit [default: 60]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) fetch_rate: Option<u32>,

    /// Bytes in a body [default: 4194304]
    #[arg(long, value_name = "BYTES")]
    pub(crate) body: Option<usize>,

    /// URLs in a request [default: 10000]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) urls: Option<usize>,

    /// Timeout for the head of a request [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) head_timeout: Option<Duration>,

    /// Timeout for a body, and for the next line of a batch [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) body_timeout: Option<Duration>,

    /// Time for which a client may accept no bytes of an answer [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) write_timeout: Option<Duration>,

    /// Time until an answer begins [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) request_timeout: Option<Duration>,

    /// Time for which a connection may be idle [default: 75s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) idle_timeout: Option<Duration>,

    /// Time for requests in progress when the service ends [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) grace: Option<Duration>,
}

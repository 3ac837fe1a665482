//! `comity serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::DialectName;
use super::live::{Live, duration};

const HELP: &str = "\
Examples:
  comity serve
      For you: the page at http://127.0.0.1:9309/, and the API beside it
  curl 'http://127.0.0.1:9309/v1/check?url=https://example.com/&agent=Googlebot'
      One question, one answer
  comity serve --cache /var/lib/comity --user-agent 'MyBot/1.0 (+https://my.example/bot)'
      For a fleet: what was fetched outlasts the service
  comity serve --listen 0.0.0.0:9309 --host robots.example.com --token-file token.txt --tls-cert cert.pem --tls-key key.pem
      For others: by its name, over TLS, for those who know the token
  comity serve --listen 10.0.0.7:9309 --host robots.example.com --trust-proxy 10.0.0.0/8
      Behind a proxy, which says for whom it asks

/openapi.json describes all that can be asked, /metrics is for Prometheus, /healthz and /readyz are for those who look \
after it. What is too much is answered with 429 or 503, and Retry-After. COMITY_TOKEN is a token, too.

SIGTERM and SIGINT (Ctrl-C) end it when what began is done; the second one ends it at once.

Exit codes: 0 it was told to end, 2 it could not begin";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Serve {
    /// Where to listen; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9309")]
    pub(crate) listen: SocketAddr,

    /// Fetch nothing: answer about files that are given, and by what is remembered
    #[arg(long)]
    pub(crate) offline: bool,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// What to write to standard error: off, error, warn, info or debug (each request)
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log: LevelName,

    /// How: as text, or one JSON object a line
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) log_format: super::Format,

    #[command(flatten)]
    pub(crate) access: Access,

    #[command(flatten)]
    pub(crate) limits: Limits,

    #[command(flatten)]
    pub(crate) live: Live,

    /// The folder where fetched files are remembered; no other process may use it meanwhile [default: memory alone]
    #[arg(long, value_name = "DIR", help_heading = "Live sites")]
    pub(crate) cache: Option<PathBuf>,

    /// Answer with an error instead of fetching while the cache cannot be read or written
    #[arg(long, requires = "cache", help_heading = "Live sites")]
    pub(crate) require_store: bool,

    /// Ask sites whether a copy is still good (`ETag`, `Last-Modified`), instead of for the whole file
    #[arg(long, help_heading = "Live sites")]
    pub(crate) revalidate: bool,

    /// Memory for what is known of sites, in MiB [default: 256]
    #[arg(long, value_name = "MIB", help_heading = "Live sites")]
    pub(crate) memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LevelName {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

// Who may ask.
#[derive(Args, Debug)]
#[command(next_help_heading = "Who may ask")]
pub(crate) struct Access {
    /// A name that requests may be for, beside those of loopback and the address; `*`: any; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,

    /// Pages of this origin may ask, such as `https://tools.example.com`; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,

    /// Ask for this token, the first line of a file: `Authorization: Bearer TOKEN`
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// The certificate, with those that vouch for it, in PEM: speak https
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// Its key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Believe the proxies of this network when they say for whom they ask; may be repeated
    #[arg(long, value_name = "NETWORK")]
    pub(crate) trust_proxy: Vec<String>,

    /// The header in which they say it
    #[arg(long, value_name = "NAME", default_value = "x-forwarded-for", requires = "trust_proxy")]
    pub(crate) proxy_header: ProxyHeaderName,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ProxyHeaderName {
    XForwardedFor,
    Forwarded,
}

// How much is taken on.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Connections at once; seven eighths of them may be one client's [default: 4096]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) connections: Option<usize>,

    /// Requests that are worked on at once [default: 512]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) in_flight: Option<usize>,

    /// Requests that wait for that [default: 1024]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) queue: Option<usize>,

    /// How long they wait at most [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) queue_wait: Option<Duration>,

    /// Requests that wait for sites at once; an eighth of them for the same one, a quarter of one client [default: 8192]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) waiting: Option<usize>,

    /// Batches that run at once; a quarter of them may be one client's [default: 64]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) batches: Option<usize>,

    /// Requests a second of one client; 0: any number [default: 5000]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rate: Option<u32>,

    /// Requests a minute of one client that always ask a site; 0: any number [default: 60]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) fetch_rate: Option<u32>,

    /// Bytes of a body [default: 4194304]
    #[arg(long, value_name = "BYTES")]
    pub(crate) body: Option<usize>,

    /// URLs of a request [default: 10000]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) urls: Option<usize>,

    /// How long the head of a request may take [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) head_timeout: Option<Duration>,

    /// How long a body may take, and the next line of a batch [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) body_timeout: Option<Duration>,

    /// How long a client may take no bytes of an answer [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) write_timeout: Option<Duration>,

    /// How long it may take until an answer begins [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) request_timeout: Option<Duration>,

    /// How long a connection may be idle [default: 75s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) idle_timeout: Option<Duration>,

    /// How long what began may take when the service ends [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) grace: Option<Duration>,
}

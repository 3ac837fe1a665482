//! The address of a database, and how to use it.

use std::fmt;
use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio_postgres::config::{Config, SslMode, SslNegotiation};
use url::{Host, Url};

/// The maximum of all times: longer ones would be beyond the range of clocks.
const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The address of a PostgreSQL database, and the options for using it. Its `Debug` output contains no password.
///
/// ```
/// use comity_store_postgres::PostgresOptions;
///
/// let options: PostgresOptions = "postgres://comity:secret@db.example/robots?pool_size=8".parse().unwrap();
/// assert_eq!(options.address(), "db.example:5432/robots");
/// assert!(!format!("{options:?}").contains("secret"));
///
/// let error = "postgres://comity:secret@db.example/robots?sslmode=require".parse::<PostgresOptions>().unwrap_err();
/// assert!(error.to_string().starts_with("sslmode: expected `disable` or `verify-full`"));
/// ```
#[derive(Clone)]
pub struct PostgresOptions {
    pub(crate) config: Config,
    pub(crate) address: Arc<str>,
    pub(crate) has_tls: bool,
    /// True for a socket in a folder, where only those who may write to the folder can be the server.
    pub(crate) is_socket: bool,
    pub(crate) roots: Vec<CertificateDer<'static>>,
    pub(crate) schema: String,
    pub(crate) pool_size: usize,
    pub(crate) timeout: Duration,
    pub(crate) wait: Duration,
    pub(crate) patience: Duration,
}

/// The error for a text that is not the address of a database. It contains no password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresOptionsError(String);

impl PostgresOptions {
    /// Returns the host, the port and the name of the database.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns true if the address contains a password, or one was set.
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Sets the password. Defaults to the one in the address.
    #[must_use]
    pub fn password(mut self, password: impl AsRef<[u8]>) -> Self {
        self.config.password(password);
        self
    }

    /// Sets the maximum number of connections. Defaults to 16.
    #[must_use]
    pub fn pool_size(mut self, connections: usize) -> Self {
        self.pool_size = connections.max(1);
        self
    }

    /// Sets the timeout for connecting, and for each operation. Defaults to 5 seconds. A longer time than a day is taken as
    /// a day.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        let timeout = timeout.min(MAX_TIME);
        self.timeout = timeout;
        self.config.connect_timeout(timeout).tcp_user_timeout(timeout);
        self
    }

    /// Sets the time to wait for a database that is down before an operation fails. Defaults to zero: after a failure,
    /// operations fail at once until the database answers again, which is tried every second. A longer time than a day is
    /// taken as a day.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait.min(MAX_TIME);
        self
    }

    /// Sets the time for which a question waits for a slow database, in total: see [`Store::patience`]. Defaults to 250
    /// milliseconds. Has no effect on clients that [`wait`](Self::wait).
    ///
    /// [`Store::patience`]: comity_fetch::store::Store::patience
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience.min(MAX_TIME);
        self
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), PostgresOptionsError> {
        let invalid = |expected: &str| {
            Err(PostgresOptionsError(format!("{name}: expected {expected}, found `{}`", value.escape_debug())))
        };
        match name {
            "sslmode" => match value {
                "disable" => self.has_tls = false,
                "verify-full" => self.has_tls = true,
                _ => return invalid("`disable` or `verify-full` (the other modes accept any server)"),
            },
            "sslrootcert" => self.roots = roots(&PathBuf::from(value))?,
            "schema" => {
                let is_name = value.len() <= 63
                    && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
                if !is_name || value.is_empty() {
                    return invalid("a name of lower-case letters, digits and `_`");
                }
                value.clone_into(&mut self.schema);
            }
            "pool_size" => match value.parse() {
                Ok(size @ 1..=1000) => self.pool_size = size,
                _ => return invalid("a number from 1 to 1000"),
            },
            "timeout" => match value.parse() {
                Ok(seconds @ 1..=600) => *self = self.clone().timeout(Duration::from_secs(seconds)),
                _ => return invalid("a number of seconds from 1 to 600"),
            },
            "application_name" => {
                self.config.application_name(value);
            }
            // The folder of a socket.
            "host" => {}
            _ => {
                return Err(PostgresOptionsError(format!(
                    "`{}` is not an option: expected sslmode, sslrootcert, schema, pool_size, timeout, application_name, or \
                     host for the folder of a socket",
                    name.escape_debug()
                )));
            }
        }
        Ok(())
    }
}

impl FromStr for PostgresOptions {
    type Err = PostgresOptionsError;

    /// Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE&…`. All parts but the scheme may be missing, as in
    /// `psql`, and `?host=/run/postgresql` connects to a socket.
    ///
    /// A connection to another machine uses TLS unless `sslmode=disable` is given, and verifies the name of the server.
    /// `sslrootcert=FILE` adds authorities to those of the system.
    fn from_str(text: &str) -> Result<Self, PostgresOptionsError> {
        // Errors of the parser would be about a text with a password.
        let expected =
            || PostgresOptionsError("expected an address such as postgres://comity@db.example/comity".to_owned());
        let url = Url::parse(text).map_err(|_| expected())?;
        if !matches!(url.scheme(), "postgres" | "postgresql") || url.fragment().is_some() {
            return Err(expected());
        }
        let decoded = |text: &str| {
            percent_decode_str(text).decode_utf8().map(std::borrow::Cow::into_owned).map_err(|_| expected())
        };
        let mut config = Config::new();
        if !url.username().is_empty() {
            config.user(decoded(url.username())?);
        }
        if let Some(password) = url.password() {
            config.password(percent_decode_str(password).collect::<Vec<u8>>());
        }
        let name = decoded(url.path().trim_start_matches('/'))?;
        let socket = url.query_pairs().find(|(name, _)| name == "host").map(|(_, folder)| folder.into_owned());
        let port = url.port().unwrap_or(5432);
        let (host, is_local) = match (&socket, url.host()) {
            (Some(folder), None) if folder.starts_with('/') => (folder.clone(), true),
            (Some(_), _) => {
                return Err(PostgresOptionsError(
                    "host: expected the folder of a socket, and no other host".to_owned(),
                ));
            }
            (None, Some(Host::Ipv6(address))) => (address.to_string(), address.is_loopback()),
            (None, Some(host)) => {
                let host = decoded(&host.to_string())?;
                let is_loopback = host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
                let is_local = is_loopback || host == "localhost";
                (host, is_local)
            }
            (None, None) => ("localhost".to_owned(), true),
        };
        config.host(&host).port(port).application_name("comity");
        if !name.is_empty() {
            config.dbname(&name);
        }
        config.keepalives_idle(Duration::from_secs(30));
        let mut options = Self {
            config,
            address: format!("{}:{port}/{name}", host.escape_debug()).into(),
            has_tls: !is_local,
            is_socket: socket.is_some(),
            roots: Vec::new(),
            schema: "comity".to_owned(),
            pool_size: 16,
            timeout: Duration::ZERO,
            wait: Duration::ZERO,
            patience: Duration::from_millis(250),
        }
        .timeout(Duration::from_secs(5));
        for (name, value) in url.query_pairs() {
            options.set(&name, &value)?;
        }
        let is_plain_tcp = !options.has_tls && !options.is_socket;
        options.config.ssl_mode(if options.has_tls || is_plain_tcp { SslMode::Require } else { SslMode::Disable });
        if is_plain_tcp {
            options.config.ssl_negotiation(SslNegotiation::Direct);
        }
        Ok(options)
    }
}

fn roots(path: &PathBuf) -> Result<Vec<CertificateDer<'static>>, PostgresOptionsError> {
    let shown = path.display().to_string();
    let failed =
        |error: &dyn fmt::Display| PostgresOptionsError(format!("sslrootcert: `{}`: {error}", shown.escape_debug()));
    let pem = fs::read(path).map_err(|error| failed(&error))?;
    let roots = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>().map_err(|error| failed(&error))?;
    if roots.is_empty() {
        return Err(failed(&"contains no certificate in PEM"));
    }
    Ok(roots)
}

impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("address", &self.address)
            .field("has_tls", &self.has_tls)
            .field("schema", &self.schema)
            .field("pool_size", &self.pool_size)
            .field("timeout", &self.timeout)
            .field("wait", &self.wait)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for PostgresOptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PostgresOptionsError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PostgresOptions, String> {
        text.parse().map_err(|error: PostgresOptionsError| error.to_string())
    }

    #[test]
    fn addresses() {
        for (text, address, has_tls) in [
            ("postgres://db.example/robots", "db.example:5432/robots", true),
            ("postgresql://u:p@10.0.0.7:6432/robots", "10.0.0.7:6432/robots", true),
            ("postgres://u@127.0.0.1/robots", "127.0.0.1:5432/robots", false),
            ("postgres://u@[::1]:1/robots", "::1:1/robots", false),
            ("postgres://u@localhost", "localhost:5432/", false),
            ("postgres:///robots?host=/run/postgresql", "/run/postgresql:5432/robots", false),
            ("postgres://db.example/robots?sslmode=disable", "db.example:5432/robots", false),
            ("postgres://127.0.0.1/robots?sslmode=verify-full", "127.0.0.1:5432/robots", true),
        ] {
            let options = parse(text).unwrap();
            assert_eq!((options.address(), options.has_tls), (address, has_tls), "{text}");
        }
    }

    #[test]
    fn passwords_are_decoded() {
        let options = parse("postgres://a%40b:p%2Fw%3A%25@db.example/x").unwrap();
        assert_eq!(options.config.get_user(), Some("a@b"));
        assert_eq!(options.config.get_password(), Some(&b"p/w:%"[..]));
        assert_eq!(options.password("other").config.get_password(), Some(&b"other"[..]));
    }

    /// Errors name what is wrong, and contain nothing of the password, wherever it ended up.
    #[test]
    fn errors_have_no_password() {
        for text in [
            "postgres://u:secret@db.example:port/x",
            "postgres://u:secret@db.example/x?sslmode=prefer",
            "postgres://u:secret@db.example/x?pool_size=0",
            "postgres://u:secret@db.example/x?timeout=1h",
            "postgres://u:secret@db.example/x?schema=A;drop",
            "postgres://u:secret@db.example/x?sslrootcert=/does/not/exist",
            "postgres://u:secret@db.example/x?passwrd=1",
            "postgres://u:secret@db.example/x?host=/run",
            "postgres://u:secret@a.example:1,b.example:2/x",
            "postgres://u:sec#ret@db.example/x",
            "mysql://u:secret@db.example/x",
            "u:secret@db.example",
        ] {
            let error = parse(text).unwrap_err();
            assert!(!error.contains("secret") && !error.contains("sec#ret"), "{error}");
        }
    }
}

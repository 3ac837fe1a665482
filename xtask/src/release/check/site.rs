//! A web site on loopback, by Python's own server.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::{ROBOTS, Release};
use crate::shell;

/// A site that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Site {
    child: Child,
    scheme: &'static str,
    port: u16,
}

/// Serves a folder, at any free port.
const PLAIN: [&str; 6] = ["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"];

/// Serves a folder with TLS. Its arguments are the files of the certificate and the key.
const SECURE: &str = "\
import http.server, ssl, sys
server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print('Serving HTTPS on 127.0.0.1 port', server.server_port, flush=True)
server.serve_forever()
";

impl Site {
    /// Starts a site with the file of all checks.
    pub(crate) fn start(release: &Release) -> Result<Self> {
        let mut command = Command::new("python3");
        command.args(PLAIN);
        Self::run(command, &folder(release)?, "http")
    }

    /// Starts the site in the network of a process.
    pub(crate) fn start_beside(release: &Release, process: u64) -> Result<Self> {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/proc/{process}/ns/net")).arg("python3").args(PLAIN);
        Self::run(command, &folder(release)?, "http")
    }

    /// Starts the same site for https. Returns it with its certificate, which no authority has signed.
    pub(crate) fn start_secure(release: &Release) -> Result<(Self, PathBuf)> {
        let keys = release.folder("keys")?;
        let (certificate, key) = (keys.join("certificate.pem"), keys.join("key.pem"));
        shell::run_collected(&format!(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=127.0.0.1 \
             -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE -keyout {} -out {}",
            key.display(),
            certificate.display()
        ))?;
        let mut command = Command::new("python3");
        command.args(["-u", "-c", SECURE]).args([&certificate, &key]);
        Ok((Self::run(command, &folder(release)?, "https")?, certificate))
    }

    /// Runs a server that prints its port.
    fn run(mut command: Command, folder: &Path, scheme: &'static str) -> Result<Self> {
        let child = command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let child = child.context("cannot start python3")?;
        let mut site = Self { child, scheme, port: 0 };
        let mut line = String::new();
        BufReader::new(site.child.stdout.as_mut().context("python3 has no output")?).read_line(&mut line)?;
        let port = line.split_once(" port ").and_then(|(_, rest)| rest.split_whitespace().next());
        site.port = port.and_then(|port| port.parse().ok()).with_context(|| format!("python3 printed `{line}`"))?;
        Ok(site)
    }

    /// Returns the URL of the site, without a path.
    pub(crate) fn url(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a folder with the file.
pub(crate) fn folder(release: &Release) -> Result<PathBuf> {
    let folder = release.folder("site")?;
    fs::write(folder.join("robots.txt"), ROBOTS)?;
    Ok(folder)
}

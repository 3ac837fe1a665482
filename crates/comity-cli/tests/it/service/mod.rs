//! `comity serve` as a process.

#![allow(dead_code, reason = "no test uses all of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A service that runs until it is dropped.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: String,
}

impl Service {
    /// Starts a service on a free port.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_comity"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Listening on http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, address }
    }

    /// Starts a service that fetches nothing.
    pub(crate) fn start_offline(arguments: &[&str]) -> Self {
        Self::start(&[&["--offline"][..], arguments].concat())
    }

    /// Sends a request on a new connection. Returns the head and body of the answer.
    pub(crate) fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    /// Returns a number from `/metrics`.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let metrics = self.get("/metrics");
        let line = metrics.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("{name} in {metrics}")).trim().parse().unwrap()
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        assert!(Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Waits until the service ends. Returns its status and its standard error.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        (status, self.log())
    }

    /// Kills the service. Returns its standard error.
    pub(crate) fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.log()
    }

    /// Reads its standard error to the end.
    fn log(&mut self) -> String {
        let mut log = String::new();
        self.child.stderr.as_mut().unwrap().read_to_string(&mut log).unwrap();
        log
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

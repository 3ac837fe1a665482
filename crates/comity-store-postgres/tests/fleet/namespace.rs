//! A network of its own, whose packets can be lost: the test program starts itself in a network namespace, which has only a
//! loopback interface. Skipped with a message if that is not permitted, or a program is missing.

use std::io::Write as _;
use std::process::{Command, Stdio};

use comity_testserver::Postgres;

/// The further addresses of the server. The firewall knows the client that uses one by that.
const FAR: [&str; 3] = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];

/// Lets the server listen on all addresses.
const LISTEN: &str = "listen_addresses=127.0.0.1,127.0.0.2,127.0.0.3,127.0.0.4";

/// Packets are lost after they were sent, so that no sender gets an error.
const SET_UP: &str =
    "ip link set lo up && nft 'add table ip comity; add chain ip comity input { type filter hook input priority 0; }'";

/// Runs an ignored test of this program in a network namespace.
pub(crate) fn run(test: &str) {
    let permitted = within(&["sh", "-c", SET_UP]).output();
    if !permitted.as_ref().is_ok_and(|output| output.status.success()) {
        let why = permitted.map_or_else(|error| error.to_string(), |output| text(&output.stderr));
        eprintln!(
            "SKIPPED: no network namespace with a firewall: {}; with apt-get: `apt-get install iproute2 nftables`",
            why.trim()
        );
        return;
    }
    let set_up = format!("{SET_UP} && exec \"$0\" \"$@\"");
    let program = std::env::current_exe().unwrap();
    let output = within(&["sh", "-c", &set_up])
        .arg(program)
        .args(["--exact", test, "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let (output, errors, status) = (text(&output.stdout), text(&output.stderr), output.status);
    print!("{output}");
    eprint!("{errors}");
    assert!(status.success() && output.contains("1 passed"), "{test} failed in its network namespace");
}

/// Returns a command that runs in a new network namespace. Root needs no user namespace, in which the user of the server
/// would not exist. Others keep their user there, since PostgreSQL refuses root.
fn within(words: &[&str]) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| text(&output.stdout).trim() == "0");
    let options: &[&str] = if is_root { &["--net"] } else { &["--net", "--map-current-user", "--keep-caps"] };
    let mut command = Command::new("unshare");
    let path = std::env::var("PATH").unwrap_or_default();
    command.args(options).args(words).env("PATH", format!("{path}:/usr/sbin:/sbin")).stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A server in this namespace, and the firewall between it and the clients that use its further addresses.
pub(crate) struct Firewall {
    port: u16,
}

impl Firewall {
    /// Starts a server with a firewall.
    pub(crate) fn start() -> Option<(Postgres, Self)> {
        let server = Postgres::start_with(&[LISTEN])?;
        let port = server.port();
        Some((server, Self { port }))
    }

    /// Returns the addresses of the database, through the firewall.
    pub(crate) fn urls(&self) -> [String; 3] {
        FAR.map(|address| format!("postgres://postgres@{address}:{}/postgres", self.port))
    }

    /// Sets the directions in which packets are lost, for each address: to the server, and from it.
    pub(crate) fn lose(&self, directions: [(bool, bool); 3]) {
        let port = self.port;
        let mut rules = "flush chain ip comity input\n".to_owned();
        for (address, (to_server, from_server)) in FAR.iter().zip(directions) {
            if to_server {
                rules += &format!("add rule ip comity input ip daddr {address} tcp dport {port} drop\n");
            }
            if from_server {
                rules += &format!("add rule ip comity input ip saddr {address} tcp sport {port} drop\n");
            }
        }
        let mut nft = Command::new("nft").args(["-f", "-"]).stdin(Stdio::piped()).spawn().unwrap();
        nft.stdin.take().unwrap().write_all(rules.as_bytes()).unwrap();
        assert!(nft.wait().unwrap().success(), "{rules}");
    }
}

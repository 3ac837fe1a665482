//! PostgreSQL, as a process on loopback with a temporary folder.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::free_port;

/// The maximum time for a server to start or to end.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The authentication: everybody is trusted on the socket, and `postgres` on loopback; others need a password.
const HBA: &str = "local all all trust\nhost all postgres 127.0.0.1/32 trust\nhost all all all scram-sha-256\n";

/// A running PostgreSQL server, which is killed on drop.
///
/// It runs as the user `postgres` if the test runs as root, which it refuses. The test must drop it in the thread that
/// started it, or keep that thread: the server ends with it, so that an aborted test leaves none.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    process: Option<Child>,
    settings: Vec<String>,
    /// Removed on drop.
    whole: Option<TempDir>,
}

impl Postgres {
    /// Starts a server with an empty database. Prints the reason and returns `None` if PostgreSQL is not installed.
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// Starts a server with these settings, such as `max_connections=10`.
    ///
    /// # Panics
    ///
    /// If it is installed and does not start.
    pub fn start_with(settings: &[&str]) -> Option<Self> {
        // Short: the path of a socket has at most 107 bytes.
        let whole = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").unwrap();
        let folder = whole.path().to_owned();
        let mut server = Self::start_in(&folder, settings)?;
        server.whole = Some(whole);
        Some(server)
    }

    /// Starts a server with these settings in a folder, which must be empty, and is not removed.
    ///
    /// # Panics
    ///
    /// If it is installed and does not start.
    pub fn start_in(folder: &Path, settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("SKIPPED: PostgreSQL is not installed; with apt-get: `apt-get install postgresql`");
            return None;
        };
        if is_root() {
            let Some((user, group)) = user() else {
                eprintln!("SKIPPED: PostgreSQL does not run as root, and there is no user `postgres`");
                return None;
            };
            chown(folder, Some(user), Some(group)).unwrap();
        }
        let port = free_port();
        let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        let mut server = Self { programs, folder: folder.to_owned(), port, process: None, settings, whole: None };
        let data = server.data();
        let initialized = server
            .command("initdb")
            .arg("-D")
            .arg(&data)
            .args(["-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"])
            .output()
            .unwrap();
        assert!(initialized.status.success(), "initdb: {}", words(&initialized));
        fs::write(data.join("pg_hba.conf"), HBA).unwrap();
        server.start_again();
        Some(server)
    }

    /// Starts the server again after its end.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn start_again(&mut self) {
        let end = Instant::now() + TIMEOUT;
        loop {
            let log = File::options().create(true).append(true).open(self.folder.join("log")).unwrap();
            let mut command = self.command("postgres");
            command.arg("-D").arg(self.data());
            let folder = format!("unix_socket_directories={}", self.folder.display());
            let port = format!("port={}", self.port);
            // A crash of the machine is not simulated.
            let base = ["fsync=off", "listen_addresses=127.0.0.1", &folder, &port];
            for setting in base.into_iter().chain(self.settings.iter().map(String::as_str)) {
                command.args(["-c", setting]);
            }
            command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
            self.process = Some(command.spawn().unwrap());
            while self.process.as_mut().unwrap().try_wait().unwrap().is_none() {
                if self.try_psql("select 1").is_ok() {
                    return;
                }
                assert!(Instant::now() < end, "PostgreSQL does not start: {}", self.log());
                sleep(Duration::from_millis(20));
            }
            // The processes of a killed server are about to end, and keep its memory until then.
            assert!(Instant::now() < end, "PostgreSQL does not start: {}", self.log());
            sleep(Duration::from_millis(50));
        }
    }

    /// Changes a setting, for the next start.
    pub fn set(&mut self, setting: &str) {
        self.settings.push(setting.to_owned());
    }

    /// Kills the server (SIGKILL) and all its processes.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let children = children(process.id());
            let _ = process.kill();
            let _ = process.wait();
            for child in children {
                // It may have ended already.
                let _ = Command::new("kill").args(["-s", "KILL", &child.to_string()]).stderr(Stdio::null()).status();
            }
        }
    }

    /// Ends the server after it has written everything to disk (SIGINT: connections are closed).
    ///
    /// # Panics
    ///
    /// If it does not end.
    pub fn stop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        signal("INT", process.id());
        let end = Instant::now() + TIMEOUT;
        while process.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "PostgreSQL does not end: {}", self.log());
            sleep(Duration::from_millis(20));
        }
    }

    /// Stops the process of the server that accepts connections (SIGSTOP), or lets it go on (SIGCONT).
    pub fn pause(&self, is_paused: bool) {
        if let Some(process) = &self.process {
            signal(if is_paused { "STOP" } else { "CONT" }, process.id());
        }
    }

    /// Returns the address of the database for its owner, who needs no password.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Returns the address of the database for another user.
    pub fn url_for(&self, user: &str, password: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/postgres", self.port)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the folder of the socket and the log.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of the database.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Returns a command of PostgreSQL, such as `pgbench`, that runs as the user of the server.
    pub fn command(&self, program: &str) -> Command {
        let path = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command
                .args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL", "--"])
                .arg(path);
            command
        } else {
            Command::new(path)
        };
        // The user must be able to enter it.
        command.current_dir(&self.folder).env("HOME", &self.folder);
        command
    }

    /// Runs statements as the owner of the database, through the socket. Returns the rows, with `|` between columns.
    ///
    /// # Panics
    ///
    /// If a statement fails.
    pub fn psql(&self, statements: &str) -> String {
        self.try_psql(statements).unwrap_or_else(|error| panic!("{statements}: {error}"))
    }

    /// Runs statements, and returns the rows, or the error as a text.
    pub fn try_psql(&self, statements: &str) -> Result<String, String> {
        let output = self
            .command("psql")
            .args([
                "-X",
                "-A",
                "-t",
                "-q",
                "-v",
                "ON_ERROR_STOP=1",
                "-U",
                "postgres",
                "-p",
                &self.port.to_string(),
                "-h",
            ])
            .arg(&self.folder)
            .args(["-c", statements, "postgres"])
            .env("PGCONNECT_TIMEOUT", "5")
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        } else {
            Err(words(&output))
        }
    }

    /// Returns the log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
        // Its processes end when they notice that it was killed, and write to the folder until then.
        let end = Instant::now() + Duration::from_secs(5);
        while fs::remove_dir_all(self.data()).is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
            && Instant::now() < end
        {
            sleep(Duration::from_millis(20));
        }
    }
}

/// Returns the folder with the programs of the newest version.
fn programs() -> Option<PathBuf> {
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path());
    let newest = debian.max_by_key(|path| version(path)).map(|path| path.join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = newest.into_iter().chain(std::env::split_paths(&path));
    folders.find(|folder| ["initdb", "postgres", "psql"].iter().all(|program| folder.join(program).is_file()))
}

/// Returns true if this process runs as root.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

/// Returns the numbers of the user and the group `postgres`.
fn user() -> Option<(u32, u32)> {
    let passwd = fs::read_to_string("/etc/passwd").ok()?;
    let mut fields = passwd.lines().find(|line| line.starts_with("postgres:"))?.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Returns the processes that a process has started.
fn children(process: u32) -> Vec<u32> {
    let parent = |id: &u32| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse::<u32>().ok()
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter(|id| parent(id) == Some(process)).collect()
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", name, &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "SIG{name} could not be sent");
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

//! An FTP server (RFC 959, RFC 2428) with replies that tests can set.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::render::render;
use crate::reply::Reply;
use crate::transport::{After, Listening, Transport, send};

/// The time that a client has to open the data connection that it requested.
const DATA_CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// An FTP server on loopback for one site, with anonymous access.
///
/// Replies and files are [`Reply`]s like those of HTTP, made by [`Reply::line`] and [`Reply::raw`], and can have the
/// same faults. The server stops on drop, with all its connections.
///
/// ```
/// use comity_testserver::{At, FtpServer, Reply};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let server = FtpServer::start().await;
/// server.serve("/robots.txt", Reply::raw("User-agent: *\n").cut(At::Body(5)));
/// server.answer("EPSV", Reply::line("500 What?"));
/// server.greet(Reply::line("220 Hello").drip(At::Start, 1, std::time::Duration::from_millis(50)));
/// # }
/// ```
#[derive(Debug)]
pub struct FtpServer {
    listening: Listening,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    greeting: Option<Reply>,
    answers: HashMap<String, Reply>,
    finish: Option<Reply>,
    files: HashMap<String, Reply>,
    passive_host: Option<Ipv4Addr>,
    commands: Vec<String>,
    connections: usize,
    data_connections: usize,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

impl FtpServer {
    /// Starts a server without files on a free port of 127.0.0.1.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub async fn start() -> Self {
        Self::start_at((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port on 127.0.0.1")
    }

    /// Starts a server on another address of the loopback interface. Port 0 means a free one.
    #[expect(clippy::unused_async, reason = "it needs a runtime")]
    pub async fn start_at(addr: impl Into<SocketAddr>) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let listening = Listening::at(addr.into(), {
            let shared = shared.clone();
            move |stream, _| serve(stream, shared.clone())
        })?;
        Ok(FtpServer { listening, shared })
    }

    /// Returns the address of the control port.
    pub fn addr(&self) -> SocketAddr {
        self.listening.addr
    }

    /// Returns the URL of a path, with the address as the host.
    pub fn url(&self, path: &str) -> String {
        format!("ftp://{}{path}", self.addr())
    }

    /// Returns the URL of a path, with a host name that the client must be able to resolve.
    pub fn url_of(&self, host: &str, path: &str) -> String {
        format!("ftp://{host}:{}{path}", self.addr().port())
    }

    /// Sets a file. The faults of the reply happen on the data connection; a file that is cut or reset there is
    /// followed by 426.
    pub fn serve(&self, path: &str, file: Reply) {
        self.shared.state().files.insert(path.to_owned(), file);
    }

    /// Sets the greeting of new connections. Defaults to 220.
    pub fn greet(&self, reply: Reply) {
        self.shared.state().greeting = Some(reply);
    }

    /// Sets the reply to a command, such as `RETR`, which is then not executed.
    pub fn answer(&self, command: &str, reply: Reply) {
        self.shared.state().answers.insert(command.to_owned(), reply);
    }

    /// Sets the reply after a file was sent, completely or not. Defaults to 226 or 426.
    pub fn finish(&self, reply: Reply) {
        self.shared.state().finish = Some(reply);
    }

    /// Sets the address that `PASV` states, with the true port.
    pub fn passive_host(&self, host: Ipv4Addr) {
        self.shared.state().passive_host = Some(host);
    }

    /// Returns all commands with their arguments, in the order in which they arrived.
    pub fn commands(&self) -> Vec<String> {
        self.shared.state().commands.clone()
    }

    /// Returns the number of control connections so far.
    pub fn connections(&self) -> usize {
        self.shared.state().connections
    }

    /// Returns the number of data connections so far.
    pub fn data_connections(&self) -> usize {
        self.shared.state().data_connections
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    shared.state().connections += 1;
    let session =
        Session { control: BufReader::new(stream), shared, logged_in: false, folder: "/".to_owned(), data: None };
    // A client that closes the connection early is expected in many tests, and not an error.
    let _ = session.run().await;
}

/// A control connection.
struct Session {
    control: BufReader<TcpStream>,
    shared: Arc<Shared>,
    logged_in: bool,
    /// The folder that `CWD` set.
    folder: String,
    data: Option<TcpListener>,
}

impl Transport for BufReader<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref()
    }
}

impl Session {
    async fn run(mut self) -> io::Result<()> {
        let greeting = self.shared.state().greeting.clone();
        let mut open = self.say(greeting.unwrap_or_else(|| Reply::line("220 Ready."))).await?;
        let mut line = Vec::new();
        while open && self.control.read_until(b'\n', &mut line).await? > 0 {
            let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
            line.clear();
            let (command, argument) = text.split_once(' ').unwrap_or((&text, ""));
            let command = command.to_ascii_uppercase();
            let scripted = {
                let mut state = self.shared.state();
                state.commands.push(text.clone());
                state.answers.get(&command).cloned()
            };
            open = match scripted {
                Some(reply) => self.say(reply).await?,
                None if command == "RETR" => self.retrieve(argument).await?,
                None => {
                    let reply = self.reply(&command, argument).await?;
                    self.say(reply).await? && command != "QUIT"
                }
            };
        }
        Ok(())
    }

    /// Sends a reply. Returns true if the connection is still open after it.
    async fn say(&mut self, reply: Reply) -> io::Result<bool> {
        let (wire, _) = render(&reply, true);
        let after = send(&mut self.control, wire).await?;
        if after == After::Reset {
            self.control.tcp().set_zero_linger()?;
        }
        Ok(after == After::Open)
    }

    async fn reply(&mut self, command: &str, argument: &str) -> io::Result<Reply> {
        let text = match command {
            "USER" => "331 Any password will do.".to_owned(),
            "PASS" => {
                self.logged_in = true;
                "230 Welcome.".to_owned()
            }
            "TYPE" | "NOOP" | "OPTS" => "200 Fine.".to_owned(),
            "SYST" => "215 UNIX Type: L8".to_owned(),
            "FEAT" => "211-Features:\r\n EPSV\r\n SIZE\r\n211 End".to_owned(),
            "CWD" => {
                self.folder = self.resolve(argument);
                "250 Here.".to_owned()
            }
            "PWD" => format!("257 \"{}\"", self.folder),
            "EPSV" => format!("229 Listening (|||{}|)", self.listen().await?.port()),
            "PASV" => match self.listen().await? {
                SocketAddr::V4(addr) => {
                    let host = self.shared.state().passive_host.unwrap_or(*addr.ip());
                    passive(SocketAddr::from((host, addr.port())))
                }
                SocketAddr::V6(_) => "522 Use EPSV.".to_owned(),
            },
            "SIZE" => self.size(argument),
            "QUIT" => "221 Bye.".to_owned(),
            _ => "502 Not here.".to_owned(),
        };
        Ok(Reply::line(text))
    }

    fn resolve(&self, path: &str) -> String {
        if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.folder.trim_end_matches('/')) }
    }

    fn size(&self, path: &str) -> String {
        match self.shared.state().files.get(&self.resolve(path)).map(Reply::length) {
            Some(Some(len)) => format!("213 {len}"),
            _ => "550 Not there.".to_owned(),
        }
    }

    /// Opens a port for data on the address that the client is connected to.
    async fn listen(&mut self) -> io::Result<SocketAddr> {
        let host: IpAddr = self.control.tcp().local_addr()?.ip();
        let listener = TcpListener::bind((host, 0)).await?;
        let addr = listener.local_addr()?;
        self.data = Some(listener);
        Ok(addr)
    }

    async fn retrieve(&mut self, path: &str) -> io::Result<bool> {
        if !self.logged_in {
            return self.say(Reply::line("530 Who are you?")).await;
        }
        let file = self.shared.state().files.get(&self.resolve(path)).cloned();
        let Some(file) = file else { return self.say(Reply::line("550 Not there.")).await };
        let Some(listener) = self.data.take() else { return self.say(Reply::line("425 Where to?")).await };
        if !self.say(Reply::line("150 Here it comes.")).await? {
            return Ok(false);
        }
        let Ok(accepted) = timeout(DATA_CONNECTION_TIMEOUT, listener.accept()).await else {
            return self.say(Reply::line("425 Nobody came.")).await;
        };
        let (mut data, _) = accepted?;
        self.shared.state().data_connections += 1;
        let (wire, _) = render(&file, true);
        let text = match send(&mut data, wire).await {
            Ok(After::Open) => {
                data.shutdown().await?;
                "226 That was it."
            }
            Ok(After::Reset) => {
                data.set_zero_linger()?;
                "426 That was not all."
            }
            Ok(After::Cut) | Err(_) => "426 That was not all.",
        };
        drop(data);
        let finish = self.shared.state().finish.clone();
        self.say(finish.unwrap_or_else(|| Reply::line(text))).await
    }
}

fn passive(addr: SocketAddr) -> String {
    let (host, port) = (addr.ip().to_string().replace('.', ","), addr.port());
    format!("227 Listening ({host},{},{})", port >> 8, port & 0xff)
}

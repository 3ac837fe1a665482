//! A connection to the server that can lose bytes, in one direction or in both, a certain statement, or the answer to it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A TCP proxy on loopback.
pub(crate) struct Proxy {
    address: SocketAddr,
    /// True for the directions in which bytes are lost: to the server, and from it.
    lost: Arc<[AtomicBool; 2]>,
    next: Arc<Mutex<Option<Loss>>>,
}

/// The next loss, for the statement with this text.
#[derive(Clone, Copy)]
enum Loss {
    /// The statement, and all later bytes of its connection, in both directions.
    Statement(&'static str),
    /// The answer to the statement: its connection ends.
    Answer(&'static str),
}

/// The action for some bytes.
enum Action {
    Forward,
    Lose,
    End,
}

impl Proxy {
    pub(crate) async fn start(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let lost = Arc::new([const { AtomicBool::new(false) }; 2]);
        let next = Arc::new(Mutex::new(None));
        tokio::spawn({
            let (lost, next) = (Arc::clone(&lost), Arc::clone(&next));
            async move {
                loop {
                    let (client, _) = listener.accept().await.unwrap();
                    let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                    let (mut from_client, mut to_client) = client.into_split();
                    let (mut from_server, mut to_server) = server.into_split();
                    let [is_silent, ends] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
                    let (there, next) = (Arc::clone(&lost), Arc::clone(&next));
                    let [silencing, ending] = [&is_silent, &ends].map(Arc::clone);
                    let action = move |bytes: &[u8]| match take(&next, bytes) {
                        Some(Loss::Statement(_)) => {
                            silencing.store(true, Ordering::SeqCst);
                            Action::Lose
                        }
                        Some(Loss::Answer(_)) => {
                            ending.store(true, Ordering::SeqCst);
                            Action::Forward
                        }
                        None if there[0].load(Ordering::SeqCst) => Action::Lose,
                        None => Action::Forward,
                    };
                    tokio::spawn(async move { forward(&mut from_client, &mut to_server, action).await });
                    let back = Arc::clone(&lost);
                    let action = move |_: &[u8]| {
                        if ends.load(Ordering::SeqCst) {
                            Action::End
                        } else if back[1].load(Ordering::SeqCst) || is_silent.load(Ordering::SeqCst) {
                            Action::Lose
                        } else {
                            Action::Forward
                        }
                    };
                    tokio::spawn(async move { forward(&mut from_server, &mut to_client, action).await });
                }
            }
        });
        Self { address, lost, next }
    }

    /// Returns the address of the database, through the proxy.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.address.port())
    }

    /// Sets the directions in which bytes are lost: to the server, and from it.
    pub(crate) fn lose(&self, to_server: bool, from_server: bool) {
        self.lost[0].store(to_server, Ordering::SeqCst);
        self.lost[1].store(from_server, Ordering::SeqCst);
    }

    /// Loses the next statement with this text, and all later bytes of its connection, in both directions.
    pub(crate) fn lose_statement(&self, text: &'static str) {
        *self.next.lock().unwrap() = Some(Loss::Statement(text));
    }

    /// Loses the answer to the next statement with this text, which the server executes, and ends its connection.
    pub(crate) fn lose_answer(&self, text: &'static str) {
        *self.next.lock().unwrap() = Some(Loss::Answer(text));
    }

    /// Returns true if that statement was sent.
    pub(crate) fn has_lost(&self) -> bool {
        self.next.lock().unwrap().is_none()
    }

    /// Waits until that statement was sent.
    pub(crate) fn wait_for_loss(&self) {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.has_lost() {
            assert!(Instant::now() < end, "the statement was not sent");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Returns the next loss if these bytes contain its statement. No later statement is lost.
fn take(next: &Mutex<Option<Loss>>, bytes: &[u8]) -> Option<Loss> {
    let contains = |loss: &mut Loss| {
        let (Loss::Statement(text) | Loss::Answer(text)) = loss;
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    };
    next.lock().unwrap().take_if(contains)
}

/// Forwards bytes until the end. Once some were lost, the connection stays silent, as TCP would: it delivers no later bytes
/// without the earlier ones, and not its end.
async fn forward(
    from: &mut (impl tokio::io::AsyncRead + Unpin),
    to: &mut (impl tokio::io::AsyncWrite + Unpin),
    action: impl Fn(&[u8]) -> Action,
) {
    let mut buffer = vec![0; 16 * 1024];
    let mut is_silent = false;
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        match action(&buffer[..length]) {
            Action::Forward => {}
            Action::Lose => is_silent = true,
            Action::End => return,
        }
        if !is_silent && to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
    if is_silent {
        std::future::pending::<()>().await;
    }
}

//! A connection to the server that can lose bytes, in one direction or in both, or from a certain statement on.

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
    /// The statement that is lost next.
    next: Arc<Mutex<Option<&'static str>>>,
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
                    let (there, next) = (Arc::clone(&lost), Arc::clone(&next));
                    let is_lost = move |bytes: &[u8]| there[0].load(Ordering::SeqCst) || is_next(&next, bytes);
                    tokio::spawn(async move { forward(&mut from_client, &mut to_server, is_lost).await });
                    let back = Arc::clone(&lost);
                    let is_lost = move |_: &[u8]| back[1].load(Ordering::SeqCst);
                    tokio::spawn(async move { forward(&mut from_server, &mut to_client, is_lost).await });
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

    /// Loses the next statement with this text, and all later bytes of its connection to the server.
    pub(crate) fn lose_statement(&self, text: &'static str) {
        *self.next.lock().unwrap() = Some(text);
    }

    /// Waits until that statement was lost.
    pub(crate) fn wait_for_loss(&self) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.next.lock().unwrap().is_some() {
            assert!(Instant::now() < end, "the statement was not sent");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Returns true if these bytes contain the statement that is lost next. No later one is lost.
fn is_next(next: &Mutex<Option<&'static str>>, bytes: &[u8]) -> bool {
    let mut next = next.lock().unwrap();
    let is_it = next.is_some_and(|text| bytes.windows(text.len()).any(|part| part == text.as_bytes()));
    if is_it {
        *next = None;
    }
    is_it
}

/// Forwards bytes until the end. Once some were lost, the connection stays silent, as TCP would: it delivers no later bytes
/// without the earlier ones, and not its end.
async fn forward(
    from: &mut (impl tokio::io::AsyncRead + Unpin),
    to: &mut (impl tokio::io::AsyncWrite + Unpin),
    is_lost: impl Fn(&[u8]) -> bool,
) {
    let mut buffer = vec![0; 16 * 1024];
    let mut is_silent = false;
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        is_silent |= is_lost(&buffer[..length]);
        if !is_silent && to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
    if is_silent {
        std::future::pending::<()>().await;
    }
}

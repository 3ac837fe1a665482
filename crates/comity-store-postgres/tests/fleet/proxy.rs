//! A connection to the server that can lose bytes, in one direction or in both.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A TCP proxy on loopback.
pub(crate) struct Proxy {
    address: SocketAddr,
    /// True for the directions in which bytes are lost: to the server, and from it.
    lost: Arc<[AtomicBool; 2]>,
}

impl Proxy {
    pub(crate) async fn start(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let lost = Arc::new([const { AtomicBool::new(false) }; 2]);
        tokio::spawn({
            let lost = Arc::clone(&lost);
            async move {
                loop {
                    let (client, _) = listener.accept().await.unwrap();
                    let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                    let (mut from_client, mut to_client) = client.into_split();
                    let (mut from_server, mut to_server) = server.into_split();
                    let there = Arc::clone(&lost);
                    tokio::spawn(async move { forward(&mut from_client, &mut to_server, &there[0]).await });
                    let back = Arc::clone(&lost);
                    tokio::spawn(async move { forward(&mut from_server, &mut to_client, &back[1]).await });
                }
            }
        });
        Self { address, lost }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Sets the directions in which bytes are lost: to the server, and from it.
    pub(crate) fn lose(&self, to_server: bool, from_server: bool) {
        self.lost[0].store(to_server, Ordering::SeqCst);
        self.lost[1].store(from_server, Ordering::SeqCst);
    }
}

/// Forwards bytes until the end. Once some were lost, the connection stays silent, as TCP would: it delivers no later bytes
/// without the earlier ones.
async fn forward(
    from: &mut (impl tokio::io::AsyncRead + Unpin),
    to: &mut (impl tokio::io::AsyncWrite + Unpin),
    is_lost: &AtomicBool,
) {
    let mut buffer = vec![0; 16 * 1024];
    let mut is_silent = false;
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        is_silent |= is_lost.load(Ordering::SeqCst);
        if !is_silent && to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

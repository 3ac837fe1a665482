//! Checks the resources that are left for others when one client takes all that it can get.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::client::{Client, check, get, head, post};
use crate::service::{Service, max_files};
use crate::stranger::Stranger;

/// A load on its own threads. It ends when it is dropped.
struct Load {
    stop: Arc<AtomicBool>,
    running: Vec<JoinHandle<()>>,
}

impl Load {
    /// Calls `turn` repeatedly on each thread, with the number of the thread.
    fn start(threads: usize, turn: impl Fn(usize) + Send + Sync + 'static) -> Self {
        let (stop, turn) = (Arc::new(AtomicBool::new(false)), Arc::new(turn));
        let run = |n| {
            let (stop, turn) = (Arc::clone(&stop), Arc::clone(&turn));
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    turn(n);
                }
            })
        };
        let running = (0..threads).map(run).collect();
        Self { stop, running }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for running in self.running.drain(..) {
            // A panic of the load also fails the requests of the stranger.
            let _ = running.join();
        }
    }
}

/// Sends the start of a request with a body that never ends.
fn stall(service: &Service) -> TcpStream {
    let mut stream = service.connect();
    let beginning = head("/v1/check", "application/json") + "Content-Length: 100000\r\n\r\n{\"urls\":";
    // The request may already be refused.
    let _ = stream.write_all(beginning.as_bytes());
    stream.set_nonblocking(true).unwrap();
    stream
}

fn is_closed(stream: &mut TcpStream) -> bool {
    let mut bytes = [0; 1024];
    loop {
        match stream.read(&mut bytes) {
            Ok(1..) => {}
            Ok(0) => return true,
            Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

/// Starts a service, and returns it with a number of connections that exceeds its limit.
fn service_with_few_connections() -> (Arc<Service>, usize) {
    const CONNECTIONS: usize = 4300;
    let connections = CONNECTIONS.min(max_files().saturating_sub(300));
    if connections < CONNECTIONS {
        println!("SKIPPED: {CONNECTIONS} connections, for this process may have few files; {connections} instead");
    }
    let limit = connections.min(4096).to_string();
    (Arc::new(Service::start(&["--rate", "0", "--connections", &limit])), connections)
}

/// Opens connections with bodies that never end. Those that are refused are opened again.
fn stalled_bodies(service: &Arc<Service>, connections: usize) -> Load {
    let stalled: Mutex<Vec<TcpStream>> = Mutex::new((0..connections).map(|_| stall(service)).collect());
    let service = Arc::clone(service);
    Load::start(1, move |_| {
        for stream in stalled.lock().unwrap().iter_mut().filter_map(|stream| is_closed(stream).then_some(stream)) {
            *stream = stall(&service);
            thread::sleep(Duration::from_millis(2));
        }
        thread::sleep(Duration::from_millis(200));
    })
}

/// Requests reports on files of the maximum size, which take long.
fn heavy_documents(service: &Arc<Service>) -> Load {
    const REQUESTS: usize = 40;
    const BYTES: usize = 512_000;
    let file = |field: &str| {
        let mut file = "User-agent: *\\n".to_owned();
        for n in 1.. {
            let line = format!("{field}: /{n}\\n");
            // Each line is one byte shorter than its escaped form.
            if file.len() + line.len() - n > BYTES {
                break;
            }
            file += &line;
        }
        post("/v1/lint", &format!("{{\"robots\":\"{file}\"}}"))
    };
    let files = [file("Disallow"), file("Disalow"), file("Allow")];
    let service = Arc::clone(service);
    let load = Load::start(REQUESTS, move |n| {
        // Beside other load, a connection may be closed for another one.
        let Ok(answer) = service.client().ask(&files[n % files.len()]) else { return };
        assert!(answer.is_refusal() || matches!(answer.status, 200 | 413), "{answer:?}");
        if answer.is_refusal() {
            thread::sleep(Duration::from_secs(1));
        }
    });
    // Waits until all requests have started.
    thread::sleep(Duration::from_secs(1));
    load
}

#[test]
fn one_client_with_stalled_bodies_leaves_the_service_to_others() {
    let (service, connections) = service_with_few_connections();
    Stranger::new(&service).endure(|| stalled_bodies(&service, connections));
}

#[test]
fn one_client_with_heavy_documents_leaves_processors_to_others() {
    let service = Arc::new(Service::start(&["--rate", "0"]));
    Stranger::new(&service).with_documents().endure(|| heavy_documents(&service));
}

#[test]
fn one_client_with_both_leaves_the_service_to_others() {
    let (service, connections) = service_with_few_connections();
    let stranger = Stranger::new(&service).with_documents();
    stranger.endure(|| (stalled_bodies(&service, connections), heavy_documents(&service)));
}

#[test]
fn all_that_are_sent_away_read_why() {
    const CONNECTIONS: usize = 40;
    let service = Service::start(&["--rate", "0", "--connections", &CONNECTIONS.to_string()]);
    // Requests that wait for a site are in progress, so none of these connections is closed for new ones.
    let waiting: Vec<TcpStream> = (0..CONNECTIONS * 7 / 8)
        .map(|n| {
            let mut stream = service.connect();
            stream.write_all(&get(&check(&service.url(&format!("slow-{n}.test"), "/"), "Googlebot"))).unwrap();
            stream
        })
        .collect();
    let began = std::time::Instant::now();
    while service.number("comity_http_waiting") < waiting.len() as f64 {
        assert!(began.elapsed() < crate::service::TEST_TIMEOUT);
    }
    // The body is not read before the refusal, as for real clients.
    let request = post("/v1/lint", &format!("{{\"robots\":\"{}\"}}", "# a comment\\n".repeat(2000)));
    let clients: Vec<Client> = (0..100)
        .map(|_| {
            let mut client = service.client();
            client.stream.write_all(&request).unwrap();
            client
        })
        .collect();
    for (n, mut client) in clients.into_iter().enumerate() {
        let answer = client.answer().unwrap_or_else(|error| panic!("{n}: {error}"));
        assert!(answer.status == 503 && answer.is_refusal(), "{n}: {answer:?}");
        assert_eq!(answer.json()["code"], "overloaded");
        // The connection ends regularly, without a reset.
        client.stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(client.stream.read(&mut [0; 10]).map_err(|error| error.to_string()), Ok(0), "{n}");
    }
    // The same client can still request the health of the service.
    for _ in 0..20 {
        assert_eq!(service.ask(&get("/healthz")).status, 200);
    }
    drop(waiting);
}

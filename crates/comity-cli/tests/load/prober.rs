//! A client that sends a request at intervals and expects an answer, whatever other clients do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::client::{check, get};
use crate::service::Service;

/// The maximum time for an answer, on a machine that has other work.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(5);

const PROBE_INTERVAL: Duration = Duration::from_millis(10);

/// A client that sends requests until it is stopped.
pub(crate) struct Prober {
    stop: Arc<AtomicBool>,
    asking: JoinHandle<Probed>,
}

/// The results of its requests.
#[derive(Debug, Default)]
pub(crate) struct Probed {
    pub(crate) asked: usize,
    pub(crate) worst: Duration,
    pub(crate) failures: Vec<String>,
}

impl Prober {
    /// Starts to send requests about a known site, each on a new connection.
    pub(crate) fn start(service: &Service) -> Self {
        let (address, stop) = (service.address, Arc::new(AtomicBool::new(false)));
        let request = get(&check(&service.url("known.test", "/private/x"), "Googlebot"));
        assert_eq!(service.ask(&request).json()["line"], 2);
        let asking = {
            let stop = Arc::clone(&stop);
            thread::spawn(move || {
                let mut probed = Probed::default();
                // A short attack on a busy machine may be over before this thread starts.
                loop {
                    let began = Instant::now();
                    if let Err(failure) = ask(address, &request) {
                        probed.failures.push(failure);
                    }
                    probed.asked += 1;
                    probed.worst = probed.worst.max(began.elapsed());
                    if stop.load(Ordering::Relaxed) {
                        return probed;
                    }
                    thread::sleep(PROBE_INTERVAL);
                }
            })
        };
        Self { stop, asking }
    }

    /// Stops, and checks that all requests were answered in time.
    pub(crate) fn finish(self) -> Probed {
        self.stop.store(true, Ordering::Relaxed);
        let probed = self.asking.join().unwrap();
        println!("{} asked meanwhile, the slowest answer took {:?}", probed.asked, probed.worst);
        assert!(probed.failures.is_empty(), "{} of {}: {:?}", probed.failures.len(), probed.asked, probed.failures[0]);
        assert!(probed.worst < MAX_ANSWER_TIME, "{probed:?}");
        probed
    }
}

fn ask(address: std::net::SocketAddr, request: &[u8]) -> Result<(), String> {
    let answer = || -> std::io::Result<_> {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_read_timeout(Some(crate::service::TEST_TIMEOUT))?;
        crate::client::Client::new(stream).ask(request)
    };
    match answer() {
        Ok(answer) if answer.status == 200 && answer.json()["allowed"] == false => Ok(()),
        Ok(answer) => Err(format!("{answer:?}")),
        Err(error) => Err(error.to_string()),
    }
}

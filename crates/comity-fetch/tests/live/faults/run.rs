//! Runs the rows of the fault matrix with clients.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use comity_fetch::{Access, Client, Event, Failure, Policy};
use comity_policy::BODY_LIMIT;
use comity_testserver::{ANY, ClosedPort, FtpServer, HttpServer, Reply, Tls, closed_port};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::row::{Does, Over, Row, Then};
use crate::stage::{Allowed, NAMES, Place, Site, Stage, allowed, while_unreachable};
use crate::{ROBOTS, via};

/// Timeouts for rows that are about time: for the next bytes, and in total.
const STALL_TIMEOUT: Duration = Duration::from_millis(150);
const DEADLINE: Duration = Duration::from_millis(600);

/// After this time, a connection that is still open is a bug, and not a slow machine.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(60);

/// The servers of the rows. Each row has a host of its own.
struct Servers {
    http: HttpServer,
    tls: HttpServer,
    http2: HttpServer,
    /// The servers of rows that are about a whole server.
    others: Vec<HttpServer>,
    ftp: Vec<FtpServer>,
    closed: ClosedPort,
    places: HashMap<String, Place>,
}

impl Servers {
    async fn start() -> Self {
        Self {
            http: HttpServer::start().await,
            tls: HttpServer::start_tls(Tls::named(NAMES).http1()).await,
            http2: HttpServer::start_tls(Tls::named(NAMES).http2()).await,
            others: Vec::new(),
            ftp: Vec::new(),
            closed: closed_port(),
            places: HashMap::new(),
        }
    }

    async fn serve(&mut self, row: &Row, host: &str) {
        let place = match &row.does {
            Does::Reply(reply) => {
                let server = match row.over {
                    Over::Http1 => &self.http,
                    Over::Tls => &self.tls,
                    Over::Http2 => &self.http2,
                    Over::Ftp => panic!("{}: a reply of HTTP", row.name),
                };
                server.serve(host, ANY, Reply::clone(reply));
                server.addr()
            }
            Does::Accept(accept) => {
                let server = if row.over == Over::Http1 {
                    HttpServer::start().await
                } else {
                    HttpServer::start_tls(Tls::named(NAMES)).await
                };
                server.accept(accept.clone());
                self.other(server)
            }
            Does::Name(place) => {
                self.places.insert(host.to_owned(), *place);
                return;
            }
            Does::Closed => self.closed.addr(),
            Does::Certificate(certificate) => {
                self.other(HttpServer::start_tls(Tls::named(NAMES).certificate(*certificate)).await)
            }
            Does::Ftp(ftp) => {
                let server = FtpServer::start().await;
                server.serve("/robots.txt", ftp.file.clone().unwrap_or_else(|| Reply::raw(ROBOTS)));
                if let Some(greeting) = &ftp.greeting {
                    server.greet(greeting.clone());
                }
                for (command, reply) in &ftp.answers {
                    server.answer(command, reply.clone());
                }
                if let Some(finish) = &ftp.finish {
                    server.finish(finish.clone());
                }
                let addr = server.addr();
                self.ftp.push(server);
                addr
            }
        };
        self.places.insert(host.to_owned(), Place::At(place));
    }

    /// Adds a server. Every request that reaches it finds the file.
    fn other(&mut self, server: HttpServer) -> std::net::SocketAddr {
        server.serve(ANY, ANY, Reply::ok(ROBOTS));
        let addr = server.addr();
        self.others.push(server);
        addr
    }

    fn open_connections(&self) -> usize {
        let servers = [&self.http, &self.tls, &self.http2].into_iter().chain(&self.others);
        servers.map(HttpServer::open_connections).sum()
    }
}

/// One policy, which runs all rows.
struct Meeting {
    stage: Stage,
    patient: Client,
    hasty: Client,
}

impl Meeting {
    fn of(policy: Policy, site: &Site) -> Self {
        let stage = Stage::new(policy, site);
        let patient = stage.client().build().unwrap();
        let hasty = stage.client_within(Some(STALL_TIMEOUT)).timeout(DEADLINE);
        Self { patient, hasty: hasty.build().unwrap(), stage }
    }

    async fn meet(&self, origin: &str, row: &Row, with_copy: bool) {
        let then = row.then_via();
        let is_hasty = then == Then::TIMEOUT || via::never_ends(&row.name);
        let client = if is_hasty { &self.hasty } else { &self.patient };
        let site = client.robots(origin).await.unwrap();
        let (ruling, event) = (site.ruling(), site.ruling().event);
        let why = site.attempt().and_then(|attempt| attempt.detail.clone());
        let (access, expected) = match then {
            Then::Fails(_) | Then::FtpSays(_) => (None, while_unreachable(&self.stage.policy, with_copy)),
            Then::Refused if with_copy && self.stage.policy.name != "strict" => (None, Allowed::ByRules),
            Then::Refused => (None, Allowed::Nothing),
            Then::Missing => (Some(Access::AllowAll), Allowed::All),
            Then::Found => (Some(Access::Rules), Allowed::ByRules),
            Then::Empty => (Some(Access::Rules), Allowed::All),
        };
        assert_eq!(allowed(&site), expected, "{ruling}: {why:?}");
        let copy = site.copy().map(|copy| &*copy.body);
        if let Some(access) = access {
            assert_eq!((ruling.access, ruling.rung), (access, None), "{ruling}: {why:?}");
            assert!(
                copy.is_none_or(|body| body.len() <= BODY_LIMIT),
                "{} bytes are kept",
                copy.unwrap_or_default().len()
            );
        } else {
            assert!(ruling.rung.is_some(), "{ruling}");
            assert_eq!(copy, with_copy.then_some(ROBOTS.as_bytes()), "the last good copy is none the worse");
            let stored = self.stage.stored(origin).await;
            let stored = stored.as_ref().and_then(|record| record.copy.as_ref()).map(|copy| &*copy.body);
            assert!(stored.is_none_or(|body| with_copy && body == ROBOTS.as_bytes()), "another copy is stored");
        }
        match (then, event) {
            (Then::Fails(kinds), Event::Failed(kind)) => {
                assert!(kinds.contains(&kind) || !via::TELLS_FAILURES, "expected {kinds:?}, found {kind:?}: {why:?}");
                assert!(why.is_some(), "{event}: nobody says what was wrong");
            }
            (Then::FtpSays(code), Event::Ftp(found)) => assert_eq!(found, code),
            (Then::Refused, Event::Failed(Failure::Refused))
            | (Then::Missing, Event::Ftp(550))
            | (Then::Found | Then::Empty, Event::Found) => {}
            _ => panic!("expected {then:?}, found {event}: {why:?}"),
        }
        assert_eq!(site.exchanges().len(), 1, "nobody asks twice");
        assert!(site.exchanges()[0].bytes <= BODY_LIMIT as u64, "{} bytes were read", site.exchanges()[0].bytes);
    }
}

/// Runs each row under each policy, with a last good copy and without.
pub(super) async fn meet_all(rows: Vec<Row>) {
    let rows: Vec<_> = rows.into_iter().map(Arc::new).collect();
    let site = Site::good().await;
    let mut servers = Servers::start().await;
    let mut copies = HashMap::new();
    let host = |n: usize, with_copy| format!("{}{n}.a.test", if with_copy { "copy" } else { "none" });
    for (n, row) in rows.iter().enumerate() {
        for with_copy in [false, true] {
            servers.serve(row, &host(n, with_copy)).await;
        }
        let scheme = row.over.scheme();
        if !copies.contains_key(scheme) {
            copies.insert(scheme, site.record(&format!("{scheme}://a.test")).await);
        }
    }
    let meetings: Vec<_> = Policy::ALL.iter().map(|policy| Arc::new(Meeting::of(*policy, &site))).collect();
    let at_once = Arc::new(Semaphore::new(24));
    let mut runs = JoinSet::new();
    let mut titles = HashMap::new();
    for meeting in &meetings {
        meeting.stage.names.lead_to(&site, servers.places.clone());
        meeting.stage.clock.advance(Duration::from_secs(24 * 60 * 60));
        for (n, row) in rows.iter().enumerate() {
            let policies = if via::never_ends(&row.name) { &[Policy::STANDARD] } else { row.policies };
            if !policies.contains(&meeting.stage.policy) {
                continue;
            }
            for with_copy in [false, true] {
                let origin = format!("{}://{}", row.over.scheme(), host(n, with_copy));
                if with_copy {
                    meeting.stage.remember(&origin, &copies[row.over.scheme()]).await;
                }
                let (meeting, row, at_once) = (meeting.clone(), Arc::clone(row), at_once.clone());
                let copy = if with_copy { ", with a copy" } else { "" };
                let title = format!("{:?}: {} ({}{copy})", row.over, row.name, meeting.stage.policy.name);
                let run = runs.spawn(async move {
                    let _permit = at_once.acquire().await.unwrap();
                    meeting.meet(&origin, &row, with_copy).await;
                });
                titles.insert(run.id(), title);
            }
        }
    }
    let mut failed = Vec::new();
    while let Some(ended) = runs.join_next_with_id().await {
        failed.extend(ended.err().map(|e| format!("{}: {e}", titles[&e.id()])));
    }
    assert!(failed.is_empty(), "{} of {} runs failed:\n{}", failed.len(), titles.len(), failed.join("\n"));
    println!("{} rows, {} runs", rows.len(), titles.len());
    for client in meetings.iter().flat_map(|meeting| [&meeting.patient, &meeting.hasty]) {
        assert_eq!(client.stats().fail_open_total, 0);
    }
    // The client has closed all connections, even if the servers would send more.
    let until = Instant::now() + CLOSE_TIMEOUT;
    while servers.open_connections() > 0 {
        assert!(Instant::now() < until, "a connection is still there");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

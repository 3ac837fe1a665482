//! The environment of a client in a test: a site with servers, and names that resolve to them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use comity::{Answer, Origin};
use comity_fetch::store::{MemoryStore, Store};
use comity_fetch::{
    Client, ClientBuilder, Clock, Decision, Policy, Resolve, ResolveError, Resolving, SiteRobots, StoredRecord, Time,
};
use comity_testserver::{ANY, ClosedPort, FtpServer, HttpServer, Reply, Tls, closed_port};

use crate::loopback::Loopback;
use crate::{BOT, ROBOTS, via};

/// Fri, 15 Jan 2027 08:00:00 GMT.
pub(crate) const START: Time = Time::from_unix_seconds(1_800_000_000);

/// The names in the certificate of a secure site.
pub(crate) const NAMES: [&str; 3] = ["a.test", "b.test", "*.a.test"];

/// A site with all its servers.
pub(crate) struct Site {
    pub(crate) http: HttpServer,
    pub(crate) https: HttpServer,
    pub(crate) ftp: FtpServer,
    pub(crate) closed: ClosedPort,
}

impl Site {
    /// Returns a site without files, on servers with this certificate.
    pub(crate) async fn secured_by(tls: Tls) -> Self {
        Self {
            http: HttpServer::start().await,
            https: HttpServer::start_tls(tls).await,
            ftp: FtpServer::start().await,
            closed: closed_port(),
        }
    }

    /// Returns a site without faults.
    pub(crate) async fn good() -> Self {
        let site = Self::secured_by(Tls::named(NAMES)).await;
        site.http.serve(ANY, ANY, Reply::ok(ROBOTS));
        site.https.serve(ANY, ANY, Reply::ok(ROBOTS));
        site.ftp.serve("/robots.txt", Reply::raw(ROBOTS));
        site
    }

    /// Returns the record of an origin of this site, fetched at the start.
    pub(crate) async fn record(&self, origin: &str) -> StoredRecord {
        let client = Stage::new(Policy::STANDARD, self).client().build().expect("options that work");
        let record = client.robots(origin).await.expect("an origin").record().clone();
        assert!(record.copy.is_some(), "{:?}", record.last);
        record
    }

    /// Returns the number of HTTP requests.
    pub(crate) fn requests(&self) -> usize {
        self.http.requests().len() + self.https.requests().len()
    }
}

/// A resolver that resolves names to the servers of a site, with exceptions.
#[derive(Debug)]
pub(crate) struct Names(Mutex<Leads>);

#[derive(Debug)]
struct Leads {
    http: SocketAddr,
    https: SocketAddr,
    ftp: SocketAddr,
    others: HashMap<String, Place>,
}

/// The result of resolving a name that does not lead to the site.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    At(SocketAddr),
    NoAddress,
    Failed,
    Silent,
}

impl Names {
    pub(crate) fn of(site: &Site) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Leads::to(site))))
    }

    /// Resolves names to this site from now on, with exceptions.
    pub(crate) fn lead_to(&self, site: &Site, others: HashMap<String, Place>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Leads { others, ..Leads::to(site) };
    }
}

impl Leads {
    fn to(site: &Site) -> Self {
        let (http, https, ftp) = (site.http.addr(), site.https.addr(), site.ftp.addr());
        Self { http, https, ftp, others: HashMap::new() }
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a> {
        let leads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = leads.others.get(host).copied().unwrap_or(Place::At(match port {
            21 => leads.ftp,
            443 => leads.https,
            _ => leads.http,
        }));
        Box::pin(async move {
            match place {
                Place::At(address) => Ok(vec![address]),
                Place::NoAddress => Err(ResolveError::no_address()),
                Place::Failed => Err(ResolveError::failed("nobody knows")),
                Place::Silent => std::future::pending().await,
            }
        })
    }
}

/// Clients that share a clock, a store and a resolver.
pub(crate) struct Stage {
    pub(crate) clock: Clock,
    pub(crate) names: Arc<Names>,
    pub(crate) policy: Policy,
    pub(crate) connector: Arc<Loopback>,
    store: Arc<dyn Store>,
}

impl Stage {
    pub(crate) fn new(policy: Policy, site: &Site) -> Self {
        let clock = Clock::set_to(START);
        let store = Arc::new(MemoryStore::new(8 << 20).with_clock(clock.clone()));
        Self { clock, names: Names::of(site), policy, connector: Arc::default(), store }
    }

    /// Advances the clock to this time.
    pub(crate) fn pass_until(&self, then: Time) {
        self.clock.advance(then.since(self.clock.now()));
    }

    /// Advances the clock to just before this time.
    pub(crate) fn pass_until_before(&self, then: Time) {
        self.pass_until(Time::from_unix_millis(then.as_unix_millis() - 1));
    }

    /// Stores the state of this record, for this origin.
    pub(crate) async fn remember(&self, origin: &str, record: &StoredRecord) {
        let mut record = record.clone();
        origin.clone_into(&mut record.origin);
        // It was saved at its time, so the store must not measure its span from now.
        record.fresh_for = None;
        self.store.complete(&record, None).await.expect("memory takes everything");
    }

    /// Returns what is stored of an origin.
    pub(crate) async fn stored(&self, origin: &str) -> Option<StoredRecord> {
        let stored = self.store.load(&Origin::of(origin).expect("an origin")).await;
        stored.expect("memory can be read").map(|stored| stored.record)
    }

    /// Returns a client that may only connect to loopback.
    pub(crate) fn client(&self) -> ClientBuilder {
        self.client_within(None)
    }

    /// Returns such a client with a timeout for each step of an exchange.
    pub(crate) fn client_within(&self, patience: Option<Duration>) -> ClientBuilder {
        let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
            .addresses("127.0.0.0/8".parse().expect("a range"))
            .clock(self.clock.clone())
            .store(self.store.clone())
            .policy(self.policy)
            .seed(7);
        via::equip(client, self, patience)
    }
}

/// The extent of what may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// As the good site's rules allow.
    ByRules,
    All,
    Nothing,
}

/// Checks URLs that the good site's rules allow and disallow, and returns the extent.
#[track_caller]
pub(crate) fn allowed(site: &SiteRobots) -> Allowed {
    let ask = |path: &str| -> Decision {
        let url = format!("{}{path}", site.origin());
        site.check(BOT, &url)
    };
    // RFC 9309 §2.2.2: the robots.txt itself is always allowed.
    assert!(ask("/robots.txt").is_allowed());
    let answers = [ask("/private/"), ask("/public/")].map(|decision| decision.answer());
    match answers {
        [Answer::Disallowed, Answer::Allowed] => Allowed::ByRules,
        [Answer::Allowed, Answer::Allowed] => Allowed::All,
        [Answer::Disallowed, Answer::Disallowed] => Allowed::Nothing,
        other => panic!("no policy makes that of the rules: {other:?}"),
    }
}

/// Returns the extent while a file has been unreachable for less than 12 hours.
pub(crate) fn while_unreachable(policy: &Policy, with_copy: bool) -> Allowed {
    match policy.name {
        "archive" => Allowed::All,
        "standard" | "rfc9309" if with_copy => Allowed::ByRules,
        "standard" | "rfc9309" | "google" | "google-2019" | "strict" => Allowed::Nothing,
        other => panic!("what does `{other}` make of it?"),
    }
}

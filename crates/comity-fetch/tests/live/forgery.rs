//! Sites that lead the client to addresses that only it can reach (server-side request forgery). No such attempt opens
//! a connection, or allows anything.
//!
//! Nothing here leaves loopback: all reachable addresses are servers of the test, or traps.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use comity_fetch::{Addresses, Client, ClientBuilder, Event, Failure, Fixed, Policy, Resolve, Resolving, SiteRobots};
use comity_testserver::{ANY, HttpServer, Reply, Trap};
use serde::Deserialize;
use url::Url;

use crate::loopback::Loopback;
use crate::stage::{Allowed, allowed};
use crate::{BOT, ROBOTS};

/// The part of `addresses.toml` that is used here.
#[derive(Deserialize)]
struct Data {
    range: Vec<Range>,
    embedded: Vec<Embedded>,
    spelling: Vec<Spelling>,
}

#[derive(Deserialize)]
struct Range {
    inside: Vec<IpAddr>,
}

#[derive(Deserialize)]
struct Embedded {
    private: Vec<IpAddr>,
}

#[derive(Deserialize)]
struct Spelling {
    is: IpAddr,
    hosts: Vec<String>,
}

fn data() -> Data {
    toml::from_str(include_str!("../../testdata/addresses.toml")).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns all addresses that must not be connected to. They are first checked without a connection: a gap in the list
/// shows here, before a request is sent.
fn closed() -> Vec<IpAddr> {
    let data = data();
    let ranges = data.range.into_iter().flat_map(|range| range.inside);
    let closed: Vec<_> = ranges.chain(data.embedded.into_iter().flat_map(|embedded| embedded.private)).collect();
    assert!(closed.len() > 80, "{} addresses", closed.len());
    for address in &closed {
        assert!(Addresses::Public.check(*address).is_err(), "{address} is not closed");
    }
    closed
}

/// Names that resolve to certain addresses; all others resolve to the server.
#[derive(Debug)]
struct Names {
    server: SocketAddr,
    others: Mutex<HashMap<String, Vec<SocketAddr>>>,
}

impl Names {
    fn of(server: &HttpServer) -> Arc<Self> {
        Arc::new(Self { server: server.addr(), others: Mutex::default() })
    }

    fn lead(&self, name: &str, to: impl IntoIterator<Item = SocketAddr>) {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.insert(name.to_owned(), to.into_iter().collect());
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str, _: u16) -> Resolving<'a> {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let found = others.get(host.trim_end_matches('.')).cloned().unwrap_or_else(|| vec![self.server]);
        Box::pin(std::future::ready(Ok(found)))
    }
}

fn builder(names: Arc<dyn Resolve>) -> ClientBuilder {
    let quick = Duration::from_secs(2);
    Client::builder("TestBot/1.0 (+https://bot.test/)")
        .resolver(names)
        // Connections that it blocks fail as connections, and not as refusals.
        .connector(Arc::new(Loopback::default()))
        .connect_timeout(quick)
        .stall_timeout(quick)
}

fn only(range: &str) -> Addresses {
    range.parse().expect("a range")
}

fn host(address: IpAddr) -> String {
    if address.is_ipv6() { format!("[{address}]") } else { address.to_string() }
}

/// Checks that a fetch was refused for this reason, and that nothing is allowed.
#[track_caller]
fn is_refused(site: &SiteRobots, because: &str) {
    let attempt = site.attempt().expect("an attempt");
    assert_eq!(site.ruling().event, Event::Failed(Failure::Refused), "{attempt:?}");
    let detail = attempt.detail.as_deref().unwrap_or_default();
    assert!(detail.contains(because), "`{because}` was expected, not `{detail}`");
    assert_eq!(site.exchanges().last().and_then(|step| step.peer), None, "nobody answered");
    assert_eq!(allowed(site), Allowed::Nothing);
}

/// A policy that treats failures as permission does not treat this as one.
const GULLIBLE: Policy = Policy::ARCHIVE;

#[tokio::test]
async fn no_number_is_a_way_in() {
    let server = HttpServer::start().await;
    let client = builder(Names::of(&server)).policy(GULLIBLE).build().unwrap();
    for address in closed() {
        for url in [format!("http://{}/", host(address)), format!("https://{}:8443/", host(address))] {
            let site = client.robots(&url).await.unwrap();
            is_refused(&site, "is not a public address");
        }
    }
    assert_eq!((server.connections(), client.stats().fail_open_total), (0, 0));
}

#[tokio::test]
async fn no_name_is_a_way_in() {
    let server = HttpServer::start().await;
    let names = Names::of(&server);
    let client = builder(names.clone()).policy(GULLIBLE).build().unwrap();
    for (n, address) in closed().into_iter().enumerate() {
        let name = format!("innocent-{n}.test");
        names.lead(&name, [SocketAddr::new(address, 80)]);
        let site = client.robots(&format!("http://{name}/")).await.unwrap();
        is_refused(&site, &format!("{address} is not a public address"));
    }
    assert_eq!((server.connections(), client.stats().fail_open_total), (0, 0));
}

#[tokio::test]
async fn no_redirect_is_a_way_in() {
    let server = HttpServer::start().await;
    let names = Names::of(&server);
    // Its address is not public, but it was typed: so its redirects are limited to public addresses.
    let typed: Url = "http://typed.test:8080/".parse().unwrap();
    let client = builder(names.clone()).policy(GULLIBLE).trust(&typed).build().unwrap();
    for (n, address) in closed().into_iter().enumerate() {
        let name = format!("innocent-{n}.test");
        // On any port of the redirect.
        names.lead(&name, [SocketAddr::new(address, 80)]);
        for host in [host(address), name] {
            for target in [format!("http://{host}/x"), format!("https://{host}/x"), format!("//{host}:8080/x")] {
                server.serve("typed.test", "/robots.txt", Reply::redirect(302, &target));
                let site = client.fetch(typed.as_str()).await.unwrap();
                assert_eq!(site.exchanges().len(), 2, "{target}");
                is_refused(&site, &format!("{address} is not a public address"));
            }
        }
    }
    assert_eq!(server.count(ANY, "/x"), 0);
    assert_eq!(client.stats().fail_open_total, 0);
}

#[tokio::test]
async fn no_spelling_is_a_way_in() {
    let server = HttpServer::start().await;
    // Without IPv6, these addresses are unreachable in any case.
    let traps = [Ok(Trap::set()), Trap::set_at((Ipv6Addr::LOCALHOST, 0))];
    let names = Names::of(&server);
    let closed = builder(names.clone()).policy(GULLIBLE).build().unwrap();
    for trap in traps.into_iter().flatten() {
        let port = trap.addr().port();
        let typed: Url = format!("http://typed.test:{port}/").parse().unwrap();
        let redirected = builder(names.clone()).policy(GULLIBLE).trust(&typed).build().unwrap();
        for spelling in data().spelling {
            for host in spelling.hosts {
                let site = closed.fetch(&format!("http://{host}:{port}/")).await.unwrap();
                is_refused(&site, &format!("{} is not a public address", spelling.is));
                // A user in a redirect is refused before the host is checked.
                if host.contains('@') {
                    continue;
                }
                // The port is the origin's own, so that only the address is a reason to refuse.
                for target in [format!("http://{host}:{port}/x"), format!(r"\\{host}:{port}/x")] {
                    server.serve("typed.test", "/robots.txt", Reply::redirect(307, &target));
                    let site = redirected.fetch(typed.as_str()).await.unwrap();
                    is_refused(&site, &format!("{} is not a public address", spelling.is));
                }
            }
        }
        assert_eq!(trap.connections(), 0);
        assert_eq!(redirected.stats().fail_open_total, 0);
    }
    assert_eq!(closed.stats().fail_open_total, 0);
    assert_eq!(server.count(ANY, "/x"), 0);
}

#[tokio::test]
async fn host_that_no_url_can_have_reaches_nothing() {
    let trap = Trap::set();
    let port = trap.addr().port();
    let server = HttpServer::start().await;
    let client = builder(Names::of(&server)).policy(GULLIBLE).build().unwrap();
    for host in [
        "127.0.0.0x100",
        "1.2.3.256",
        "127.0.0.1.1",
        "[::1%25lo]",
        "[::ffff:127.0.0.256]",
        "127.0.0.1 ",
        "",
        "%00127.0.0.1",
    ] {
        let error = client.check(BOT, &format!("http://{host}:{port}/")).await.map(|decision| decision.answer());
        assert!(error.is_err(), "{host}: {error:?}");
    }
    assert_eq!((trap.connections(), server.connections()), (0, 0));
}

#[tokio::test]
async fn a_resolver_that_changes_its_mind_is_no_way_in() {
    let server = HttpServer::start_at(([127, 0, 0, 2], 0)).await.unwrap();
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    server.serve(ANY, "/robots.txt", Reply::redirect(302, "/again"));
    server.serve("direct.test", "/robots.txt", Reply::ok(ROBOTS));
    let trap = Trap::set();
    let (good, bad) = (vec![server.addr()], vec![trap.addr()]);
    let client = |answers: Vec<Vec<SocketAddr>>| {
        let resolver = Arc::new(Fixed::in_turn(answers.into_iter().map(Ok)));
        (builder(resolver.clone()).addresses(only("127.0.0.2/32")).policy(GULLIBLE).build().unwrap(), resolver)
    };
    // The name resolves to the server first, then to a forbidden address: during one fetch, and between two.
    let (changed, resolver) = client(vec![good.clone(), bad.clone()]);
    is_refused(&changed.fetch("http://a.test/").await.unwrap(), "127.0.0.1 is not in the list");
    assert_eq!(resolver.calls(), 2);
    is_refused(&changed.fetch("http://a.test/").await.unwrap(), "127.0.0.1 is not in the list");
    let (changed, _) = client(vec![good.clone(), bad.clone()]);
    assert_eq!(allowed(&changed.fetch("http://direct.test/").await.unwrap()), Allowed::ByRules);
    let site = changed.fetch("http://direct.test/").await.unwrap();
    assert_eq!(site.ruling().event, Event::Failed(Failure::Refused));
    assert_eq!(allowed(&site), Allowed::ByRules, "by the last good copy");
    // The name is resolved once per connection: the checked address is the one that is connected to.
    let (once, resolver) = client(vec![good.clone(), bad.clone(), good.clone()]);
    assert_eq!(allowed(&once.fetch("http://direct.test/").await.unwrap()), Allowed::ByRules);
    assert_eq!(resolver.calls(), 1);
    // Good and bad addresses at once: the bad one is not connected to, even if the good one does not answer.
    for mixed in [[trap.addr(), server.addr()], [server.addr(), trap.addr()]] {
        let (both, _) = client(vec![mixed.to_vec()]);
        let site = both.fetch("http://direct.test/").await.unwrap();
        assert_eq!(site.exchanges()[0].peer, Some(server.addr()));
        assert_eq!(allowed(&site), Allowed::ByRules);
    }
    let address = server.addr();
    drop(server);
    for mixed in [[trap.addr(), address], [address, trap.addr()]] {
        let (both, _) = client(vec![mixed.to_vec()]);
        let site = both.fetch("http://direct.test/").await.unwrap();
        assert_eq!(site.ruling().event, Event::Failed(Failure::Connect));
    }
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn only_typed_urls_are_trusted() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let other = HttpServer::start().await;
    other.serve(ANY, ANY, Reply::ok(ROBOTS));
    let (trap, elsewhere) = (Trap::set(), Trap::set_at(([127, 0, 0, 3], 0)).unwrap());
    let typed: Url = server.url("/page").parse().unwrap();
    let names = Names::of(&server);
    // A new client each time, without a copy to fall back to.
    let leads_to = async |trusted: &[&Url], target: &str| {
        server.serve(ANY, "/robots.txt", Reply::redirect(301, target));
        let client = trusted.iter().fold(builder(names.clone()).policy(GULLIBLE), |builder, url| builder.trust(url));
        let client = client.build().unwrap();
        client.robots(trusted[0].as_str()).await.unwrap()
    };
    let client = builder(names.clone()).policy(GULLIBLE).trust(&typed).build().unwrap();
    assert_eq!(allowed(&client.robots(typed.as_str()).await.unwrap()), Allowed::ByRules);
    for target in [server.url("/x"), "/x".to_owned()] {
        let site = leads_to(&[&typed], &target).await;
        assert_eq!(allowed(&site), Allowed::ByRules, "{target}");
    }
    for (target, because) in [
        (format!("http://{}/x", trap.addr()), "redirects may lead to the ports 80 and 443"),
        (other.url("/x"), "redirects may lead to the ports 80 and 443"),
        (format!("http://{}/x", elsewhere.addr()), "redirects may lead to the ports 80 and 443"),
        (format!("http://127.0.0.3:{}/x", server.addr().port()), "127.0.0.3 is not a public address"),
        (server.url_of("localhost", "/x"), "127.0.0.1 is not a public address"),
        (server.url_of("b.test", "/x"), "127.0.0.1 is not a public address"),
        ("http://192.168.0.1/".to_owned(), "192.168.0.1 is not a public address"),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), "169.254.169.254 is not a public address"),
    ] {
        let site = leads_to(&[&typed], &target).await;
        is_refused(&site, because);
    }
    // Two typed hosts share one name, and one may redirect to the port of the other.
    let site = leads_to(&[&typed, &other.url("/").parse().unwrap()], &other.url("/x")).await;
    assert_eq!((allowed(&site), other.count(ANY, "/x")), (Allowed::ByRules, 1));

    // A host is also trusted on the standard ports of the web.
    let by_name: Url = "http://typed.test:8080/".parse().unwrap();
    for target in ["http://typed.test/x", "http://typed.test:443/x"] {
        let site = leads_to(&[&by_name], target).await;
        assert_eq!(allowed(&site), Allowed::ByRules, "{target}");
    }
    let site = leads_to(&[&by_name], "http://typed.test:8081/x").await;
    is_refused(&site, "redirects may lead to the ports 80 and 443");
    assert_eq!((trap.connections(), elsewhere.connections()), (0, 0));
}

#[tokio::test]
async fn contents_of_files_are_not_trusted() {
    let server = HttpServer::start_at(([127, 0, 0, 2], 0)).await.unwrap();
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let trap = Trap::set();
    let typed: Url = server.url("/").parse().unwrap();
    let typed_trap: Url = format!("http://{}/", trap.addr()).parse().unwrap();
    let names = Names::of(&server);
    let client = builder(names.clone()).policy(GULLIBLE).trust(&typed).build().unwrap();
    let _ = client.robots(typed.as_str()).await.unwrap();
    let before = server.connections();
    // Other ports, other addresses, other names for the same address.
    for url in [
        format!("http://{}/", trap.addr()),
        format!("http://localhost:{}/", trap.addr().port()),
        format!("http://127.0.0.2:{}/", trap.addr().port()),
        "http://127.0.0.2/".to_owned(),
        format!("https://127.0.0.2:{}/", trap.addr().port()),
        "http://a.test/".to_owned(),
        "http://10.0.0.1/".to_owned(),
    ] {
        is_refused(&client.robots(&url).await.unwrap(), "is not a public address");
    }
    assert_eq!(server.connections(), before);
    // Such URLs do not get there by a redirect to a typed host either: they do not share its trust.
    let client = builder(names).addresses(only("127.0.0.2/32")).policy(GULLIBLE).trust(&typed_trap).build().unwrap();
    let port = trap.addr().port();
    server.serve(ANY, "/robots.txt", Reply::redirect(302, typed_trap.as_str()));
    let site = client.robots(&format!("http://from-file.test:{port}/")).await.unwrap();
    is_refused(&site, "127.0.0.1 is not in the list");
    assert_eq!(trap.connections(), 0);
}

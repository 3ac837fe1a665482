//! The addresses that may be connected to (SSRF), by name, by number, on the first hop and on redirects.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use comity_fetch::transport::{Options, TransportError};
use comity_fetch::{Addresses, Fixed, Trust, is_public, special};
use comity_policy::Failure;
use comity_testserver::{ANY, HttpServer, Reply, Trap};
use serde::Deserialize;
use url::Url;

use crate::loopback::Loopback;
use crate::{ROBOTS, SILENCE, any, hurried, is, options, options_with, redirected, request, sender};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    range: Vec<Known>,
    embedded: Vec<Embedded>,
    spelling: Vec<Spelling>,
    public: Public,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Public {
    addresses: Vec<IpAddr>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    range: String,
    purpose: String,
    inside: Vec<IpAddr>,
    outside: Vec<IpAddr>,
    #[serde(default)]
    beside: Vec<Beside>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Beside {
    address: IpAddr,
    is: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Embedded {
    what: String,
    private: Vec<IpAddr>,
    public: Vec<IpAddr>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spelling {
    is: IpAddr,
    hosts: Vec<String>,
}

fn data() -> Data {
    toml::from_str(include_str!("../../testdata/addresses.toml")).expect("data as described")
}

/// Returns all addresses of the data that must not be connected to.
fn refused() -> Vec<IpAddr> {
    let data = data();
    let ranges = data.range.into_iter().flat_map(|range| {
        let beside = range.beside.into_iter().map(|beside| beside.address);
        range.inside.into_iter().chain(beside).collect::<Vec<_>>()
    });
    ranges.chain(data.embedded.into_iter().flat_map(|embedded| embedded.private)).collect()
}

#[test]
fn ranges_end_where_they_end() {
    for range in data().range {
        for address in range.inside {
            let special = special(address).unwrap_or_else(|| panic!("{address} is public"));
            assert_eq!((special.range().to_string(), special.purpose()), (range.range.clone(), range.purpose.as_str()));
            assert!(!is_public(address));
        }
        for address in range.outside {
            assert_eq!(special(address), None, "{address}");
        }
        for beside in range.beside {
            assert_eq!(special(beside.address).map(|special| special.purpose()), Some(beside.is.as_str()));
        }
    }
}

#[test]
fn public_addresses_are_public() {
    let addresses = data().public.addresses;
    assert!(addresses.iter().any(IpAddr::is_ipv4) && addresses.iter().any(IpAddr::is_ipv6));
    for address in addresses {
        assert!(is_public(address), "{address}");
        assert_eq!(special(address), None, "{address}");
        assert_eq!(Addresses::Public.check(address), Ok(()), "{address}");
    }
}

#[test]
fn embedded_addresses_decide() {
    for embedded in data().embedded {
        for address in embedded.private {
            let special = special(address).unwrap_or_else(|| panic!("{address} is public: {}", embedded.what));
            assert!(special.to_string().starts_with("leads to "), "{special}");
        }
        for address in embedded.public {
            assert_eq!(special(address), None, "{address}: {}", embedded.what);
        }
    }
}

#[test]
fn lists_of_addresses() {
    let parse = |text: &str| text.parse::<Addresses>();
    assert_eq!(parse("public"), Ok(Addresses::Public));
    assert_eq!(parse(" any "), Ok(Addresses::Any));
    let list = parse("10.0.0.1/8, 192.168.7.1,fd00::/8,::1").expect("a list");
    assert_eq!(list.to_string(), "10.0.0.0/8,192.168.7.1/32,fd00::/8,::1/128");
    for (address, is) in [
        ("10.255.0.1", true),
        ("11.0.0.1", false),
        ("192.168.7.1", true),
        ("192.168.7.2", false),
        ("8.8.8.8", false),
        ("::ffff:10.0.0.1", true),
        ("::1", true),
        ("fd12::1", true),
        ("fe80::1", false),
    ] {
        let address: IpAddr = address.parse().expect("an address");
        assert_eq!(list.check(address).is_ok(), is, "{address}");
    }
    let refused = list.check([8, 8, 8, 8].into()).expect_err("not in the list");
    assert_eq!(refused.to_string(), "8.8.8.8 is not in the list of addresses that are allowed");
    for wrong in
        ["", "private", "10.0.0.0/33", "10.0.0.0/8,", "10.0.0.0/8 fd00::/8", "example.com", "10.0.0", "public,any"]
    {
        let error = parse(wrong).expect_err(wrong);
        assert!(error.to_string().starts_with("expected `public`, `any`, or a list"), "{error}");
    }
}

/// Returns options that allow public addresses, and a connector that counts the connections.
fn public(resolver: Fixed) -> (Options, Arc<Loopback>) {
    let connector = Arc::new(Loopback::default());
    let mut options = options_with(resolver);
    options.addresses = Addresses::Public;
    options.builtin.connector = Some(connector.clone());
    (options, connector)
}

/// Returns the results of a request to a host at this address, directly and after a redirect, with public addresses
/// allowed; and the addresses that would have been connected to.
async fn both_ways(host: &str, resolver: impl Fn() -> Fixed) -> ([TransportError; 2], Vec<SocketAddr>) {
    let (options, connector) = public(resolver());
    let sender = sender(options);
    let (first, origin) = request(&format!("http://{host}/"));
    let first = sender.send(&first, &origin).await.expect_err("refused");
    let (second, origin) = redirected("http://public.test/", &format!("http://{host}/robots.txt"));
    let second = sender.send(&second, &origin).await.expect_err("refused");
    ([first, second], connector.asked())
}

fn host_of(address: IpAddr) -> String {
    if address.is_ipv6() { format!("[{address}]") } else { address.to_string() }
}

#[tokio::test]
async fn no_name_leads_to_them() {
    for address in refused() {
        let at = SocketAddr::new(address, 80);
        let (problems, asked) = both_ways("evil.test", || Fixed::new([at])).await;
        assert!(asked.is_empty(), "connected to {asked:?}");
        for problem in problems {
            is(&problem, Failure::Refused, &format!("{address} is not a public address ("));
        }
    }
}

#[tokio::test]
async fn no_number_leads_to_them() {
    for address in refused() {
        let (problems, asked) = both_ways(&host_of(address), || Fixed::new([])).await;
        assert!(asked.is_empty(), "connected to {asked:?}");
        for problem in problems {
            is(&problem, Failure::Refused, &format!("{address} is not a public address ("));
        }
    }
}

/// Checks the same for public addresses: the connector is called, by name and by number.
#[tokio::test]
async fn names_and_numbers_lead_to_public_addresses() {
    let data = data();
    let outside = data.range.into_iter().flat_map(|range| range.outside);
    let embedded = data.embedded.into_iter().flat_map(|embedded| embedded.public);
    for address in data.public.addresses.into_iter().chain(outside).chain(embedded) {
        let at = SocketAddr::new(address, 80);
        for (host, resolver) in [("a.test".to_owned(), vec![at]), (host_of(address), vec![])] {
            let (problems, asked) = both_ways(&host, || Fixed::new(resolver.clone())).await;
            assert_eq!(asked, [at, at], "{host}");
            assert!(problems.iter().all(|problem| problem.failure == Failure::Connect), "{problems:?}");
        }
    }
}

#[tokio::test]
async fn all_spellings_of_refused_addresses() {
    for spelling in data().spelling {
        for host in spelling.hosts {
            let url = Url::parse(&format!("http://{host}/")).unwrap_or_else(|e| panic!("{host}: {e}"));
            let parsed = match url.host() {
                Some(url::Host::Ipv4(address)) => IpAddr::from(address),
                Some(url::Host::Ipv6(address)) => IpAddr::from(address),
                other => panic!("{host} is not a number but {other:?}"),
            };
            assert_eq!(parsed, spelling.is, "{host}");
            let (options, connector) = public(Fixed::new([]));
            let sender = sender(options);
            let (first, origin) = request(&format!("http://{host}/"));
            let problem = sender.send(&first, &origin).await.expect_err("refused");
            is(&problem, Failure::Refused, &format!("{} is not a public address (", spelling.is));
            // The policy does not follow redirects with a user in them.
            let host = host.rsplit('@').next().unwrap_or_default();
            let (second, origin) = redirected("http://public.test/", &format!("//{host}/robots.txt"));
            let problem = sender.send(&second, &origin).await.expect_err("refused");
            is(&problem, Failure::Refused, &format!("{} is not a public address (", spelling.is));
            assert!(connector.asked().is_empty(), "{host}: {:?}", connector.asked());
        }
    }
}

#[tokio::test]
async fn refused_address_is_not_connected_to() {
    // On ports that a redirect may lead to, so that only the address is a reason to refuse.
    let trap = Trap::set();
    let port = trap.addr().port();
    let literal = format!("http://127.0.0.1:{port}/");
    let mut options = options_with(Fixed::new([trap.addr()]));
    options.addresses = Addresses::Public;
    let closed = sender(options.clone());
    for url in [literal.as_str(), &format!("http://[::ffff:127.0.0.1]:{port}/"), &format!("http://evil.test:{port}/")] {
        let (request, origin) = request(url);
        is(&closed.send(&request, &origin).await.expect_err("refused"), Failure::Refused, "127.0.0.1");
        let (request, origin) = redirected(&format!("http://public.test:{port}/"), &format!("{url}robots.txt"));
        is(&closed.send(&request, &origin).await.expect_err("refused"), Failure::Refused, "127.0.0.1");
    }
    assert_eq!(trap.connections(), 0);
    // The trap works.
    options.addresses = any();
    let (request, origin) = request(&literal);
    sender(hurried(options, SILENCE)).send(&request, &origin).await.expect_err("it says nothing");
    assert_eq!(trap.connections(), 1);
}

#[tokio::test]
async fn one_private_address_is_left_out() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let trap = Trap::set_at(([127, 0, 0, 2], 0)).expect("a port");
    for found in [[trap.addr(), server.addr()], [server.addr(), trap.addr()]] {
        let mut options = options_with(Fixed::new(found));
        options.addresses = "127.0.0.1".parse().expect("an address");
        let (_, body) = crate::fetch(options, "http://a.test/").await.expect("a file");
        assert_eq!(body, ROBOTS.as_bytes());
    }
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn a_resolver_that_changes_its_answer() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let trap = Trap::set_at(([127, 0, 0, 2], 0)).expect("a port");
    let resolver = std::sync::Arc::new(Fixed::in_turn([Ok(vec![server.addr()]), Ok(vec![trap.addr()])]));
    let mut options = options_with(Fixed::new([]));
    options.builtin.resolver = Some(resolver.clone());
    options.addresses = "127.0.0.1".parse().expect("an address");
    let sender = sender(options);
    let (first, origin) = request("http://a.test/");
    sender.send(&first, &origin).await.expect("an answer");
    assert_eq!(resolver.calls(), 1, "what was found is what is connected to");
    // The next fetch and a redirect to the same host both resolve and check the name again.
    let problem = sender.send(&first, &origin).await.expect_err("refused");
    is(&problem, Failure::Refused, "127.0.0.2 is not in the list");
    let (second, origin) = redirected("http://a.test/", "http://a.test/other");
    is(&sender.send(&second, &origin).await.expect_err("refused"), Failure::Refused, "127.0.0.2");
    assert_eq!(resolver.calls(), 3);
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn ports_of_other_servers() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let sender = sender(options(server.addr()));
    for (port, what) in
        [(22, "SSH"), (25, "mail"), (6379, "Redis"), (11211, "memcached"), (5432, "PostgreSQL"), (21, "FTP")]
    {
        let (request, origin) = request(&format!("http://a.test:{port}/"));
        let problem = sender.send(&request, &origin).await.expect_err("refused");
        is(&problem, Failure::Refused, &format!("port {port} is not for web servers ({what})"));
    }
    for port in [80, 443, 8080, 8443, 3000, 65535] {
        let (request, origin) = request(&format!("http://a.test:{port}/"));
        // An explicit port is the URL's; here it would lead elsewhere, had the resolver not set one.
        sender.send(&request, &origin).await.expect("an answer");
    }
}

#[tokio::test]
async fn ports_of_redirects() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let mut options = options(server.addr());
    let ask = async |options: &comity_fetch::transport::Options, from: &str, to: &str| {
        let (request, origin) = redirected(from, to);
        sender(options.clone()).send(&request, &origin).await
    };
    for to in ["http://b.test/x", "http://b.test:8080/x", "http://a.test:8080/x", "http://b.test:443/x"] {
        ask(&options, "http://a.test:8080/", to).await.expect("an answer");
    }
    let problem = ask(&options, "http://a.test/", "http://a.test:8080/x").await.expect_err("refused");
    is(&problem, Failure::Refused, "redirects may lead to the ports 80 and 443 and to the first URL's, not to 8080");
    options.addresses = any();
    ask(&options, "http://a.test/", "http://a.test:8080/x").await.expect("an answer");
    let problem = ask(&options, "http://a.test/", "http://a.test:6379/x").await.expect_err("refused");
    is(&problem, Failure::Refused, "port 6379");
}

#[tokio::test]
async fn trust_is_for_the_typed_host_alone() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let mut options = options(server.addr());
    options.addresses = Addresses::Public;
    let mut trust = Trust::default();
    for typed in ["http://Typed.test:8080/page", "http://also.test:22/", "https://typed.test/", "mailto:a@b.test"] {
        trust.add(&Url::parse(typed).expect("a URL"));
    }
    options.trust = trust;
    let sender = sender(options);
    let first = async |url: &str| {
        let (request, origin) = request(url);
        sender.send(&request, &origin).await
    };
    first("http://typed.test:8080/other").await.expect("typed");
    first("http://typed.test.:8080/").await.expect("the same host");
    first("http://also.test:22/").await.expect("typed, and nobody knows better what listens there");
    // Typed, but not on this port: the origin is not a typed one.
    for url in ["http://typed.test/", "http://typed.test:8081/", "http://x.typed.test:8080/", "http://also.test/"] {
        is(&first(url).await.expect_err("refused"), Failure::Refused, "127.0.0.1 is not a public address");
    }
    is(&first("http://other.test:22/").await.expect_err("refused"), Failure::Refused, "port 22");
    let then = async |from: &str, to: &str| {
        let (request, origin) = redirected(from, to);
        sender.send(&request, &origin).await
    };
    for to in
        ["http://typed.test/x", "http://typed.test:443/x", "http://typed.test:8080/x", "/x", "http://typed.test./x"]
    {
        then("http://typed.test:8080/", to).await.expect("the host itself, on its ports");
    }
    for to in ["http://other.test/x", "http://also.test/x", "http://127.0.0.1/x", "http://10.0.0.1/x"] {
        is(
            &then("http://typed.test:8080/", to).await.expect_err("refused"),
            Failure::Refused,
            "is not a public address",
        );
    }
    is(
        &then("http://typed.test:8080/", "http://typed.test:9090/x").await.expect_err("refused"),
        Failure::Refused,
        "9090",
    );
    is(
        &then("http://typed.test:8080/", "http://typed.test:6379/x").await.expect_err("refused"),
        Failure::Refused,
        "6379",
    );
    // Another site must not redirect there.
    for from in ["http://public.test/", "http://also.test:22/", "http://public.test:8080/"] {
        for to in ["http://typed.test/x", "https://typed.test/x"] {
            is(&then(from, to).await.expect_err("refused"), Failure::Refused, "127.0.0.1 is not a public address");
        }
    }
}

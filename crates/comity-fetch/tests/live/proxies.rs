//! Proxies that answer in the site's place, from `testdata/proxies.toml`: a proxy's refusal is never the site's
//! permission.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use comity_fetch::{Access, Event, Policy};
use comity_testserver::{ANY, Reply};
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

use crate::ROBOTS;
use crate::stage::{Allowed, Site, Stage, allowed, while_unreachable};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    row: Vec<Row>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    name: String,
    #[serde(default = "http")]
    site: String,
    connect: String,
    forward: Option<String>,
    #[serde(default)]
    fields: Vec<String>,
    #[serde(default = "ok")]
    site_status: u16,
    event: Event,
    detail: Option<String>,
    is: Is,
    #[serde(default)]
    but: BTreeMap<String, Is>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Is {
    Rules,
    Allow,
    Disallow,
    Unreachable,
}

fn http() -> String {
    "http".to_owned()
}

fn ok() -> u16 {
    200
}

/// A proxy that behaves as a row describes, for one site.
struct Proxy {
    addr: SocketAddr,
    listening: AbortHandle,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Proxy {
    async fn start(row: Arc<Row>, site: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let listening = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let row = row.clone();
                // A client that closes the connection early is not an error here.
                connections.spawn(async move { serve(client, &row, site).await.unwrap_or_default() });
            }
        });
        Self { addr, listening: listening.abort_handle() }
    }
}

async fn head(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

async fn serve(mut client: TcpStream, row: &Row, site: SocketAddr) -> std::io::Result<()> {
    let request = head(&mut client).await?;
    let does = if request.starts_with("CONNECT ") {
        row.connect.as_str()
    } else {
        row.forward.as_deref().unwrap_or_else(|| panic!("{}: nothing may be forwarded", row.name))
    };
    let is_tunnel = does == "tunnel" || does.starts_with("HTTP/1.1 201");
    match does {
        "close" => {}
        "reset" => client.set_zero_linger()?,
        "pass" => {
            let path = request.split(' ').nth(1).and_then(|url| url.splitn(4, '/').nth(3)).expect("an absolute URL");
            let mut server = TcpStream::connect(site).await?;
            let sent = format!("GET /{path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
            server.write_all(sent.as_bytes()).await?;
            let answer = head(&mut server).await?;
            let (line, rest) = answer.split_once("\r\n").expect("a status line");
            let fields: String = row.fields.iter().map(|field| format!("{field}\r\n")).collect();
            client.write_all(format!("{line}\r\n{fields}{rest}").as_bytes()).await?;
            tokio::io::copy(&mut server, &mut client).await?;
        }
        _ if is_tunnel => {
            let line = if does == "tunnel" { "HTTP/1.1 200 Fine" } else { does };
            client.write_all(format!("{line}\r\n\r\n").as_bytes()).await?;
            let mut server = TcpStream::connect(site).await?;
            copy_bidirectional(&mut client, &mut server).await?;
        }
        bytes => {
            let mut bytes = bytes.replace('\n', "\r\n");
            if let Some(cut) = bytes.strip_suffix("...") {
                bytes.truncate(cut.len());
            } else if !bytes.contains("\r\n\r\n") {
                bytes += "\r\n\r\n";
            }
            client.write_all(bytes.as_bytes()).await?;
            client.shutdown().await?;
            let _ = client.read_to_end(&mut Vec::new()).await;
        }
    }
    Ok(())
}

/// Runs one proxy, under one policy.
async fn meet(row: Arc<Row>, policy: Policy, with_copy: bool) {
    let good = Site::good().await;
    let site = Site::good().await;
    let body = if row.site_status == 200 { ROBOTS } else { "" };
    let reply = Reply::status(row.site_status).body(body);
    let server = if row.site == "https" { &site.https } else { &site.http };
    server.serve(ANY, ANY, reply);
    let proxy = Proxy::start(row.clone(), server.addr()).await;

    let origin = format!("{}://a.test", row.site);
    let stage = Stage::new(policy, &good);
    if with_copy {
        let copy = good.record(&origin).await;
        stage.remember(&origin, &copy).await;
        stage.clock.advance(Duration::from_secs(24 * 60 * 60));
    }
    let client = stage.client().proxy(format!("http://{}", proxy.addr).parse().unwrap()).build().unwrap();
    let site = client.robots(&origin).await.unwrap();
    let (ruling, attempt) = (site.ruling(), site.attempt().unwrap());
    assert_eq!(ruling.event, row.event, "{attempt:?}");
    let detail = attempt.detail.as_deref().unwrap_or_default();
    assert!(detail.contains(row.detail.as_deref().unwrap_or_default()), "{detail}");
    let expected = match row.but.get(policy.name).copied().unwrap_or(row.is) {
        Is::Rules => (Access::Rules, Allowed::ByRules),
        Is::Allow => (Access::AllowAll, Allowed::All),
        Is::Disallow => (Access::DisallowAll, Allowed::Nothing),
        Is::Unreachable => match while_unreachable(&policy, with_copy) {
            Allowed::All => (Access::AllowAll, Allowed::All),
            Allowed::ByRules => (Access::Rules, Allowed::ByRules),
            Allowed::Nothing => (Access::DisallowAll, Allowed::Nothing),
        },
    };
    assert_eq!((ruling.access, allowed(&site)), expected, "{ruling}");
    assert_eq!(client.stats().fail_open_total, 0);
}

#[tokio::test]
async fn a_proxys_refusal_is_never_the_sites_permission() {
    let file: File = toml::from_str(include_str!("../../testdata/proxies.toml")).expect("data as described");
    assert!(file.row.len() >= 40, "{} rows", file.row.len());
    let mut runs = JoinSet::new();
    let mut titles = BTreeMap::new();
    for row in file.row.into_iter().map(Arc::new) {
        for policy in Policy::ALL {
            for with_copy in [false, true] {
                let task = runs.spawn(meet(row.clone(), *policy, with_copy));
                titles.insert(task.id(), format!("{} ({}, copy: {with_copy})", row.name, policy.name));
            }
        }
    }
    let mut failed = Vec::new();
    while let Some(ended) = runs.join_next_with_id().await {
        failed.extend(ended.err().map(|e| format!("{}: {e}", titles[&e.id()])));
    }
    assert!(failed.is_empty(), "{} of {} runs failed:\n{}", failed.len(), titles.len(), failed.join("\n"));
}

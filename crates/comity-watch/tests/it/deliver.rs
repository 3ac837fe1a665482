//! Delivery: each alert exactly once in a file, and at least once at a webhook.

use std::collections::HashSet;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use comity_fetch::{Client, Policy};
use comity_watch::{AlertKind, Delivery, WatchConfig};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use crate::watcher::{World, all};

pub(crate) fn delivery(text: &str, secret: Option<&str>) -> Delivery {
    #[derive(serde::Deserialize)]
    struct File {
        watch: WatchConfig,
    }
    let file: File = toml::from_str(text).unwrap();
    Delivery::new(file.watch.to[0].clone(), secret.map(|secret| secret.as_bytes().to_vec()))
}

/// A world in which sites have changed.
async fn changed(number: usize) -> (World, comity_watch::Watcher) {
    let world = World::new(number);
    let mut watcher = world.watcher().await;
    watcher.once().await.unwrap();
    for site in 0..number {
        world.set(site, "User-agent: *\nDisallow: /cart\nDisallow: /shop\n");
    }
    world.clock.advance(std::time::Duration::from_secs(2 * 3600));
    watcher.once().await.unwrap();
    (world, watcher)
}

fn numbers(text: &str) -> Vec<u64> {
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["number"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn a_file_gets_each_alert_once_wherever_it_was_cut() {
    let (world, watcher) = changed(5).await;
    let path = world.folder.join("alerts.jsonl");
    let file = delivery(&format!("[watch]\n[[watch.to]]\njsonl = {:?}\n", path.to_str().unwrap()), None);
    let (outbox, client) = (watcher.outbox(), world.client());
    assert_eq!(file.run(outbox, &client).await.unwrap(), 5);
    assert_eq!(file.run(outbox, &client).await.unwrap(), 0);
    let whole = std::fs::read(&path).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    assert_eq!(numbers(&text), [1, 2, 3, 4, 5]);
    assert_eq!(text.lines().count(), all(&watcher).await.len());
    // A program may have ended, or the disk may have been full, after any byte.
    let first_line = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for cut in (first_line..whole.len()).step_by(97).chain([whole.len() - 1]) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        file.run(outbox, &client).await.unwrap();
        assert!(std::fs::read(&path).unwrap() == whole, "cut after {cut} bytes");
    }
    // A rotated log continues.
    std::fs::rename(&path, path.with_extension("1")).unwrap();
    assert_eq!(file.run(outbox, &client).await.unwrap(), 0);
    // What is not ours is not written to.
    std::fs::File::create(&path).unwrap().write_all(b"notes\n").unwrap();
    let error = file.run(outbox, &client).await.unwrap_err().to_string();
    assert!(error.contains("not an alert of comity"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"notes\n");
}

#[tokio::test]
async fn a_file_of_an_older_store_gets_the_alerts_of_the_new_one() {
    let (world, watcher) = changed(3).await;
    let path = world.folder.join("alerts.jsonl");
    let text = format!("[watch]\n[[watch.to]]\njsonl = {:?}\n", path.to_str().unwrap());
    std::fs::write(&path, "{\"number\":2,\"id\":\"of another store\"}\n").unwrap();
    assert_eq!(delivery(&text, None).run(watcher.outbox(), &world.client()).await.unwrap(), 3);
    assert_eq!(numbers(&std::fs::read_to_string(&path).unwrap()), [2, 1, 2, 3]);
}

/// A request that a receiver got: head and body.
type Got = Arc<Mutex<Vec<(String, String)>>>;

/// A receiver on loopback that answers with these statuses in turn, the last one forever.
async fn receiver(statuses: &'static [u16]) -> (String, Got) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (url, got) = (format!("http://{}/hook", listener.local_addr().unwrap()), Got::default());
    let seen = got.clone();
    tokio::spawn(async move {
        for number in 0.. {
            let Ok((stream, _)) = listener.accept().await else { return };
            let mut stream = BufReader::new(stream);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if stream.read_line(&mut head).await.unwrap_or_default() == 0 {
                    break;
                }
            }
            let length =
                head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            let mut body = vec![0; length.unwrap_or_default()];
            stream.read_exact(&mut body).await.unwrap();
            seen.lock().unwrap().push((head, String::from_utf8(body).unwrap()));
            let status = statuses[number.min(statuses.len() - 1)];
            let answer = format!("HTTP/1.1 {status} X\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, got)
}

pub(crate) fn posting() -> Client {
    Client::builder("ExampleBot/1.0").addresses(comity_fetch::Addresses::Any).policy(Policy::STANDARD).build().unwrap()
}

#[tokio::test]
async fn a_webhook_gets_each_alert_in_order_and_again_after_a_failure() {
    let (_world, watcher) = changed(4).await;
    let (url, got) = receiver(&[204, 200, 500, 301, 200]).await;
    let hook = delivery(&format!("[watch]\n[[watch.to]]\nwebhook = \"{url}\"\n"), Some("secret"));
    let (outbox, client) = (watcher.outbox(), posting());
    for _ in 0..2 {
        let error = hook.run(outbox, &client).await.unwrap_err().to_string();
        assert!(error.contains("answered"), "{error}");
        assert!(!error.contains("/hook"), "the address is a secret: {error}");
        assert_eq!(hook.left(outbox).await.unwrap(), 2);
    }
    assert_eq!(hook.run(outbox, &client).await.unwrap(), 2);
    assert_eq!(hook.left(outbox).await.unwrap(), 0);
    let got = got.lock().unwrap();
    let alerts: Vec<u64> = got.iter().map(|(_, body)| numbers(body)[0]).collect();
    assert_eq!(alerts, [1, 2, 3, 3, 3, 4]);
    for (head, body) in &*got {
        let head = head.to_ascii_lowercase();
        let id = serde_json::from_str::<Value>(body).unwrap()["id"].as_str().unwrap().to_owned();
        assert!(head.starts_with("post /hook http/1.1\r\n"), "{head}");
        assert!(head.contains(&format!("\r\nidempotency-key: {id}\r\n")), "{head}");
        assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
        assert!(head.contains("\r\ncomity-signature: t=") && !head.contains("secret"), "{head}");
    }
}

#[tokio::test]
async fn only_some_kinds_are_sent_if_they_are_named() {
    let (_world, watcher) = changed(3).await;
    let (url, got) = receiver(&[200]).await;
    let hook = delivery(&format!("[watch]\n[[watch.to]]\nwebhook = \"{url}\"\nonly = [\"allowed\"]\n"), None);
    assert_eq!(hook.run(watcher.outbox(), &posting()).await.unwrap(), 0);
    assert_eq!(hook.left(watcher.outbox()).await.unwrap(), 0);
    assert!(got.lock().unwrap().is_empty());
    let found: HashSet<AlertKind> = all(&watcher).await.iter().map(|alert| alert.kind).collect();
    assert_eq!(found, HashSet::from([AlertKind::Blocked]));
}

#[tokio::test]
async fn a_receiver_in_the_own_network_needs_permission() {
    let (_world, watcher) = changed(1).await;
    let (url, got) = receiver(&[200]).await;
    let hook = delivery(&format!("[watch]\n[[watch.to]]\nwebhook = \"{url}\"\n"), None);
    let client = Client::builder("ExampleBot/1.0").build().unwrap();
    let error = hook.run(watcher.outbox(), &client).await.unwrap_err().to_string();
    assert!(error.contains("no connection is allowed to"), "{error}");
    assert!(got.lock().unwrap().is_empty());
}

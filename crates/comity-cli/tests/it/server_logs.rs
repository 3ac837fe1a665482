//! Sends odd requests to nginx, Apache and Caddy, if they are installed, and reads their logs: each must have exactly what was
//! sent.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use comity_log::{LogClock, LogOptions, LogReader};

use crate::servers::{Server, program};

/// Request targets, as sent.
const TARGETS: [&[u8]; 37] = [
    b"/",
    b"//",
    b"//cart//",
    b"/./a",
    b"/a/../b",
    b"/a/%2e%2e/b",
    b"/a/..%2fb",
    b"/%2E/",
    b"/a%20b",
    b"/a+b",
    b"/%41",
    b"/%c3%a9",
    b"/caf\xC3\xA9",
    b"/\xF0\x9F\x98\x80?\xC3\xA9",
    b"/a\"b",
    b"/\"\"",
    b"/a'b",
    b"/a?b",
    b"/?",
    b"/??",
    b"/a?b=c&d=\"e\"",
    b"/a;b=c",
    b"/a,b",
    b"/a|b",
    b"/a[b]",
    b"/a{b}",
    b"/a^b",
    b"/a`b",
    b"/a<b>",
    b"/~a",
    b"/a:b@c",
    b"/a*$",
    b"/robots.txt",
    b"/a%00b",
    b"/a%25b",
    b"/-",
    b"/a\\b\\x41\\\\",
];

/// Headers. Servers escape quotes, backslashes and other characters, each in its own way.
const AGENTS: [&[u8]; 5] = [
    b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    b"Acme \"Bot\" \\x41 \\ /1.0",
    b"Acm\xC3\xA9Bot/1.0 [a] {b}",
    b"-a\" \"b\\",
    b"bot\t1",
];

/// Sends a request, and waits for the answer.
fn send(address: SocketAddr, target: &[u8], agent: &[u8]) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let host = address.to_string();
    let parts: [&[u8]; 7] = [
        b"GET ",
        target,
        b" HTTP/1.1\r\nHost: ",
        host.as_bytes(),
        b"\r\nUser-Agent: ",
        agent,
        b"\r\nConnection: close\r\n\r\n",
    ];
    stream.write_all(&parts.concat()).unwrap();
    let mut answer = Vec::new();
    stream.take(1 << 20).read_to_end(&mut answer).unwrap();
    let head = String::from_utf8_lossy(&answer);
    let is_answered = ["200", "301", "302", "308", "403", "404"].iter().any(|status| head[9..].starts_with(status));
    assert!(is_answered, "{}: {head}", String::from_utf8_lossy(target));
}

/// Sends all requests that `is_sent` selects, and compares the log with them.
fn compare(server: &Server, is_sent: impl Fn(&[u8], &[u8]) -> bool) {
    let pairs = || TARGETS.iter().enumerate().map(|(nth, target)| (*target, AGENTS[nth % AGENTS.len()]));
    let sent: Vec<(&[u8], &[u8])> = pairs().filter(|(target, agent)| is_sent(target, agent)).collect();
    for (target, agent) in &sent {
        send(server.address, target, agent);
    }
    let path = server.folder.path().join("access.log");
    let until = Instant::now() + Duration::from_secs(60);
    let log = loop {
        let log = fs::read(&path).unwrap_or_default();
        if log.split(|byte| *byte == b'\n').count() > sent.len() || Instant::now() > until {
            break log;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let shown = String::from_utf8_lossy(&log).into_owned();
    let mut reader = LogReader::open(&log[..], &LogOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let (mut found, mut clock) = (Vec::new(), LogClock::default());
    while let Some(block) = reader.next_block() {
        for line in block.unwrap().lines() {
            let entry = line.entry.unwrap_or_else(|error| panic!("{error}: {shown}")).expect("no line is blank");
            assert_eq!(entry.ip(), Some(server.address.ip()), "{shown}");
            let age = now() - clock.seconds(entry.time.as_ref().unwrap()).expect(&shown);
            assert!((-1..120).contains(&age), "{age}: {shown}");
            let text = |text: &std::borrow::Cow<'_, [u8]>| text.to_vec();
            found.push((text(entry.target.as_ref().unwrap()), text(entry.agent.as_ref().unwrap())));
        }
    }
    let sent: Vec<(Vec<u8>, Vec<u8>)> = sent.iter().map(|(target, agent)| (target.to_vec(), agent.to_vec())).collect();
    // Servers write the lines of other connections in another order.
    let sorted = |mut pairs: Vec<(Vec<u8>, Vec<u8>)>| {
        pairs.sort();
        pairs
    };
    assert_eq!(sorted(found), sorted(sent), "{shown}");
}

fn now() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs().cast_signed()
}

fn nginx(format: &'static str) -> Option<Server> {
    let nginx = program(&["nginx"], "nginx")?;
    let configure = move |folder: &Path, address: SocketAddr| {
        let folder = folder.display();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let temporary = temporary.map(|name| format!("{name}_temp_path {folder}/{name};\n")).concat();
        format!(
            "daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr;\nevents {{ }}\nhttp {{\nlog_format x {format};\n\
             access_log {folder}/access.log x;\n{temporary}server {{\nlisten {address};\nlocation / {{ return 200 a; }}\n}}\n}}\n"
        )
    };
    let arguments = |folder: &Path| {
        let path = |name: &str| folder.join(name).display().to_string();
        vec!["-e".to_owned(), "stderr".to_owned(), "-p".to_owned(), path(""), "-c".to_owned(), path("conf")]
    };
    Some(Server::start(&nginx, arguments, configure))
}

#[test]
fn logs_of_nginx_have_what_was_sent() {
    const COMBINED: &str = r#"'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'"#;
    const HOST: &str = r#"'$host $remote_addr - $remote_user [$time_local] "$request" $status 0 "$http_referer" "$http_user_agent" "$request_id"'"#;
    const JSON: &str = r#"escape=json '{"time":"$time_iso8601","remote_addr":"$remote_addr","request_method":"$request_method","request_uri":"$request_uri","status":"$status","http_user_agent":"$http_user_agent"}'"#;
    for format in [COMBINED, HOST, JSON] {
        let Some(server) = nginx(format) else { return };
        // It refuses a zero in a path.
        compare(&server, |target, _| target != b"/a%00b");
    }
}

#[test]
fn logs_of_apache_have_what_was_sent() {
    let Some(apache) = program(&["apache2", "httpd"], "apache2") else { return };
    let places = ["../lib/apache2/modules", "../lib64/httpd/modules", "../modules", "../libexec/apache2"];
    let modules = places.map(|place| apache.parent().unwrap().join(place));
    let Some(modules) = modules.iter().find(|folder| folder.join("mod_authz_core.so").is_file()) else {
        eprintln!("SKIPPED: the modules of {} are not where they are looked for", apache.display());
        return;
    };
    let combined = r#"LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" x"#;
    let vhost = r#"LogFormat "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" x"#;
    for format in [combined, vhost] {
        let configure = |folder: &Path, address: SocketAddr| {
            let (folder, modules) = (folder.display(), modules.display());
            let loaded = ["mpm_event", "authz_core", "log_config", "logio"].map(|name| {
                format!("<IfModule !{name}_module>\nLoadModule {name}_module {modules}/mod_{name}.so\n</IfModule>\n")
            });
            let loaded = loaded.concat();
            format!(
                "ServerRoot {folder}\nDefaultRuntimeDir {folder}\nPidFile {folder}/pid\nListen {address}\n{loaded}ServerName \
                 localhost\nUser #65534\nGroup #65534\nErrorLog {folder}/errors\nDocumentRoot {folder}\nHttpProtocolOptions \
                 Unsafe\n{format}\nCustomLog {folder}/access.log x\n"
            )
        };
        let arguments =
            |folder: &Path| vec!["-X".to_owned(), "-f".to_owned(), folder.join("conf").display().to_string()];
        let server = Server::start(&apache, arguments, configure);
        // It refuses paths that lead out of its folder.
        compare(&server, |target, _| !matches!(target, b"/a%00b" | b"/a/..%2fb"));
    }
}

#[test]
fn logs_of_caddy_have_what_was_sent() {
    let Some(caddy) = program(&["caddy"], "caddy") else { return };
    let configure = |folder: &Path, address: SocketAddr| {
        let log = folder.join("access.log");
        format!(
            "{{\nadmin off\nauto_https off\n}}\nhttp://{address} {{\nlog {{\noutput file {}\n}}\nrespond \"a\" 200\n}}\n",
            log.display()
        )
    };
    let arguments = |folder: &Path| {
        let conf = folder.join("conf").display().to_string();
        ["run", "--adapter", "caddyfile", "--config", &conf].map(ToOwned::to_owned).to_vec()
    };
    compare(&Server::start(&caddy, arguments, configure), |_, _| true);
}

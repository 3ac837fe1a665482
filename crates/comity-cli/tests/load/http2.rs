//! Hostile clients that use HTTP/2. They write frames by hand, since no library would send them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use crate::client::check;
use crate::hostile::besiege;
use crate::service::{Service, TEST_TIMEOUT};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types of frames (RFC 9113 §6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Returns the fields of a request, without compression (RFC 7541 §6.2.2).
fn fields(path: &str, is_post: bool) -> Vec<u8> {
    let text = |text: &str| {
        // Lengths of more than six bits continue in the next octets (§5.1).
        let mut bytes = Vec::new();
        if text.len() < 127 {
            bytes.push(text.len() as u8);
        } else {
            bytes.push(127);
            let mut rest = text.len() - 127;
            while rest >= 128 {
                bytes.push((rest % 128 + 128) as u8);
                rest /= 128;
            }
            bytes.push(rest as u8);
        }
        bytes.extend_from_slice(text.as_bytes());
        bytes
    };
    // The names `:method`, `:scheme`, `:path` and `:authority` are in the static table.
    let mut fields = vec![if is_post { 0x83 } else { 0x82 }, 0x86, 0x04];
    fields.extend(text(path));
    fields.push(0x01);
    fields.extend(text("localhost"));
    if is_post {
        // `content-type` is 31 in the static table.
        fields.extend([0x0F, 16]);
        fields.extend(text("application/json"));
    }
    fields
}

/// Opens a connection with a valid preface and these settings.
fn begin(service: &Service, settings: &[u8]) -> TcpStream {
    let mut stream = service.connect();
    stream.write_all(PREFACE).unwrap();
    stream.write_all(&frame(SETTINGS, 0, 0, settings)).unwrap();
    stream
}

/// Sends the same frames repeatedly, each time with a new stream ID, until the service closes the connection or stops
/// reading.
fn flood(mut stream: TcpStream, mut frames: impl FnMut(u32) -> Vec<u8>) {
    let began = Instant::now();
    for n in 0.. {
        if stream.write_all(&frames(2 * n + 1)).is_err() || n > 200_000 || began.elapsed() > TEST_TIMEOUT {
            return;
        }
    }
}

/// Returns the types of the frames that are received until the connection ends or `until` returns true.
fn heard(stream: &mut TcpStream, until: impl Fn(u8, &[u8]) -> bool) -> Vec<u8> {
    let mut kinds = Vec::new();
    let mut head = [0; 9];
    while stream.read_exact(&mut head).is_ok() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        if stream.read_exact(&mut payload).is_err() {
            break;
        }
        kinds.push(head[3]);
        if until(head[3], &payload) {
            break;
        }
    }
    kinds
}

/// A valid request is answered. This shows that the frames above are encoded correctly.
#[test]
fn a_request_is_answered() {
    besiege(&[], |service| {
        let mut stream = begin(service, &[]);
        let path = check(&service.url("known.test", "/private/x"), "Googlebot");
        stream.write_all(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &fields(&path, false))).unwrap();
        let is_answer = |kind, payload: &[u8]| kind == DATA && payload.windows(9).any(|bytes| bytes == b"\"line\":2,");
        let kinds = heard(&mut stream, is_answer);
        assert!(kinds.contains(&HEADERS) && kinds.last() == Some(&DATA), "{kinds:?}");

        let mut stream = begin(service, &[]);
        stream.write_all(&frame(HEADERS, END_HEADERS, 1, &fields("/v1/check", true))).unwrap();
        stream.write_all(&frame(DATA, END_STREAM, 1, b"{\"ur\":1}")).unwrap();
        let kinds = heard(&mut stream, |kind, payload| kind == DATA && payload.starts_with(b"{\"type\""));
        assert_eq!(kinds.last(), Some(&DATA), "{kinds:?}");
    });
}

#[test]
fn streams_that_are_begun_and_reset() {
    besiege(&[], |service| {
        let request = fields(&check(&service.url("known.test", "/private/x"), "Googlebot"), false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    flood(begin(service, &[]), |id| {
                        let reset = frame(RST_STREAM, 0, id, &8_u32.to_be_bytes());
                        [frame(HEADERS, END_HEADERS | END_STREAM, id, &request), reset].concat()
                    });
                });
            }
        });
    });
}

#[test]
fn heads_that_go_on_for_ever() {
    besiege(&["--head-timeout", "1s"], |service| {
        let path = check(&service.url("known.test", "/private/x"), "Googlebot");
        let mut stream = begin(service, &[]);
        stream.write_all(&frame(HEADERS, END_STREAM, 1, &fields(&path, false))).unwrap();
        // Fields of 4 KiB that are not indexed, and then empty frames.
        let field = [&[0x00, 1, b'x', 127, 0x81, 0x1F][..], &vec![b'a'; 4096]].concat();
        flood(stream.try_clone().unwrap(), |_| frame(CONTINUATION, 0, 1, &field));
        assert!(!heard(&mut stream, |_, _| false).contains(&DATA));

        let mut stream = begin(service, &[]);
        stream.write_all(&frame(HEADERS, END_STREAM, 1, &fields(&path, false))).unwrap();
        flood(stream.try_clone().unwrap(), |_| frame(CONTINUATION, 0, 1, &[]));
        assert!(!heard(&mut stream, |_, _| false).contains(&DATA));
    });
}

/// Sends the same frames on a connection, after the first ones, until the service closes it. Returns the number of
/// frames that were sent.
///
/// # Panics
///
/// If the service accepts far more frames than it should.
fn count_taken(service: &Service, first: &[u8], name: &str, frames: &[u8], each: usize) -> usize {
    // The system buffers some megabytes that the service never reads.
    const MAX_BYTES: usize = 64 << 20;
    let mut stream = begin(service, &[]);
    stream.write_all(first).unwrap();
    let mut reader = stream.try_clone().unwrap();
    let reading = std::thread::spawn(move || drop(reader.read_to_end(&mut Vec::new())));
    let mut taken = 0;
    while stream.write_all(frames).is_ok() {
        taken += each;
        assert!(taken / each * frames.len() < MAX_BYTES, "{name}: the service takes {taken} frames and more");
    }
    reading.join().unwrap();
    taken
}

#[test]
fn frames_without_progress_are_counted() {
    besiege(&[], |service| {
        let request = frame(HEADERS, END_HEADERS, 1, &fields("/v1/check", true));
        let talk: [(&str, Vec<u8>); 7] = [
            ("SETTINGS", frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0xFF, 0xFF])),
            ("SETTINGS without settings", frame(SETTINGS, 0, 0, &[])),
            ("PING", frame(PING, 0, 0, b"whatever")),
            ("PRIORITY", frame(PRIORITY, 0, 3, &[0, 0, 0, 0, 1])),
            ("WINDOW_UPDATE", frame(WINDOW_UPDATE, 0, 0, &1_u32.to_be_bytes())),
            ("an unknown frame", frame(0xBE, 0, 0, b"?")),
            ("PRIORITY in a body", [frame(PRIORITY, 0, 3, &[0, 0, 0, 0, 1]), frame(0xBE, 0, 1, b"")].concat()),
        ];
        for (name, frames) in &talk {
            let taken = count_taken(service, &[], name, &frames.repeat(100), 100);
            println!("{name}: {taken} frames");
        }
        // A body of empty pieces, and one of single bytes between many other frames.
        for (name, frames) in [
            ("empty DATA", frame(DATA, 0, 1, b"").repeat(100)),
            ("small DATA", [frame(PING, 0, 0, b"whatever").repeat(100), frame(DATA, 0, 1, b" ")].concat()),
        ] {
            let taken = count_taken(service, &request, name, &frames, 100);
            println!("{name}: {taken} frames");
        }
    });
}

#[test]
fn a_long_answer_needs_many_frames() {
    besiege(&[], |service| {
        // A small window that the client opens repeatedly is normal for slow clients, and is progress.
        let mut stream = begin(service, &[0, 4, 0, 0, 0, 64]);
        stream.write_all(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &fields("/openapi.json", false))).unwrap();
        let mut bytes = 0;
        let mut head = [0; 9];
        loop {
            stream.read_exact(&mut head).unwrap_or_else(|error| panic!("{error} after {bytes} bytes"));
            let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
            stream.read_exact(&mut payload).unwrap();
            if head[3] == DATA {
                bytes += payload.len();
                if head[4] & END_STREAM != 0 {
                    break;
                }
                let more = (payload.len() as u32).to_be_bytes();
                if !payload.is_empty() {
                    stream
                        .write_all(&[frame(WINDOW_UPDATE, 0, 1, &more), frame(WINDOW_UPDATE, 0, 0, &more)].concat())
                        .unwrap();
                }
            }
        }
        assert!(bytes > 100_000, "{bytes}");
    });
}

#[test]
fn windows_that_never_open() {
    besiege(&["--write-timeout", "1s", "--idle-timeout", "2s"], |service| {
        // The setting is SETTINGS_INITIAL_WINDOW_SIZE.
        let closed = [0, 4, 0, 0, 0, 0];
        let small = fields(&check(&service.url("known.test", "/private/x"), "Googlebot"), false);
        let urls = format!("\"{}\",", service.url("known.test", "/private/x")).repeat(5000);
        let body = format!("{{\"urls\":[{}],\"agents\":[\"a\",\"b\"]}}", urls.trim_end_matches(','));
        let mut stalled = Vec::new();
        for _ in 0..8 {
            let mut stream = begin(service, &closed);
            for id in 0..50 {
                stream.write_all(&frame(HEADERS, END_HEADERS | END_STREAM, 2 * id + 1, &small)).unwrap();
            }
            stalled.push(stream);
            let mut stream = begin(service, &closed);
            stream.write_all(&frame(HEADERS, END_HEADERS, 1, &fields("/v1/check", true))).unwrap();
            for part in body.as_bytes().chunks(16_000) {
                stream.write_all(&frame(DATA, 0, 1, part)).unwrap();
            }
            stream.write_all(&frame(DATA, END_STREAM, 1, b"")).unwrap();
            stalled.push(stream);
        }
        // The clients stay connected. The service gives up on the answers that they don't read.
        service.until("comity_connections", 2.0);
        drop(stalled);
    });
}

#[test]
fn frames_that_are_none() {
    besiege(&["--head-timeout", "1s"], |service| {
        for wrong in [
            frame(HEADERS, END_HEADERS | END_STREAM, 0, &fields("/", false)),
            frame(HEADERS, END_HEADERS | END_STREAM, 2, &fields("/", false)),
            frame(HEADERS, END_HEADERS | END_STREAM, 1, &[0xFF; 100]),
            frame(HEADERS, END_HEADERS | END_STREAM | 8, 1, &[255, 1]),
            frame(DATA, 0, 1, b"before a request"),
            frame(CONTINUATION, END_HEADERS, 1, b""),
            frame(SETTINGS, 0, 1, b""),
            frame(SETTINGS, 0, 0, b"odd"),
            frame(SETTINGS, 1, 0, &[0; 6]),
            frame(PING, 0, 0, b"short"),
            frame(WINDOW_UPDATE, 0, 0, &[0; 4]),
            frame(WINDOW_UPDATE, 0, 0, &0x7FFF_FFFF_u32.to_be_bytes()),
            frame(RST_STREAM, 0, 1, &[0; 4]),
            [&[0xFF, 0xFF, 0xFF, DATA, 0, 0, 0, 0, 1][..], &[0; 100]].concat(),
            vec![0; 9],
        ] {
            let mut stream = begin(service, &[]);
            let _ = stream.write_all(&wrong);
            let kinds = heard(&mut stream, |_, _| false);
            assert!(!kinds.contains(&DATA) && !kinds.contains(&HEADERS), "{wrong:?}: {kinds:?}");
            assert!(kinds.contains(&GOAWAY) || kinds.contains(&RST_STREAM), "{wrong:?}: {kinds:?}");
        }
    });
}

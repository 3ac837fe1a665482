//! Faults of HTTP/1.1, over plain TCP.

use std::time::Duration;

use comity_fetch::Failure;
use comity_testserver::{Accept, At, BadChunk, Coding, Flood, Reply};

use super::row::Then::{self, Empty, Found};
use super::row::{Does, Over, Row};
use crate::ROBOTS;
use crate::stage::Place;

fn file() -> Reply {
    Reply::ok(ROBOTS)
}

/// Returns faults before and in the head.
pub(super) fn heads() -> Vec<Row> {
    let line = |line: &'static [u8]| file().header_line(line);
    let status = |line: &'static [u8]| file().status_line(line);
    let rows = vec![
        ("nothing", file().stall(At::Start), Then::TIMEOUT),
        ("half a head, then nothing", file().stall(At::Headers), Then::TIMEOUT),
        ("a head in drips", file().drip(At::Start, 1, Duration::from_millis(10)), Then::TIMEOUT),
        ("cut at once", file().cut(At::Start), Then::RESET),
        ("cut in the head", file().cut(At::Headers), Then::RESET),
        ("reset at once", file().reset(At::Start), Then::RESET),
        ("reset in the head", file().reset(At::Headers), Then::RESET),
        ("a field without end", file().flood(Flood::Line), Then::INVALID),
        ("fields without end", file().flood(Flood::Lines), Then::INVALID),
        ("interim responses without end", file().flood(Flood::Interim), Then::INVALID),
        ("a few interim responses", file().interim(100).interim(103).interim(103), Found),
        ("blank lines without end", Reply::raw("").endless("\r\n"), Then::INVALID),
        ("a field of 100 KB", file().header("X", vec![b'x'; 100_000]), Then::INVALID),
        ("200 fields", (0..200).fold(file(), |reply, n| reply.header(format!("X-{n}"), "x")), Found),
        ("2000 fields", (0..2000).fold(file(), |reply, n| reply.header(format!("X-{n}"), "x")), Then::INVALID),
        ("only a body", Reply::raw(ROBOTS), Then::INVALID),
        ("an empty answer", Reply::raw(""), Then::RESET),
        ("a page of HTML only", Reply::raw("<html>Hello</html>"), Then::INVALID),
        ("another protocol", Reply::raw("220 mail.example ESMTP\r\n"), Then::INVALID),
        ("TLS where none was asked for", Reply::raw(vec![0x15, 3, 3, 0, 2, 2, 40]), Then::INVALID),
        ("a version that does not exist", status(b"HTTP/9.9 200 OK"), Then::INVALID),
        ("two digits", status(b"HTTP/1.1 20 OK"), Then::INVALID),
        ("five digits", status(b"HTTP/1.1 20000 OK"), Then::INVALID),
        ("a status of zeros", Reply::status(0).body(ROBOTS), Then::INVALID),
        ("no status", status(b"HTTP/1.1"), Then::INVALID),
        ("a negative status", status(b"HTTP/1.1 -200 OK"), Then::INVALID),
        ("a field without colon", line(b"nonsense"), Then::INVALID),
        ("a field without name", line(b": x"), Then::INVALID),
        ("a name with a space", line(b"X Y: x"), Then::INVALID),
        ("a folded field", line(b"X: x\r\n folded"), Found),
        ("a NUL in a name", line(b"X\0: x"), Then::INVALID),
        ("a NUL in a value", line(b"X: \0"), Then::INVALID),
        ("a value that is not UTF-8", line(b"X: \xff\xfe"), Found),
        ("a length that is negative", line(b"Content-Length: -1"), Then::INVALID),
        ("a length that is no number", line(b"Content-Length: many"), Then::INVALID),
        ("a length larger than all numbers", line(b"Content-Length: 99999999999999999999"), Then::INVALID),
        ("two lengths", line(b"Content-Length: 5"), Then::INVALID),
        ("a list of lengths", file().until_close().header("Content-Length", "47, 5"), Then::INVALID),
    ];
    Row::all(Over::Http1, rows)
}

/// Returns faults in the body.
pub(super) fn bodies() -> Vec<Row> {
    let length = ROBOTS.len() as u64;
    let (second, ms) = (Duration::from_secs(1), Duration::from_millis(1));
    let transfer = |coding: &'static str| file().until_close().header("Transfer-Encoding", coding);
    let rows = vec![
        ("a pause that is short enough", file().pause(At::Body(20), 20 * ms), Found),
        ("a pause that is too long", file().pause(At::Body(20), second), Then::TIMEOUT),
        ("no body", file().stall(At::Body(0)), Then::TIMEOUT),
        ("half a body, then nothing", file().stall(At::Body(20)), Then::TIMEOUT),
        ("all but one byte, then nothing", file().stall(At::Body(length - 1)), Then::TIMEOUT),
        ("all of it, then silence", file().stall(At::End), Found),
        ("all of it, then silence, without a length", file().until_close().stall(At::End), Then::TIMEOUT),
        ("a body in drips", file().drip(At::Body(0), 1, 20 * ms), Then::TIMEOUT),
        ("a body in quick drips", file().drip(At::Body(0), 10, ms), Found),
        ("cut before the body", file().cut(At::Body(0)), Then::TRUNCATED),
        ("cut in the body", file().cut(At::Body(20)), Then::TRUNCATED),
        ("cut before the last byte", file().cut(At::Body(length - 1)), Then::TRUNCATED),
        ("cut after it", file().cut(At::End), Found),
        ("cut after it, without a length, which nothing can tell", file().until_close().cut(At::End), Found),
        ("an empty file", Reply::ok(""), Empty),
        ("an empty file without a length", Reply::ok("").until_close(), Empty),
        ("an empty file of no chunks", Reply::ok("").chunked(10), Empty),
        ("reset in the body", file().reset(At::Body(20)), Then::RESET_OR_TRUNCATED),
        ("reset in a body without a length", file().until_close().reset(At::Body(20)), Then::RESET_OR_TRUNCATED),
        ("a length too long by one", file().content_length(length + 1), Then::TRUNCATED),
        ("a length of gigabytes", file().content_length(10 << 30), Then::TRUNCATED),
        // HTTP cannot show that this is not all: what follows belongs to no response.
        ("a length too short", file().content_length(length - 1), Found),
        ("more after the end", file().trailing("User-agent: *\nAllow: /\n"), Found),
        ("another answer after the end", file().trailing("HTTP/1.1 404 \r\n\r\n"), Found),
        ("no chunk", file().chunked(10).cut(At::Body(0)), Then::TRUNCATED),
        ("half a chunk", file().chunked(20).cut(At::Body(10)), Then::TRUNCATED),
        ("chunks up to their middle", file().chunked(10).stall(At::Body(25)), Then::TIMEOUT),
        ("chunks of one byte", file().chunked(1), Found),
        ("a chunk's size", file().chunked_badly(10, BadChunk::Size), Then::TRUNCATED),
        ("a chunk's huge size", file().chunked_badly(10, BadChunk::HugeSize), Then::TRUNCATED),
        ("garbage among chunks", file().chunked_badly(10, BadChunk::Garbage), Then::TRUNCATED),
        ("chunks without the last one", file().chunked_badly(10, BadChunk::Unterminated), Then::TRUNCATED),
        ("a chunk extension without end", file().chunked(10).flood(Flood::ChunkExtension), Then::TRUNCATED),
        ("trailers without end", file().chunked(10).flood(Flood::Trailers), Then::TRUNCATED),
        ("chunks, and a length as well", file().chunked(10).header("Content-Length", "5"), Found),
        ("a transfer coding that is not known", transfer("squash"), Then::INVALID),
        ("gzip as the transfer coding, which it is not", transfer("gzip"), Then::INVALID),
        ("chunks that are not the last coding", transfer("chunked, gzip"), Then::INVALID),
        ("chunks that are none", transfer("chunked"), Then::TRUNCATED),
        ("no end", file().endless(ROBOTS), Found),
        ("no end, and no chunks", file().endless(ROBOTS).until_close(), Found),
        ("no end, and a length", file().endless(ROBOTS).content_length(u64::MAX / 2), Found),
        ("no end, slowly", file().endless(ROBOTS).drip(At::Body(0), 1000, 20 * ms), Then::TIMEOUT),
    ];
    Row::all(Over::Http1, rows)
}

/// Returns faults in content codings.
pub(super) fn codings() -> Vec<Row> {
    let claim = |coding: &'static str| file().header("Content-Encoding", coding);
    let gzip = Coding::Gzip.encode(ROBOTS.as_bytes());
    let damaged = |at: usize| {
        let mut bytes = gzip.to_vec();
        let at = if at > bytes.len() { bytes.len() - 6 } else { at };
        bytes[at] ^= 0xff;
        Reply::ok(bytes).header("Content-Encoding", "gzip")
    };
    // A frame of zstd (RFC 8878) with the file in a block that is not compressed, so that its rules can be read.
    let length = u8::try_from(ROBOTS.len()).expect("a short file");
    let block = (u32::from(length) << 3 | 1).to_le_bytes();
    let head = [&[0x28, 0xB5, 0x2F, 0xFD, 0x20, length], &block[..3]].concat();
    let zstd = Reply::ok([&head, ROBOTS.as_bytes()].concat()).header("Content-Encoding", "zstd");
    let mut rows = Row::all(
        Over::Http1,
        vec![
            ("no coding, said aloud", claim("identity"), Found),
            ("no name of a coding", claim(""), Found),
            ("gzip that is none", claim("gzip"), Then::ENCODING),
            ("brotli, which was not asked for", claim("br"), Then::ENCODING),
            ("deflate that is none", claim("deflate"), Then::ENCODING),
            ("zstd, which was not asked for", zstd, Then::ENCODING),
            ("an old coding", claim("compress"), Then::ENCODING),
            ("a name that is no coding", claim("rot13"), Found),
            ("an unknown coding", Reply::ok("ebgobg").header("Content-Encoding", "rot13"), Then::ENCODING),
            ("a list of nothing", claim(", ,"), Found),
            ("a damaged beginning", damaged(0), Then::ENCODING),
            ("a damaged middle", damaged(20), Then::ENCODING),
            ("a damaged checksum", damaged(usize::MAX), Then::ENCODING),
            ("a coding twice", file().encoded(Coding::Gzip).encoded(Coding::Gzip), Then::ENCODING),
            ("two codings", file().encoded(Coding::Deflate).encoded(Coding::Gzip), Then::ENCODING),
            ("said twice, done once", file().encoded(Coding::Gzip).header("Content-Encoding", "gzip"), Then::ENCODING),
            ("twenty codings", (0..20).fold(file(), |reply, _| reply.encoded(Coding::Gzip)), Then::ENCODING),
            ("gzip in capitals", Reply::ok(gzip.clone()).header("Content-Encoding", "GZip"), Found),
            ("gzip by its old name", Reply::ok(gzip.clone()).header("Content-Encoding", "x-gzip"), Found),
            ("gzip cut in the middle", file().encoded(Coding::Gzip).cut(At::Body(20)), Then::TRUNCATED),
        ],
    );
    let large = [ROBOTS.as_bytes(), &vec![b'\n'; 8 << 20]].concat();
    for coding in Coding::ALL {
        let bytes = coding.encode(ROBOTS.as_bytes());
        let half = bytes.slice(..bytes.len() / 2);
        let more = [&bytes[..], b"User-agent: *\nAllow: /\n"].concat();
        let nothing = coding.encode(b"");
        let part_of_nothing = nothing.slice(..nothing.len() - 1);
        let claim = |bytes: Vec<u8>| Reply::ok(bytes).header("Content-Encoding", coding.name());
        let of_coding = [
            ("good", file().encoded(coding), Found),
            ("half of it", claim(half.to_vec()), Then::ENCODING),
            ("all but its last byte", claim(bytes.slice(..bytes.len() - 1).to_vec()), Then::ENCODING),
            ("more after its end", claim(more), Then::ENCODING),
            ("a bomb", claim(coding.encode(&large).to_vec()), Found),
            ("an empty body", claim(Vec::new()), Then::ENCODING),
            ("an empty file", claim(nothing.to_vec()), Empty),
            ("part of an empty file", claim(part_of_nothing.to_vec()), Then::ENCODING),
        ];
        for (name, reply, then) in of_coding {
            rows.push(Row::new(Over::Http1, format!("{coding:?}: {name}"), reply, then));
        }
    }
    rows
}

/// Returns other protocols in place of HTTP.
pub(super) fn doors() -> Vec<Row> {
    let rows = [
        ("closed", Accept::Close, Then::RESET),
        ("reset", Accept::Reset, Then::Fails(&[Failure::Reset, Failure::Connect])),
        ("silent", Accept::Stall, Then::TIMEOUT),
        ("garbage", Accept::Say(vec![0xff; 100].into()), Then::INVALID),
        ("an alert of TLS", Accept::Say(vec![0x15, 3, 3, 0, 2, 2, 40].into()), Then::INVALID),
        ("half a handshake of TLS", Accept::Say(vec![0x16, 3, 3, 1, 0, 2].into()), Then::INVALID),
    ];
    let mut rows: Vec<_> =
        rows.into_iter().map(|(name, accept, then)| Row::new(Over::Http1, name, accept, then)).collect();
    rows.extend([
        Row::new(Over::Http1, "nobody listens", Does::Closed, Then::CONNECT),
        Row::new(Over::Http1, "no address", Place::NoAddress, Then::DNS),
        Row::new(Over::Http1, "name servers in trouble", Place::Failed, Then::DNS),
    ]);
    rows
}

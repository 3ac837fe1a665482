//! Faults of TLS, and of HTTP/1.1 within it.

use comity_testserver::{Accept, At, BadChunk, Certificate, Coding, Reply};

use super::row::Then::{self, Empty, Found};
use super::row::{Does, Over, Row};
use crate::ROBOTS;

/// Returns faults of the handshake.
pub(super) fn handshakes() -> Vec<Row> {
    let http = "HTTP/1.1 400 Bad Request\r\n\r\nUser-agent: *\nAllow: /\n";
    let doors = [
        ("closed", Accept::Close, Then::TLS),
        ("reset", Accept::Reset, Then::TLS),
        ("silent", Accept::Stall, Then::TIMEOUT),
        ("garbage", Accept::Say(vec![0xff; 100].into()), Then::TLS),
        ("plain text", Accept::Say(http.into()), Then::TLS),
        ("an alert", Accept::Say(vec![0x15, 3, 3, 0, 2, 2, 40].into()), Then::TLS),
        ("half a handshake", Accept::Say(vec![0x16, 3, 3, 1, 0, 2].into()), Then::TLS),
    ];
    let certificates = [
        ("a good certificate", Certificate::Good, Found),
        ("an expired certificate", Certificate::Expired, Then::TLS),
        ("a certificate for later", Certificate::NotYetValid, Then::TLS),
        ("a certificate for another host", Certificate::OtherName, Then::TLS),
        ("a certificate of an unknown authority", Certificate::UnknownAuthority, Then::TLS),
        ("a certificate that signs itself", Certificate::SelfSigned, Then::TLS),
    ];
    let mut rows: Vec<_> = doors.into_iter().map(|(name, does, then)| Row::new(Over::Tls, name, does, then)).collect();
    rows.push(Row::new(Over::Tls, "nobody listens", Does::Closed, Then::CONNECT));
    rows.extend(certificates.into_iter().map(|(name, does, then)| Row::new(Over::Tls, name, does, then)));
    rows
}

/// Returns faults in the body, where `close_notify` distinguishes an end from a failure.
pub(super) fn bodies() -> Vec<Row> {
    let length = ROBOTS.len() as u64;
    let file = || Reply::ok(ROBOTS);
    let until_close = || file().until_close();
    let gzip = || file().encoded(Coding::Gzip);
    let rows = vec![
        ("until the connection is closed", until_close(), Found),
        ("nothing until the connection is closed", Reply::ok("").until_close(), Empty),
        ("no close_notify before a body", until_close().cut(At::Body(0)), Then::TRUNCATED),
        ("no close_notify in a body", until_close().cut(At::Body(20)), Then::TRUNCATED),
        ("no close_notify after a body", until_close().cut(At::End), Then::TRUNCATED),
        ("no close_notify, and no body", Reply::ok("").until_close().cut(At::End), Then::TRUNCATED),
        ("no close_notify in gzip", gzip().until_close().cut(At::Body(20)), Then::TRUNCATED),
        ("no close_notify after gzip", gzip().until_close().cut(At::End), Then::TRUNCATED),
        ("reset in a body", until_close().reset(At::Body(20)), Then::RESET_OR_TRUNCATED),
        ("reset after a body", until_close().reset(At::End), Then::RESET_OR_TRUNCATED),
        ("a length not met", file().content_length(length + 1), Then::TRUNCATED),
        ("a length not met, and no close_notify", file().cut(At::Body(20)), Then::TRUNCATED),
        ("a length not met by gzip", gzip().content_length(length * 2), Then::TRUNCATED),
        ("a length met, and no close_notify", file().cut(At::End), Found),
        ("a length met by gzip, and no close_notify", gzip().cut(At::End), Found),
        ("all chunks, and no close_notify", file().chunked(10).cut(At::End), Found),
        ("some chunks, and no close_notify", file().chunked(10).cut(At::Body(25)), Then::TRUNCATED),
        ("all chunks but the last", file().chunked_badly(10, BadChunk::Unterminated), Then::TRUNCATED),
        ("no head, and no close_notify", file().cut(At::Start), Then::RESET),
        ("half a head, and no close_notify", file().cut(At::Headers), Then::RESET),
        ("half a body, then nothing", file().stall(At::Body(20)), Then::TIMEOUT),
        ("a body, then nothing", until_close().stall(At::End), Then::TIMEOUT),
        ("no end", file().endless(ROBOTS), Found),
    ];
    Row::all(Over::Tls, rows)
}

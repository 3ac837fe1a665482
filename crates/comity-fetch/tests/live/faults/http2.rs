//! Faults of HTTP/2, within TLS.

use std::slice;
use std::time::Duration;

use comity_testserver::{At, Coding, Frame, Reply};

use super::row::Then::{self, Empty, Found};
use super::row::{Over, Row};
use crate::ROBOTS;

/// The error codes, by their number (RFC 9113 §7).
const CODES: [&str; 14] = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
];

fn file() -> Reply {
    Reply::ok(ROBOTS)
}

/// Returns faults of all kinds.
pub(super) fn streams() -> Vec<Row> {
    let mut rows = Row::all(
        Over::Http2,
        vec![
            ("a file", file(), Found),
            ("an empty file", Reply::ok(""), Empty),
            ("reset after the body", file().reset(At::End), Then::RESET_OR_TRUNCATED),
            ("cut after the body", file().cut(At::End), Then::RESET_OR_TRUNCATED),
            ("a length that is not met", file().content_length(1000), Then::RESET_OR_TRUNCATED),
            ("a length that is too short", file().content_length(5), Then::RESET_OR_TRUNCATED),
            ("two lengths", file().header("content-length", "5"), Then::INVALID),
            ("a head of 100 KB", file().header("x", vec![b'x'; 100_000]), Then::INVALID),
            ("200 fields", (0..200).fold(file(), |reply, n| reply.header(format!("x-{n}"), "x")), Found),
            ("no end", file().endless(ROBOTS), Found),
            ("in drips", file().drip(At::Body(0), 1, Duration::from_millis(20)), Then::TIMEOUT),
            ("encoded twice", file().encoded(Coding::Gzip).encoded(Coding::Gzip), Then::ENCODING),
            ("a few interim responses", file().interim(103).interim(103), Found),
        ],
    );
    for at in [At::Start, At::Headers, At::Body(0), At::Body(20)] {
        let faults = [
            ("reset", file().reset(at), Then::RESET_OR_TRUNCATED),
            ("cut", file().cut(at), Then::RESET_OR_TRUNCATED),
            ("gone away", file().go_away(at), Then::RESET_OR_TRUNCATED),
            ("stalled", file().stall(at), Then::TIMEOUT),
        ];
        rows.extend(faults.map(|(name, reply, then)| Row::new(Over::Http2, format!("{name} at {at:?}"), reply, then)));
    }
    rows
}

/// Returns frames that violate the protocol.
pub(super) fn malformed() -> Vec<Row> {
    let (start, at) = (At::Start, At::Body(20));
    let send = |at, frames: &[Frame]| file().frames(at, frames.to_vec()).stall(at);
    let whole = Frame::data(ROBOTS).ending();
    Row::all(
        Over::Http2,
        vec![
            ("a head of raw frames", send(start, &[Frame::status(200), whole.clone()]), Found),
            ("no head, but a body", send(start, slice::from_ref(&whole)), Then::INVALID),
            ("an interim response that ends the stream", send(start, &[Frame::status(103).ending()]), Then::INVALID),
            ("a head that cannot be decoded", send(start, &[Frame::on_stream(1, 4, vec![0xff; 20])]), Then::INVALID),
            ("a head without status", send(start, &[Frame::on_stream(1, 4, vec![]), whole]), Then::INVALID),
            (
                "a head that is not continued",
                send(start, &[Frame::status(200).continued(), Frame::ping()]),
                Then::INVALID,
            ),
            ("two heads", send(start, &[Frame::status(200), Frame::status(200)]), Then::TRUNCATED),
            ("a frame that is too large", send(at, &[Frame::data(vec![b'#'; 20_000])]), Then::TRUNCATED),
            ("RST_STREAM of the wrong size", send(at, &[Frame::on_stream(3, 0, vec![0; 3])]), Then::TRUNCATED),
            ("PING of the wrong size", send(at, &[Frame::on_connection(6, 0, vec![0; 7])]), Then::TRUNCATED),
            ("DATA of no stream", send(at, &[Frame::on_connection(0, 1, "x")]), Then::TRUNCATED),
            ("more padding than frame", send(at, &[Frame::on_stream(0, 9, vec![200, 0])]), Then::TRUNCATED),
            ("a push", send(at, &[Frame::on_stream(5, 4, vec![0, 0, 0, 2, 0x82, 0x87, 0x84])]), Then::TRUNCATED),
        ],
    )
}

/// Returns streams that end with each error code, not with `END_STREAM`; and some that end correctly.
pub(super) fn ends() -> Vec<Row> {
    let length = ROBOTS.len() as u64;
    let until_close = || file().until_close();
    let shapes = [
        ("no head", file(), At::Start, Then::RESET),
        ("no body", until_close(), At::Body(0), Then::TRUNCATED),
        ("part of a body", until_close(), At::Body(20), Then::TRUNCATED),
        ("part of a gzip body", until_close().encoded(Coding::Gzip), At::Body(20), Then::TRUNCATED),
        ("the length met", file(), At::Body(length), Then::TRUNCATED),
        ("the length not met", file().content_length(length + 1), At::Body(length), Then::TRUNCATED),
    ];
    let mut rows = Vec::new();
    for (shape, reply, at, then) in shapes {
        for (number, code) in (0..).zip(CODES) {
            let frames = [("RST_STREAM", Frame::rst_stream(number)), ("GOAWAY", Frame::go_away(0, number))];
            for (kind, frame) in frames {
                // The connection stays open: only the frame ends the stream.
                let reply = reply.clone().frames(at, [frame]).stall(at);
                let row = Row::new(Over::Http2, format!("{shape}, then {kind} ({code})"), reply, then);
                rows.push(if matches!(code, "NO_ERROR" | "CANCEL") { row } else { row.standard_only() });
            }
        }
        // The stream may continue after this GOAWAY, but does not.
        let away = reply.frames(at, [Frame::go_away(1, 0)]);
        rows.push(Row::new(Over::Http2, format!("{shape}, then GOAWAY and close_notify"), away.clone(), then));
        rows.push(Row::new(Over::Http2, format!("{shape}, then GOAWAY and silence"), away.stall(at), Then::TIMEOUT));
    }
    let at = At::Body(20);
    let rest = Frame::data(&ROBOTS.as_bytes()[20..]).ending();
    let whole = |after: Frame| file().frames(at, [rest.clone(), after]).stall(at);
    rows.extend(Row::all(
        Over::Http2,
        vec![
            ("END_STREAM, then RST_STREAM", whole(Frame::rst_stream(0)), Found),
            ("END_STREAM, then RST_STREAM with an error", whole(Frame::rst_stream(2)), Found),
            ("END_STREAM, then GOAWAY", whole(Frame::go_away(0, 0)), Found),
            ("END_STREAM, then GOAWAY with an error", whole(Frame::go_away(0, 2)), Found),
            ("GOAWAY, then END_STREAM", file().frames(at, [Frame::go_away(1, 0), rest.clone()]).stall(at), Found),
        ],
    ));
    rows
}

/// Returns frames that never end, without progress.
pub(super) fn floods() -> Vec<Row> {
    let at = At::Body(20);
    let endless = |at, frame: Frame| file().frames(at, []).endless_frames(at, frame);
    let frames = [
        ("PRIORITY", Frame::priority()),
        ("SETTINGS", Frame::settings()),
        ("PING", Frame::ping()),
        ("WINDOW_UPDATE", Frame::window_update()),
        ("unknown frames", Frame::unknown()),
    ];
    let mut rows = Vec::new();
    for (name, frame) in frames {
        let title = format!("endless {name} before the head");
        rows.push(Row::new(Over::Http2, title, endless(At::Start, frame.clone()), Then::INVALID));
        rows.push(Row::new(Over::Http2, format!("endless {name} in the body"), endless(at, frame), Then::INVALID));
    }
    let open = file().frames(At::Start, [Frame::status(200).continued()]);
    rows.extend(Row::all(
        Over::Http2,
        vec![
            ("endless interim responses", endless(At::Start, Frame::status(103)), Then::INVALID),
            ("endless empty DATA", endless(at, Frame::data("")), Then::TRUNCATED),
            ("endless padding", endless(at, Frame::padding(255)), Then::TRUNCATED),
            ("endless CONTINUATION", open.endless_frames(At::Start, Frame::continuation()), Then::INVALID),
        ],
    ));
    rows
}

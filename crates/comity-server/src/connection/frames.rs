//! Counts HTTP/2 frames that make no progress.
//!
//! The HTTP library answers each PING and SETTINGS and continues to read, without a limit. A client that sends nothing
//! else keeps a processor busy and has no request that a limit could end. The same counter guards the client side in
//! `comity-fetch`, which shares no code with the service.

/// The first bytes of an HTTP/2 connection (RFC 9113 §3.4).
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The types of frames that make progress with a request (RFC 9113 §6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;

/// The length of a frame's header in bytes: length, type, flags, stream.
const HEADER: usize = 9;

/// The credit, in bytes, that a frame without progress costs. See [`FrameCounter`].
const FRAME_CREDIT: u32 = 32;
/// The maximum and initial credit of a connection: 2,000 frames.
const MAX_CREDIT: u32 = 2000 * FRAME_CREDIT;
/// The credit for the head of a request: 8 frames.
const HEADERS_CREDIT: u32 = 8 * FRAME_CREDIT;
/// The maximum credit for a piece of a body, which earns one for each byte: 4 frames.
const MAX_DATA_CREDIT: u32 = 4 * FRAME_CREDIT;

/// Parses the frames of a connection, and detects too many frames without progress.
///
/// A connection has credit for 2,000 of them. Each 32 bytes that are sent to the client or arrive in bodies earn the
/// credit of one frame, the head of a request earns that of 8: enough for clients that open windows of few bytes again
/// and again, and less than the answers to a flood of PING or SETTINGS would earn.
#[derive(Debug)]
pub(crate) struct FrameCounter {
    state: State,
    credit: u32,
}

#[derive(Debug)]
enum State {
    /// The number of bytes that have arrived of the preface, with which each HTTP/2 connection begins.
    Preface(usize),
    /// An HTTP/1.1 connection, which has no frames.
    Http1,
    /// The bytes of a frame's header, and the number of those that have arrived.
    Header([u8; HEADER], usize),
    /// The bytes of a frame that are still to come.
    Payload(u32),
}

impl FrameCounter {
    /// Returns a counter for a new connection.
    pub(crate) fn new() -> Self {
        Self { state: State::Preface(0), credit: MAX_CREDIT }
    }

    /// Counts bytes from the client. Returns false if the connection has no more credit.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) -> bool {
        while let Some(&first) = bytes.first() {
            match &mut self.state {
                State::Http1 => return true,
                State::Preface(came) => {
                    if first != PREFACE[*came] {
                        self.state = State::Http1;
                        return true;
                    }
                    *came += 1;
                    bytes = &bytes[1..];
                    if *came == PREFACE.len() {
                        self.state = State::Header([0; HEADER], 0);
                    }
                }
                State::Header(header, came) => {
                    let part = bytes.len().min(HEADER - *came);
                    header[*came..*came + part].copy_from_slice(&bytes[..part]);
                    *came += part;
                    bytes = &bytes[part..];
                    if *came == HEADER {
                        let length = u32::from_be_bytes([0, header[0], header[1], header[2]]);
                        let kind = header[3];
                        self.state = if length == 0 { State::Header([0; HEADER], 0) } else { State::Payload(length) };
                        if !self.count(kind, length) {
                            return false;
                        }
                    }
                }
                State::Payload(left) => {
                    let part = bytes.len().min(*left as usize);
                    *left -= part as u32;
                    bytes = &bytes[part..];
                    if *left == 0 {
                        self.state = State::Header([0; HEADER], 0);
                    }
                }
            }
        }
        true
    }

    /// Counts bytes that the client has accepted.
    pub(crate) fn wrote(&mut self, bytes: usize) {
        if !matches!(self.state, State::Http1) {
            self.earn(u32::try_from(bytes).unwrap_or(u32::MAX));
        }
    }

    fn count(&mut self, kind: u8, length: u32) -> bool {
        match kind {
            HEADERS => self.earn(HEADERS_CREDIT),
            DATA if length > 0 => self.earn(length.min(MAX_DATA_CREDIT)),
            _ => match self.credit.checked_sub(FRAME_CREDIT) {
                Some(left) => self.credit = left,
                None => return false,
            },
        }
        true
    }

    fn earn(&mut self, credit: u32) {
        self.credit = self.credit.saturating_add(credit).min(MAX_CREDIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PING: u8 = 6;

    fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, 0, 0, 0, 0, 1], payload].concat()
    }

    fn begun() -> FrameCounter {
        let mut counter = FrameCounter::new();
        assert!(counter.read(PREFACE));
        counter
    }

    /// Sends the same frames repeatedly. Returns how many times they were sent when the credit was used up.
    fn end_of(counter: &mut FrameCounter, frames: &[u8], written: usize) -> Option<usize> {
        (1..=10_000).find(|_| {
            counter.wrote(written);
            !counter.read(frames)
        })
    }

    #[test]
    fn floods_end_and_their_answers_do_not_pay_for_them() {
        // SETTINGS is answered with 9 octets, PING with 17.
        for (kind, payload, answer) in
            [(4, &b""[..], 9), (PING, b"whatever", 17), (2, b"01234", 0), (0xBE, b"", 0), (DATA, b"", 0)]
        {
            assert!(end_of(&mut begun(), &frame(kind, payload), answer).is_some_and(|frames| frames > 1900), "{kind}");
        }
    }

    #[test]
    fn progress_earns_credit() {
        let window = frame(8, &[0; 4]);
        let two = [&window[..], &window].concat();
        assert_eq!(end_of(&mut begun(), &[&frame(HEADERS, b"x")[..], &two].concat(), 100), None);
        assert_eq!(end_of(&mut begun(), &[&frame(DATA, &[0; 64])[..], &two].concat(), 0), None);
        assert_eq!(end_of(&mut begun(), &two, 73), None, "an answer of few octets each");
        assert!(end_of(&mut begun(), &[&frame(DATA, b"1")[..], &two].concat(), 0).is_some());
    }

    #[test]
    fn frames_are_found_however_they_are_cut() {
        let frames = [&PREFACE[..], &frame(HEADERS, &[7; 300]), &frame(PING, b"whatever"), &frame(DATA, b"")].concat();
        for size in 1..frames.len() {
            let mut counter = FrameCounter::new();
            counter.credit = 0;
            let mut is_left = true;
            for piece in frames.chunks(size) {
                is_left &= counter.read(piece);
            }
            // The head earns eight frames, and two are spent.
            assert!(is_left && counter.credit == HEADERS_CREDIT - 2 * FRAME_CREDIT, "{size}: {counter:?}");
        }
    }

    #[test]
    fn http_1_is_left_alone() {
        let mut counter = FrameCounter::new();
        assert!(counter.read(b"PRI * HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        assert!(counter.read(&vec![0; 1 << 20]));
    }
}

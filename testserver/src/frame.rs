//! HTTP/2 frames as bytes (RFC 9113 §4), for frames that an HTTP/2 library refuses to send.

use bytes::{BufMut, Bytes, BytesMut};

/// An HTTP/2 frame, valid or invalid, for [`Reply::frames`](crate::Reply::frames).
///
/// ```
/// use comity_testserver::{At, Frame, Reply};
///
/// // Half a body, then the end of the stream, without an error.
/// let reply = Reply::ok("User-agent: *\nDisallow: /\n").frames(At::Body(13), [Frame::rst_stream(0)]);
/// // Frames that change nothing, forever.
/// let reply = Reply::ok("").endless_frames(At::Start, Frame::ping());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Frame {
    kind: u8,
    flags: u8,
    is_on_stream: bool,
    payload: Bytes,
}

const END_STREAM: u8 = 0x1;
const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;

impl Frame {
    /// Returns a frame of the request's stream, of any type and with any flags and payload.
    pub fn on_stream(kind: u8, flags: u8, payload: impl Into<Bytes>) -> Self {
        Frame { kind, flags, is_on_stream: true, payload: payload.into() }
    }

    /// Returns a frame of the connection (stream 0), of any type and with any flags and payload.
    pub fn on_connection(kind: u8, flags: u8, payload: impl Into<Bytes>) -> Self {
        Frame { is_on_stream: false, ..Frame::on_stream(kind, flags, payload) }
    }

    /// Returns `DATA` without `END_STREAM`.
    pub fn data(bytes: impl Into<Bytes>) -> Self {
        Frame::on_stream(0, 0, bytes)
    }

    /// Returns `DATA` that contains only this number of bytes of padding.
    pub fn padding(octets: u8) -> Self {
        let mut payload = vec![0; 1 + usize::from(octets)];
        payload[0] = octets;
        Frame::on_stream(0, PADDED, payload)
    }

    /// Returns `HEADERS` with only a status. With 1xx it is an interim response.
    pub fn status(status: u16) -> Self {
        // A literal without indexing, with the name in entry 8 of the static table, `:status` (RFC 7541 §6.2.2).
        let mut payload = vec![0x08, 3];
        payload.extend_from_slice(format!("{status:03}").as_bytes());
        Frame::on_stream(1, END_HEADERS, payload)
    }

    /// Returns `PRIORITY`.
    pub fn priority() -> Self {
        Frame::on_stream(2, 0, vec![0, 0, 0, 0, 15])
    }

    /// Returns `RST_STREAM` with an error code (RFC 9113 §7).
    pub fn rst_stream(code: u32) -> Self {
        Frame::on_stream(3, 0, code.to_be_bytes().to_vec())
    }

    /// Returns `SETTINGS` without settings.
    pub fn settings() -> Self {
        Frame::on_connection(4, 0, Bytes::new())
    }

    /// Returns `PING`.
    pub fn ping() -> Self {
        Frame::on_connection(6, 0, vec![0; 8])
    }

    /// Returns `GOAWAY` with the last stream that the server claims to have processed, and an error code (RFC 9113 §7).
    pub fn go_away(last_stream: u32, code: u32) -> Self {
        let payload = [last_stream.to_be_bytes(), code.to_be_bytes()].concat();
        Frame::on_connection(7, 0, payload)
    }

    /// Returns `WINDOW_UPDATE` of the connection by one byte.
    pub fn window_update() -> Self {
        Frame::on_connection(8, 0, vec![0, 0, 0, 1])
    }

    /// Returns `CONTINUATION` without a field, which does not end the field block either.
    pub fn continuation() -> Self {
        Frame::on_stream(9, 0, Bytes::new())
    }

    /// Returns a frame of an unknown type.
    pub fn unknown() -> Self {
        Frame::on_connection(0xbb, 0, Bytes::new())
    }

    /// Sets `END_STREAM`.
    pub fn ending(mut self) -> Self {
        self.flags |= END_STREAM;
        self
    }

    /// Clears `END_HEADERS`, so that `CONTINUATION` must follow.
    pub fn continued(mut self) -> Self {
        self.flags &= !END_HEADERS;
        self
    }

    /// Returns the bytes on the wire.
    pub(crate) fn encode(&self, stream: u32) -> Bytes {
        let mut bytes = BytesMut::with_capacity(9 + self.payload.len());
        bytes.put_uint(self.payload.len() as u64, 3);
        bytes.put_u8(self.kind);
        bytes.put_u8(self.flags);
        bytes.put_u32(if self.is_on_stream { stream } else { 0 });
        bytes.put_slice(&self.payload);
        bytes.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets() {
        assert_eq!(Frame::rst_stream(8).encode(1)[..], [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8]);
        assert_eq!(Frame::go_away(1, 0).encode(1)[..], [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(Frame::data("ab").ending().encode(3)[..], [0, 0, 2, 0, 1, 0, 0, 0, 3, b'a', b'b']);
        assert_eq!(Frame::padding(2).encode(1)[..], [0, 0, 3, 0, 8, 0, 0, 0, 1, 2, 0, 0]);
        assert_eq!(Frame::status(103).encode(1)[..], [0, 0, 5, 1, 4, 0, 0, 0, 1, 8, 3, b'1', b'0', b'3']);
    }
}

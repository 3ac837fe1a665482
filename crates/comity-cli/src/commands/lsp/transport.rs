//! Messages over standard input and output, with a bound on their length.
//!
//! `lsp_server::Connection::stdio` allocates as many bytes as a `Content-Length` claims, so this module reads the
//! messages itself.

use std::io::{self, BufRead, Read};
use std::thread::{self, JoinHandle};

use anyhow::{Result, bail};
use crossbeam_channel::bounded;
use lsp_server::{Connection, Message};

/// The maximum length of a message, in bytes. An editor sends whole files, and every robots.txt is much shorter.
const MAX_MESSAGE_BYTES: u64 = 64 << 20;
/// The maximum length of a message's header, in bytes.
const MAX_HEADER_BYTES: u64 = 8 * 1024;

/// The threads that read and write.
pub(super) struct Threads {
    reader: JoinHandle<Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

/// Starts the threads that read and write messages.
pub(super) fn start() -> (Connection, Threads) {
    // The channels have no buffer, so a client that sends too fast has to wait.
    let (sender, requests) = bounded(0);
    let (answers, receiver) = bounded::<Message>(0);
    let server = Connection { sender: answers, receiver: requests };
    let writer = thread::spawn(move || {
        let mut out = io::stdout().lock();
        receiver.into_iter().try_for_each(|message| message.write(&mut out))
    });
    let reader = thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = read(&mut input)? {
            let is_exit = matches!(&message, Message::Notification(notification) if notification.method == "exit");
            // The receiver is dropped when the server has ended.
            if sender.send(message).is_err() || is_exit {
                break;
            }
        }
        Ok(())
    });
    (server, Threads { reader, writer })
}

impl Threads {
    /// Waits for both threads to end, and returns the first error.
    pub(super) fn join(self) -> Result<()> {
        let Self { reader, writer } = self;
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(())
    }
}

/// Reads a message, or returns `None` at the end of the input. If a message is too long, only its header is read.
fn read(input: &mut impl BufRead) -> Result<Option<Message>> {
    let mut message = Vec::new();
    let mut length: Option<u64> = None;
    loop {
        let start = message.len();
        let left = MAX_HEADER_BYTES - start as u64;
        if input.by_ref().take(left).read_until(b'\n', &mut message)? == 0 && start == 0 {
            return Ok(None);
        }
        let line = &message[start..];
        if !line.ends_with(b"\n") {
            bail!("expected a header of at most {MAX_HEADER_BYTES} bytes and its end, found neither");
        }
        let line = line.trim_ascii_end();
        if line.is_empty() {
            break;
        }
        let mut parts = line.splitn(2, |byte| *byte == b':');
        if parts.next().is_some_and(|name| name.eq_ignore_ascii_case(b"Content-Length")) {
            let value = String::from_utf8_lossy(parts.next().unwrap_or_default());
            length = value.trim().parse().ok();
            if length.is_none_or(|length| length > MAX_MESSAGE_BYTES) {
                bail!(
                    "expected a Content-Length of at most {MAX_MESSAGE_BYTES} bytes, found `{}`",
                    comity::Escaped(value.trim().as_bytes())
                );
            }
        }
    }
    let Some(length) = length else { bail!("expected a Content-Length before the message, found none") };
    if input.take(length).read_to_end(&mut message)? as u64 != length {
        bail!("expected a message of {length} bytes, found a shorter one");
    }
    Ok(Message::read(&mut &message[..])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_bounded() {
        let note = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let framed = |header: &str| format!("{header}\r\n\r\n{note}");
        let length = format!("content-length: {}", note.len());
        for header in [length.clone(), format!("Content-Type: x\r\n{length}"), format!("{length}\r\nOther: y")] {
            assert!(matches!(read(&mut framed(&header).as_bytes()), Ok(Some(_))), "{header}");
        }
        assert!(matches!(read(&mut &b""[..]), Ok(None)));
        for length in ["67108865", "4000000000", "99999999999999", "99999999999999999999999", "-1", "", "1x"] {
            let error = read(&mut framed(&format!("Content-Length: {length}")).as_bytes()).unwrap_err();
            assert!(error.to_string().contains("at most 67108864 bytes"), "{length}: {error}");
        }
        for other in [
            "\r\n".to_owned(),
            "Content-Type: x\r\n\r\n{}".to_owned(),
            "Content-Length: 3\r\n\r\n{}".to_owned(),
            "Content-Length: 2".to_owned(),
            "Content-Length\r\n\r\n{}".to_owned(),
            "x".repeat(10_000),
            "x: y\r\n".repeat(10_000),
        ] {
            assert!(read(&mut other.as_bytes()).is_err(), "{other:.50}");
        }
    }
}

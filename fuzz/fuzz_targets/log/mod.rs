//! Reads any bytes as a log of one format: nothing panics, and each line is read once, with its number.

use std::io::Read;

use comity_log::{LogClock, LogEntry, LogFormat, LogOptions, LogReader, MAX_LINE_BYTES};

/// A source that returns a few bytes at a time, so that lines and blocks end anywhere.
struct Slow<'b>(&'b [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let some = buffer.len().min(self.0.len() % 13 + 1);
        self.0.read(&mut buffer[..some])
    }
}

/// Reads a log that begins with these lines. `check` is called with each line that is a request.
pub(crate) fn read(format: LogFormat, start: &[u8], input: &[u8], check: impl Fn(&[u8], &LogEntry<'_>)) {
    let log = [start, input].concat();
    let options = LogOptions { format: Some(format), ..LogOptions::default() };
    let numbers = |source: &mut (dyn Read + Send)| -> Vec<(u64, bool)> {
        let mut reader = LogReader::open(source, &options).expect("the first lines are of the format");
        let (mut clock, mut numbers) = (LogClock::default(), Vec::new());
        while let Some(block) = reader.next_block() {
            for line in block.expect("the source does not fail").lines() {
                assert!(line.entry.is_err() || line.bytes.len() <= MAX_LINE_BYTES);
                if let Ok(Some(entry)) = &line.entry {
                    let texts =
                        [&entry.address, &entry.host, &entry.scheme, &entry.method, &entry.target, &entry.agent];
                    for text in texts.into_iter().flatten() {
                        assert!(text.len() <= line.bytes.len(), "escapes are longer than what they mean");
                    }
                    let _ = (entry.ip(), entry.time.as_ref().and_then(|time| clock.seconds(time)));
                    check(line.bytes, entry);
                }
                numbers.push((line.number, line.entry.is_ok()));
            }
        }
        assert_eq!(reader.line_count(), numbers.len() as u64);
        numbers
    };
    let whole = numbers(&mut &log[..]);
    let lines = log.strip_suffix(b"\n").unwrap_or(&log).split(|byte| *byte == b'\n').count() as u64;
    assert_eq!(whole.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (1..=lines).collect::<Vec<_>>());
    assert_eq!(numbers(&mut Slow(&log)), whole);
}

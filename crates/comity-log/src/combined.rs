//! The formats common and combined of Apache and nginx: with a host in front, with trailing fields, and those of S3.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem, memrchr};

use crate::entry::{LogEntry, LogProblem, ip, request_line, stated, unescaped};
use crate::time::number;

/// Reads a line. `host_first` is true if the first field is the host that was asked for.
pub(crate) fn parse(line: &[u8], host_first: bool) -> Result<LogEntry<'_>, LogProblem> {
    const EXPECTED: LogProblem = LogProblem("expected a line of an access log, with a request in quotes and a status");
    let quote = memchr(b'"', line).ok_or(EXPECTED)?;
    let (request, rest) = quoted(&line[quote..]).ok_or(EXPECTED)?;
    let rest = rest.trim_ascii_start();
    let (status, rest) = rest.split_at(memchr(b' ', rest).unwrap_or(rest.len()));
    let status = status_code(status).ok_or(EXPECTED)?;
    let request = request_line(request)?;
    let (before, time, after) = around_time(&line[..quote]);
    let mut words = before.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let (host, address) = match after.split(|byte| *byte == b' ').find(|word| !word.is_empty()) {
        // S3 writes the owner and the bucket before the time, and the client after it.
        Some(client) => (None, stated(client)),
        None if host_first => (stated(first), words.next().and_then(stated)),
        None => (None, stated(first)),
    };
    Ok(LogEntry {
        address,
        time: time.map(Cow::Borrowed),
        host,
        method: request.map(|[method, _]| method.into()),
        target: request.and_then(|[_, target]| stated(target)).map(unescaped),
        status: Some(status),
        agent: second_quoted(rest).and_then(stated).map(unescaped),
        ..LogEntry::default()
    })
}

/// Returns true if the first field of a line is a host and the second an address, and false for the reverse. Returns
/// `None` if the line does not show it: both may be addresses.
pub(crate) fn is_host_first(line: &[u8]) -> Option<bool> {
    let (before, ..) = around_time(&line[..memchr(b'"', line)?]);
    let mut words = before.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let (first, second) = (ip(words.next()?).is_some(), ip(words.next()?).is_some());
    (first != second).then_some(second)
}

/// Returns the text before the time, the time, and the text after it. The time is the last text in brackets that looks like
/// one: a client chooses the name of a user, which is before it.
fn around_time(prefix: &[u8]) -> (&[u8], Option<&[u8]>, &[u8]) {
    let mut end = prefix.len();
    while let Some(open) = memrchr(b'[', &prefix[..end]) {
        if let [_, _, _, b'/', _, _, _, b'/', ..] = &prefix[open..]
            && let Some(length) = memchr(b']', &prefix[open..])
        {
            return (&prefix[..open], Some(&prefix[open + 1..open + length]), &prefix[open + length + 1..]);
        }
        end = open;
    }
    (prefix, None, b"")
}

/// Returns the text in quotes at the start of a text, and the text after it. Servers escape quotes inside with a backslash.
pub(crate) fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', &text[at..])?;
        if text[at] == b'"' {
            return Some((&text[..at], &text[at + 1..]));
        }
        at = (at + 2).min(text.len());
    }
}

/// Returns the second text in quotes: the first one is the referrer.
fn second_quoted(rest: &[u8]) -> Option<&[u8]> {
    let (_, rest) = quoted(&rest[memchr(b'"', rest)?..])?;
    Some(quoted(&rest[memchr(b'"', rest)?..])?.0)
}

pub(crate) fn status_code(text: &[u8]) -> Option<u16> {
    number(text).filter(|_| text.len() == 3)?.try_into().ok()
}

/// Reads a line of an AWS load balancer: `https TIME NAME CLIENT TARGET … STATUS … "GET https://HOST:443/PATH HTTP/1.1"
/// "AGENT" …`.
pub(crate) fn parse_balancer(line: &[u8]) -> Result<LogEntry<'_>, LogProblem> {
    const EXPECTED: LogProblem =
        LogProblem("expected a line of a load balancer, with 12 fields and a request in quotes");
    let quote = memmem::find(line, b" \"").ok_or(EXPECTED)?;
    let fields: Vec<&[u8]> = line[..quote].split(|byte| *byte == b' ').collect();
    let [_, time, _, client, _, _, _, _, status, _, _, _] = *fields else { return Err(EXPECTED) };
    let (request, rest) = quoted(&line[quote + 1..]).ok_or(EXPECTED)?;
    let request = request_line(request)?;
    Ok(LogEntry {
        address: stated(client),
        time: Some(time.into()),
        method: request.map(|[method, _]| method.into()),
        target: request.and_then(|[_, target]| stated(target)).map(unescaped),
        status: status_code(status),
        agent: quoted(rest.trim_ascii_start()).and_then(|(agent, _)| stated(agent)).map(unescaped),
        ..LogEntry::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(field: Option<&Cow<'_, [u8]>>) -> String {
        field.map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default()
    }

    fn shown(line: &str) -> String {
        let first = is_host_first(line.as_bytes()).unwrap_or(false);
        let entry = parse(line.as_bytes(), first).unwrap();
        let time = crate::LogClock::default().seconds(entry.time.as_ref().unwrap());
        let fields =
            [&entry.host, &entry.address, &entry.method, &entry.target, &entry.agent].map(|f| text(f.as_ref()));
        format!("{} {:?} {:?}", fields.join("|"), time, entry.status)
    }

    #[test]
    fn formats_of_servers_are_read() {
        for (line, expected) in [
            (
                r#"192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 512"#,
                "|192.0.2.1|GET|/a?b=c| Some(1790856000) Some(200)",
            ),
            (
                r#"2001:db8::1 - a b [01/Oct/2026:12:00:00 +0000] "GET /b HTTP/2.0" 304 0 "-" "Bot \"1\"" "x" y"#,
                "|2001:db8::1|GET|/b|Bot \"1\" Some(1790856000) Some(304)",
            ),
            (
                r#"shop.example:443 192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "GET /b HTTP/1.1" 200 - "http://a" "Bot/1""#,
                "shop.example:443|192.0.2.1|GET|/b|Bot/1 Some(1790856000) Some(200)",
            ),
            (
                r#"owner bucket [01/Oct/2026:12:00:00 +0000] 192.0.2.3 - 3E57 REST.GET.OBJECT a "GET /a HTTP/1.1" 200 - 4 4 9 8 "-" "S3/1" -"#,
                "|192.0.2.3|GET|/a|S3/1 Some(1790856000) Some(200)",
            ),
            // The name of a user is text of the client.
            (
                r#"192.0.2.1 - [01/Jan/2020:00:00:00 +0000] [01/Oct/2026:12:00:00 +0000] "GET /b HTTP/1.1" 401 0 "-" "-""#,
                "|192.0.2.1|GET|/b| Some(1790856000) Some(401)",
            ),
            (
                r#"192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "\x16\x03" 400 0 "-" "-""#,
                "|192.0.2.1||| Some(1790856000) Some(400)",
            ),
            (r#"192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "-" 408 0"#, "|192.0.2.1||| Some(1790856000) Some(408)"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
        let line = br#"https 2026-10-01T12:00:00.186641Z app/a 192.0.2.1:2817 10.0.0.1:80 0.1 0.0 0.0 200 200 0 57 "GET https://shop.example:443/a HTTP/1.1" "Bot/1" ECDHE"#;
        let entry = parse_balancer(line).unwrap();
        assert_eq!(
            (text(entry.target.as_ref()), text(entry.agent.as_ref())),
            ("https://shop.example:443/a".to_owned(), "Bot/1".to_owned())
        );
        assert_eq!((entry.ip().unwrap().to_string(), entry.status), ("192.0.2.1".to_owned(), Some(200)));
    }

    #[test]
    fn torn_lines_are_problems() {
        for line in [
            "",
            r#"192.0.2.1 - - [x] "GET /q /p HTTP/1.1" 200 5"#,
            r#"192.0.2.1 - - [x] "GET /q\" 200 5"#,
            r#"192.0.2.1 - - [x] "GET /q HTTP/1.1" 2000 5"#,
            r#"he said "GET /x it" at once"#,
            r#"192.0.2.1 - - [x] "GET /q\"#,
        ] {
            assert!(parse(line.as_bytes(), false).is_err(), "{line}");
        }
    }
}

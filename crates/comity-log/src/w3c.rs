//! The W3C extended format, as IIS and CloudFront write it: a line `#Fields:` names the columns.

use std::borrow::Cow;

use memchr::{memchr, memmem};
use percent_encoding::percent_decode;

use crate::combined::status_code;
use crate::entry::{LogEntry, LogProblem, stated};

/// The start of the line that names the columns.
pub(crate) const FIELDS: &[u8] = b"#Fields:";

/// The columns of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    delimiter: u8,
    /// True for CloudFront, which percent-encodes texts once more. IIS decodes paths, and writes `+` for spaces.
    is_cloudfront: bool,
    count: usize,
    /// The places of the columns with these names.
    places: [Option<usize>; NAMES.len()],
}

/// The names of the columns that are read, the best first.
const NAMES: [&[&str]; 10] = [
    &["date"],
    &["time"],
    &["c-ip"],
    &["x-host-header", "cs-host", "cs(Host)"],
    &["cs-protocol"],
    &["cs-method"],
    &["cs-uri-stem", "cs-uri"],
    &["cs-uri-query"],
    &["sc-status"],
    &["cs(User-Agent)"],
];

impl Columns {
    /// Reads the line `#Fields: …`. Returns `None` if no column is a path.
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        let names: Vec<&[u8]> =
            line.strip_prefix(FIELDS)?.split(u8::is_ascii_whitespace).filter(|name| !name.is_empty()).collect();
        let column = |wanted: &[&str]| {
            wanted.iter().find_map(|want| names.iter().position(|name| name.eq_ignore_ascii_case(want.as_bytes())))
        };
        let is_cloudfront = column(&["x-edge-location"]).is_some();
        let delimiter = if is_cloudfront { b'\t' } else { b' ' };
        let columns = Self { delimiter, is_cloudfront, count: names.len(), places: NAMES.map(column) };
        columns.places[6].map(|_| columns)
    }

    pub(crate) fn parse<'l>(&self, line: &'l [u8]) -> Result<LogEntry<'l>, LogProblem> {
        let cells = self.cells(line);
        if cells.len() != self.count {
            return Err(LogProblem("expected as many columns as the line `#Fields:` has"));
        }
        let places = self.places.map(|place| place.map_or(&b"-"[..], |place| cells[place]));
        let [date, time, address, host, scheme, method, stem, query, status, agent] = places.map(unquoted);
        let target = match query {
            b"" | b"-" => Cow::Borrowed(stem),
            query => Cow::Owned([stem, b"?", query].concat()),
        };
        // Whether CloudFront encoded the path once more, or the client did, is not visible.
        let is_sent = is_unchanged_by_decoding(&target) || self.is_cloudfront && memchr(b'%', &target).is_none();
        let decoded = |text: &[u8]| percent_decode(text).collect::<Vec<u8>>();
        let with_spaces = |text: &[u8]| text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
        Ok(LogEntry {
            address: stated(address),
            time: (date != b"-" && time != b"-").then(|| [date, b"T", time, b"Z"].concat().into()),
            host: stated(host),
            scheme: stated(scheme).filter(|scheme| matches!(&**scheme, b"http" | b"https")),
            method: stated(method),
            target: (stem != b"-").then(|| if self.is_cloudfront { decoded(&target).into() } else { target }),
            is_rewritten: !is_sent,
            status: status_code(status),
            agent: stated(agent).map(|agent| match self.is_cloudfront {
                // Older logs of CloudFront have `%2520` for a space.
                true => decoded(&decoded(&agent)).into(),
                // A program that quotes texts leaves their spaces alone, and so their plus signs.
                false if places[9].starts_with(b"\"") => agent,
                false => Cow::Owned(with_spaces(&agent)),
            }),
        })
    }

    /// Returns the columns of a line. A column that begins with a quotation mark ends with one, and has delimiters of its own:
    /// cookies in logs of IIS, and all columns of some firewalls.
    fn cells<'l>(&self, line: &'l [u8]) -> Vec<&'l [u8]> {
        let (mut cells, mut rest) = (Vec::with_capacity(self.count), line);
        // Where no mark ends a column, none does after it either. Looking again for each column is quadratic.
        let mut has_mark = true;
        loop {
            let quoted = (has_mark && rest.starts_with(b"\""))
                .then(|| memmem::find(&rest[1..], &[b'"', self.delimiter]).map(|end| end + 2));
            has_mark &= quoted != Some(None);
            let end = quoted.flatten().or_else(|| match rest {
                [b'"', .., b'"'] => None,
                _ => memchr(self.delimiter, rest),
            });
            let Some(end) = end else {
                cells.push(rest);
                return cells;
            };
            cells.push(&rest[..end]);
            rest = &rest[end + 1..];
        }
    }
}

/// Returns a column without its quotation marks; `-` if nothing is between them.
fn unquoted(cell: &[u8]) -> &[u8] {
    match cell {
        [b'"', b'"'] => b"-",
        [b'"', text @ .., b'"'] => text,
        _ => cell,
    }
}

/// Returns true if the target that was sent had no escapes, or the log still has them.
fn is_unchanged_by_decoding(target: &[u8]) -> bool {
    target.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.~?=&".contains(byte))
        && !target.windows(2).any(|two| matches!(two, b"//" | b"/."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(fields: &str, line: &str) -> String {
        let entry = Columns::of(fields.as_bytes()).unwrap().parse(line.as_bytes()).unwrap();
        let texts = [&entry.address, &entry.scheme, &entry.host, &entry.method, &entry.target, &entry.agent];
        let texts =
            texts.map(|text| text.as_ref().map_or("-".to_owned(), |text| String::from_utf8_lossy(text).into_owned()));
        let time = crate::LogClock::default().seconds(entry.time.as_ref().unwrap());
        format!("{} {:?} {:?} {:?}", texts.join("|"), entry.status, time, entry.is_rewritten)
    }

    #[test]
    fn logs_of_servers_are_read() {
        let iis = "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken";
        assert_eq!(
            shown(
                iis,
                "2026-10-01 12:00:00 10.0.0.1 GET /my+page.aspx a=b 443 - 192.0.2.1 Bot/1+(+http://a) - 200 0 0 31"
            ),
            "192.0.2.1|-|-|GET|/my+page.aspx?a=b|Bot/1 ( http://a) Some(200) Some(1790856000) true"
        );
        let cloudfront = "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol";
        for (agent, stem, is_rewritten) in [("Bot/1%20(a)", "/a", false), ("Bot/1%2520(a)", "/%61", true)] {
            let line = format!(
                "2026-10-01\t12:00:00\tFRA2\t99\t192.0.2.1\tGET\td1.cloudfront.net\t{stem}\t200\t-\t{agent}\t-\t-\tHit\tid\tshop.example\thttps"
            );
            assert_eq!(
                shown(cloudfront, &line),
                format!("192.0.2.1|https|shop.example|GET|/a|Bot/1 (a) Some(200) Some(1790856000) {is_rewritten}")
            );
        }
    }

    #[test]
    fn quoted_columns_are_read() {
        let fields = "#Fields: date time cs-method cs-uri-stem c-ip cs(User-Agent) cs(Cookie) cs-host sc-status";
        for line in [
            r#"2026-10-01 12:00:00 GET /a 192.0.2.1 Bot/1+(a) "id=1; b" shop.example 200"#,
            r#""2026-10-01" "12:00:00" "GET" "/a" "192.0.2.1" "Bot/1 (a)" "" "shop.example" "200""#,
        ] {
            let expected = "192.0.2.1|-|shop.example|GET|/a|Bot/1 (a) Some(200) Some(1790856000) false";
            assert_eq!(shown(fields, line), expected, "{line}");
        }
        let columns = Columns::of(b"#Fields: cs-uri-stem cs(User-Agent)").unwrap();
        for (line, agent) in
            [(r#"/a "Bot (+http://a)""#, "Bot (+http://a)"), (r#"/a "torn"#, "\"torn"), (r#"/a """#, "-")]
        {
            let entry = columns.parse(line.as_bytes()).unwrap();
            let found = entry.agent.map_or("-".to_owned(), |agent| String::from_utf8_lossy(&agent).into_owned());
            assert_eq!(found, agent, "{line}");
        }
        assert!(columns.parse(br#""/a b "c"#).is_err());
    }

    #[test]
    fn other_lines_are_problems() {
        assert_eq!(Columns::of(b"#Fields: date time c-ip"), None);
        let columns = Columns::of(b"#Fields: date cs-uri-stem").unwrap();
        assert!(columns.parse(b"2026-10-01").is_err() && columns.parse(b"2026-10-01 /a b").is_err());
        assert_eq!(columns.parse(b"x -").unwrap().target, None);
    }
}

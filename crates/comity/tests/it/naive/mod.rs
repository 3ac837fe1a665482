//! A second implementation of everything that decides, for tests only.
//!
//! Written from the table of dialects, not from the engine, and as plainly as possible: owned strings, one pass for
//! each step, every rule tried against every path. What it shares with the engine is the table of crawlers.

use comity::{Crawler, Governed, Profile, Verdict};

mod walk;

pub(crate) use walk::walk;

/// The crawler.
#[derive(Clone, Debug)]
pub(crate) enum Asker<'a> {
    Token(Vec<u8>),
    Merged(Vec<&'a str>),
    Profile(Box<Profile>),
}

impl Asker<'_> {
    pub(crate) fn crawler(&self) -> Crawler<'_> {
        match self {
            Self::Token(token) => Crawler::literal(token),
            Self::Merged(tokens) => Crawler::merged_literal(tokens),
            Self::Profile(profile) => Crawler::from(&**profile),
        }
    }
}

/// The parts of an answer that are compared. Without an answer, robots.txt does not govern the crawler.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) allowed: Option<bool>,
    pub(crate) line: u32,
    pub(crate) seen: bool,
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        let allowed = (verdict.is_allowed() || verdict.is_disallowed()).then_some(verdict.is_allowed());
        Self { allowed, line: verdict.line().unwrap_or(0), seen: verdict.names_crawler() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speech {
    Standard,
    Google,
    GoogleParser,
    Bing,
    Yandex,
    Norobots,
}

use Speech::{Bing, Google, GoogleParser, Norobots, Standard, Yandex};

impl Speech {
    fn is_google(self) -> bool {
        matches!(self, Google | GoogleParser)
    }
}

/// A file, read.
#[derive(Debug)]
pub(crate) struct File {
    speech: Speech,
    /// It is too large for the crawler.
    refused: bool,
    groups: Vec<Group>,
}

#[derive(Debug, Default)]
struct Group {
    agents: Vec<Vec<u8>>,
    rules: Vec<Rule>,
    /// A rule was seen, be it one that doesn't act: the next user-agent line starts another group.
    closed: bool,
}

#[derive(Debug)]
struct Rule {
    line: u32,
    allow: bool,
    /// In the normal form.
    pattern: Vec<u8>,
}

/// The content of a line.
enum Said {
    Blank,
    Agent(Vec<u8>),
    Rule { allow: bool, value: Vec<u8>, cut: bool },
    Anything,
}

const SIZE_LIMIT: usize = 512_000;
const LINE_LIMIT: usize = 16_663;

impl File {
    pub(crate) fn read(dialect: &str, body: &[u8]) -> Self {
        let speech = match dialect {
            "standard" => Standard,
            "google" => Google,
            "google-parser" => GoogleParser,
            "bing" => Bing,
            "yandex" => Yandex,
            "norobots-1996" => Norobots,
            other => panic!("{other}"),
        };
        if speech == Yandex && body.len() > SIZE_LIMIT {
            return Self { speech, refused: true, groups: Vec::new() };
        }
        let mut groups: Vec<Group> = Vec::new();
        let mut in_group = false;
        let mut rule_count = 0;
        for (number, line) in (1..).zip(lines(&text(speech, body))) {
            match said(speech, &line) {
                Said::Blank => in_group = in_group && !matches!(speech, Yandex | Norobots),
                Said::Anything => {}
                Said::Agent(value) => {
                    if !in_group || groups.last().unwrap().closed {
                        groups.push(Group::default());
                    }
                    in_group = true;
                    groups.last_mut().unwrap().agents.push(value);
                }
                Said::Rule { .. } if !in_group => {}
                Said::Rule { allow, value, cut } => {
                    let group = groups.last_mut().unwrap();
                    group.closed = true;
                    rule_count += 1;
                    let widens = cut && allow && !speech.is_google();
                    let too_much = speech == Yandex && (value.len() > 1_024 || rule_count > 2_048);
                    if !widens && !too_much {
                        group.rules.push(Rule { line: number, allow, pattern: comparable(speech, &value, cut) });
                    }
                }
            }
        }
        Self { speech, refused: false, groups }
    }

    pub(crate) fn ask(&self, asker: &Asker<'_>, url: &[u8]) -> Outcome {
        let nothing = |seen| Outcome { allowed: Some(true), line: 0, seen };
        let url = if self.speech == GoogleParser { Some(url.to_vec()) } else { sent(url) };
        let Some((path, had_query)) = url.map(|url| path(self.speech, &url)) else {
            return Outcome { allowed: None, line: 0, seen: false };
        };
        let (groups, seen) = self.select(asker);
        let obeys_star = match asker {
            Asker::Profile(profile) if profile.governed == Governed::No => {
                return Outcome { allowed: None, line: 0, seen };
            }
            Asker::Profile(profile) => profile.obeys_star,
            Asker::Token(_) | Asker::Merged(_) => true,
        };
        if self.refused || (!seen && !obeys_star) {
            return nothing(seen);
        }
        if !self.speech.is_google() && path == b"/robots.txt" && !had_query {
            return nothing(seen);
        }
        let rules = groups.into_iter().flat_map(|group| &group.rules);
        let (line, blocks) = match self.speech {
            Norobots => first(rules, &path),
            Standard | Google | GoogleParser | Bing | Yandex => longest(self.speech, rules, &path),
        };
        Outcome { allowed: Some(!blocks), line, seen }
    }

    /// Returns the groups that apply, and true if they name the crawler.
    fn select(&self, asker: &Asker<'_>) -> (Vec<&Group>, bool) {
        let mut tokens: Vec<Vec<u8>> = match asker {
            Asker::Token(token) => vec![token.clone()],
            Asker::Merged(tokens) => tokens.iter().map(|token| token.as_bytes().to_vec()).collect(),
            Asker::Profile(profile) => profile.chain().map(|token| token.as_bytes().to_vec()).collect(),
        };
        if let (Yandex, Asker::Token(token)) = (self.speech, asker)
            && !matches!(token.as_slice(), b"" | b"*")
        {
            tokens.push(b"Yandex".to_vec());
        }
        let naming = |token: &[u8]| -> Vec<usize> {
            let names = |group: &Group| group.agents.iter().any(|value| names(self.speech, value, token));
            (0..self.groups.len()).filter(|i| names(&self.groups[*i])).collect()
        };
        let mut chosen = Vec::new();
        for token in &tokens {
            if chosen.is_empty() || matches!(asker, Asker::Merged(_)) {
                chosen.extend(naming(token));
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        let seen = !chosen.is_empty();
        if !seen {
            let star = |group: &Group| group.agents.iter().any(|value| is_star(self.speech, value));
            chosen = (0..self.groups.len()).filter(|i| star(&self.groups[*i])).collect();
        }
        if self.speech == Norobots {
            chosen.truncate(1);
        }
        (chosen.into_iter().map(|i| &self.groups[i]).collect(), seen)
    }
}

/// Returns the line of the first rule that matches, and true if it blocks.
fn first<'a>(rules: impl Iterator<Item = &'a Rule>, path: &[u8]) -> (u32, bool) {
    for rule in rules {
        // An empty `Disallow` allows everything; an empty `Allow` says nothing.
        if path.starts_with(&rule.pattern) && !(rule.allow && rule.pattern.is_empty()) {
            return (rule.line, !rule.allow && !rule.pattern.is_empty());
        }
    }
    (0, false)
}

/// Returns the line of the longest rule that matches, and true if it blocks. `Allow` wins between equals.
fn longest<'a>(speech: Speech, rules: impl Iterator<Item = &'a Rule>, path: &[u8]) -> (u32, bool) {
    // The longest of each kind, the first line of equals.
    let mut allow: Option<(usize, u32)> = None;
    let mut disallow: Option<(usize, u32)> = None;
    for rule in rules {
        let mut matched = matches(&rule.pattern, path).then_some(rule.pattern.len());
        if matched.is_none() && rule.allow && speech.is_google() {
            let directory = rule.pattern.iter().rposition(|octet| *octet == b'/');
            if let Some(slash) = directory.filter(|slash| rule.pattern[*slash..].starts_with(b"/index.htm")) {
                let twin = [&rule.pattern[..=slash], b"$"].concat();
                matched = matches(&twin, path).then_some(twin.len());
            }
        }
        let best = if rule.allow { &mut allow } else { &mut disallow };
        if let Some(len) = matched
            && best.is_none_or(|(longest, _)| len > longest)
        {
            *best = Some((len, rule.line));
        }
    }
    match (allow, disallow) {
        (None, None) => (0, false),
        (Some((_, line)), None) => (line, false),
        (Some((a, line)), Some((d, _))) if a >= d => (line, false),
        (_, Some((len, line))) => (line, len > 0),
    }
}

/// Returns true if a pattern with operators matches. `ends` contains each length of path that the pattern so far can
/// match.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (body, to_the_end) = match pattern {
        [body @ .., b'$'] => (body, true),
        _ => (pattern, false),
    };
    let mut ends = vec![0];
    for octet in body {
        ends = match octet {
            b'*' => (ends[0]..=path.len()).collect(),
            _ => ends.into_iter().filter(|end| path.get(*end) == Some(octet)).map(|end| end + 1).collect(),
        };
        if ends.is_empty() {
            return false;
        }
    }
    !to_the_end || ends.contains(&path.len())
}

/// Returns the part of a body that crawlers read.
fn text(speech: Speech, body: &[u8]) -> Vec<u8> {
    const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
    if speech.is_google() {
        let limit = if speech == Google { SIZE_LIMIT } else { body.len() };
        let mut rest = &body[..body.len().min(limit)];
        for byte in MARK {
            match rest {
                [first, tail @ ..] if *first == byte => rest = tail,
                _ => break,
            }
        }
        return rest.to_vec();
    }
    let (kept, rest) = body.split_at(body.len().min(SIZE_LIMIT));
    let (mut text, next) = match kept {
        [0xFF, 0xFE, 0, 0, ..] => (kept.to_vec(), rest.first().map(|byte| u16::from(*byte))),
        [0xFF, 0xFE, kept @ ..] => utf16(kept, rest, u16::from_le_bytes),
        [0xFE, 0xFF, kept @ ..] => utf16(kept, rest, u16::from_be_bytes),
        _ => (kept.strip_prefix(&MARK).unwrap_or(kept).to_vec(), rest.first().map(|byte| u16::from(*byte))),
    };
    // The bytes after the limit tell whether the last line is complete.
    let is_end = |unit: u16| matches!(unit, 10 | 13);
    if next.is_some_and(|unit| !is_end(unit)) {
        while text.last().is_some_and(|byte| !is_end(u16::from(*byte))) {
            text.pop();
        }
    }
    text
}

/// The text in UTF-8, and the unit after it. A unit that is cut in half is U+FFFD.
fn utf16(kept: &[u8], rest: &[u8], unit: fn([u8; 2]) -> u16) -> (Vec<u8>, Option<u16>) {
    let units: Vec<u16> = kept.chunks(2).map(|pair| if let [a, b] = *pair { unit([a, b]) } else { 0xFFFD }).collect();
    let next = rest.first().map(|first| rest.get(1).map_or(0xFFFD, |second| unit([*first, *second])));
    (String::from_utf16_lossy(&units).into_bytes(), next)
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = vec![Vec::new()];
    for (i, byte) in text.iter().enumerate() {
        match byte {
            b'\n' if i > 0 && text[i - 1] == b'\r' => {} // one line end of two bytes
            b'\n' | b'\r' => lines.push(Vec::new()),
            _ => lines.last_mut().unwrap().push(*byte),
        }
    }
    lines
}

fn said(speech: Speech, line: &[u8]) -> Said {
    let kept = &line[..line.len().min(LINE_LIMIT)];
    let content = kept.split(|byte| *byte == 0).next().unwrap();
    let record = content.split(|byte| *byte == b'#').next().unwrap();
    // The rest of the line was dropped, and it may have been part of the value.
    // The rest after the limit belongs to the value unless a comment or a NUL comes first, or it is white space.
    let after = line[kept.len()..].split(|b| matches!(b, b'#' | 0)).next().unwrap_or_default();
    let cut = record.len() == kept.len() && after.iter().any(|b| !b" \t\x0B\x0C".contains(b));
    let record = trim(record);
    if record.is_empty() {
        return if content.contains(&b'#') { Said::Anything } else { Said::Blank };
    }
    let (name, value) = if let Some(colon) = record.iter().position(|byte| *byte == b':') {
        (trim(&record[..colon]), trim(&record[colon + 1..]))
    } else {
        let words: Vec<&[u8]> =
            record.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty()).collect();
        match words[..] {
            [name, value] if speech != Norobots => (trim(name), trim(value)),
            _ => return Said::Anything,
        }
    };
    let value = value.to_vec();
    if is_field(speech, name, "user-agent", &["useragent", "user agent"]) {
        Said::Agent(value)
    } else if is_field(speech, name, "allow", &[]) {
        Said::Rule { allow: true, value, cut }
    } else if is_field(speech, name, "disallow", &["dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        Said::Rule { allow: false, value, cut }
    } else {
        Said::Anything
    }
}

fn is_field(speech: Speech, name: &[u8], known: &str, typos: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    let is = |known: &str| match speech {
        Google | GoogleParser => name.starts_with(known.as_bytes()),
        Standard | Bing | Yandex | Norobots => name == known.as_bytes(),
    };
    is(known) || (speech != Norobots && typos.iter().any(|typo| is(typo)))
}

fn trim(mut bytes: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| b" \t\x0B\x0C".contains(byte);
    loop {
        bytes = match bytes {
            [first, rest @ ..] if is_space(first) => rest,
            [rest @ .., last] if is_space(last) => rest,
            _ => return bytes,
        };
    }
}

fn is_star(speech: Speech, value: &[u8]) -> bool {
    value == b"*" || (speech != Norobots && value.len() > 1 && value[0] == b'*' && b" \t\x0B\x0C".contains(&value[1]))
}

fn names(speech: Speech, value: &[u8], asked: &[u8]) -> bool {
    if is_star(speech, value) {
        return false;
    }
    let (value, asked) = (value.to_ascii_lowercase(), asked.to_ascii_lowercase());
    let leading =
        |accepts: &dyn Fn(u8) -> bool| -> Vec<u8> { value.iter().copied().take_while(|b| accepts(*b)).collect() };
    match speech {
        Google | GoogleParser => leading(&|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-') == asked,
        Norobots => {
            let token = leading(&|b| b != b'/');
            let token = trim(&token);
            !token.is_empty() && (0..asked.len()).any(|i| asked[i..].starts_with(token))
        }
        Standard | Bing | Yandex => {
            let mut token = leading(&|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
            while token.last() == Some(&b'.') {
                token.pop();
            }
            !asked.is_empty() && (token == asked || value == asked)
        }
    }
}

/// A byte, escaped or not.
enum Unit {
    Bare(u8),
    Escaped(u8),
}

fn units(bytes: &[u8]) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let digits = bytes.get(i + 1..i + 3).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        if let (b'%', Some(digits)) = (bytes[i], digits) {
            let digits = std::str::from_utf8(digits).unwrap();
            units.push(Unit::Escaped(u8::from_str_radix(digits, 16).unwrap()));
            i += 3;
        } else {
            units.push(Unit::Bare(bytes[i]));
            i += 1;
        }
    }
    units
}

fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"-._~".contains(&octet)
}

fn escaped(octet: u8) -> Vec<u8> {
    format!("%{octet:02X}").into_bytes()
}

/// A pattern in its normal form.
fn comparable(speech: Speech, value: &[u8], cut: bool) -> Vec<u8> {
    let mut value = value;
    if cut && !speech.is_google() {
        value = match value {
            [rest @ .., b'%', _] | [rest @ .., b'%'] => rest,
            _ => value,
        };
    }
    let units = units(value);
    let last = units.len().saturating_sub(1);
    let parts = units.iter().enumerate().map(|(i, unit)| match (speech, unit) {
        (Norobots, Unit::Bare(octet)) => vec![*octet],
        (Norobots, Unit::Escaped(octet)) if *octet != b'/' => vec![*octet],
        (Standard | Bing | Yandex, Unit::Escaped(octet)) if is_unreserved(*octet) => vec![*octet],
        (Standard | Bing | Yandex, Unit::Bare(b'$')) if i < last || cut => escaped(b'$'),
        (_, Unit::Bare(octet)) if octet.is_ascii() => vec![*octet],
        (_, Unit::Escaped(octet) | Unit::Bare(octet)) => escaped(*octet),
    });
    parts.flatten().collect()
}

/// Returns a URL or a path in the form in which a client sends it, or `None` for other text.
fn sent(url: &[u8]) -> Option<Vec<u8>> {
    let mut text: Vec<u8> = url.to_vec();
    while text.first().is_some_and(|octet| *octet <= b' ') {
        text.remove(0);
    }
    while text.last().is_some_and(|octet| *octet <= b' ') {
        text.pop();
    }
    text.retain(|octet| !b"\t\n\r".contains(octet));
    let colon = text.iter().position(|octet| *octet == b':').unwrap_or(0);
    let scheme = String::from_utf8_lossy(&text[..colon]).to_ascii_lowercase();
    let is_path = matches!(text.first(), Some(b'/' | b'\\'));
    let is_special = is_path || matches!(&*scheme, "http" | "https" | "ws" | "wss" | "ftp");
    let is_slash = |octet: &u8| *octet == b'/' || is_special && *octet == b'\\';
    let ends = |octet: &u8| is_slash(octet) || matches!(octet, b'?' | b'#');
    let (site, rest) = if is_path {
        (Vec::new(), text)
    } else {
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_lowercase())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
            && scheme != "file";
        let after = &text[(colon + 1).min(text.len())..];
        let slashes = after.iter().take_while(|octet| is_slash(octet)).count();
        if !is_scheme || !is_special && slashes < 2 {
            return None;
        }
        let after = &after[if is_special { slashes } else { 2 }..];
        let end = after.iter().position(ends).unwrap_or(after.len());
        let host = after[..end].rsplit(|octet| *octet == b'@').next()?;
        if host.is_empty() || host[0] == b':' {
            return None;
        }
        ([scheme.as_bytes(), b"://", &after[..end]].concat(), after[end..].to_vec())
    };
    let end = rest.iter().position(|octet| matches!(octet, b'?' | b'#')).unwrap_or(rest.len());
    let (path, query) = rest.split_at(end);
    let mut segments: Vec<Vec<u8>> = Vec::new();
    let parts: Vec<&[u8]> = path.split(is_slash).collect();
    for (i, part) in parts.iter().enumerate().skip(1) {
        let dots = String::from_utf8_lossy(part).to_ascii_lowercase().replace("%2e", ".");
        match &*dots {
            "." | ".." => {
                if dots == ".." {
                    segments.pop();
                }
                if i + 1 == parts.len() {
                    segments.push(Vec::new());
                }
            }
            _ => segments.push(part.to_vec()),
        }
    }
    // A path alone must not start with two slashes, except for what they are the result of.
    if is_path && parts.len() > 2 && parts[1].is_empty() {
        return None;
    }
    let path: Vec<u8> = segments.iter().flat_map(|segment| [b"/", &**segment].concat()).collect();
    let site = if is_path && path.starts_with(b"//") { b"http://h".to_vec() } else { site };
    Some([site, path, query.to_vec()].concat())
}

/// Returns the path that rules are matched against, and true if a query was removed from it.
fn path(speech: Speech, url: &[u8]) -> (Vec<u8>, bool) {
    let until = |bytes: &[u8], end: u8| bytes.split(|byte| *byte == end).next().unwrap().to_vec();
    let starts: &[u8] = if speech.is_google() { b"/?;" } else { b"/?" };
    let find_start = |bytes: &[u8]| bytes.iter().position(|byte| starts.contains(byte));
    let mut rest = url.to_vec();
    if speech.is_google() {
        rest = url.strip_prefix(b"//").unwrap_or(url).to_vec();
    } else {
        rest = until(&rest, b'#');
    }
    let scheme = rest.windows(3).position(|part| part == b"://");
    let authority = match scheme {
        Some(end) if find_start(&rest[..end]).is_none() => end + 3,
        _ => 0,
    };
    let start = find_start(&rest[authority..]).map_or(rest.len(), |i| authority + i);
    let mut target = rest[start..].to_vec();
    if speech.is_google() {
        target = if rest[..start].contains(&b'#') { Vec::new() } else { until(&until(&target, b'#'), 0) };
    }
    let had_query = speech == Norobots && target.contains(&b'?');
    if had_query {
        target = until(&target, b'?');
    }
    if target.first() != Some(&b'/') {
        target.insert(0, b'/');
    }
    if speech.is_google() {
        let is_kept = |octet: &u8| octet.is_ascii() || speech == GoogleParser;
        let parts = target.iter().map(|octet| if is_kept(octet) { vec![*octet] } else { escaped(*octet) });
        return (parts.flatten().collect(), had_query);
    }
    let parts = units(&target).into_iter().map(|unit| match (speech, unit) {
        (Norobots, Unit::Bare(octet)) => vec![octet],
        (Norobots, Unit::Escaped(octet)) if octet != b'/' => vec![octet],
        (Standard | Bing | Yandex, Unit::Escaped(octet)) if is_unreserved(octet) => vec![octet],
        (_, Unit::Bare(octet)) if octet.is_ascii() && !matches!(octet, b'*' | b'$') => vec![octet],
        (_, Unit::Escaped(octet) | Unit::Bare(octet)) => escaped(octet),
    });
    (parts.flatten().collect(), had_query)
}

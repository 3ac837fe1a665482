//! One line of a batch and its answer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Instant;

use comity::{Answer, Dialect, Escaped, Origin, Rules, Verdict, is_plain_path};
use comity_fetch::{CheckError, Known, Standing, Time};
use comity_report::{Files, Object, ObjectError, Who, why_without_rules};
use futures_util::FutureExt;
use url::Url;

use crate::state::State;

/// Bytes of a line that has many URLs, and of a file that has many rules: both at once are much work.
const MANY: usize = 4 << 10;
const MUCH: usize = 16 << 10;

/// Answers lines, and keeps at hand what the next ones will probably need.
pub(super) struct Answerer {
    state: State,
    /// How files are read that lines bring; and those of sites, if it was named.
    dialect: Dialect,
    is_named: bool,
    files: Files,
    /// Sites that were asked about in this step.
    sites: Vec<Site>,
    /// Files of sites in another dialect than the service's, by when they were asked for.
    read: HashMap<Origin, (Option<Time>, Known)>,
    /// Whether it works where that holds up nobody.
    is_apart: bool,
}

/// What became of a line.
pub(super) enum LineState {
    /// Its answer was written.
    Answered,
    /// Its site has to be asked first.
    Waiting(Origin),
    /// It is much work, which would hold up others.
    Long,
}

/// What a line needs.
enum Need {
    Nothing,
    Site(Origin),
    Time,
}

/// A site, and who stands how with it.
struct Site {
    origin: Origin,
    /// The origin as a URL begins with it: `https://example.com`.
    prefix: String,
    known: Known,
    /// The first digits of its copy's hash, as JSON.
    copy: String,
    standings: Vec<(Who<'static>, Standing)>,
}

/// The rules that decide.
enum Judge<'s> {
    /// Those of a file that the line brings.
    File(&'s Rules),
    /// Those of a site.
    Site(&'s Standing),
}

/// A URL as it is asked for.
enum Asked<'u> {
    /// On the site that it is about.
    Here(Cow<'u, str>),
    /// On another one.
    Elsewhere,
}

impl Answerer {
    /// Bytes of parsed files that lines bring.
    const FILES: usize = 8 << 20;
    /// Sites at hand in one step; and those that are read in a dialect of their own.
    const SITES: usize = 64;
    /// Crawlers at hand for each.
    const STANDINGS: usize = 16;

    pub(super) fn new(state: State, named: Option<Dialect>) -> Self {
        Self {
            dialect: named.unwrap_or(Dialect::STANDARD),
            is_named: named.is_some_and(|named| named.name != state.dialect().name),
            state,
            files: Files::new(Self::FILES),
            sites: Vec::new(),
            read: HashMap::new(),
            is_apart: false,
        }
    }

    /// The same, where work holds up nobody.
    pub(super) fn apart(self) -> Self {
        Self { is_apart: true, ..self }
    }

    /// Lets go of what may be no longer true of sites: what is due is asked for again in the next step.
    pub(super) fn begin_step(&mut self) {
        self.sites.clear();
    }

    /// Appends the answer to a line, or says which site it needs. `input_line` is told where it helps.
    pub(super) fn answer(&mut self, line: &[u8], number: u64, tells_line: bool, out: &mut Vec<u8>) -> LineState {
        let mut object = match Object::parse(line) {
            Ok(object) => object,
            Err(error) => {
                complain(&error, number, out);
                return LineState::Answered;
            }
        };
        match self.enter(&mut object, line.len()) {
            Ok(Need::Nothing) => {
                if tells_line {
                    object.set_number("input_line", number);
                }
            }
            Ok(Need::Site(origin)) => return LineState::Waiting(origin),
            Ok(Need::Time) => return LineState::Long,
            Err(error) => object.complain(&error.to_string(), number),
        }
        object.write(out);
        out.push(b'\n');
        LineState::Answered
    }

    /// Takes in what became known of a site, for the lines that wait for it.
    pub(super) fn learn(&mut self, known: Known) {
        self.add(known);
    }

    /// Enters the answer into a line, or finds the site that has to be asked first.
    fn enter(&mut self, object: &mut Object<'_>, length: usize) -> Result<Need, ObjectError> {
        if object.has("robots_file") {
            return Err(ObjectError::new("`robots_file` is not read here: give the file itself, in `robots`"));
        }
        let who = object.who()?;
        let body = object.bytes("robots", "robots_b64")?;
        let is_group = object.has("urls");
        let has_many = !self.is_apart && is_group && length > MANY;
        if let Some(body) = body {
            if has_many && body.len() > MUCH {
                return Ok(Need::Time);
            }
            let origin = if is_group { origin_of(object)? } else { None };
            let file = self.files.get(&body, &self.dialect);
            if file.rules_of(&who).is_none() {
                let rules = who.with(self.state.crawlers(), |crawler| file.robots().rules_for(crawler))?;
                // The cache may be full; then they are for this line alone.
                if is_group {
                    answer_group(object, &Judge::File(&rules), origin.as_ref(), &self.dialect)?;
                } else {
                    answer_one(object, &rules)?;
                }
                object.set_json("copy", "null");
                self.files.keep(who.into_owned(), rules);
                return Ok(Need::Nothing);
            }
            let Some(rules) = file.rules_of(&who) else { return Ok(Need::Nothing) };
            if is_group {
                answer_group(object, &Judge::File(rules), origin.as_ref(), &self.dialect)?;
            } else {
                answer_one(object, rules)?;
            }
            object.set_json("copy", "null");
            return Ok(Need::Nothing);
        }
        if is_group {
            let origin = origin_of(object)?.ok_or_else(|| {
                ObjectError::new("whose URLs? Name their site in `origin`, or give its file in `robots`")
            })?;
            let Some(site) = self.site(&origin)? else { return Ok(Need::Site(origin)) };
            if has_many && self.sites[site].known.copy().is_some_and(|copy| copy.body.len() > MUCH) {
                return Ok(Need::Time);
            }
            let standing = self.standing(site, who)?;
            let (standing, copy) = (&self.sites[site].standings[standing].1, self.sites[site].copy.clone());
            answer_group(object, &Judge::Site(standing), Some(&origin), self.live_dialect())?;
            object.set_json("copy", copy);
            return Ok(Need::Nothing);
        }
        let url = object
            .bytes("url", "url_b64")?
            .ok_or_else(|| ObjectError::new("expected `url` or `url_b64`, found neither"))?;
        let url = std::str::from_utf8(&url)
            .map_err(|_| ObjectError::new("expected a URL in `url_b64`, found bytes that are no text"))?;
        // Mostly it is on the site of the last one, and stands as it would be sent.
        let here = |site: &Site| url.strip_prefix(site.prefix.as_str()).is_some_and(is_plain_path);
        let (site, asked) = if let Some(at) = self.sites.iter().position(here) {
            (at, Cow::Borrowed(url))
        } else {
            let (sent, origin) = Origin::sent(url).map_err(ObjectError::new)?;
            let Some(site) = self.site(&origin)? else { return Ok(Need::Site(origin)) };
            let is_raw = comity_report::accepts_raw_urls(self.live_dialect());
            (site, if is_raw { Cow::Borrowed(url) } else { sent })
        };
        let standing = self.standing(site, who)?;
        let site = &self.sites[site];
        let outcome = site.standings[standing].1.check(&asked);
        match outcome.verdict() {
            Some(verdict) => object.answer(&verdict),
            None => object.answer_without_rules(outcome.answer(), why_without_rules(&outcome)),
        }
        object.set_json("copy", site.copy.clone());
        Ok(Need::Nothing)
    }

    fn live_dialect(&self) -> &Dialect {
        if self.is_named { &self.dialect } else { self.state.dialect() }
    }

    /// Where a site is at hand; none if it has to be asked.
    fn site(&mut self, origin: &Origin) -> Result<Option<usize>, ObjectError> {
        if let Some(at) = self.sites.iter().position(|site| site.origin == *origin) {
            return Ok(Some(at));
        }
        // What is remembered is there at once. What is not, is being asked from now on, whoever waits for it.
        match self.state.client().known_at(origin).boxed().now_or_never() {
            Some(Ok(known)) => Ok(Some(self.add(known))),
            Some(Err(error)) => Err(ObjectError::new(error)),
            None => Ok(None),
        }
    }

    fn add(&mut self, known: Known) -> usize {
        if self.sites.len() >= Self::SITES {
            self.sites.clear();
        }
        let known = if self.is_named { self.read_in_dialect(&known) } else { known };
        let copy = known.hash().map_or_else(|| "null".to_owned(), |hash| format!("\"{}\"", &hash.to_string()[..16]));
        let (origin, prefix) = (known.origin().clone(), known.origin().to_string());
        self.sites.retain(|site| site.origin != origin);
        self.sites.push(Site { origin, prefix, known, copy, standings: Vec::new() });
        self.sites.len() - 1
    }

    /// The file in the dialect of this batch; it is not parsed anew for each step.
    fn read_in_dialect(&mut self, known: &Known) -> Known {
        let asked = known.attempt().map(|attempt| attempt.ended);
        if let Some((when, read)) = self.read.get(known.origin())
            && *when == asked
        {
            return read.clone();
        }
        if self.read.len() >= Self::SITES {
            self.read.clear();
        }
        let read = known.read_in(&self.dialect);
        self.read.insert(known.origin().clone(), (asked, read.clone()));
        read
    }

    /// Where it is kept how a crawler stands with a site.
    fn standing(&mut self, site: usize, who: Who<'_>) -> Result<usize, ObjectError> {
        let site = &mut self.sites[site];
        if let Some(at) = site.standings.iter().position(|(known, _)| *known == who) {
            return Ok(at);
        }
        let client = self.state.client();
        let standing = who.with(self.state.crawlers(), |crawler| client.standing(&site.known, crawler))?;
        if site.standings.len() >= Self::STANDINGS {
            site.standings.clear();
        }
        site.standings.push((who.into_owned(), standing));
        Ok(site.standings.len() - 1)
    }
}

/// Appends a line for one that could not be answered at all.
pub(super) fn complain(error: &dyn std::fmt::Display, number: u64, out: &mut Vec<u8>) {
    let mut object = Object::default();
    object.complain(&error.to_string(), number);
    object.write(out);
    out.push(b'\n');
}

/// Appends a line whose site could not even be asked.
pub(super) fn refuse(line: &[u8], error: &CheckError, number: u64, out: &mut Vec<u8>) {
    let mut object = Object::parse(line).unwrap_or_default();
    object.complain(&error.to_string(), number);
    object.write(out);
    out.push(b'\n');
}

/// The site that a line names.
fn origin_of(object: &Object<'_>) -> Result<Option<Origin>, ObjectError> {
    let Some(text) = object.text("origin")? else { return Ok(None) };
    Origin::of(&text).map(Some).map_err(|error| ObjectError::new(format!("`origin`: {error}")))
}

/// A single question about a file that the line brings.
fn answer_one(object: &mut Object<'_>, rules: &Rules) -> Result<(), ObjectError> {
    let url = object.bytes("url", "url_b64")?;
    let url = url.ok_or_else(|| ObjectError::new("expected `url` or `url_b64`, found neither"))?;
    object.answer(&rules.check(&url));
    Ok(())
}

/// Many URLs of one site: a list of answers, and a list of the lines that decide.
fn answer_group(
    object: &mut Object<'_>,
    judge: &Judge<'_>,
    origin: Option<&Origin>,
    dialect: &Dialect,
) -> Result<(), ObjectError> {
    /// How long one line may take.
    const MOST: std::time::Duration = std::time::Duration::from_secs(5);
    /// So often is looked at the clock.
    const OFTEN: u32 = 16;
    let prefix = origin.map(Origin::to_string);
    let is_raw = comity_report::accepts_raw_urls(dialect);
    let began = Instant::now();
    let (mut allowed, mut lines) = (String::from("["), String::from("["));
    let (mut count, mut is_over) = (0_u32, false);
    let is_there = object.each_text("urls", |url| {
        count += 1;
        if is_over || (count.is_multiple_of(OFTEN) && began.elapsed() > MOST) {
            is_over = true;
            return;
        }
        let (answer, line) = match asked(url, prefix.as_deref(), origin, is_raw) {
            Asked::Elsewhere => (Answer::OutOfScope, None),
            Asked::Here(url) => match judge {
                Judge::File(rules) => of_verdict(&rules.check(&*url)),
                Judge::Site(standing) => {
                    let outcome = standing.check(&url);
                    (outcome.answer(), outcome.verdict().and_then(|verdict| verdict.line()))
                }
            },
        };
        allowed += match answer {
            Answer::Allowed => "true,",
            Answer::Disallowed => "false,",
            _ => "null,",
        };
        push_number(&mut lines, line.unwrap_or(0));
        lines.push(',');
    })?;
    if !is_there {
        return Err(ObjectError::new("expected a list of texts in `urls`"));
    }
    if is_over {
        return Err(ObjectError::new(
            "its answers take more than 5 seconds to work out: ask about fewer URLs in a line",
        ));
    }
    for list in [&mut allowed, &mut lines] {
        if list.len() > 1 {
            list.pop();
        }
        list.push(']');
    }
    object.remove(&["error", "input_line"]);
    object.set_json("allowed", allowed);
    object.set_json("lines", lines);
    Ok(())
}

fn of_verdict(verdict: &Verdict) -> (Answer, Option<u32>) {
    (verdict.answer(), verdict.line())
}

/// A URL of a group as it is asked for: whole, or a path on the group's site.
fn asked<'u>(url: &'u str, prefix: Option<&str>, origin: Option<&Origin>, is_raw: bool) -> Asked<'u> {
    /// A site for paths that come without one.
    const SOME: &str = "http://site.invalid";
    if url.starts_with('/') && !url.starts_with("//") {
        if is_raw || is_plain_path(url) {
            return Asked::Here(Cow::Borrowed(url));
        }
        let sent = Url::parse(&format!("{SOME}{url}")).ok();
        let sent = sent.and_then(|sent| sent.as_str().strip_prefix(SOME).map(str::to_owned));
        return Asked::Here(sent.map_or(Cow::Borrowed(url), Cow::Owned));
    }
    if let Some(prefix) = prefix
        && url.strip_prefix(prefix).is_some_and(is_plain_path)
    {
        return Asked::Here(Cow::Borrowed(url));
    }
    let Ok(parsed) = Url::parse(url) else { return Asked::Elsewhere };
    let its_origin = Origin::of_url(&parsed);
    match origin {
        Some(origin) if its_origin.as_ref() != Some(origin) => Asked::Elsewhere,
        _ if is_raw => Asked::Here(Cow::Borrowed(url)),
        _ => Asked::Here(Cow::Owned(parsed.into())),
    }
}

/// Appends a number. Most lines are short numbers, and there are millions of them.
fn push_number(text: &mut String, number: u32) {
    let mut digits = [0; 10];
    let (mut at, mut rest) = (digits.len(), number);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    text.extend(digits[at..].iter().map(|digit| char::from(*digit)));
}

/// What a complaint about an unknown option says.
pub(super) fn unknown(name: &str) -> String {
    format!("expected `dialect` or `ordered` in the query, found `{}`", Escaped(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::push_number;

    #[test]
    fn numbers_have_their_digits() {
        for number in [0, 1, 9, 10, 12_345, u32::MAX] {
            let mut text = String::new();
            push_number(&mut text, number);
            assert_eq!(text, number.to_string());
        }
    }
}

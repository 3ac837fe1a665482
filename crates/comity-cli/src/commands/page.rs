//! `comity page`: what a crawler may do with a page, from its robots.txt, its header and its HTML.

mod terms;

use std::io::{Read, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use comity::crawlers::TABLE;
use comity::{Answer, Escaped, Governed, Profile, Robots, Verdict};
use comity_page::{
    Because, Found, ImagePreview, Limit, Page, PageRules, Permission, Permissions, Stance, Statement, Support,
    permissions_at, read_page,
};
use comity_report::{CrawlerQuery, Question, Questions};
use serde::Serialize;

use crate::args::{self, Format};
use crate::input::{crawlers, file, live, question};
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};
use terms::Terms;

pub(crate) fn run(args: &args::Page) -> Result<Outcome> {
    let files = [args.robots.file.as_deref(), args.headers.as_deref(), args.html.as_deref(), args.tdmrep.as_deref()];
    if files.into_iter().flatten().filter(|path| file::is_stdin(path)).count() > 1 {
        bail!("only one of --robots, --headers, --html and --tdmrep can be standard input");
    }
    let dialect = args.dialect.dialect;
    let typed = [Some(args.url.as_str()), args.origin.as_deref()];
    let typed: Vec<&str> = typed.into_iter().flatten().collect();
    let fetcher = match &args.robots.file {
        Some(_) => None,
        None => Some(live::Fetcher::new(&args.fetching, &dialect, &typed)?),
    };
    let questions = question::of_file(std::slice::from_ref(&args.url), None, args.origin.as_deref(), false)?;
    let (file, body) = match (&fetcher, &questions.site) {
        (None, _) => file::robots(args.robots.file.as_deref(), &dialect)?,
        (Some(fetcher), Some(site)) => fetcher.robots(&site.to_string())?,
        (Some(_), None) => bail!("on which site is the page? Name the whole URL, or its robots.txt with --robots"),
    };
    let table = if args.naming.literal { None } else { Some(crawlers::table(args.naming.crawlers.as_deref())?) };
    let asker = crawlers::one(&args.agent, table.as_ref())?;

    let mut page = Page::new();
    if let Some(path) = &args.headers {
        read_headers(path, &mut page)?;
    }
    let found = match &args.html {
        Some(path) => {
            let html = file::open(path)?;
            Some(read_page(html, &mut page, &[asker.token()]).with_context(|| file::name(path))?)
        }
        None => None,
    };
    let mut is_fetched = false;
    let mut found = found;
    if let Some(fetcher) = fetcher.filter(|_| args.headers.is_none() && args.html.is_none()) {
        let answer = fetcher.page(&args.url, MOST_HTML)?;
        for (name, value) in &answer.fields {
            page.header(name, value.as_bytes());
        }
        let mut read = read_page(&*answer.body, &mut page, &[asker.token()])?;
        read.is_cut |= answer.is_cut;
        found = Some(read);
        is_fetched = true;
    }
    let robots = Robots::parse_with(&body, &dialect);
    let question = &questions.list[0];
    let url = question.asked_in(&dialect);
    if let Some(path) = &args.tdmrep {
        terms::read_tdmrep(path, url, &mut page)?;
    }
    let is_in_scope = questions.is_in_scope(question);
    let now = now();
    let permissions = if is_in_scope {
        permissions_at(&robots, &asker.crawler(), url, &page, now)
    } else {
        // Another site's file says nothing of this page.
        let mut permissions = permissions_at(&Robots::parse_with(b"", &dialect), &asker.crawler(), url, &page, now);
        permissions.fetch = Verdict::out_of_scope();
        permissions
    };
    let rules = page.rules_for(asker.crawler());
    let is_open = !permissions.fetch.is_disallowed();
    let report = Report {
        file: &file,
        question,
        questions: &questions,
        asker: &asker,
        is_seen: is_fetched || args.headers.is_some() || args.html.is_some(),
        is_whole: is_fetched || args.headers.is_some() && args.html.is_some(),
        now,
        why: robots.explain(asker.crawler(), url).arithmetic(),
        terms: Terms::of(Some(&page).filter(|_| is_open), Some(&robots).filter(|_| is_in_scope)),
        control_tokens: control_tokens(&asker, &robots, url, is_in_scope),
        permissions,
        malformed_usage: page
            .content_usage_field()
            .filter(|_| page.content_usage().is_none())
            .map(|(field, _)| Escaped(field).to_string()),
        rules,
        found,
    };
    match args.format.format {
        Format::Human => report.print(&mut anstream::stdout().lock())?,
        Format::Json => report.print_json()?,
    }
    Ok(report.outcome())
}

/// The control tokens of the crawler's operator that may not have the page.
fn control_tokens(asker: &CrawlerQuery, robots: &Robots, url: &str, is_in_scope: bool) -> Vec<&'static Profile> {
    let Some(profile) = asker.profile().filter(|_| is_in_scope) else { return Vec::new() };
    let is_its = |row: &&Profile| {
        row.governed == Governed::ControlToken && row.operator == profile.operator && row.token != profile.token
    };
    TABLE.iter().filter(is_its).filter(|row| robots.check(*row, url).is_disallowed()).collect()
}

/// How much of a page is read: its tags are at its start.
const MOST_HTML: usize = 4 << 20;

/// A header as `curl -sI` prints it. Of several, as redirects leave them, the last one counts.
fn read_headers(path: &Path, page: &mut Page) -> Result<()> {
    /// No server sends, and no client takes, nearly as much.
    const MOST: u64 = 256 * 1024;
    let mut bytes = Vec::new();
    let read = file::open(path)?.take(MOST + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("{} could not be read", file::name(path)))?;
    if bytes.len() as u64 > MOST {
        bail!("{}: expected the header of a response, found more than 256 KiB", file::name(path));
    }
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    let is_status = |line: &[u8]| line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"));
    let start = lines.iter().rposition(|line| is_status(line)).unwrap_or(0);
    let mut fields = 0;
    for (number, line) in (1_u32..).zip(&lines).skip(start) {
        if line.is_empty() || is_status(line) {
            continue;
        }
        // Folded lines are obsolete (RFC 9112 §5.2), and what they hold must not get lost unseen.
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) if !line.starts_with(b" ") && !line.starts_with(b"\t") => (&line[..colon], &line[colon + 1..]),
            _ => bail!(
                "{}, line {number}: expected a field such as `X-Robots-Tag: noindex`, found `{}`",
                file::name(path),
                Escaped(&line[..line.len().min(100)])
            ),
        };
        fields += 1;
        if let Ok(name) = std::str::from_utf8(name.trim_ascii()) {
            page.header_at(name, value.trim_ascii(), number);
        }
    }
    if fields == 0 {
        bail!("{}: expected the header of a response, found none", file::name(path));
    }
    Ok(())
}

/// The time, in seconds since 1970.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    i64::try_from(now).unwrap_or(i64::MAX)
}

struct Report<'a> {
    file: &'a str,
    question: &'a Question,
    questions: &'a Questions,
    asker: &'a CrawlerQuery,
    /// The header or the HTML was looked at.
    is_seen: bool,
    /// Both were.
    is_whole: bool,
    now: i64,
    /// Why the rule of the robots.txt decides.
    why: String,
    permissions: Permissions,
    rules: PageRules<'a>,
    found: Option<Found>,
    malformed_usage: Option<String>,
    terms: Terms,
    /// The tokens without requests of their own by which the file keeps the crawler's operator from uses of the page.
    control_tokens: Vec<&'static Profile>,
}

/// A line of the report: what it is about, the answer, and what says so.
struct Row {
    about: &'static str,
    style: anstyle::Style,
    answer: String,
    because: Vec<String>,
}

impl Report<'_> {
    fn outcome(&self) -> Outcome {
        match self.permissions.fetch.answer() {
            Answer::Allowed => {}
            Answer::Disallowed => return Outcome::No,
            _ => return Outcome::Trouble,
        }
        let is_refused = self.permissions.index.stance == Stance::No;
        if is_refused || !self.permissions.conflicts.is_empty() { Outcome::No } else { Outcome::Yes }
    }

    /// Whether the page was looked at, and may be.
    fn is_open(&self) -> bool {
        !self.permissions.fetch.is_disallowed()
    }

    /// Whether the date of an `unavailable_after` has come.
    fn is_past(&self) -> bool {
        self.rules.unavailable_after.is_some_and(|(moment, _)| moment.unix_seconds() <= self.now)
    }

    fn rows(&self) -> Vec<Row> {
        let permissions = &self.permissions;
        let fetch = permissions.fetch;
        let answer = match fetch.answer() {
            Answer::Allowed => "yes",
            Answer::Disallowed => "no",
            Answer::NotGoverned => "not governed",
            _ => "out of scope",
        };
        let why = match fetch.answer() {
            Answer::NotGoverned => "its operator says that robots.txt does not govern it".to_owned(),
            Answer::Allowed | Answer::Disallowed if fetch.line().is_some() => format!("{}: {}", self.file, self.why),
            Answer::Allowed => format!("{}: {}", self.file, reason(&fetch)),
            _ => format!("{} is another site's", self.file),
        };
        let mut rows = vec![Row {
            about: "fetch",
            style: style::of(fetch.answer()),
            answer: answer.to_owned(),
            because: vec![why],
        }];
        let mut index = self.by_page("index", &permissions.index);
        // The date tells a person less than that it has come.
        if let Some((_, said)) = self.rules.unavailable_after.filter(|_| self.is_past()) {
            let said = Because::from(said).to_string();
            index
                .because
                .iter_mut()
                .filter(|because| **because == said)
                .for_each(|because| *because += ", which is past");
        }
        rows.push(index);
        rows.push(self.by_page("follow links", &permissions.follow));
        if self.is_open() && self.is_seen {
            rows.extend(self.limits());
        }
        rows
    }

    /// A permission that only the page can restrict.
    fn by_page(&self, about: &'static str, permission: &Permission) -> Row {
        if self.is_open() && !self.is_seen {
            let because = vec!["neither --headers nor --html was given".to_owned()];
            return Row { about, style: style::NO_VERDICT, answer: "not known".to_owned(), because };
        }
        let mut row = row(about, permission);
        match permission.stance {
            Stance::NotStated => {
                "yes".clone_into(&mut row.answer);
                row.style = style::ALLOWED;
                row.because = vec!["nothing forbids it".to_owned()];
            }
            Stance::Hidden => {
                row.because = vec!["the page may not be fetched, so nobody reads what it says".to_owned()];
            }
            _ => {}
        }
        row
    }

    /// What may be shown, as far as the page restricts it.
    fn limits(&self) -> Vec<Row> {
        let rules = &self.rules;
        let limit = |limit: Limit, unit: &str| match limit {
            Limit::To(0) => "no".to_owned(),
            Limit::To(number) => format!("{number} {unit}"),
            Limit::Unlimited => "no limit".to_owned(),
        };
        let size = |size: ImagePreview| if size == ImagePreview::None { "no".to_owned() } else { size.to_string() };
        let no = |said: &Statement| ("no".to_owned(), Because::from(said).to_string());
        let rows = [
            ("snippet", rules.snippet().map(|(l, said)| (limit(l, "characters"), Because::from(said).to_string()))),
            ("image preview", rules.max_image_preview.map(|(s, said)| (size(s), Because::from(said).to_string()))),
            (
                "video preview",
                rules.max_video_preview.map(|(l, said)| (limit(l, "seconds"), Because::from(said).to_string())),
            ),
            ("translate", rules.notranslate.map(no)),
            ("index images", rules.noimageindex.map(no)),
            ("cached copy", rules.noarchive.map(no)),
            ("more than snippet", rules.nocache.map(no)),
            ("read aloud", rules.nopagereadaloud.map(no)),
            ("images for AI", rules.noimageai.map(no)),
            (
                "if embedded",
                rules.indexifembedded.map(|said| ("may be indexed".to_owned(), Because::from(said).to_string())),
            ),
            (
                "unavailable after",
                rules.unavailable_after.map(|(moment, said)| (moment.to_string(), Because::from(said).to_string())),
            ),
        ];
        let stated = rows.into_iter().filter_map(|(about, stated)| Some((about, stated?)));
        stated
            .map(|(about, (answer, why))| Row { about, style: style::NO_VERDICT, answer, because: vec![why] })
            .collect()
    }

    fn print(&self, out: &mut impl Write) -> Result<()> {
        let url = Escaped(self.question.typed.as_bytes());
        writeln!(out, "{} and {url}", paint(style::STRONG, self.asker.subject()))?;
        print_rows(out, &self.rows())?;
        let uses = [
            ("training", &self.permissions.training),
            ("AI input", &self.permissions.ai_input),
            ("search", &self.permissions.search),
        ];
        writeln!(out, "\n{}", paint(style::STRONG, "uses of its content"))?;
        print_rows(out, &uses.map(|(about, permission)| row(about, permission)))?;
        let terms = self.terms.rows();
        if !terms.is_empty() {
            writeln!(out, "\n{}", paint(style::STRONG, "terms (evidence, not rules)"))?;
            let terms: Vec<Row> = terms
                .into_iter()
                .map(|(about, answer, because)| Row {
                    about,
                    style: style::NO_VERDICT,
                    answer: answer.to_owned(),
                    because,
                })
                .collect();
            print_rows(out, &terms)?;
        }
        print_list(out, "conflicts", self.permissions.conflicts.iter().map(ToString::to_string))?;
        let ignored = self.rules.ignored.iter().map(|(said, why)| format!("{}  ({why})", Because::from(*said)));
        print_list(out, "without effect", ignored)?;
        print_list(out, "said to others", self.rules.others.iter().map(|said| Because::from(*said).to_string()))?;
        print_list(out, "notes", self.notes().into_iter())
    }

    /// What else a person should know.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(profile) = self.asker.profile() {
            let ignored = self.rules.heard.iter().filter(|said| {
                said.rule.is_restriction() && said.rule.support_by(&profile.operator) == Support::Ignored
            });
            for said in ignored {
                let (operator, rule) = (Escaped(profile.operator.as_bytes()), said.rule);
                let note = format!("{operator} says that it ignores {rule}.");
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        if self.permissions.fetch.is_advisory() {
            notes.push(format!("{} does not promise to obey robots.txt, so this is advice.", self.asker.subject()));
        }
        if self.is_seen && !self.is_whole && self.is_open() {
            notes
                .push("Only a part of the page was looked at: --headers and --html together are all of it.".to_owned());
        }
        if let Some(found) = &self.found {
            if found.is_cut {
                notes.push("The page is longer than what is read of it.".to_owned());
            }
            if let Some(line) = found.nosnippet.first() {
                notes.push(format!("Parts of the page are not for snippets: data-nosnippet, first in line {line}."));
            }
        }
        let explained = self.control_tokens.iter().filter(|token| !token.note.is_empty());
        notes.extend(explained.map(|token| format!("{}: {}", token.token, token.note)));
        notes.extend(self.terms.notes());
        if let Some(field) = &self.malformed_usage {
            notes.push(format!("The field Content-Usage is malformed, so it says nothing: {field}"));
        }
        notes.extend(question::assumption(self.questions, self.file));
        notes
    }

    fn print_json(&self) -> Result<()> {
        #[derive(Serialize)]
        struct Said<'a> {
            #[serde(flatten)]
            said: &'a Statement,
            #[serde(skip_serializing_if = "Option::is_none")]
            because: Option<String>,
        }
        let plain = |said: &[&'_ Statement]| -> Vec<serde_json::Value> {
            said.iter().filter_map(|said| serde_json::to_value(Said { said, because: None }).ok()).collect()
        };
        let ignored: Vec<Said<'_>> =
            self.rules.ignored.iter().map(|(said, why)| Said { said, because: Some(why.to_string()) }).collect();
        let limit = |limit: Limit| match limit {
            Limit::To(number) => i64::from(number),
            Limit::Unlimited => -1,
        };
        json::print(&serde_json::json!({
            "url": self.question.typed,
            "agent": self.asker.token(),
            "known": self.asker.profile().is_some(),
            "robots": self.file,
            "page_seen": self.is_seen,
            "fetch": self.permissions.fetch,
            "index": self.permissions.index,
            "follow": self.permissions.follow,
            "training": self.permissions.training,
            "ai_input": self.permissions.ai_input,
            "search": self.permissions.search,
            "terms": self.terms,
            "max_snippet": self.rules.snippet().map(|(found, _)| limit(found)),
            "max_image_preview": self.rules.max_image_preview.map(|(found, _)| found),
            "max_video_preview": self.rules.max_video_preview.map(|(found, _)| limit(found)),
            "unavailable_after": self.rules.unavailable_after.map(|(moment, _)| moment.unix_seconds()),
            "is_past": self.is_past(),
            "rules": self.rules.to_string(),
            "conflicts": self.permissions.conflicts,
            "heard": plain(&self.rules.heard),
            "ignored": ignored,
            "others": plain(&self.rules.others),
            "notes": self.notes(),
        }))
    }
}

/// Why a file allows something without a rule that says so.
fn reason(verdict: &Verdict) -> &'static str {
    match verdict.reason() {
        comity::Reason::NoGroup => "no group is for this crawler",
        comity::Reason::StarIgnored => "only the groups of * could forbid it, and they don't bind this crawler",
        comity::Reason::RobotsTxt => "the robots.txt itself may always be fetched",
        comity::Reason::FileRefused => "larger than this crawler takes, so it counts as if there were none",
        _ => "no rule matches",
    }
}

fn row(about: &'static str, permission: &Permission) -> Row {
    let style = match permission.stance {
        Stance::Yes => style::ALLOWED,
        Stance::No => style::DISALLOWED,
        _ => style::NO_VERDICT,
    };
    let because = permission.because.iter().map(ToString::to_string).collect();
    Row { about, style, answer: permission.stance.to_string(), because }
}

fn print_rows(out: &mut impl Write, rows: &[Row]) -> Result<()> {
    const MOST: usize = 4;
    for row in rows {
        let mut because = row.because.iter();
        let first = because.next().map(|text| shortened(text)).unwrap_or_default();
        let width = if first.is_empty() { 0 } else { 15 };
        let answer = paint(row.style, format!("{:<width$}", row.answer));
        let gap = if first.is_empty() { "" } else { " " };
        writeln!(out, "  {:<18}{answer}{gap}{first}", row.about)?;
        for text in because.by_ref().take(MOST - 1) {
            writeln!(out, "  {:<34}{}", "", shortened(text))?;
        }
        if because.len() > 0 {
            writeln!(out, "  {:<34}and {} more", "", because.len())?;
        }
    }
    Ok(())
}

/// No longer than a person reads.
fn shortened(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn print_list(out: &mut impl Write, title: &str, list: impl ExactSizeIterator<Item = String>) -> Result<()> {
    const MOST: usize = 50;
    let count = list.len();
    if count > 0 {
        writeln!(out, "\n{}", paint(style::STRONG, title))?;
    }
    for text in list.take(MOST) {
        writeln!(out, "  {}", shortened(&text))?;
    }
    if count > MOST {
        writeln!(out, "  and {} more; --format json has them all", count - MOST)?;
    }
    Ok(())
}

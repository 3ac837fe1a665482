use comity::spelling::edit_distance;

use crate::prelude::*;
use crate::recognize::comments::Comment;
use crate::words::NO_TRAINING;

lint! {
    /// A `Content-Signal`, `Content-Usage` or `License` has a key or a value that no crawler knows, or that is hardly meant.
    ///
    /// Write `search`, `ai-input` or `ai-train` with `yes` or `no` after `Content-Signal:`, `search` or `train-ai` with `y` or
    /// `n` after `Content-Usage:`, and a whole URL after `License:`.
    ///
    /// ## What it does
    ///
    /// Finds keys of `Content-Signal` other than `search`, `ai-input`, `ai-train` and `use`, and values of the first three
    /// other than `yes` and `no`. `use` has the values `immediate`, `reference` and `full`. In `Content-Usage`, finds the keys and
    /// values of `Content-Signal`. Finds `License` lines without a whole URL. Also finds `search=no` in a file that names a
    /// sitemap or permits training, `ai-input=no` beside `ai-train=yes`, two signals for all crawlers that differ, and `ai-train=yes` below a comment against training, or in a file that blocks several
    /// crawlers for it.
    ///
    /// ## Why is this bad?
    ///
    /// A crawler skips what it does not know. So `ai-training=no` states nothing about training.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Content-Signal: ai-training=no, search=yes
    /// Allow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Content-Signal: ai-train=no, search=yes
    /// Allow: /
    /// ```
    ///
    /// ## Sources
    ///
    /// - Cloudflare, Content Signals Policy
    /// - draft-romm-aipref-contentsignals: the keys and their values
    /// - draft-ietf-aipref-vocab: the keys of `Content-Usage`, and their values
    /// - RSL 1.0: `License` has a fully qualified URL
    "L068" "unknown-signal", Warning, affects: "every crawler"
}

/// The keys and values of a record.
type Stated<'v> = Vec<(&'v [u8], &'v [u8])>;

/// The keys, and their values.
const KEYS: [(&str, &str); 4] =
    [("ai-train", "yes no"), ("ai-input", "yes no"), ("search", "yes no"), ("use", "immediate reference full")];

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // Only the first signal is compared with the rest of the file, and few files have several.
    let mut is_first = true;
    let mut for_any: Option<(u32, Stated<'_>)> = None;
    for line in file.others() {
        let Content::Other { field, value, .. } = line.content else { continue };
        let is_url = || std::str::from_utf8(value).is_ok_and(|url| evidence::site(url).is_some());
        match field {
            Field::ContentSignal => {
                let stated = check_signal(file, value, out);
                if std::mem::take(&mut is_first) && !value.starts_with(b"/") {
                    check_sense(file, line.number, &stated, out);
                }
                if !value.starts_with(b"/") && file.group_of(line.number).is_some_and(GroupOf::is_for_any) {
                    match &for_any {
                        Some(first) => check_contradiction(file, &stated, first, out),
                        None => for_any = Some((line.number, stated)),
                    }
                }
            }
            Field::ContentUsage => check_usage(file, line.number, value, out),
            Field::License if !is_url() => {
                let message = format!("`{}` is no license that a crawler can open", shown(value));
                out.add(file.value(line.number), message).help("write the whole URL, with https:// and the host");
            }
            _ => {}
        }
    }
}

/// Checks the pairs of keys and values of a record. Returns them.
fn check_signal<'v>(file: &File<'_>, value: &'v [u8], out: &mut Diagnostics) -> Stated<'v> {
    let path = value.iter().position(u8::is_ascii_whitespace).filter(|_| value.starts_with(b"/")).unwrap_or(0);
    let mut stated = Vec::new();
    for item in value[path..].split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|item| !item.is_empty()) {
        let mut parts = item.splitn(2, |byte| *byte == b'=').map(<[u8]>::trim_ascii);
        let (key, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if key.is_empty() || value.is_empty() {
            out.add(file.span(item), format!("`{}` states nothing: a signal is written as `ai-train=no`", shown(item)));
            continue;
        }
        if value.contains(&b'=') {
            out.add(
                file.span(value),
                format!("`{}` is not a known value: a comma is missing between two signals", shown(value)),
            );
            continue;
        }
        stated.push((key, value));
        let known = KEYS.iter().find(|(known, _)| key.eq_ignore_ascii_case(known.as_bytes()));
        let (wrong, options): (&[u8], Vec<&str>) = match known {
            None => (key, KEYS.iter().map(|(known, _)| *known).collect()),
            Some((_, values)) if is_in(values, value) => continue,
            Some((_, values)) => (value, values.split(' ').collect()),
        };
        let span = file.span(wrong);
        let what = if known.is_none() { "signal" } else { "value" };
        let near = |option: &&&str| {
            let starts = wrong.len() >= MIN_START && wrong.to_ascii_lowercase().starts_with(option.as_bytes());
            starts || edit_distance(wrong, option.as_bytes(), 2).is_some() && wrong.len() >= MIN_START
        };
        if let Some(meant) = options.iter().find(near) {
            let message = format!("`{}` is not a known {what}; did you mean `{meant}`?", shown(wrong));
            out.add(span.clone(), message).unsafe_fix(format!("write `{meant}`"), vec![Edit::new(span, *meant)]);
        } else {
            let message = format!("`{}` is not a known {what}, so crawlers skip it", shown(wrong));
            out.add(span, message).help(format!("the known {what}s are {}", options.join(", ")));
        }
    }
    stated
}

/// The number of blocked crawlers for training that are not single exceptions: `comity generate` writes a few, too.
const MIN_BLOCKED: usize = 4;

/// Finds signals that are hardly meant: against search, and for training although the file blocks it.
fn check_sense(file: &File<'_>, line: u32, stated: &[(&[u8], &[u8])], out: &mut Diagnostics) {
    let signal = |key: &str, value: &str| {
        let is_it = |(k, v): &&(&[u8], &[u8])| {
            k.eq_ignore_ascii_case(key.as_bytes()) && v.eq_ignore_ascii_case(value.as_bytes())
        };
        stated.iter().find(is_it).map(|(key, _)| file.span(key))
    };
    let training = signal("ai-train", "yes");
    if let Some(span) = signal("search", "no").filter(|_| training.is_some() || file.sitemaps().next().is_some()) {
        out.add(span, "`search=no` asks search engines not to list the site")
            .help("against training alone, write `search=yes, ai-train=no`");
    }
    if let Some(span) = signal("ai-input", "no").filter(|_| training.is_some()) {
        out.add(span, "`ai-input=no` refuses answers that cite the site, but `ai-train=yes` permits training")
            .help("against training alone, write `ai-input=yes, ai-train=no`");
    }
    let Some((span, group)) = training.zip(file.group_of(line)) else { return };
    let closed = file.groups.iter().filter(|group| !group.is_for_any() && group.closes());
    let says_no = |line| Comment::above(file, line).filter(|comment| comment.has(NO_TRAINING));
    if let Some(comment) = says_no(line).or_else(|| says_no(group.first_line())) {
        out.add(span, "`ai-train=yes` permits training, unlike the comment").related(comment.line, "the comment");
    } else if let Some(agent) =
        closed.flat_map(|group| &group.agents).filter(|agent| agent.trains()).nth(MIN_BLOCKED - 1)
    {
        out.add(span, "`ai-train=yes` permits training, but the file blocks crawlers for it")
            .related(agent.line, "for example, this one");
    }
}

/// Finds a signal for all crawlers that says something else than the first one for them.
fn check_contradiction(file: &File<'_>, stated: &[(&[u8], &[u8])], first: &(u32, Stated<'_>), out: &mut Diagnostics) {
    let is_other = |(key, value): &&(&[u8], &[u8])| {
        first.1.iter().any(|(k, v)| k.eq_ignore_ascii_case(key) && !v.eq_ignore_ascii_case(value))
    };
    if let Some((key, value)) = stated.iter().find(is_other) {
        let message =
            format!("`{}={}` contradicts line {}, which is also for all crawlers", shown(key), shown(value), first.0);
        out.add(file.span(key), message).related(first.0, "the first signal");
    }
}

/// Finds what is written for `Content-Signal`. Other keys may belong to extensions.
fn check_usage(file: &File<'_>, line: u32, value: &[u8], out: &mut Diagnostics) {
    let value = String::from_utf8_lossy(value).to_ascii_lowercase();
    let list = value.split_whitespace().filter(|word| !word.starts_with('/')).collect::<Vec<_>>().concat();
    for member in list.split(',') {
        let (key, stated) = member.split_once('=').unwrap_or((member, ""));
        let meant_key = match key {
            "ai-train" => "train-ai",
            "train-ai" | "search" => key,
            _ => continue,
        };
        let meant = match stated {
            "yes" => "y",
            "no" => "n",
            _ => stated,
        };
        if meant_key != key || meant != stated {
            let message =
                format!("`{key}={stated}` states nothing in `Content-Usage`; did you mean `{meant_key}={meant}`?");
            out.add(file.value(line), message);
        }
    }
}

/// The minimum length of a name that is compared with known ones.
const MIN_START: usize = 4;

//! `Dialect::GOOGLE_PARSER` against recorded verdicts of Google's own parser: every case, in every way to ask, down to the
//! line. There is no list of exceptions.

use crate::shared;

use comity::{Content, Crawler, Dialect, Field, Robots, RuleKind, SourceText, Verdict};
use serde_json::Value;
use shared::{base64, bytes, json_lines};

const PARSER: Dialect = Dialect::GOOGLE_PARSER;

/// The crawler of a case, with what tells it from others.
fn with_crawler<R>(case: &Value, f: impl FnOnce(&Value, Crawler<'_>) -> R) -> R {
    let agents: Vec<&str> =
        case["agents"].as_array().into_iter().flatten().map(|agent| agent.as_str().unwrap()).collect();
    match case["agent"].as_str() {
        Some(agent) => f(&case["agent"], Crawler::literal(agent)),
        None => f(&case["agents"], Crawler::merged_literal(&agents)),
    }
}

/// Checks the cases of one body; returns how many there were.
fn check_cases(name: &str, body: &[u8], cases: &[Value], errors: &mut Vec<String>) -> usize {
    let robots = Robots::parse_with(body, &PARSER);
    let mut rules: Vec<(Value, comity::Rules)> = Vec::new();
    for case in cases {
        let url = bytes(case, "url");
        with_crawler(case, |asker, crawler| {
            if !rules.iter().any(|(known, _)| known == asker) {
                rules.push((asker.clone(), robots.rules_for(&crawler)));
            }
            let compiled = &rules.iter().find(|(known, _)| known == asker).unwrap().1;
            let ways = [
                ("linear", robots.check_bytes(&crawler, &url)),
                ("compiled", compiled.check_bytes(&url)),
                ("stream", PARSER.decide_bytes(body, &crawler, &url)),
            ];
            for (way, verdict) in ways {
                if !agrees(&verdict, case) {
                    errors.push(format!("{name}, {way}: expected {case}, found {verdict:?}"));
                }
            }
        });
    }
    cases.len()
}

fn agrees(verdict: &Verdict, case: &Value) -> bool {
    verdict.is_allowed() == case["allowed"].as_bool().unwrap()
        && verdict.is_disallowed() != verdict.is_allowed()
        && u64::from(verdict.line().unwrap_or(0)) == case["line"].as_u64().unwrap()
        && verdict.names_crawler() == case["seen"].as_bool().unwrap()
}

fn report(what: &str, count: usize, expected: usize, errors: &[String]) {
    println!("{what}: {count} cases, {} disagree", errors.len());
    assert!(
        errors.is_empty(),
        "{what}: {} of {count} disagree:\n{}",
        errors.len(),
        errors[..errors.len().min(10)].join("\n")
    );
    assert_eq!(count, expected, "{what}: cases are missing");
}

#[test]
fn verdicts_on_real_files() {
    let Some(files) = json_lines("verdicts") else { return };
    let (mut count, mut errors) = (0, Vec::new());
    for file in files {
        let name = file["file"].as_str().unwrap();
        let body = std::fs::read(shared::path(&format!("corpus/{name}")).unwrap()).unwrap();
        count += check_cases(name, &body, file["cases"].as_array().unwrap(), &mut errors);
    }
    report("verdicts", count, 644_544, &errors);
}

#[test]
fn verdicts_on_hostile_files() {
    let Some(files) = json_lines("adversarial") else { return };
    let (mut count, mut errors) = (0, Vec::new());
    for file in files {
        let name = file["id"].as_str().unwrap();
        let body = bytes(&file, "body");
        count += check_cases(name, &body, file["cases"].as_array().unwrap(), &mut errors);
        if file["lines"].is_array() {
            check_lines(name, &body, &file, &mut errors);
        }
    }
    report("adversarial", count, 51_567, &errors);
}

#[test]
fn verdicts_of_facts() {
    let Some(cases) = json_lines("facts-verdicts") else { return };
    let (mut count, mut errors) = (0, Vec::new());
    for (number, case) in cases.enumerate() {
        count += check_cases(&format!("fact {number}"), &bytes(&case, "body"), &[case], &mut errors);
    }
    report("facts-verdicts", count, count.max(1), &errors);
}

#[test]
fn paths_of_facts() {
    let Some(cases) = json_lines("facts-paths") else { return };
    let (mut count, mut errors) = (0, Vec::new());
    for case in cases {
        let (url, path) = (bytes(&case, "url"), bytes(&case, "path"));
        let found = Robots::parse_with("", &PARSER).explain_bytes(&Crawler::ANY, &url).path;
        if found != String::from_utf8_lossy(&path) {
            errors.push(format!("{case}: found {found}"));
        }
        count += 1;
    }
    report("facts-paths", count, count.max(1), &errors);
}

#[test]
fn lines_of_facts() {
    let Some(cases) = json_lines("facts-lines") else { return };
    let (mut count, mut errors) = (0, Vec::new());
    for (number, case) in cases.enumerate() {
        check_lines(&format!("fact {number}"), &bytes(&case, "body"), &case, &mut errors);
        count += 1;
    }
    report("facts-lines", count, count.max(1), &errors);
}

#[test]
fn lines_of_real_files() {
    let Some(files) = json_lines("lines") else { return };
    let (mut count, mut errors) = (0, Vec::new());
    for file in files {
        let name = file["file"].as_str().unwrap();
        let body = std::fs::read(shared::path(&format!("corpus/{name}")).unwrap()).unwrap();
        check_lines(name, &body, &file, &mut errors);
        count += 1;
    }
    report("lines", count, 2_973, &errors);
}

#[test]
fn cases_of_other_parsers() {
    let Some(cases) = json_lines("peer-cases") else { return };
    let (mut count, mut errors) = (0, Vec::new());
    for mut case in cases {
        let google = case["google"].take();
        for key in ["allowed", "line", "seen"] {
            case[key] = google[key].clone();
        }
        let name = case["source"].as_str().unwrap().to_owned();
        count += check_cases(&name, &bytes(&case, "robots"), &[case], &mut errors);
    }
    report("peer-cases", count, 2_937, &errors);
}

/// Recorded questions that `GOOGLE` is compared with: how many there are, and how many of them it answers differently.
#[derive(Debug, Default, PartialEq, Eq)]
struct Compared {
    /// The URL is what a browser would send, and the file is within the limit: none may differ.
    as_sent: [usize; 2],
    /// A browser would send another URL, which is asked about instead.
    rewritten: [usize; 2],
    /// A browser would send nothing, for it is no URL, or a request to another host. Asked about as it is, nearly all is
    /// out of scope; only hosts and ports are not examined.
    no_url: [usize; 2],
    /// The file is larger than Google's limit.
    too_large: [usize; 2],
}

impl Compared {
    fn compare(&mut self, name: &str, body: &[u8], cases: &[Value]) {
        let robots = Robots::parse_with(body, &Dialect::GOOGLE);
        for case in cases {
            let url = bytes(case, "url");
            let sent = sent(&url);
            let (counts, asked) = match &sent {
                _ if body.len() > comity::SIZE_LIMIT => (&mut self.too_large, &url),
                Some(sent) if *sent == url => (&mut self.as_sent, &url),
                Some(sent) => (&mut self.rewritten, sent),
                None => (&mut self.no_url, &url),
            };
            let verdict = with_crawler(case, |_, crawler| robots.check_bytes(&crawler, asked));
            counts[0] += 1;
            if !agrees(&verdict, case) {
                counts[1] += 1;
                println!("{name}: the parser: {case}; `google`: {verdict:?}");
            }
            assert_eq!(self.as_sent[1], 0, "{name}: expected {case}, found {verdict:?}");
        }
    }
}

/// The URL that a browser would send; of a path, the path.
fn sent(url: &[u8]) -> Option<Vec<u8>> {
    const BASE: &str = "http://site.invalid";
    let text = std::str::from_utf8(url).ok()?;
    if text.starts_with('/') && !text.starts_with("//") {
        let sent = url::Url::parse(&format!("{BASE}{text}")).ok()?;
        return sent.as_str().strip_prefix(BASE).map(|path| path.as_bytes().to_vec());
    }
    // No robots.txt is about a URL without a host.
    let sent = url::Url::parse(text).ok().filter(|sent| sent.host_str().is_some_and(|host| !host.is_empty()))?;
    Some(String::from(sent).into_bytes())
}

/// Checks that `GOOGLE` is the parser on all that a browser sends about files within the limit. Counts the others, and
/// lists them with `--no-capture`.
#[test]
fn google_answers_as_its_parser_does() {
    let (Some(real), Some(hostile)) = (json_lines("verdicts"), json_lines("adversarial")) else { return };
    let (Some(facts), Some(peers)) = (json_lines("facts-verdicts"), json_lines("peer-cases")) else { return };
    let mut compared = Compared::default();
    for file in real {
        let name = file["file"].as_str().unwrap();
        let body = std::fs::read(shared::path(&format!("corpus/{name}")).unwrap()).unwrap();
        compared.compare(name, &body, file["cases"].as_array().unwrap());
    }
    println!("{compared:?}");
    // Rewritten: mostly raw UTF-8, which the parser matches with no escape.
    let expected =
        Compared { as_sent: [518_842, 0], rewritten: [79_652, 308], no_url: [45_450, 44_466], too_large: [600, 90] };
    assert_eq!(compared, expected, "real files");

    let mut compared = Compared::default();
    for file in hostile {
        compared.compare(file["id"].as_str().unwrap(), &bytes(&file, "body"), file["cases"].as_array().unwrap());
    }
    for case in facts {
        compared.compare("fact", &bytes(&case, "body"), &[case]);
    }
    for mut case in peers {
        let google = case["google"].take();
        for key in ["allowed", "line", "seen"] {
            case[key] = google[key].clone();
        }
        compared.compare("peer", &bytes(&case, "robots"), &[case]);
    }
    println!("{compared:?}");
    let expected = Compared { as_sent: [52_238, 0], rewritten: [1_881, 327], no_url: [502, 490], too_large: [60, 32] };
    assert_eq!(compared, expected, "hostile files, facts and cases of other parsers");
}

/// The reference's report of a file's lines: what each of them is, typos, oddities, sitemaps and counts.
fn check_lines(name: &str, body: &[u8], expected: &Value, errors: &mut Vec<String>) {
    let text = SourceText::new(body, &PARSER);
    let mut lines = Vec::new();
    let (mut valid, mut unused) = (0_u64, 0_u64);
    for line in text.lines() {
        let (tag, has_record) = match line.content {
            Content::UserAgent { .. } => ("user-agent", true),
            Content::Rule { kind: RuleKind::Allow, .. } => ("allow", true),
            Content::Rule { .. } => ("disallow", true),
            Content::Other { field: Field::Sitemap, .. } => ("sitemap", true),
            Content::Other { field, .. } if KNOWN_UNUSED.contains(&field) => ("unused", true),
            Content::Other { .. } => ("unknown", true),
            _ => ("unknown", false),
        };
        match tag {
            "unused" | "unknown" if has_record => unused += 1,
            "unknown" => {}
            _ => valid += 1,
        }
        let flags: String = [
            ('e', line.content == Content::Blank),
            ('c', line.comment),
            ('C', line.content == Content::Comment),
            ('d', has_record),
            ('t', line.typo),
            ('L', line.too_long),
            ('m', line.missing_colon),
        ]
        .into_iter()
        .filter_map(|(flag, set)| set.then_some(flag))
        .collect();
        lines.push((u64::from(line.number), tag, line.typo, flags));
    }
    let sort = |flags: &str| {
        let mut flags: Vec<char> = flags.chars().collect();
        flags.sort_unstable();
        flags
    };
    let reference = expected["lines"].as_array().unwrap();
    let last = lines.last().map_or(0, |line| line.0);
    if last != expected["last_line"].as_u64().unwrap() {
        errors.push(format!("{name}: {last} lines, expected {}", expected["last_line"]));
    }
    // The reference reports every line of most files, and leaves out plain ones of the largest.
    for line in reference {
        let number = line[0].as_u64().unwrap();
        let Some(found) = lines.get(number as usize - 1) else { continue };
        let agrees = line[1].as_str().unwrap() == found.1
            && (line[2].as_u64().unwrap() == 1) == found.2
            && sort(line[3].as_str().unwrap()) == sort(&found.3);
        if !agrees {
            errors.push(format!("{name}: expected {line}, found {found:?}"));
        }
    }
    if reference.len() != lines.len() {
        errors.push(format!("{name}: {} lines, {} in the report", lines.len(), reference.len()));
    }
    if (valid, unused) != (expected["valid"].as_u64().unwrap(), expected["unused"].as_u64().unwrap()) {
        errors.push(format!(
            "{name}: {valid} valid and {unused} unused, expected {} and {}",
            expected["valid"], expected["unused"]
        ));
    }
    let robots = Robots::parse_with(body, &PARSER);
    let sitemaps: Vec<(u64, Vec<u8>)> =
        robots.sitemaps().map(|sitemap| (u64::from(sitemap.line()), sitemap.value().to_vec())).collect();
    let reference: Vec<(u64, Vec<u8>)> = expected["sitemaps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sitemap| {
            let text = match sitemap[1].as_str() {
                Some(text) => text.as_bytes().to_vec(),
                None => base64(sitemap[2].as_str().unwrap()),
            };
            (sitemap[0].as_u64().unwrap(), text)
        })
        .collect();
    if sitemaps != reference {
        errors.push(format!("{name}: sitemaps {sitemaps:?}, expected {reference:?}"));
    }
}

/// The fields that the reference knows and does not use.
const KNOWN_UNUSED: [Field; 12] = [
    Field::CleanParam,
    Field::ContentSignal,
    Field::ContentUsage,
    Field::CrawlDelay,
    Field::Domain,
    Field::Host,
    Field::Noarchive,
    Field::Nofollow,
    Field::Noindex,
    Field::RequestRate,
    Field::RevisitAfter,
    Field::VisitTime,
];

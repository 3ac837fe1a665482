//! Comparisons, claims, dead rules and minimized files, checked with the naive implementation of the engine's tests.
//!
//! Each byte of an input selects a piece of one of two files. The pieces are chosen for what proofs may get wrong: escapes
//! and parts of escapes, bytes that only some dialects escape, stars, and names that fall back or contain a token. The
//! two files have the same dialect or two of them. This module shares no code with the engine or with this crate.

use std::collections::BTreeSet;

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Claim, Comparison, Direction, Held, Outcome, Side, dead_rules, minimize};

#[path = "../../../../comity/tests/it/naive/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the walk is not used here")]
mod naive;

use naive::{Asker, File};

/// Enough for small files; others end undecided.
const BUDGET: Budget = Budget::of_steps(300_000);

/// The pieces of files.
const PIECES: [&str; 32] = [
    "/",
    "a",
    "$",
    "*",
    "%24",
    "%41",
    "%",
    "4",
    "A",
    "2",
    "%2F",
    "%2a",
    "%25",
    "?",
    "=",
    "%3D",
    "\u{e9}",
    "index.htm",
    "$\nDisallow: /",
    "*\nAllow: *",
    "\nDisallow: /",
    "\nAllow: /",
    "\nDisallow: *",
    "\nAllow: *",
    "\nDisallow: /",
    "\nAllow: /",
    "\nDisallow:",
    "\nDisallow: /%",
    "\n\nUser-agent: *",
    "\n\nUser-agent: foo",
    "\n\nUser-agent: Yandex",
    "\n\nUser-agent: AdsBot-Google",
];

/// The maximum number of pieces of a file. Longer inputs are cut.
const MAX_PIECES: usize = 16;

/// The names of the crawlers that are asked for, if a file contains them. The last two are always asked for.
const NAMES: [&str; 6] = ["foo", "AdsBot-Google", "YandexBot", "MyAdsBot-Google", "*", "qqq"];

/// Two files, each with its dialect, and the URLs and crawlers to ask about.
struct Question {
    bodies: [String; 2],
    dialects: [Dialect; 2],
    paths: Vec<Vec<u8>>,
    names: Vec<&'static str>,
    table: Crawlers,
}

/// The answer of the naive implementation, and the deciding line.
type Answer = (bool, Option<u32>);

/// The answers of one file: for each crawler, those for all paths.
type Answers = Vec<Vec<Answer>>;

/// Checks everything that can be proven about the files that an input selects.
pub(crate) fn check(input: &[u8]) {
    let Some(([first, second], pieces)) = input.split_first_chunk() else { return };
    let old = Dialect::ALL[usize::from(*first) % Dialect::ALL.len()];
    // Half of the pairs have one dialect.
    let new = Dialect::ALL.get(usize::from(*second) % (2 * Dialect::ALL.len())).copied().unwrap_or(old);
    let question = Question::new([old, new], pieces);
    let files = [0, 1].map(|file: usize| Robots::parse_with(&question.bodies[file], &question.dialects[file]));
    let answers = [0, 1].map(|file: usize| question.answers(&question.dialects[file], &question.bodies[file]));
    question.compare(&files, &answers);
    question.claim(&files[0], &answers[0]);
    question.remove(&files[0], &answers[0]);
}

impl Question {
    fn new(dialects: [Dialect; 2], pieces: &[u8]) -> Self {
        let (old, new) = pieces.split_at(pieces.len() / 2);
        let piece = |octet: &u8| PIECES[usize::from(*octet) % PIECES.len()];
        let bodies = [old, new].map(|octets| {
            let pieces = octets.iter().take(MAX_PIECES).map(piece);
            format!("User-agent: *\nDisallow: /{}\n", pieces.collect::<String>())
        });
        let mut paths = BTreeSet::from([b"/".to_vec(), b"/robots.txt".to_vec(), b"/robots.txt?".to_vec()]);
        let mut symbols: Vec<&str> = pieces.iter().map(piece).filter(|piece| !piece.contains(['\n', '.'])).collect();
        symbols.sort_unstable();
        symbols.dedup();
        symbols.truncate(4);
        symbols.push("z");
        // All short paths over these pieces.
        for _ in 0..3 {
            let longer =
                |path: &Vec<u8>| symbols.iter().map(|symbol| [path, symbol.as_bytes()].concat()).collect::<Vec<_>>();
            let longer: Vec<Vec<u8>> =
                paths.iter().filter(|path| !path.starts_with(b"/robots")).flat_map(longer).collect();
            paths.extend(longer);
        }
        // What the patterns match, in several spellings.
        let lines = bodies.iter().flat_map(|body| body.lines()).filter_map(|line| line.split_once(": "));
        for pattern in lines.map(|(_, value)| value.strip_suffix('$').unwrap_or(value)) {
            for star in ["", "z", "$", "/"] {
                let path = pattern.replace('*', star);
                for (from, to) in SPELLINGS {
                    for end in ["", "z"] {
                        paths.insert(format!("/{}{end}", path.trim_start_matches('/').replace(from, to)).into_bytes());
                    }
                }
            }
        }
        let is_asked = |name: &&str| {
            matches!(*name, "*" | "qqq")
                || bodies.iter().any(|body| body.contains(name.trim_start_matches("My").trim_end_matches("Bot")))
        };
        let names = NAMES.into_iter().filter(is_asked).collect();
        let form = |dialect: &Dialect| match dialect.name {
            "google" | "google-parser" | "norobots-1996" => dialect.name,
            _ => "standard",
        };
        let is_mixed = form(&dialects[0]) != form(&dialects[1]);
        let paths = paths.into_iter().filter(|path| !is_mixed || is_canonical(path)).collect();
        Self { bodies, dialects, paths, names, table: Crawlers::builtin() }
    }

    fn asker(&self, name: &str) -> Asker<'static> {
        let has = |name: &str| self.dialects.iter().any(|dialect| dialect.name == name);
        // Any crawler that no file names. Here, the name `*` may contain a token.
        let name = match name {
            "*" if has("norobots-1996") && has("yandex") => "",
            "*" if has("norobots-1996") => "qqq",
            name => name,
        };
        match self.table.find(name) {
            Some(profile) => Asker::Profile(Box::new(profile.clone())),
            None => Asker::Token(name.as_bytes().to_vec()),
        }
    }

    fn ask(file: &File, asker: &Asker<'_>, path: &[u8]) -> Answer {
        let outcome = file.ask(asker, &[b"https://site.example", path].concat());
        (outcome.allowed.unwrap(), Some(outcome.line).filter(|line| *line > 0))
    }

    fn answers(&self, dialect: &Dialect, body: &str) -> Answers {
        let file = File::read(dialect.name, body.as_bytes());
        let of_name = |name: &&str| {
            let asker = self.asker(name);
            self.paths.iter().map(|path| Self::ask(&file, &asker, path)).collect()
        };
        self.names.iter().map(of_name).collect()
    }

    /// Returns each crawler, path, and their index, from the crawler with this index on.
    fn asked(&self, from: usize) -> impl Iterator<Item = (&str, &[u8], [usize; 2])> {
        let names = self.names.iter().enumerate().skip(from);
        names.flat_map(|(crawler, name)| {
            self.paths.iter().enumerate().map(move |(path, text)| (*name, text.as_slice(), [crawler, path]))
        })
    }

    /// Returns the index of the first crawler that no file names: `*`, which is followed by another one.
    fn unnamed(&self) -> usize {
        self.names.len() - 2
    }

    fn compare(&self, files: &[Robots; 2], answers: &[Answers; 2]) {
        let difference = Comparison::new(&files[0], &files[1]).crawlers(&self.table).budget(BUDGET).run();
        let read = [0, 1].map(|file: usize| File::read(self.dialects[file].name, self.bodies[file].as_bytes()));
        for change in &difference.changes {
            for name in change.crawlers.iter().take(3) {
                let [was, is] = read.each_ref().map(|file| Self::ask(file, &self.asker(name), &change.witness).0);
                let is_real = was != is && is == (change.direction == Direction::Allowed);
                assert!(is_real, "{name}: no witness of {change}\n{self}");
            }
        }
        for (name, path, [crawler, place]) in self.asked(0).filter(|_| difference.is_complete()) {
            let [was, is] = answers.each_ref().map(|answers| answers[crawler][place]);
            if was.0 == is.0 {
                continue;
            }
            let direction = if is.0 { Direction::Allowed } else { Direction::Blocked };
            let is_listed = difference.crawlers.iter().any(|other| other == name);
            let is_found = difference.changes.iter().any(|change| {
                let line = if change.rule.side == Side::Old { was.1 } else { is.1 };
                let is_named = !is_listed || change.crawlers.iter().any(|other| other == name);
                (change.direction, change.rule.line) == (direction, line) && is_named
            });
            assert!(is_found, "{name} {}: {direction:?} in no change\n{self}", path.escape_ascii());
        }
        let own = Comparison::new(&files[0], &files[0]).crawlers(&self.table).budget(BUDGET).run();
        assert!(own.changes.is_empty(), "{self}");
        let unnamed = Comparison::new(&files[0], &files[1]).only(&[Crawler::ANY]).budget(BUDGET).run();
        if unnamed.outcome() == Outcome::Same {
            self.assert_same(answers, self.unnamed());
        }
    }

    /// Compares the answers of two files, from the crawler with this index on.
    fn assert_same(&self, [old, new]: &[Answers; 2], from: usize) {
        for (name, path, [crawler, place]) in self.asked(from) {
            assert_eq!(old[crawler][place].0, new[crawler][place].0, "{name} {}\n{self}", path.escape_ascii());
        }
    }

    /// Makes claims about the pattern of the new file's last rule.
    fn claim(&self, file: &Robots, answers: &Answers) {
        let dialect = file.dialect();
        let rules = self.bodies[1].lines().filter_map(|line| line.split_once("llow: "));
        let patterns: Vec<&str> = rules.map(|(_, pattern)| pattern).collect();
        let (claimed, except) = (patterns[patterns.len() - 1], patterns[0]);
        let [covering, left_out] = [claimed, except]
            .map(|pattern| File::read(dialect.name, format!("User-agent: *\nDisallow: {pattern}\n").as_bytes()));
        let any = self.asker("qqq");
        let is_covered = |path: &[u8]| !Self::ask(&covering, &any, path).0 && Self::ask(&left_out, &any, path).0;
        let covered: Vec<bool> = self.paths.iter().map(|path| is_covered(path)).collect();
        for allowed in [true, false] {
            let pattern = claimed.as_bytes();
            let claim = if allowed { Claim::all_allowed(pattern) } else { Claim::none_allowed(pattern) };
            let claim = claim.except(except.as_bytes()).budget(BUDGET);
            for (claim, from) in
                [(claim.clone().crawlers(&self.table), 0), (claim.only(&[Crawler::ANY]), self.unnamed())]
            {
                match claim.check(file) {
                    Ok(Held::Yes) => {
                        for (name, path, [crawler, place]) in
                            self.asked(from).filter(|(_, _, [_, place])| covered[*place])
                        {
                            let is_exempt = dialect.robots_txt_allowed && path == b"/robots.txt";
                            let is_right = is_exempt || answers[crawler][place].0 == allowed;
                            assert!(is_right, "{claimed} - {except}: {name} {}\n{self}", path.escape_ascii());
                        }
                    }
                    Ok(Held::No(found)) => {
                        let read = File::read(dialect.name, self.bodies[0].as_bytes());
                        let answer = Self::ask(&read, &self.asker(&found.crawler), &found.path);
                        let is_real = answer == (!allowed, found.line) && is_covered(&found.path);
                        assert!(is_real, "{claimed} - {except}: {found:?}\n{self}");
                    }
                    _ => {}
                }
            }
        }
    }

    /// Removes the rules without an effect: each on its own, and as many as possible.
    fn remove(&self, file: &Robots, answers: &Answers) {
        let dialect = file.dialect();
        let dead = dead_rules(file, &self.table, BUDGET);
        for rule in dead.rules.iter().take(2) {
            let line = |(number, line)| if number == rule.line { "#\n".to_owned() } else { format!("{line}\n") };
            let without: String = (1..).zip(self.bodies[0].lines()).map(line).collect();
            self.assert_same(&[answers.clone(), self.answers(dialect, &without)], 0);
        }
        let smaller = minimize(self.bodies[0].as_bytes(), std::slice::from_ref(dialect), &self.table, BUDGET);
        if !smaller.removed.is_empty() {
            let text = std::str::from_utf8(&smaller.text).unwrap();
            self.assert_same(&[answers.clone(), self.answers(dialect, text)], 0);
        }
    }
}

impl std::fmt::Display for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [old, new] = &self.dialects;
        write!(f, "{}:\n{}\n{}:\n{}", old.name, self.bodies[0], new.name, self.bodies[1])
    }
}

/// Replacements that give another spelling of a path, or another path.
const SPELLINGS: [(&str, &str); 12] = [
    ("z", "z"),
    ("$", "%24"),
    ("%24", "$"),
    ("*", "%2A"),
    ("%41", "A"),
    ("%41", "%%341"),
    ("%", "%25"),
    ("=", "%3D"),
    ("%3D", "="),
    ("4", "$"),
    ("2", "*"),
    ("%", "$"),
];

/// Returns true if no unreserved byte is escaped, and escapes have upper-case digits.
fn is_canonical(path: &[u8]) -> bool {
    path.is_ascii()
        && path.windows(3).all(|part| {
            let escape = part.strip_prefix(b"%").filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
            escape.is_none_or(|digits| {
                let octet = u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
                let is_unreserved = octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
                !is_unreserved && !digits.iter().any(u8::is_ascii_lowercase)
            })
        })
}

//! The benchmark of `comity audit`, beside programs that people use for access logs.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// The number of lines of the log.
const LINES: u64 = 2_000_000;
/// The number of rounds. In each of them, all programs run in turn; the fastest run of each counts.
const ROUNDS: usize = 3;
/// The minimum speed of `comity audit` with one thread, relative to `GoAccess` with all panels.
const MIN_FACTOR: f64 = 40.0;

const ROBOTS: &str = "User-agent: *\nDisallow: /cart/\nAllow: /cart/help\nDisallow: /*?sort=\n\nUser-agent: GPTBot\nUser-agent: \
                      CCBot\nDisallow: /\nAllow: /press/\n";

const CRAWLERS: [&str; 6] = [
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
];

/// A program, and the processors that it may use; `None` for all.
struct Contender {
    name: String,
    line: Vec<String>,
    is_on_one: bool,
}

/// Measures, and writes a page of the results. `comity` is the command as it is released.
pub(crate) fn run(comity: &Path, folder: &Path, page: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let log = folder.join("access.log");
    write_log(&log)?;
    fs::write(folder.join("robots.txt"), ROBOTS)?;
    let gzip = Command::new("gzip").args(["-1", "-k", "-f"]).arg(&log).status().context("gzip could not be started")?;
    ensure!(gzip.success(), "gzip failed");
    let contenders = contenders(comity, folder);
    let mut best = vec![Duration::MAX; contenders.len()];
    for _ in 0..ROUNDS {
        for (contender, best) in contenders.iter().zip(&mut best) {
            *best = measure(contender, folder)?.min(*best);
        }
    }
    let size = fs::metadata(&log)?.len() >> 20;
    let mut text = format!(
        "# Audits of access logs\n\nWritten by `cargo xtask bench --audit`. A made-up log in the combined format with {LINES} lines \
         ({size} MiB), of which 40 % are of crawlers, in the cache of the system. The fastest of {ROUNDS} rounds; load of the \
         machine: {}.\n\n| program | seconds | million lines/s |\n|---|--:|--:|\n",
        load()
    );
    for (contender, best) in contenders.iter().zip(&best) {
        let seconds = best.as_secs_f64();
        let _ = writeln!(text, "| {} | {seconds:.2} | {:.2} |", contender.name, LINES as f64 / seconds / 1e6);
    }
    let of = |name: &str| contenders.iter().position(|contender| contender.name.starts_with(name)).map(|at| best[at]);
    let factor = of("GoAccess").zip(of("comity audit")).map(|(other, own)| other.as_secs_f64() / own.as_secs_f64());
    if let Some(factor) = factor {
        let _ = writeln!(text, "\nOne thread of comity is {factor:.0} times as fast as GoAccess.");
    }
    print!("{text}");
    fs::write(page, text)?;
    ensure!(
        factor.is_none_or(|factor| factor >= MIN_FACTOR),
        "expected at least {MIN_FACTOR} times the speed of GoAccess"
    );
    Ok(())
}

fn contenders(comity: &Path, folder: &Path) -> Vec<Contender> {
    let path = |name: &str| folder.join(name).display().to_string();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let program = comity.display().to_string();
    let audit =
        |log: &str| words(&[&program, "audit", "--robots", &path("robots.txt"), "--format", "json", &path(log)]);
    let query = format!(
        "SET threads=1; SELECT count(*) FROM (SELECT regexp_extract(column0, '^(\\S+) .*\"(\\S+) (\\S+) [^\"]*\" (\\d+) .*\"([^\"]*)\"$', 5) \
         AS agent FROM read_csv('{}', header=false, delim='\\0', quote='', columns={{'column0': 'VARCHAR'}})) WHERE agent LIKE \
         '%GPTBot%'",
        path("access.log")
    );
    let all = [
        ("comity audit, one thread", audit("access.log"), true),
        ("comity audit, all threads", audit("access.log"), false),
        ("comity audit, gzip, one thread", audit("access.log.gz"), true),
        ("gzip -dc alone", words(&["gzip", "-dc", &path("access.log.gz")]), true),
        (
            "GoAccess, all panels",
            words(&[
                "goaccess",
                &path("access.log"),
                "--log-format=COMBINED",
                "--no-progress",
                "-o",
                &path("report.json"),
            ]),
            true,
        ),
        ("DuckDB, one thread, a regular expression, no robots.txt", words(&["duckdb", "-c", &query]), true),
        ("grep -c for one name", words(&["grep", "-c", "GPTBot", &path("access.log")]), true),
    ];
    let is_there = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    all.into_iter()
        .filter(|(name, line, _)| {
            is_there(&line[0]) || {
                println!("skipped: {name} is not installed");
                false
            }
        })
        .map(|(name, line, is_on_one)| Contender { name: name.to_owned(), line, is_on_one })
        .collect()
}

fn measure(contender: &Contender, folder: &Path) -> Result<Duration> {
    let mut command = if contender.is_on_one {
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).args(&contender.line);
        command
    } else {
        let mut command = Command::new(&contender.line[0]);
        command.args(&contender.line[1..]);
        command
    };
    // Not `/dev/null`: GNU grep looks at its output, and stops at the first match if nobody reads it.
    let output = File::create(folder.join("output"))?;
    let began = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null()).status()?;
    let took = began.elapsed();
    // An audit with violations ends with 1.
    ensure!(matches!(status.code(), Some(0 | 1)), "{} failed: {status}", contender.name);
    Ok(took)
}

/// Writes the log. Its content depends on nothing but this function.
fn write_log(path: &Path) -> Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut state = 1_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for line in 0..LINES {
        let (second, a, b, size) = (line / 30, next(65_536), next(254) + 1, next(99_999));
        let (day, hour, minute) = (second / 86_400 + 1, second / 3_600 % 24, second / 60 % 60);
        let path = match next(12) {
            0 => "/cart/".to_owned(),
            1 => "/press/2026.html".to_owned(),
            2 => "/shoes/?sort=price".to_owned(),
            3 => "/".to_owned(),
            _ => format!("/product/{}/detail-{}.html", next(100_000), next(1_000)),
        };
        let agent = match next(10) {
            0..4 => CRAWLERS[next(CRAWLERS.len() as u64) as usize].to_owned(),
            _ => format!(
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.{}.0 Safari/537.36",
                100 + next(40),
                next(20)
            ),
        };
        writeln!(
            out,
            "198.{}.{}.{b} - - [{day:02}/Nov/2026:{hour:02}:{minute:02}:{:02} +0000] \"GET {path} HTTP/1.1\" 200 {size} \
             \"https://shop.example/\" \"{agent}\"",
            a >> 8,
            a & 255,
            second % 60
        )?;
    }
    out.flush()?;
    Ok(())
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("not known").to_owned()
}

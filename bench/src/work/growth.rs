//! Families of files in which one quantity grows.

use super::synthetic::rules_and_urls;
use super::{AGENT, Body, Point, SITE, case};

fn point(x: u32, text: String, urls: Vec<String>) -> Point {
    let label = x.to_string();
    let body = Body::new(label.clone(), text.into_bytes());
    Point { x: Some(x), label, cases: vec![case(&body, AGENT, urls)] }
}

/// Returns files of 10 to 30,000 rules, one in five with wildcards.
pub(super) fn rules(questions: usize) -> Vec<Point> {
    let grow = |rules: u32| {
        let (text, urls) = rules_and_urls(rules as usize, 195, questions);
        point(rules, text, urls)
    };
    [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000].map(grow).into()
}

/// Returns files of 100 rules, with paths of 20 to 8,000 bytes.
pub(super) fn path(questions: usize) -> Vec<Point> {
    let grow = |length: u32| {
        let (text, mut urls) = rules_and_urls(100, 195, questions);
        for url in &mut urls {
            let start = SITE.len();
            url.truncate(start + length as usize);
            while url.len() < start + length as usize {
                let at = url.len();
                url.push(char::from(b"/segment-of-a-long-path"[at % 23]));
            }
        }
        point(length, text, urls)
    };
    [20, 60, 200, 600, 2_000, 8_000].map(grow).into()
}

/// Returns files of 1,000 rules, with wildcards in none of them up to all of them.
pub(super) fn wildcards(questions: usize) -> Vec<Point> {
    let grow = |percent: u32| {
        let (text, urls) = rules_and_urls(1_000, percent as usize * 10, questions);
        point(percent, text, urls)
    };
    [0, 10, 25, 50, 75, 100].map(grow).into()
}

/// Returns files of 1 to 1,000 groups. Each group has ten rules for one crawler. The questions are for the crawler of
/// the last group.
pub(super) fn agents(questions: usize) -> Vec<Point> {
    let grow = |agents: u32| {
        let (rules, urls) = rules_and_urls(10, 195, questions);
        let rules = rules.trim_start_matches("User-agent: *\n");
        let others = (1..agents).map(|agent| format!("User-agent: crawler-{}\n{rules}\n", letters(agent)));
        let text = others.collect::<String>() + &format!("User-agent: {AGENT}\n{rules}");
        point(agents, text, urls)
    };
    [1, 3, 10, 30, 100, 300, 1_000].map(grow).into()
}

/// Returns a number in letters, because not all parsers accept digits in the names of crawlers.
fn letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

//! A generator of files that are like real ones, for machines without the real files.
//!
//! The distributions were measured over 4,231 real files: sizes by their quantiles (median 561 bytes, 90 % below
//! 3,930, 99 % below 72,224), one group in half of the files and 92 in one of a hundred, 8 % `Allow`, operators in
//! 19 % of the patterns, `$` in 2 %, two thirds of all groups repeating another one of their file.

use std::rc::Rc;

use super::Body;
use super::random::Random;

const SIZES: [(f64, f64); 7] =
    [(0.0, 24.0), (0.15, 90.0), (0.5, 561.0), (0.9, 3_930.0), (0.99, 72_224.0), (0.999, 404_815.0), (1.0, 512_000.0)];
const GROUPS: [(f64, f64); 5] = [(0.0, 1.0), (0.55, 1.0), (0.9, 5.0), (0.99, 92.0), (1.0, 528.0)];
const PATTERN_LENGTHS: [(f64, f64); 5] = [(0.0, 3.0), (0.5, 15.0), (0.9, 35.0), (0.99, 83.0), (1.0, 546.0)];

/// Crawlers that real files often name, for the groups after the first one. The first group is always for `*`.
const AGENTS: [&str; 10] = [
    "Googlebot",
    "Bingbot",
    "Yandex",
    "Baiduspider",
    "AhrefsBot",
    "SemrushBot",
    "GPTBot",
    "CCBot",
    "MJ12bot",
    "ia_archiver",
];

pub(super) const WORDS: [&str; 24] = [
    "search", "admin", "user", "login", "cart", "checkout", "account", "api", "wp-admin", "includes", "modules",
    "themes", "profile", "node", "tag", "feed", "print", "private", "tmp", "images", "download", "news", "item",
    "ajax",
];

pub(super) fn files(count: usize) -> Vec<Rc<Body>> {
    let mut random = Random::new(9_309);
    (0..count).map(|index| Body::new(format!("generated-{index:04}"), file(&mut random))).collect()
}

fn file(random: &mut Random) -> Vec<u8> {
    let size = random.of_quantiles(&SIZES) as usize;
    let groups = (random.of_quantiles(&GROUPS).round() as usize).min(size / 40 + 1);
    let mut text = String::new();
    if random.per_mille(200) {
        text += "# See https://www.robotstxt.org/ for what this is.\n";
    }
    let mut previous = String::new();
    for group in 0..groups {
        text += "User-agent: ";
        match group {
            0 => text += "*",
            1 if random.per_mille(120) => text += AGENTS[0],
            _ => text += &format!("{}{}", random.pick(&AGENTS[1..]), if group > 9 { "-x" } else { "" }),
        }
        text.push('\n');
        if group > 0 && random.per_mille(670) {
            text += &previous;
        } else {
            let start = text.len();
            rules(size * (group + 1) / groups, random, &mut text);
            previous = text[start..].to_owned();
        }
        text.push('\n');
    }
    if random.per_mille(500) {
        text += "Sitemap: https://www.example.com/sitemap.xml\n";
    }
    text.into_bytes()
}

/// Adds rules and other lines until the file has this size. Half of all lines are rules.
fn rules(size: usize, random: &mut Random, text: &mut String) {
    loop {
        match random.below(100) {
            0..26 => *text += &comment(random),
            26..34 => *text += &format!("Sitemap: https://www.example.com/{}.xml\n", words(6, "-", random)),
            34..42 => text.push('\n'),
            42..44 => *text += "Crawl-delay: 10\n",
            44..49 => *text += &format!("Allow: {}\n", pattern(random)),
            49..52 => *text += "Disallow: /\n",
            _ => *text += &format!("Disallow: {}\n", pattern(random)),
        }
        if text.len() >= size {
            return;
        }
    }
}

fn comment(random: &mut Random) -> String {
    let count = 4 + random.below(14);
    format!("# {}\n", words(count, " ", random))
}

fn words(count: usize, between: &str, random: &mut Random) -> String {
    (0..count).map(|_| random.pick(&WORDS)).collect::<Vec<_>>().join(between)
}

fn pattern(random: &mut Random) -> String {
    let length = random.of_quantiles(&PATTERN_LENGTHS) as usize;
    let mut pattern = String::new();
    if random.per_mille(80) {
        pattern += "/*";
    }
    while pattern.len() < length {
        pattern += if random.per_mille(100) { "?" } else { "/" };
        pattern += random.pick(&WORDS);
        if random.per_mille(300) {
            pattern += &format!("-{}", random.below(10_000));
        }
    }
    if random.per_mille(115) {
        pattern.push('*');
        if random.per_mille(600) {
            pattern += random.pick(&[".pdf", "sort=", "/print", ".php", "?"]);
        }
    }
    if random.per_mille(20) {
        pattern.push('$');
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::files;

    /// Compares the files with the published facts about real ones, at the top of this file.
    #[test]
    fn files_are_like_real_ones() {
        let files = files(3_000);
        let mut sizes: Vec<usize> = files.iter().map(|file| file.bytes.len()).collect();
        sizes.sort_unstable();
        let quantile = |share: f64| sizes[(sizes.len() as f64 * share) as usize];
        assert!((450..800).contains(&quantile(0.5)), "median {}", quantile(0.5));
        assert!((3_200..5_500).contains(&quantile(0.9)), "90 % {}", quantile(0.9));
        assert!((50_000..110_000).contains(&quantile(0.99)), "99 % {}", quantile(0.99));
        let mean = sizes.iter().sum::<usize>() / sizes.len();
        assert!((3_200..6_000).contains(&mean), "mean {mean}");

        let lines = || files.iter().flat_map(|file| file.text.lines());
        let rules = lines().filter(|line| line.starts_with("Disallow") || line.starts_with("Allow")).count();
        let share = |what: &dyn Fn(&str) -> bool| lines().filter(|line| what(line)).count() * 1_000 / rules;
        let operators = share(&|line| line.contains("llow: ") && line.contains(['*', '$']));
        assert!((160..230).contains(&operators), "{operators} of 1,000 rules have operators");
        let allow = share(&|line| line.starts_with("Allow"));
        assert!((60..110).contains(&allow), "{allow} of 1,000 rules allow");

        let bytes = sizes.iter().sum::<usize>();
        assert!((70..95).contains(&(bytes / rules)), "{} bytes of file for a rule", bytes / rules);
        assert!((36..46).contains(&(bytes / lines().count())), "{} bytes a line", bytes / lines().count());
    }
}

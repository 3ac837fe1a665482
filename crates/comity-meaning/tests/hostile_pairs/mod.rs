//! Pairs of large files that make comparisons expensive: many rules, many stars, many names, long patterns.

/// The size of each file, in bytes. A file may be up to a line smaller.
pub(crate) const FILE_OCTETS: usize = 500_000;

const ANY: &str = "User-agent: *\n";

/// Returns the pairs, each with its name.
pub(crate) fn pairs() -> Vec<(&'static str, [String; 2])> {
    let rules = |pattern: fn(usize, char) -> String| {
        [("Allow", 'x'), ("Disallow", 'y')]
            .map(|(kind, mark)| file(ANY, |index| format!("{kind}:{}", pattern(index, mark))))
    };
    vec![
        ("the same short rules", rules(|index, _| format!("/{}", index % 10))),
        ("short rules", rules(|index, _| format!("/{index:x}"))),
        ("other short rules", rules(|index, mark| format!("/{index:x}{mark}"))),
        ("rules that start each other", rules(|index, mark| format!("/{}{mark}", "a".repeat(index)))),
        ("one star each", rules(|index, mark| format!("/*{index:x}{mark}"))),
        ("two stars each", rules(|index, mark| format!("/*a{index:x}*{mark}"))),
        ("eight stars each, the same letters", rules(|index, mark| format!("/{}", letters(index, mark)))),
        ("eight stars each, numbered", rules(|index, mark| format!("/{index:x}{mark}{}", "*a".repeat(8)))),
        ("a star at the start", rules(|index, mark| format!("*/{index:x}*b*{mark}"))),
        ("many stars", rules(|index, mark| format!("*{index:x}{}{mark}", "*/".repeat(200)))),
        ("one pattern of stars", rules(|index, mark| format!("/{index}{}{mark}", "a*".repeat(249_980)))),
        ("stars beside a long literal", {
            let star = file(ANY, |_| format!("Allow:/{}", "*a".repeat(249_980)));
            [star, file(ANY, |_| format!("Disallow:/{}", "a".repeat(499_960)))]
        }),
        ("long literals and stars", rules(|index, mark| format!("*{index:x}{mark}{}", "a".repeat(2_000)))),
        ("index pages", rules(|index, _| format!("*/{index:x}*/index.html"))),
        (
            "names",
            ["Allow", "Disallow"].map(|kind| file("", |index| format!("User-agent:{index:x}\n{kind}:/{index:x}"))),
        ),
        (
            "other names",
            ["x", "y"].map(|mark| file("", |index| format!("User-agent:{index:x}{mark}\nDisallow:/{index:x}"))),
        ),
        (
            "names of one group",
            ["/x", "/y"].map(|path| file("", |index| format!("User-agent:{index:x}")) + "\nDisallow:" + path),
        ),
        (
            "names of a group, and many rules",
            ["x", "y"].map(|mark| {
                let names: String = (0..10_000).map(|index| format!("User-agent:{index:x}\n")).collect();
                file(&names, |index| format!("Disallow:/{index:x}{mark}"))
            }),
        ),
        (
            "the same rules in many groups",
            ["x", "y"].map(|mark| {
                file("", |index| {
                    format!(
                        "User-agent:{index:x}\nDisallow:/a{mark}\nAllow:/a{mark}b\nDisallow:/*c{mark}\nAllow:/*d{mark}$"
                    )
                })
            }),
        ),
        (
            "other rules in many groups",
            ["x", "y"].map(|mark| {
                let rules =
                    |index: usize| (0..50).map(|n| format!("\nDisallow:/{index:x}/{n}{mark}")).collect::<String>();
                file("", |index| format!("User-agent:{index:x}{}", rules(index)))
            }),
        ),
        (
            "signals",
            ["yes", "no"]
                .map(|value| file(ANY, |index| format!("Content-Signal:/{index:x} ai-train={value}\nAllow:/"))),
        ),
        ("uses", ["yes", "no"].map(|value| file(ANY, |index| format!("Content-Signal:/ u{index:x}={value}\nAllow:/")))),
    ]
}

/// Returns a start and lines, up to the size of a file.
fn file(start: &str, line: impl Fn(usize) -> String) -> String {
    let mut text = String::from(start);
    for index in 0.. {
        let line = line(index);
        if text.len() + line.len() + 1 > FILE_OCTETS {
            break;
        }
        text += &line;
        text.push('\n');
    }
    text
}

/// Returns eight stars, each before one or two letters.
fn letters(index: usize, mark: char) -> String {
    let mut state = (2 * index + usize::from(mark == 'x')) as u32;
    let mut text = String::new();
    for _ in 0..8 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text += ["*a", "*b", "*ab", "*ba"][(state >> 30) as usize];
    }
    text
}

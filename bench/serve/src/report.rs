//! The results, for people and for programs.

use std::fmt::Write as _;

use crate::{Bound, CONNECTIONS, Cost, ROUNDS};

pub(crate) fn markdown(costs: &[Cost]) -> String {
    let mut page = format!(
        "# The cost of answers of the service\n\n\
         CPU time for each answer, of a process that serves with one thread: medians of {ROUNDS} rounds in which all servers take \
         turns, over {CONNECTIONS} kept connections, from `/proc/PID/task/*/schedstat`. The client never sleeps, so waking it is not \
         part of an answer. The hello is a route of axum with a body of about the same length. All files are in the cache. \
         Absolute times differ between machines; quote ratios.\n\n\
         | | µs per answer | answers per second of a core | x hello | target |\n|---|--:|--:|--:|---|\n"
    );
    for cost in costs {
        let ratio = match cost.bound {
            Bound::PerSecond(_) => String::new(),
            _ => format!("{:.2}", cost.ratio),
        };
        let _ = writeln!(
            page,
            "| {} | {:.2} | {:.0} | {ratio} | {} |",
            cost.name,
            cost.seconds * 1e6,
            1.0 / cost.seconds,
            match cost.bound {
                Bound::None => String::new(),
                Bound::TimesHello(most) => format!("≤ {most:.1} x hello"),
                Bound::PerSecond(least) => format!("≥ {:.0} M/s", least / 1e6),
            }
        );
    }
    page.push_str("\n`cargo xtask bench --serve` measures again.\n");
    page
}

/// Writes one JSON object per line. No value needs escapes.
pub(crate) fn json(costs: &[Cost]) -> String {
    let rows: Vec<String> = costs
        .iter()
        .map(|cost| {
            format!(
                "{{\"name\":\"{}\",\"seconds\":{:e},\"times_hello\":{:.3},\"within\":{}}}",
                cost.name,
                cost.seconds,
                cost.ratio,
                cost.is_within()
            )
        })
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

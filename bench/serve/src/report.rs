//! What was measured, for people and for programs.

use std::fmt::Write as _;

use crate::{Bound, CONNECTIONS, Cost, ROUNDS};

pub(crate) fn markdown(costs: &[Cost]) -> String {
    let mut page = format!(
        "# What answers of the service cost\n\n\
         Time on a processor of a process that serves with one thread, for each answer: medians of {ROUNDS} rounds in \
         which all take turns, over {CONNECTIONS} kept connections, as `/proc/PID/task/*/schedstat` has it. Who asks \
         never sleeps, so that waking it is not part of an answer. The hello is a route of axum with a body of about that \
         length. All files are remembered. Absolute times move from machine \
         to machine; quote ratios.\n\n\
         | | µs for an answer | answers a second of a core | x hello | target |\n|---|--:|--:|--:|---|\n"
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

/// One object a line, as nothing here needs escapes.
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

//! Prometheus' text format 0.0.4, which differs from `OpenMetrics` in the names of counters and in what comments say.

use std::fmt::Write as _;

/// Converts a page of metrics from `OpenMetrics` 1.0.
pub(super) fn from_openmetrics(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    // The type follows the description, and decides the name in both.
    let mut help = None;
    for line in page.lines() {
        if let Some(about) = line.strip_prefix("# HELP ") {
            help = about.split_once(' ');
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let Some((name, kind)) = kind.split_once(' ') else { continue };
            let (suffix, kind) = match kind {
                "counter" => ("_total", "counter"),
                "info" => ("_info", "gauge"),
                other => ("", other),
            };
            if let Some((_, about)) = help.take() {
                let _ = writeln!(text, "# HELP {name}{suffix} {about}");
            }
            let _ = writeln!(text, "# TYPE {name}{suffix} {kind}");
        } else if !line.starts_with('#') {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_samples() {
        let page = "# HELP a_build The version\n# TYPE a_build info\na_build_info{version=\"1\"} 1\n\
                    # HELP a_cpu_seconds Time\n# TYPE a_cpu_seconds counter\n# UNIT a_cpu_seconds seconds\n\
                    a_cpu_seconds_total 1.5\n# HELP a_open Now open\n# TYPE a_open gauge\na_open 3\n# EOF\n";
        let expected = "# HELP a_build_info The version\n# TYPE a_build_info gauge\na_build_info{version=\"1\"} 1\n\
                        # HELP a_cpu_seconds_total Time\n# TYPE a_cpu_seconds_total counter\na_cpu_seconds_total 1.5\n\
                        # HELP a_open Now open\n# TYPE a_open gauge\na_open 3\n";
        assert_eq!(from_openmetrics(page), expected);
    }
}

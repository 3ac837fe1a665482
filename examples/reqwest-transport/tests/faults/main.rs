//! The fault matrix of comity-fetch through a transport over reqwest: each row ends as it does through the built-in one,
//! but for the kind of the failure.

#[path = "../../../../crates/comity-fetch/tests/live/faults/http1.rs"]
mod http1;
#[path = "../../../../crates/comity-fetch/tests/live/faults/http2.rs"]
mod http2;
#[path = "../../../../crates/comity-fetch/tests/loopback/mod.rs"]
#[allow(dead_code, reason = "reqwest opens connections itself")]
mod loopback;
#[path = "../../../../crates/comity-fetch/tests/live/faults/matrix.rs"]
mod matrix;
#[path = "../../../../crates/comity-fetch/tests/live/faults/row.rs"]
#[allow(dead_code, reason = "the rows of FTP use all of it")]
mod row;
#[path = "../../../../crates/comity-fetch/tests/live/faults/run.rs"]
mod run;
#[path = "../../../../crates/comity-fetch/tests/live/stage.rs"]
#[allow(dead_code, reason = "other tests use all of it")]
mod stage;
#[path = "../../../../crates/comity-fetch/tests/live/faults/tls.rs"]
mod tls;
mod via;

/// The file of a good site. All that counts is at the end, so that half of it allows too much.
const ROBOTS: &str = "User-agent: *\nAllow: /public/\nDisallow: /private/\n";

const BOT: &comity::Crawler<'_> = &comity::Crawler::ANY;

const HAS_END_STREAM: bool = true;
const EXCEPTIONS: &str = include_str!("indistinct.toml");

#[test]
fn the_list_has_only_rows_of_the_matrix() {
    via::check_list(&matrix::rows());
}

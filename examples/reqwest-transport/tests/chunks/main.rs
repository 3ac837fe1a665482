//! The rows of HTTP/2 through reqwest as most programs read it, by its chunks alone: `indistinct.toml` lists the rows that
//! it cannot tell apart. A body is accepted only at the length that it states.

#[path = "../../../../crates/comity-fetch/tests/live/faults/http2.rs"]
#[allow(dead_code, reason = "floods are the same either way")]
mod http2;
#[path = "../../../../crates/comity-fetch/tests/loopback/mod.rs"]
#[allow(dead_code, reason = "reqwest opens connections itself")]
mod loopback;
#[path = "../../../../crates/comity-fetch/tests/live/faults/row.rs"]
#[allow(dead_code, reason = "the rows of FTP use all of it")]
mod row;
#[path = "../../../../crates/comity-fetch/tests/live/faults/run.rs"]
mod run;
#[path = "../../../../crates/comity-fetch/tests/live/stage.rs"]
#[allow(dead_code, reason = "other tests use all of it")]
mod stage;
#[path = "../faults/via.rs"]
mod via;

/// The file of a good site. All that counts is at the end, so that half of it allows too much.
const ROBOTS: &str = "User-agent: *\nAllow: /public/\nDisallow: /private/\n";

const BOT: &comity::Crawler<'_> = &comity::Crawler::ANY;

const HAS_END_STREAM: bool = false;
const EXCEPTIONS: &str = include_str!("indistinct.toml");

#[tokio::test]
async fn streams_that_break() {
    run::meet_all(http2::streams()).await;
}

#[tokio::test]
async fn frames_that_break_the_rules() {
    run::meet_all(http2::malformed()).await;
}

#[tokio::test]
async fn streams_that_end_without_an_end() {
    run::meet_all(http2::ends()).await;
}

#[test]
fn the_list_has_only_rows_of_the_matrix() {
    via::check_list(&[http2::streams(), http2::malformed(), http2::ends()].concat());
}

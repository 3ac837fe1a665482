//! The fault matrix: everything that a server can do wrong, in every protocol.
//!
//! A [`Client`](comity_fetch::Client) runs each row with a last good copy and without, under each policy unless the row
//! names one. A failed fetch is never permission, unless the policy says so, and nothing of it is kept as a copy.
//!
//! A new part of the matrix is a function that returns rows, and a line in `matrix.rs`.

#[cfg(feature = "ftp")]
mod ftp;
mod http1;
mod http2;
mod matrix;
#[cfg_attr(not(feature = "ftp"), allow(dead_code, reason = "only the rows of FTP use all of it"))]
mod row;
mod run;
mod tls;

use comity_fetch::Policy;
use comity_policy::BODY_LIMIT;
use comity_testserver::{ANY, Coding, Reply};
use tokio::task::JoinSet;

use self::row::Row;
use crate::ROBOTS;
use crate::stage::{Allowed, Site, Stage, allowed};

#[cfg(feature = "ftp")]
#[tokio::test]
async fn ftp_servers_that_refuse() {
    run::meet_all(ftp::replies()).await;
}

#[cfg(feature = "ftp")]
#[tokio::test]
async fn ftp_files_that_are_not_whole() {
    run::meet_all(ftp::files()).await;
}

fn all_rows() -> Vec<Row> {
    #[allow(unused_mut, reason = "the rows of FTP come with its feature")]
    let mut rows = matrix::rows();
    #[cfg(feature = "ftp")]
    rows.extend([ftp::replies(), ftp::files()].concat());
    rows
}

#[test]
fn the_matrix_has_at_least_150_rows() {
    const MIN_ROWS: usize = 150;
    let rows = all_rows();
    let mut names: Vec<_> = rows.iter().map(|row| (row.over, &row.name)).collect();
    names.sort();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1], "two rows of one name");
    }
    let mut summary = format!("the fault matrix has {} rows:", rows.len());
    for over in row::Over::ALL {
        let count = rows.iter().filter(|row| row.over == over).count();
        summary += &format!(" {over:?} {count}");
    }
    println!("{summary}");
    assert!(rows.len() >= MIN_ROWS, "{summary}");
}

#[tokio::test]
async fn ten_gibibytes_of_nothing() {
    let site = Site::good().await;
    for coding in Coding::ALL {
        for bomb in [Reply::ok("").zeros(10 << 30), Reply::ok("").endless("User-agent: *\nDisallow: /private/\n")] {
            site.http.serve(ANY, ANY, bomb.encoded(coding));
            let client = Stage::new(Policy::STANDARD, &site).client().build().unwrap();
            let site = client.robots("http://a.test").await.unwrap();
            assert_eq!(site.copy().map(|copy| copy.body.len()), Some(BODY_LIMIT), "{coding:?}: {}", site.ruling());
            assert!(site.copy().unwrap().is_cut());
        }
    }
}

/// Checks that a coded body decodes to the same, or to nothing, wherever the network cuts it.
#[tokio::test]
async fn pieces_of_every_size() {
    let site = Site::good().await;
    let client = Stage::new(Policy::STANDARD, &site).client().at_once(32).build().unwrap();
    let mut asking = JoinSet::new();
    for (n, coding) in Coding::ALL.into_iter().enumerate() {
        let bytes = coding.encode(ROBOTS.as_bytes());
        let longer = [&bytes[..], b"more"].concat();
        for size in 1..=bytes.len() {
            for (kind, body, expected) in [
                ("whole", bytes.to_vec(), Allowed::ByRules),
                ("half", bytes[..bytes.len() / 2].to_vec(), Allowed::Nothing),
                ("more", longer.clone(), Allowed::Nothing),
            ] {
                let host = format!("{kind}-{n}-{size}.test");
                let reply = Reply::ok(body).header("Content-Encoding", coding.name()).chunked(size);
                site.http.serve(&host, ANY, reply);
                let client = client.clone();
                asking.spawn(async move {
                    let site = client.robots(&format!("http://{host}/")).await.unwrap();
                    assert_eq!(allowed(&site), expected, "{host}: {:?}", site.attempt());
                });
            }
        }
    }
    asking.join_all().await;
    assert_eq!(client.stats().fail_open_total, 0);
}

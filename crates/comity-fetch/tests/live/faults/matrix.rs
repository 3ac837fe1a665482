//! The parts of the matrix over HTTP, which run through any transport: a test for each part, and all rows together.

use super::row::Row;
use super::{http1, http2, run, tls};

macro_rules! matrix {
    ($($part:ident: $rows:path;)*) => {
        $(#[tokio::test]
        async fn $part() {
            run::meet_all($rows()).await;
        })*

        /// Returns the rows of all parts.
        pub(crate) fn rows() -> Vec<Row> {
            [$($rows()),*].concat()
        }
    };
}

matrix! {
    heads_that_are_none: http1::heads;
    bodies_that_are_not_whole: http1::bodies;
    codings_that_are_not_what_they_say: http1::codings;
    doors_that_do_not_open: http1::doors;
    connections_that_are_not_secure: tls::handshakes;
    secure_bodies_that_are_not_whole: tls::bodies;
    streams_that_break: http2::streams;
    frames_that_break_the_rules: http2::malformed;
    streams_that_end_without_an_end: http2::ends;
    frames_without_end: http2::floods;
}

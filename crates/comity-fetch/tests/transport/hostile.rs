//! No input from a server causes a panic, or is accepted as a complete body if it is incomplete.

use comity_fetch::transport::TransportError;
use comity_testserver::{ANY, Accept, HttpServer, Reply};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{fetch, options};

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(future)
}

async fn status_and_body(said: Vec<u8>) -> Result<(u16, Vec<u8>), TransportError> {
    let server = HttpServer::start().await;
    server.accept(Accept::Say(said.into()));
    let (answer, body) = fetch(options(server.addr()), "http://a.test/").await?;
    Ok((answer.head.status(), body))
}

/// Returns parts of responses, valid and invalid.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => select(vec![
            "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 103 Hints\r\n\r\n", "HTTP/1.1 204 None\r\n",
            "Content-Length: 5\r\n", "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n",
            "Content-Encoding: br\r\n", "Content-Encoding: zstd\r\n", "Content-Encoding: deflate\r\n",
            "Transfer-Encoding: gzip\r\n", "\r\n", "\n", "\r", ":", "5\r\n", "0\r\n\r\n", "hello", "Connection: close\r\n",
            "\u{1f}\u{8b}", " ", "X: y\r\n",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..40),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(said in vec(any::<u8>(), 0..2000)) {
        // Random bytes are not HTTP.
        prop_assert!(run(status_and_body(said)).is_err());
    }

    #[test]
    fn anything_like_an_answer(pieces in vec(piece(), 0..14)) {
        let said = pieces.concat();
        if let Ok((status, body)) = run(status_and_body(said.clone())) {
            prop_assert!(is_right(&said, status, &body), "{status}, {} from {}", body.escape_ascii(), said.escape_ascii());
        }
    }

    /// Checks bodies that are cut anywhere: they are incomplete, unless only the empty line after the last chunk is missing.
    #[test]
    fn cut_anywhere(body in vec(any::<u8>(), 1..200), size in 1_usize..50, cut in any::<prop::sample::Index>(), chunked: bool) {
        let mut said = b"HTTP/1.1 200 OK\r\n".to_vec();
        if chunked {
            said.extend(b"Transfer-Encoding: chunked\r\n\r\n");
            for chunk in body.chunks(size) {
                said.extend(format!("{:x}\r\n", chunk.len()).bytes());
                said.extend(chunk);
                said.extend(b"\r\n");
            }
            said.extend(b"0\r\n\r\n");
        } else {
            said.extend(format!("Content-Length: {}\r\n\r\n", body.len()).bytes());
            said.extend(&body);
        }
        let (_, whole) = run(status_and_body(said.clone())).expect("complete");
        prop_assert_eq!(&whole, &body);
        let cut = cut.index(said.len());
        let has_last_chunk = chunked && cut + 2 >= said.len();
        said.truncate(cut);
        match run(status_and_body(said)) {
            Ok((_, part)) => prop_assert!(has_last_chunk && part == body),
            Err(problem) => prop_assert!(!has_last_chunk, "{}", problem.detail),
        }
    }
}

/// Returns true if these bytes contain all of the body: accepted responses are parsed again, by the letter of RFC 9112.
fn is_right(said: &[u8], status: u16, body: &[u8]) -> bool {
    let mut rest = said;
    loop {
        let mut fields = [httparse::EMPTY_HEADER; 100];
        let mut head = httparse::Response::new(&mut fields);
        let mut config = httparse::ParserConfig::default();
        config.allow_obsolete_multiline_headers_in_responses(true);
        let Ok(httparse::Status::Complete(length)) = config.parse_response(&mut head, rest) else { return false };
        rest = &rest[length..];
        let code = head.code.unwrap_or_default();
        if (100..200).contains(&code) && code != 101 {
            continue;
        }
        let all = |name: &str| -> Vec<&[u8]> {
            head.headers.iter().filter(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value).collect()
        };
        if code != status {
            return false;
        }
        if matches!(code, 204 | 304 | 101) {
            return body.is_empty();
        }
        let (codings, lengths) = (all("Transfer-Encoding"), all("Content-Length"));
        let framed: &[u8] = match (codings.as_slice(), lengths.as_slice()) {
            ([], []) => rest,
            ([], [first, others @ ..]) => {
                let length = std::str::from_utf8(first).ok().and_then(|text| text.parse::<usize>().ok());
                let Some(length) = length.filter(|length| *length <= rest.len()) else { return false };
                if others.iter().any(|other| other != first) {
                    return false;
                }
                &rest[..length]
            }
            // Not parsed again here: valid chunks are those of `cut_anywhere`.
            ([b"chunked"], _) => return rest.windows(5).any(|end| end == b"0\r\n\r\n"),
            _ => return false,
        };
        // Coded bodies are checked by the tests of the codings.
        return if all("Content-Encoding").is_empty() {
            framed == body
        } else {
            !body.is_empty() || !framed.is_empty()
        };
    }
}

#[tokio::test]
async fn the_next_request_is_none_the_worse() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok("fine"));
    for said in ["", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more than that"] {
        server.accept(Accept::Say(said.into()));
        let _ = fetch(options(server.addr()), "http://a.test/").await;
        server.accept(Accept::Serve);
        assert_eq!(fetch(options(server.addr()), "http://a.test/").await.expect("a file").1, b"fine");
    }
}

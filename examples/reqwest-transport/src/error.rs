//! From reqwest's errors to failures, as far as they can be told apart.

use std::error::Error;

use comity_fetch::Failure;
use comity_fetch::transport::TransportError;

/// Returns the error of a request without a response.
pub(crate) fn before_head(error: &reqwest::Error) -> TransportError {
    let failure = if error.is_timeout() {
        Failure::Timeout
    } else if chain(error).any(<dyn std::error::Error>::is::<rustls::Error>) {
        Failure::Tls
    } else if error.is_connect() {
        Failure::Connect
    } else {
        // hyper's errors are boxed, so an invalid head looks like a connection that broke off.
        Failure::Reset
    };
    TransportError::new(failure, text(error))
}

/// Returns the error of a body that broke off.
pub(crate) fn in_body(error: &reqwest::Error) -> TransportError {
    let failure = if error.is_timeout() { Failure::Timeout } else { Failure::Truncated };
    TransportError::new(failure, text(error))
}

/// Returns the error of a stream of HTTP/2 that ended without `END_STREAM`.
pub(crate) fn early_end() -> TransportError {
    TransportError::new(Failure::Truncated, "the stream ended without END_STREAM")
}

fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'e (dyn Error + 'static)| {
        let error = *error;
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| error.source())
    })
}

fn text(error: &reqwest::Error) -> String {
    let text: Vec<_> = chain(error).map(ToString::to_string).collect();
    text.join(": ").chars().filter(|character| !character.is_control()).take(200).collect()
}

//! Requests in the form in which they are logged.

use std::borrow::Cow;
use std::fmt;

use comity::{Escaped, without_userinfo};
use http::{Method, Request, Uri};
use url::form_urlencoded;

/// The most bytes of a request's target that are logged.
const MAX_TARGET_LEN: usize = 512;

/// A request for the log: at most one line, with control characters escaped and without passwords.
pub(super) struct LoggedRequest {
    method: Method,
    uri: Uri,
}

impl LoggedRequest {
    pub(super) fn new<B>(request: &Request<B>) -> Self {
        Self { method: request.method().clone(), uri: request.uri().clone() }
    }
}

impl fmt::Display for LoggedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = without_passwords(&self.uri);
        let target = target.as_bytes();
        write!(
            f,
            "{} {}",
            Escaped(self.method.as_str().as_bytes()),
            Escaped(&target[..target.len().min(MAX_TARGET_LEN)])
        )?;
        if target.len() > MAX_TARGET_LEN { write!(f, "... ({} bytes)", target.len()) } else { Ok(()) }
    }
}

/// Returns the path and the query of a request, without the user names and passwords of the URLs in its query.
fn without_passwords(uri: &Uri) -> Cow<'_, str> {
    let target = uri.path_and_query().map_or("", |target| target.as_str());
    let pairs = || form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    if !pairs().any(|(_, value)| matches!(without_userinfo(&value), Cow::Owned(_))) {
        return Cow::Borrowed(target);
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs() {
        query.append_pair(&name, &without_userinfo(&value));
    }
    Cow::Owned(format!("{}?{}", uri.path(), query.finish()))
}

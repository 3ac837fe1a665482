//! The headers that tell clients about rate limits (draft-ietf-httpapi-ratelimit-headers-10).

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::rates::Remaining;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

pub(super) fn add(headers: &mut HeaderMap, quotas: [Option<Remaining>; 2]) {
    let (mut policies, mut rests) = (String::new(), String::new());
    for Remaining { name, limit, window, requests, reset } in quotas.into_iter().flatten() {
        let separator = if policies.is_empty() { "" } else { ", " };
        let (window, reset) = (window.as_secs(), seconds(reset));
        policies += &format!("{separator}\"{name}\";q={limit};w={window}");
        rests += &format!("{separator}\"{name}\";r={requests};t={reset}");
    }
    for (name, value) in [(RATE_LIMIT_POLICY, policies), (RATE_LIMIT, rests)] {
        if !value.is_empty()
            && let Ok(value) = HeaderValue::from_maybe_shared(Bytes::from(value))
        {
            headers.insert(name, value);
        }
    }
}

/// Returns whole seconds, rounded up.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_lists() {
        let requests = Remaining {
            name: "requests",
            limit: 5000,
            window: Duration::from_secs(1),
            requests: 4999,
            reset: Duration::from_micros(200),
        };
        let fetches =
            Remaining { name: "fetches", limit: 60, window: Duration::from_secs(60), requests: 0, ..requests };
        let mut headers = HeaderMap::new();
        add(&mut headers, [None, None]);
        assert!(headers.is_empty());
        add(&mut headers, [Some(requests), Some(fetches)]);
        assert_eq!(headers["ratelimit-policy"], "\"requests\";q=5000;w=1, \"fetches\";q=60;w=60");
        assert_eq!(headers["ratelimit"], "\"requests\";r=4999;t=1, \"fetches\";r=0;t=1");
    }
}

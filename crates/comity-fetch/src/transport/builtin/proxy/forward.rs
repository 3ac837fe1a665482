//! Distinguishes a site's responses to forwarded requests from the proxy's own.
//!
//! A proxy that refuses a tunnel to a plain `http:` site may forward the request instead. Then its own error pages look
//! like the site's, and a 4xx of the site means that there is no robots.txt. So a forwarded response counts as the
//! site's only with evidence; otherwise it is a failure to connect:
//!
//! | answer | counts as the site's |
//! |---|---|
//! | 407 | never |
//! | with `X-Squid-Error` or `Proxy-Authenticate` | never: only proxies send these |
//! | 2xx | otherwise always: the rules of a file count, whoever sent it |
//! | other statuses | if the proxy says that it forwarded the answer, and another program signed it |
//!
//! The proxy states that by `Via` (RFC 9110 §7.6.3). That alone is not enough, since Squid adds it to its own error
//! pages. So there must also be a `Server` field, of a program that is neither the one that refused the tunnel nor
//! named in `Via`, and not one of [`PROXIES`], which may be part of a chain. `Proxy-Status` (RFC 9209) is for errors:
//! no evidence.

use comity_policy::Failure;
use http::{HeaderMap, StatusCode, header};

use super::Proxy;
use super::tunnel::password;
use crate::transport::error::TransportError;

/// Forward proxies that name themselves in the `Server` fields of their own pages.
const PROXIES: [&str; 6] = ["ats", "mitmproxy", "polipo", "squid", "tinyproxy", "zscaler"];

/// A proxy's refusal of a tunnel, with which its later responses are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::transport::builtin) struct Refusal {
    status: StatusCode,
    /// The program that refused, in lower case; `None` if it is not named.
    server: Option<String>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, fields: &HeaderMap) -> Self {
        let server = fields.get(header::SERVER).and_then(|value| value.to_str().ok()).map(product);
        Self { status, server }
    }

    /// Returns the reason why there is no tunnel, for requests that need one.
    pub(super) fn of_tunnel(&self, port: u16) -> String {
        format!(
            "it answered {} to CONNECT: allow CONNECT to port {port} there (Squid: `acl SSL_ports port {port}`, \
             Tinyproxy: `ConnectPort {port}`)",
            self.status.as_u16()
        )
    }

    /// Checks that the response to a forwarded request is the site's, if that matters. `port` is the site's.
    pub(in crate::transport::builtin) fn check(
        &self,
        status: u16,
        fields: &HeaderMap,
        proxy: &Proxy,
        port: u16,
    ) -> Result<(), TransportError> {
        let has = |name: &str| fields.contains_key(name);
        let reason = if status == 407 {
            password(status, proxy.user.is_some())
        } else if has("x-squid-error") || has("proxy-authenticate") {
            format!("the {status} is its own answer, not the site's")
        } else if matches!(status, 200..=299) || self.is_from_site(fields) {
            return Ok(());
        } else {
            format!("nothing shows that the {status} is the site's answer and not its own")
        };
        let detail = if status == 407 { reason } else { format!("{reason}; {}", self.of_tunnel(port)) };
        Err(proxy.named(TransportError::new(Failure::Connect, detail)))
    }

    fn is_from_site(&self, fields: &HeaderMap) -> bool {
        let of = |name: &str| fields.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let mut servers = of("server").map(|value| product(&value));
        let (Some(server), None, Some(own)) = (servers.next(), servers.next(), &self.server) else { return false };
        let vias: Vec<String> = of("via").map(|value| value.to_ascii_lowercase()).collect();
        let is_named = vias.iter().any(|via| words(via).any(|word| word == server));
        let is_proxy = server == *own || is_named || PROXIES.contains(&server.as_str());
        !vias.is_empty() && !is_proxy && !server.is_empty() && of("proxy-status").next().is_none()
    }
}

/// Returns the name of the first product of a `Server` field (RFC 9110 §10.2.4), in lower case.
fn product(server: &str) -> String {
    words(&server.to_ascii_lowercase()).next().unwrap_or_default().to_owned()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(server: &str) -> Refusal {
        let mut fields = HeaderMap::new();
        if !server.is_empty() {
            fields.insert(header::SERVER, server.parse().unwrap());
        }
        Refusal::new(StatusCode::FORBIDDEN, &fields)
    }

    fn is_taken(server: &str, status: u16, fields: &str) -> bool {
        let mut found = HeaderMap::new();
        for (name, value) in fields.split('|').filter_map(|field| field.split_once(": ")) {
            found.append(name.parse::<header::HeaderName>().unwrap(), value.parse().unwrap());
        }
        let proxy: Proxy = "http://proxy.test:3128".parse().unwrap();
        let checked = refusal(server).check(status, &found, &proxy, 80);
        if let Err(problem) = &checked {
            assert_eq!(problem.failure, Failure::Connect);
            assert!(problem.detail.len() < 300, "{}", problem.detail);
        }
        checked.is_ok()
    }

    #[test]
    fn evidence_is_a_via_and_the_name_of_another_program() {
        for (fields, is) in [
            ("Via: 1.1 vm (squid/5.7)|Server: nginx/1.22", true),
            ("Via: 1.1 vm (squid/5.7)|Server: Apache", true),
            ("Via: 1.1 b (CDN), 1.1 vm (squid/5.7)|Server: nginx", true),
            ("Server: nginx/1.22", false),
            ("Via: 1.1 vm (squid/5.7)", false),
            ("Via: 1.1 vm (squid/5.7)|Server: ", false),
            ("Via: 1.1 vm (squid/5.7)|Server: squid/5.7", false),
            ("Via: 1.1 vm (squid/5.7)|Server: Squid/6", false),
            ("Via: 1.1 vm|Server: tinyproxy/1.11.1", false),
            ("Via: 1.1 vm (squid/5.7)|Server: nginx|X-Squid-Error: ERR_ACCESS_DENIED 0", false),
            ("Via: 1.1 vm (Gate/2)|Server: gate/2", false),
            ("Via: 1.1 gate|Server: gate", false),
            ("Via: 1.1 vm|Server: nginx|Proxy-Status: vm; error=http_request_denied", false),
            ("Via: 1.1 vm|Server: nginx|Proxy-Authenticate: Basic", false),
            ("Via: 1.1 vm|Server: nginx|Server: squid", false),
            ("", false),
        ] {
            for status in [300, 302, 304, 400, 401, 403, 404, 408, 429, 451] {
                assert_eq!(is_taken("squid/5.7", status, fields), is, "{status} {fields}");
            }
            assert!(!is_taken("squid/5.7", 407, fields), "{fields}");
            // Nothing can be distinguished if the proxy hides its name.
            assert!(!is_taken("", 404, fields), "{fields}");
        }
    }

    #[test]
    fn files_need_none() {
        for status in [200, 204, 206] {
            assert!(is_taken("squid/5.7", status, ""), "{status}");
            assert!(!is_taken("squid/5.7", status, "X-Squid-Error: ERR_DNS_FAIL 0"), "{status}");
        }
    }

    /// A site that answers 5xx for every missing page may have no robots.txt; a proxy without its uplink looks the
    /// same.
    #[test]
    fn server_errors_need_some() {
        for status in [500, 502, 503, 504] {
            assert!(!is_taken("squid/5.7", status, ""), "{status}");
        }
    }
}

//! Tunnels through HTTP proxies, by CONNECT (RFC 9110 §9.3.6).

use std::sync::Arc;

use comity_policy::Failure;
use http::{HeaderValue, Method, Request, StatusCode, header};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::task::JoinSet;

use super::forward::Refusal;
use crate::transport::builtin::link::{Asking, Link};
use crate::transport::builtin::meter::{Meter, Metered};
use crate::transport::error::{TransportError, shown};

/// The maximum number of bytes that are read before the head of the proxy's response is complete.
const MAX_HEAD: usize = 64 * 1024;

/// A proxy's answer to CONNECT.
#[derive(Debug)]
pub(super) enum Connected {
    /// A connection to the site.
    Tunnel(Link),
    /// The proxy refuses such tunnels. It may still forward plain requests.
    Refused(Refusal),
}

/// Asks a proxy for a tunnel to `authority`, a host and a port.
pub(super) async fn connect(
    proxy: Link,
    authority: &str,
    authorization: Option<HeaderValue>,
) -> Result<Connected, TransportError> {
    let failed = |detail: String| TransportError::new(Failure::Connect, detail);
    let mut request = Request::builder().method(Method::CONNECT).uri(authority).header(header::HOST, authority);
    if let Some(authorization) = &authorization {
        request = request.header(header::PROXY_AUTHORIZATION, authorization);
    }
    let mut request = request.body(String::new()).map_err(|e| failed(shown(e.to_string())))?;
    let meter = Arc::new(Meter::default());
    let heads = meter.clone();
    hyper::ext::on_informational(&mut request, move |_| heads.count_head());
    let link = Metered::http1(Asking::new(proxy), meter.clone());
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_HEAD).title_case_headers(true);
    let handshake = builder.handshake(TokioIo::new(link)).await;
    let (mut sender, connection) = handshake.map_err(|e| failed(broken(&e)))?;
    // Dropping the set ends the connection, unless the tunnel has taken it over.
    let mut driver = JoinSet::new();
    driver.spawn(connection.with_upgrades());
    let response = sender.send_request(request).await.map_err(|e| match meter.excess() {
        Some(excess) => failed(format!("it keeps sending without progress: {excess}")),
        None => failed(broken(&e)),
    })?;
    let status = response.status();
    if status.is_success() {
        let upgraded = hyper::upgrade::on(response).await.map_err(|e| failed(broken(&e)))?;
        return Ok(Connected::Tunnel(Box::new(TokioIo::new(upgraded))));
    }
    // Tinyproxy answers 401 to a wrong password.
    if matches!(status, StatusCode::PROXY_AUTHENTICATION_REQUIRED | StatusCode::UNAUTHORIZED) {
        return Err(failed(password(status.as_u16(), authorization.is_some())));
    }
    // These refuse the method or the port. All other codes are failures on the way to the site.
    if status.is_client_error() || status == StatusCode::NOT_IMPLEMENTED {
        return Ok(Connected::Refused(Refusal::new(status, response.headers())));
    }
    Err(failed(format!("it answered {} to CONNECT {}", status.as_u16(), shown(authority))))
}

/// Returns the problem with the password, when a proxy answers 407 or 401.
pub(super) fn password(status: u16, was_given: bool) -> String {
    if was_given {
        format!("it refused the user name and password ({status})")
    } else {
        format!("it wants a user name and a password ({status}): give them as http://USER:PASSWORD@HOST:PORT")
    }
}

fn broken(error: &hyper::Error) -> String {
    if error.is_parse() {
        format!("its answer to CONNECT is not HTTP: {}", shown(error.to_string()))
    } else {
        "it closed the connection without answering CONNECT".to_owned()
    }
}

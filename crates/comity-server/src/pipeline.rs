//! The pipeline that every request and every answer passes.
//!
//! One service does all of it. A layer for each task, each with its own boxed futures, would cost more than most
//! answers.

pub(crate) mod access;
mod cors;
mod counted_body;
mod log;
#[cfg(feature = "axum")]
pub(crate) mod mounted;
mod rate_headers;
mod request_id;

use std::any::Any;
use std::convert::Infallible;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response as Answer};
use futures_util::FutureExt;
use http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body::Body as _;
use hyper::body::Incoming;
use tokio::time::timeout;
use tower_service::Service;

use crate::admission::AdmissionPermit;
use crate::admission::memory::Grant;
use crate::client_addr::{ClientAddr, Proxies};
use crate::connection::{self, Connection, Order};
use crate::metrics::routes::Routes;
use crate::problem::{Code, Problem};
use crate::rates::{Rates, Remaining};
use crate::state::State;
use crate::{absent, accept};
use access::{Access, Kind};
use cors::Cors;
use counted_body::CountedBody;
use log::LoggedRequest;
use request_id::{RequestId, X_REQUEST_ID};

/// Runs the steps before and after the handlers: host names, origins, token, rate limits, admission, metrics, log.
#[derive(Debug)]
pub(crate) struct RequestPipeline {
    pub(crate) state: State,
    routes: Routes,
    access: Access,
    pub(crate) proxies: Proxies,
    rates: Option<Rates>,
}

/// The pipeline for the requests of one connection.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionService(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pipeline: Arc<RequestPipeline>,
    router: Router,
    peer: IpAddr,
    connection: Arc<Connection>,
}

impl ConnectionService {
    pub(crate) fn new(
        pipeline: Arc<RequestPipeline>,
        router: Router,
        peer: IpAddr,
        connection: Arc<Connection>,
    ) -> Self {
        Self(Arc::new(Inner { pipeline, router, peer, connection }))
    }

    /// Answers a request. Never fails.
    pub(crate) async fn answer(self, request: Request<Incoming>) -> Result<Response<CountedBody>, Infallible> {
        let began = Instant::now();
        let Inner { pipeline, router, peer, connection } = &*self.0;
        let under_way = connection.begin(request.version() == Version::HTTP_2);
        Ok(pipeline.answer(request.map(Body::new), router.clone(), *peer, began, under_way).await)
    }
}

impl RequestPipeline {
    /// Returns a pipeline with the rate limit of the state.
    pub(crate) fn new(state: State, routes: Routes, access: Access, proxies: Proxies) -> Self {
        Self { rates: state.limits.rate.map(Rates::per_second), state, routes, access, proxies }
    }

    /// Answers a request with these handlers.
    async fn answer(
        &self,
        request: Request<Body>,
        handlers: impl Service<Request<Body>, Response = Answer, Error = Infallible>,
        peer: IpAddr,
        began: Instant,
        under_way: connection::Request,
    ) -> Response<CountedBody> {
        let client = ClientAddr { address: self.proxies.client(peer, request.headers()) };
        let id = RequestId::of(request.headers());
        let route = self.routes.of(request.uri().path());
        // The request moves to the handler, so what the log needs is copied first, but only if it is logged.
        let logged = tracing::enabled!(tracing::Level::DEBUG).then(|| LoggedRequest::new(&request));
        let permit = AdmissionPermit::new(&self.state.admission, client, Some(Arc::clone(under_way.connection())));
        let is_reserve = under_way.connection().is_reserve();

        let cors = Cors::of(&self.access, &request);
        let is_preflight = cors.is_preflight(&request);
        // A page cannot read why its preflight was refused, so only the request itself is limited.
        let mut quota = None;
        let admitted = if is_preflight {
            self.access.check_preflight(&request)
        } else {
            self.admit(&request, client, is_reserve, &mut quota)
        };
        let handled = match admitted {
            Ok(()) if is_preflight => cors::preflight(),
            Ok(()) => self.handle(request, handlers, &permit, &id).await,
            Err(problem) => problem.into_response(),
        };
        let quotas = [quota, permit.account().least()];
        let (response, memory) = self.weigh(handled, client, under_way.is_http2()).await;
        let took = began.elapsed();
        let status = response.status();
        let code = response.extensions().get::<Code>().map(|code| code.0);
        self.state.metrics.answered(route, status, took);
        if let Some(code) = code {
            self.state.metrics.problem(code);
        }
        if let Some(asked) = logged {
            let code = code.unwrap_or("-");
            tracing::debug!(id = %id, %client, request = %asked, status = status.as_u16(), code, micros = took.as_micros(), "answered");
        }
        let (mut parts, body) = response.into_parts();
        if let Some(allow) = parts.headers.get_mut(ALLOW) {
            *allow = with_options(allow);
        }
        add_headers(&mut parts.headers, id);
        rate_headers::add(&mut parts.headers, quotas);
        cors.add_to(&mut parts.headers);
        if is_reserve {
            leave(&mut parts.headers, &under_way);
        }
        Response::from_parts(parts, CountedBody::new(body, memory, under_way, self.state.limits.write_timeout))
    }

    /// Purges the rate limits of clients that have been silent for a while, until the pipeline is dropped.
    pub(crate) async fn forget(pipeline: Weak<Self>) {
        /// Below this many entries, expired ones are not purged.
        const MIN_ENTRIES_TO_PURGE: usize = 1000;
        const PURGE_INTERVAL: Duration = Duration::from_secs(10);
        loop {
            tokio::time::sleep(PURGE_INTERVAL).await;
            let Some(pipeline) = pipeline.upgrade() else { return };
            if let Some(rates) = pipeline.rates.as_ref().filter(|rates| rates.len() > MIN_ENTRIES_TO_PURGE) {
                rates.forget();
            }
            let budgets = pipeline.state.budgets.as_ref();
            if let Some(budgets) = budgets.filter(|budgets| budgets.len() > MIN_ENTRIES_TO_PURGE) {
                budgets.forget(Instant::now());
            }
        }
    }

    /// Refuses a request that must not reach a handler. Sets the rest of the client's quota if the request is counted.
    fn admit<B>(
        &self,
        request: &Request<B>,
        client: ClientAddr,
        is_reserve: bool,
        quota: &mut Option<Remaining>,
    ) -> Result<(), Problem> {
        let kind = Kind::of(request.uri().path());
        if is_reserve && kind != Kind::Health {
            return Err(Problem::overloaded("too many connections are busy: ask again later"));
        }
        // First of all, so that tokens cannot be guessed at network speed.
        if let Some(rates) = &self.rates
            && kind != Kind::Health
        {
            rates.check(client, quota)?;
        }
        self.access.check(request, kind)
    }

    async fn handle(
        &self,
        mut request: Request<Body>,
        mut handlers: impl Service<Request<Body>, Response = Answer, Error = Infallible>,
        permit: &AdmissionPermit,
        id: &RequestId,
    ) -> Answer {
        // A request with a body gets its slot when the body is complete. Health is answered under any load.
        let is_still_asking = request.method() == Method::POST && !request.body().is_end_stream();
        if !is_still_asking
            && Kind::of(request.uri().path()) != Kind::Health
            && let Err(problem) = permit.take().await
        {
            return problem.into_response();
        }
        request.extensions_mut().insert(permit.clone());
        let limit = self.state.limits.request_timeout;
        let handled = AssertUnwindSafe(timeout(limit, handlers.call(request))).catch_unwind().await;
        match handled {
            Ok(Ok(Ok(response))) => response,
            Ok(Ok(Err(never))) => match never {},
            Ok(Err(_)) => {
                let seconds = limit.as_secs_f32();
                Problem::timed_out(format!(
                    "there was no answer within {seconds} seconds: ask again later, or ask less at once"
                ))
                .into_response()
            }
            Err(panic) => {
                tracing::error!(%id, panic = message(&*panic), "a handler panicked");
                Problem::internal().into_response()
            }
        }
    }

    /// Acquires memory for a long answer, until its client has received it.
    async fn weigh(&self, response: Answer, client: ClientAddr, is_http2: bool) -> (Answer, Option<Grant>) {
        /// HTTP/1 answers up to this size are written at once, and not counted.
        const MAX_UNCOUNTED: u64 = 16 << 10;
        /// The limit for HTTP/2, where a client can leave many answers of one connection unread.
        const MAX_UNCOUNTED_BY_HTTP2: u64 = 1 << 10;
        let max_uncounted = if is_http2 { MAX_UNCOUNTED_BY_HTTP2 } else { MAX_UNCOUNTED };
        match response.body().size_hint().exact() {
            Some(bytes) if bytes > max_uncounted => {
                match self.state.answers.take(client, usize::try_from(bytes).unwrap_or(usize::MAX)).await {
                    Ok(memory) => (response, Some(memory)),
                    Err(problem) => (problem.into_response(), None),
                }
            }
            _ => (response, None),
        }
    }
}

/// Closes a connection of the reserve after its answer, because others need it.
fn leave(headers: &mut HeaderMap, under_way: &connection::Request) {
    if under_way.is_http2() {
        under_way.connection().tell(Order::Finish);
    } else {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
}

/// Adds headers that let browsers show answers only to this service's own page.
fn add_headers(headers: &mut HeaderMap, id: RequestId) {
    const FIXED_HEADERS: [(HeaderName, HeaderValue); 4] = [
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    ];
    const DEFAULT_HEADERS: [(HeaderName, HeaderValue); 2] = [
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    ];
    headers.reserve(FIXED_HEADERS.len() + DEFAULT_HEADERS.len() + 1);
    for (name, value) in FIXED_HEADERS {
        headers.insert(name, value);
    }
    for (name, value) in DEFAULT_HEADERS {
        headers.entry(name).or_insert(value);
    }
    headers.insert(X_REQUEST_ID, id.into_header());
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// Adds `OPTIONS` to the methods that the router lists, because every path accepts it.
fn with_options(allow: &HeaderValue) -> HeaderValue {
    let methods = allow.to_str().unwrap_or_default().split(',').map(str::trim).filter(|method| !method.is_empty());
    let methods: Vec<&str> = methods.chain([Method::OPTIONS.as_str()]).collect();
    HeaderValue::from_str(&methods.join(", ")).unwrap_or_else(|_| allow.clone())
}

/// Answers for a path that does not exist.
pub(crate) async fn not_found(request: Request<Body>) -> Answer {
    let problem = Problem::not_found("this path does not exist: /openapi.json describes all paths");
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if is_read && accept::prefers_html(request.headers()) { absent::page(problem) } else { problem.into_response() }
}

/// Answers for a method that a path does not take. The router adds the header `Allow`.
pub(crate) async fn method_not_allowed(method: Method) -> Answer {
    if method == Method::OPTIONS {
        return StatusCode::NO_CONTENT.into_response();
    }
    Problem::method_not_allowed("this path accepts other methods: the header `Allow` lists them").into_response()
}

//! What every request passes on its way in, and every answer on its way out.
//!
//! One layer does all of it. As many layers as there are tasks, each with its boxes, would cost more than most answers.

pub(crate) mod access;
pub(crate) mod client_addr;
mod cors;
pub(crate) mod routes;

use std::any::Any;
use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response as Answer};
use bytes::Bytes;
use comity::{Escaped, without_userinfo};
use futures_util::FutureExt;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, Request, Response, Uri, Version};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::timeout;
use tower_service::Service as _;
use url::form_urlencoded;

use crate::admission::AdmissionPermit;
use crate::admission::memory::Grant;
use crate::connection::{self, Connection, Order};
use crate::pipeline::access::{Access, Kind};
use crate::pipeline::client_addr::{ClientAddr, Proxies, Rates};
use crate::pipeline::cors::Cors;
use crate::pipeline::routes::Routes;
use crate::problem::{Code, Problem};
use crate::state::State;

/// What every request passes.
#[derive(Debug)]
pub(crate) struct RequestPipeline {
    pub(crate) state: State,
    pub(crate) router: Router,
    pub(crate) routes: Routes,
    pub(crate) access: Access,
    pub(crate) proxies: Proxies,
    pub(crate) rates: Option<Rates>,
    pub(crate) ids: Ids,
}

/// The pipeline for the requests of one connection.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionService(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pipeline: Arc<RequestPipeline>,
    peer: IpAddr,
    connection: Arc<Connection>,
}

impl ConnectionService {
    pub(crate) fn new(pipeline: Arc<RequestPipeline>, peer: IpAddr, connection: Arc<Connection>) -> Self {
        Self(Arc::new(Inner { pipeline, peer, connection }))
    }

    /// The answer to a request. There always is one.
    pub(crate) async fn answer(self, request: Request<Incoming>) -> Result<Response<CountedBody>, Infallible> {
        let began = Instant::now();
        let Inner { pipeline, peer, connection } = &*self.0;
        let under_way = connection.begin(request.version() == Version::HTTP_2);
        Ok(pipeline.answer(request, *peer, began, under_way).await)
    }
}

impl RequestPipeline {
    async fn answer(
        &self,
        request: Request<Incoming>,
        peer: IpAddr,
        began: Instant,
        under_way: connection::Request,
    ) -> Response<CountedBody> {
        let asker = ClientAddr { address: self.proxies.client(peer, request.headers()) };
        let id = self.ids.of(request.headers());
        let route = self.routes.of(request.uri().path());
        // The request goes to the handler, and is needed for the log only then.
        let logged = tracing::enabled!(tracing::Level::DEBUG).then(|| Asked::new(&request));
        let permit = AdmissionPermit::new(self.state.admission(), asker, Some(Arc::clone(under_way.connection())));
        let is_reserve = under_way.connection().is_reserve();

        let cors = Cors::of(&self.access, &request);
        let admitted = self.admit(&request, asker, is_reserve);
        let handled = match admitted {
            Ok(()) if cors.is_preflight(&request) => cors::preflight(),
            Ok(()) => self.handle(request, &permit, &id).await,
            Err(problem) => problem.into_response(),
        };
        let (response, memory) = self.weigh(handled, asker, under_way.is_http2()).await;
        let took = began.elapsed();
        let status = response.status();
        let code = response.extensions().get::<Code>().map(|code| code.0);
        self.state.metrics().answered(route, status, took);
        if let Some(code) = code {
            self.state.metrics().problem(code);
        }
        if let Some(asked) = logged {
            let code = code.unwrap_or("-");
            tracing::debug!(id = %id, client = %asker, request = %asked, status = status.as_u16(), code, micros = took.as_micros(), "answered");
        }
        let (mut parts, body) = response.into_parts();
        add_headers(&mut parts.headers, id);
        cors.add_to(&mut parts.headers);
        if is_reserve {
            leave(&mut parts.headers, &under_way);
        }
        Response::from_parts(parts, CountedBody::new(body, memory, under_way, self.state.limits().write_timeout))
    }

    /// Forgets, now and then, who has not asked for a while. Never ends.
    pub(crate) async fn forget(&self) {
        /// So many are kept without a thought.
        const FEW: usize = 1000;
        const PAUSE: Duration = Duration::from_secs(10);
        loop {
            tokio::time::sleep(PAUSE).await;
            let rates = self.rates.iter().chain(self.state.fetch_rates());
            rates.filter(|rates| rates.len() > FEW).for_each(Rates::forget);
        }
    }

    /// Refuses a request that is not taken up at all.
    fn admit<B>(&self, request: &Request<B>, asker: ClientAddr, is_reserve: bool) -> Result<(), Problem> {
        let kind = Kind::of(request.uri().path());
        if is_reserve && kind != Kind::Health {
            return Err(Problem::overloaded("too many connections are busy: ask again later"));
        }
        // First of all, for tokens must not be guessed at as fast as the network is.
        if let Some(rates) = &self.rates
            && kind != Kind::Health
        {
            rates.check(asker)?;
        }
        self.access.check(request, kind)
    }

    async fn handle(&self, request: Request<Incoming>, permit: &AdmissionPermit, id: &RequestId) -> Answer {
        let mut request = request.map(Body::new);
        // A question that is a body takes a place when it is complete. Health is answered whatever there is to do.
        let is_still_asking = request.method() == Method::POST && !request.body().is_end_stream();
        if !is_still_asking
            && Kind::of(request.uri().path()) != Kind::Health
            && let Err(problem) = permit.take().await
        {
            return problem.into_response();
        }
        request.extensions_mut().insert(permit.clone());
        let mut router = self.router.clone();
        let limit = self.state.limits().request_timeout;
        let handled = AssertUnwindSafe(timeout(limit, router.call(request))).catch_unwind().await;
        match handled {
            Ok(Ok(Ok(response))) => response,
            Ok(Ok(Err(never))) => match never {},
            Ok(Err(_)) => {
                let seconds = limit.as_secs_f32();
                Problem::timed_out(format!("there was no answer within {seconds} seconds: ask about less at once"))
                    .into_response()
            }
            Err(panic) => {
                tracing::error!(%id, panic = message(&*panic), "a handler panicked");
                Problem::internal().into_response()
            }
        }
    }

    /// Takes the memory of a long answer, until its client has taken it.
    async fn weigh(&self, response: Answer, asker: ClientAddr, is_http2: bool) -> (Answer, Option<Grant>) {
        /// By HTTP/1, so much is sent at once, and not worth counting.
        const MAX_UNCOUNTED: u64 = 16 << 10;
        /// By HTTP/2, a client can leave many answers of one connection unread.
        const MAX_UNCOUNTED_BY_HTTP2: u64 = 1 << 10;
        let max_uncounted = if is_http2 { MAX_UNCOUNTED_BY_HTTP2 } else { MAX_UNCOUNTED };
        match response.body().size_hint().exact() {
            Some(bytes) if bytes > max_uncounted => {
                match self.state.answers().take(asker, usize::try_from(bytes).unwrap_or(usize::MAX)).await {
                    Ok(memory) => (response, Some(memory)),
                    Err(problem) => (problem.into_response(), None),
                }
            }
            _ => (response, None),
        }
    }
}

/// Ends a connection of the reserve after its answer: others need it.
fn leave(headers: &mut HeaderMap, under_way: &connection::Request) {
    if under_way.is_http2() {
        under_way.connection().tell(Order::Finish);
    } else {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
}

/// What browsers may do with answers: nothing but show them to this service's own page.
fn add_headers(headers: &mut HeaderMap, id: RequestId) {
    const ALWAYS: [(HeaderName, HeaderValue); 4] = [
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    ];
    const UNLESS_SAID: [(HeaderName, HeaderValue); 2] = [
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    ];
    headers.reserve(ALWAYS.len() + UNLESS_SAID.len() + 1);
    for (name, value) in ALWAYS {
        headers.insert(name, value);
    }
    for (name, value) in UNLESS_SAID {
        headers.entry(name).or_insert(value);
    }
    headers.insert(X_REQUEST_ID, id.0);
}

/// What somebody panicked with.
fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What a request is called in the log, and in its answer.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.to_str().unwrap_or_default())
    }
}

/// Makes names for requests.
#[derive(Debug)]
pub(crate) struct Ids {
    next: AtomicU64,
    seed: u64,
}

impl Ids {
    pub(crate) fn new() -> Self {
        Self { next: AtomicU64::new(0), seed: RandomState::new().hash_one("ids") }
    }

    /// The name that the client gave it, if it is one: so a request can be followed through many services. Else one of
    /// ours.
    fn of(&self, headers: &HeaderMap) -> RequestId {
        /// More is no name.
        const LONGEST: usize = 64;
        let is_name = |value: &&HeaderValue| {
            let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
            (1..=LONGEST).contains(&value.len()) && value.as_bytes().iter().all(is_plain)
        };
        match headers.get(X_REQUEST_ID).filter(is_name) {
            Some(given) => RequestId(given.clone()),
            None => self.make(),
        }
    }

    /// Numbers in a row, mixed (Vigna's `SplitMix64`), so that they look nothing alike.
    fn make(&self) -> RequestId {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let nth = self.next.fetch_add(1, Ordering::Relaxed);
        let mut mixed = self.seed.wrapping_add(nth.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        let mut text = [0; 16];
        for (nth, digit) in text.iter_mut().enumerate() {
            *digit = DIGITS[(mixed >> (60 - 4 * nth) & 15) as usize];
        }
        let value = HeaderValue::from_maybe_shared(Bytes::copy_from_slice(&text));
        RequestId(value.unwrap_or_else(|_| HeaderValue::from_static("-")))
    }
}

/// A request, for the log: no more of it than a line, and nothing in it that is more than text.
struct Asked {
    method: Method,
    uri: Uri,
}

impl Asked {
    fn new<B>(request: &Request<B>) -> Self {
        Self { method: request.method().clone(), uri: request.uri().clone() }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Bytes of an address that are worth a line.
        const MOST: usize = 512;
        let target = without_passwords(&self.uri);
        let target = target.as_bytes();
        write!(f, "{} {}", Escaped(self.method.as_str().as_bytes()), Escaped(&target[..target.len().min(MOST)]))?;
        if target.len() > MOST { write!(f, "... ({} bytes)", target.len()) } else { Ok(()) }
    }
}

/// Returns the path and the query of a request, without the user names and passwords of URLs that the query asks about.
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

/// The body of an answer on its way to the client.
#[derive(Debug)]
pub(crate) struct CountedBody {
    body: Body,
    /// What is left of a piece that is sent in parts.
    rest: Bytes,
    /// Of a body that is there as a whole: when it began to be sent, how much was, and how long it may stand still.
    pace: Option<Pace>,
    held: Held,
}

/// What ends when the answer has left.
#[derive(Debug)]
enum Held {
    /// Of a small answer by HTTP/1, which is written as a whole: the request ends with the body.
    UntilRead { _under_way: connection::Request },
    /// The connection may keep parts long after it has read the body, HTTP/2 for as long as the client likes. So each part
    /// holds the memory and the request until it is let go.
    UntilTaken(Arc<UnderWay>),
}

#[derive(Debug)]
struct UnderWay {
    /// Whether the client takes what it was handed.
    parts: connection::Parts,
    _memory: Option<Grant>,
    _request: connection::Request,
}

/// A part of an answer, on its way.
struct HeldPart {
    part: Bytes,
    _under_way: Arc<UnderWay>,
}

impl AsRef<[u8]> for HeldPart {
    fn as_ref(&self) -> &[u8] {
        &self.part
    }
}

/// How fast a client takes what is there.
#[derive(Debug)]
struct Pace {
    began: Instant,
    sent: u64,
    patience: Duration,
}

impl Pace {
    /// Bytes a second that any client must take, in the end.
    const LEAST: u64 = 16 << 10;

    fn is_too_slow(&self) -> bool {
        self.began.elapsed() > self.patience + Duration::from_secs(self.sent / Self::LEAST)
    }
}

impl CountedBody {
    /// Bytes that are handed over at once: so much is out of sight while the client takes it.
    const PART: usize = 64 << 10;

    fn new(body: Body, memory: Option<Grant>, under_way: connection::Request, patience: Duration) -> Self {
        let pace = memory.is_some().then(|| Pace { began: Instant::now(), sent: 0, patience });
        let is_small = memory.is_none() && body.size_hint().exact().is_some();
        // By HTTP/1, what is small is written as a whole, and noticed if it can't be.
        let held = if is_small && !under_way.is_http2() {
            Held::UntilRead { _under_way: under_way }
        } else {
            let parts = under_way.in_parts();
            Held::UntilTaken(Arc::new(UnderWay { parts, _memory: memory, _request: under_way }))
        };
        Self { body, rest: Bytes::new(), pace, held }
    }

    /// A part of a piece; the rest of it comes later.
    fn part(&mut self, mut piece: Bytes) -> Bytes {
        let part = piece.split_to(piece.len().min(Self::PART));
        self.rest = piece;
        if let Some(pace) = &mut self.pace {
            pace.sent += part.len() as u64;
        }
        match &self.held {
            Held::UntilRead { .. } => part,
            Held::UntilTaken(under_way) => {
                under_way.parts.handed_over();
                Bytes::from_owner(HeldPart { part, _under_way: Arc::clone(under_way) })
            }
        }
    }
}

impl http_body::Body for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        if let Held::UntilTaken(under_way) = &this.held {
            under_way.parts.taken();
        }
        if this.pace.as_ref().is_some_and(Pace::is_too_slow) {
            return Poll::Ready(Some(Err(axum::Error::new("the client takes the answer too slowly"))));
        }
        if !this.rest.is_empty() {
            let rest = std::mem::take(&mut this.rest);
            return Poll::Ready(Some(Ok(Frame::data(this.part(rest)))));
        }
        Pin::new(&mut this.body).poll_frame(context).map(|frame| {
            frame.map(|frame| {
                frame.map(|frame| match frame.into_data() {
                    Ok(piece) => Frame::data(this.part(piece)),
                    Err(other) => other,
                })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        match hint.exact() {
            Some(exact) => hint.set_exact(exact + rest),
            None => hint.set_lower(hint.lower() + rest),
        }
        hint
    }
}

/// What is not there.
pub(crate) async fn not_found() -> Problem {
    Problem::not_found("there is nothing of this name: /openapi.json says what there is")
}

/// What is there, but not for this method.
pub(crate) async fn method_not_allowed() -> Problem {
    Problem::method_not_allowed("this takes another method: the header `Allow` says which")
}

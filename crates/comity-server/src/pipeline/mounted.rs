//! The pipeline in a router that another program serves.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Once};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{self, Next};
use http::Version;

use super::RequestPipeline;
use crate::connection::{Clock, Connection};

/// Makes the requests of all routes pass the pipeline.
pub(crate) fn guard(router: Router, pipeline: RequestPipeline) -> Router {
    let (pipeline, is_started) = (Arc::new(pipeline), Arc::new(Once::new()));
    router.layer(middleware::from_fn(move |request: Request, next: Next| {
        let (pipeline, is_started) = (Arc::clone(&pipeline), Arc::clone(&is_started));
        async move {
            let began = Instant::now();
            // Not earlier: the router may be built outside of a runtime.
            is_started.call_once(|| drop(tokio::spawn(RequestPipeline::forget(Arc::downgrade(&pipeline)))));
            let info = request.extensions().get::<ConnectInfo<SocketAddr>>();
            let peer = info.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(peer)| peer.ip());
            // The connection is the other program's. This one only counts the request, and no watch looks at it.
            let connection = Arc::new(Connection::new(Clock::new(), false));
            let under_way = connection.begin(request.version() == Version::HTTP_2);
            pipeline.answer(request, next, peer, began, under_way).await.map(Body::new)
        }
    }))
}

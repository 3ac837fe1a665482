//! The `OpenAPI` 3.1 description of the service.

mod examples;
mod rules;
mod schemas;

use axum::response::Response;
use http::HeaderMap;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Content, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, RefOr, ResponseBuilder, Schema, ServerBuilder,
};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;

use crate::problem::Details;
use crate::state::State;
use crate::{api, docs, page};

/// Returns the `OpenAPI` 3.1 description of the service, as it is served at `/openapi.json`.
pub fn openapi() -> String {
    let (_, description) = routes().split_for_parts();
    to_json(&description)
}

pub(crate) fn to_json(description: &OpenApi) -> String {
    let mut description = serde_json::to_value(description).unwrap_or_default();
    schemas::complete(&mut description);
    rules::add(&mut description);
    examples::add(&mut description);
    let mut json = serde_json::to_string_pretty(&description).unwrap_or_default();
    json.push('\n');
    json
}

/// Returns all routes with their descriptions.
pub(crate) fn routes() -> OpenApiRouter<State> {
    let info = InfoBuilder::new()
        .title("comity")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Answers whether a crawler may fetch a URL, and why. Problems are RFC 9457 documents."))
        .license(Some(LicenseBuilder::new().name(LICENSE).identifier(Some(LICENSE)).build()))
        .build();
    let description = OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new()
            .url("/")
            .description(Some("The service that sends this description"))
            .build()]))
        // Without a token, or with one, if the service was started with one.
        .security(Some([SecurityRequirement::default(), SecurityRequirement::new(TOKEN, [""; 0])]))
        .build();
    let mut routes = OpenApiRouter::with_openapi(description)
        .merge(api::routes())
        .route("/openapi.json", axum::routing::get(serve))
        .merge(page::routes())
        .merge(docs::routes());
    document_problems(routes.get_openapi_mut());
    document_token(routes.get_openapi_mut());
    routes
}

async fn serve(state: State, headers: HeaderMap) -> Response {
    state.openapi().respond(&headers)
}

/// The license of comity, as an SPDX expression.
const LICENSE: &str = "MIT OR Apache-2.0";

/// The name of the scheme by which requests are authorized.
const TOKEN: &str = "token";

/// Adds the scheme of the token, which health checks never need.
fn document_token(description: &mut OpenApi) {
    let about = "The token of the service, if it was started with `--token-file` or `COMITY_TOKEN`";
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(about)).build();
    description.components.get_or_insert_default().add_security_scheme(TOKEN, SecurityScheme::Http(scheme));
    for path in ["/healthz", "/readyz"] {
        if let Some(operation) = description.paths.paths.get_mut(path).and_then(|item| item.get.as_mut()) {
            operation.security = Some(Vec::new());
        }
    }
}

/// The problems that any request may meet: status, name and meaning.
const PROBLEMS: [(u16, &str, &str); 13] = [
    (400, "BadRequest", "The request does not have the required form"),
    (401, "Unauthorized", "The bearer token is missing or wrong"),
    (403, "ForeignOrigin", "The request comes from a web page of another origin"),
    (404, "NotFound", "The name does not exist"),
    (405, "MethodNotAllowed", "The path accepts other methods, which the header `Allow` lists"),
    (408, "SlowBody", "The body arrived too slowly"),
    (413, "TooLarge", "The body, or the answer to it, is beyond the limits"),
    (415, "UnsupportedType", "The body has another content type, or is compressed"),
    (421, "Misdirected", "The request is for another host"),
    (422, "Unprocessable", "The request is well-formed, but has no answer"),
    (429, "RateLimited", "The client exceeds its rate limit; the header `Retry-After` has the time to wait"),
    (500, "Internal", "A bug in the service"),
    (503, "Overloaded", "The service is overloaded, or shuts down; `Retry-After` has the time to wait"),
];

/// The statuses that only a request with a body may meet.
const BODY_STATUSES: [u16; 3] = [408, 413, 415];

/// Adds to each operation the problems that it may meet.
fn document_problems(description: &mut OpenApi) {
    let components = description.components.get_or_insert_default();
    components.schemas.insert("Problem".to_owned(), <Details as PartialSchema>::schema());
    let mut schemas: Vec<(String, RefOr<Schema>)> = Vec::new();
    <Details as ToSchema>::schemas(&mut schemas);
    components.schemas.extend(schemas);
    for (_, name, about) in PROBLEMS {
        components.responses.insert(name.to_owned(), RefOr::T(problem(about)));
    }
    for item in description.paths.paths.values_mut() {
        let operations = [(&mut item.get, false), (&mut item.post, true)];
        for (operation, has_body) in operations {
            let Some(operation) = operation else { continue };
            add_problems(operation, has_body);
        }
    }
}

fn add_problems(operation: &mut Operation, has_body: bool) {
    for (status, name, _) in PROBLEMS {
        if has_body || !BODY_STATUSES.contains(&status) {
            let reference = utoipa::openapi::Ref::from_response_name(name);
            operation.responses.responses.entry(status.to_string()).or_insert(RefOr::Ref(reference));
        }
    }
}

fn problem(about: &str) -> utoipa::openapi::Response {
    let schema = utoipa::openapi::Ref::from_schema_name("Problem");
    ResponseBuilder::new().description(about).content("application/problem+json", Content::new(Some(schema))).build()
}

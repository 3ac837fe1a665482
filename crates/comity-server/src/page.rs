//! The page at `/`: the tester, built from `web/` and embedded.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use http::{HeaderMap, HeaderValue};

use crate::api::extract::Path;
use crate::fixed::FixedDocument;
use crate::problem::Problem;
use crate::state::State;

/// Allows only the page's own files, and no inline scripts or styles, so that content from strangers cannot run.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// The policy of a page with a module: the page may also start its worker, which is what `worker` creates the address for.
const POLICY_WITH_MODULE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                                  connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; \
                                  form-action 'none'; require-trusted-types-for 'script'; trusted-types worker";

/// The policy of the worker, to which that of the page does not apply. It compiles the module, and loads nothing.
const WORKER_POLICY: &str = "default-src 'none'; script-src 'wasm-unsafe-eval'";

/// Returns the policy of a file of the page.
fn policy(path: &str) -> &'static str {
    if !FILES.keys().any(|file| file.starts_with("assets/tester")) {
        return POLICY;
    }
    if path.starts_with("assets/worker") { WORKER_POLICY } else { POLICY_WITH_MODULE }
}

/// The files of the page by their paths.
static FILES: LazyLock<BTreeMap<&str, FixedDocument>> = LazyLock::new(|| {
    let files: &[(&str, &[u8], &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));
    files.iter().map(|(path, body, gzipped)| (*path, FixedDocument::with_gzipped(kind(path), body, gzipped))).collect()
});

/// The documentation of the lints.
static LINTS: LazyLock<FixedDocument> = LazyLock::new(|| FixedDocument::new("application/json", lints()));

fn lints() -> Vec<u8> {
    serde_json::to_vec(&comity_lint::ALL).unwrap_or_default()
}

pub(crate) fn routes() -> Router<State> {
    Router::new()
        .route("/", get(|headers: HeaderMap| async move { serve("index.html", &headers) }))
        .route("/assets/{name}", get(asset))
        .route("/licenses.txt", get(|headers: HeaderMap| async move { serve("licenses.txt", &headers) }))
        .route("/lints.json", get(|headers: HeaderMap| async move { LINTS.respond(&headers) }))
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    serve(&format!("assets/{name}"), &headers)
}

fn serve(path: &str, asked: &HeaderMap) -> Response {
    let Some(file) = FILES.get(path) else {
        return Problem::not_found("the page has no such file").into_response();
    };
    let mut response = file.respond(asked);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy(path)));
    if path.starts_with("assets/") {
        // The name of an asset changes with its content.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    }
    response
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH};

    use super::*;
    use crate::fixed::tests::{asked, header};

    #[test]
    fn the_page_asks_for_what_is_there() {
        let index = str::from_utf8(&FILES["index.html"].body).unwrap();
        let names: Vec<&str> = index.split('"').filter(|text| text.starts_with("/assets/")).collect();
        assert!(names.len() >= 3, "{names:?}");
        for name in names {
            assert_eq!(serve(&name[1..], &HeaderMap::new()).status(), StatusCode::OK, "{name}");
        }
        assert_eq!(serve("assets/../index.html", &HeaderMap::new()).status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn a_module_is_allowed_only_if_there_is_one() {
        let starting_with = |start| FILES.keys().find(|path| path.starts_with(start));
        let of = |path| header(&serve(path, &HeaderMap::new()), CONTENT_SECURITY_POLICY).to_owned();
        let (page, worker) = (of("index.html"), of(starting_with("assets/worker").unwrap()));
        assert!(!page.contains("unsafe"), "{page}");
        match starting_with("assets/tester") {
            Some(module) => {
                assert!(worker.contains("'wasm-unsafe-eval'") && page.ends_with("trusted-types worker"));
                assert_eq!(header(&serve(module, &HeaderMap::new()), CONTENT_TYPE), "application/wasm");
            }
            None => assert_eq!((&*page, &*worker), (POLICY, POLICY)),
        }
    }

    #[test]
    fn it_fits_into_its_budget() {
        let files = FILES.iter().filter(|(path, _)| **path != "licenses.txt");
        let bytes: usize = files.filter_map(|(_, file)| file.gzipped()).map(|gzipped| gzipped.len()).sum();
        assert!(bytes <= 400_000, "{bytes}");
    }

    #[test]
    fn index_is_revalidated() {
        let page = serve("index.html", &HeaderMap::new());
        assert_eq!(header(&page, CACHE_CONTROL), "no-cache");
        assert_eq!(header(&page, CONTENT_TYPE), "text/html; charset=utf-8");
        assert!(header(&page, CONTENT_SECURITY_POLICY).starts_with("default-src 'none'"));
        let tag = header(&page, ETAG).to_owned();
        assert_eq!(serve("index.html", &asked(&[(IF_NONE_MATCH, &tag)])).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(serve("index.html", &asked(&[(IF_NONE_MATCH, "\"other\"")])).status(), StatusCode::OK);
        // Another content coding is another representation.
        let gzip = asked(&[(IF_NONE_MATCH, &tag), (ACCEPT_ENCODING, "gzip")]);
        assert_eq!(serve("index.html", &gzip).status(), StatusCode::OK);
    }

    #[test]
    fn codings() {
        let of = |list| header(&serve("index.html", &asked(&[(ACCEPT_ENCODING, list)])), CONTENT_ENCODING).to_owned();
        assert_eq!(of("gzip, deflate, br"), "gzip");
        assert_eq!(of("identity"), "");
    }

    #[test]
    fn lints_say_why() {
        let lints: serde_json::Value = serde_json::from_slice(&lints()).unwrap();
        assert!(lints.as_array().is_some_and(|lints| lints.iter().all(|lint| lint["docs"].is_string())));
    }
}

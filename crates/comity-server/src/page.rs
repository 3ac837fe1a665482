//! The page at `/`: the tester, built from `web/` and embedded.

use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, StatusCode};
use utoipa_axum::router::OpenApiRouter;

use crate::api::extract::Path;
use crate::problem::Problem;
use crate::state::State;

/// Allows only the page's own files, and no inline scripts or styles, so that content from strangers cannot run.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// A file of the page.
struct File {
    path: &'static str,
    body: &'static [u8],
    gzipped: &'static [u8],
    /// An entity tag, which changes with the body.
    tag: &'static str,
}

static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The documentation of the lints.
static LINTS: LazyLock<Bytes> =
    LazyLock::new(|| serde_json::to_vec(&comity_lint::ALL).map(Bytes::from).unwrap_or_default());

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new()
        .route("/", get(|headers: HeaderMap| async move { serve("index.html", &headers) }))
        .route("/assets/{name}", get(asset))
        .route("/licenses.txt", get(|headers: HeaderMap| async move { serve("licenses.txt", &headers) }))
        .route("/lints.json", get(|| async { ([(CONTENT_TYPE, "application/json")], LINTS.clone()) }))
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    serve(&format!("assets/{name}"), &headers)
}

fn serve(path: &str, asked: &HeaderMap) -> Response {
    let Some(file) = FILES.iter().find(|file| file.path == path) else {
        return Problem::not_found("the page has no such file").into_response();
    };
    let is_gzipped = takes_gzip(asked);
    let tag = format!("\"{}{}\"", file.tag, if is_gzipped { "-gzip" } else { "" });
    // The name of an asset changes with its content.
    let caching = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let about: [(HeaderName, &str); 6] = [
        (CACHE_CONTROL, caching),
        (CONTENT_SECURITY_POLICY, POLICY),
        (ETAG, &tag),
        (REFERRER_POLICY, "no-referrer"),
        (VARY, "accept-encoding"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    if asked.get_all(IF_NONE_MATCH).iter().any(|tags| names(tags.as_bytes(), &tag)) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    let kind = [(CONTENT_TYPE, kind(path))];
    if is_gzipped {
        return (about, kind, [(CONTENT_ENCODING, "gzip")], file.gzipped).into_response();
    }
    (about, kind, file.body).into_response()
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

/// Returns true if `Accept-Encoding` accepts gzip (RFC 9110 §12.5.3).
fn takes_gzip(asked: &HeaderMap) -> bool {
    let lists = asked.get_all(ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok()).unwrap_or(1.0_f32);
        name.trim().eq_ignore_ascii_case("gzip") && weight > 0.0
    })
}

/// Returns true if a list of tags contains this one, by weak comparison (RFC 9110 §13.1.2).
fn names(list: &[u8], tag: &str) -> bool {
    let Ok(list) = str::from_utf8(list) else { return false };
    list.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    fn header(response: &Response, name: HeaderName) -> &str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[test]
    fn the_page_asks_for_what_is_there() {
        let index = FILES.iter().find(|file| file.path == "index.html").unwrap();
        let index = str::from_utf8(index.body).unwrap();
        let names: Vec<&str> = index.split('"').filter(|text| text.starts_with("/assets/")).collect();
        assert!(names.len() >= 3, "{names:?}");
        for name in names {
            assert_eq!(serve(&name[1..], &HeaderMap::new()).status(), StatusCode::OK, "{name}");
        }
        assert_eq!(serve("assets/../index.html", &HeaderMap::new()).status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn it_fits_into_its_budget() {
        let bytes: usize = FILES.iter().filter(|file| file.path != "licenses.txt").map(|file| file.gzipped.len()).sum();
        assert!(bytes <= 400_000, "{bytes}");
    }

    #[test]
    fn what_changes_is_asked_for_again() {
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
        assert_eq!(of("br;q=1.0, GZIP;q=0.5"), "gzip");
        assert_eq!(of("gzip;q=0"), "");
        assert_eq!(of("identity"), "");
    }

    #[test]
    fn lints_say_why() {
        let lints: serde_json::Value = serde_json::from_slice(&LINTS).unwrap();
        assert!(lints.as_array().is_some_and(|lints| lints.iter().all(|lint| lint["docs"].is_string())));
    }
}

//! What the routes are called, for numbers.

use std::collections::HashMap;

/// The routes by the paths that lead to them.
#[derive(Debug)]
pub(crate) struct Routes {
    names: Vec<&'static str>,
    exact: HashMap<String, usize>,
    /// Of those with a part that varies, what stands before it.
    prefixes: Vec<(String, usize)>,
}

/// Where all that has no name of its own belongs: the page with what it needs, and what is not there.
const OTHER: &str = "other";

impl Routes {
    /// Of paths such as `/v1/crawlers` and `/v1/crawlers/{token}`.
    pub(crate) fn new<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let mut routes = Self { names: vec![OTHER, "/"], exact: HashMap::new(), prefixes: Vec::new() };
        routes.exact.insert("/".to_owned(), 1);
        for path in paths {
            let route = routes.names.len();
            // As many as there are routes, once for each server.
            routes.names.push(Box::leak(path.to_owned().into_boxed_str()));
            match path.split_once('{') {
                Some((prefix, _)) => routes.prefixes.push((prefix.to_owned(), route)),
                None => drop(routes.exact.insert(path.to_owned(), route)),
            }
        }
        routes
    }

    /// The number of the route that a path leads to.
    pub(crate) fn of(&self, path: &str) -> usize {
        let is_under = |(prefix, _): &&(String, usize)| {
            path.strip_prefix(prefix.as_str()).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
        };
        let varying = || self.prefixes.iter().find(is_under).map(|(_, route)| *route);
        self.exact.get(path).copied().or_else(varying).unwrap_or_default()
    }

    /// The names, in the order of the numbers.
    pub(crate) fn names(&self) -> &[&'static str] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_routes() {
        let routes = Routes::new(["/v1/check", "/v1/crawlers", "/v1/crawlers/{token}"].into_iter());
        let name = |path| routes.names()[routes.of(path)];
        for (path, expected) in [
            ("/", "/"),
            ("/v1/check", "/v1/check"),
            ("/v1/crawlers", "/v1/crawlers"),
            ("/v1/crawlers/", "other"),
            ("/v1/crawlers/GPTBot", "/v1/crawlers/{token}"),
            ("/v1/crawlers/GPTBot/x", "other"),
            ("/assets/x.js", "other"),
            ("/nothing", "other"),
        ] {
            assert_eq!(name(path), expected, "{path}");
        }
    }
}

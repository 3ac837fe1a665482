//! The names of routes in metrics.

use std::collections::{BTreeSet, HashMap};

/// The routes by their paths.
#[derive(Debug)]
pub(crate) struct Routes {
    names: Vec<&'static str>,
    exact: HashMap<String, usize>,
    /// The routes with a variable part, by the path before it.
    prefixes: Vec<(String, usize)>,
}

/// The route of everything without a name of its own: the page's files, and paths that do not exist.
const OTHER: &str = "other";

impl Routes {
    /// Returns the routes of paths such as `/v1/crawlers` and `/v1/crawlers/{token}`.
    pub(crate) fn new(paths: BTreeSet<&'static str>) -> Self {
        let mut routes = Self { names: vec![OTHER, "/"], exact: HashMap::new(), prefixes: Vec::new() };
        routes.exact.insert("/".to_owned(), 1);
        for path in paths {
            let route = routes.names.len();
            routes.names.push(path);
            match path.split_once('{') {
                Some((prefix, _)) => routes.prefixes.push((prefix.to_owned(), route)),
                None => drop(routes.exact.insert(path.to_owned(), route)),
            }
        }
        routes
    }

    /// Returns the number of a path's route.
    pub(crate) fn of(&self, path: &str) -> usize {
        let is_under = |(prefix, _): &&(String, usize)| {
            path.strip_prefix(prefix.as_str()).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
        };
        let varying = || self.prefixes.iter().find(is_under).map(|(_, route)| *route);
        self.exact.get(path).copied().or_else(varying).unwrap_or_default()
    }

    /// Returns the names, in the order of their numbers.
    pub(crate) fn names(&self) -> &[&'static str] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_routes() {
        let routes = Routes::new(BTreeSet::from(["/v1/check", "/v1/crawlers", "/v1/crawlers/{token}"]));
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

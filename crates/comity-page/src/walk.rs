//! Determines which sitemaps to fetch, each once: those that a robots.txt names, and those that they list.

use std::collections::{HashSet, VecDeque};

/// A queue of the sitemaps to fetch and read, without duplicates.
///
/// An index that lists another index violates the specification but occurs, so both the depth and the number of
/// sitemaps are limited.
///
/// ```
/// use comity_page::Walk;
///
/// let mut walk = Walk::new(["https://a.example/index.xml"]);
/// while let Some(step) = walk.next_step() {
///     // Fetch `step.url`, read it, and hand over each entry that is a sitemap:
///     if step.depth == 0 {
///         assert!(walk.add(&step, "https://a.example/1.xml"));
///         assert!(!walk.add(&step, "https://a.example/1.xml")); // known already
///     }
/// }
/// assert_eq!(walk.seen(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Walk {
    waiting: VecDeque<Step>,
    seen: HashSet<String>,
    max_depth: u32,
    max_sitemaps: usize,
    left_out: usize,
}

/// A sitemap to read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The URL of the sitemap.
    pub url: String,
    /// The number of indexes that led to it.
    pub depth: u32,
}

impl Walk {
    /// Creates a queue with these sitemaps. By default, at most three indexes may lead to a sitemap, and at most 50,000
    /// sitemaps are read.
    pub fn new<T: Into<String>>(urls: impl IntoIterator<Item = T>) -> Self {
        let mut walk =
            Self { waiting: VecDeque::new(), seen: HashSet::new(), max_depth: 3, max_sitemaps: 50_000, left_out: 0 };
        for url in urls {
            walk.push(url.into(), 0);
        }
        walk
    }

    /// Sets the maximum number of indexes that may lead to a sitemap. Defaults to 3.
    #[must_use]
    pub fn with_depth(mut self, max_depth: u32) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// Sets the maximum number of sitemaps. Defaults to 50,000. Does not remove those that were added already.
    #[must_use]
    pub fn with_limit(mut self, max_sitemaps: usize) -> Self {
        self.max_sitemaps = max_sitemaps;
        self
    }

    /// Removes the next sitemap to read from the queue and returns it.
    pub fn next_step(&mut self) -> Option<Step> {
        self.waiting.pop_front()
    }

    /// Adds a sitemap that an index lists. Returns false if it must not be read: it was added before, it is too deep,
    /// or there are too many.
    pub fn add(&mut self, index: &Step, url: &str) -> bool {
        if index.depth >= self.max_depth && !self.seen.contains(url) {
            self.left_out += 1;
            return false;
        }
        self.push(url.to_owned(), index.depth + 1)
    }

    /// Returns the number of sitemaps that were added so far.
    pub fn seen(&self) -> usize {
        self.seen.len()
    }

    /// Returns how many times a new sitemap was left out, because there were too many or it was too deep.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    fn push(&mut self, url: String, depth: u32) -> bool {
        if self.seen.contains(&url) {
            return false;
        }
        if self.seen.len() >= self.max_sitemaps {
            self.left_out += 1;
            return false;
        }
        self.seen.insert(url.clone());
        self.waiting.push_back(Step { url, depth });
        true
    }
}

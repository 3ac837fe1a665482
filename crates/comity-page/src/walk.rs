//! From the sitemaps that a robots.txt names to all those that they list, without going round in circles.

use std::collections::{HashSet, VecDeque};

/// Which sitemap to read next, for those who fetch them.
///
/// Each is read once. An index in an index is out of the specification and seen all the same, so depth is bounded, and
/// so is the number of sitemaps.
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
    depth_limit: u32,
    limit: usize,
    left_out: usize,
}

/// A sitemap to read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Where it is.
    pub url: String,
    /// How many indexes led to it.
    pub depth: u32,
}

impl Walk {
    /// Starts with these. Three indexes may lead to a sitemap, and 50,000 sitemaps are read, unless you say otherwise.
    pub fn new<T: Into<String>>(urls: impl IntoIterator<Item = T>) -> Self {
        let mut walk =
            Self { waiting: VecDeque::new(), seen: HashSet::new(), depth_limit: 3, limit: 50_000, left_out: 0 };
        for url in urls {
            walk.push(url.into(), 0);
        }
        walk
    }

    /// The same with another number of indexes that may lead to a sitemap.
    #[must_use]
    pub fn with_depth(mut self, most: u32) -> Self {
        self.depth_limit = most;
        self
    }

    /// The same with another number of sitemaps.
    #[must_use]
    pub fn with_limit(mut self, most: usize) -> Self {
        self.limit = most;
        self
    }

    /// The next one to read.
    pub fn next_step(&mut self) -> Option<Step> {
        self.waiting.pop_front()
    }

    /// Hands over a sitemap that an index lists; false if it is not to be read: it is known already, or too deep, or
    /// there are too many.
    pub fn add(&mut self, index: &Step, url: &str) -> bool {
        if index.depth >= self.depth_limit && !self.seen.contains(url) {
            self.left_out += 1;
            return false;
        }
        self.push(url.to_owned(), index.depth + 1)
    }

    /// How many there are so far.
    pub fn seen(&self) -> usize {
        self.seen.len()
    }

    /// How many times one was not taken that is not known: there are too many, or it is too deep.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    fn push(&mut self, url: String, depth: u32) -> bool {
        if self.seen.contains(&url) {
            return false;
        }
        if self.seen.len() >= self.limit {
            self.left_out += 1;
            return false;
        }
        self.seen.insert(url.clone());
        self.waiting.push_back(Step { url, depth });
        true
    }
}

//! `Content-Signal`: the permitted uses of content, as written by Cloudflare since September 2025
//! (draft-romm-aipref-contentsignals-00 of 1 October 2025, an individual draft).

use alloc::vec::Vec;
use core::fmt;

use crate::crawler::identity::Crawler;
use crate::document::Robots;
use crate::escape::Escaped;
use crate::parse::directive::trim;
use crate::records::{Meaning, path_and_rest};

/// A `Content-Signal` record: signals such as `ai-train=no`, and the paths that they apply to.
///
/// The keys in use are `search`, `ai-input` and `ai-train`, each with `yes` or `no`, and `use`. A missing key neither
/// grants nor refuses anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentSignal<'a> {
    path: Option<&'a [u8]>,
    signals: &'a [u8],
}

impl<'a> ContentSignal<'a> {
    /// Parses `[path SP] key=value, …`.
    pub(super) fn parse(value: &'a [u8]) -> Option<Self> {
        let (path, signals) = path_and_rest(value);
        let signal = Self { path, signals };
        signal.iter().next().map(|_| signal)
    }

    /// Returns the pattern of the paths that it applies to, or `None` for all paths.
    pub fn path(&self) -> Option<&'a [u8]> {
        self.path
    }

    /// Returns the signals in order, each as a key and a value as written in the file. Text that is not such a pair is
    /// skipped.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        self.signals.split(|b| *b == b',').filter_map(|item| {
            let equals = memchr::memchr(b'=', item)?;
            let (key, value) = (trim(&item[..equals]), trim(&item[equals + 1..]));
            (!key.is_empty() && !value.is_empty()).then_some((key, value))
        })
    }

    /// Returns true if a use such as `ai-train` is granted, false if it is refused, and `None` if there is no signal
    /// for it. ASCII case is ignored, and `no` takes precedence over `yes`.
    pub fn grants(&self, key: &str) -> Option<bool> {
        let answers = self.iter().filter(|(listed, _)| listed.eq_ignore_ascii_case(key.as_bytes()));
        let answers = answers.filter_map(|(_, value)| match value {
            value if value.eq_ignore_ascii_case(b"yes") => Some(true),
            value if value.eq_ignore_ascii_case(b"no") => Some(false),
            _ => None,
        });
        answers.min()
    }
}

impl fmt::Display for ContentSignal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (key, value)) in self.iter().enumerate() {
            write!(f, "{}{}={}", if i == 0 { "" } else { ", " }, Escaped(key), Escaped(value))?;
        }
        match self.path {
            Some(path) => write!(f, " on {}", Escaped(path)),
            None => Ok(()),
        }
    }
}

/// The `Content-Signal` records of a crawler's groups that apply to one URL. Returned by [`Robots::content_signals`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Signals<'r> {
    /// The length of the path, the line, and the record.
    stated: Vec<(usize, u32, ContentSignal<'r>)>,
}

/// A signal for one use, and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signal {
    /// True if the use is granted, false if it is refused.
    pub granted: bool,
    /// The line number of the record.
    pub line: u32,
}

impl<'r> Signals<'r> {
    /// Returns the records that apply to the URL, with their lines, in file order.
    pub fn stated(&self) -> impl ExactSizeIterator<Item = (u32, ContentSignal<'r>)> {
        self.stated.iter().map(|(_, line, signal)| (*line, *signal))
    }

    /// Returns the signal for a use: `search`, `ai-input` or `ai-train`. Of the records that mention it, the one with
    /// the longest path decides, and among equals `no` takes precedence over `yes`. The draft leaves both open.
    pub fn of(&self, key: &str) -> Option<Signal> {
        let answers =
            self.stated.iter().filter_map(|(length, line, stated)| Some((*length, *line, stated.grants(key)?)));
        let (_, line, granted) = answers.max_by_key(|(length, line, granted)| (*length, !granted, u32::MAX - line))?;
        Some(Signal { granted, line })
    }
}

impl Robots {
    /// Returns the `Content-Signal` records of this crawler's groups that apply to a URL. They state the permitted uses
    /// of a page that was fetched, not whether it may be fetched. Records outside of groups are ignored.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n");
    /// let signals = robots.content_signals(&Crawler::ANY, "/");
    /// let train = signals.of("ai-train").unwrap();
    /// assert_eq!((train.granted, train.line), (false, 2));
    /// assert_eq!(signals.of("ai-input"), None); // neither granted nor refused
    /// ```
    pub fn content_signals(&self, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Signals<'_> {
        let mut stated = Vec::new();
        self.scoped_records(crawler, url.as_ref().as_bytes(), |record, length| {
            if let Meaning::ContentSignal(signal) = record.meaning() {
                stated.push((length, record.line(), signal));
            }
        });
        Signals { stated }
    }
}

//! The URLs of lists, as questions. They are read one at a time, so lists may be of any length.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Result;
use comity::Origin;
use comity::url::without_userinfo;
use comity_report::Question;

use crate::args::UrlLists;
use crate::input::list::{Entries, Entry};
use crate::input::{access_log, file, list, sitemap};
use crate::outcome::Lost;

/// The maximum number of questions that are read ahead to find the site of the URLs.
pub(crate) const MAX_AHEAD: usize = 1000;

/// An entry of a list.
pub(crate) enum Asked {
    Url(Question),
    Invalid(Invalid),
}

/// An entry of a list that is no URL.
pub(crate) struct Invalid {
    /// The text of the entry, without a password.
    pub(crate) typed: String,
    /// The place of the entry, and the reason why it is no URL.
    pub(crate) error: String,
}

/// A file with URLs.
enum Source {
    Urls(PathBuf),
    Sitemap(PathBuf),
    Log(PathBuf),
}

/// The questions of all lists, in their order. A list that can't be read is reported, and the next one is read.
pub(crate) struct Rows {
    raw: bool,
    sources: VecDeque<Source>,
    /// The list that is being read, and its name.
    current: Option<(String, Entries)>,
    /// Questions that were read ahead.
    ahead: VecDeque<Asked>,
    /// The function to call before a read, which may take long.
    before_read: Rc<RefCell<Box<dyn FnMut()>>>,
    /// The lists that could not be read.
    pub(crate) lost: Lost,
}

impl Rows {
    pub(crate) fn new(lists: &UrlLists, raw: bool) -> Self {
        let urls = lists.urls.iter().cloned().map(Source::Urls);
        let sitemaps = lists.sitemap.iter().cloned().map(Source::Sitemap);
        let logs = lists.log.iter().cloned().map(Source::Log);
        Self {
            raw,
            sources: urls.chain(sitemaps).chain(logs).collect(),
            current: None,
            ahead: VecDeque::new(),
            before_read: Rc::new(RefCell::new(Box::new(|| {}))),
            lost: Lost::default(),
        }
    }

    /// Sets a function to call before each read of a list. It can show the answers so far, since a list may be a pipe.
    pub(crate) fn set_before_read(&mut self, before_read: impl FnMut() + 'static) {
        *self.before_read.borrow_mut() = Box::new(before_read);
    }

    /// Reads ahead to the first URL with a host, and returns its site. Reads no more than [`MAX_AHEAD`] entries.
    pub(crate) fn first_site(&mut self) -> Option<Origin> {
        while self.ahead.len() < MAX_AHEAD {
            let asked = self.read()?;
            let site = match &asked {
                Asked::Url(question) => question.on_site(None).and_then(|url| Origin::of(&url).ok()),
                Asked::Invalid(_) => None,
            };
            self.ahead.push_back(asked);
            if site.is_some() {
                return site;
            }
        }
        None
    }

    /// Returns true if no question was read ahead.
    pub(crate) fn has_none_ahead(&self) -> bool {
        self.ahead.is_empty()
    }

    fn read(&mut self) -> Option<Asked> {
        loop {
            let Some((name, entries)) = &mut self.current else {
                let source = self.sources.pop_front()?;
                match self.open(&source) {
                    Ok(current) => self.current = Some(current),
                    Err(error) => self.lost.print(&error),
                }
                continue;
            };
            match entries.next() {
                Some(Ok(entry)) => return Some(asked(entry, name, self.raw)),
                Some(Err(error)) => {
                    self.lost.print(&error);
                    self.current = None;
                }
                None => self.current = None,
            }
        }
    }

    fn open(&self, source: &Source) -> Result<(String, Entries)> {
        let before_read = Rc::clone(&self.before_read);
        let (path, entries) = match source {
            Source::Urls(path) => (path, list::open(path, move || before_read.borrow_mut()())?),
            Source::Sitemap(path) => (path, sitemap::entries(path)?),
            Source::Log(path) => (path, access_log::open(path, move || before_read.borrow_mut()())?),
        };
        Ok((file::name(path), entries))
    }
}

impl Iterator for Rows {
    type Item = Asked;

    fn next(&mut self) -> Option<Asked> {
        self.ahead.pop_front().or_else(|| self.read())
    }
}

fn asked(entry: Entry, name: &str, raw: bool) -> Asked {
    let Entry { line, text, problem } = entry;
    let problem = match problem.map_or_else(|| Question::new(&text, raw).map_err(|error| error.in_options()), Err) {
        Ok(question) => return Asked::Url(question),
        Err(problem) => problem,
    };
    let place = if line == 0 { name.to_owned() } else { format!("{name}, line {line}") };
    Asked::Invalid(Invalid { typed: without_userinfo(&text).into_owned(), error: format!("{place}: {problem}") })
}

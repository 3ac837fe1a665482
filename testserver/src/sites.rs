//! The replies of sites.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use crate::reply::Reply;
use crate::request::Request;

/// Any host, or any path, without a reply of its own.
pub const ANY: &str = "*";

#[derive(Clone)]
pub(crate) enum Answer {
    /// One after the other; the last one repeats.
    InTurn(Arc<Turns>),
    With(Arc<dyn Fn(&Request) -> Reply + Send + Sync>),
}

pub(crate) struct Turns {
    replies: Vec<Arc<Reply>>,
    next: AtomicUsize,
}

impl Answer {
    pub(crate) fn in_turn(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Vec<_> = replies.into_iter().map(Arc::new).collect();
        assert!(!replies.is_empty(), "expected at least one reply");
        Answer::InTurn(Arc::new(Turns { replies, next: AtomicUsize::new(0) }))
    }

    fn reply(&self, request: &Request) -> Arc<Reply> {
        match self {
            Answer::InTurn(turns) => {
                let turn = turns.next.fetch_add(1, Ordering::Relaxed).min(turns.replies.len() - 1);
                turns.replies[turn].clone()
            }
            Answer::With(reply) => Arc::new(reply(request)),
        }
    }
}

/// Replies by host, then by path.
#[derive(Default)]
pub(crate) struct Sites(RwLock<HashMap<String, HashMap<String, Answer>>>);

impl Sites {
    pub(crate) fn set(&self, host: &str, path: &str, answer: Answer) {
        let mut sites = self.0.write().expect("nothing panics under this lock");
        sites.entry(host.to_ascii_lowercase()).or_default().insert(path.to_owned(), answer);
    }

    /// Returns the reply to a request. The host takes precedence over the path: a reply for any path of this host is
    /// used before one for this path of any host. Without a reply it is 404.
    pub(crate) fn reply(&self, request: &Request) -> Arc<Reply> {
        let answer = {
            let sites = self.0.read().expect("nothing panics under this lock");
            [request.host.as_str(), ANY].into_iter().find_map(|host| {
                let paths = sites.get(host)?;
                paths.get(&request.path).or_else(|| paths.get(ANY)).cloned()
            })
        };
        // Not under the lock: the test's closure may set other replies.
        answer.map_or_else(|| Arc::new(Reply::status(404)), |answer| answer.reply(request))
    }
}

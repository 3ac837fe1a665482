//! The uses of pages: search, agents and training.

use alloc::borrow::Cow;

use crate::crawler::profile::Purpose;
use crate::name::names;

/// A use of pages, in the three words in which content networks and site owners ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Use {
    /// Models are trained on the pages.
    Training,
    /// A search engine indexes the pages, and shows them or answers with them.
    Search,
    /// A model reads the page because a person asks for it, or gave it a task.
    Agent,
}

names! {
    Use is "a use of pages" {
        Training = "training",
        Search = "search",
        Agent = "agent",
    }, Display
}

impl Use {
    /// Returns a label for people, such as `agents`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Search => "search",
            Self::Agent => "agents",
        }
    }
}

/// The uses of the pages that a crawler fetches, each with the source that states it: a URL without the scheme, or an
/// empty text if none is known. Returned by [`Profile::uses`](crate::Profile::uses).
///
/// With the feature `serde`, this is an object from uses to sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Uses {
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(super) training: Option<Cow<'static, str>>,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(super) search: Option<Cow<'static, str>>,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(super) agent: Option<Cow<'static, str>>,
}

impl Uses {
    /// Returns no uses.
    pub const fn none() -> Self {
        Self { training: None, search: None, agent: None }
    }

    /// Returns the uses that a purpose implies, with this source.
    pub(super) fn of_purpose(purpose: Purpose, source: Cow<'static, str>) -> Self {
        let used = match purpose {
            Purpose::AiTraining => Use::Training,
            Purpose::Search | Purpose::AiSearch => Use::Search,
            Purpose::UserTriggered => Use::Agent,
            _ => return Self::none(),
        };
        Self::none().with(used, source)
    }

    /// Adds a use and the source that states it, or replaces its source.
    #[must_use]
    pub fn with(mut self, used: Use, source: impl Into<Cow<'static, str>>) -> Self {
        let stated = match used {
            Use::Training => &mut self.training,
            Use::Search => &mut self.search,
            Use::Agent => &mut self.agent,
        };
        *stated = Some(source.into());
        self
    }

    /// Returns the source of a use, or `None` if the pages have no such use.
    pub fn source(&self, used: Use) -> Option<&str> {
        match used {
            Use::Training => self.training.as_deref(),
            Use::Search => self.search.as_deref(),
            Use::Agent => self.agent.as_deref(),
        }
    }

    /// Returns the uses with their sources.
    pub fn iter(&self) -> impl Iterator<Item = (Use, &str)> {
        Use::ALL.iter().filter_map(|used| Some((*used, self.source(*used)?)))
    }
}

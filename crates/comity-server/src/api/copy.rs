//! Which copy of a file an answer rests on.

use comity_fetch::Known;
use comity_fetch::store::ContentHash;
use comity_report::{json, json_object, stamp};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::api::ask::is_fresh;

/// The copy that an answer rests on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Copy {
    source: Source,
    /// Where it came from.
    robots_url: Option<String>,
    bytes: usize,
    #[serde(serialize_with = "as_text")]
    #[schema(value_type = String)]
    sha256: ContentHash,
    /// When its bytes came.
    #[schema(example = "2026-11-21T09:30:00Z")]
    fetched: Option<String>,
    /// Seconds since the site last said that it is good.
    age: Option<u64>,
}

/// Where a copy came from: the request brought it, the site was asked just now, or it was remembered.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Source {
    Given,
    Fetched,
    Remembered,
}

impl Copy {
    /// What the request brought.
    pub(crate) fn given(body: &[u8]) -> Self {
        let (bytes, sha256) = (body.len(), ContentHash::of(body));
        Self { source: Source::Given, robots_url: None, bytes, sha256, fetched: None, age: None }
    }

    /// The last good copy of a site, if there is one.
    pub(crate) fn of(known: &Known) -> Option<Self> {
        let copy = known.copy()?;
        Some(Self {
            source: if is_fresh(known) { Source::Fetched } else { Source::Remembered },
            robots_url: Some(copy.url.clone()),
            bytes: copy.body.len(),
            sha256: known.hash()?,
            fetched: Some(stamp(copy.fetched)),
            age: known.age().map(|age| age.as_secs()),
        })
    }

    /// Appends one as JSON, as serde would.
    pub(crate) fn write_option(out: &mut Vec<u8>, copy: Option<&Self>) {
        let Some(copy) = copy else { return json::text_or_null(out, None) };
        json_object!(*out, {
            "source": json::variant(Some(&copy.source)),
            "robots_url": json::text_or_null(copy.robots_url.as_deref()),
            "bytes": json::value(&copy.bytes),
            "sha256": json::shown(&copy.sha256),
            "fetched": json::text_or_null(copy.fetched.as_deref()),
            "age": json::value(&copy.age),
        });
    }
}

/// As people write it.
pub(crate) fn as_text<S: Serializer>(value: &impl std::fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

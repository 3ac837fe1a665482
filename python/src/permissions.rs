//! The classes `Permissions` and `Permission`: the rules of a file and of a page together.

use std::time::{Duration, SystemTime};

use comity::{Crawler, Robots};
use comity_page::{Page, Stance, permissions as permissions_of, read_page};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};

use crate::body::Body;
use crate::errors;
use crate::verdict::Verdict;

/// The permissions of a crawler for a page.
///
/// >>> robots = comity.Robots.parse("User-agent: *\nContent-Signal: ai-train=no\n")
/// >>> found = robots.permissions("/a", crawler="ExampleBot", headers={"X-Robots-Tag": "noindex"})
/// >>> found.index.stance, found.training.stance, found.training.because
/// ('no', 'no', ['robots.txt line 2: Content-Signal: ai-train=no'])
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Permissions {
    found: comity_page::Permissions,
    robots: Robots,
    /// True if a part of the HTML was not read. It may contain more rules.
    is_cut: bool,
}

impl Permissions {
    /// Replaces the verdict on fetching the page, to which the file of another site does not apply.
    pub(crate) fn out_of_scope(mut self) -> Self {
        self.found.fetch = comity::Verdict::out_of_scope();
        self
    }
}

#[pymethods]
impl Permissions {
    /// The verdict on fetching the page.
    #[getter]
    fn fetch(&self) -> Verdict {
        Verdict::new(self.found.fetch, &self.robots)
    }

    /// The permission to show the page in results.
    #[getter]
    fn index(&self) -> Permission {
        Permission::new(&self.found.index, self.is_cut)
    }

    /// The permission to follow the links of the page.
    #[getter]
    fn follow(&self) -> Permission {
        Permission::new(&self.found.follow, self.is_cut)
    }

    /// The permission to train models on the page.
    #[getter]
    fn training(&self) -> Permission {
        Permission::new(&self.found.training, self.is_cut)
    }

    /// The permission to use the page as an input to a model that answers a question.
    #[getter]
    fn ai_input(&self) -> Permission {
        Permission::new(&self.found.ai_input, self.is_cut)
    }

    /// The permission to use the page for search, as one of the uses of content that preferences distinguish.
    #[getter]
    fn search(&self) -> Permission {
        Permission::new(&self.found.search, self.is_cut)
    }

    /// Statements that cannot have an effect, or that contradict each other, as sentences.
    #[getter]
    fn conflicts(&self) -> Vec<String> {
        self.found.conflicts.iter().map(ToString::to_string).collect()
    }

    fn __repr__(&self) -> String {
        let (fetch, index, training) = (self.found.fetch, self.index().stance, self.training().stance);
        format!("<Permissions: fetch {fetch}, index {index}, training {training}>")
    }
}

/// One permission and its reasons. It has no truth value, since it may be unknown. Use `forbidden`.
#[pyclass(frozen, get_all, module = "comity")]
#[derive(Debug)]
pub(crate) struct Permission {
    /// `"yes"`, `"no"`, `"not-stated"`, or `"hidden"` if not all rules of the page are known: it may not be fetched, or
    /// its HTML exceeds a limit.
    stance: &'static str,
    /// True if the crawler must refrain: the answer is no or hidden.
    forbidden: bool,
    /// The statements that give this answer.
    because: Vec<String>,
}

impl Permission {
    fn new(permission: &comity_page::Permission, is_cut: bool) -> Self {
        // The part of the page that was not read may forbid what nothing else forbids.
        let is_unknown = is_cut && !permission.stance.forbids();
        let stance = match permission.stance {
            _ if is_unknown => "hidden",
            Stance::Yes => "yes",
            Stance::No => "no",
            Stance::NotStated => "not-stated",
            _ => "hidden",
        };
        let because = permission.because.iter().filter(|_| !is_unknown).map(ToString::to_string).collect();
        Self { stance, forbidden: is_unknown || permission.stance.forbids(), because }
    }
}

#[pymethods]
impl Permission {
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(format!(
            "a permission has no truth value, since it may be unknown; use .stance or .forbidden (this one is {:?})",
            self.stance
        )))
    }

    fn __repr__(&self) -> String {
        format!("<Permission: {}>", self.stance)
    }
}

/// Returns the permissions of a crawler for a page.
pub(crate) fn permissions(
    py: Python<'_>,
    robots: &Robots,
    crawler: &Crawler<'_>,
    url: &str,
    headers: Option<&Bound<'_, PyAny>>,
    html: Option<&Body<'_>>,
    now: Option<&Bound<'_, PyAny>>,
) -> PyResult<Permissions> {
    let mut page = Page::new();
    if let Some(now) = now {
        let now: i64 = now.extract().or_else(|_| {
            Err(PyTypeError::new_err(format!(
                "now: expected seconds since 1970 as int, such as int(time.time()), found {}",
                now.get_type().name()?
            )))
        })?;
        let distance = Duration::from_secs(now.unsigned_abs());
        let (epoch, is_past) = (SystemTime::UNIX_EPOCH, now < 0);
        let time = if is_past { epoch.checked_sub(distance) } else { epoch.checked_add(distance) };
        page =
            page.at(time.ok_or_else(|| {
                errors::invalid_argument(py, format!("now: expected seconds since 1970, found {now}"))
            })?);
    }
    for (name, value) in headers.map(pairs).transpose()?.into_iter().flatten() {
        page.header(&name, &value);
    }
    let html = html.map(Body::bytes);
    let answered = py.detach(|| {
        let mut is_cut = false;
        if let Some(html) = html.as_deref() {
            let own = crawler.tokens().filter_map(|token| str::from_utf8(token).ok()).collect::<Vec<_>>();
            is_cut = read_page(html, &mut page, &own)?.is_cut;
        }
        Ok((permissions_of(robots, crawler, url, &page), is_cut))
    });
    let (permissions, is_cut) =
        answered.map_err(|error: std::io::Error| errors::invalid_argument(py, error.to_string()))?;
    Ok(Permissions { found: permissions, robots: robots.clone(), is_cut })
}

/// Reads headers: a mapping, or pairs of a name and a value.
fn pairs(headers: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Vec<u8>)>> {
    let items = match headers.cast::<PyMapping>() {
        Ok(mapping) => mapping.items()?.into_any(),
        Err(_) => headers.clone(),
    };
    let pair = |item: PyResult<Bound<'_, PyAny>>| {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        let name = if name.is_instance_of::<PyString>() {
            name.extract::<String>()?
        } else {
            String::from_utf8_lossy(&name.extract::<Body<'_>>()?.bytes()).into_owned()
        };
        Ok((name, value.extract::<Body<'_>>()?.bytes().into_owned()))
    };
    let refused = |_| {
        PyTypeError::new_err(
            "expected headers as a mapping or as pairs of a name and a value, each as str or bytes, such as \
             [(\"X-Robots-Tag\", \"noindex\")]",
        )
    };
    items.try_iter().and_then(|items| items.map(pair).collect()).map_err(refused)
}

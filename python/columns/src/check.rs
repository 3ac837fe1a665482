//! The function `check_array`, and what it shares with tables.

use std::sync::{Mutex, PoisonError};

use arrow_array::{Array, ArrayRef};
use comity::Dialect;
use comity_arrow::{CrawlerColumn, Kernel, RobotsColumn, Table, UrlForm};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::answers::Answers;
use crate::capsule;
use crate::chunks::aligned;
use crate::crawler::CrawlerArgument;

/// The options of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) dialect: Dialect,
    pub(crate) literal: bool,
    pub(crate) as_is: bool,
}

/// Kernels between two calls, with what they have parsed and compiled. There are at most as many as threads have called
/// at the same time.
#[derive(Debug, Default)]
pub(crate) struct Kernels(Mutex<Vec<(Options, Kernel)>>);

/// The maximum number of kernels that are kept.
const MAX_KERNELS: usize = 64;

impl Kernels {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Calls a function with a kernel that no other thread uses.
    pub(crate) fn with<R>(&self, options: Options, call: impl FnOnce(&mut Kernel) -> R) -> R {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = {
            let mut kernels = lock();
            let place = kernels.iter().rposition(|(known, _)| *known == options);
            place.map(|place| kernels.swap_remove(place).1)
        };
        let mut kernel = found.unwrap_or_else(|| {
            let form = if options.as_is { UrlForm::Unchanged } else { UrlForm::AsSent };
            let kernel = Kernel::new().with_dialect(options.dialect).with_url_form(form);
            if options.literal { kernel.with_literal_names() } else { kernel }
        });
        let result = call(&mut kernel);
        let mut kernels = lock();
        if kernels.len() == MAX_KERNELS {
            kernels.remove(0);
        }
        kernels.push((options, kernel));
        result
    }
}

pub(crate) fn dialect(name: &str) -> PyResult<Dialect> {
    name.parse().map_err(|error: comity::UnknownName| PyValueError::new_err(error.to_string()))
}

/// The files of a call.
pub(crate) enum Files<'a> {
    One(&'a [u8]),
    Bodies(&'a [ArrayRef]),
    Keys(&'a Table, &'a [ArrayRef]),
    Origins(&'a Table),
}

/// Answers columns of questions.
pub(crate) fn answer(
    kernel: &mut Kernel,
    files: &Files<'_>,
    urls: &[ArrayRef],
    crawler: &CrawlerArgument,
) -> PyResult<Answers> {
    let names = match crawler {
        CrawlerArgument::One(..) => urls,
        CrawlerArgument::Column(names) => names,
    };
    let beside = match files {
        Files::One(_) | Files::Origins(_) => urls,
        Files::Bodies(column) | Files::Keys(_, column) => column,
    };
    let chunks = aligned(["urls", "crawlers", "robots or keys"], [urls, names, beside])?;
    let batches = chunks.iter().map(|[urls, names, beside]| {
        let robots = match files {
            Files::One(body) => RobotsColumn::One(body),
            Files::Bodies(_) => RobotsColumn::Bodies(beside),
            Files::Keys(table, _) => RobotsColumn::Keys(table, beside),
            Files::Origins(table) => RobotsColumn::Origins(table),
        };
        let crawlers = match crawler {
            CrawlerArgument::One(crawler) => CrawlerColumn::One(crawler.clone()),
            CrawlerArgument::Column(_) => CrawlerColumn::Names(names),
        };
        (robots, urls as &dyn Array, crawlers)
    });
    let answers = kernel.check_chunks(batches).map_err(|error| PyTypeError::new_err(error.to_string()))?;
    Ok(Answers(answers))
}

static KERNELS: Kernels = Kernels::new();

/// Checks whether crawlers may fetch URLs, by Arrow columns: an array of pyarrow, a Series of Polars or pandas, or a table
/// with one column.
///
/// ``robots`` is a body as ``bytes`` or ``str``, or a column of bodies; a dictionary of bodies is fastest. ``crawler`` is
/// the name of a crawler, a ``comity.Crawler``, or a column of names. Rows have no verdict if a value is null, or if the text is no URL or no
/// name of a crawler; other rows are answered. ``literal`` uses names as product tokens, without the table of known
/// crawlers, and ``as_is`` uses URLs without parsing them as a browser does.
///
/// Parsed files are kept from call to call, in 64 MiB for each thread. Other threads run meanwhile.
#[pyfunction]
#[pyo3(signature = (robots, urls, *, crawler, dialect="standard", literal=false, as_is=false))]
pub(crate) fn check_array(
    py: Python<'_>,
    robots: &Bound<'_, PyAny>,
    urls: &Bound<'_, PyAny>,
    crawler: &Bound<'_, PyAny>,
    dialect: &str,
    literal: bool,
    as_is: bool,
) -> PyResult<Answers> {
    let options = Options { dialect: self::dialect(dialect)?, literal, as_is };
    let crawler = CrawlerArgument::new(crawler, literal)?;
    let urls = capsule::read("urls", urls)?;
    let mut bodies = Vec::new();
    let mut body = Vec::new();
    let is_one = if let Ok(bytes) = robots.cast::<PyBytes>() {
        body.extend_from_slice(bytes.as_bytes());
        true
    } else if let Ok(text) = robots.cast::<PyString>() {
        body.extend_from_slice(text.to_str()?.as_bytes());
        true
    } else {
        bodies = capsule::read("robots", robots)?;
        false
    };
    py.detach(|| {
        let files = if is_one { Files::One(&body) } else { Files::Bodies(&bodies) };
        KERNELS.with(options, |kernel| answer(kernel, &files, &urls, &crawler))
    })
}

//! The class `NativeClient`.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use comity::Origin;
use comity_fetch::{CheckError, Client, Pacer, Permit, Visitor};
use pyo3::prelude::*;
use pyo3::types::PyString;
use tokio::runtime::{Handle, Runtime};

use crate::decision::Decision;
use crate::errors;
use crate::exit;
use crate::options;
use crate::questions::Asker;
use crate::site::Site;
use crate::task::Task;
use crate::turn::Turn;

/// The time after which a blocking call looks for signals, such as an interrupt by the keyboard.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// The message about a client that was closed.
const CLOSED: &str = "expected an open client, found one that was closed: create another one";

/// The message about a question that is asked too late.
const ENDS: &str =
    "expected a running interpreter, found one that is ending: ask before it calls the functions of atexit";

/// A client of comity-fetch and its runtime.
#[pyclass(frozen, module = "comity_client")]
#[derive(Debug)]
pub(crate) struct NativeClient {
    client: Client,
    pacer: Pacer,
    /// The crawler of questions that name none.
    asker: Option<Asker>,
    /// `None` after it was closed.
    runtime: Mutex<Option<Runtime>>,
    /// The process that created the client. Threads do not survive a fork.
    process: u32,
}

#[pymethods]
impl NativeClient {
    #[new]
    #[pyo3(signature = (user_agent, crawler, store, policy, dialect, timeout, interval, trust))]
    #[allow(clippy::too_many_arguments, reason = "the class in Python has them as keywords")]
    fn new(
        py: Python<'_>,
        user_agent: &str,
        crawler: Option<&Bound<'_, PyAny>>,
        store: Option<PathBuf>,
        policy: &str,
        dialect: &str,
        timeout: Option<f64>,
        interval: f64,
        trust: Vec<String>,
    ) -> PyResult<Self> {
        let client = options::build(py, user_agent, store, policy, dialect, timeout, &trust)?;
        let interval = Duration::try_from_secs_f64(interval).map_err(|_| {
            errors::invalid_argument(py, format!("expected an interval of 0 seconds or more, found {interval}"))
        })?;
        let candidates = comity::user_agent::candidates(user_agent, &comity::Crawlers::builtin());
        let own = candidates.first().map(|token| PyString::new(py, token).into_any());
        let asker = crawler.or(own.as_ref()).map(Asker::new).transpose()?;
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).thread_name("comity-client").enable_all().build();
        let runtime = runtime.map_err(|error| errors::client(py, format!("cannot start threads: {error}")))?;
        let pacer = Pacer::new().at_least(interval);
        Ok(Self { client, pacer, asker, runtime: Mutex::new(Some(runtime)), process: std::process::id() })
    }

    /// Returns the decision if the file of the site is in memory and not due.
    fn check_in_memory(
        &self,
        py: Python<'_>,
        url: &str,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Decision>> {
        drop(self.handle(py)?);
        let asker = self.asker(py, crawler)?;
        // Other text is an error of the question that follows.
        let Ok((sent, origin)) = Origin::parse_url(url) else { return Ok(None) };
        let site = self.client.in_memory(&origin);
        Ok(site.map(|site| Decision::new(site.check(&asker.crawler, sent), asker)))
    }

    /// Returns the site if its file is in memory and not due.
    fn site_in_memory(slf: &Bound<'_, Self>, url: &str, crawler: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Site>> {
        let this = slf.get();
        drop(this.handle(slf.py())?);
        let asker = this.asker(slf.py(), crawler)?;
        let site = Origin::of(url).ok().and_then(|origin| this.client.in_memory(&origin));
        Ok(site.map(|site| Site::new(site, asker, slf.clone().unbind())))
    }

    /// Starts a check. Calls `done` in another thread with the decision, or with an exception.
    fn start_check(
        &self,
        py: Python<'_>,
        url: String,
        crawler: Option<&Bound<'_, PyAny>>,
        done: Py<PyAny>,
    ) -> PyResult<Task> {
        let asker = self.asker(py, crawler)?;
        let (client, who) = (self.client.clone(), asker.crawler.clone());
        let question = async move { client.check(&who, &url).await };
        self.start(py, done, question, |_, found| Ok(Decision::new(found, asker)))
    }

    /// Starts to fetch the robots.txt of a site. Calls `done` in another thread with it, or with an exception.
    fn start_site(
        slf: &Bound<'_, Self>,
        url: String,
        crawler: Option<&Bound<'_, PyAny>>,
        done: Py<PyAny>,
    ) -> PyResult<Task> {
        let (this, py) = (slf.get(), slf.py());
        let asker = this.asker(py, crawler)?;
        let (client, this_client) = (this.client.clone(), slf.clone().unbind());
        let question = async move { client.robots(&url).await };
        this.start(py, done, question, |_, found| Ok(Site::new(found, asker, this_client)))
    }

    /// Starts to wait for a permit. Calls `done` in another thread with the turn, or with an exception.
    fn start_permit(
        &self,
        py: Python<'_>,
        url: String,
        crawler: Option<&Bound<'_, PyAny>>,
        patience: f64,
        done: Py<PyAny>,
    ) -> PyResult<Task> {
        let asker = self.asker(py, crawler)?;
        let visitor = self.visitor(py, &asker, patience)?;
        let page = url.clone();
        let question = async move { visitor.permit(&url).await };
        self.start(py, done, question, move |py, permit| turn(py, &asker, &page, permit))
    }

    /// Checks a URL, and waits for the decision.
    fn check_blocking(&self, py: Python<'_>, url: &str, crawler: Option<&Bound<'_, PyAny>>) -> PyResult<Decision> {
        if let Some(decision) = self.check_in_memory(py, url, crawler)? {
            return Ok(decision);
        }
        let asker = self.asker(py, crawler)?;
        let found = self.block_on(py, self.client.check(&asker.crawler, url))?;
        Ok(Decision::new(found, asker))
    }

    /// Fetches the robots.txt of a site if it is due, and waits for it.
    fn site_blocking(slf: &Bound<'_, Self>, url: &str, crawler: Option<&Bound<'_, PyAny>>) -> PyResult<Site> {
        let (this, py) = (slf.get(), slf.py());
        let asker = this.asker(py, crawler)?;
        let found = this.block_on(py, this.client.robots(url))?;
        Ok(Site::new(found, asker, slf.clone().unbind()))
    }

    /// Waits for a permit.
    fn permit_blocking(
        &self,
        py: Python<'_>,
        url: &str,
        crawler: Option<&Bound<'_, PyAny>>,
        patience: f64,
    ) -> PyResult<Turn> {
        let asker = self.asker(py, crawler)?;
        let visitor = self.visitor(py, &asker, patience)?;
        let permit = self.block_on(py, visitor.permit(url))?;
        turn(py, &asker, url, permit)
    }

    /// Ends the threads of the client. Whatever waits for an answer gets a `ClientError`.
    fn close(&self, py: Python<'_>) {
        let runtime = self.runtime_lock().take();
        py.detach(|| self.end(runtime));
    }

    /// True after `close`.
    #[getter]
    fn closed(&self) -> bool {
        self.runtime_lock().is_none()
    }

    /// The crawler of questions that name none.
    #[getter]
    fn crawler(&self) -> Option<&Py<PyAny>> {
        self.asker.as_ref().map(Asker::argument)
    }

    /// Returns the number of requests for robots.txt files so far.
    #[getter]
    fn requests(&self) -> u64 {
        self.client.stats().requests_total
    }
}

/// Returns the turn of a permit, or the exception for a page that may not be requested.
fn turn(py: Python<'_>, asker: &Asker, url: &str, permit: Permit) -> PyResult<Turn> {
    match permit {
        Permit::Granted { turn, .. } => Ok(Turn::new(turn)),
        Permit::Forbidden(decision) => Err(errors::disallowed(py, url, Decision::new(decision, asker.clone()))),
        Permit::Later(wait) => Err(errors::too_soon(py, url, wait)),
        _ => Err(errors::client(py, format!("expected a permit for {url}, found none"))),
    }
}

impl NativeClient {
    fn runtime_lock(&self) -> MutexGuard<'_, Option<Runtime>> {
        self.runtime.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the crawler of a question.
    fn asker(&self, py: Python<'_>, crawler: Option<&Bound<'_, PyAny>>) -> PyResult<Asker> {
        match (crawler, &self.asker) {
            (Some(crawler), _) => Asker::new(crawler),
            (None, Some(asker)) => Ok(asker.clone()),
            (None, None) => Err(errors::invalid_argument(
                py,
                "expected a crawler, found none, and the user agent of the client names none; use \
                 crawler=\"ExampleBot\""
                    .to_owned(),
            )),
        }
    }

    /// Returns a visitor, which is a crawler with patience.
    pub(crate) fn visitor(&self, py: Python<'_>, asker: &Asker, patience: f64) -> PyResult<Visitor> {
        let refused =
            || errors::invalid_argument(py, format!("expected a patience of 0 seconds or more, found {patience}"));
        let patience = Duration::try_from_secs_f64(patience).map_err(|_| refused())?;
        let visitor = Visitor::new(self.client.clone(), asker.crawler.clone()).pacer(self.pacer.clone());
        drop(self.handle(py)?);
        Ok(visitor.patience(patience))
    }

    /// Returns the runtime, in the process that created it.
    fn handle(&self, py: Python<'_>) -> PyResult<Handle> {
        let (here, created) = (std::process::id(), self.process);
        if here != created {
            return Err(errors::client(
                py,
                format!(
                    "expected process {created}, which created this client, found process {here}: its threads do not \
                     survive a fork, so create a client after the fork"
                ),
            ));
        }
        if exit::has_begun() {
            return Err(errors::client(py, ENDS.to_owned()));
        }
        let runtime = self.runtime_lock();
        let handle = runtime.as_ref().map(|runtime| runtime.handle().clone());
        handle.ok_or_else(|| errors::client(py, CLOSED.to_owned()))
    }

    /// Ends the threads of a runtime.
    fn end(&self, runtime: Option<Runtime>) {
        let Some(runtime) = runtime else { return };
        if std::process::id() == self.process {
            // It does not wait, since its threads may wait for the lock of Python, which this one may hold.
            runtime.shutdown_background();
        } else {
            // After a fork, its threads do not exist, and nothing can be waited for.
            std::mem::forget(runtime);
        }
    }

    /// Answers a question in the runtime. Calls `done` with the answer, or with an exception.
    pub(crate) fn start<T: Send + 'static, P>(
        &self,
        py: Python<'_>,
        done: Py<PyAny>,
        question: impl Future<Output = Result<T, CheckError>> + Send + 'static,
        convert: impl FnOnce(Python<'_>, T) -> PyResult<P> + Send + 'static,
    ) -> PyResult<Task>
    where
        P: pyo3::PyClass + Into<pyo3::PyClassInitializer<P>>,
    {
        let done = Done(Some(done));
        let task = self.handle(py)?.spawn(async move {
            let answer = question.await;
            done.answer(|py| {
                let answer = answer.map_err(|error| errors::check(py, &error))?;
                Ok(Py::new(py, convert(py, answer)?)?.into_any())
            });
        });
        Ok(Task(task.abort_handle()))
    }

    /// Waits for an answer without the lock of Python, and looks for signals meanwhile.
    pub(crate) fn block_on<T: Send>(
        &self,
        py: Python<'_>,
        question: impl Future<Output = Result<T, CheckError>> + Send,
    ) -> PyResult<T> {
        let handle = self.handle(py)?;
        let mut question = pin!(question);
        loop {
            let waiting = question.as_mut();
            let answer = py.detach(|| handle.block_on(async { tokio::time::timeout(SIGNAL_INTERVAL, waiting).await }));
            if let Ok(answer) = answer {
                return answer.map_err(|error| errors::check(py, &error));
            }
            py.check_signals()?;
            // It may have been closed meanwhile.
            drop(self.handle(py)?);
        }
    }
}

/// A callback, which gets an exception if the question is dropped without an answer, as it is when the client is closed.
struct Done(Option<Py<PyAny>>);

impl Done {
    fn answer(mut self, answer: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) {
        self.call(answer);
    }

    fn call(&mut self, answer: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) {
        let Some(done) = self.0.take() else { return };
        exit::call(|py| {
            let answer = answer(py).unwrap_or_else(|error| error.into_value(py).into_any());
            // An event loop that was closed meanwhile raises: nobody waits then, either.
            let _ = done.call1(py, (answer,));
            drop(done);
        });
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        self.call(|py| Err(errors::client(py, CLOSED.to_owned())));
    }
}

impl Drop for NativeClient {
    fn drop(&mut self) {
        let runtime = self.runtime.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        self.end(runtime);
    }
}

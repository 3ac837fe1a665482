//! The class `NativeClient`.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use comity_fetch::{CheckError, Client};
use pyo3::prelude::*;
use tokio::runtime::Runtime;

use crate::decision::{Decision, SiteFile};
use crate::errors;
use crate::options;
use crate::task::Task;

/// The time after which a blocking call looks for signals, such as an interrupt by the keyboard.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// A client of comity-fetch and its runtime.
#[pyclass(frozen, module = "comity_client")]
#[derive(Debug)]
pub(crate) struct NativeClient {
    client: Client,
    /// `None` after it was dropped.
    runtime: Option<Runtime>,
    /// The process that created the client. Threads do not survive a fork.
    process: u32,
}

#[pymethods]
impl NativeClient {
    #[new]
    #[pyo3(signature = (user_agent, store, policy, dialect, timeout, trust))]
    fn new(
        py: Python<'_>,
        user_agent: &str,
        store: Option<PathBuf>,
        policy: &str,
        dialect: &str,
        timeout: Option<f64>,
        trust: Vec<String>,
    ) -> PyResult<Self> {
        let client = options::build(py, user_agent, store, policy, dialect, timeout, &trust)?;
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).thread_name("comity-client").enable_all().build();
        let runtime = runtime.map_err(|error| errors::client(py, format!("cannot start threads: {error}")))?;
        Ok(Self { client, runtime: Some(runtime), process: std::process::id() })
    }

    /// Starts a check. Calls `done` in another thread with the decision, or with an exception.
    fn start_check(&self, py: Python<'_>, url: String, crawler: &str, done: Py<PyAny>) -> PyResult<Task> {
        let crawler = errors::crawler(py, crawler)?;
        let client = self.client.clone();
        self.start(py, done, async move { client.check(&crawler, &url).await }, |found| Decision::new(&found))
    }

    /// Starts to fetch the robots.txt of a site. Calls `done` in another thread with it, or with an exception.
    fn start_robots(&self, py: Python<'_>, url: String, done: Py<PyAny>) -> PyResult<Task> {
        let client = self.client.clone();
        self.start(py, done, async move { client.robots(&url).await }, |found| SiteFile::new(&found))
    }

    /// Checks a URL, and waits for the decision.
    fn check_blocking(&self, py: Python<'_>, url: &str, crawler: &str) -> PyResult<Decision> {
        let crawler = errors::crawler(py, crawler)?;
        self.block_on(py, self.client.check(&crawler, url)).map(|found| Decision::new(&found))
    }

    /// Fetches the robots.txt of a site if it is due, and waits for it.
    fn robots_blocking(&self, py: Python<'_>, url: &str) -> PyResult<SiteFile> {
        self.block_on(py, self.client.robots(url)).map(|found| SiteFile::new(&found))
    }

    /// Returns the number of requests for robots.txt files so far.
    #[getter]
    fn requests(&self) -> u64 {
        self.client.stats().requests_total
    }
}

impl NativeClient {
    /// Returns the runtime, in the process that created it.
    fn runtime(&self, py: Python<'_>) -> PyResult<&Runtime> {
        let (here, created) = (std::process::id(), self.process);
        match &self.runtime {
            Some(runtime) if here == created => Ok(runtime),
            _ => Err(errors::client(
                py,
                format!(
                    "expected process {created}, which created this client, found process {here}: its threads do not \
                     survive a fork, so create a client after the fork"
                ),
            )),
        }
    }

    fn start<T: Send + 'static, P>(
        &self,
        py: Python<'_>,
        done: Py<PyAny>,
        question: impl Future<Output = Result<T, CheckError>> + Send + 'static,
        convert: impl FnOnce(T) -> P + Send + 'static,
    ) -> PyResult<Task>
    where
        P: pyo3::PyClass + Into<pyo3::PyClassInitializer<P>>,
    {
        let done = Arc::new(done);
        let task = self.runtime(py)?.spawn(async move {
            let answer = question.await;
            // `None` while the interpreter shuts down: nobody waits then.
            let _ = Python::try_attach(|py| {
                let answer = match answer {
                    Ok(found) => Py::new(py, convert(found)).map(Py::into_any),
                    Err(error) => Ok(errors::check(py, &error).into_value(py).into_any()),
                };
                // An event loop that was closed meanwhile raises: nobody waits then, either.
                let _ = answer.and_then(|answer| done.call1(py, (answer,)));
                drop(done);
            });
        });
        Ok(Task(task.abort_handle()))
    }

    /// Waits for an answer without the lock of Python, and looks for signals meanwhile.
    fn block_on<T: Send>(
        &self,
        py: Python<'_>,
        question: impl Future<Output = Result<T, CheckError>> + Send,
    ) -> PyResult<T> {
        let runtime = self.runtime(py)?;
        let mut question = pin!(question);
        loop {
            let waiting = question.as_mut();
            let answer = py.detach(|| runtime.block_on(async { tokio::time::timeout(SIGNAL_INTERVAL, waiting).await }));
            match answer {
                Ok(answer) => return answer.map_err(|error| errors::check(py, &error)),
                Err(_) => py.check_signals()?,
            }
        }
    }
}

impl Drop for NativeClient {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        if std::process::id() == self.process {
            // It does not wait, since its threads may wait for the lock of Python, which this one holds.
            runtime.shutdown_background();
        } else {
            // After a fork, its threads do not exist, and nothing can be waited for.
            std::mem::forget(runtime);
        }
    }
}

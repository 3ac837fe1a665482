//! A line on standard error while a site has not answered yet.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The time before the line appears. Most sites answer sooner.
const LINE_DELAY: Duration = Duration::from_secs(1);

/// The time after which an answer is waited for with a line. Cached answers take less.
const MAX_WAIT_WITHOUT_LINE: Duration = Duration::from_millis(50);

/// The time between two updates of the line.
const UPDATE_INTERVAL: Duration = Duration::from_millis(200);

/// A line that shows what is waited for, and for how long. It disappears when it is dropped.
pub(crate) struct Waiting(Option<(ProgressBar, tokio::task::JoinHandle<()>)>);

impl Waiting {
    /// Shows the line after a second, if standard error is a terminal. Must be called within a runtime.
    pub(crate) fn for_site(name: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::hidden();
        let style = ProgressStyle::with_template("waiting for {msg}, {elapsed}");
        bar.set_message(comity::Escaped(name.as_bytes()).to_string());
        let shown = bar.clone();
        let task = tokio::spawn(async move {
            tokio::time::sleep(LINE_DELAY).await;
            if let Ok(style) = style {
                shown.set_style(style);
            }
            shown.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            shown.enable_steady_tick(UPDATE_INTERVAL);
        });
        Self(Some((bar, task)))
    }

    /// Waits for an answer, and shows the line if it takes more than a second.
    pub(crate) async fn until<T>(name: &str, answer: impl Future<Output = T>) -> T {
        let mut answer = std::pin::pin!(answer);
        if let Ok(answer) = tokio::time::timeout(MAX_WAIT_WITHOUT_LINE, &mut answer).await {
            return answer;
        }
        let _line = Self::for_site(name);
        answer.await
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((bar, task)) = &self.0 {
            task.abort();
            bar.finish_and_clear();
        }
    }
}

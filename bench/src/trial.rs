//! Trials: whether a participant completes work that was made to be hard.
//!
//! A parser in this process cannot be stopped in the middle of a question, and some parsers take minutes to compile a
//! file. So such work is first tried in a process of its own, which can be stopped.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::definition::{self, Definition};
use crate::participants;
use crate::scale::Scale;
use crate::work::{self, Library};

/// Returns true if the participant completes this point in time. Also returns true if the trial itself fails, so that
/// the run shows the error.
pub(crate) fn ends(definition: &Definition, index: usize, participant: &str, scale: &Scale) -> bool {
    let needless = work::is_ordinary(&definition.work) || !participants::is_of_this_process(participant);
    needless || try_out(definition, index, participant, scale).unwrap_or(true)
}

fn try_out(definition: &Definition, index: usize, participant: &str, scale: &Scale) -> Result<bool> {
    let mut process = Command::new(std::env::current_exe()?)
        .args(["trial", &definition.name, &index.to_string(), participant, &scale.questions.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let output = process.stdout.take().context("no pipe")?;
    BufReader::new(output).read_line(&mut String::new())?;
    let start = Instant::now();
    // The limit is doubled, because the first time is slow and the machine may be busy.
    while start.elapsed() < scale.cap(definition.section) * 2 {
        if process.try_wait()?.is_some() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    process.kill()?;
    process.wait()?;
    Ok(false)
}

/// Prepares the work, prints that it is ready, and does it once.
pub(crate) fn run(workload: &str, index: usize, participant: &str, questions: usize) -> Result<bool> {
    std::panic::set_hook(Box::new(|_| {}));
    let definitions = definition::load()?;
    let definition = definitions.iter().find(|definition| definition.name == workload).context("no such workload")?;
    let library = Library::without_files(Scale::FULL.with_questions(questions));
    let point = library.make(&definition.work)?.into_iter().nth(index).context("no such point")?;
    println!("ready");
    let Some(mut participant) = participants::of_this_process().into_iter().find(|one| one.name() == participant)
    else {
        bail!("no such participant");
    };
    participant.verify(definition.model, &point.cases, Duration::MAX);
    Ok(true)
}

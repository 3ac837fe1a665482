//! The amount of work.

use std::rc::Rc;
use std::time::Duration;

use crate::definition::Section;
use crate::work::Body;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// The number of files. Defaults to all.
    pub(crate) files: Option<usize>,
    /// The number of the largest files, which get many questions.
    pub(crate) largest: usize,
    /// The number of questions for each of these files.
    pub(crate) questions: usize,
    pub(crate) starts: usize,
    rounds: usize,
    cap: Duration,
}

impl Scale {
    /// The scale for published figures.
    pub(crate) const FULL: Self =
        Self { files: None, largest: 200, questions: 1_000, starts: 300, rounds: 9, cap: Duration::from_secs(8) };

    /// The scale for a quick run, which takes a few minutes and only shows that everything works.
    pub(crate) const QUICK: Self =
        Self { files: Some(300), largest: 20, questions: 200, starts: 30, rounds: 3, cap: Duration::from_millis(500) };

    /// Returns the same scale with this number of questions.
    pub(crate) fn with_questions(self, questions: usize) -> Self {
        Self { questions, ..self }
    }

    /// Returns the number of rounds. Curves and hostile files have fewer: they have many points, and show large
    /// differences.
    pub(crate) fn rounds(&self, section: Section) -> usize {
        if section == Section::Work { self.rounds } else { self.rounds.min(5) }
    }

    /// Returns the maximum time of a participant for one pass.
    pub(crate) fn cap(&self, section: Section) -> Duration {
        if section == Section::Work { self.cap } else { self.cap / 4 }
    }

    /// Returns the maximum time of a participant for all recorded questions.
    pub(crate) fn examination_cap(&self) -> Duration {
        self.cap * 15
    }

    /// Keeps every *n*-th file, so that all sizes remain.
    pub(crate) fn thin(&self, bodies: &mut Vec<Rc<Body>>) {
        let step = self.files.map_or(1, |files| bodies.len().div_ceil(files.max(1))).max(1);
        let mut index = 0..;
        bodies.retain(|_| index.next().is_some_and(|index: usize| index.is_multiple_of(step)));
    }
}

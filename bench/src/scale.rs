//! How much work is done.

use std::rc::Rc;
use std::time::Duration;

use crate::definition::Section;
use crate::work::Body;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// How many files; all there are if nothing is said.
    pub(crate) files: Option<usize>,
    /// How many of them are asked many questions.
    pub(crate) largest: usize,
    /// How many questions that is.
    pub(crate) questions: usize,
    pub(crate) starts: usize,
    rounds: usize,
    cap: Duration,
}

impl Scale {
    /// For figures to publish.
    pub(crate) const FULL: Self =
        Self { files: None, largest: 200, questions: 1_000, starts: 300, rounds: 9, cap: Duration::from_secs(8) };

    /// To see that all works, in a few minutes.
    pub(crate) const QUICK: Self =
        Self { files: Some(300), largest: 20, questions: 200, starts: 30, rounds: 3, cap: Duration::from_millis(500) };

    /// With so many questions.
    pub(crate) fn with_questions(self, questions: usize) -> Self {
        Self { questions, ..self }
    }

    /// Curves and hostile files are many points, and show more than a small difference.
    pub(crate) fn rounds(&self, section: Section) -> usize {
        if section == Section::Work { self.rounds } else { self.rounds.min(5) }
    }

    /// How long a participant may take for one pass.
    pub(crate) fn cap(&self, section: Section) -> Duration {
        if section == Section::Work { self.cap } else { self.cap / 4 }
    }

    /// How long it may take for all recorded questions.
    pub(crate) fn examination_cap(&self) -> Duration {
        self.cap * 15
    }

    /// Every so many-th file, so that all kinds stay.
    pub(crate) fn thin(&self, bodies: &mut Vec<Rc<Body>>) {
        let step = self.files.map_or(1, |files| bodies.len().div_ceil(files.max(1))).max(1);
        let mut index = 0..;
        bodies.retain(|_| index.next().is_some_and(|index: usize| index.is_multiple_of(step)));
    }
}

//! The agreement of a participant's answers with those of the reference.

use serde::Serialize;

use crate::participants::{Answer, Answers};
use crate::work::Case;

/// Counts of answers. Answers that were not given in time are not counted.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Agreement {
    pub(crate) asked: usize,
    pub(crate) right: usize,
    /// The number of questions about well-formed absolute URLs.
    pub(crate) clean_asked: usize,
    pub(crate) clean_right: usize,
    /// The number of questions that are allowed, but that the reference disallows.
    pub(crate) over_allowed: usize,
    /// The number of questions that are disallowed, but that the reference allows.
    pub(crate) over_blocked: usize,
    pub(crate) refused: usize,
    /// The number of panics or exceptions.
    pub(crate) panicked: usize,
}

impl Agreement {
    pub(crate) fn of(cases: &[Case], answers: &Answers) -> Self {
        let mut sum = Self { panicked: answers.panicked_bodies, ..Self::default() };
        let questions = cases.iter().flat_map(|case| &case.questions);
        for (question, answer) in questions.zip(&answers.given) {
            let right = usize::from(*answer == if question.expected { Answer::Allowed } else { Answer::Disallowed });
            sum.asked += 1;
            sum.right += right;
            if question.is_clean {
                sum.clean_asked += 1;
                sum.clean_right += right;
            }
            sum.over_allowed += usize::from(*answer == Answer::Allowed && !question.expected);
            sum.over_blocked += usize::from(*answer == Answer::Disallowed && question.expected);
            sum.refused += usize::from(*answer == Answer::Refused);
            sum.panicked += usize::from(*answer == Answer::Panicked);
        }
        sum
    }

    pub(crate) fn and(&self, other: &Self) -> Self {
        Self {
            asked: self.asked + other.asked,
            right: self.right + other.right,
            clean_asked: self.clean_asked + other.clean_asked,
            clean_right: self.clean_right + other.clean_right,
            over_allowed: self.over_allowed + other.over_allowed,
            over_blocked: self.over_blocked + other.over_blocked,
            refused: self.refused + other.refused,
            panicked: self.panicked + other.panicked,
        }
    }

    /// Returns the percentage of all answers that agree, or `None` if there are no answers.
    pub(crate) fn percent(&self) -> Option<f64> {
        percent(self.right, self.asked)
    }

    pub(crate) fn clean_percent(&self) -> Option<f64> {
        percent(self.clean_right, self.clean_asked)
    }
}

fn percent(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 * 100.0 / whole as f64)
}

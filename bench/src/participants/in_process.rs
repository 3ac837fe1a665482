//! The loops for parsers that run in this process.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::{Answer, Answers, Engine, Participant, Timing};
use crate::allocator::count;
use crate::definition::Model;
use crate::memory::Footprint;
use crate::work::Case;

#[derive(Debug)]
pub(super) struct InProcess<E>(pub(super) E);

impl<E: Engine> Participant for InProcess<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn version(&self) -> &str {
        self.0.version()
    }

    fn verify(&mut self, model: Model, cases: &[Case], cap: Duration) -> Answers {
        let start = Instant::now();
        let mut answers = Answers::default();
        for case in cases {
            if self.verify_case(model, case, start, cap, &mut answers).is_none() {
                answers.took = start.elapsed();
                return answers;
            }
        }
        answers.took = start.elapsed();
        answers.in_time = answers.took <= cap;
        answers
    }

    fn time(&mut self, model: Model, cases: &[Case], passes: u32) -> Option<Timing> {
        let mut timing = Timing::default();
        let start = Instant::now();
        for case in (0..passes).flat_map(|_| cases) {
            // A panic ends its case, but not the run. `verify` has counted it.
            timing.build += catch_unwind(AssertUnwindSafe(|| self.work(model, case))).unwrap_or_default();
        }
        timing.rest = start.elapsed().saturating_sub(timing.build);
        Some(timing)
    }

    fn footprint(&mut self, cases: &[Case]) -> Option<Footprint> {
        let mut sum = Footprint::default();
        for case in cases {
            let guarded = catch_unwind(AssertUnwindSafe(|| self.weigh(case)));
            sum = sum.and(&guarded.ok().flatten().unwrap_or_default());
        }
        Some(sum)
    }
}

impl<E: Engine> InProcess<E> {
    /// Returns `None` if the time is up.
    fn verify_case(
        &self,
        model: Model,
        case: &Case,
        start: Instant,
        cap: Duration,
        answers: &mut Answers,
    ) -> Option<()> {
        let Case { body, agent, questions } = case;
        if model == Model::Parse {
            let parsed = catch_unwind(AssertUnwindSafe(|| drop(black_box(self.0.parse(body, agent)))));
            answers.panicked_bodies += usize::from(parsed.is_err());
            return (start.elapsed() <= cap).then_some(());
        }
        let prepared = match model {
            Model::Decide => catch_unwind(AssertUnwindSafe(|| self.0.prepare(body, agent))),
            _ => Ok(None),
        };
        for question in questions {
            let answer = match &prepared {
                Err(_) => Ok(Answer::Panicked),
                Ok(Some(prepared)) => catch_unwind(AssertUnwindSafe(|| self.0.decide(prepared, question).into())),
                Ok(None) if model == Model::Decide => Ok(Answer::Refused),
                Ok(None) => catch_unwind(AssertUnwindSafe(|| self.0.one_shot(body, agent, question).into())),
            };
            answers.given.push(answer.unwrap_or(Answer::Panicked));
            if start.elapsed() > cap {
                return None;
            }
        }
        Some(())
    }

    /// Does the work of a case. Returns the time for preparing the file and dropping the result. It is zero for the
    /// models in which reading the clock would take too long in comparison.
    fn work(&self, model: Model, case: &Case) -> Duration {
        let Case { body, agent, questions } = case;
        match model {
            Model::Parse => drop(black_box(self.0.parse(body, agent))),
            Model::OneShot => {
                for question in questions {
                    black_box(self.0.one_shot(black_box(body), agent, question));
                }
            }
            Model::Decide => {
                let start = Instant::now();
                let prepared = black_box(self.0.prepare(body, agent));
                let asking = Instant::now();
                if let Some(prepared) = &prepared {
                    for question in questions {
                        black_box(self.0.decide(prepared, black_box(question)));
                    }
                }
                let asked = asking.elapsed();
                drop(prepared);
                return start.elapsed().saturating_sub(asked);
            }
        }
        Duration::ZERO
    }

    /// Measures the memory of the parsed file and of the prepared file, and the allocations of one answer.
    fn weigh(&self, case: &Case) -> Option<Footprint> {
        let Case { body, agent, questions } = case;
        let borrowed = if self.0.keeps_body() { body.bytes.len() as i64 } else { 0 };
        let (parsed, parse) = count(|| self.0.parse(body, agent));
        drop(parsed?);
        let (prepared, prepare) = count(|| self.0.prepare(body, agent));
        let prepared = prepared?;
        let (_, decide) = count(|| questions.first().map(|question| self.0.decide(&prepared, question)));
        Some(Footprint {
            files: 1,
            parsed_bytes: parse.bytes + size_of::<E::Parsed<'_>>() as i64 + borrowed,
            prepared_bytes: prepare.bytes + size_of::<E::Prepared<'_>>() as i64 + borrowed,
            parse_calls: parse.calls,
            prepare_calls: prepare.calls,
            decide_calls: decide.calls,
        })
    }
}

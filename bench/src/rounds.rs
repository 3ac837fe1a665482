//! Measures times in rounds. Each participant runs once per round, and each round has another order, because a
//! participant that runs after another one finds the same files in the caches.
//!
//! A disturbance of the machine affects all participants of a round, so ratios within a round stay correct.

use std::time::Duration;

use crate::agreement::Agreement;
use crate::definition::{Definition, Model};
use crate::participants::{Answers, Participant, Timing};
use crate::results::{Measured, Row};
use crate::scale::Scale;
use crate::trial;
use crate::work::{Point, Random};

/// The minimum time of a measurement. Shorter passes are repeated.
const SHORTEST: Duration = Duration::from_millis(20);

/// A participant of one workload.
struct Entrant<'p> {
    participant: &'p mut dyn Participant,
    answers: Answers,
    passes: u32,
    /// The time of a pass, for each round.
    passes_took: Vec<Timing>,
}

/// Measures one point of a workload. Leaves out the participants in `late`, and adds those that are too slow at this
/// point.
pub(crate) fn measure(
    definition: &Definition,
    index: usize,
    point: &Point,
    participants: &mut [Box<dyn Participant>],
    limits: &mut [Box<dyn Participant>],
    late: &mut Vec<&'static str>,
    scale: &Scale,
) -> Measured {
    let (cap, limit_count) = (scale.cap(definition.section), limits.len());
    let mut entrants: Vec<Entrant<'_>> = participants
        .iter_mut()
        .filter(|one| definition.participants.iter().any(|name| name == one.name()) && !late.contains(&one.name()))
        .chain(limits)
        .map(|participant| enter(&mut **participant, definition, index, point, scale))
        .collect();
    late.extend(entrants.iter().filter(|one| !one.answers.in_time).map(|one| one.participant.name()));
    let mut order: Vec<usize> = (0..entrants.len()).collect();
    let mut random = Random::new(index as u64);
    for _ in 0..scale.rounds(definition.section) {
        shuffle(&mut order, &mut random);
        for turn in &order {
            run(&mut entrants[*turn], definition.model, point);
        }
    }
    let units = match definition.model {
        Model::Parse => point.cases.len(),
        Model::OneShot | Model::Decide => point.questions(),
    };
    let mut rows: Vec<Row> = entrants.iter().map(|one| row(one, definition.model, point, units, cap)).collect();
    let limits = rows.split_off(rows.len() - limit_count);
    Measured::new(point, units, rows, limits)
}

/// Puts the elements in a random order. All orders are equally likely.
fn shuffle(order: &mut [usize], random: &mut Random) {
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last + 1));
    }
}

/// Runs a participant for the first time. This checks its answers, warms it up, and determines the number of passes.
fn enter<'p>(
    participant: &'p mut dyn Participant,
    definition: &Definition,
    index: usize,
    point: &Point,
    scale: &Scale,
) -> Entrant<'p> {
    let cap = scale.cap(definition.section);
    let answers = if trial::ends(definition, index, participant.name(), scale) {
        participant.verify(definition.model, &point.cases, cap)
    } else {
        Answers::default()
    };
    let passes = SHORTEST.as_nanos() / answers.took.as_nanos().max(1);
    Entrant { participant, answers, passes: passes.clamp(1, 1_000) as u32, passes_took: Vec::new() }
}

fn run(one: &mut Entrant<'_>, model: Model, point: &Point) {
    if !one.answers.in_time {
        return;
    }
    if let Some(timing) = one.participant.time(model, &point.cases, one.passes) {
        one.passes_took.push(Timing { build: timing.build / one.passes, rest: timing.rest / one.passes });
    }
}

fn row(one: &Entrant<'_>, model: Model, point: &Point, units: usize, cap: Duration) -> Row {
    let per_unit = |time: Duration| time.as_nanos() as f64 / units.max(1) as f64;
    let steady = |timing: &Timing| per_unit(timing.rest);
    let whole = |timing: &Timing| per_unit(timing.build + timing.rest);
    let per_file = |timing: &Timing| timing.build.as_nanos() as f64 / point.cases.len().max(1) as f64;
    let apart = model == Model::Decide;
    Row {
        participant: one.participant.name().to_owned(),
        nanoseconds: one.passes_took.iter().map(whole).collect(),
        steady: one.passes_took.iter().filter(|_| apart).map(steady).collect(),
        build: one.passes_took.iter().filter(|_| apart).map(per_file).collect(),
        over: (!one.answers.in_time).then(|| per_unit(cap)),
        agreement: Agreement::of(&point.cases, &one.answers),
    }
}

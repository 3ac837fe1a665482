//! One run of all benchmarks.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::agreement::Agreement;
use crate::definition::{self, Definition};
use crate::participants::{self, Participant, Skipped};
use crate::results::{Examined, Machine, Results, Version, Weighed, Workload};
use crate::scale::Scale;
use crate::work::Library;
use crate::{definition::Model, machine, report, rounds, start};

#[derive(Debug, Default)]
pub(crate) struct Options {
    quick: bool,
    generated: bool,
    only: Option<String>,
    comity: Option<PathBuf>,
    out: PathBuf,
    page: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(arguments: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(&argument) = arguments.next() {
            let mut value =
                || arguments.next().map(|value| (*value).to_owned()).context(format!("{argument} takes a value"));
            match argument {
                "--quick" => options.quick = true,
                "--generated" => options.generated = true,
                "--only" => options.only = Some(value()?),
                "--comity" => options.comity = Some(value()?.into()),
                "--out" => options.out = value()?.into(),
                "--page" => options.page = Some(value()?.into()),
                _ => bail!("`{argument}` is no option"),
            }
        }
        Ok(options)
    }
}

/// Measures everything and writes the results.
pub(crate) fn run(options: &Options) -> Result<bool> {
    // Panics of other parsers are caught and counted. Their messages would hide the progress.
    std::panic::set_hook(Box::new(|_| {}));
    let scale = if options.quick { Scale::QUICK } else { Scale::FULL };
    let library = Library::open(scale, options.generated)?;
    eprintln!("work: {}", library.origin);
    let (mut participants, skipped) = invite();
    let mut definitions = definition::load()?;
    if let Some(only) = &options.only {
        definitions.retain(|definition| definition.name.contains(only.as_str()));
    }
    let mut workloads = Vec::new();
    for definition in definitions {
        eprintln!("{}", definition.name);
        workloads.push(workload(definition, &library, &mut participants)?);
    }
    eprintln!("memory");
    let memory = weigh(&library, &mut participants);
    eprintln!("start");
    let start = options.comity.as_deref().map(|comity| start::measure(comity, scale.starts)).transpose()?;
    eprintln!("agreement");
    let examined = examine(&library, &mut participants, scale.examination_cap());
    let versions = participants.iter().map(|one| Version { name: one.name().into(), version: one.version().into() });
    let results = Results {
        machine: describe(&library, options.quick),
        participants: versions.collect(),
        skipped,
        examined,
        workloads,
        memory,
        start,
    };
    report::write(&results, &options.out, options.page.as_deref().map(Path::new))?;
    Ok(true)
}

fn invite() -> (Vec<Box<dyn Participant>>, Vec<Skipped>) {
    let (mut participants, mut skipped) = (Vec::new(), Vec::new());
    for invited in participants::all() {
        match invited {
            Ok(participant) => participants.push(participant),
            Err(absent) => {
                eprintln!("skipped: {}: {}", absent.name, absent.why);
                skipped.push(absent);
            }
        }
    }
    (participants, skipped)
}

fn workload(definition: Definition, library: &Library, participants: &mut [Box<dyn Participant>]) -> Result<Workload> {
    let mut points = Vec::new();
    let mut late = Vec::new();
    let mut limits = participants::limits();
    limits.retain(|limit| definition.limits.iter().any(|name| name == limit.name()));
    ensure!(limits.len() == definition.limits.len(), "{} names a limit that is none", definition.name);
    for (index, point) in library.make(&definition.work)?.into_iter().enumerate() {
        // On a curve, a participant that is too slow at one point would be slower at the next. Other points are
        // independent.
        if point.x.is_none() {
            late.clear();
        }
        points.push(rounds::measure(&definition, index, &point, participants, &mut limits, &mut late, &library.scale));
    }
    Ok(Workload { definition, points })
}

fn weigh(library: &Library, participants: &mut [Box<dyn Participant>]) -> Vec<Weighed> {
    let mut weighed = Vec::new();
    let (whole, alone) = (library.every_file(), library.rules_alone());
    for one in participants {
        if let (Some(footprint), Some(rules_alone)) = (one.footprint(&whole), one.footprint(&alone)) {
            weighed.push(Weighed { participant: one.name().into(), footprint, rules_alone });
        }
    }
    weighed
}

/// Checks all recorded questions with all participants, file by file, until the time of each participant is up.
fn examine(library: &Library, participants: &mut [Box<dyn Participant>], cap: Duration) -> Vec<Examined> {
    let files = library.examination();
    let examine = |one: &mut Box<dyn Participant>| {
        let (mut agreement, mut left) = (Agreement::default(), Some(cap));
        for cases in &files {
            let Some(cap) = left else { break };
            let answers = one.verify(Model::Decide, cases, cap);
            agreement = agreement.and(&Agreement::of(cases, &answers));
            left = if answers.in_time { cap.checked_sub(answers.took) } else { None };
        }
        Examined { participant: one.name().into(), agreement, finished: left.is_some() }
    };
    participants.iter_mut().map(examine).collect()
}

fn describe(library: &Library, quick: bool) -> Machine {
    let reference = if library.recorded.is_empty() {
        "comity's dialect GOOGLE_PARSER (no recorded answers are there)"
    } else {
        "recorded answers of Google's parser where there are any, else comity's dialect GOOGLE_PARSER"
    };
    Machine {
        cpu: machine::cpu(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        compiler: machine::compiler(),
        work: library.origin.clone(),
        reference: reference.into(),
        quick,
    }
}

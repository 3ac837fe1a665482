//! A benchmark of columns: the kernel beside the engine without Arrow, and the command on Parquet files and archives.
//!
//! ```text
//! comity-bench-columns --comity PATH --files DIR --report FILE
//! ```
//!
//! Each round measures all forms one after another, in time of the processor, so that a disturbance of the machine affects
//! all alike. The tables have the medians; ratios are medians of the ratios within a round. The benchmark fails if a figure
//! misses its target. It leaves the Parquet files in the folder, for `compare.py`, which adds the engines of others to the
//! report.

mod command;
mod kernel;
mod rows;

use std::path::Path;

use anyhow::{Result, bail, ensure};
use rustix::time::{ClockId, clock_gettime};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [comity, files, report] = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--comity", comity, "--files", files, "--report", report] => [comity, files, report].map(Path::new),
        _ => bail!("expected --comity PATH --files DIR --report FILE, found `{}`", arguments.join(" ")),
    };
    std::fs::create_dir_all(files)?;
    let data = rows::Data::load()?;
    let mut text = format!(
        "# Columns\n\nQuestions about {} {} files, with a line and a reason for each. Rates in a second of the processor do \
         not depend on the number of processors; this machine has {}, and its load before was {}.\n\n`cargo xtask bench --columns` measures again.\n\n",
        data.bodies.len(),
        if data.is_real { "real" } else { "generated" },
        std::thread::available_parallelism()?,
        std::fs::read_to_string("/proc/loadavg")?.split(' ').next().unwrap_or_default(),
    );
    let mut missed = kernel::measure(&data, &mut text)?;
    missed.extend(command::measure(&data, comity, files, &mut text)?);
    print!("{text}");
    std::fs::write(report, text)?;
    ensure!(missed.is_empty(), "{}", missed.join("\n"));
    Ok(())
}

/// Returns the time that this process has used, in seconds of the processor.
pub(crate) fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the time that programs have used that this process has run, in seconds of the processor.
pub(crate) fn processor_time_of_children() -> Result<f64> {
    /// The ticks in a second, and the fields of `cutime` and `cstime` after the name of the program (proc(5)).
    const TICKS: f64 = 100.0;
    const FIELDS: [usize; 2] = [13, 14];
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<_> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let mut ticks = 0.0;
    for field in FIELDS {
        ticks += fields[field].parse::<f64>()?;
    }
    Ok(ticks / TICKS)
}

/// Returns the median.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

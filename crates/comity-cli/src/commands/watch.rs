//! `comity watch`: reports changes in the meaning of sites' robots.txt files.

mod print;
mod setup;

use std::time::{Duration, SystemTime};

use anyhow::Result;
use comity_fetch::Time;
use comity_watch::{Outbox, WatchSummary, other_watcher};

use self::print::Printed;
pub(crate) use self::setup::Setup;
use crate::args::{self, Format};
use crate::commands::serve::log;
use crate::input::live;
use crate::outcome::Outcome;

/// The interval at which a running watcher prints new alerts.
const PRINT_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &args::Watch) -> Result<Outcome> {
    let setup = Setup::new(args.config.as_deref(), args.crawlers.as_deref(), &args.live)?;
    log::start(args.log, Format::Human)?;
    let runtime = live::runtime()?;
    let ended = runtime.block_on(async {
        let (client, mut watcher) = setup.watcher(&args.live, &args.cache).await?;
        let outbox = watcher.outbox().clone();
        warn_of_other(&outbox).await?;
        if !args.once {
            let watching = watcher.run(setup.deliveries, None);
            let printing = async {
                loop {
                    Printed::new(&outbox).await?;
                    tokio::time::sleep(PRINT_INTERVAL).await;
                }
            };
            return tokio::select! {
                () = watching => Ok(Outcome::Yes),
                failed = printing => failed,
                ended = tokio::signal::ctrl_c() => Ok(ended.map(|()| Outcome::Yes)?),
            };
        }
        let summary = watcher.once().await?;
        for delivery in &setup.deliveries {
            if let Err(error) = delivery.run(&outbox, &client).await {
                eprintln!("warning: {}: {error}; the alerts are kept, and the next run tries again", delivery.name());
            }
        }
        let printed = Printed::new(&outbox).await?;
        print::summary(&summary, &printed)?;
        Ok(outcome(&summary, &printed))
    });
    runtime.shutdown_background();
    ended
}

fn outcome(summary: &WatchSummary, printed: &Printed) -> Outcome {
    if let Some(problem) = &summary.problem {
        eprintln!("error: some sites could not be watched: {problem}");
        return Outcome::Trouble;
    }
    if printed.alerts > 0 { Outcome::No } else { Outcome::Yes }
}

/// Says on standard error that a service watches with the same store.
async fn warn_of_other(outbox: &Outbox) -> Result<()> {
    match other_watcher(outbox, Time::from(SystemTime::now())).await?.as_deref() {
        None => {}
        Some("") => eprintln!("Another `comity watch` uses this cache at the moment."),
        Some(url) => eprintln!("A service watches with this cache: {url}/v1/watch shows its state."),
    }
    Ok(())
}

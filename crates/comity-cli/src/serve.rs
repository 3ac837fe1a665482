//! `comity serve`: the service.

use std::io::{self, Write};

use anyhow::{Context, Result};
use comity_server::Server;

use crate::args::live::{Cache, Keeping};
use crate::{Outcome, args, asker, live};

pub(crate) fn run(args: &args::Serve) -> Result<Outcome> {
    let table = asker::table(args.crawlers.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.context("the network could not be set up")?.block_on(async {
        let keeping = Keeping {
            cache: Cache { dir: args.cache.clone() },
            no_cache: args.cache.is_none(),
            revalidate: args.revalidate,
        };
        // Nobody typed a URL here, so no site is trusted: only public addresses are connected to.
        let client = live::client(&args.live, &keeping, &args.dialect.dialect, std::iter::empty())?;
        let client = client.offline(args.offline).build()?;
        let server = Server::builder(client).crawlers(table).bind(args.listen).await;
        let server = server.with_context(|| format!("{} can't be listened on", args.listen))?;
        let mut out = io::stdout().lock();
        writeln!(out, "Listening on {}", server.url())?;
        out.flush()?;
        server.run().await;
        Ok(Outcome::Yes)
    })
}

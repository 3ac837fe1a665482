//! The number of instructions of an answer from memory, with and without a store, by callgrind.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use comity::Crawler;
use comity_fetch::Client;
use comity_store_postgres::PostgresStore;
use comity_testserver::{HttpServer, Postgres};
use tokio::runtime::Runtime;

use crate::callgrind;

const ORIGINS: usize = 100;
const ANSWERS: usize = 10_000;
/// The function whose instructions are counted.
const COUNTED: &str = "*answers_from_memory*";

/// Returns the number of instructions of an answer, without a store and with one.
pub(crate) fn count(web: &HttpServer, server: &Postgres) -> Result<[f64; 2]> {
    let program = std::env::current_exe()?.display().to_string();
    let without = vec![program, "answers".to_owned(), web.addr().to_string()];
    let mut with = without.clone();
    with.push(format!("{}?schema=instructions", server.url()));
    let counts = [without, with].map(|words| callgrind::instructions_in(COUNTED, &words));
    let [without, with] = counts.map(|count| count.map(|count| count as f64 / ANSWERS as f64));
    let counts = [without?, with?];
    ensure!(counts.iter().all(|count| *count > 100.0), "callgrind has not counted the answers: {counts:?}");
    Ok(counts)
}

/// Fetches the files of all origins, then answers questions from memory.
pub(crate) fn run(web: &str, store: Option<&str>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut builder = crate::builder(web.parse().context("the address of the web server")?);
    if let Some(store) = store {
        builder = builder.store(Arc::new(PostgresStore::new(store.parse()?)?));
    }
    // Connections have tasks.
    let client = runtime.block_on(async { builder.build() })?;
    let urls: Vec<String> = (0..ORIGINS).map(|number| format!("http://site{number}.test/private/x")).collect();
    runtime.block_on(ask(&client, &urls, ORIGINS))?;
    // The rules of a file are compiled for its third question.
    runtime.block_on(ask(&client, &urls, 3 * ORIGINS))?;
    answers_from_memory(&runtime, &client, &urls)?;
    let stats = client.stats();
    ensure!(stats.requests_total == ORIGINS as u64 && stats.store_errors_total == 0, "{stats:?}");
    Ok(())
}

#[inline(never)]
fn answers_from_memory(runtime: &Runtime, client: &Client, urls: &[String]) -> Result<()> {
    runtime.block_on(ask(client, urls, ANSWERS))
}

async fn ask(client: &Client, urls: &[String], questions: usize) -> Result<()> {
    for url in urls.iter().cycle().take(questions) {
        ensure!(client.check(&Crawler::ANY, url).await?.is_disallowed(), "expected a disallowed URL");
    }
    Ok(())
}

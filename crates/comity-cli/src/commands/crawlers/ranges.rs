//! `comity crawlers --fetch-ranges`: the operators' lists of addresses, as files for `comity audit`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use comity::{Crawler, Crawlers, Dialect};
use comity_audit::RangeList;
use comity_fetch::{Visit, Visitor};

use crate::args::live::{Cache, CacheOptions, Live};
use crate::input::{file, live};
use crate::outcome::Outcome;
use crate::render::waiting::Waiting;
use crate::render::words::count;

/// The product token under which the lists are fetched.
const TOKEN: &str = "comity";
/// The maximum size of a list in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Fetches all lists of the table. A list that can't be fetched is reported, and its file stays as it is.
pub(super) fn fetch(folder: &Path, table: &Crawlers, options: &Live) -> Result<Outcome> {
    let urls: BTreeSet<&str> = table.iter().flat_map(|row| row.verification.ranges.iter().map(AsRef::as_ref)).collect();
    fs::create_dir_all(folder).with_context(|| format!("{} could not be created", file::name(folder)))?;
    let runtime = live::runtime()?;
    let _inside = runtime.enter();
    let cache = Cache { dir: None, store: None, waits: false };
    let keeping = CacheOptions { cache, no_cache: true, revalidate: false };
    let client = live::client(options, &keeping, &Dialect::STANDARD, [].iter())?.build()?;
    let visitor = Visitor::new(client, Crawler::token(TOKEN)?).max_bytes(MAX_BYTES);
    let mut failed = 0;
    for url in &urls {
        let fetched = runtime.block_on(async {
            let _line = Waiting::for_site(url);
            list(&visitor, url).await
        });
        match fetched.and_then(|text| write(&folder.join(name(url)), &text)) {
            Ok(()) => {}
            Err(error) => {
                failed += 1;
                eprintln!("warning: https://{url}: {}", crate::render::style::safe(&format!("{error:#}")));
            }
        }
    }
    runtime.shutdown_timeout(Duration::from_secs(1));
    let fetched = urls.len() - failed;
    writeln!(anstream::stdout(), "{} written to {}, {failed} failed.", count(fetched, "list"), file::name(folder))?;
    Ok(if failed == 0 { Outcome::Yes } else { Outcome::Trouble })
}

async fn list(visitor: &Visitor, url: &str) -> Result<String> {
    let page = match visitor.visit(&format!("https://{url}")).await? {
        Visit::Page(page) => page.response,
        Visit::Forbidden { url, decision, .. } => bail!("robots.txt does not allow {url}: {decision}"),
        Visit::Later { wait, .. } => bail!("the site asks to come back in {} s", wait.as_secs()),
        _ => bail!("it could not be fetched"),
    };
    if page.status != 200 {
        bail!("expected the list, {} answered {}", page.url, page.status);
    }
    let text =
        std::str::from_utf8(&page.body).map_err(|_| anyhow!("expected a list, found bytes that are not UTF-8"))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Ok(RangeList::document(text, url, i64::try_from(now)?)?)
}

/// Writes a file in one step: another process may read it.
fn write(path: &Path, text: &str) -> Result<()> {
    let temporary = path.with_extension("new");
    fs::write(&temporary, text)
        .and_then(|()| fs::rename(&temporary, path))
        .with_context(|| format!("{} could not be written", file::name(path)))
}

/// Returns the name of the file of a list: its URL, with `_` in place of slashes.
fn name(url: &str) -> String {
    let name: String = url
        .trim_end_matches('/')
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' })
        .collect();
    format!("{}.json", name.trim_end_matches(".json").trim_start_matches('.'))
}

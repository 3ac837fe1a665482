//! A watcher from its configuration.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use comity::{Crawlers, Dialect, Escaped, Origin, Robots};
use comity_fetch::{Client, Clock};
use comity_report::looks_like;
use comity_watch::{Address, Delivery, Expected, Judge, Receiver, SiteGroup, WatchConfig, WatchedSites, Watcher};

use crate::args::live::{Cache, CacheOptions, Live};
use crate::input::config::Config;
use crate::input::{crawlers, file, live, sitemap, source};

/// The number of sites from which the watcher has to name itself.
const MUST_NAME_ITSELF: usize = 1000;
/// The memory for files. A watcher reads each file once per look.
const MEMORY: u64 = 16 << 20;

/// The settings of a configuration.
pub(crate) struct Setup {
    crawlers: Crawlers,
    config: WatchConfig,
    groups: Vec<SiteGroup>,
    sites: Vec<(Origin, u32)>,
    /// The receivers of alerts.
    pub(crate) deliveries: Vec<Delivery>,
}

impl Setup {
    /// Reads the configuration, and the files that it names.
    pub(crate) fn new(config: Option<&Path>, own: Option<&Path>, live: &Live) -> Result<Self> {
        let (config, folder) = Config::find(config)?.into_watch()?;
        let mut setup = Self {
            crawlers: crawlers::table(own)?,
            groups: Vec::new(),
            sites: Vec::new(),
            deliveries: Vec::new(),
            config,
        };
        setup.sites = sites(&setup.config.site, &folder)?;
        let groups = setup.config.site.iter().map(|entry| group(&setup.config, entry, &folder));
        setup.groups = groups.collect::<Result<_>>()?;
        if setup.sites.is_empty() {
            bail!("expected [[watch.site]] with `origins` or `list`, found no site to watch");
        }
        if setup.sites.len() >= MUST_NAME_ITSELF && live.user_agent.is_none() {
            bail!(
                "expected --user-agent with a name and a contact address, since {} sites are watched, found none",
                setup.sites.len()
            );
        }
        setup.deliveries = setup.config.to.iter().map(|receiver| delivery(receiver, &folder)).collect::<Result<_>>()?;
        Ok(setup)
    }

    /// Creates the watcher, and the client that it uses.
    pub(crate) async fn watcher(&self, live: &Live, cache: &Cache) -> Result<(Client, Watcher)> {
        let cache = Cache { dir: cache.dir.clone(), store: cache.store.clone(), waits: false };
        let keeping = CacheOptions { cache, no_cache: false, revalidate: true };
        // The sites and receivers in the configuration were typed by the user; those in lists may come from anywhere.
        let typed = self.config.site.iter().flat_map(|sites| sites.origins.iter().chain(&sites.staging));
        let mut builder = live::client(live, &keeping, &Dialect::STANDARD, typed)?.memory(MEMORY);
        for receiver in &self.config.to {
            if let Address::Webhook(url) = &receiver.to {
                builder = builder.trust(url);
            }
        }
        let client = builder.build()?;
        let mut judge = Judge::new(self.crawlers.clone(), *client.policy());
        judge.after = self.config.after.unwrap_or(judge.after);
        let watcher =
            Watcher::new(client.clone(), judge, self.groups.clone(), self.sites.clone(), Clock::system()).await?;
        Ok((client, watcher))
    }
}

/// Returns each site once, with the index of its entry, whose options apply to it. One that `origins` names is not taken
/// from a `list`. Of two entries that both name or both list it, none is better, so that is an error.
fn sites(entries: &[WatchedSites], folder: &Path) -> Result<Vec<(Origin, u32)>> {
    let mut sites = Vec::new();
    let mut known = HashMap::new();
    for key in ["origins", "list"] {
        for (number, entry) in (0_u32..).zip(entries) {
            let origins = match &entry.list {
                _ if key == "origins" => entry.origins.clone(),
                Some(list) => listed(&folder.join(list))?,
                None => Vec::new(),
            };
            for origin in origins {
                match known.get(&origin) {
                    None => {
                        known.insert(origin.clone(), (key, number));
                        sites.push((origin, number));
                    }
                    Some(&(other, first)) if other == key && first != number => bail!(
                        "expected {origin} in `{key}` of one [[watch.site]], found it in number {} and number {}, whose \
                         options may differ: remove it from one, or name it only in the `origins` of one, which go \
                         before each `list`",
                        first + 1,
                        number + 1
                    ),
                    Some(_) => {}
                }
            }
        }
    }
    Ok(sites)
}

fn group(config: &WatchConfig, sites: &WatchedSites, folder: &Path) -> Result<SiteGroup> {
    let mut known = Vec::new();
    for path in &sites.known {
        known.extend(sitemap::list(&folder.join(path))?);
    }
    let expected = sites.expected.as_ref().map(|text| {
        let (name, folder) = (text.clone(), folder.to_owned());
        let read = move || expected(&folder, &name).map_err(|error| format!("{error:#}"));
        Expected { name: text.clone(), read: Arc::new(read) }
    });
    if let Some(expected) = &expected {
        (expected.read)().map_err(anyhow::Error::msg).context("`expected`")?;
    }
    Ok(SiteGroup { every: sites.every.or(config.every), expected, known: known.into(), staging: sites.staging.clone() })
}

/// Reads an expected file. One that looks like something else has no rules, so a site that lost its own would not differ.
fn expected(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let body = source::local(folder, name)?;
    if let Some(kind) = looks_like(&Robots::parse(&body), &body) {
        bail!("{} is {kind}, expected a robots.txt", Escaped(name.as_bytes()));
    }
    Ok(body)
}

/// Returns the sites of a list.
fn listed(path: &Path) -> Result<Vec<Origin>> {
    let urls = sitemap::list(path)?;
    let origin = |url: &String| Origin::of(url).with_context(|| format!("{}: `{url}`", file::name(path)));
    urls.iter().map(origin).collect()
}

fn delivery(receiver: &Receiver, folder: &Path) -> Result<Delivery> {
    let mut receiver = receiver.clone();
    let secret = receiver.secret_file.as_ref().map(|path| secret(&folder.join(path))).transpose()?;
    if let Address::Jsonl(path) = &mut receiver.to {
        *path = folder.join(&path);
    }
    Ok(Delivery::new(receiver, secret))
}

/// Reads the first line of a file.
fn secret(path: &Path) -> Result<Vec<u8>> {
    let bytes = file::read(path)?;
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    if line.is_empty() {
        bail!("{}: expected a secret in the first line, found nothing", file::name(path));
    }
    Ok(line.to_vec())
}

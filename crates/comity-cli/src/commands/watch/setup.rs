//! A watcher from its configuration.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use comity::{Crawlers, Dialect, Origin};
use comity_fetch::{Client, Clock};
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
        let mut known = HashSet::new();
        for sites in &setup.config.site {
            let number = u32::try_from(setup.groups.len())?;
            let mut origins = sites.origins.clone();
            if let Some(list) = &sites.list {
                origins.extend(listed(&folder.join(list))?);
            }
            setup.sites.extend(
                origins.into_iter().filter(|origin| known.insert(origin.clone())).map(|origin| (origin, number)),
            );
            setup.groups.push(group(&setup.config, sites, &folder)?);
        }
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

fn group(config: &WatchConfig, sites: &WatchedSites, folder: &Path) -> Result<SiteGroup> {
    let mut known = Vec::new();
    for path in &sites.known {
        known.extend(sitemap::list(&folder.join(path))?);
    }
    let expected = sites.expected.as_ref().map(|text| {
        let (name, folder) = (text.clone(), folder.to_owned());
        let read = move || source::local(&folder, &name).map_err(|error| format!("{error:#}"));
        Expected { name: text.clone(), read: Arc::new(read) }
    });
    if let Some(expected) = &expected {
        (expected.read)().map_err(anyhow::Error::msg).context("`expected`")?;
    }
    Ok(SiteGroup { every: sites.every.or(config.every), expected, known: known.into(), staging: sites.staging.clone() })
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

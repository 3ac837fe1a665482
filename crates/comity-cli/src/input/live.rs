//! Live sites: the client that the options configure, and the cache.

use std::error::Error as _;
#[cfg(unix)]
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use comity::url::without_userinfo;
use comity::{Dialect, Escaped, Origin};
use comity_fetch::store::{Archive, MemoryStore, SqliteStore, Store};
use comity_fetch::{
    Access, CheckError, Client, ClientBuilder, Event, Failure, FetchedPage, Overrides, PageRequest, SiteRobots,
    SystemResolver,
};
use tokio::runtime::Runtime;
use url::Url;

use crate::args::live::{Cache, CacheOptions, Fetching, Live};
use crate::input::database::{self, WhenDown};
use crate::input::file;
use crate::render::provenance;
use crate::render::waiting::Waiting;

/// The default `User-Agent`. It names the program, not its user; those who send many requests name themselves with
/// `--user-agent`.
pub(crate) const USER_AGENT: &str = concat!("comity/", env!("CARGO_PKG_VERSION"));

/// Creates the runtime for fetches. It is created only if something may be fetched.
pub(crate) fn runtime() -> Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.context("the network could not be set up")
}

/// Returns a client builder, configured by the options. The client may connect to the sites in `typed` at any address,
/// because the user named them.
pub(crate) fn client<'o>(
    live: &Live,
    keeping: &CacheOptions,
    dialect: &Dialect,
    typed: impl Iterator<Item = &'o Origin>,
) -> Result<ClientBuilder> {
    let user_agent = live.user_agent.as_deref().unwrap_or(USER_AGENT);
    let mut builder = Client::builder(user_agent)
        .policy(live.policy)
        .dialect(*dialect)
        .revalidates(keeping.revalidate)
        .probes(live.probe);
    if !live.resolve.is_empty() {
        let mut overrides = Overrides::new(Arc::new(SystemResolver::default()));
        for given in &live.resolve {
            overrides.add(given).context("--resolve")?;
        }
        builder = builder.resolver(Arc::new(overrides));
    }
    if let Some(addresses) = &live.addresses {
        builder = builder.addresses(addresses.clone());
    }
    for origin in typed {
        if let Ok(url) = Url::parse(origin.as_str()) {
            builder = builder.trust(&url);
        }
    }
    if let Some(timeout) = live.timeout {
        builder = builder.timeout(timeout);
    }
    if let Some(proxy) = &live.proxy {
        builder = builder.proxy(proxy.parse().context("--proxy")?);
    }
    if let Some(path) = &live.ca_file {
        builder = builder.extra_roots(file::read(path)?);
    }
    if !keeping.no_cache {
        let when_down = if keeping.cache.waits { WhenDown::Wait } else { WhenDown::FetchAnyway };
        builder = builder.store(open(&keeping.cache, when_down)?);
    }
    Ok(builder)
}

/// A client for commands that usually read files.
pub(crate) struct Fetcher {
    runtime: Runtime,
    client: Client,
}

impl Fetcher {
    /// Creates a fetcher that may connect to the sites of these URLs at any address, because the user named them.
    pub(crate) fn new(fetching: &Fetching, dialect: &Dialect, typed: &[&str]) -> Result<Self> {
        if let Some((url, local)) = typed.iter().find_map(|url| Some((url, url.strip_prefix("file://")?))) {
            let (url, local) = (Escaped(url.as_bytes()), Escaped(local.as_bytes()));
            bail!("expected a path or the URL of a site, found `{url}`; write the path: {local}");
        }
        let origins: Vec<Origin> = typed.iter().filter_map(|url| Origin::of(url).ok()).collect();
        let runtime = runtime()?;
        let client = {
            let _inside = runtime.enter();
            client(&fetching.live, &fetching.keeping, dialect, origins.iter())?.build()?
        };
        Ok(Self { runtime, client })
    }

    /// Returns the robots.txt of a site.
    pub(crate) fn site(&self, url: &str) -> Result<SiteRobots, CheckError> {
        self.runtime.block_on(async {
            let _line = Waiting::for_site(&without_userinfo(url));
            self.client.robots(url).await
        })
    }

    /// Asks the part of the store that keeps history.
    pub(crate) fn in_store<T>(&self, ask: impl AsyncFnOnce(&dyn Archive) -> Result<T>) -> Result<T> {
        let store = self.client.store().context("nothing is stored")?;
        self.runtime.block_on(ask(archive(&**store)?))
    }

    /// Fetches the robots.txt of a URL's site, and returns its URL and its bytes. A file that does not exist is empty.
    /// A file that could not be fetched is an error, whatever the policy does in that case.
    pub(crate) fn read_robots(&self, url: &str) -> Result<(String, Vec<u8>)> {
        file_of(&self.site(url)?)
    }

    /// Returns the same as [`read_robots`](Self::read_robots), and warns of a file whose answers may mislead.
    pub(crate) fn robots(&self, url: &str) -> Result<(String, Vec<u8>)> {
        self.read_robots(url).map(file::warned)
    }

    /// Returns the same as [`read_robots`](Self::read_robots), and the status of a site that sent another response than a
    /// file. Then the bytes are empty.
    pub(crate) fn robots_or_status(&self, url: &str) -> Result<(String, Vec<u8>, Option<u16>)> {
        let site = self.site(url)?;
        if let Event::Status(status) | Event::ErrorForMissing(status) = site.ruling().event
            && !(200..=299).contains(&status)
        {
            return Ok((site.origin().robots_url(), Vec::new(), Some(status)));
        }
        file_of(&site).map(|(name, body)| (name, body, None))
    }

    /// Fetches a URL, whatever the status of the response, and returns at most `max_bytes` of the body.
    pub(crate) fn get(&self, url: &str, max_bytes: usize) -> Result<FetchedPage> {
        self.get_chosen_by(None, url, max_bytes)
    }

    /// Fetches a URL that this site chose, or the user if there is no site. Otherwise like [`get`](Self::get).
    pub(crate) fn get_chosen_by(&self, site: Option<&Origin>, url: &str, max_bytes: usize) -> Result<FetchedPage> {
        let mut url =
            Url::parse(url).with_context(|| format!("`{}` is not a URL", Escaped(without_userinfo(url).as_bytes())))?;
        // User name and password would not be sent, and must not be printed. Setting them fails only for URLs without a
        // host, which have none.
        let _ = (url.set_username(""), url.set_password(None));
        let page = self.runtime.block_on(async {
            let _line = Waiting::for_site(url.as_str());
            let mut request = PageRequest::new(url.clone()).max_bytes(max_bytes);
            if let Some(site) = site {
                request = request.chosen_by(site.clone());
            }
            self.client.get_without_robots(&request).await
        });
        page.map_err(|error| match error.source() {
            // The error itself names the options of the library.
            Some(detail) if error.failure() == Failure::Refused => {
                anyhow!("{url} was not fetched ({detail}): {}", provenance::REFUSED_BY_ADDRESS_RULES)
            }
            _ => error.into(),
        })
    }

    /// Fetches a page or a sitemap, and returns at most `max_bytes` of it. Any status but success is an error.
    pub(crate) fn page(&self, url: &str, max_bytes: usize) -> Result<FetchedPage> {
        let page = self.get(url, max_bytes)?;
        if !(200..=299).contains(&page.status) {
            bail!("expected a page, {} answered {}", page.url, page.status);
        }
        Ok(page)
    }
}

/// Returns the URL and the bytes of a site's robots.txt. A file that does not exist is empty. A file that could not be
/// fetched is an error.
fn file_of(site: &SiteRobots) -> Result<(String, Vec<u8>)> {
    let ruling = site.ruling();
    let robots_txt = site.origin().robots_url();
    if comity_report::is_refused(site) {
        let detail = site.attempt().and_then(|attempt| attempt.detail.as_ref());
        let detail = detail.map(|detail| format!(" ({})", Escaped(detail.as_bytes()))).unwrap_or_default();
        bail!("{robots_txt} was not fetched{detail}: {}", provenance::REFUSED_BY_ADDRESS_RULES);
    }
    match (ruling.access, ruling.rung, site.copy()) {
        (Access::Rules, None, Some(copy)) => Ok((Escaped(copy.url.as_bytes()).to_string(), copy.body.to_vec())),
        (Access::AllowAll, None, _) => {
            eprintln!("{robots_txt} {}: treated as empty.", ruling.event);
            Ok((robots_txt, Vec::new()))
        }
        _ => bail!("{robots_txt} {}: `comity fetch {}` shows more", ruling.event, site.origin()),
    }
}

/// Reads a robots.txt from a file, or fetches it if a URL is given in place of a path. Returns its name and its bytes.
pub(crate) fn read_robots(path: &Path, fetching: &Fetching, dialect: &Dialect) -> Result<(String, Vec<u8>)> {
    match path.to_str().filter(|_| is_url(path)) {
        Some(url) => Fetcher::new(fetching, dialect, &[url])?.read_robots(url),
        None => Ok((file::name(path), file::read_robots(path, dialect)?)),
    }
}

/// Returns the same as [`read_robots`], and warns of a file whose answers may mislead.
pub(crate) fn robots(path: &Path, fetching: &Fetching, dialect: &Dialect) -> Result<(String, Vec<u8>)> {
    read_robots(path, fetching, dialect).map(file::warned)
}

/// Returns true if a URL is given in place of a path.
pub(crate) fn is_url(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains("://"))
}

/// Opens the store, and creates it if it does not exist.
pub(crate) fn open(cache: &Cache, when_down: WhenDown) -> Result<Arc<dyn Store>> {
    match &cache.store {
        Some(address) => database::open(address, when_down),
        None => Ok(Arc::new(open_in(&directory(cache)?)?)),
    }
}

/// Opens the store if it exists; otherwise returns an empty one in memory, for commands that only read.
pub(crate) fn open_existing(cache: &Cache) -> Result<Arc<dyn Store>> {
    if let Some(address) = &cache.store {
        return database::open(address, WhenDown::Fail);
    }
    let directory = directory(cache)?;
    if !SqliteStore::is_in(&directory) {
        return Ok(Arc::new(MemoryStore::new(0)));
    }
    Ok(Arc::new(open_in(&directory)?))
}

/// Returns the part of a store that lists, exports and keeps history.
pub(crate) fn archive(store: &dyn Store) -> Result<&dyn Archive> {
    store.archive().context("this cache cannot be listed")
}

fn open_in(directory: &Path) -> Result<SqliteStore> {
    let store = SqliteStore::open(directory)?;
    #[cfg(unix)]
    warn_of_group(directory, store.path());
    Ok(store)
}

/// Warns if the users of a group can write to the cache. That may be intended.
#[cfg(unix)]
fn warn_of_group(directory: &Path, file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    const GROUP_MAY_WRITE: u32 = 0o020;
    let is_open =
        |path: &&Path| fs::metadata(path).is_ok_and(|found| found.permissions().mode() & GROUP_MAY_WRITE != 0);
    if let Some(path) = [directory, file].iter().find(|path| is_open(path)) {
        let shown = file::name(path);
        eprintln!(
            "warning: all users of the group of {shown} can change its files, and so the answers: run `chmod g-w` on it"
        );
    }
}

fn directory(cache: &Cache) -> Result<PathBuf> {
    match &cache.dir {
        Some(dir) => Ok(dir.clone()),
        None => default_dir(),
    }
}

/// Returns the folder for comity in the user's cache folder, as the system defines it.
fn default_dir() -> Result<PathBuf> {
    use etcetera::BaseStrategy;
    let dirs = etcetera::choose_base_strategy();
    let dirs = dirs.map_err(|_| anyhow!("found no home folder: name a folder with --cache DIR, or use --no-cache"))?;
    Ok(dirs.cache_dir().join("comity"))
}

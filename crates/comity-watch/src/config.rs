//! The configuration: `[watch]` of `comity.toml`.

use std::path::PathBuf;
use std::time::Duration;

use comity::Origin;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use url::Url;

use crate::alert::AlertKind;
use crate::schedule::MIN_EVERY;

/// The section `[watch]` of `comity.toml`. Unknown keys are errors.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct WatchConfig {
    /// The time between two looks at a site, such as `1h`. Defaults to 24 hours, or longer if the site's `max-age` says so.
    #[serde(default, deserialize_with = "every")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub every: Option<Duration>,
    /// The time for which a site must be unreachable before that is reported. Defaults to 30 minutes.
    #[serde(default, deserialize_with = "span")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub after: Option<Duration>,
    /// The sites.
    #[serde(default)]
    pub site: Vec<WatchedSites>,
    /// The receivers of alerts.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<RawReceiver>"))]
    pub to: Vec<Receiver>,
}

/// Sites with the same options: `origins`, `list`, or both.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WatchedSites"))]
#[serde(deny_unknown_fields, remote = "Self")]
#[non_exhaustive]
pub struct WatchedSites {
    /// The sites, such as `https://shop.example`.
    #[serde(default, deserialize_with = "origins")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub origins: Vec<Origin>,
    /// A file with more sites, one per line.
    pub list: Option<PathBuf>,
    /// The time between two looks, such as `5m`. Defaults to that of all sites.
    #[serde(default, deserialize_with = "every")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub every: Option<Duration>,
    /// The file that the sites should have: a path, or `REVISION:FILE` of git.
    pub expected: Option<String>,
    /// Lists, tables and sitemaps with URLs of the sites.
    #[serde(default)]
    pub known: Vec<PathBuf>,
    /// Sites whose files must not be those of the watched ones.
    #[serde(default, deserialize_with = "origins")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub staging: Vec<Origin>,
}

/// A receiver of alerts: a webhook or a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", try_from = "RawReceiver")]
#[non_exhaustive]
pub struct Receiver {
    /// The address or the file.
    pub to: Address,
    /// A file whose first line is the secret of the signature.
    pub secret_file: Option<PathBuf>,
    /// The kinds of alerts. Defaults to all but `text`.
    pub only: Option<Vec<AlertKind>>,
}

impl Receiver {
    /// Returns true if the receiver gets alerts of a kind.
    pub fn gets(&self, kind: AlertKind) -> bool {
        self.only.as_ref().map_or(kind != AlertKind::Text, |kinds| kinds.contains(&kind))
    }
}

/// The address of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "other receivers are reached by a webhook")]
pub enum Address {
    /// A URL that gets each alert by `POST`.
    Webhook(Url),
    /// A file that gets each alert as a line of JSON.
    Jsonl(PathBuf),
}

/// A receiver of alerts: `webhook` or `jsonl`.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Receiver"))]
#[serde(deny_unknown_fields)]
struct RawReceiver {
    /// A URL that gets each alert by `POST`.
    webhook: Option<String>,
    /// A file that gets each alert as a line of JSON.
    jsonl: Option<PathBuf>,
    /// A file whose first line is the secret of the signature, for a webhook.
    secret_file: Option<PathBuf>,
    /// The kinds of alerts. Defaults to all but `text`.
    only: Option<Vec<AlertKind>>,
}

impl<'de> Deserialize<'de> for WatchedSites {
    /// Deserializes the fields by the derived function, and checks them.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let sites = Self::deserialize(deserializer)?;
        if sites.origins.is_empty() && sites.list.is_none() {
            return Err(D::Error::custom("expected `origins` or `list`, found neither: name the sites to watch"));
        }
        Ok(sites)
    }
}

impl TryFrom<RawReceiver> for Receiver {
    type Error = String;

    fn try_from(raw: RawReceiver) -> Result<Self, String> {
        let to = match (raw.webhook, raw.jsonl) {
            (Some(url), None) => Address::Webhook(webhook(&url)?),
            (None, Some(path)) if raw.secret_file.is_none() => Address::Jsonl(path),
            (None, Some(_)) => return Err("`secret_file` is for a `webhook`, whose requests are signed".to_owned()),
            (Some(_), Some(_)) => {
                return Err("expected `webhook` or `jsonl`, found both: write two [[watch.to]]".to_owned());
            }
            (None, None) => return Err("expected `webhook` or `jsonl`, found neither".to_owned()),
        };
        if raw.only.as_ref().is_some_and(Vec::is_empty) {
            return Err("`only`: expected kinds of alerts, found none: name some, or leave it out for all but `text`"
                .to_owned());
        }
        Ok(Self { to, secret_file: raw.secret_file, only: raw.only })
    }
}

fn origins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Origin>, D::Error> {
    let origin = |text: &String| {
        let origin = Origin::of(text).ok().filter(|origin| matches!(origin.scheme(), "http" | "https"));
        origin.ok_or_else(|| {
            let found = comity::Escaped(comity::url::without_userinfo(text).as_bytes()).to_string();
            D::Error::custom(format!("expected a site such as `https://shop.example`, found `{found}`"))
        })
    };
    Vec::<String>::deserialize(deserializer)?.iter().map(origin).collect()
}

fn webhook(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    // The address is a secret for some services, so it is in no message.
    let url = url.ok_or("`webhook`: expected a URL such as `https://hooks.example/robots`")?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("`webhook`: a user and a password are not sent; use `secret_file`".to_owned());
    }
    Ok(url)
}

/// The longest time that the configuration accepts: a longer one is a mistake, and nothing would be reported.
const MAX_SPAN: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Reads a time such as `1h` or `30m`.
fn span<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let span = humantime::parse_duration(&text).ok().filter(|span| *span <= MAX_SPAN);
    let expected = || format!("expected a time such as `5m`, `1h` or `1d`, and at most a year, found `{text}`");
    span.map(Some).ok_or_else(|| D::Error::custom(expected()))
}

/// Reads the time between looks.
fn every<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    match span(deserializer)? {
        Some(every) if every < MIN_EVERY => {
            Err(D::Error::custom("`every`: expected at least 1 minute; sites block watchers that look more often"))
        }
        every => Ok(every),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        watch: WatchConfig,
    }

    #[test]
    fn the_example_of_the_guide_is_valid() {
        let text = r#"
            [watch]
            every = "1h"
            [[watch.site]]
            origins = ["https://shop.example"]
            every = "5m"
            expected = "public/robots.txt"
            known = ["sitemap.xml"]
            staging = ["https://staging.shop.example"]
            [[watch.to]]
            webhook = "https://hooks.example/robots"
            only = ["blocked", "not-text"]
            [[watch.to]]
            jsonl = "alerts.jsonl"
        "#;
        let watch = toml::from_str::<File>(text).unwrap().watch;
        assert_eq!(watch.every, Some(Duration::from_secs(3600)));
        assert_eq!(watch.site[0].every, Some(Duration::from_secs(300)));
        let kinds: Vec<_> = AlertKind::ALL.iter().copied().filter(|kind| watch.to[0].gets(*kind)).collect();
        assert_eq!(kinds, [AlertKind::Blocked, AlertKind::NotText]);
        assert!(!watch.to[1].gets(AlertKind::Text) && watch.to[1].gets(AlertKind::Back));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, parts) in [
            ("[watch]\nevry = \"1h\"", ["line 2", "unknown field `evry`"]),
            ("[watch]\nevery = \"1 parsec\"", ["line 2", "expected a time such as `5m`"]),
            ("[watch]\nevery = \"30s\"", ["line 2", "at least 1 minute"]),
            ("[watch]\nevery = \"99999999999d\"", ["line 2", "at most a year"]),
            ("[watch]\nafter = \"367d\"", ["line 2", "at most a year"]),
            ("[watch]\n[[watch.to]]\njsonl = \"a\"\nonly = []", ["line 2", "expected kinds of alerts, found none"]),
            ("[watch]\n[[watch.site]]\nevery = \"1h\"", ["line 2", "expected `origins` or `list`"]),
            ("[watch]\n\n[[watch.site]]\norigins = [\"shop\"]", ["line 4", "found `shop`"]),
            ("[watch]\n[[watch.to]]\n", ["line 2", "found neither"]),
            ("[watch]\n[[watch.to]]\nwebhook = \"mailto:a\"", ["line 2", "expected a URL"]),
            ("[watch]\n[[watch.to]]\nwebhook = \"https://a:b@c.test/\"", ["line 2", "secret_file"]),
            ("[watch]\n[[watch.to]]\njsonl = \"a\"\nonly = [\"bloked\"]", ["line", "unknown variant `bloked`"]),
        ] {
            let error = toml::from_str::<File>(text).unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{text}\n{error}");
        }
    }
}

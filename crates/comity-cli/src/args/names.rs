//! Parsers of values that have names in other crates.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use comity::Dialect;
use comity_fetch::Policy;
use comity_report::{GeneratePreset, HeaderServer};
use comity_server::ProxyHeader;
use tracing::level_filters::LevelFilter;

pub(super) fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.iter().map(|dialect| dialect.name)).try_map(|name| name.parse())
}

pub(super) fn policies() -> impl TypedValueParser<Value = Policy> {
    PossibleValuesParser::new(Policy::ALL.iter().map(|policy| policy.name)).try_map(|name| name.parse())
}

pub(super) fn levels() -> impl TypedValueParser<Value = LevelFilter> {
    PossibleValuesParser::new(["off", "error", "warn", "info", "debug"]).try_map(|name| name.parse())
}

pub(super) fn presets() -> impl TypedValueParser<Value = GeneratePreset> {
    named(GeneratePreset::ALL.map(|preset| (preset.name(), preset)))
}

pub(super) fn header_servers() -> impl TypedValueParser<Value = HeaderServer> {
    named([("nginx", HeaderServer::Nginx), ("apache", HeaderServer::Apache), ("caddy", HeaderServer::Caddy)])
}

pub(super) fn proxy_headers() -> impl TypedValueParser<Value = ProxyHeader> {
    named([("x-forwarded-for", ProxyHeader::XForwardedFor), ("forwarded", ProxyHeader::Forwarded)])
}

/// Returns a parser of the names of some values.
fn named<V: Copy + Send + Sync + 'static, const N: usize>(
    values: [(&'static str, V); N],
) -> impl TypedValueParser<Value = V> {
    PossibleValuesParser::new(values.map(|(name, _)| name))
        .try_map(move |found| values.into_iter().find(|(name, _)| *name == found).map(|(_, value)| value).ok_or(found))
}

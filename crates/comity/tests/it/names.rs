//! One spelling of each value for `Display`, `FromStr` and `serde`.
#![cfg(all(feature = "serde", feature = "url"))]

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use comity::crawlers::DelaySupport;
use comity::{
    Answer, Basis, Crawler, Crawlers, Dialect, Encoding, Explanation, Governed, Origin, Profile, Purpose, Reason,
    Robots, RuleEffect, RuleKind, Rules, Size, UnknownName, Use, Verdict,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Every value survives `Display` and `FromStr`, and `serde`, under the name that `serde` writes.
fn round_trip<T>(all: &[T], name: fn(T) -> &'static str)
where
    T: Copy + Debug + Display + PartialEq + FromStr<Err = UnknownName> + Serialize + DeserializeOwned,
{
    assert!(!all.is_empty());
    for value in all {
        let written = serde_json::to_value(value).unwrap();
        assert_eq!(written, name(*value), "{value:?}");
        assert_eq!(serde_json::from_value::<T>(written).unwrap(), *value);
        assert_eq!(value.to_string().parse::<T>().unwrap(), *value);
        assert_eq!(name(*value).to_ascii_uppercase().parse::<T>().unwrap(), *value);
    }
    let error = "no such name".parse::<T>().unwrap_err();
    assert_eq!(error.names(), all.iter().map(|value| name(*value)).collect::<Vec<_>>());
    assert!(error.to_string().ends_with("found `no such name`"), "{error}");
}

#[test]
fn names_are_read_back() {
    macro_rules! all {
        ($($type:ty),+ $(,)?) => { $(round_trip(<$type>::ALL, <$type>::name);)+ };
    }
    all![Answer, Basis, DelaySupport, RuleEffect, Encoding, Governed, Purpose, Reason, RuleKind, Size, Use,];
    round_trip(Dialect::ALL, |dialect| dialect.name);
}

#[test]
fn errors_suggest_the_nearest_name() {
    for (typed, meant) in [("yandx", "yandex"), ("Googel", "google"), ("norobots1996", "norobots-1996")] {
        assert_eq!(typed.parse::<Dialect>().unwrap_err().nearest(), Some(meant));
    }
    assert_eq!("altavista".parse::<Dialect>().unwrap_err().nearest(), None);
    let long = "ä\u{1b}".repeat(100_000).parse::<Purpose>().unwrap_err().to_string();
    assert!(long.len() < 1_000 && !long.contains('\u{1b}'), "{long}");
}

#[test]
fn only_named_dialects_are_read_back() {
    let mut changed = Dialect::GOOGLE;
    changed.wildcards = false;
    assert!(serde_json::to_value(changed).unwrap_err().to_string().contains("found `google`"));
    changed.name = "mine";
    assert_eq!(serde_json::to_value(changed).unwrap(), "mine");
    for (json, message) in
        [("\"mine\"", "expected a dialect"), ("\"gogle\"", "did you mean `google`?"), ("7", "a string")]
    {
        let error = serde_json::from_str::<Dialect>(json).unwrap_err().to_string();
        assert!(error.contains(message), "{json}: {error}");
    }
}

#[test]
fn origins_are_read_back() {
    for text in ["https://example.com", "http://xn--mller-kva.example:8080", "ftp://[::1]", "other://host:1"] {
        let origin: Origin = text.parse().unwrap();
        assert_eq!(origin.to_string(), text);
        assert_eq!(serde_json::to_value(&origin).unwrap(), text);
        assert_eq!(serde_json::from_value::<Origin>(text.into()).unwrap(), origin);
        assert_eq!(Origin::of(&format!("{text}/a?b#c")).unwrap(), origin);
    }
    assert_eq!("https://EXAMPLE.com:443/".parse::<Origin>().unwrap().as_str(), "https://example.com");
    for more in ["a", "?", "?b", "#", "#c", "robots.txt"] {
        let error = format!("https://example.com/{more}").parse::<Origin>().unwrap_err();
        assert!(
            error.is_not_an_origin() && error.to_string().ends_with("its origin is https://example.com"),
            "{error}"
        );
    }
    let error = "https://user:s3cret@example.com".parse::<Origin>().unwrap_err();
    assert!(error.is_not_an_origin() && !error.to_string().contains("s3cret"), "{error}");
    let error = "example.com".parse::<Origin>().unwrap_err();
    assert!(error.is_not_a_url() && std::error::Error::source(&error).is_none(), "{error}");
    let error = "https://example.com:x".parse::<Origin>().unwrap_err();
    assert!(error.is_not_a_url() && std::error::Error::source(&error).is_some(), "{error}");
    assert!("mailto:a@b".parse::<Origin>().unwrap_err().is_without_host());
}

#[test]
fn files_without_text() {
    assert_eq!(Robots::default().groups().len(), 0);
    let closed = Robots::disallow_all();
    for crawler in &Crawlers::builtin() {
        let verdict = closed.check(&Crawler::from(crawler), "/any/page");
        let expected = if crawler.governed == Governed::No { Answer::NotGoverned } else { Answer::Disallowed };
        assert_eq!(verdict.answer(), expected, "{}", crawler.token);
    }
    assert!(closed.check(&Crawler::token("mybot").unwrap(), "/").is_disallowed());
    assert!(closed.check(&Crawler::ANY, "/?q").is_disallowed());
}

#[test]
fn common_traits() {
    fn value<T: Clone + Debug + PartialEq + Eq + Send + Sync + Unpin + 'static>() {}
    fn key<T: Clone + Debug + Eq + Hash + Send + Sync + Unpin + 'static>() {}
    fn shared<T: Clone + Debug + Send + Sync + Unpin>() {}
    value::<Crawlers>();
    value::<Profile>();
    value::<UnknownName>();
    value::<comity::OriginError>();
    value::<comity::Size>();
    key::<Answer>();
    key::<Basis>();
    key::<Dialect>();
    key::<RuleEffect>();
    key::<Encoding>();
    key::<Origin>();
    key::<Purpose>();
    key::<Reason>();
    key::<RuleKind>();
    key::<Size>();
    key::<Verdict>();
    shared::<Crawler<'_>>();
    shared::<Robots>();
    shared::<Rules>();
    shared::<comity::SourceText<'_>>();
    shared::<Explanation>();
}

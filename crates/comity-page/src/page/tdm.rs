//! Reservations of text and data mining by the TDM Reservation Protocol (final report of a W3C Community Group, 10 May
//! 2024), which is based on Article 4 of the EU's directive 2019/790.
//!
//! A reservation is evidence of the wish of a page's author, not a rule that this crate enforces: the law decides if it
//! is binding.

use std::fmt;

use comity::{Dialect, Escaped};

use crate::page::{Page, Part};

/// A statement on text and data mining, from one source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TdmStatement {
    /// The part of the response that contains the statement.
    pub part: Part,
    /// The line there, from 1, if the caller gave it.
    pub line: Option<u32>,
    /// The property of the protocol.
    pub property: TdmProperty,
    /// The value as written.
    pub text: String,
}

/// A property of the protocol: a field of HTTP, a name of meta tags, and a member of the rules of `tdmrep.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum TdmProperty {
    /// `tdm-reservation`: 1 if the rights are reserved, 0 if not.
    Reservation,
    /// `tdm-policy`: the URL of the terms on which the rights are available.
    Policy,
}

impl TdmProperty {
    /// Returns the property of a field or a meta tag with this name. ASCII case does not matter.
    pub fn named(name: &[u8]) -> Option<Self> {
        [Self::Reservation, Self::Policy]
            .into_iter()
            .find(|property| property.name().as_bytes().eq_ignore_ascii_case(name))
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reservation => "tdm-reservation",
            Self::Policy => "tdm-policy",
        }
    }
}

impl TdmStatement {
    /// Returns true if the statement reserves the rights, and false if it does not. Returns `None` if it is about the
    /// other property, or if its value is neither 1 nor 0 and so has no effect.
    #[must_use]
    pub fn reserves(&self) -> Option<bool> {
        match (self.property, self.text.as_str()) {
            (TdmProperty::Reservation, "1") => Some(true),
            (TdmProperty::Reservation, "0") => Some(false),
            _ => None,
        }
    }
}

impl fmt::Display for TdmStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.property.name(), Escaped(self.text.as_bytes()))
    }
}

/// The result for a page, returned by [`Page::tdm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Tdm<'p> {
    /// True if the rights to mine the text and data of the page are reserved, and the statement that decides this.
    pub reservation: (bool, &'p TdmStatement),
    /// The statement of the URL of the terms on which the rights are available. `None` if the rights are not reserved.
    pub policy: Option<&'p TdmStatement>,
}

impl Page<'_> {
    /// Adds the rule of the site's `/.well-known/tdmrep.json` that applies to the page: see [`TdmRules::rule_for`]. The
    /// statements of the page itself take precedence over it.
    pub fn tdm_rule(&mut self, rule: &TdmRule) {
        let mut push = |property, text: &str| {
            self.tdm.push(TdmStatement { part: Part::WellKnown, line: None, property, text: text.into() });
        };
        if let Some(is_reserved) = rule.reserves {
            push(TdmProperty::Reservation, if is_reserved { "1" } else { "0" });
        }
        if let Some(policy) = &rule.policy {
            push(TdmProperty::Policy, policy);
        }
    }

    /// Returns all statements on text and data mining, in the order in which they were added.
    pub fn tdm_statements(&self) -> &[TdmStatement] {
        &self.tdm
    }

    /// Returns whether the rights to mine text and data are reserved. Returns `None` if no statement that is understood
    /// states this.
    ///
    /// The HTML takes precedence over the header, and the header over the site's file. A part that does not state a
    /// property does not override it. If one part states both 1 and 0, the rights are reserved.
    ///
    /// ```
    /// use comity_page::Page;
    ///
    /// let mut page = Page::new();
    /// page.header("tdm-reservation", b"1");
    /// page.header("tdm-policy", b"https://example.com/terms.json");
    /// let tdm = page.tdm().unwrap();
    /// assert!(tdm.reservation.0);
    /// assert_eq!(tdm.policy.unwrap().text, "https://example.com/terms.json");
    ///
    /// page.meta(b"tdm-reservation", b"0");
    /// assert!(!page.tdm().unwrap().reservation.0);
    /// ```
    #[must_use]
    pub fn tdm(&self) -> Option<Tdm<'_>> {
        let of = |part: Part| self.tdm.iter().filter(move |said| said.part == part);
        let reservation = Part::BY_PRECEDENCE.into_iter().find_map(|part| {
            let stated = of(part).filter_map(|said| Some((said.reserves()?, said)));
            stated.reduce(|known, next| if next.0 && !known.0 { next } else { known })
        })?;
        let is_policy = |said: &&TdmStatement| said.property == TdmProperty::Policy && !said.text.is_empty();
        let policy =
            Part::BY_PRECEDENCE.into_iter().find_map(|part| of(part).find(is_policy)).filter(|_| reservation.0);
        Some(Tdm { reservation, policy })
    }
}

/// A rule of a site's `/.well-known/tdmrep.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TdmRule {
    /// The pattern of the paths that the rule applies to, with `*` and `$` as in a robots.txt.
    pub location: String,
    /// True if the rule reserves the rights. `None` if its value is neither 1 nor 0.
    pub reserves: Option<bool>,
    /// The URL of the terms.
    pub policy: Option<String>,
}

impl TdmRule {
    /// Creates a rule for these paths that states nothing yet.
    pub fn new(location: impl Into<String>) -> Self {
        Self { location: location.into(), reserves: None, policy: None }
    }
}

/// The rules of a site's `/.well-known/tdmrep.json`. With the feature `serde`, they are deserialized from its JSON; an
/// entry that is not a rule is skipped.
///
/// ```
/// use comity_page::{TdmRule, TdmRules};
///
/// let [mut site, mut open] = ["/", "/open/*.html"].map(TdmRule::new);
/// (site.reserves, open.reserves) = (Some(true), Some(false));
/// let rules: TdmRules = [site, open].into_iter().collect();
/// assert_eq!(rules.rule_for("https://example.com/open/a.html").unwrap().reserves, Some(false));
/// assert_eq!(rules.rule_for("/open/a.pdf").unwrap().reserves, Some(true));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TdmRules {
    /// The rules in the order of the file.
    pub rules: Vec<TdmRule>,
}

impl TdmRules {
    /// Returns the rule for a URL or a path: the one whose matching pattern is the longest in bytes, as with the rules
    /// of a robots.txt. Of two with equal lengths, the one that reserves the rights applies. Patterns longer than
    /// [`LINE_LIMIT`](comity::LINE_LIMIT) match nothing.
    #[must_use]
    pub fn rule_for(&self, url: impl AsRef<str>) -> Option<&TdmRule> {
        let lengths = Dialect::STANDARD.match_lengths(url, self.rules.iter().map(|rule| &rule.location));
        let matching = lengths.into_iter().zip(&self.rules).filter_map(|(length, rule)| Some((length?, rule)));
        matching.max_by_key(|(length, rule)| (*length, rule.reserves)).map(|(_, rule)| rule)
    }
}

impl FromIterator<TdmRule> for TdmRules {
    fn from_iter<T: IntoIterator<Item = TdmRule>>(rules: T) -> Self {
        Self { rules: rules.into_iter().collect() }
    }
}

#[cfg(feature = "serde")]
mod json {
    //! Deserializes a list of rules. A value of another type is treated as not stated, as the protocol requires for all
    //! errors.

    use serde::de::IgnoredAny;
    use serde::{Deserialize, Deserializer};

    use super::{TdmRule, TdmRules};

    /// A value of the expected type, or any other value.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Maybe<T> {
        One(T),
        #[allow(dead_code, reason = "only its form counts")]
        Other(IgnoredAny),
    }

    impl<T> Maybe<T> {
        fn into_option(self) -> Option<T> {
            match self {
                Self::One(value) => Some(value),
                Self::Other(_) => None,
            }
        }
    }

    #[derive(Deserialize)]
    struct Rule {
        location: String,
        #[serde(rename = "tdm-reservation")]
        reservation: Option<Maybe<u64>>,
        #[serde(rename = "tdm-policy")]
        policy: Option<Maybe<String>>,
    }

    impl<'de> Deserialize<'de> for TdmRules {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let rules = Vec::<Maybe<Rule>>::deserialize(deserializer)?;
            let rules = rules.into_iter().filter_map(Maybe::into_option).map(|rule| TdmRule {
                location: rule.location,
                reserves: match rule.reservation.and_then(Maybe::into_option) {
                    Some(0) => Some(false),
                    Some(1) => Some(true),
                    _ => None,
                },
                policy: rule.policy.and_then(Maybe::into_option),
            });
            Ok(rules.collect())
        }
    }
}

//! Any field: it is a dictionary exactly if another implementation accepts it, with the same preferences.

#![no_main]

use comity::{Preference, Preferences};
use libfuzzer_sys::fuzz_target;
use sfv::{BareItem, Dictionary, ListEntry, Parser};

fuzz_target!(|field: &[u8]| {
    let ours = Preferences::parse(field);
    let theirs = Parser::new(field).parse::<Dictionary>();
    assert_eq!(ours.is_some(), theirs.is_ok(), "{:?}", theirs.err());
    let (Some(ours), Ok(theirs)) = (ours, theirs) else { return };
    for (label, member) in &theirs {
        let expected = match member {
            ListEntry::Item(item) => match &item.bare_item {
                BareItem::Token(token) if token.as_str() == "y" => Preference::Allow,
                BareItem::Token(token) if token.as_str() == "n" => Preference::Disallow,
                _ => Preference::Unknown,
            },
            ListEntry::InnerList(_) => Preference::Unknown,
        };
        assert_eq!(ours.of(label.as_str()), expected, "{label:?}");
    }
});

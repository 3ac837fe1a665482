//! Any `Link`, any field of the TDM Reservation Protocol, any `tdmrep.json`: nothing panics, and all results are in the
//! input.
//!
//! The input is a line with a URL, and bytes that are read as each of these.

#![no_main]

use comity_page::{Page, TdmRules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(end) = input.iter().position(|byte| *byte == b'\n') else { return };
    let (url, rest) = (&input[..end], &input[end + 1..]);

    let mut page = Page::new();
    let is_found = page.header("Link", rest);
    assert_eq!(is_found, !page.licenses().is_empty());
    for license in page.licenses() {
        assert!(!license.url.is_empty() && license.url.len() <= 3 * rest.len());
        assert!(!license.to_string().chars().any(char::is_control));
    }
    // A link cannot revoke the links before it.
    let before = page.licenses().len();
    let mut page = Page::new();
    page.header("Link", &[rest, b"\", </more>; rel=license"].concat());
    page.header("Link", &[rest, b", </more>; rel=license"].concat());
    assert!(before == 0 || page.licenses().len() > before);

    assert!(page.header("tdm-reservation", rest) && page.header("tdm-policy", rest));
    page.meta(b"tdm-reservation", url);
    if let Ok(rules) = serde_json::from_slice::<TdmRules>(rest)
        && let Some(rule) = rules.rule_for(String::from_utf8_lossy(url))
    {
        assert!(rules.rules.iter().any(|known| std::ptr::eq(known, rule)));
        page.tdm_rule(rule);
    }
    if let Some(tdm) = page.tdm() {
        assert_eq!(tdm.reservation.1.reserves(), Some(tdm.reservation.0));
        assert!(tdm.policy.is_none() || tdm.reservation.0);
    }
    for said in page.tdm_statements() {
        assert!(!said.to_string().chars().any(char::is_control));
    }
});

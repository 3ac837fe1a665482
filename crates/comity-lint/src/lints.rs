//! The lints, with one file for each. What several lints share is in `recognize`.

use crate::lint::Lint;

mod allow_only_group;
mod bad_ignore;
mod blank_line_in_group;
mod blocked_pagination;
mod blocked_sitemap_url;
mod blocks_rendering_resources;
mod broken_escape;
mod case_variant;
mod closed_home_page;
mod comment_for_other_crawler;
mod contradicting_groups;
mod contradicting_rules;
mod crawl_delay_value;
mod dead_directive;
mod depth_limit;
mod directive_outside_group;
mod dollar_blocks_all;
mod dollar_in_middle;
mod duplicate_rule;
mod foreign_sitemap;
mod group_for_nobody;
mod hash_cuts_path;
mod hidden_preference;
mod host_in_path;
mod hostile_bots;
mod html_entity;
mod ignored_crawl_delay;
mod incomplete_copy;
mod joined_groups;
mod missing_leading_slash;
mod misspelled_crawler;
mod misspelled_field;
mod multi_wildcard;
mod narrow_pattern;
mod needless_group;
mod no_crawler;
mod no_sitemap;
mod noindex_unreachable;
mod not_plain_text;
mod not_understood;
mod open_group;
mod prefix_overreach;
mod query_param_overmatch;
mod redundant_operators;
mod redundant_rule;
mod redundant_trailing_star;
mod regex_syntax;
mod rejected_by_reader;
mod repeated_agent;
mod repeated_sitemap;
mod retired_crawler;
mod robots_redirected;
mod robots_unavailable;
mod rule_before_agent;
mod rule_without_effect;
mod secret_disclosure;
mod shut_out_helper;
mod sitemap_disallowed;
mod sitemap_unavailable;
mod sitemap_url;
mod sites_differ;
mod specific_group_hides_star;
mod staging_leftover;
mod token_cut;
mod too_large;
mod two_records_in_one_line;
mod undone_by_allow;
mod unescaped_unsafe;
mod ungoverned_crawler;
mod unknown_signal;
mod unlike_its_comment;
mod unreachable_rule;
mod unsupported_directive;
mod wildcard_substring;
mod wrong_location;

/// Lists the lints in the order of their codes. The modules are declared above, where rustfmt finds their files.
macro_rules! lints {
    ($($name:ident)*) => {
        /// All lints, sorted by code.
        pub static ALL: &[&Lint] = &[$(&$name::LINT),*];
    };
}

lints! {
    staging_leftover hostile_bots secret_disclosure prefix_overreach wrong_location host_in_path case_variant
    rule_before_agent specific_group_hides_star missing_leading_slash query_param_overmatch unescaped_unsafe
    dollar_blocks_all misspelled_field redundant_trailing_star redundant_operators unsupported_directive
    wildcard_substring multi_wildcard depth_limit noindex_unreachable not_plain_text allow_only_group too_large
    duplicate_rule sitemap_url blocks_rendering_resources contradicting_rules redundant_rule unreachable_rule
    group_for_nobody ungoverned_crawler repeated_agent misspelled_crawler retired_crawler dead_directive token_cut
    directive_outside_group crawl_delay_value ignored_crawl_delay sitemap_disallowed hash_cuts_path
    two_records_in_one_line html_entity regex_syntax blank_line_in_group blocked_sitemap_url bad_ignore
    robots_unavailable robots_redirected sites_differ sitemap_unavailable not_understood joined_groups no_crawler
    dollar_in_middle broken_escape repeated_sitemap foreign_sitemap no_sitemap rule_without_effect open_group
    contradicting_groups incomplete_copy hidden_preference needless_group rejected_by_reader unknown_signal
    comment_for_other_crawler narrow_pattern closed_home_page unlike_its_comment undone_by_allow shut_out_helper
    blocked_pagination
}

//! Choices for common kinds of sites.

use comity::{Crawlers, Purpose};

use super::plan::{contains, is_listed};
use super::{GenerateChoices, GeneratePreset};

/// The dashboard of `WordPress`, and the results of its search within the site.
const WORDPRESS: [(&str, &str); 3] = [
    ("/wp-admin/", "The dashboard of WordPress"),
    ("/?s=", "Results of the search within the site, of which there are endlessly many"),
    ("/search/", "Results of that search under another address"),
];

/// The file of the dashboard that pages need, as `WordPress` itself allows it.
const WORDPRESS_ALLOWED: (&str, &str) =
    ("/wp-admin/admin-ajax.php", "Pages of WordPress load content from this file of the dashboard");

/// The pages of a shop that only buyers need.
const SHOP: [(&str, &str); 11] = [
    ("/cart$", "The cart, with and without a slash, but not /cartoons"),
    ("/cart/", "The pages of the cart"),
    ("/cart?", "The cart with parameters, such as an item to add"),
    ("/checkout$", "The checkout"),
    ("/checkout/", "The pages of the checkout"),
    ("/checkout?", "The checkout with parameters"),
    ("/account$", "The accounts of customers"),
    ("/account/", "The pages of accounts"),
    ("/account?", "Accounts with parameters"),
    ("/*?sort=", "The same products in another order"),
    ("/*&sort=", "The same, if the order is not the first parameter"),
];

/// Returns the choices with those of the preset.
pub(super) fn apply(args: &GenerateChoices, table: &Crawlers) -> GenerateChoices {
    let mut chosen = args.clone();
    let paths = |rules: &[(&str, &str)]| rules.iter().map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>();
    match args.preset {
        None => {}
        Some(GeneratePreset::Wordpress) => {
            chosen.protect.extend(paths(&WORDPRESS));
            chosen.allow_path.extend(paths(&[WORDPRESS_ALLOWED]));
        }
        Some(GeneratePreset::Shop) => chosen.protect.extend(paths(&SHOP)),
        Some(GeneratePreset::Staging) => chosen.block_all = true,
        Some(GeneratePreset::BlockAiTraining) => (chosen.block_ai_training, chosen.preferences) = (true, true),
        Some(GeneratePreset::SearchOnly) => {
            let is_search = |profile: &&comity::Profile| {
                let is_wanted = is_listed(profile) && !contains(&args.block, &profile.token);
                is_wanted && profile.purpose == Purpose::Search
            };
            chosen.block_all = true;
            chosen.allow.extend(table.iter().filter(is_search).map(|profile| profile.token.to_string()));
        }
    }
    chosen
}

/// Returns the reason for a path of a preset.
pub(super) fn reason(path: &str) -> Option<&'static str> {
    let all = WORDPRESS.iter().chain([&WORDPRESS_ALLOWED]).chain(&SHOP);
    all.into_iter().find(|(known, _)| *known == path).map(|(_, reason)| *reason)
}

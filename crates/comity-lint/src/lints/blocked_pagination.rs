use crate::prelude::*;

lint! {
    /// A rule blocks the second and later pages of all lists, or the pages or pictures of single items.
    ///
    /// Let crawlers fetch them. Each page has its own items, so it is no duplicate of the first one.
    ///
    /// ## What it does
    ///
    /// Finds the first `Disallow` rule for a parameter such as `page`, anywhere in the site and with any value, or for the path
    /// `/page/` of WordPress or `/page-` of forums. Finds the first one for a parameter such as `product_id`, and
    /// for the pictures of products in Magento. In the file of a forum, finds a rule for every URL with a query (a warning).
    ///
    /// ## Why is this bad?
    ///
    /// Crawlers find the items of a long list by its pages. What only the later ones link is found late or never, unless a
    /// sitemap lists it.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*?page=
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*?sort=
    /// ```
    ///
    /// ## Sources
    ///
    /// - Google Search Central, Pagination, incremental page loading, and their impact on Google Search
    "L075" "blocked-pagination", Note, affects: "search engines"
}

/// A kind of patterns, and the pages that they block.
type Kind = (fn(&[u8]) -> bool, &'static str);

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // A site that is closed to all has no lists to crawl.
    if file.groups.iter().any(|group| group.is_for_any() && group.closes()) {
        return;
    }
    let is_candidate =
        |value: &[u8]| matches!(value, [b'*', ..] | [b'/', b'*' | b'm' | b'p', ..] | [.., b'-'] | [.., b'-', b'*']);
    let disallowed = || file.disallowed().map(|(_, value)| value).filter(|value| is_candidate(value));
    let all_queries = disallowed().find(|value| matches!(*value, b"/*?" | b"*?" | b"/*?*"));
    if let Some(value) = all_queries.filter(|_| is_of_forum(file)) {
        out.add(
            file.span(value),
            format!("`{}` blocks every topic of the forum: their URLs have parameters", shown(value)),
        )
        .severity(Severity::Warning);
    }
    let kinds: [Kind; 3] = [
        (is_pagination, "the later pages of lists: what only they link is found late or never"),
        (is_product, "the pages of single items, which this parameter selects"),
        (is_picture, "the pictures of products: they are missing in image search and in shopping results"),
    ];
    for (is_one, what) in kinds {
        if let Some(value) = disallowed().find(|value| is_one(value)) {
            out.add(file.span(value), format!("`{}` blocks {what}", shown(value)));
        }
    }
}

/// Returns true if a file is that of phpBB or vBulletin, by the pages that such files block.
fn is_of_forum(file: &File<'_>) -> bool {
    [&b"/ucp.php"[..], b"/memberlist.php", b"/newreply.php"].iter().any(|page| file.has_rule(page))
}

/// Returns true for a pattern of all lists in WordPress, or for the parameter of all pages, such as `/*?page=`.
fn is_pagination(value: &[u8]) -> bool {
    let start = value.strip_suffix(b"*").unwrap_or(value);
    matches!(start, b"/page/" | b"/*/page/" | b"*/page/")
        || start.ends_with(b"*/page-")
        || parameter(value).is_some_and(|name| is_in("page paged pagina seite pg", name))
}

/// Returns true for the parameter of products or articles.
fn is_product(value: &[u8]) -> bool {
    // `/*page=` also matches `homepage=`, but hardly any other name ends in these.
    let name = || value.strip_prefix(b"/").unwrap_or(value).strip_prefix(b"*")?.strip_suffix(b"=");
    parameter(value)
        .or_else(name)
        .is_some_and(|name| is_in("product_id productid product goods_id item_id article_id", name))
}

/// Returns true for the folder of the pictures of products in Magento.
fn is_picture(value: &[u8]) -> bool {
    let folder = value.strip_suffix(b"*").unwrap_or(value);
    // Fast path: most paths are shorter.
    folder.len() >= b"/media/catalog/".len()
        && is_in("/media/catalog/ /media/catalog/product/ /media/catalog/product/cache/ /pub/media/catalog/", folder)
}

/// Returns the name of a parameter that a pattern matches with any value, on any page.
fn parameter(value: &[u8]) -> Option<&[u8]> {
    let rest = value.strip_prefix(b"/").unwrap_or(value).strip_prefix(b"*")?;
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    let name = rest.strip_prefix(b"?").or_else(|| rest.strip_prefix(b"&"))?;
    let name = name.strip_prefix(b"*").unwrap_or(name);
    name.strip_suffix(b"*").unwrap_or(name).strip_suffix(b"=")
}

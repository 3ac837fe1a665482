use std::collections::BTreeSet;

use crate::prelude::*;

lint! {
    /// A group blocks an email harvester or site copier, which does not obey robots.txt anyway.
    ///
    /// Remove the group. To keep such a program out, refuse its requests in the server or in front of it, by
    /// `User-Agent` header or by IP address.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines that name programs from the lists of bad bots that have been copied from site to site
    /// since the 1990s, such as harvesters of email addresses. One finding reports all of them.
    ///
    /// ## Why is this bad?
    ///
    /// Programs that harvest addresses do not read robots.txt, and most of these no longer exist. The lines do no harm,
    /// but they make the file hard to read.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: EmailSiphon
    /// Disallow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §3: robots.txt is no access control
    /// - Portent, The Complete Guide to Robots.txt: hostile robots
    "L002" "hostile-bots", Note, affects: "programs that don't read robots.txt"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut first = None;
    let mut names = BTreeSet::new();
    let agents = file.groups.iter().flat_map(|group| &group.agents);
    for agent in agents.filter(|agent| is_listed(agent.token, words::HOSTILE)) {
        names.insert(agent.token.to_ascii_lowercase());
        first.get_or_insert(agent);
    }
    let Some(agent) = first else { return };
    let more = match names.len().saturating_sub(1) {
        0 => " does".to_owned(),
        1 => " and 1 similar program do".to_owned(),
        others => format!(" and {others} similar programs do"),
    };
    out.add(file.value(agent.line), format!("`{}`{more} not obey robots.txt", shown(agent.token)))
        .help("refuse such requests in the server instead");
}

use comity::Governed;

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::lint::lint;

lint! {
    /// A group is for a program that does not heed robots.txt, as its operator says.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines for fetchers that act for a person who asked just now, such as `FeedFetcher-Google`.
    ///
    /// ## Why is this bad?
    ///
    /// The group does nothing. To keep such a program out, refuse its requests in the server.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: FeedFetcher-Google
    /// Disallow: /feed/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: Googlebot
    /// Disallow: /feed/
    /// ```
    ///
    /// ## Sources
    ///
    /// - Google, User-triggered fetchers
    "L032" "ungoverned-crawler", Note, concerns: "the program that is named"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for agent in file.groups.iter().flat_map(|group| &group.agents) {
        if let Some(known) = agent.known.filter(|known| known.governed == Governed::No && !known.retired) {
            let message = format!("{} does not heed robots.txt, says {}: its groups do nothing", known.token, known.operator);
            out.add(agent.line, file.value(agent.line), message);
        }
    }
}

use comity::Governed;

use crate::prelude::*;

lint! {
    /// A group is for a program that does not obey robots.txt, as its operator documents.
    ///
    /// Remove the group. To keep such a program out, refuse its requests in the server.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines for programs that fetch a page when a user requests it, such as `FeedFetcher-Google`, in
    /// groups that disallow something.
    ///
    /// ## Why is this bad?
    ///
    /// The group has no effect.
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
    "L032" "ungoverned-crawler", Note, affects: "the program that is named"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // A group that disallows nothing is obeyed anyway.
    for agent in file.groups.iter().filter(|group| group.forbids()).flat_map(|group| &group.agents) {
        if let Some(known) = agent.known.filter(|known| known.governed == Governed::No && !known.retired) {
            let message = format!(
                "{} does not obey robots.txt, as {} documents: this group has no effect on it",
                known.token, known.operator
            );
            out.add(file.value(agent.line), message);
        }
    }
}

use crate::prelude::*;
use crate::recognize::groups::bound_groups;
use crate::recognize::needless::{NEEDLESS_BOUND, needless};

lint! {
    /// A group changes nothing: without it, every crawler gets the same answers.
    ///
    /// Delete the group, or give it the rules that it should have.
    ///
    /// ## What it does
    ///
    /// Finds groups whose crawlers would obey the same rules without them, those for `*` or those of a more general name.
    /// For all URLs and all crawlers, it is proven that no answer, delay or preference differs without the groups, in the
    /// dialects in which fixes are checked. A file has at most one finding. Not reported are files that disallow everything
    /// for `*`, and groups without a `Disallow` for crawlers for ads, link previews, archives, and reports or checks.
    ///
    /// ## Why is this bad?
    ///
    /// Two copies of the same rules rarely stay the same: the next rule that is added for `*` will be missing here.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    ///
    /// User-agent: Googlebot
    /// Disallow: /cart/
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
    /// - RFC 9309 §2.2.1: crawlers without a group obey the group for `*`
    "L066" "needless-group", Note, affects: "people who change the file"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let found = needless(file);
    bound_groups(NEEDLESS_BOUND, file, &found.not_compared, out);
    let Some(first) = found.groups.first() else { return };
    let agents: Vec<&AgentOf<'_>> = found.groups.iter().flat_map(|index| &file.groups[*index].agents).collect();
    let names = names_of(agents.into_iter());
    let line = file.groups[*first].first_line();
    let message = match found.groups.len() {
        1 => format!("this group changes nothing: without it, {names} would get the same answers"),
        groups => {
            let lines: Vec<u32> = found.groups.iter().map(|index| file.groups[*index].first_line()).collect();
            format!(
                "{groups} groups ({}) change nothing: without them, {names} would get the same answers",
                numbered(&lines, 4)
            )
        }
    };
    let edits = found.edits(file);
    let found = out.add(file.value(line), message);
    if let Some(edits) = edits {
        found.safe(if edits.len() == 1 { "delete the group" } else { "delete the groups" }, edits);
    }
}

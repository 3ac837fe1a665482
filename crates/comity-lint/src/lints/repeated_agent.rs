use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A crawler's rules are spread over several groups.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines whose token an earlier group names as well, and tells of each crawler once.
    ///
    /// ## Why is this bad?
    ///
    /// RFC 9309 and Google merge such groups; older parsers take the first, and the rules of the second are lost on them.
    /// And who reads the first group takes it for the whole truth.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    ///
    /// User-agent: *
    /// Disallow: /login
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Disallow: /login
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: groups of the same crawler are combined
    /// - Yandex, Using the robots.txt file: its validator reports an error
    "L033" "repeated-agent", Note, concerns: "crawlers that take the first group only"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if file.groups.iter().all(|group| group.alone) {
        return;
    }
    let mut agents: Vec<(Vec<u8>, usize, u32)> = Vec::new();
    for (index, group) in file.groups.iter().enumerate().filter(|(_, group)| !group.alone) {
        agents.extend(group.agents.iter().map(|agent| (agent.token.to_ascii_lowercase(), index, agent.line)));
    }
    agents.sort_unstable();
    for same in agents.chunk_by(|a, b| a.0 == b.0) {
        let (token, first_group, first_line) = &same[0];
        if let Some((_, _, line)) = same.iter().find(|(_, group, _)| group != first_group && !token.is_empty()) {
            let name = if token == b"*" { "every crawler".to_owned() } else { format!("`{}`", shown(&file.source[file.value(*line)])) };
            out.add(*line, file.value(*line), format!("a group for {name} stands above already; some crawlers take the first only"))
                .related(*first_line, "the group above");
        }
    }
}

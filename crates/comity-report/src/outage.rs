//! The effect of a lasting outage, in words.

use comity_policy::{Event, Fallback, Policy, Rung};

/// Returns sentences about the access under a policy if a robots.txt stays unreachable after an event, for example
/// `After 30 days, the last copy of the file decides; without one, everything is allowed.`
pub fn if_it_lasts(policy: &Policy, event: Event) -> String {
    let [first, then, last] = [Rung::First, Rung::Then, Rung::Last].map(|rung| policy.fallback(event, rung));
    let mut sentences = Vec::new();
    if then != first {
        sentences.push(format!("After 12 hours, {}.", clause(then)));
    }
    if last != then {
        let failures = match policy.failed_days {
            0 | 1 => String::new(),
            days => format!(" with failures on at least {days} of them"),
        };
        sentences.push(format!("After 30 days{failures}, {}.", clause(last)));
    }
    if sentences.is_empty() { "That does not change, however long it fails.".to_owned() } else { sentences.join(" ") }
}

fn clause(fallback: Fallback) -> &'static str {
    match fallback {
        Fallback::CopyElseDisallow => "the last copy of the file decides; without one, everything is disallowed",
        Fallback::CopyElseAllow => "the last copy of the file decides; without one, everything is allowed",
        Fallback::Disallow => "everything is disallowed",
        Fallback::Allow => "everything is allowed",
        Fallback::AllowIfSiteAnswers => "everything is allowed if the rest of the site answers, or else disallowed",
        _ => "another step of the policy applies",
    }
}

#[cfg(test)]
mod tests {
    use comity_policy::Failure;

    use super::*;

    #[test]
    fn the_steps_of_a_policy_are_in_the_sentences() {
        let copy = "the last copy of the file decides; without one, everything is allowed";
        let unchanged = "That does not change, however long it fails.";
        let site_answers = "everything is allowed if the rest of the site answers, or else disallowed";
        for (policy, expected) in [
            (Policy::STANDARD, format!("After 30 days with failures on at least 5 of them, {copy}.")),
            (Policy::GOOGLE, format!("After 12 hours, {copy}. After 30 days, {site_answers}.")),
            (Policy::GOOGLE_2019, format!("After 30 days, {copy}.")),
            (Policy::STRICT, unchanged.to_owned()),
        ] {
            assert_eq!(if_it_lasts(&policy, Event::Status(503)), expected, "{}", policy.name);
        }
        assert_eq!(if_it_lasts(&Policy::STANDARD, Event::Failed(Failure::Refused)), unchanged);
    }
}

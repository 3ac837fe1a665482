//! Recognizes regular expressions in patterns.

/// Returns the position and length of a part that only has a meaning in regular expressions.
pub(crate) fn regex(value: &[u8]) -> Option<(usize, usize)> {
    // Fast path: most values contain none of these characters.
    let first = value.iter().position(|b| matches!(b, b'^' | b'\\' | b'[' | b'(' | b'+' | b'|' | b'.'))?;
    if !value[first..].iter().any(|b| matches!(b, b'^' | b'\\' | b'[' | b'(' | b'+' | b'|')) {
        return dot_star(value).map(|at| (at, 2));
    }
    if first == 0 && value[0] == b'^' || value.starts_with(b"/^") {
        return Some((first, 1));
    }
    let rest = &value[first..];
    for part in [
        &b"[0-9]"[..],
        b"[a-z]",
        b"[A-Z]",
        b"[a-zA-Z]",
        b"[^/]",
        b"[a-z0-9]",
        b"[A-Za-z]",
        b"(.*)",
        b".+",
        b"[0-9",
        b"\\d",
        b"\\w",
        b"\\.",
        b"\\?",
        b"\\/",
        b"\\*",
    ] {
        let from = first.saturating_sub(1);
        if let Some(at) = value[from..].windows(part.len()).position(|window| window == part) {
            return Some((from + at, part.len()));
        }
    }
    if let Some(at) = dot_star(value) {
        return Some((at, 2));
    }
    if let Some(bar) = value.iter().position(|b| *b == b'|')
        && value.split(|b| *b == b'|').all(|part| matches!(part, [b'/' | b'*', _, ..]))
    {
        return Some((bar, 1));
    }
    let open = rest.iter().position(|b| *b == b'(')?;
    let close = rest[open..].iter().position(|b| *b == b')')?;
    rest[open..open + close].contains(&b'|').then_some((first + open, close + 1))
}

/// Returns the position of a `.*` that can't mean a dot followed by any text, such as a file extension or codes of
/// capital letters that are separated by dots.
fn dot_star(value: &[u8]) -> Option<usize> {
    let at = value.windows(2).position(|pair| pair == b".*")?;
    let is_star = |b: &u8| *b == b'*';
    let has_one_star = value.iter().position(is_star) == value.iter().rposition(is_star);
    let before = value[..at].last();
    let after = value.get(at + 2);
    let follows_slash = before == Some(&b'/') || at == 0;
    let is_between_letters =
        has_one_star && before.is_some_and(u8::is_ascii_lowercase) && after.is_some_and(u8::is_ascii_lowercase);
    (follows_slash || is_between_letters).then_some(at)
}

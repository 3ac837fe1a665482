//! Recognizes regular expressions in patterns.

/// The parts that only have a meaning in regular expressions.
const PARTS: &str = r"[0-9] [a-z] [A-Z] [a-zA-Z] [^/] [a-z0-9] [A-Za-z] (.*) .+ [0-9 \d \w \. \? \/ \*";

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
    for part in PARTS.split(' ') {
        let from = first.saturating_sub(1);
        if let Some(at) = value[from..].windows(part.len()).position(|window| window == part.as_bytes()) {
            return Some((from + at, part.len()));
        }
    }
    if let Some(found) = placeholder(value) {
        return Some(found);
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

/// Returns the position and length of a part of a path that is the placeholder of a framework, such as `:id` or `[slug]`.
pub(crate) fn placeholder(value: &[u8]) -> Option<(usize, usize)> {
    let path = value.split(|byte| *byte == b'?').next()?;
    let at = path.windows(2).position(|pair| matches!(pair, [b'/', b':' | b'[']))? + 1;
    let part = path[at..].split(|byte| *byte == b'/').next()?;
    let name = part.strip_prefix(b":").or_else(|| part.strip_prefix(b"[")?.strip_suffix(b"]"))?;
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    (is_name && name.iter().any(u8::is_ascii_alphabetic)).then_some((at, part.len()))
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

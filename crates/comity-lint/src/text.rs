//! Words in messages: lists of lines, and quoted parts of the file. Also values with replacements.

/// Names the other lines with the same finding, in words that fit after a message. Returns an empty string if there are
/// none.
pub(crate) fn also(lines: &[u32]) -> String {
    if lines.is_empty() { String::new() } else { format!(" ({} also)", numbered(lines, 4)) }
}

/// Returns true if a list of words with spaces between them contains a word, ignoring ASCII case.
pub(crate) fn is_in(words: &str, word: &[u8]) -> bool {
    words.as_bytes().split(|byte| *byte == b' ').any(|known| known.eq_ignore_ascii_case(word))
}

/// Joins names with commas, and the last one with a word such as `and`.
pub(crate) fn listed(names: &[String], word: &str) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} {word} {last}", first.join(", ")),
        names => names.concat(),
    }
}

/// Names lines: the first `max_named`, and the number of others.
pub(crate) fn numbered(lines: &[u32], max_named: usize) -> String {
    let mut named: Vec<String> = lines.iter().take(max_named).map(u32::to_string).collect();
    if lines.len() > max_named {
        named.push(format!("{} more", lines.len() - max_named));
    }
    match named.len() {
        0 => String::new(),
        1 => format!("line {}", named[0]),
        _ => format!("lines {}", listed(&named, "and")),
    }
}

/// Returns a value with replacements. If a text is to be replaced at its start, `find` returns the number of bytes to
/// replace and the new ones.
pub(crate) fn replaced<'n>(value: &[u8], find: impl Fn(&[u8]) -> Option<(usize, &'n [u8])>) -> Vec<u8> {
    let (mut new, mut rest) = (Vec::with_capacity(value.len() + 2), value);
    while !rest.is_empty() {
        let (len, bytes) = find(rest).unwrap_or((1, &rest[..1]));
        new.extend_from_slice(bytes);
        rest = &rest[len..];
    }
    new
}

/// Returns a part of the file as it is quoted in messages: safe to print, and shortened if it is long.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MAX_CHARS: usize = 80;
    // Nearly all texts are names and paths in printable ASCII. A file can have a finding in each line, and the general
    // case, which goes through each text three times, took a sixth of the time to lint such a file.
    if bytes.len() <= MAX_CHARS && bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MAX_CHARS)]).into_owned();
    let cut: String = text.chars().take(MAX_CHARS).collect();
    let more = if cut.len() < text.len() || bytes.len() > 4 * MAX_CHARS { "…" } else { "" };
    // Bytes that are not UTF-8 are shown escaped.
    if bytes.len() <= 4 * MAX_CHARS && more.is_empty() {
        comity::Escaped(bytes).to_string()
    } else {
        format!("{}{more}", comity::Escaped(cut.as_bytes()))
    }
}

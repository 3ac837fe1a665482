//! The patterns that name paths, and those that match every path. Fixes must not newly block a path that no rule names.

/// Returns true if a pattern contains a letter or a digit, escaped or not. A pattern without any, such as `/*?`, names
/// no path.
pub(crate) fn names_something(pattern: &[u8]) -> bool {
    let mut rest = pattern;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let escaped = tail.get(..2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let octet = match escaped {
            Some(octet) if byte == b'%' => {
                rest = &tail[2..];
                octet
            }
            _ => byte,
        };
        if octet.is_ascii_alphanumeric() || !octet.is_ascii() {
            return true;
        }
    }
    false
}

/// Returns true if a pattern matches every path.
pub(crate) fn matches_everything(pattern: &[u8]) -> bool {
    let body = pattern.strip_suffix(b"$").filter(|body| body.ends_with(b"*")).unwrap_or(pattern);
    body.iter().filter(|byte| **byte != b'*').eq(b"/") || !body.is_empty() && body.iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::names_something;

    #[test]
    fn letters_and_digits_name_something() {
        for pattern in ["/a", "*9", "/%C3%A9", "/é", "/%61", "/*?id="] {
            assert!(names_something(pattern.as_bytes()), "{pattern}");
        }
        for pattern in ["", "/", "/*", "*/", "/*$", "/*?", "/%20", "//*/", "/%", "/&=%2F"] {
            assert!(!names_something(pattern.as_bytes()), "{pattern}");
        }
    }
}

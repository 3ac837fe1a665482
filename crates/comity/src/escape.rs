//! Escaping of untrusted bytes for display.

use core::fmt::{self, Write as _};

/// A wrapper that displays untrusted bytes as text that is safe to print. Control characters, invisible formatting such
/// as the bidirectional overrides, and invalid UTF-8 are shown as escapes.
///
/// ```
/// assert_eq!(comity::Escaped(b"/caf\xC3\xA9 \x1B[2J\xFF").to_string(), r"/café \x1B[2J\xFF");
/// ```
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs, reason = "a plain wrapper")]
pub struct Escaped<'a>(pub &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\t' => f.write_str("\\t")?,
                    '\0'..' ' | '\x7F' => write!(f, "\\x{:02X}", c as u32)?,
                    _ if is_invisible(c) => write!(f, "\\u{{{:X}}}", c as u32)?,
                    _ => f.write_char(c)?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02X}")?;
            }
        }
        Ok(())
    }
}

/// Returns true for C1 controls and for characters that hide, join, reorder or separate text without being visible:
/// Unicode's default-ignorable characters, line and paragraph separators, annotations, and the blank Braille pattern.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9F}' | '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

//! Errors as messages for people.

use std::io::{self, Write};

use comity::Escaped;

use crate::render::style;

/// Returns an error and its causes in one sentence. A cause that the error quotes already is not repeated.
pub(crate) fn message(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Errors escape what they quote.
        if !text.ends_with(&cause) && !text.ends_with(&Escaped(cause.as_bytes()).to_string()) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Prints an error and its causes to standard error.
pub(crate) fn print(error: &anyhow::Error) {
    let message = style::safe(&message(error));
    let _ = writeln!(anstream::stderr(), "{} {message}", style::paint(style::ERROR, "error:"));
}

/// Returns true if the cause of the error is that the reader of the output closed it.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

#[cfg(test)]
mod tests {
    use comity_page::Sitemap;

    use super::*;

    #[test]
    fn quoted_causes_are_not_repeated() {
        let mut sitemap = Sitemap::read(&b"<urlset></u\x1Brl>"[..]).expect("it begins like one");
        let error = sitemap.find_map(Result::err).expect("the names are different");
        let cause = std::error::Error::source(&error).expect("the error of the XML parser").to_string();
        assert!(cause.contains('\x1B'), "{cause}");
        let alone = error.to_string();
        assert_eq!(message(&anyhow::Error::new(error)), alone);
    }

    #[test]
    fn other_causes_are_appended() {
        let error = anyhow::Error::new(io::Error::other("the disk is full")).context("`a.txt`");
        assert_eq!(message(&error), "`a.txt`: the disk is full");
    }
}

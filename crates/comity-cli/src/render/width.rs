//! Tables that fit the terminal.

use std::borrow::Cow;

use console::Term;

/// Returns the number of columns of the terminal, or `None` if standard output is not a terminal.
pub(crate) fn of_terminal() -> Option<usize> {
    let term = Term::stdout();
    term.is_term().then(|| term.size_checked()).flatten().map(|(_, columns)| columns.into())
}

/// Returns a line that fits the terminal: its end is cut if necessary. Escape sequences take no space.
pub(crate) fn fit(line: &str, terminal: Option<usize>) -> Cow<'_, str> {
    terminal.map_or(Cow::Borrowed(line), |width| console::truncate_str(line, width, "…"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::style::{ALLOWED, paint};

    #[test]
    fn only_lines_for_terminals_are_cut() {
        let line = format!("{}  /日本語/page", paint(ALLOWED, "allowed 12"));
        assert_eq!(fit(&line, None), line);
        assert_eq!(fit(&line, Some(80)), line);
        let cut = fit(&line, Some(18));
        assert_eq!(console::measure_text_width(&cut), 18, "{cut:?}");
        assert_eq!(console::strip_ansi_codes(&cut), "allowed 12  /日本…");
    }
}

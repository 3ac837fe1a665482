//! Lints: the module `lint`.

use comity_lint::{Evidence, Linter, UnknownLint};

use crate::buffers::{set_output, with_input};
use crate::parts::{Reader, Writer};
use crate::{REFUSED, export};

export! {
    /// Lints a file. The input is the body, the lints to remove and the lints to add, as lists. Writes the findings, and
    /// returns their number, or [`REFUSED`] for an unknown lint.
    fn lint(len: usize) -> i32 {
        let found = with_input(len, |input| {
            let mut input = Reader::new(input);
            let body = input.bytes();
            let (ignored, selected) = (input.list(), input.list());
            findings(body, &ignored, &selected)
        });
        let mut output = Writer::default();
        let result = match found {
            Ok((count, written)) => {
                output = written;
                count
            }
            Err(error) => {
                output.text(error.to_string());
                REFUSED
            }
        };
        set_output(output);
        result
    }
}

/// Returns the number of findings, and the findings as parts.
fn findings(body: &[u8], ignored: &[&str], selected: &[&str]) -> Result<(i32, Writer), UnknownLint> {
    let mut linter = Linter::new();
    // First what is removed, so that `all` in it leaves what is selected.
    for name in ignored {
        linter.ignore(name)?;
    }
    for name in selected {
        linter.select(name)?;
    }
    let report = linter.lint(body, &Evidence::default());
    let mut output = Writer::default();
    for found in &report.diagnostics {
        output.text(found.lint.code);
        output.text(found.lint.name);
        output.text(found.severity.name());
        output.number(found.line);
        output.text(&found.message);
        output.optional(found.help.as_ref());
        output.text(found.affects);
    }
    Ok((i32::try_from(report.diagnostics.len()).expect("findings are limited"), output))
}

//! Lints: the module `lint`.

use comity::{Crawlers, Purpose};
use comity_lint::{Evidence, Linter, UnknownLint};

use crate::buffers::{set_output, with_input};
use crate::parts::{Reader, Writer};
use crate::row::row;
use crate::{REFUSED, export};

export! {
    /// Lints a file. The input is the body, the lints to remove and the lints to add, as lists, and rows of a crawler
    /// table: the form, the content, the operator and the number of the purpose of each. Writes the findings, and returns
    /// their number, or [`REFUSED`] for an unknown lint.
    fn lint(len: usize) -> i32 {
        let found = with_input(len, |input| findings(&mut Reader::new(input)));
        let (result, output) = found.unwrap_or_else(|error| {
            let mut output = Writer::default();
            output.text(error.to_string());
            (REFUSED, output)
        });
        set_output(output);
        result
    }
}

/// Returns the number of findings, and the findings as parts.
fn findings(input: &mut Reader<'_>) -> Result<(i32, Writer), UnknownLint> {
    let body = input.bytes();
    let mut linter = Linter::new();
    // First what is removed, so that `all` in it leaves what is selected.
    for name in input.list() {
        linter.ignore(name)?;
    }
    for name in input.list() {
        linter.select(name)?;
    }
    if !input.is_empty() {
        let mut table = Crawlers::builtin();
        while !input.is_empty() {
            let mut row = row(input.number(), input.bytes());
            row.operator = input.text().to_owned().into();
            row.purpose = Purpose::ALL[input.number() as usize];
            table.add(row);
        }
        linter.set_crawlers(table);
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

//! The column of answers.

use std::sync::{Arc, LazyLock};

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Int8Array, StringArray, StructArray, UInt32Array};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use comity::{Reason, Verdict};

/// The reason for an answer, as in the column `reason`. Its number is its place in [`names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReasonIndex(i8);

/// Reasons that the engine does not have.
const OWN_REASONS: [&str; 7] =
    ["allow-all", "disallow-all", "no-answer", "unknown-key", "missing-input", "invalid-url", "invalid-crawler"];

/// The number of reasons of the engine.
const ENGINE_REASONS: i8 = Reason::ALL.len() as i8;

impl ReasonIndex {
    /// The site has no file, and the policy allows everything.
    pub(crate) const ALLOW_ALL: Self = Self(ENGINE_REASONS);
    /// The file could not be fetched, and the policy disallows everything.
    pub(crate) const DISALLOW_ALL: Self = Self(ENGINE_REASONS + 1);
    /// The result of the fetch is no answer.
    pub(crate) const NO_ANSWER: Self = Self(ENGINE_REASONS + 2);
    /// The table has no such key.
    pub(crate) const UNKNOWN_KEY: Self = Self(ENGINE_REASONS + 3);
    /// A column is null in this row.
    pub(crate) const MISSING_INPUT: Self = Self(ENGINE_REASONS + 4);
    /// The text is neither a URL nor a path.
    pub(crate) const INVALID_URL: Self = Self(ENGINE_REASONS + 5);
    /// The text is neither a known crawler nor a product token.
    pub(crate) const INVALID_CRAWLER: Self = Self(ENGINE_REASONS + 6);

    fn of(reason: Reason) -> Self {
        Self(reason as i8)
    }
}

/// Returns the names of all reasons.
fn names() -> impl Iterator<Item = &'static str> {
    Reason::ALL.iter().map(|reason| reason.name()).chain(OWN_REASONS)
}

static NAMES: LazyLock<ArrayRef> = LazyLock::new(|| Arc::new(StringArray::from_iter_values(names())));

/// Returns the fields of an answer: `allowed`, `line` and `reason`.
pub(crate) fn fields() -> Fields {
    static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
        let reason = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        Fields::from(vec![
            Field::new("allowed", DataType::Boolean, true),
            Field::new("line", DataType::UInt32, true),
            Field::new("reason", reason, false),
        ])
    });
    FIELDS.clone()
}

/// The answer of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowVerdict {
    allowed: Option<bool>,
    reason: ReasonIndex,
    /// 0 where no rule decides.
    line: u32,
}

impl RowVerdict {
    /// Returns a verdict of the engine.
    #[inline]
    pub(crate) fn of(verdict: &Verdict) -> Self {
        let reason = ReasonIndex::of(verdict.reason());
        Self { allowed: verdict.answer().is_allowed(), reason, line: verdict.line().unwrap_or(0) }
    }

    /// Returns an answer that no rule decides.
    #[inline]
    pub(crate) fn without_rule(allowed: Option<bool>, reason: ReasonIndex) -> Self {
        Self { allowed, reason, line: 0 }
    }
}

/// The answers of a batch, row by row. They are split into columns at the end, which takes less time than writing each
/// row to all columns.
#[derive(Debug, Default)]
pub(crate) struct Verdicts(Vec<RowVerdict>);

impl Verdicts {
    /// Adds rows, and returns them. Until they are set, they state that a column is null.
    pub(crate) fn add(&mut self, rows: usize) -> &mut [RowVerdict] {
        let start = self.0.len();
        self.0.resize(start + rows, RowVerdict::without_rule(None, ReasonIndex::MISSING_INPUT));
        &mut self.0[start..]
    }

    /// Returns the column.
    pub(crate) fn finish(self) -> StructArray {
        let rows = &*self.0;
        let decided = nulls(bits(rows, |row| row.allowed.is_some()));
        let allowed = BooleanArray::new(bits(rows, |row| row.allowed == Some(true)), decided);
        let lines: ScalarBuffer<u32> = rows.iter().map(|row| row.line).collect();
        let lines = UInt32Array::new(lines, nulls(bits(rows, |row| row.line != 0)));
        let keys: ScalarBuffer<i8> = rows.iter().map(|row| row.reason.0).collect();
        let reasons = DictionaryArray::<Int8Type>::new(Int8Array::new(keys, None), Arc::clone(&NAMES));
        StructArray::new(fields(), vec![Arc::new(allowed), Arc::new(lines), Arc::new(reasons)], None)
    }
}

fn bits(rows: &[RowVerdict], is_set: impl Fn(RowVerdict) -> bool) -> BooleanBuffer {
    BooleanBuffer::collect_bool(rows.len(), |row| is_set(rows[row]))
}

/// Returns the rows that are not null, or `None` if no row is null.
fn nulls(valid: BooleanBuffer) -> Option<NullBuffer> {
    Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(index: ReasonIndex) -> usize {
        usize::try_from(index.0).expect("it is not negative")
    }

    #[test]
    fn the_number_of_a_reason_is_its_place() {
        let names: Vec<_> = names().collect();
        for reason in Reason::ALL {
            assert_eq!(names[place(ReasonIndex::of(*reason))], reason.name());
        }
        let own = [
            (ReasonIndex::ALLOW_ALL, "allow-all"),
            (ReasonIndex::DISALLOW_ALL, "disallow-all"),
            (ReasonIndex::NO_ANSWER, "no-answer"),
            (ReasonIndex::UNKNOWN_KEY, "unknown-key"),
            (ReasonIndex::MISSING_INPUT, "missing-input"),
            (ReasonIndex::INVALID_URL, "invalid-url"),
            (ReasonIndex::INVALID_CRAWLER, "invalid-crawler"),
        ];
        assert!(own.iter().all(|(index, name)| names[place(*index)] == *name));
    }
}

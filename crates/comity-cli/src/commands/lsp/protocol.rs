//! The types of the protocol that this server uses (LSP 3.17), of more than 400.
//!
//! A document's URI is text that the client chose: it is the key of the document, and is sent back as it came.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// A line and a column, from 0. [`Encoding`](super::place::Encoding) has the unit of the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) character: u32,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Range {
    pub(super) start: Position,
    pub(super) end: Position,
}

/// The parameters of all methods that are about a document. A method has some of the optional ones.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    pub(super) text_document: TextDocument,
    position: Option<Position>,
    range: Option<Range>,
    /// The texts of `didChange`.
    #[serde(default)]
    pub(super) content_changes: Vec<ContentChange>,
}

impl Params {
    pub(super) fn position(&self) -> Result<Position> {
        self.position.context("expected a position")
    }

    pub(super) fn range(&self) -> Result<Range> {
        self.range.context("expected a range")
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct TextDocument {
    pub(super) uri: String,
    pub(super) version: Option<i32>,
    /// The text of `didOpen`.
    pub(super) text: Option<String>,
}

/// A change: the whole text, unless it has a range.
#[derive(Debug, Deserialize)]
pub(super) struct ContentChange {
    pub(super) range: Option<Range>,
    pub(super) text: String,
}

/// `TextDocumentSyncKind.Full`: changes contain the whole text.
pub(super) const SYNC_FULL: u32 = 1;

// Values of `DiagnosticSeverity`.
pub(super) const SEVERITY_ERROR: u32 = 1;
pub(super) const SEVERITY_WARNING: u32 = 2;
pub(super) const SEVERITY_INFORMATION: u32 = 3;
pub(super) const SEVERITY_HINT: u32 = 4;

// Values of `CompletionItemKind`.
pub(super) const COMPLETION_VALUE: u32 = 12;
pub(super) const COMPLETION_KEYWORD: u32 = 14;

// Values of `SymbolKind`.
pub(super) const SYMBOL_FILE: u32 = 1;
pub(super) const SYMBOL_MODULE: u32 = 2;
pub(super) const SYMBOL_KEY: u32 = 20;

//! The types of the protocol that this server uses (LSP 3.17), of more than 400.
//!
//! A document's URI is text that the client chose: it is the key of the document, and is sent back as it came.

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

#[derive(Debug, Deserialize)]
pub(super) struct TextDocumentIdentifier {
    pub(super) uri: String,
}

/// The parameters of requests about a position: hover and completion.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextDocumentPositionParams {
    pub(super) text_document: TextDocumentIdentifier,
    pub(super) position: Position,
}

/// The parameters of `documentSymbol` and `didClose`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextDocumentParams {
    pub(super) text_document: TextDocumentIdentifier,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeActionParams {
    pub(super) text_document: TextDocumentIdentifier,
    pub(super) range: Range,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidOpenTextDocumentParams {
    pub(super) text_document: TextDocumentItem,
}

#[derive(Debug, Deserialize)]
pub(super) struct TextDocumentItem {
    pub(super) uri: String,
    pub(super) version: i32,
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidChangeTextDocumentParams {
    pub(super) text_document: VersionedTextDocumentIdentifier,
    pub(super) content_changes: Vec<ContentChange>,
}

#[derive(Debug, Deserialize)]
pub(super) struct VersionedTextDocumentIdentifier {
    pub(super) uri: String,
    pub(super) version: i32,
}

/// A change: the whole text, unless it has a range.
#[derive(Debug, Deserialize)]
pub(super) struct ContentChange {
    pub(super) range: Option<Range>,
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Hover {
    pub(super) contents: MarkupContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) range: Option<Range>,
}

#[derive(Debug, Serialize)]
pub(super) struct MarkupContent {
    pub(super) kind: &'static str,
    pub(super) value: String,
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

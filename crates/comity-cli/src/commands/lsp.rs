//! `comity lsp`: a language server for robots.txt files.

mod completion;
mod hover;
mod place;
mod protocol;
mod removal;
mod symbols;
mod transport;
mod unknown;

use std::collections::HashMap;

use anyhow::{Context, Result};
use comity_lint::{Diagnostic as Finding, Evidence, Fix, Linter, Safety, Severity};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};
use url::Url;

use crate::args;
use crate::input::config::Config;
use crate::input::crawlers;
use crate::outcome::Outcome;
use crate::render::error;
use place::{Encoding, Places};
use protocol as lsp;

/// The maximum number of characters that are shown of a name or a value.
const MAX_LABEL_CHARS: usize = 120;

pub(crate) fn run(args: &args::Lsp) -> Result<Outcome> {
    let mut linter = Config::find(args.config.as_deref())?.linter()?;
    linter.set_crawlers(crawlers::table(args.crawlers.as_deref())?);
    let (connection, threads) = transport::start();
    let outcome = serve(&connection, linter);
    // The threads end when the sender is dropped.
    drop(connection);
    threads.join()?;
    outcome
}

/// Answers requests until the client ends the session. If the client exits without a shutdown request first, the
/// outcome is `No` (LSP 3.17, exit).
fn serve(connection: &Connection, linter: Linter) -> Result<Outcome> {
    let (id, params) = connection.initialize_start()?;
    let encoding = Encoding::offered(&params);
    let capabilities = json!({
        "positionEncoding": encoding.name(),
        "textDocumentSync": lsp::SYNC_FULL,
        "hoverProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "documentSymbolProvider": true,
        "completionProvider": { "triggerCharacters": [":", " "] },
    });
    let about = json!({ "name": "comity", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities, "serverInfo": about }))?;
    let mut server = Server { connection, linter, encoding, documents: HashMap::new() };
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(Outcome::Yes);
                }
                server.answer(request)?;
            }
            Message::Notification(notification) if notification.method == "exit" => return Ok(Outcome::No),
            // Notifications that cannot be understood are ignored, because they have no answer.
            Message::Notification(notification) => {
                let _ = server.note(notification);
            }
            Message::Response(_) => {}
        }
    }
    Ok(Outcome::Yes)
}

struct Server<'a> {
    connection: &'a Connection,
    linter: Linter,
    encoding: Encoding,
    documents: HashMap<String, Document>,
}

/// An open file.
struct Document {
    text: String,
    version: Option<i32>,
    findings: Vec<Finding>,
}

impl Server<'_> {
    fn answer(&self, request: Request) -> Result<()> {
        let Request { id, method, params } = request;
        let result = match method.as_str() {
            "textDocument/hover" => self.about(params, |document, places, params| {
                let at = places.offset(params.position()?);
                to_json(hover::at(&document.text, places, at, self.linter.crawlers()))
            }),
            "textDocument/completion" => self.about(params, |document, places, params| {
                let at = places.offset(params.position()?);
                to_json(completion::at(&document.text, places, at, self.linter.crawlers()))
            }),
            "textDocument/codeAction" => {
                self.about(params, |document, places, params| self.code_actions(document, places, params))
            }
            "textDocument/documentSymbol" => {
                self.about(params, |document, places, _| to_json(symbols::of(&document.text, places)))
            }
            _ => {
                let message = format!("comity does not know the request {method}");
                self.connection.sender.send(Message::Response(Response::new_err(
                    id,
                    ErrorCode::MethodNotFound as i32,
                    message,
                )))?;
                return Ok(());
            }
        };
        let response = match result {
            Ok(value) => Response::new_ok(id, value),
            Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error::message(&error)),
        };
        self.connection.sender.send(Message::Response(response))?;
        Ok(())
    }

    /// Answers a request about an open file, or with null if the file is not open.
    fn about(
        &self,
        params: Value,
        answer: impl FnOnce(&Document, &Places<'_>, &lsp::Params) -> Result<Value>,
    ) -> Result<Value> {
        let params: lsp::Params = serde_json::from_value(params)?;
        let Some(document) = self.documents.get(&params.text_document.uri) else { return Ok(Value::Null) };
        answer(document, &Places::new(&document.text, self.encoding), &params)
    }

    fn note(&mut self, notification: Notification) -> Result<()> {
        let params = || serde_json::from_value::<lsp::Params>(notification.params);
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let lsp::TextDocument { uri, version, text } = params()?.text_document;
                self.read(uri, version, text.context("expected a text")?)?;
            }
            "textDocument/didChange" => {
                let lsp::Params { text_document, content_changes, .. } = params()?;
                // Changes arrive as whole texts, as the capabilities require.
                let last = content_changes.into_iter().next_back().context("a change without a text")?;
                if last.range.is_none() {
                    self.read(text_document.uri, text_document.version, last.text)?;
                }
            }
            "textDocument/didClose" => {
                let uri = params()?.text_document.uri;
                self.documents.remove(&uri);
                self.publish(&json!({ "uri": uri, "diagnostics": [] }))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Lints a text, and sends the findings to the client.
    fn read(&mut self, uri: String, version: Option<i32>, text: String) -> Result<()> {
        let findings = self.linter.lint(text.as_bytes(), &known(&uri)).diagnostics;
        let document = Document { text, version, findings };
        let places = Places::new(&document.text, self.encoding);
        let mut diagnostics: Vec<_> = document.findings.iter().map(|found| diagnostic(found, &places)).collect();
        diagnostics.extend(unknown::hints(&document.text, &places, &document.findings, self.linter.crawlers()));
        self.publish(&json!({ "uri": uri, "version": document.version, "diagnostics": diagnostics }))?;
        self.documents.insert(uri, document);
        Ok(())
    }

    fn publish(&self, params: &Value) -> Result<()> {
        let notification = Notification::new("textDocument/publishDiagnostics".to_owned(), params);
        self.connection.sender.send(Message::Notification(notification))?;
        Ok(())
    }

    /// Returns the actions for the findings in a range: the fixes, and for each finding a comment that ignores it.
    fn code_actions(&self, document: &Document, places: &Places<'_>, params: &lsp::Params) -> Result<Value> {
        let (uri, range) = (&params.text_document.uri, params.range()?);
        let asked = places.offset(range.start)..places.offset(range.end);
        let mut actions = Vec::new();
        for found in &document.findings {
            if found.span.start > asked.end || found.span.end < asked.start {
                continue;
            }
            if let Some((title, fix)) = found.fix.as_ref().and_then(|fix| offer(&self.linter, &document.text, fix)) {
                actions.push(action(uri, &title, found, fix, places));
            }
            actions.push(ignore(uri, &document.text, found, places));
        }
        to_json(actions)
    }
}

fn to_json(value: impl serde::Serialize) -> Result<Value> {
    Ok(serde_json::to_value(value)?)
}

/// Returns the name of the file as evidence. Nothing is known about the address where the file is served.
fn known(uri: &str) -> Evidence {
    let name = |uri: Url| uri.path_segments()?.next_back().map(str::to_owned);
    let mut evidence = Evidence::default();
    evidence.location = Url::parse(uri).ok().and_then(name);
    evidence
}

fn diagnostic(found: &Finding, places: &Places<'_>) -> Value {
    let message = match &found.help {
        Some(help) => format!("{}\n{help}", found.message),
        None => found.message.clone(),
    };
    let severity = match found.severity {
        Severity::Error => lsp::SEVERITY_ERROR,
        Severity::Warning => lsp::SEVERITY_WARNING,
        _ => lsp::SEVERITY_INFORMATION,
    };
    json!({
        "range": places.range(&found.span),
        "severity": severity,
        "code": found.lint.code,
        "source": "comity",
        "message": message,
    })
}

/// Returns a fix and its title, which includes the effect on verdicts. Two kinds of fixes are not offered: a safe fix
/// that changes verdicts, and an unsafe fix that newly blocks `/` or a path that no rule named.
fn offer<'f>(linter: &Linter, text: &str, fix: &'f Fix) -> Option<(String, &'f Fix)> {
    let changes = linter.preview(text.as_bytes(), fix);
    if fix.safety == Safety::Safe {
        return changes.is_none().then(|| (fix.title.clone(), fix));
    }
    if linter.blocks_site(text.as_bytes(), fix) {
        return None;
    }
    let what = changes.examples.first().map_or_else(
        || "no verdict changes".to_owned(),
        |change| {
            let now = if change.allowed { "allows" } else { "blocks" };
            format!("{now} {} for {}, for instance", change.path, change.agent)
        },
    );
    Some((format!("{} ({what})", fix.title), fix))
}

fn action(uri: &str, title: &str, found: &Finding, fix: &Fix, places: &Places<'_>) -> Value {
    let edits: Vec<Value> = fix
        .edits
        .iter()
        .map(|edit| json!({ "range": places.range(&edit.span), "newText": String::from_utf8_lossy(&edit.text) }))
        .collect();
    json!({
        "title": title,
        "kind": "quickfix",
        "isPreferred": fix.safety == Safety::Safe,
        "diagnostics": [diagnostic(found, places)],
        "edit": { "changes": { uri: edits } },
    })
}

/// Returns the action that adds a comment to the end of the finding's line to ignore it.
fn ignore(uri: &str, text: &str, found: &Finding, places: &Places<'_>) -> Value {
    let end = text[found.span.end..].find(['\r', '\n']).map_or(text.len(), |at| found.span.end + at);
    let edit = json!({
        "range": places.range(&(end..end)),
        "newText": format!("  # comity: ignore[{}]", found.lint.code),
    });
    json!({
        "title": format!("Ignore {} here", found.lint.code),
        "kind": "quickfix",
        "diagnostics": [diagnostic(found, places)],
        "edit": { "changes": { uri: [edit] } },
    })
}

//! Runs a session with `comity lsp` over pipes, as an editor does.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

const URI: &str = "file:///site/robots.txt";

struct Session {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    last_id: u64,
}

impl Session {
    fn start(encodings: &Value) -> (Self, Value) {
        let mut server = Command::new(env!("CARGO_BIN_EXE_comity"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = server.stdin.take().unwrap();
        let output = server.stdout.take().unwrap();
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut session = Self { server, input, messages, last_id: 0 };
        let answer =
            session.ask("initialize", &json!({ "capabilities": { "general": { "positionEncodings": encodings } } }));
        session.tell("initialized", &json!({}));
        (session, answer["result"].clone())
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn receive(&self) -> Value {
        self.messages.recv_timeout(Duration::from_secs(60)).expect("the server says something")
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }));
        let answer = self.receive();
        assert_eq!(answer["id"], self.last_id, "{answer}");
        answer
    }

    /// Opens or changes the file. Returns the findings of the server.
    fn open(&mut self, text: &str) -> Value {
        let document = json!({ "uri": URI, "languageId": "robots", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
        self.diagnostics()
    }

    fn change(&mut self, text: &str) -> Value {
        let document = json!({ "uri": URI, "version": 2 });
        self.tell("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
        self.diagnostics()
    }

    fn diagnostics(&self) -> Value {
        let message = self.receive();
        assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
        message["params"]["diagnostics"].clone()
    }

    fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        let answer = self.ask(method, &json!({ "textDocument": { "uri": URI }, "position": position }));
        answer["result"].clone()
    }

    /// Ends the session. The server must exit with success.
    fn end(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null)["result"], Value::Null);
        self.tell("exit", &Value::Null);
        drop(self.input);
        assert!(self.server.wait().unwrap().success());
    }
}

fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().unwrap(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

/// Applies the edits of a code action, in reverse order.
fn apply(text: &str, action: &Value) -> String {
    let mut lines: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
    let mut edits = action["edit"]["changes"][URI].as_array().unwrap().clone();
    edits.reverse();
    for edit in edits {
        let place = |end: &str| {
            let at = &edit["range"][end];
            let number = |key: &str| usize::try_from(at[key].as_u64().unwrap()).unwrap();
            (number("line"), number("character"))
        };
        let ((line, from), (last, to)) = (place("start"), place("end"));
        let new: Vec<u16> = edit["newText"].as_str().unwrap().encode_utf16().collect();
        let tail = lines[last][to..].to_vec();
        lines[line].truncate(from);
        lines[line].extend(new);
        lines[line].extend(tail);
        lines.drain(line + 1..=last);
    }
    lines.iter().map(|line| String::from_utf16(line).unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_editor_has_a_session() {
    let (mut session, about) = Session::start(&Value::Null);
    assert_eq!(about["serverInfo"]["name"], "comity");
    assert_eq!(about["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(about["capabilities"]["hoverProvider"], true);

    // A character outside the basic plane has two UTF-16 units. The position of a finding after it includes both.
    let text = "User-agent: *\nDissallow: /\u{1F600}\u{E9}\nDisallow: private\nDisallow: /a\nUser-agent: Googlebot-Image\nDisallow: /a\nDisallow: /*.png$\n";
    let found = session.open(text);
    let codes: Vec<&str> = found.as_array().unwrap().iter().map(|found| found["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["L014", "L012", "L010"], "{found}");
    assert_eq!(
        found[1]["range"],
        json!({ "start": { "line": 1, "character": 11 }, "end": { "line": 1, "character": 15 } })
    );
    assert_eq!(found[2]["severity"], 1);

    // After the safe fix of line 2, the line has no finding.
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 3 } });
    let asked = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
    let actions = session.ask("textDocument/codeAction", &asked)["result"].clone();
    let titles: Vec<&str> =
        actions.as_array().unwrap().iter().map(|action| action["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["write `Disallow:`", "Ignore L014 here"]);
    assert_eq!(actions[0]["isPreferred"], true);
    let fixed = apply(text, &actions[0]);
    assert!(fixed.starts_with("User-agent: *\nDisallow: /\u{1F600}\u{E9}\n"), "{fixed}");
    let found = session.change(&fixed);
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");

    // The title of an unsafe fix states its effect.
    let range = json!({ "start": { "line": 2, "character": 12 }, "end": { "line": 2, "character": 12 } });
    let asked = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
    let actions = session.ask("textDocument/codeAction", &asked)["result"].clone();
    assert_eq!(actions[0]["title"], "add the slash (blocks /private for *, for instance)");
    assert_eq!(actions[0]["isPreferred"], false);
    let ignored = session.change(&apply(&fixed, &actions[1]));
    assert_eq!(ignored.as_array().unwrap().len(), 1, "{ignored}");

    let hover = session.at("textDocument/hover", 6, 3);
    let words = hover["contents"]["value"].as_str().unwrap();
    assert!(
        words.starts_with("Blocks URLs that end with `.png`, for `Googlebot-Image`.") && words.contains("7 bytes"),
        "{words}"
    );
    let hover = session.at("textDocument/hover", 2, 3);
    assert_eq!(
        hover["contents"]["value"],
        "Matches nothing: it starts with neither / nor *.\n\n**This line does nothing:** removing it changes no answer, for any URL and any crawler. It matches no URL, or only URLs that are allowed anyway."
    );
    let hover = session.at("textDocument/hover", 4, 20);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("uses that of `Googlebot`"), "{hover}");

    let labels = |items: &Value| -> Vec<String> {
        items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    };
    assert!(labels(&session.at("textDocument/completion", 7, 0)).contains(&"Disallow".to_owned()));
    assert!(labels(&session.at("textDocument/completion", 4, 12)).contains(&"GPTBot".to_owned()));
    assert!(labels(&session.at("textDocument/completion", 5, 12)).is_empty());

    let symbols =
        session.ask("textDocument/documentSymbol", &json!({ "textDocument": { "uri": URI } }))["result"].clone();
    assert_eq!(symbols[1]["name"], "Googlebot-Image");
    assert_eq!(symbols[1]["children"][1]["name"], "Disallow: /*.png$");

    assert_eq!(session.ask("textDocument/rename", &json!({}))["error"]["code"], -32601);
    assert_eq!(session.ask("textDocument/hover", &json!({ "position": 1 }))["error"]["code"], -32602);
    session.tell("textDocument/didClose", &json!({ "textDocument": { "uri": URI } }));
    assert_eq!(session.diagnostics(), json!([]));
    session.end();
}

#[test]
fn unknown_names_are_flagged_while_they_are_typed() {
    let (mut session, _) = Session::start(&Value::Null);
    let mut previous = session.open("User-agent: *\nDisallow: /x/\n\nUser-agent: \nDisallow:\n");
    // Without a name, the line is a mistake, and with one that nobody knows, there is a hint.
    for (typed, expected) in [
        ("Goog", Some((4, "unknown-crawler"))),
        ("Gogglebot", Some((2, "L034"))),
        ("Googlebot", None),
        ("example bot", Some((4, "unknown-crawler"))),
        ("*", None),
    ] {
        let found = session.change(&format!("User-agent: *\nDisallow: /x/\n\nUser-agent: {typed}\nDisallow:\n"));
        let range = json!({
            "start": { "line": 3, "character": 12 },
            "end": { "line": 3, "character": 12 + typed.len() },
        });
        let codes = ["unknown-crawler", "L034"];
        let of_name: Vec<_> = found
            .as_array()
            .unwrap()
            .iter()
            .filter(|found| found["range"] == range)
            .map(|found| (found["severity"].as_u64().unwrap(), found["code"].as_str().unwrap()))
            .filter(|(_, code)| codes.contains(code))
            .collect();
        assert_eq!(of_name, expected.into_iter().collect::<Vec<_>>(), "{typed}: {found}");
        assert_ne!(found, previous, "{typed}");
        previous = found;
    }
    let found = session.change("User-agent: user # user\nDisallow: /x/\n");
    let range = json!({ "start": { "line": 0, "character": 12 }, "end": { "line": 0, "character": 16 } });
    assert_eq!((&found[0]["code"], &found[0]["range"]), (&"unknown-crawler".into(), &range), "{found}");
    // So is a field.
    let found = session.change("User-agent: *\nDisalow: /x/\nFoo: bar\n");
    let codes: Vec<_> = found.as_array().unwrap().iter().map(|found| found["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["L014", "L053"]);
    session.end();
}

#[test]
fn a_fix_that_closes_the_site_is_not_offered() {
    let (mut session, _) = Session::start(&Value::Null);
    let mut offered = |text: &str, line: u32| {
        session.open(text);
        let range = json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 30 } });
        let asked = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
        let actions = session.ask("textDocument/codeAction", &asked)["result"].clone();
        let titles = actions.as_array().unwrap().iter().map(|action| action["title"].as_str().unwrap().to_owned());
        titles.collect::<Vec<_>>()
    };
    assert_eq!(offered("User-agent: * Disallow: /\n", 0), ["Ignore L043 here"]);
    assert_eq!(offered("User-agent: *\nDisallow: /* */\n", 1), ["Ignore L012 here"]);
    // One that names the path is offered.
    assert_eq!(
        offered("User-agent: *\nDisallow: private/\n", 1),
        ["add the slash (blocks /private/ for *, for instance)", "Ignore L010 here"]
    );
    session.end();
}

#[test]
fn a_rule_says_what_its_removal_changes() {
    let (mut session, _) = Session::start(&Value::Null);
    let text = "User-agent: *\nDisallow: /shop/\nAllow: /shop/help/\nDisallow: /shop/cart\nAllow: /free\n\nUser-agent: A\nDisallow: /a\nUser-agent: B\nDisallow: /b\n";
    session.open(text);
    let mut words = |line| {
        let hover = session.at("textDocument/hover", line, 3);
        hover["contents"]["value"].as_str().unwrap().to_owned()
    };
    for (line, parts) in [
        (
            1,
            &[
                "Removing it changes answers:",
                "- **Newly allowed** for every crawler but ",
                " (line 2): URLs that match /shop/, but not /shop/help/ (line 3) or /shop/cart (line 4), such as `/shop/`",
            ][..],
        ),
        (2, &["- **Newly blocked** for ", "all URLs that match /shop/help/, such as"]),
        (
            3,
            &[
                "**This line does nothing:** removing it changes no answer",
                "Line 2 decides instead, or gives the same answer.",
            ],
        ),
        (4, &["**This line does nothing:**", "It matches no URL, or only URLs that are allowed anyway."]),
        // Without its only rule, the name of the first group becomes one of the second.
        (7, &["- **Newly blocked** for A (line 10): all URLs that match /b", "- **Newly allowed** for A (line 8)"]),
    ] {
        let words = words(line);
        for part in parts {
            assert!(words.contains(part), "{part:?} is not in {words}");
        }
        assert!(!words.contains("old line"), "{words}");
    }
    session.end();
}

#[test]
fn an_effect_that_takes_too_long_is_called_undecided() {
    let (mut session, _) = Session::start(&Value::Null);
    let rule = |kind: &str, seed: u32| {
        let letters = (0..14).map(|bit| if seed >> bit & 1 == 0 { "*a" } else { "*b" }).collect::<String>();
        format!("{kind}: /{letters}\n")
    };
    let rules: String =
        (0..300).map(|seed| rule(if seed % 2 == 0 { "Allow" } else { "Disallow" }, seed * 37)).collect();
    session.open(&format!("User-agent: *\n{rules}"));
    let hover = session.at("textDocument/hover", 150, 3);
    let words = hover["contents"]["value"].as_str().unwrap();
    assert!(words.contains("Not everything could be decided") && !words.contains("does nothing"), "{words}");
    session.end();
}

#[test]
fn columns_are_bytes_if_both_can_count_them() {
    let (mut session, about) = Session::start(&json!(["utf-16", "utf-8"]));
    assert_eq!(about["capabilities"]["positionEncoding"], "utf-8");
    let found = session.open("User-agent: *\nDisallow: /\u{1F600}x\n");
    assert_eq!(found[0]["range"]["end"], json!({ "line": 1, "character": 16 }));
    session.end();
}

#[test]
fn nonsense_ends_no_session() {
    let (mut session, _) = Session::start(&json!(["utf-16"]));
    session.tell("textDocument/didChange", &json!(7));
    session.tell("textDocument/didOpen", &json!({ "textDocument": { "uri": "::", "text": 1 } }));
    session.tell("no/such", &json!(null));
    session.open("User-agent: *\nDisallow: /\u{1F600}x\n");
    let far = session.at("textDocument/hover", u32::MAX, u32::MAX);
    assert!(far.is_null(), "{far}");
    let unknown = json!({ "textDocument": { "uri": "file:///other.txt" }, "position": { "line": 0, "character": 0 } });
    let unknown = session.ask("textDocument/completion", &unknown);
    assert!(unknown["error"].is_object() || unknown["result"].is_null(), "{unknown}");
    // An exit without a shutdown request is an error.
    session.tell("exit", &json!(null));
    assert_eq!(session.server.wait().unwrap().code(), Some(1));
}

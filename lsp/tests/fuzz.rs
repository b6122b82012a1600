//! Long random sessions: edits of all kinds, requests in flight, cancellations, documents closed and opened again, settings and
//! files that change. Every request is answered once, and every now and then, and in the end, the server knows what a fresh one
//! knows that was only shown the texts as they are.
//!
//! `PALLAS_FUZZ_EDITS=100000 cargo test -p pallas-lsp --test fuzz` makes it long; `PALLAS_FUZZ_SEED` begins elsewhere.

use crate::client::{Client, Dice, at, editor, pulling_editor, sample};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

const DOCUMENTS: [&str; 3] = ["file:///work/a.py", "file:///work/b%20c.py", "untitled:Untitled-1"];
const SAMPLES: [&str; 3] = ["02_blocked_add.py", "05_templated_matmul.py", "01_add.py"];
/// What people type, and what they do not.
const SNIPPETS: [&str; 26] = [
    "\n",
    "\r\n",
    "\r",
    " ",
    "    ",
    "(",
    ")",
    ",",
    ":",
    "=",
    "#",
    "\"",
    "'''",
    "🙂",
    "é",
    "𝐱",
    "e\u{301}",
    "i",
    "0",
    "x_ref",
    "[...]",
    "lambda i: (i, 0)",
    "pl.BlockSpec((8, 128), ",
    "\nimport jax\n",
    "\ndef f(x):\n  return x\n",
    "  # pallas: ignore\n",
];

/// A document as the client has it.
struct Document {
    version: i32,
    text: String,
}

/// Line and UTF-16 column of a byte offset. Lines end as the protocol says.
fn position(text: &str, offset: usize) -> Value {
    let (mut line, mut start) = (0, 0);
    let bytes = text.as_bytes();
    for index in 0..offset {
        let ends = bytes[index] == b'\n' || (bytes[index] == b'\r' && bytes.get(index + 1) != Some(&b'\n'));
        if ends {
            line += 1;
            start = index + 1;
        }
    }
    json!({"line": line, "character": text[start..offset].encode_utf16().count()})
}

/// A random place that a client can name: between characters, and not inside of a line ending.
fn place(dice: &mut Dice, text: &str) -> usize {
    let mut offset = dice.below(text.len() + 1);
    while !text.is_char_boundary(offset) || text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
        offset -= 1;
    }
    offset
}

/// A random change, made to the text and given as the protocol has it.
fn change(dice: &mut Dice, text: &mut String) -> Value {
    if dice.below(40) == 0 {
        *text = sample(SAMPLES[dice.below(SAMPLES.len())]);
        return json!({"text": text});
    }
    let start = place(dice, text);
    let end = match dice.below(3) {
        0 => start,
        1 => text[start..].char_indices().nth(1 + dice.below(12)).map_or(text.len(), |(length, _)| start + length),
        _ => place(dice, &text.clone()).max(start),
    };
    // Long pieces go seldom, so that the texts do not die out.
    let end = if end > start + 40 && dice.below(8) > 0 { start } else { end };
    let end = if text[..end].ends_with('\r') && text[end..].starts_with('\n') { end - 1 } else { end }.max(start);
    let new = SNIPPETS[dice.below(SNIPPETS.len())];
    let range = json!({"start": position(text, start), "end": position(text, end)});
    text.replace_range(start..end, new);
    json!({"range": range, "text": new})
}

/// Asks something about a document.
fn ask(dice: &mut Dice, client: &mut Client, uri: &str, text: &str) -> i64 {
    let offset = place(dice, text);
    let here = position(text, offset);
    let mut params = at(uri, 0, 0);
    params["position"] = here.clone();
    let range = json!({"start": {"line": 0, "character": 0}, "end": here});
    let methods = [
        "textDocument/hover",
        "textDocument/completion",
        "textDocument/signatureHelp",
        "textDocument/references",
        "textDocument/documentHighlight",
        "textDocument/definition",
        "textDocument/typeDefinition",
        "textDocument/inlayHint",
        "textDocument/codeAction",
        "textDocument/codeLens",
        "textDocument/documentSymbol",
        "textDocument/diagnostic",
        "textDocument/prepareRename",
        "textDocument/rename",
    ];
    let method = methods[dice.below(methods.len())];
    params["range"] = range;
    params["newName"] = json!("block");
    params["context"] = json!({"diagnostics": [], "includeDeclaration": true, "triggerKind": 1, "isRetrigger": false});
    client.ask(method, params)
}

/// What a server knows of a text: diagnostics, hints, lenses and the outline.
fn knowledge(client: &mut Client, uri: &str, text: &str) -> Vec<Value> {
    let document = json!({"textDocument": {"uri": uri}});
    let range = json!({"start": {"line": 0, "character": 0}, "end": position(text, text.len())});
    let mut answer = |method: &str, params: Value| client.request(method, params).expect(method);
    let mut diagnostics = answer("textDocument/diagnostic", document.clone());
    vec![
        diagnostics["items"].take(),
        answer("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": range})),
        answer("textDocument/codeLens", document.clone()),
        answer("textDocument/documentSymbol", document),
    ]
}

/// After so many edits, what the server knows is compared with what a fresh one knows; and at the end.
const BETWEEN_CHECKS: usize = 250;

/// Compares what the server knows of all documents with what a fresh one knows.
fn check(client: &mut Client, documents: &HashMap<&str, Document>, seed: u64) {
    let (mut fresh, _) = Client::initialize(pulling_editor());
    for (uri, document) in documents {
        fresh.open(uri, &document.text);
    }
    for (uri, document) in documents {
        let (was, is) = (knowledge(client, uri, &document.text), knowledge(&mut fresh, uri, &document.text));
        assert_eq!(was, is, "seed {seed}: {uri}\n{}", document.text);
    }
    assert_eq!(fresh.finish(), Some(0));
}

/// Something that editors say of other things than texts. It changes nothing for good.
fn aside(dice: &mut Dice, client: &mut Client, uri: &str, asked: &mut Vec<i64>) {
    match dice.below(5) {
        0 => {
            let changed = json!({"changes": [{"uri": "file:///work/else.py", "type": 1 + dice.below(3)}]});
            client.notify("workspace/didChangeWatchedFiles", changed);
        }
        1 => {
            // Two in a row, so that what was set is what was set before.
            for enable in [false, true] {
                let settings = json!({"pallas": {"inlayHints": {"values": enable}}});
                client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
            }
        }
        2 => client.notify("$/setTrace", json!({"value": if dice.below(2) == 0 { "verbose" } else { "off" }})),
        3 => asked.push(client.ask("workspace/diagnostic", json!({"previousResultIds": []}))),
        _ => client.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}})),
    }
}

fn session(seed: u64, edits: usize, capabilities: Value) {
    let mut dice = Dice::new(seed);
    let (mut client, _) = Client::initialize(capabilities);
    let mut documents: HashMap<&str, Document> = HashMap::new();
    let mut asked: Vec<i64> = Vec::new();
    let (mut made, mut next_check) = (0, BETWEEN_CHECKS);
    while made < edits {
        let uri = DOCUMENTS[dice.below(DOCUMENTS.len())];
        let Some(document) = documents.get_mut(uri) else {
            let text = sample(SAMPLES[dice.below(SAMPLES.len())]);
            let text = if dice.below(2) == 0 { text.replace('\n', "\r\n") } else { text };
            client.open(uri, &text);
            documents.insert(uri, Document { version: 1, text });
            continue;
        };
        match dice.below(12) {
            0 if dice.below(8) == 0 => {
                documents.remove(uri);
                client.close(uri);
            }
            0 => aside(&mut dice, &mut client, uri, &mut asked),
            1..4 => asked.push(ask(&mut dice, &mut client, uri, &document.text)),
            4 => {
                if let Some(id) = asked.get(dice.below(asked.len().max(1))) {
                    client.notify("$/cancelRequest", json!({"id": id}));
                }
            }
            _ => {
                document.version += 1;
                let changes: Vec<Value> =
                    (0..1 + dice.below(3)).map(|_| change(&mut dice, &mut document.text)).collect();
                made += changes.len();
                client.change(uri, document.version, Value::Array(changes));
            }
        }
        // The client reads now and then: answers pile up in between.
        if asked.len() > 60 || made >= next_check {
            for id in asked.drain(..) {
                settled(&mut client, id);
            }
        }
        if made >= next_check {
            check(&mut client, &documents, seed);
            next_check = made + BETWEEN_CHECKS;
        }
    }
    for id in asked {
        settled(&mut client, id);
    }
    check(&mut client, &documents, seed);
    let leftover = client.leftover();
    let ids: HashSet<&Value> = leftover.iter().filter(|m| m.get("method").is_none()).map(|m| &m["id"]).collect();
    assert!(ids.is_empty(), "seed {seed}: answered twice: {ids:?}");
    assert_eq!(client.finish(), Some(0), "seed {seed}");
}

/// A request has one answer: a result, or that it was cancelled or overtaken by an edit.
fn settled(client: &mut Client, id: i64) {
    if let Err(error) = client.answer(id) {
        // Cancelled, about an older text, or a name that cannot be renamed.
        assert!(matches!(error["code"].as_i64(), Some(-32800 | -32801 | -32803)), "{error}");
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_sessions_end_as_fresh_ones_begin() {
    let (edits, first) = (number("PALLAS_FUZZ_EDITS", 400) as usize, number("PALLAS_FUZZ_SEED", 0));
    for seed in first..first + 2 {
        session(seed, edits / 2, pulling_editor());
    }
}

/// A client that is pushed to: the last diagnostics that it got are those of the last text.
#[test]
fn what_was_pushed_last_is_what_a_fresh_server_says() {
    let edits = number("PALLAS_FUZZ_EDITS", 400) as usize / 4;
    let mut dice = Dice::new(number("PALLAS_FUZZ_SEED", 0) + 100);
    let uri = DOCUMENTS[0];
    let (mut client, _) = Client::initialize(editor());
    let mut text = sample(SAMPLES[1]);
    client.open(uri, &text);
    let mut version = 1;
    for _ in 0..edits {
        version += 1;
        let edit = change(&mut dice, &mut text);
        client.change(uri, version, json!([edit]));
    }
    let pushed = client.published(uri, version);
    let (mut fresh, _) = Client::initialize(editor());
    fresh.open(uri, &text);
    assert_eq!(pushed, fresh.published(uri, 1), "{text}");
    assert!(client.leftover().iter().all(|m| m["params"]["version"].as_i64() < Some(i64::from(version))));
    assert_eq!(fresh.finish(), Some(0));
    assert_eq!(client.finish(), Some(0));
}

//! Input that no well-made editor sends, and editors that die.

use crate::client::{Client, Dice, at, editor, framed, pulling_editor, sample};
use serde_json::{Value, json};

const URI: &str = "file:///work/a.py";

/// The server still serves.
fn still_serves(client: &mut Client) {
    client.open("file:///work/alive.py", "import jax\nalive = 12345\nalive\n");
    assert!(client.hover("file:///work/alive.py", (2, 1)).contains("alive: int = 12345"));
    client.close("file:///work/alive.py");
}

#[test]
fn malformed_messages_are_refused_and_passed_over() {
    let (mut client, _) = Client::initialize(pulling_editor());
    for body in
        ["{", "[]", "null", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"x\"}", "{\"jsonrpc\":\"2.0\",\"id\":{}}"]
    {
        client.send_raw(&framed(body));
        let answer = client.wait_for("a refusal", |m| m["id"].is_null() && m["error"]["code"] == -32700);
        assert!(answer["error"]["message"].is_string());
    }
    client.send_raw(b"Content-Length: many\r\n\r\n");
    client.send_raw(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.send_raw(b"Content-Length: 5\r\n\r\n\xff\xff\xff\xff\xff");
    still_serves(&mut client);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn unknown_methods_and_wrong_parameters_get_errors() {
    let (mut client, _) = Client::initialize(pulling_editor());
    assert_eq!(client.request("textDocument/teleport", json!({})).expect_err("unknown")["code"], -32601);
    assert_eq!(client.request("textDocument/hover", json!({"position": 7})).expect_err("wrong")["code"], -32602);
    assert_eq!(client.request("textDocument/hover", json!([])).expect_err("wrong")["code"], -32602);
    assert_eq!(client.request("initialize", json!({"capabilities": {}})).expect_err("twice")["code"], -32600);
    client.notify("textDocument/didTeleport", json!({}));
    client.notify("$/unheardOf", json!({"x": 1}));
    client.notify("textDocument/didChange", json!({"textDocument": 3}));
    client.change("file:///never/opened.py", 4, json!([{"text": "x"}]));
    client.close("file:///never/opened.py");
    assert_eq!(client.request("textDocument/hover", at("file:///never/opened.py", 0, 0)), Ok(Value::Null));
    // A second opening and a version that goes back: taken as they come.
    client.open(URI, "import jax\none = 1\none\n");
    client.open(URI, "import jax\ntwo = 2\ntwo\n");
    client.replace(URI, -5, "import jax\nthree = 3\nthree\n");
    assert!(client.hover(URI, (2, 1)).contains("three: int = 3"));
    still_serves(&mut client);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn before_initialize_there_is_nothing() {
    let mut client = Client::start();
    assert_eq!(client.request("textDocument/hover", at(URI, 0, 0)).expect_err("too early")["code"], -32002);
    client.open(URI, "x = 1");
    assert!(client.request("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}})).is_ok());
    still_serves(&mut client);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn an_editor_that_dies_takes_the_server_with_it() {
    let (mut client, _) = Client::initialize(editor());
    client.open(URI, "import jax\nwhile True:\n  pass\n");
    client.hang_up();
    assert_eq!(client.exit_status(), Some(0));
    // In the middle of a message, and before the first.
    let (mut client, _) = Client::initialize(editor());
    client.send_raw(b"Content-Length: 100\r\n\r\n{\"jsonrpc\"");
    client.hang_up();
    assert_eq!(client.exit_status(), Some(0));
    let mut client = Client::start();
    client.hang_up();
    assert_eq!(client.exit_status(), Some(0));
}

#[test]
fn exit_without_shutdown_is_an_error() {
    let (mut client, _) = Client::initialize(editor());
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_status(), Some(1));
}

#[test]
fn after_shutdown_nothing_is_served_but_exit() {
    let (mut client, _) = Client::initialize(editor());
    client.open(URI, "import jax\nwhile True:\n  pass\n");
    assert_eq!(client.request("shutdown", Value::Null), Ok(Value::Null));
    assert_eq!(client.request("textDocument/hover", at(URI, 0, 0)).expect_err("too late")["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_status(), Some(0));
}

#[test]
fn programs_without_end_stop_when_they_are_edited() {
    let (mut client, _) = Client::initialize(pulling_editor());
    client.open(URI, "import jax\nwhile True:\n  pass\n");
    for version in 2..30 {
        client.replace(URI, version, &format!("import jax\nx = {version}\nwhile True:\n  x += 1\n"));
    }
    client.replace(URI, 30, "import jax\nx = 30\nx\n");
    assert!(client.hover(URI, (2, 0)).contains("x: int = 30"));
    assert_eq!(client.finish(), Some(0));
}

/// Every line of a sample, cut at its end and in its middle, as it is when somebody types it.
#[test]
fn half_typed_files_are_always_answered() {
    let (mut client, _) = Client::initialize(pulling_editor());
    let text = sample("05_templated_matmul.py");
    client.open(URI, "");
    let mut version = 1;
    let mut cuts = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        cuts.extend([start + line.len() / 2, start + line.len()]);
        start += line.len();
    }
    for cut in cuts.into_iter().filter(|cut| text.is_char_boundary(*cut)) {
        version += 1;
        client.replace(URI, version, &text[..cut]);
        let line = text[..cut].matches('\n').count();
        let report = client.pull(URI, None);
        assert!(report["items"].is_array(), "{report}");
        for item in report["items"].as_array().into_iter().flatten() {
            assert_ne!(item["code"], "PL009", "the analyser failed on the first {cut} bytes: {item}");
        }
        client.request("textDocument/hover", at(URI, line, 2)).expect("a hover or none");
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": line + 1, "character": 0}});
        let params = json!({"textDocument": {"uri": URI}, "range": range});
        client.request("textDocument/inlayHint", params).expect("hints or none");
    }
    still_serves(&mut client);
    assert_eq!(client.finish(), Some(0));
}

/// Messages of a real session, damaged: cut short, bytes changed, bytes put in, headers that lie.
#[test]
fn damaged_streams_never_end_the_server() {
    let messages: Vec<Vec<u8>> = [
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument":
            {"uri": URI, "languageId": "python", "version": 1, "text": "import jax\nx = '🙂'\n"}}}),
        json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": URI, "version": 2},
            "contentChanges": [{"range": {"start": {"line": 1, "character": 5}, "end": {"line": 9, "character": 0}}, "text": "é"}]}}),
        json!({"jsonrpc": "2.0", "id": "hover", "method": "textDocument/hover", "params": at(URI, 1, 1)}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": URI}}}),
        json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 7}}),
        json!({"jsonrpc": "2.0", "id": 0, "result": null}),
        json!({"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": URI}}}),
    ]
    .iter()
    .map(|message| framed(&message.to_string()))
    .collect();
    for seed in 0..6 {
        let mut dice = Dice::new(seed);
        let (mut client, _) = Client::initialize(pulling_editor());
        for _ in 0..150 {
            let mut bytes = messages[dice.below(messages.len())].clone();
            match dice.below(5) {
                0 => bytes.truncate(dice.below(bytes.len())),
                1 => (0..1 + dice.below(8)).for_each(|_| {
                    let index = dice.below(bytes.len());
                    bytes[index] = dice.below(256) as u8;
                }),
                2 => {
                    let index = dice.below(bytes.len());
                    let garbage = (0..dice.below(40)).map(|_| dice.below(256) as u8).collect::<Vec<_>>();
                    bytes.splice(index..index, garbage);
                }
                3 => {
                    let digit = b"Content-Length: ".len();
                    bytes[digit] = b'0' + dice.below(10) as u8;
                }
                _ => {}
            }
            client.send_raw(&bytes);
        }
        // A message that lied about its length may swallow a few that follow, but not for ever.
        for _ in 0..40 {
            client.notify("$/nothing", json!({"padding": " ".repeat(100)}));
        }
        still_serves(&mut client);
        assert_eq!(client.finish(), Some(0), "seed {seed}");
    }
}

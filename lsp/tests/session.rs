//! Whole sessions with the built server, from `initialize` to the end of the process.

use crate::client::{self, Client, Dice, at, editor, place, pulling_editor, sample};
use serde_json::{Value, json};

const URI: &str = "file:///work/my%20kernels/add.py";

/// A kernel with one mistake: the index map takes one program id too few.
const WRONG: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def add_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1

x = jnp.zeros((8, 128))
spec = pl.BlockSpec((8, 128), lambda i: (0, 0))
y = pl.pallas_call(add_kernel, out_shape=x, grid=(2, 3), in_specs=[spec])(x)
";

#[test]
fn from_the_first_message_to_the_last() {
    let (mut client, capabilities) = Client::initialize(editor());
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["textDocumentSync"]["change"], 2);
    assert_eq!(capabilities["hoverProvider"], true);
    assert_eq!(capabilities["inlayHintProvider"], true);
    assert!(capabilities.get("diagnosticProvider").is_none(), "this client is pushed to");

    // Diagnostics: none for a sample.
    let text = sample("02_blocked_add.py");
    client.open(URI, &text);
    assert_eq!(client.published(URI, 1), Vec::<Value>::new());

    // Hover on a Ref parameter, and on a value in the kernel.
    let hover = client.hover(URI, place(&text, "def add_kernel", "x_ref"));
    assert!(hover.contains("x_ref: ref<i32[2]>"), "{hover}");
    let hover = client.hover(URI, place(&text, "o_ref[...] = ", "x_ref[...]"));
    assert!(hover.contains("ref<i32[2]>"), "{hover}");
    assert_eq!(client.hover(URI, (0, 5)), "", "nothing to say of a docstring");
    assert_eq!(client.hover(URI, (9999, 9999)), "");

    // Hints, in the range that was asked for alone.
    let (line, _) = place(&text, "def add_kernel", "def");
    let hints = |client: &mut Client, first: usize, last: usize| -> Vec<(Value, String)> {
        let range = json!({"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}});
        let params = json!({"textDocument": {"uri": URI}, "range": range});
        let hints = client.request("textDocument/inlayHint", params).expect("hints");
        let hints = hints.as_array().expect("a list").iter();
        hints.map(|hint| (hint["position"].clone(), hint["label"].as_str().unwrap_or("?").to_string())).collect()
    };
    let here = hints(&mut client, line, line + 1);
    assert_eq!(here.len(), 3);
    assert_eq!(here[0], (json!({"line": line, "character": "def add_kernel(x_ref".len()}), ": ref<i32[2]>".into()));
    assert_eq!(hints(&mut client, 0, line), []);

    // Lenses above the launch.
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}})).expect("lenses");
    let (line, _) = place(&text, "  return pl.pallas_call", "pl");
    let shown = |lens: &Value| (lens["command"]["title"].clone(), lens["command"]["command"].clone());
    let shown: Vec<(Value, Value)> = lenses.as_array().expect("a list").iter().map(shown).collect();
    let expected = [("Run", "pallas.run"), ("Profile", "pallas.profile"), ("grid 4 · 4 programs", "")];
    assert_eq!(shown, expected.map(|(title, command)| (json!(title), json!(command))));
    assert_eq!(lenses[0]["range"]["start"]["line"], line);
    assert_eq!(lenses[0]["command"]["arguments"], json!([{"uri": URI, "line": line, "kernel": "add_kernel"}]));

    client.close(URI);
    let cleared = client.notification("textDocument/publishDiagnostics", |_| true);
    assert_eq!(cleared["diagnostics"], json!([]));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_mistake_is_pushed_with_all_that_is_known_of_it() {
    let (mut client, _) = Client::initialize(editor());
    client.open(URI, WRONG);
    let diagnostics = client.published(URI, 1);
    assert!(!diagnostics.is_empty());
    for diagnostic in &diagnostics {
        assert_eq!(diagnostic["source"], "pallas");
        assert_eq!(diagnostic["severity"], 1);
        assert!(diagnostic["code"].as_str().is_some_and(|code| code.starts_with("PL")), "{diagnostic}");
        assert!(diagnostic.get("codeDescription").is_none());
        assert!(diagnostic["message"].as_str().is_some_and(|message| !message.is_empty()));
        let (start, end) = (&diagnostic["range"]["start"], &diagnostic["range"]["end"]);
        assert_ne!(start, end, "something must be underlined");
    }
    // Mended: the same document, the next version.
    let (line, character) = place(WRONG, "lambda i", ":");
    let here = json!({"line": line, "character": character});
    client.change(URI, 2, json!([{"range": {"start": here, "end": here}, "text": ", j"}]));
    assert_eq!(client.published(URI, 2), Vec::<Value>::new());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn pulled_diagnostics_have_names_and_are_not_sent_twice() {
    let (mut client, capabilities) = Client::initialize(pulling_editor());
    assert_eq!(capabilities["diagnosticProvider"]["interFileDependencies"], true);
    client.open(URI, WRONG);
    let full = client.pull(URI, None);
    assert_eq!(full["kind"], "full");
    assert!(!full["items"].as_array().expect("items").is_empty());
    let name = full["resultId"].as_str().expect("a name").to_string();
    assert_eq!(client.pull(URI, Some(&name)), json!({"kind": "unchanged", "resultId": name}));
    // Asked right behind an edit, the answer is of the text after it.
    let mended = WRONG.replace("lambda i:", "lambda i, j:");
    client.replace(URI, 2, &mended);
    let now = client.pull(URI, Some(&name));
    assert_eq!((&now["kind"], &now["items"]), (&json!("full"), &json!([])));
    assert_eq!(client.pull("file:///never/opened.py", None)["items"], json!([]));
    client.close(URI);
    let pushed = client.leftover().into_iter().filter(|m| m["method"] == "textDocument/publishDiagnostics").count();
    assert_eq!(pushed, 0, "a client that pulls is not pushed to");
    assert_eq!(client.finish(), Some(0));
}

/// Editors ask for actions as soon as a file is open or edited: before its findings are there.
#[test]
fn actions_that_are_asked_for_early_wait_for_the_analysis() {
    let (mut client, _) = Client::initialize(pulling_editor());
    let (line, character) = place(WRONG, "lambda i", "i");
    let here = json!({"line": line, "character": character});
    let params = json!({
        "textDocument": {"uri": URI}, "range": {"start": here, "end": here}, "context": {"diagnostics": [], "triggerKind": 1},
    });
    client.open(URI, WRONG);
    let fixes = |actions: Value| {
        let actions = actions.as_array().expect("a list").clone();
        actions.into_iter().filter(|action| action["kind"] == "quickfix").collect::<Vec<_>>()
    };
    // Nobody has asked for diagnostics yet.
    let first = client.request("textDocument/codeAction", params.clone()).expect("actions");
    assert_eq!(fixes(first).len(), 1, "of the text that was opened");
    for version in 2..12 {
        // In one write with the edit, so that the analysis of the new text has not begun.
        let text = WRONG.replace("x = jnp", &format!("# {}\nx = jnp", "-".repeat(version)));
        let mut moved = params.clone();
        for end in ["start", "end"] {
            moved["range"][end]["line"] = json!(line + 1);
        }
        client.replace(URI, version as i32, &text);
        let id = client.ask("textDocument/codeAction", moved);
        let found = fixes(client.answer(id).expect("actions"));
        assert_eq!(found.len(), 1, "version {version}");
        assert_eq!(found[0]["edit"]["documentChanges"][0]["textDocument"]["version"], version, "of the newest text");
    }
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn four_hundred_edits_in_one_breath_are_applied_in_order() {
    let (mut client, _) = Client::initialize(pulling_editor());
    // The edits grow, shrink and replace a number; a comment before it has characters of one and two UTF-16 units.
    let head = "import jax\nseconds = '🙂é'; number = ";
    let mut digits = String::from("123456");
    client.open(URI, &format!("{head}{digits}\nnumber\n"));
    let column = "seconds = '🙂é'; number = ".encode_utf16().count();
    let mut dice = Dice::new(7);
    let mut bytes = Vec::new();
    for version in 2..402 {
        let start = 1 + dice.below(digits.len());
        let end = start + dice.below((digits.len() - start).min(3) + 1);
        let new: String = (0..dice.below(if digits.len() > 12 { 2 } else { 4 }))
            .map(|_| "0123456789".as_bytes()[dice.below(10)] as char)
            .collect();
        digits.replace_range(start..end, &new);
        let range =
            json!({"start": {"line": 1, "character": column + start}, "end": {"line": 1, "character": column + end}});
        let message = json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": {"uri": URI, "version": version}, "contentChanges": [{"range": range, "text": new}]}});
        bytes.extend(client::framed(&message.to_string()));
    }
    client.send_raw(&bytes);
    let hover = client.hover(URI, (2, 2));
    assert!(hover.contains(&format!("number: int = {digits}\n")), "{hover} is not {digits}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn requests_can_be_taken_back_and_are_answered_once() {
    let (mut client, _) = Client::initialize(pulling_editor());
    client.open(URI, &sample("17_attention.py"));
    let mut ids = Vec::new();
    for _ in 0..50 {
        let id = client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": URI}}));
        client.notify("$/cancelRequest", json!({"id": id}));
        ids.push(id);
    }
    let taken_back = ids.into_iter().map(|id| client.answer(id)).filter(Result::is_err).collect::<Vec<_>>();
    for error in &taken_back {
        assert_eq!(error.as_ref().expect_err("filtered")["code"], -32800);
    }
    assert!(!taken_back.is_empty(), "the analysis takes longer than the cancellation");
    client.notify("$/cancelRequest", json!({"id": 99999}));
    assert_eq!(client.pull(URI, None)["kind"], "full");
    assert!(client.leftover().iter().all(|m| m.get("id").is_none()), "no request has two answers");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn what_was_asked_of_an_older_text_is_refused() {
    let (mut client, _) = Client::initialize(pulling_editor());
    client.open(URI, &sample("17_attention.py"));
    let hover = client.ask("textDocument/hover", at(URI, 20, 3));
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = client.ask("textDocument/inlayHint", json!({"textDocument": {"uri": URI}, "range": range}));
    let pulled = client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": URI}}));
    client.replace(URI, 2, WRONG);
    // All of them were waiting for an analysis that the edit made stale.
    assert_eq!(client.answer(hover).expect_err("stale")["code"], -32801);
    assert_eq!(client.answer(hints).expect_err("stale")["code"], -32801);
    assert!(!client.answer(pulled).expect("newest")["items"].as_array().expect("items").is_empty());
    // The client was refused its hints, so it is told when there are some.
    client.pull(URI, None);
    client.hover(URI, (4, 16));
    assert_eq!(client.asked, ["workspace/inlayHint/refresh"]);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn imports_see_the_unsaved_texts_of_other_documents() {
    let (mut client, _) = Client::initialize(pulling_editor());
    let (helper, script) = ("file:///work/k%20k/sizes.py", "file:///work/k%20k/main.py");
    let text = "import jax\nfrom sizes import BLOCK\nBLOCK\n";
    client.open(script, text);
    assert_ne!(client.pull(script, None)["items"], json!([]), "there is no such module yet");
    client.open(helper, "import jax\nBLOCK = 128\n");
    assert!(client.hover(script, (2, 2)).contains("BLOCK: int = 128"));
    assert_eq!(client.pull(script, None)["items"], json!([]));
    assert_eq!(
        client.asked,
        ["workspace/diagnostic/refresh"],
        "the script's diagnostics changed without an edit of it"
    );
    client.replace(helper, 2, "import jax\nBLOCK = 256\n");
    assert!(client.hover(script, (2, 2)).contains("BLOCK: int = 256"));
    client.close(helper);
    assert_ne!(client.pull(script, None)["items"], json!([]));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn untitled_documents_and_two_documents_at_once() {
    let (mut client, _) = Client::initialize(editor());
    client.open("untitled:Untitled-1", WRONG);
    client.open(URI, &sample("01_add.py"));
    assert!(!client.published("untitled:Untitled-1", 1).is_empty());
    assert_eq!(client.published(URI, 1), Vec::<Value>::new());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_file_that_has_nothing_to_do_with_jax_is_left_alone() {
    let (mut client, _) = Client::initialize(editor());
    client.open(URI, "import requests\nrequests.get(undefined_name)\nx = (\n");
    assert_eq!(client.published(URI, 1), Vec::<Value>::new());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn positions_are_in_the_encoding_that_was_agreed() {
    for (encoding, column) in [("utf-8", 17), ("utf-16", 12), ("utf-32", 10)] {
        let mut capabilities = editor();
        capabilities["general"]["positionEncodings"] = json!([encoding]);
        let (mut client, agreed) = Client::initialize(capabilities);
        assert_eq!(agreed["positionEncoding"], encoding);
        // Before the name stand an emoji (4 bytes, 2 units), a letter with a combining accent, and a mathematical x.
        let text = "import jax\n'🙂e\u{301}𝐱'; ( undefined_name)\n";
        assert_eq!(
            column,
            match encoding {
                "utf-8" => "'🙂e\u{301}𝐱'; ( ".len(),
                "utf-16" => "'🙂e\u{301}𝐱'; ( ".encode_utf16().count(),
                _ => "'🙂e\u{301}𝐱'; ( ".chars().count(),
            }
        );
        client.open(URI, text);
        let diagnostics = client.published(URI, 1);
        assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
        let range = json!({"start": {"line": 1, "character": column}, "end": {"line": 1, "character": column + 14}});
        assert_eq!(diagnostics[0]["range"], range, "{encoding}");
        assert_eq!(client.finish(), Some(0));
    }
}

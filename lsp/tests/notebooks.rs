//! Notebooks, through the built server: to a client each cell is a document of its own.

use crate::client::{Client, at, editor, place, pulling_editor};
use serde_json::{Value, json};

const NOTEBOOK: &str = "file:///work/add.ipynb";

/// A kernel in one cell, words, and its launch in another, with a grid that has a program too many: PL120.
const CELLS: [(&str, &str); 3] = [
    ("imports", "%matplotlib inline\nimport jax\nimport jax.numpy as jnp\nfrom jax.experimental import pallas as pl\n"),
    ("kernel", "def kernel(x_ref, o_ref):\n  i = pl.program_id(0)\n  o_ref[...] = x_ref[...] + i"),
    (
        "launch",
        "x = jnp.ones((64, 256))\nspec = pl.BlockSpec((16, 256), lambda i: (i, 0))\n\
         y = pl.pallas_call(kernel, out_shape=x, grid=(5,), in_specs=[spec], out_specs=spec)(x)\ny;",
    ),
];

fn uri(name: &str) -> String {
    format!("vscode-notebook-cell:/work/add.ipynb#{name}")
}

fn text(name: &str) -> &'static str {
    CELLS.iter().find(|(other, _)| *other == name).expect("a cell").1
}

fn document(name: &str, text: &str) -> Value {
    json!({"uri": uri(name), "languageId": "python", "version": 1, "text": text})
}

fn code(name: &str) -> Value {
    json!({"kind": 2, "document": uri(name)})
}

/// A client that knows notebooks, with ours open.
fn opened(mut capabilities: Value) -> Client {
    capabilities["notebookDocument"] = json!({"synchronization": {"dynamicRegistration": true}});
    let (mut client, answer) = Client::initialize(capabilities);
    let selector = &answer["notebookDocumentSync"]["notebookSelector"];
    assert_eq!(selector[0]["cells"], json!([{"language": "python"}]));
    let words = json!({"kind": 1, "document": uri("words")});
    let cells = [code("imports"), words, code("kernel"), code("launch")];
    let texts: Vec<Value> = CELLS.iter().map(|(name, text)| document(name, text)).collect();
    client.notify(
        "notebookDocument/didOpen",
        json!({
            "notebookDocument": {"uri": NOTEBOOK, "notebookType": "jupyter-notebook", "version": 1, "cells": cells},
            "cellTextDocuments": texts,
        }),
    );
    client
}

fn change(client: &mut Client, version: i32, cells: Value) {
    let notebook = json!({"uri": NOTEBOOK, "version": version});
    client.notify("notebookDocument/didChange", json!({"notebookDocument": notebook, "change": {"cells": cells}}));
}

/// `grid=(5,)` becomes `grid=(4,)`.
fn mend(client: &mut Client, version: i32) {
    let (line, character) = place(text("launch"), "grid=(", "5");
    let edit = json!({
        "range": {"start": {"line": line, "character": character}, "end": {"line": line, "character": character + 1}},
        "text": "4",
    });
    let content = json!({"document": {"uri": uri("launch"), "version": version}, "changes": [edit]});
    change(client, version, json!({"textContent": [content]}));
}

fn codes(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().filter_map(|item| item["code"].as_str()).collect()
}

#[test]
fn findings_are_pushed_to_the_cell_that_they_are_in() {
    let mut client = opened(editor());
    assert_eq!(client.published(&uri("imports"), 1), Vec::<Value>::new());
    assert_eq!(client.published(&uri("kernel"), 1), Vec::<Value>::new());
    let found = Value::from(client.published(&uri("launch"), 1));
    assert_eq!(codes(&found), ["PL120"]);
    let (line, character) = place(text("launch"), "", "lambda");
    assert_eq!(found[0]["range"]["start"], json!({"line": line, "character": character}));
    let related = &found[0]["relatedInformation"][0]["location"];
    assert_eq!((&related["uri"], &related["range"]["start"]["line"]), (&json!(uri("launch")), &json!(2)));

    mend(&mut client, 2);
    assert_eq!(client.published(&uri("launch"), 2), Vec::<Value>::new());

    // A cell that is gone has nothing any more, nor has a notebook that is closed.
    let gone = |client: &mut Client, name: &str| {
        let named = uri(name);
        client.notification("textDocument/publishDiagnostics", |params| {
            params["uri"] == named && params["version"].is_null() && params["diagnostics"] == json!([])
        });
    };
    change(&mut client, 3, json!({"structure": {"array": {"start": 1, "deleteCount": 1}}}));
    change(&mut client, 4, json!({"structure": {"array": {"start": 1, "deleteCount": 1}}}));
    gone(&mut client, "kernel");
    let found = client.notification("textDocument/publishDiagnostics", |params| {
        params["uri"] == uri("launch") && params["diagnostics"] != json!([])
    });
    assert!(found["diagnostics"][0]["message"].as_str().is_some_and(|text| text.contains("'kernel' is not defined")));
    client.notify("notebookDocument/didClose", json!({"notebookDocument": {"uri": NOTEBOOK}, "cellTextDocuments": []}));
    gone(&mut client, "launch");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn findings_are_pulled_for_a_cell() {
    let mut client = opened(pulling_editor());
    let report = client.pull(&uri("launch"), None);
    assert_eq!(codes(&report["items"]), ["PL120"]);
    let name = report["resultId"].as_str().expect("a name").to_string();
    assert_eq!(client.pull(&uri("launch"), Some(&name))["kind"], "unchanged");
    assert_eq!(client.pull(&uri("kernel"), None)["items"], json!([]));
    mend(&mut client, 2);
    assert_eq!(client.pull(&uri("launch"), Some(&name))["items"], json!([]));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn what_is_shown_in_a_cell_is_about_its_lines() {
    let mut client = opened(editor());
    mend(&mut client, 2);
    let kernel = uri("kernel");
    let hover = client.hover(&kernel, place(text("kernel"), "", "x_ref"));
    assert!(hover.contains("x_ref: ref<f32[16,256]>"), "{hover}");

    let whole = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let ask = |client: &mut Client, method: &str, name: &str| {
        let params = json!({"textDocument": {"uri": uri(name)}, "range": whole});
        client.request(method, params).expect("an answer")
    };
    let hints = ask(&mut client, "textDocument/inlayHint", "kernel");
    let lines: Vec<_> = hints.as_array().expect("hints").iter().map(|hint| hint["position"]["line"].clone()).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.as_u64() < Some(3)), "{hints}");
    assert_eq!(ask(&mut client, "textDocument/inlayHint", "imports"), json!([]));

    let lenses = ask(&mut client, "textDocument/codeLens", "launch");
    let run = lenses.as_array().expect("lenses").iter().find(|lens| lens["command"]["title"] == "Run").expect("one");
    assert_eq!(run["range"]["start"]["line"], 2);
    assert_eq!(run["command"]["arguments"][0]["uri"], NOTEBOOK);
    assert_eq!(ask(&mut client, "textDocument/codeLens", "imports"), json!([]));

    let symbols = ask(&mut client, "textDocument/documentSymbol", "kernel");
    assert_eq!(symbols.as_array().map(Vec::len), Some(1), "{symbols}");
    assert_eq!(symbols[0]["name"], "kernel");

    // From a Ref to the specification that gives it its shape: in another cell.
    let (line, character) = place(text("kernel"), "", "x_ref");
    let definition = client.request("textDocument/typeDefinition", at(&kernel, line, character)).expect("an answer");
    assert_eq!((&definition["uri"], &definition["range"]["start"]["line"]), (&json!(uri("launch")), &json!(1)));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_fix_is_an_edit_of_its_cell() {
    let mut capabilities = editor();
    capabilities["workspace"] = json!({"workspaceEdit": {"documentChanges": true}});
    capabilities["textDocument"]["codeAction"] =
        json!({"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}});
    let mut client = opened(capabilities);
    mend(&mut client, 2);
    let (line, character) = place(text("launch"), "(i", ", 0");
    let comma = json!({"line": line, "character": character});
    let edit = json!({"range": {"start": comma, "end": comma}, "text": " * 16"});
    let content = json!({"document": {"uri": uri("launch"), "version": 7}, "changes": [edit]});
    change(&mut client, 3, json!({"textContent": [content]}));
    let params = json!({
        "textDocument": {"uri": uri("launch")},
        "range": {"start": comma, "end": comma},
        "context": {"diagnostics": [], "only": ["quickfix"]},
    });
    let actions = client.request("textDocument/codeAction", params).expect("an answer");
    let edit = &actions[0]["edit"]["documentChanges"][0];
    assert_eq!(edit["textDocument"], json!({"uri": uri("launch"), "version": 7}), "{actions}");
    assert_eq!(edit["edits"][0]["range"]["start"]["line"], line, "{actions}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_client_without_notebooks_is_told_of_none() {
    let (client, answer) = Client::initialize(editor());
    assert!(answer["notebookDocumentSync"].is_null());
    assert_eq!(client.finish(), Some(0));
}

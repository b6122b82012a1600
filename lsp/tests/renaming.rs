//! Renaming through the built server: what editors ask first, edits of several documents, refusals.

use crate::client::{Client, at, editor, place};
use serde_json::{Value, json};
use std::fs;

const KERNELS: &str = "\
from jax.experimental import pallas as pl

def scale(x_ref, o_ref, *, factor):
  o_ref[...] = x_ref[...] * factor
";

const LAUNCH: &str = "\
import functools
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from kernels import scale

x = jnp.ones((8, 128))
é = pl.pallas_call(functools.partial(scale, factor=2), out_shape=x)(x)
";

/// An editor that asks what would be renamed, and takes versions.
fn renaming_editor() -> Value {
    let mut capabilities = editor();
    capabilities["textDocument"]["rename"] = json!({"prepareSupport": true});
    capabilities["workspace"]["workspaceEdit"] = json!({"documentChanges": true});
    capabilities
}

#[test]
fn a_keyword_is_renamed_in_the_file_that_defines_its_parameter() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = |name: &str| format!("file://{}/{name}", folder.path().display());
    fs::write(folder.path().join("kernels.py"), "# an older text\n").expect("written");
    fs::write(folder.path().join("other.py"), "from kernels import scale\nscale(1, 2, factor=3)\n").expect("written");
    let mut client = Client::start();
    let folders = json!([{"uri": format!("file://{}", folder.path().display()), "name": "work"}]);
    let answer = client.greet(json!({"capabilities": renaming_editor(), "workspaceFolders": folders}));
    assert_eq!(answer["renameProvider"], json!({"prepareProvider": true}));
    // What the editor has counts, not what is on the disk.
    client.open(&uri("kernels.py"), KERNELS);
    client.open(&uri("main.py"), LAUNCH);
    let (line, character) = place(LAUNCH, "scale, ", "factor");
    let prepared = client.request("textDocument/prepareRename", at(&uri("main.py"), line, character)).expect("a name");
    assert_eq!(prepared["placeholder"], "factor");
    assert_eq!(prepared["range"]["start"], json!({"line": 7, "character": 44}));
    let mut params = at(&uri("main.py"), line, character);
    params["newName"] = json!("by");
    let edit = client.request("textDocument/rename", params).expect("an edit");
    let mut changes = Vec::new();
    for change in edit["documentChanges"].as_array().expect("changes") {
        let document = &change["textDocument"];
        let starts = change["edits"].as_array().expect("edits").iter().map(|edit| {
            assert_eq!(edit["newText"], "by");
            let start = &edit["range"]["start"];
            (start["line"].as_i64().expect("a line"), start["character"].as_i64().expect("a column"))
        });
        let name = document["uri"].as_str().and_then(|uri| uri.rsplit('/').next()).expect("a URI").to_string();
        changes.push((name, document["version"].clone(), starts.collect::<Vec<_>>()));
    }
    changes.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    let expected = [
        ("kernels.py".to_string(), Value::Null, vec![(2, 27), (3, 28)]),
        ("main.py".to_string(), json!(1), vec![(7, 44)]),
        ("other.py".to_string(), Value::Null, vec![(1, 12)]),
    ];
    assert_eq!(changes, expected);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_refusal_is_an_error_with_its_reason() {
    let (mut client, answer) = Client::initialize(editor());
    assert_eq!(answer["renameProvider"], json!(true));
    let file = "file:///work/a.py";
    client.open(file, LAUNCH);
    let (line, character) = place(LAUNCH, "pl.", "pallas_call");
    let refused = client.request("textDocument/prepareRename", at(file, line, character)).expect_err("refused");
    assert_eq!(refused["code"], -32803);
    let reason = "`pallas_call` is a name of `jax.experimental.pallas`, which is not part of this project";
    assert_eq!(refused["message"], reason);
    let (line, character) = place(LAUNCH, "jnp.ones", "(8");
    let nothing = client.request("textDocument/prepareRename", at(file, line, character + 1)).expect("an answer");
    assert_eq!(nothing, Value::Null);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn cells_of_a_notebook_are_renamed_in_each() {
    let mut capabilities = renaming_editor();
    capabilities["notebookDocument"] = json!({"synchronization": {}});
    let (mut client, _) = Client::initialize(capabilities);
    let cell = |name: &str| format!("vscode-notebook-cell:/work/a.ipynb#{name}");
    let item = |name: &str, text: &str| json!({"uri": cell(name), "languageId": "python", "version": 1, "text": text});
    let kind = |name: &str| json!({"kind": 2, "document": cell(name)});
    client.notify(
        "notebookDocument/didOpen",
        json!({
            "notebookDocument": {"uri": "file:///work/a.ipynb", "notebookType": "jupyter-notebook", "version": 1,
                                 "cells": [kind("a"), kind("b")]},
            "cellTextDocuments": [item("a", "import jax\nblock = 8\n"), item("b", "print(block, block)\n")],
        }),
    );
    let mut params = at(&cell("b"), 0, 7);
    params["newName"] = json!("rows");
    let edit = client.request("textDocument/rename", params).expect("an edit");
    let mut counts: Vec<(String, usize)> = edit["documentChanges"]
        .as_array()
        .expect("changes")
        .iter()
        .map(|change| {
            let uri = change["textDocument"]["uri"].as_str().expect("a URI").to_string();
            (uri, change["edits"].as_array().map_or(0, Vec::len))
        })
        .collect();
    counts.sort();
    assert_eq!(counts, [(cell("a"), 1), (cell("b"), 2)]);
    assert_eq!(client.finish(), Some(0));
}

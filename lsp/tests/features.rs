//! What the server offers besides diagnostics and hovers, through the built server: settings, navigation, completion, fixes,
//! commands.

use crate::client::{Client, at, editor, place, pulling_editor};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A correct program.
const LAUNCH: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def kernel(x_ref, o_ref):
  i = pl.program_id(0)
  o_ref[...] = x_ref[...] + i

x = jnp.ones((64, 256))
spec = pl.BlockSpec((16, 256), lambda i: (i, 0))
y = pl.pallas_call(kernel, out_shape=x, grid=(4,), in_specs=[spec], out_specs=spec)(x)
";

/// The same with a grid that has a program too many: PL120.
fn wrong() -> String {
    LAUNCH.replace("grid=(4,)", "grid=(5,)")
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn uri(folder: &Path, name: &str) -> String {
    format!("file://{}/{name}", folder.display())
}

fn codes(items: &[Value]) -> Vec<&str> {
    items.iter().filter_map(|item| item["code"].as_str()).collect()
}

#[test]
fn a_project_says_what_is_reported_and_what_is_wrong_with_that() {
    let folder = folder(&[("pallas.toml", "ignore = ['PL120']\ntarget = 'v5e'\n")]);
    let (file, settings) = (uri(folder.path(), "a.py"), uri(folder.path(), "pallas.toml"));
    let (mut client, _) = Client::initialize(editor());
    client.open(&file, &wrong());
    assert_eq!(client.published(&file, 1), Vec::<Value>::new());
    let of_settings = |client: &mut Client| {
        client.notification("textDocument/publishDiagnostics", |params| params["uri"] == settings)["diagnostics"].take()
    };
    let problems = of_settings(&mut client);
    assert_eq!(problems[0]["code"], "PL007");
    assert_eq!(problems[0]["range"]["start"], json!({"line": 1, "character": 9}));

    // Somebody mends the file elsewhere.
    fs::write(folder.path().join("pallas.toml"), "").expect("written");
    let changed = json!({"changes": [{"uri": settings, "type": 2}]});
    client.notify("workspace/didChangeWatchedFiles", changed);
    assert_eq!(of_settings(&mut client), json!([]));
    assert!(codes(&client.published(&file, 1)).contains(&"PL120"));

    // Its text in the editor counts more than the one on the disk.
    client.open(&settings, "severity = { PL120 = 'info' }\n");
    assert_eq!(client.published(&file, 1)[0]["severity"], 3);
    let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}});
    client.change(&settings, 2, json!([{"range": all, "text": "select = ['PL2']\n"}]));
    assert_eq!(client.published(&file, 1), Vec::<Value>::new());
    client.close(&settings);
    assert!(!client.published(&file, 1).is_empty());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_client_is_asked_for_the_users_settings() {
    let mut capabilities = editor();
    capabilities["workspace"]["configuration"] = json!(true);
    capabilities["workspace"]["didChangeConfiguration"] = json!({"dynamicRegistration": true});
    capabilities["workspace"]["didChangeWatchedFiles"] = json!({"dynamicRegistration": true});
    let mut client = Client::start();
    client.answers.insert("workspace/configuration".to_string(), json!([{"ignore": ["PL120"]}]));
    client.greet(json!({"capabilities": capabilities}));
    let registered = client.wait_for("a registration", |m| m["method"] == "client/registerCapability");
    let methods: Vec<&Value> =
        registered["params"]["registrations"].as_array().expect("a list").iter().map(|r| &r["method"]).collect();
    assert_eq!(methods, ["workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"]);
    client.wait_for("a question", |m| m["method"] == "workspace/configuration");
    let file = "file:///work/a.py";
    client.open(file, &wrong());
    assert_eq!(client.published(file, 1), Vec::<Value>::new());

    client.answers.insert("workspace/configuration".to_string(), json!([{"target": "v5e"}]));
    client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    assert!(codes(&client.published(file, 1)).contains(&"PL120"));
    let message = client.notification("window/showMessage", |_| true);
    assert!(
        message["message"].as_str().is_some_and(|text| text.starts_with("pallas.target: no target is called `v5e`"))
    );
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn settings_come_at_the_beginning_and_by_notification() {
    let mut client = Client::start();
    let options = json!({"codeLens": {"run": false}, "inlayHints": {"values": false}, "ignore": ["PL120"]});
    client.greet(json!({"capabilities": pulling_editor(), "initializationOptions": options}));
    let file = "file:///work/a.py";
    client.open(file, &wrong());
    assert_eq!(client.pull(file, None)["items"], json!([]));
    let document = json!({"textDocument": {"uri": file}});
    let lenses = client.request("textDocument/codeLens", document).expect("lenses");
    assert_eq!(lenses.as_array().map(Vec::len), Some(1));
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = json!({"textDocument": {"uri": file}, "range": range});
    let count = |client: &mut Client| {
        client.request("textDocument/inlayHint", hints.clone()).expect("hints").as_array().map(Vec::len)
    };
    assert_eq!(count(&mut client), Some(2), "of the Refs alone");

    client
        .notify("workspace/didChangeConfiguration", json!({"settings": {"pallas": {"diagnostics": {"enable": true}}}}));
    assert_ne!(client.pull(file, None)["items"], json!([]));
    assert_eq!(count(&mut client), Some(3));
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"pallas": {"diagnostics": {"enable": false}}}}),
    );
    assert_eq!(client.pull(file, None)["items"], json!([]));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn beside_other_servers_nothing_is_said_twice() {
    let mut capabilities = pulling_editor();
    capabilities["experimental"] = json!({"pallas": {"hoversDiagnostics": true}});
    let mut client = Client::start();
    client.greet(json!({"capabilities": capabilities, "initializationOptions": {"diagnostics": {"common": false}}}));
    let file = "file:///work/a.py";
    // A name that is not defined and a bracket that is not closed are everybody's to find; PL120 is ours.
    let text = format!("{}\nz = nowhere\ndef f(\n", wrong());
    client.open(file, &text);
    let items = client.pull(file, None)["items"].as_array().cloned().expect("a list");
    assert_eq!(codes(&items), ["PL120"]);
    let start = &items[0]["range"]["start"];
    let number = |key: &str| start[key].as_u64().and_then(|n| usize::try_from(n).ok()).expect("a number");
    let here = (number("line"), number("character"));
    assert!(!client.hover(file, here).contains("PL120"));
    assert_eq!(client.finish(), Some(0));

    let mut client = Client::start();
    client.greet(json!({"capabilities": pulling_editor()}));
    client.open(file, &text);
    let items = client.pull(file, None)["items"].as_array().cloned().expect("a list");
    assert!(["PL000", "PL001", "PL120"].iter().all(|code| codes(&items).contains(code)), "{items:?}");
    assert!(client.hover(file, here).contains("PL120"));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn imports_that_change_on_the_disk_are_seen() {
    let folder = folder(&[("sizes.py", "BLOCK = 16\n")]);
    let file = uri(folder.path(), "main.py");
    let (mut client, _) = Client::initialize(editor());
    let program =
        LAUNCH.replace("import jax\n", "import jax\nfrom sizes import BLOCK\n").replace("(16, 256)", "(BLOCK, 256)");
    client.open(&file, &program);
    assert_eq!(client.published(&file, 1), Vec::<Value>::new());
    fs::write(folder.path().join("sizes.py"), "BLOCK = 32\n").expect("written");
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": uri(folder.path(), "sizes.py"), "type": 2}]}),
    );
    assert!(codes(&client.published(&file, 1)).contains(&"PL120"), "two blocks of 32, and four programs");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn what_pallas_connects_is_found() {
    let (mut client, _) = Client::initialize(pulling_editor());
    let file = "file:///work/a.py";
    client.open(file, LAUNCH);
    let mut lines = |method: &str, (line, character): (usize, usize)| -> Vec<i64> {
        let mut params = at(file, line, character);
        params["context"] = json!({"includeDeclaration": true});
        let result = client.request(method, params).expect("an answer");
        let places = match result {
            Value::Array(places) => places,
            Value::Null => Vec::new(),
            place => vec![place],
        };
        places.iter().map(|place| place["range"]["start"]["line"].as_i64().expect("a line")).collect()
    };
    let parameter = place(LAUNCH, "def kernel", "x_ref");
    assert_eq!(lines("textDocument/references", parameter), [9, 10], "its spec and its operand");
    assert_eq!(lines("textDocument/typeDefinition", parameter), [9]);
    assert_eq!(lines("textDocument/definition", parameter), [0i64; 0], "others know where names are defined");
    assert_eq!(lines("textDocument/documentHighlight", parameter), [0i64; 0]);
    let axis = place(LAUNCH, "program_id", "0");
    assert_eq!(lines("textDocument/definition", axis), [10]);
    assert_eq!(lines("textDocument/documentHighlight", axis), [5, 9, 10]);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_outline_is_nested_or_flat() {
    let file = "file:///work/a.py";
    let mut nested = editor();
    nested["textDocument"]["documentSymbol"] = json!({"hierarchicalDocumentSymbolSupport": true});
    for (capabilities, place) in [(nested, "range"), (editor(), "location")] {
        let (mut client, _) = Client::initialize(capabilities);
        client.open(file, LAUNCH);
        let symbols =
            client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": file}})).expect("symbols");
        let names: Vec<&Value> = symbols.as_array().expect("a list").iter().map(|symbol| &symbol["name"]).collect();
        assert_eq!(names, ["kernel", "launch kernel"]);
        assert!(symbols[0].get(place).is_some(), "{symbols}");
        assert_eq!(client.finish(), Some(0));
    }
}

#[test]
fn half_typed_calls_are_completed() {
    let (mut client, _) = Client::initialize(pulling_editor());
    let file = "file:///work/a.py";
    let text = LAUNCH.replace("lambda i: (i, 0))\n", "\n");
    client.open(file, &text);
    let (line, character) = place(&text, "(16, 256), ", "\n");
    let items = client.request("textDocument/completion", at(file, line, character)).expect("items");
    let labels: Vec<&str> =
        items.as_array().expect("a list").iter().filter_map(|item| item["label"].as_str()).collect();
    assert_eq!(labels[0], "lambda i: (i, 0)", "{labels:?}");
    assert_eq!(items[0]["textEdit"]["newText"], "lambda i: (i, 0)");
    let help = client.request("textDocument/signatureHelp", at(file, line, character)).expect("help");
    assert!(help["signatures"][0]["label"].as_str().is_some_and(|label| label.starts_with("pl.BlockSpec(block_shape")));
    assert_eq!(help["activeParameter"], 1);
    assert_eq!(client.finish(), Some(0));
}

/// The text after the edits of a code action, in one document.
fn edited(text: &str, action: &Value) -> String {
    let mut edits = action["edit"]["documentChanges"][0]["edits"].as_array().expect("edits").clone();
    let offset = |position: &Value| {
        let line = position["line"].as_u64().expect("a line") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + position["character"].as_u64().expect("a column") as usize
    };
    edits.sort_by_key(|edit| std::cmp::Reverse(offset(&edit["range"]["start"])));
    let mut text_after = text.to_string();
    for edit in &edits {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        text_after.replace_range(range, edit["newText"].as_str().expect("a text"));
    }
    text_after
}

#[test]
fn fixes_are_applied_one_by_one_and_all_at_once() {
    let (mut client, _) = Client::initialize(pulling_editor());
    let file = "file:///work/a.py";
    let text = LAUNCH
        .replace("lambda i: (i, 0)", "lambda i: (i * 16, 0)")
        .replace("x_ref[...] + i", "x_ref[...] + i  # pallas: ignore");
    client.open(file, &text);
    let (line, character) = place(&text, "lambda i", "i");
    let range = json!({"start": {"line": line, "character": character}, "end": {"line": line, "character": character}});
    let params = |only: Value| json!({"textDocument": {"uri": file}, "range": range, "context": {"diagnostics": [], "only": only}});
    let actions = client.request("textDocument/codeAction", params(json!(["quickfix"]))).expect("actions");
    assert_eq!(actions.as_array().map(Vec::len), Some(1), "{actions}");
    assert_eq!(actions[0]["title"], "Return block indices, not element offsets");
    let after = edited(&text, &actions[0]);
    assert!(after.contains("lambda i: (i, 0)"), "{after}");
    // All of them, where the editor asks for it (on save, say).
    for only in ["source.fixAll", "source.fixAll.pallas", "source"] {
        let actions = client.request("textDocument/codeAction", params(json!([only]))).expect("actions");
        let all = actions.as_array().expect("a list").iter().find(|action| action["kind"] == "source.fixAll.pallas");
        assert_eq!(edited(&text, all.expect("an action")), LAUNCH, "{only}");
    }
    client.replace(file, 2, LAUNCH);
    assert_eq!(client.pull(file, None)["items"], json!([]));
    assert_eq!(client.request("textDocument/codeAction", params(json!(["source.fixAll"]))).expect("none"), json!([]));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn clients_without_lenses_get_actions() {
    let file = "file:///work/a.py";
    let kinds = |capabilities: Value, only: Value| -> Vec<String> {
        let (mut client, _) = Client::initialize(capabilities);
        client.open(file, LAUNCH);
        let here = json!({"line": 10, "character": 8});
        let params = json!({"textDocument": {"uri": file}, "range": {"start": here, "end": here}, "context": {"diagnostics": [], "only": only}});
        let actions = client.request("textDocument/codeAction", params).expect("actions");
        assert_eq!(client.finish(), Some(0));
        let actions = actions.as_array().expect("a list").iter();
        actions
            .map(|action| format!("{} {}", action["kind"].as_str().unwrap_or("?"), action["command"]["command"]))
            .collect()
    };
    let both = ["source.pallas.run \"pallas.run\"", "source.pallas.profile \"pallas.profile\""];
    assert_eq!(kinds(editor(), Value::Null), both);
    let mut with_lenses = editor();
    with_lenses["textDocument"]["codeLens"] = json!({});
    assert_eq!(kinds(with_lenses.clone(), Value::Null), [""; 0]);
    assert_eq!(kinds(with_lenses, json!(["source.pallas"])), both, "where they are asked for by name");
}

#[test]
fn diagnostics_link_to_their_rules_and_are_tagged() {
    let mut capabilities = editor();
    capabilities["textDocument"]["publishDiagnostics"] =
        json!({"codeDescriptionSupport": true, "tagSupport": {"valueSet": [1, 2]}});
    let (mut client, _) = Client::initialize(capabilities);
    let file = "file:///work/a.py";
    client.open(file, &wrong().replace("+ i", "+ i  # pallas: ignore"));
    let diagnostics = client.published(file, 1);
    let find = |code: &str| diagnostics.iter().find(|d| d["code"] == code).unwrap_or_else(|| panic!("{diagnostics:?}"));
    let href = find("PL120")["codeDescription"]["href"].as_str().expect("a link");
    let page = fs::read_to_string(href.strip_prefix("file://").expect("a file")).expect("the page");
    assert!(page.starts_with("# PL120 block-out-of-bounds (error)\n"), "{page}");
    assert_eq!(find("PL006")["tags"], json!([1]));
    assert!(find("PL120").get("tags").is_none());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_whole_workspace_can_be_asked_for() {
    let folder = folder(&[("wrong.py", &wrong()), ("right.py", LAUNCH), ("other.py", "import os\nundefined\n")]);
    let root = format!("file://{}", folder.path().display());
    let ask = |client: &mut Client, previous: Value| {
        let mut reports =
            client.request("workspace/diagnostic", json!({"previousResultIds": previous})).expect("reports");
        reports["items"].take().as_array().expect("a list").clone()
    };
    let mut client = Client::start();
    let options = json!({"diagnostics": {"mode": "workspace"}});
    let params = json!({"capabilities": pulling_editor(), "initializationOptions": options, "workspaceFolders": [{"uri": root, "name": "w"}]});
    client.greet(params);
    let reports = ask(&mut client, json!([]));
    let shown: Vec<(&str, usize)> = reports
        .iter()
        .map(|r| {
            (
                r["uri"].as_str().expect("a URI").rsplit('/').next().unwrap_or_default(),
                r["items"].as_array().map_or(9, Vec::len),
            )
        })
        .collect();
    assert_eq!(shown, [("right.py", 0), ("wrong.py", 1)]);
    // What the client has already is not sent again; what is open is asked for by itself.
    let wrong_uri = uri(folder.path(), "wrong.py");
    let known = json!([{"uri": wrong_uri, "value": reports[1]["resultId"]}]);
    assert_eq!(ask(&mut client, known)[1]["kind"], "unchanged");
    client.open(&wrong_uri, &wrong());
    assert_eq!(ask(&mut client, json!([])).len(), 1);
    assert_eq!(client.finish(), Some(0));
    // Without the setting there is nothing to do.
    let mut client = Client::start();
    client.greet(json!({"capabilities": pulling_editor(), "workspaceFolders": [{"uri": root, "name": "w"}]}));
    assert!(ask(&mut client, json!([])).is_empty());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn commands_without_a_process() {
    let (mut client, capabilities) = Client::initialize(editor());
    let commands = capabilities["executeCommandProvider"]["commands"].as_array().expect("commands");
    assert!(commands.contains(&json!("pallas.run")));
    let file = "file:///work/a.py";
    client.open(file, LAUNCH);
    let execute = |client: &mut Client, command: &str, argument: Value| {
        client.request("workspace/executeCommand", json!({"command": command, "arguments": [argument]}))
    };
    let ir = execute(&mut client, "pallas.kernelIr", json!({"uri": file})).expect("the IR");
    assert!(ir["text"].as_str().is_some_and(|text| text.contains("kernel")), "{ir}");
    let page = execute(&mut client, "pallas.explain", json!("pl203")).expect("the page");
    assert!(page["text"].as_str().is_some_and(|text| text.starts_with("# PL203 read-before-write")));
    let information = execute(&mut client, "pallas.debugInformation", json!(null)).expect("information");
    assert!(information["text"].as_str().is_some_and(|text| text.contains("file:///work/a.py version 1")));
    for (command, argument) in
        [("pallas.fly", json!(null)), ("pallas.run", json!(3)), ("pallas.explain", json!("PL999"))]
    {
        let error = execute(&mut client, command, argument).expect_err(command);
        assert!(error["message"].as_str().is_some_and(|message| message.len() > 10), "{error}");
    }
    let refused = execute(&mut client, "pallas.run", json!({"uri": "untitled:Untitled-1"})).expect_err("not saved");
    assert!(refused["message"].as_str().is_some_and(|message| message.contains("save it")));
    client
        .notification("window/showMessage", |params| params["message"].as_str().is_some_and(|m| m.contains("save it")));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn what_the_server_does_can_be_traced() {
    let (mut client, _) = Client::initialize(editor());
    let file = "file:///work/a.py";
    client.notify("$/setTrace", json!({"value": "messages"}));
    client.open(file, LAUNCH);
    let trace = client.notification("$/logTrace", |_| true);
    let message = trace["message"].as_str().expect("a text");
    assert!(
        message.starts_with("analysed file:///work/a.py version 1 in ") && message.ends_with("1 launches, 0 findings")
    );
    client.notify("$/setTrace", json!({"value": "off"}));
    client.replace(file, 2, LAUNCH);
    client.published(file, 2);
    assert!(client.leftover().iter().all(|m| m["method"] != "$/logTrace"));
    assert_eq!(client.finish(), Some(0));
}

/// Commands that start a process, with a program of ours in place of `pallas-tui`.
#[cfg(unix)]
mod processes {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A program that says how it was called, and does what its script says.
    fn program(folder: &Path, script: &str) -> String {
        let path = folder.join("tui");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("made executable");
        path.display().to_string()
    }

    fn start(tui: &str, mut capabilities: Value, more: Value) -> Client {
        capabilities["window"] = json!({"workDoneProgress": true, "showDocument": {"support": true}});
        let mut options = more;
        options["tui"] = json!(tui);
        let mut client = Client::start();
        client.answers.insert("window/showDocument".to_string(), json!({"success": true}));
        client.greet(json!({"capabilities": capabilities, "initializationOptions": options}));
        client
    }

    fn run(client: &mut Client, command: &str, file: &str) -> i64 {
        client.ask("workspace/executeCommand", json!({"command": command, "arguments": [{"uri": file}]}))
    }

    #[test]
    fn a_run_has_progress_and_its_output_is_shown() {
        let folder = folder(&[("a.py", LAUNCH)]);
        let file = uri(folder.path(), "a.py");
        let tui = program(folder.path(), "echo \"$@\" in \"$PWD\"; echo problem >&2; exit 3");
        let mut client = start(&tui, editor(), json!({"python": "/env"}));
        client.open(&file, LAUNCH);
        let id = run(&mut client, "pallas.run", &file);
        let begin = client.notification("$/progress", |params| params["value"]["kind"] == "begin");
        assert_eq!((&begin["value"]["title"], &begin["value"]["cancellable"]), (&json!("Running a.py"), &json!(true)));
        let end = client.notification("$/progress", |params| params["value"]["kind"] == "end");
        assert_eq!((&end["token"], &end["value"]["message"]), (&begin["token"], &json!("exit status 3")));
        let shown = client.wait_for("a document", |m| m["method"] == "window/showDocument");
        let document = shown["params"]["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file");
        let text = fs::read_to_string(document).expect("the output");
        let result = client.answer(id).expect("a result");
        let here = folder.path().canonicalize().expect("there");
        let called =
            format!("run --color never --python /env {0}/a.py in {1}\n", folder.path().display(), here.display());
        assert_eq!(result["stdout"], json!(called));
        assert_eq!(
            (&result["exit"], &result["stderr"], &result["cancelled"]),
            (&json!(3), &json!("problem\n"), &json!(false))
        );
        assert_eq!(text, format!("{called}\nproblem\n\n(exit status 3)\n"));
        assert_eq!(client.finish(), Some(0));
    }

    #[test]
    fn a_profile_comes_with_its_report() {
        let folder = folder(&[("a.py", LAUNCH), ("pallas.toml", "target = 'tpu-v6e'")]);
        let file = uri(folder.path(), "a.py");
        let script =
            "while [ \"$1\" != --json ]; do shift; done; echo '{\"version\": 1}' > \"$2\"; shift 2; echo \"$@\"";
        let tui = program(folder.path(), script);
        let mut capabilities = editor();
        capabilities["experimental"] = json!({"pallas": {"presentsResults": true}});
        let mut client = start(&tui, capabilities, json!({}));
        let id = run(&mut client, "pallas.profile", &file);
        let result = client.answer(id).expect("a result");
        assert_eq!(result["report"], json!({"version": 1}));
        assert_eq!(result["stdout"], json!(format!("--machine v6e {}/a.py\n", folder.path().display())));
        assert!(!client.asked.contains(&"window/showDocument".to_string()), "this client shows results itself");
        assert_eq!(client.finish(), Some(0));
    }

    #[test]
    fn what_cannot_be_run_says_why() {
        let folder = folder(&[("a.py", LAUNCH)]);
        let file = uri(folder.path(), "a.py");
        let refused = |options: Value, tui: &str| {
            let mut client = start(tui, editor(), options);
            client.open(&file, "import jax\n");
            let id = run(&mut client, "pallas.run", &file);
            let result = client.answer(id);
            let said = client.notification("window/showMessage", |_| true)["message"].take();
            assert_eq!(client.finish(), Some(0));
            (result, said.as_str().unwrap_or_default().to_string())
        };
        let (result, said) = refused(json!({"trusted": false}), "/nowhere");
        assert!(result.is_err() && said.contains("not trusted"), "{said}");
        let (result, said) = refused(json!({}), "/nowhere");
        assert!(result.is_err() && said.contains("pallas.tui names /nowhere, which is no file"), "{said}");
        let tui = program(folder.path(), "exit 0");
        let (result, said) = refused(json!({}), &tui);
        assert!(result.is_ok() && said.contains("edits that are not saved"), "{said}");
    }
}

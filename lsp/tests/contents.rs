//! Documents that the server makes up, as a client of LSP 3.18 asks for them: their text, and word of another one.

use crate::client::{Client, editor};
use serde_json::{Value, json};

const FILE: &str = "file:///work/my%20kernels/a.py";

const LAUNCHES: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def double(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2

def triple(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 3

x = jnp.ones((8, 128))
pl.pallas_call(double, out_shape=x)(x)
pl.pallas_call(triple, out_shape=x)(x)
";

/// A client that asks for texts of documents, with the launches open.
fn started() -> Client {
    let mut capabilities = editor();
    capabilities["workspace"]["textDocumentContent"] = json!({"dynamicRegistration": false});
    capabilities["window"] = json!({"showDocument": {"support": true}});
    let (mut client, capabilities) = Client::initialize(capabilities);
    client.answers.insert("window/showDocument".to_string(), json!({"success": true}));
    assert_eq!(capabilities["workspace"]["textDocumentContent"], json!({"schemes": ["pallas-code"]}));
    client.open(FILE, LAUNCHES);
    client
}

fn text(client: &mut Client, uri: &str) -> String {
    let result = client.request("workspace/textDocumentContent", json!({"uri": uri})).expect("a text");
    result["text"].as_str().expect("a text").to_string()
}

fn execute(client: &mut Client, command: &str, argument: Value) -> Value {
    client.request("workspace/executeCommand", json!({"command": command, "arguments": [argument]})).expect("an answer")
}

#[test]
fn the_ir_of_a_kernel_follows_its_file() {
    let mut client = started();
    // The client is shown a document of ours, and asks for its text.
    let answer = execute(&mut client, "pallas.kernelIr", json!({"uri": FILE, "position": {"line": 5, "character": 4}}));
    let uri = answer["uri"].as_str().expect("a URI").to_string();
    assert!(uri.starts_with("pallas-code:///work/my%20kernels/a.py.ir?"), "{uri}");
    assert!(client.asked.contains(&"window/showDocument".to_string()));
    let shown = text(&mut client, &uri);
    assert_eq!(json!(shown), answer["text"]);
    assert!(shown.contains("@double") && !shown.contains("@triple"), "{shown}");

    // An edit elsewhere leaves it as it is; one of the kernel does not.
    client.replace(FILE, 2, &LAUNCHES.replace("* 3", "* 4"));
    client.published(FILE, 2);
    client.replace(FILE, 3, &LAUNCHES.replace("* 2", "+ 5"));
    let told = client.wait_for("word of another text", |m| m["method"] == "workspace/textDocumentContent/refresh");
    assert_eq!(told["params"], json!({"uri": uri}));
    assert_eq!(client.asked.iter().filter(|m| m.ends_with("/refresh")).count(), 1);
    let second = text(&mut client, &uri);
    assert!(second.contains("add") && second != shown, "{second}");

    // A kernel that is gone, and a file that is closed, are said to be.
    client.replace(FILE, 4, &LAUNCHES.replace("double", "twice"));
    client.wait_for("word of another text", |m| m["method"] == "workspace/textDocumentContent/refresh");
    assert_eq!(text(&mut client, &uri), "// nothing launches `double` any more\n");
    client.close(FILE);
    assert_eq!(text(&mut client, &uri), "// a.py is not open; its kernel IR is shown when it is\n");
    client.open(FILE, LAUNCHES);
    client.wait_for("word of another text", |m| m["method"] == "workspace/textDocumentContent/refresh");
    assert_eq!(text(&mut client, &uri), shown);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn code_that_is_generated_is_a_document_too() {
    let mut client = started();
    let answer = execute(&mut client, "pallas.generatedCode", json!({"uri": FILE, "form": "ttir"}));
    let uri = answer["uri"].as_str().expect("a URI").to_string();
    let shown = text(&mut client, &uri);
    assert_eq!(json!(shown), answer["text"]);
    assert!(shown.contains("@double") && shown.contains("@triple"), "{shown}");
    for nothing in ["file:///a.py", "pallas-code:///a.py.ir", "no uri at all"] {
        let refused =
            client.request("workspace/textDocumentContent", json!({"uri": nothing})).expect_err("no document");
        assert_eq!(refused["code"], -32602, "{refused}");
    }
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn older_clients_get_a_copy() {
    let mut capabilities = editor();
    capabilities["window"] = json!({"showDocument": {"support": true}});
    let (mut client, capabilities) = Client::initialize(capabilities);
    client.answers.insert("window/showDocument".to_string(), json!({"success": true}));
    assert_eq!(capabilities.get("workspace"), None);
    client.open(FILE, LAUNCHES);
    let answer = execute(&mut client, "pallas.kernelIr", json!({"uri": FILE}));
    assert!(answer["text"].as_str().is_some_and(|text| text.contains("@triple")));
    client.replace(FILE, 2, &LAUNCHES.replace("* 3", "* 4"));
    client.published(FILE, 2);
    assert!(client.asked.iter().all(|method| !method.starts_with("workspace/textDocumentContent")));
    assert_eq!(client.finish(), Some(0));
}

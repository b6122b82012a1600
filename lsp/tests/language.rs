//! What the server knows of Pallas that others do not, asked for as an editor does: a test for each kind of question. What of
//! it is offered where is for the tests of `pallas-ide`; here it has to come through the protocol whole.

use crate::client::{Client, at, editor, place, pulling_editor};
use serde_json::{Value, json};

const FILE: &str = "file:///work/a.py";

/// A product over a grid of three axes, right in all.
const PRODUCT: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

def product(x_ref, y_ref, o_ref, acc_ref):
  k = pl.program_id(2)

  @pl.when(k == 0)
  def _():
    acc_ref[...] = jnp.zeros_like(acc_ref)

  acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

  @pl.when(k == pl.num_programs(2) - 1)
  def _():
    o_ref[...] = acc_ref[...]

x = jnp.ones((256, 512))
y = jnp.ones((512, 384))
z = pl.pallas_call(
    product,
    grid=(2, 3, 4),
    in_specs=[
        pl.BlockSpec((128, 128), lambda i, j, k: (i, k)),
        pl.BlockSpec((128, 128), lambda i, j, k: (k, j)),
    ],
    out_specs=pl.BlockSpec((128, 128), lambda i, j, k: (i, j)),
    out_shape=jax.ShapeDtypeStruct((256, 384), jnp.float32),
    scratch_shapes=[pltpu.VMEM((128, 128), jnp.float32)],
)(x, y)
";

/// A client with a document open, and the place behind `needle`, the first after `after`.
fn opened(text: &str, after: &str, needle: &str) -> (Client, (usize, usize)) {
    let (mut client, _) = Client::initialize(pulling_editor());
    client.open(FILE, text);
    let start = text.find(after).expect("there");
    let end = start + text[start..].find(needle).expect("there") + needle.len();
    let line_start = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
    (client, (text[..end].matches('\n').count(), end - line_start))
}

/// The labels that are offered behind `needle`, after it was put in the place of `whole`.
fn offered(whole: &str, needle: &str) -> Vec<String> {
    let text = PRODUCT.replacen(whole, needle, 1);
    assert_ne!(text, PRODUCT, "{whole}");
    let (mut client, (line, character)) = opened(&text, needle, needle);
    let items = client.request("textDocument/completion", at(FILE, line, character)).expect("items");
    assert_eq!(client.finish(), Some(0));
    let items = items.as_array().expect("a list");
    for item in items {
        assert!(item["textEdit"]["range"]["end"]["character"] == json!(character), "{item}");
        assert!(item["kind"].is_u64() && item["detail"].is_string() && item["sortText"].is_string(), "{item}");
    }
    items.iter().map(|item| item["label"].as_str().unwrap_or("?").to_string()).collect()
}

#[test]
fn keyword_arguments_are_offered() {
    let offered = offered("    grid=(2, 3, 4),\n", "    g");
    assert!(
        ["grid=", "grid_spec=", "interpret=", "compiler_params="].iter().all(|name| offered.contains(&(*name).into()))
    );
    assert!(!offered.contains(&"kernel=".to_string()), "the kernel is given");
}

#[test]
fn values_of_arguments_are_offered() {
    assert_eq!(
        offered("pl.BlockSpec((128, 128), lambda i, j, k: (i, j))", "pl.BlockSpec(memory_space="),
        ["pltpu.VMEM", "pltpu.SMEM", "pltpu.HBM", "pl.ANY"]
    );
    let semantics = "compiler_params=pltpu.CompilerParams(dimension_semantics=";
    let grid = "    grid=(2, 3, 4),\n";
    let with = |value: &str| format!("{grid}    {semantics}{value}");
    assert_eq!(
        offered(grid, &with("")),
        ["(\"parallel\", \"parallel\", \"parallel\")", "(\"arbitrary\", \"arbitrary\", \"arbitrary\")"]
    );
    assert_eq!(offered(grid, &with("(\"")), ["parallel", "arbitrary"]);
    assert_eq!(offered("program_id(2)", "program_id(2"), ["0", "1", "2", "axis="]);
    // With the parenthesis that editors close by themselves nothing is launched any more.
    assert_eq!(offered("program_id(2", "program_id("), ["0", "1", "2", "axis="]);
}

#[test]
fn index_maps_that_fit_the_grid_are_offered() {
    let offered = offered("(128, 128), lambda i, j, k: (i, j))", "(128, 128), ");
    assert_eq!(offered[0], "lambda i, j, k: (i, j)");
    assert!(
        offered.iter().filter(|label| label.starts_with("lambda")).all(|label| label.starts_with("lambda i, j, k: ("))
    );
    assert!(offered.contains(&"lambda i, j, k: (0, 0)".to_string()));
}

#[test]
fn fields_of_refs_are_offered() {
    let offered = offered("jnp.zeros_like(acc_ref)", "acc_ref.");
    assert!(["shape", "dtype", "at"].iter().all(|field| offered.contains(&(*field).into())), "{offered:?}");
}

/// The test's environment has no JAX that another server could read.
#[test]
fn members_of_modules_are_offered_where_no_jax_is_installed() {
    let pallas = offered("k = pl.program_id(2)", "k = pl.pro");
    assert!(["program_id", "pallas_call", "BlockSpec", "ANY"].iter().all(|name| pallas.contains(&(*name).into())));
    assert!(!pallas.iter().any(|name| ["load", "store", "atomic_add", "Unblocked"].contains(&&**name)), "{pallas:?}");
    let tpu = offered("k = pl.program_id(2)", "k = pltpu.");
    assert!(["VMEM", "CompilerParams", "emit_pipeline"].iter().all(|name| tpu.contains(&(*name).into())), "{tpu:?}");
    assert!(!tpu.contains(&"TPUCompilerParams".to_string()));
    for nothing in ["k = 'pl.", "# pl.", "k = jnp.", "k = pl.BlockSpec."] {
        assert_eq!(offered("k = pl.program_id(2)", nothing), [""; 0], "{nothing}");
    }
}

#[test]
fn what_only_older_programs_have_is_not_offered() {
    let call = offered("    grid=(2, 3, 4),\n", "    gr");
    assert!(call.contains(&"grid=".to_string()) && !call.iter().any(|name| name == "backend=" || name == "out_type="));
    assert!(
        !offered("pl.BlockSpec((128, 128), lambda i, j, k: (i, j))", "pl.BlockSpec(")
            .contains(&"indexing_mode=".into())
    );
}

/// The label of the signature behind `needle`, and the parameter that is being typed.
fn signature_of(whole: &str, needle: &str) -> (String, String) {
    let (mut client, (line, character)) = opened(&PRODUCT.replacen(whole, needle, 1), needle, needle);
    let help = client.request("textDocument/signatureHelp", at(FILE, line, character)).expect("help");
    assert_eq!(client.finish(), Some(0));
    let signature = &help["signatures"][0];
    let label = signature["label"].as_str().expect("a label").to_string();
    let active = help["activeParameter"].as_u64().expect("a number") as usize;
    let range = &signature["parameters"][active]["label"];
    let offset = |end: usize| range[end].as_u64().expect("an offset") as usize;
    let typed = label[offset(0)..offset(1)].to_string();
    (label, typed)
}

#[test]
fn signatures_are_those_of_jax() {
    let scratch = signature_of("pltpu.VMEM((128, 128), jnp.float32)", "pltpu.VMEM((128, 128), ");
    assert_eq!(scratch, ("pltpu.VMEM(shape, dtype)".to_string(), "dtype".to_string()));
    let (label, typed) = signature_of("grid=(2, 3, 4),", "compiler_params=pltpu.CompilerParams(");
    assert!(label.starts_with("pltpu.CompilerParams(dimension_semantics=None, allow_input_fusion=None"), "{label}");
    assert_eq!(typed, "dimension_semantics=None");
}

#[test]
fn signatures_are_shown_with_the_parameter_at_the_cursor() {
    let (mut client, (line, character)) = opened(PRODUCT, "grid=", "grid=");
    let help = client.request("textDocument/signatureHelp", at(FILE, line, character)).expect("help");
    let signature = &help["signatures"][0];
    let label = signature["label"].as_str().expect("a label");
    assert!(label.starts_with("pl.pallas_call(kernel"), "{label}");
    let active = help["activeParameter"].as_u64().expect("a number") as usize;
    let range = &signature["parameters"][active]["label"];
    let offset = |end: usize| range[end].as_u64().expect("an offset") as usize;
    assert_eq!(&label[offset(0)..offset(1)], "grid=()");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_hover_has_shape_memory_blocks_and_ranges() {
    let (mut client, parameter) = opened(PRODUCT, "def product", "x_re");
    let hover = client.hover(FILE, parameter);
    let expected = [
        "x_ref: ref<f32[128,128]>",
        "blocks `(128, 128)` of `f32[256,512]`",
        "program `(1, 2, 3)` gets block `(1, 3)`",
        "□ □ □ □   2 x 4 blocks of 128 x 128",
        "□ □ □ ■   ■ program (1, 2, 3)",
    ];
    for part in expected {
        assert!(hover.contains(part), "{part} is not in\n{hover}");
    }
    let scratch = client.hover(FILE, place(PRODUCT, "acc_ref):", "acc_ref"));
    assert!(scratch.contains("acc_ref: ref<f32[128,128], vmem>"), "{scratch}");
    let (line, character) = place(PRODUCT, "k = pl.program_id", "program_id");
    let range = client.hover(FILE, (line, character));
    assert!(range.contains("`0` to `3`: axis 2 of grid `(2, 3, 4)`"), "{range}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_hover_on_a_finding_explains_its_rule() {
    let text = PRODUCT.replace("grid=(2, 3, 4)", "grid=(2, 3, 5)");
    let (mut client, _) = opened(&text, "x", "x");
    let items = client.pull(FILE, None)["items"].as_array().cloned().expect("a list");
    let finding = items.iter().find(|item| item["code"] == "PL120").expect("PL120");
    let number = |at: &str| finding["range"]["start"][at].as_u64().expect("a number") as usize;
    let hover = client.hover(FILE, (number("line"), number("character")));
    assert!(hover.contains("**PL120** block-out-of-bounds"), "{hover}");
    assert!(hover.contains("program (0, 0, 4)"), "with a program that it happens in: {hover}");
    assert_eq!(client.finish(), Some(0));
}

/// The zero-based lines of the places that an answer names.
fn lines(client: &mut Client, method: &str, (line, character): (usize, usize)) -> Vec<u64> {
    let mut params = at(FILE, line, character);
    params["context"] = json!({"includeDeclaration": true});
    let places = match client.request(method, params).expect("an answer") {
        Value::Array(places) => places,
        Value::Null => Vec::new(),
        place => vec![place],
    };
    places.iter().map(|place| place["range"]["start"]["line"].as_u64().expect("a line")).collect()
}

#[test]
fn parameter_spec_and_operand_lead_to_each_other() {
    let line = |after: &str, needle: &str| place(PRODUCT, after, needle).0 as u64;
    let (parameter, spec, operand) =
        (line("def product", "y_ref"), line("(128, 128), lambda i, j, k: (k, j)", "("), line(")(x, y)", "y"));
    let (mut client, _) = opened(PRODUCT, "x", "x");
    let places = [
        place(PRODUCT, "def product", "y_ref"),
        place(PRODUCT, "(i, k)),\n        pl", "BlockSpec"),
        place(PRODUCT, ")(x, y)", "y"),
    ];
    for (from, here) in places.into_iter().zip([parameter, spec, operand]) {
        let mut expected = vec![parameter, spec, operand];
        expected.retain(|other| *other != here);
        assert_eq!(lines(&mut client, "textDocument/references", from), expected);
    }
    assert_eq!(lines(&mut client, "textDocument/typeDefinition", places[0]), [spec]);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_grid_axis_and_its_program_ids_lead_to_each_other() {
    let (mut client, _) = opened(PRODUCT, "x", "x");
    let grid = place(PRODUCT, "grid=(2, 3, ", "4");
    let (first, second) = (place(PRODUCT, "program_id(", "2"), place(PRODUCT, "num_programs(", "2"));
    assert_eq!(lines(&mut client, "textDocument/definition", first), [grid.0 as u64]);
    assert_eq!(lines(&mut client, "textDocument/definition", second), [grid.0 as u64]);
    let all = lines(&mut client, "textDocument/documentHighlight", grid);
    assert!([first, second, grid].iter().all(|(line, _)| all.contains(&(*line as u64))), "{all:?}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_finding_and_its_programs_lead_to_each_other() {
    let text = PRODUCT.replace("grid=(2, 3, 4)", "grid=(2, 3, 5)");
    let (mut client, _) = opened(&text, "x", "x");
    let items = client.pull(FILE, None)["items"].as_array().cloned().expect("a list");
    let finding = items.iter().find(|item| item["code"] == "PL120").expect("PL120");
    let number = |at: &str| finding["range"]["start"][at].as_u64().expect("a number") as usize;
    let here = (number("line"), number("character") + 1);
    let grid = place(&text, "grid=", "(2, 3, 5)");
    assert_eq!(lines(&mut client, "textDocument/typeDefinition", here), [grid.0 as u64]);
    assert!(lines(&mut client, "textDocument/references", grid).contains(&(here.0 as u64)));
    assert_eq!(client.finish(), Some(0));
}

/// A program with a mistake, and what the action that mends it is called.
#[track_caller]
fn mended(text: &str, code: &str, title: &str) {
    let (mut client, _) = Client::initialize(pulling_editor());
    client.open(FILE, text);
    let items = client.pull(FILE, None)["items"].as_array().cloned().expect("a list");
    let finding = items.iter().find(|item| item["code"] == code).unwrap_or_else(|| panic!("no {code} in {items:#?}"));
    let params = json!({"textDocument": {"uri": FILE}, "range": finding["range"],
        "context": {"diagnostics": [finding], "only": ["quickfix"]}});
    let actions = client.request("textDocument/codeAction", params).expect("actions");
    let actions = actions.as_array().expect("a list");
    let action = actions.iter().find(|action| action["diagnostics"][0]["code"] == code);
    let action = action.unwrap_or_else(|| panic!("nothing mends {finding:#}"));
    assert_eq!(action["title"], title);
    assert_eq!(action["isPreferred"], true);
    let mut edits = action["edit"]["documentChanges"][0]["edits"].as_array().expect("edits").clone();
    // From the last to the first, so that each range is one of the text as it still is.
    edits.sort_by_key(|edit| (edit["range"]["start"]["line"].as_u64(), edit["range"]["start"]["character"].as_u64()));
    edits.reverse();
    client.change(
        FILE,
        2,
        Value::Array(edits.iter().map(|e| json!({"range": e["range"], "text": e["newText"]})).collect()),
    );
    let items = client.pull(FILE, None)["items"].as_array().cloned().expect("a list");
    assert!(items.iter().all(|item| item["code"] != code), "still there: {items:#?}");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn an_index_map_that_returns_offsets_is_mended() {
    let text = PRODUCT.replace("k: (i, k)", "k: (i * 128, k)");
    mended(&text, "PL120", "Return block indices, not element offsets");
}

#[test]
fn a_grid_that_is_too_small_is_rounded_up() {
    let text = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def copy(x_ref, o_ref):
  o_ref[...] = x_ref[...]

x = jnp.ones((1000, 128))
spec = pl.BlockSpec((128, 128), lambda i: (i, 0))
y = pl.pallas_call(copy, grid=(x.shape[0] // 128,), in_specs=[spec], out_specs=spec, out_shape=x)(x)
";
    mended(text, "PL121", "Round up with `cdiv`");
}

#[test]
fn sums_that_begin_with_garbage_are_initialised() {
    let init = "  @pl.when(k == 0)\n  def _():\n    acc_ref[...] = jnp.zeros_like(acc_ref)\n\n";
    mended(&PRODUCT.replace(init, ""), "PL203", "Set acc_ref to zero under `pl.when`");
}

#[test]
fn the_reduction_is_moved_to_the_end_of_the_grid() {
    let text = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def total(x_ref, o_ref):
  @pl.when(pl.program_id(0) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)

  o_ref[...] += x_ref[...]

x = jnp.ones((4, 8, 128, 128))
y = pl.pallas_call(
    total,
    grid=(4, 8),
    in_specs=[pl.BlockSpec((None, None, 128, 128), lambda k, i: (k, i, 0, 0))],
    out_specs=pl.BlockSpec((None, 128, 128), lambda k, i: (i, 0, 0)),
    out_shape=jax.ShapeDtypeStruct((8, 128, 128), jnp.float32),
)(x)
";
    mended(text, "PL124", "Move the axis that is reduced over to the end of the grid");
}

#[test]
fn padding_that_reaches_a_sum_is_masked() {
    let text = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def total(x_ref, o_ref):
  o_ref[...] = jnp.sum(x_ref[...], axis=0, keepdims=True)

x = jnp.ones((100, 128))
y = pl.pallas_call(
    total,
    grid=(1,),
    in_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((1, 128), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((1, 128), jnp.float32),
)(x)
";
    mended(text, "PL204", "Mask what lies past the end of x_ref");
}

#[test]
fn the_kernel_ir_is_a_document_of_its_own() {
    let mut capabilities = editor();
    capabilities["window"] = json!({"showDocument": {"support": true}});
    let mut client = Client::start();
    client.answers.insert("window/showDocument".to_string(), json!({"success": true}));
    client.greet(json!({"capabilities": capabilities}));
    client.open(FILE, PRODUCT);
    let id =
        client.ask("workspace/executeCommand", json!({"command": "pallas.kernelIr", "arguments": [{"uri": FILE}]}));
    let shown = client.wait_for("a document", |message| message["method"] == "window/showDocument");
    assert_eq!(shown["params"]["external"], false);
    let path = shown["params"]["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file");
    let text = std::fs::read_to_string(path).expect("the IR");
    assert!(text.contains("kernel") && text.contains("acc_ref"), "{text}");
    assert_eq!(client.answer(id).expect("an answer")["text"], json!(text));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn generated_code_is_shown_in_each_form() {
    let mut client = Client::start();
    client.greet(json!({"capabilities": editor()}));
    client.open(FILE, PRODUCT);
    for (form, word) in [("cuda", "__global__"), ("simt", "blocks="), ("ttir", "tt.func"), ("tileir", "cuda_tile")] {
        let arguments = json!({"command": "pallas.generatedCode", "arguments": [{"uri": FILE, "form": form}]});
        let id = client.ask("workspace/executeCommand", arguments);
        let answer = client.answer(id).expect("an answer");
        let text = answer["text"].as_str().expect("a text");
        assert!(text.contains(word) || text.starts_with("// "), "{form}: {text}");
        assert!(form != "cuda" || text.contains(word), "{text}");
    }
    let arguments = json!({"command": "pallas.generatedCode", "arguments": [{"uri": FILE, "form": "verse"}]});
    let id = client.ask("workspace/executeCommand", arguments);
    assert!(client.answer(id).is_err());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn edits_and_answers_are_counted_in_every_encoding() {
    let line = "s = '🙂é𝐱'; x = jnp.ones((64, 256))";
    let text = format!("import jax\nimport jax.numpy as jnp\n{line}\ny = x\n");
    type Count = fn(&str) -> usize;
    let units: [(&str, Count); 3] =
        [("utf-8", str::len), ("utf-16", |text| text.encode_utf16().count()), ("utf-32", |text| text.chars().count())];
    for (encoding, count) in units {
        let mut capabilities = pulling_editor();
        capabilities["general"]["positionEncodings"] = json!([encoding]);
        let (mut client, agreed) = Client::initialize(capabilities);
        assert_eq!(agreed["positionEncoding"], encoding);
        client.open(FILE, &text);
        // 64 becomes 32, by an edit behind characters of several widths.
        let start = count(line.split_once("64").expect("there").0);
        let range = json!({"start": {"line": 2, "character": start}, "end": {"line": 2, "character": start + 2}});
        client.change(FILE, 2, json!([{"range": range, "text": "32"}]));
        let at_x = count(line.split_once("x = jnp").expect("there").0);
        let hover = client.request("textDocument/hover", at(FILE, 2, at_x)).expect("a hover");
        assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("x: f32[32,256]")), "{hover}");
        assert_eq!(hover["range"]["start"], json!({"line": 2, "character": at_x}), "{encoding}");
        assert_eq!(client.finish(), Some(0));
    }
}

#[test]
fn files_that_are_created_are_seen_by_who_imports_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = |name: &str| format!("file://{}/{name}", folder.path().display());
    let (mut client, _) = Client::initialize(editor());
    // It says nothing of JAX, so nothing is said of it, until what it imports is there and does.
    let text = "import sizes\nsizes.wrong\n";
    client.open(&uri("main.py"), text);
    assert_eq!(client.published(&uri("main.py"), 1), Vec::<Value>::new());
    // An edit that is not analysed forgets nothing of what the file waits for.
    client.replace(&uri("main.py"), 2, &format!("{text}\n"));
    assert_eq!(client.published(&uri("main.py"), 2), Vec::<Value>::new());
    std::fs::write(folder.path().join("sizes.py"), "import jax\nright = 1\n").expect("written");
    let created = json!({"changes": [{"uri": uri("sizes.py"), "type": 1}]});
    client.notify("workspace/didChangeWatchedFiles", created);
    let found = client.published(&uri("main.py"), 2);
    assert!(found.iter().any(|finding| finding["message"].as_str().is_some_and(|m| m.contains("wrong"))), "{found:?}");
    assert_eq!(client.finish(), Some(0));
}

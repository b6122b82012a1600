//! What is offered while somebody types, what belongs together, and the outline. `$0` marks the cursor.

use pallas_engine::{Analysis, AnalysisOptions, Disk, Memory, catalogue};
use pallas_ide::{Which, completions, kernel_ir, links, signature_help, symbols};
use std::sync::Arc;

const PRELUDE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

def kernel(x_ref, o_ref):
  i = pl.program_id(0)
  o_ref[...] = x_ref[...] + i

x = jnp.ones((64, 256))
";

/// As an editor analyses.
fn options() -> AnalysisOptions {
    AnalysisOptions { memory: Some(Memory::default()), ..AnalysisOptions::new(Arc::new(Disk)) }
}

/// The analysis of a text after the prelude, and where its cursor is.
#[track_caller]
fn at(text: &str) -> (Analysis, u32) {
    let text = format!("{PRELUDE}{text}");
    let offset = text.find("$0").expect("a cursor");
    let text = text.replacen("$0", "", 1);
    (Analysis::new("/work/main.py", &text, &options()), offset as u32)
}

#[track_caller]
fn offered(text: &str) -> Vec<String> {
    let (analysis, offset) = at(text);
    completions(&analysis, offset).into_iter().map(|item| item.label).collect()
}

/// The text with the proposal of this label taken.
#[track_caller]
fn taken(text: &str, label: &str) -> String {
    let (analysis, offset) = at(text);
    let items = completions(&analysis, offset);
    let item = items.iter().find(|item| item.label == label).unwrap_or_else(|| panic!("{items:#?}"));
    let mut text = analysis.source.text.to_string();
    text.replace_range(item.replaces.range(), &item.text);
    text[PRELUDE.len()..].to_string()
}

#[test]
fn keyword_arguments_of_pallas_calls() {
    let labels = offered("y = pl.pallas_call(kernel, x, grid=(4,), $0");
    assert_eq!(labels[..3], ["grid_spec=", "in_specs=", "out_specs="]);
    assert!(!labels.iter().any(|label| label == "grid=" || label == "kernel="), "given already: {labels:?}");
    assert_eq!(
        taken("y = pl.pallas_call(kernel, x, in$0)\n", "in_specs="),
        "y = pl.pallas_call(kernel, x, in_specs=)\n"
    );
    assert!(offered("pltpu.CompilerParams($0").contains(&"dimension_semantics=".to_string()));
    assert_eq!(
        offered("from jax.experimental.pallas import BlockSpec as BS\nBS((8,), $0").last().map(String::as_str),
        Some("memory_space=")
    );
}

#[test]
fn what_is_not_of_pallas_is_left_to_others() {
    for text in [
        "print($0",
        "jnp.zeros($0",
        "x.$0",
        "$0",
        "y = pl.$0",
        "# pl.pallas_call($0",
        "s = 'pl.pallas_call($0",
        "f(pl.pallas_call(kernel, x), $0",
    ] {
        assert!(offered(text).is_empty(), "{text}: {:?}", offered(text));
    }
    // Behind a whole value there is nothing to begin.
    assert!(offered("pl.pallas_call(kernel, x, grid=(4,) $0").is_empty());
}

#[test]
fn index_maps_fit_the_grid_and_the_block() {
    let call = |spec: &str| format!("y = pl.pallas_call(kernel, out_shape=x, grid=(4, 2), in_specs=[{spec}");
    let maps = [
        "lambda i, j: (i, j)",
        "lambda i, j: (i, 0)",
        "lambda i, j: (0, i)",
        "lambda i, j: (j, 0)",
        "lambda i, j: (0, j)",
        "lambda i, j: (0, 0)",
    ];
    assert_eq!(offered(&call("pl.BlockSpec((16, 128), $0"))[..6], maps);
    assert_eq!(offered(&call("pl.BlockSpec(index_map=$0"))[..1], ["lambda i, j: (i, j)"]);
    assert_eq!(offered(&call("pl.BlockSpec((16,), index_map=la$0"))[..2], ["lambda i, j: (i,)", "lambda i, j: (j,)"]);
    // The grid may stand behind the cursor.
    let behind = "y = pl.pallas_call(kernel, out_shape=x, in_specs=[pl.BlockSpec((16, 128), $0)], grid=(4, 2, 3))(x)\n";
    assert_eq!(offered(behind)[0], "lambda i, j, k: (i, j)");
    let taken = taken(&call("pl.BlockSpec((16, 128), la$0"), "lambda i, j: (i, 0)");
    assert!(taken.ends_with("pl.BlockSpec((16, 128), lambda i, j: (i, 0)"), "{taken}");
}

#[test]
fn values_that_only_pallas_knows() {
    let spaces = offered("pl.BlockSpec(memory_space=$0");
    assert_eq!(spaces, ["pltpu.VMEM", "pltpu.SMEM", "pltpu.HBM", "pl.ANY"], "as they can be written here");
    assert_eq!(offered("pl.BlockSpec((8,), pipeline_mode=$0"), ["pl.Buffered(1)", "pl.Buffered(2)", "pl.Buffered(3)"]);
    let call = "y = pl.pallas_call(kernel, out_shape=x, grid=(4, 2), compiler_params=";
    assert_eq!(
        offered(&format!("{call}$0")),
        ["pltpu.CompilerParams(dimension_semantics=(\"arbitrary\", \"arbitrary\"))"]
    );
    assert_eq!(offered(&format!("{call}pltpu.CompilerParams(dimension_semantics=(\"$0")), ["parallel", "arbitrary"]);
    assert_eq!(offered(&format!("{call}pltpu.CompilerParams(name=\"$0")), Vec::<String>::new());
    let call = "y = pl.pallas_call(kernel, out_shape=x, out_specs=pl.BlockSpec((bm, min(bn, 8)), lambda i: (i, 0)), ";
    assert_eq!(offered(&format!("{call}scratch_shapes=$0")), ["[pltpu.VMEM((bm, min(bn, 8)), jnp.float32)]"]);
    assert_eq!(offered(&format!("{call}interpret=$0")), ["True", "pltpu.InterpretParams()"]);
}

#[test]
fn axes_of_the_grid_around() {
    let program = "\
def copy(x_ref, o_ref):
  i = pl.program_id($0)
  o_ref[...] = x_ref[...]

spec = pl.BlockSpec((16, 128), lambda i, j: (i, j))
pl.pallas_call(copy, out_shape=x, grid=(4, 2), in_specs=[spec], out_specs=spec)(x)
";
    // While the axis is missing the kernel is not traced: what is known of the grid is what is written.
    assert_eq!(offered(program), ["0", "1", "axis="]);
    assert_eq!(offered(&program.replace("grid=(4, 2), ", "")), ["axis="]);
    assert_eq!(offered(&program.replace("($0)", "(0$0)"))[..2], ["0", "1"]);
}

#[test]
fn fields_of_refs() {
    assert_eq!(offered("def k(a_ref, b):\n  a_ref.$0\n")[..2], ["shape", "dtype"]);
    assert!(offered("def k(a, b):\n  a.$0\n").is_empty());
    assert_eq!(taken("def k(a_ref):\n  a_ref.sh$0\n", "shape"), "def k(a_ref):\n  a_ref.shape\n");
}

#[test]
fn the_signature_of_the_call_with_the_parameter_at_the_cursor() {
    let help = |text: &str| {
        let (analysis, offset) = at(text);
        signature_help(&analysis, offset).map(|help| {
            let active = help.active.map(|active| help.parameters[active]);
            (help.label.clone(), active.map(|(start, end)| help.label[start..end].to_string()))
        })
    };
    let (label, active) = help("pl.BlockSpec((8, 128), $0").expect("help");
    assert!(label.starts_with("pl.BlockSpec(block_shape=None, index_map=None"), "{label}");
    assert_eq!(active.as_deref(), Some("index_map=None"));
    assert_eq!(help("pl.BlockSpec((8, $0").and_then(|(_, active)| active).as_deref(), Some("block_shape=None"));
    let (label, active) = help("pl.pallas_call(kernel, grid=(4, $0").expect("help");
    assert!(label.contains("out_shape=..., *, grid_spec=None"), "{label}");
    assert_eq!(active.as_deref(), Some("grid=()"));
    assert_eq!(help("pl.pallas_call(kernel, x, $0").and_then(|(_, active)| active), None);
    assert_eq!(help("jnp.zeros($0"), None);
    assert_eq!(help("pl.pallas_call(kernel, x)$0"), None);
}

const LAUNCH: &str = "\
spec = pl.BlockSpec((16, 256), lambda i: (i, 0))
y = pl.pallas_call(kernel, out_shape=x, grid=(4,), in_specs=[spec], out_specs=pl.BlockSpec((16, 256), lambda i: (i, 0)))(x)
";

/// The texts that belong to the cursor, and which of them is the origin.
#[track_caller]
fn linked(cursor_in: &str, with_cursor: &str) -> Option<(Vec<String>, Option<String>, bool)> {
    let text = format!("{PRELUDE}{LAUNCH}");
    assert!(text.contains(cursor_in));
    let text = text.replacen(cursor_in, with_cursor, 1);
    let offset = text.find("$0").expect("a cursor") as u32;
    let analysis = Analysis::new("/work/main.py", &text.replacen("$0", "", 1), &options());
    let found = links(&analysis, offset)?;
    let line =
        |span: pallas_ide::Span| format!("{}:{}", analysis.source.line_of(span.start), analysis.source.slice(span));
    let places = found.places.iter().map(|span| line(*span)).collect();
    Some((places, found.origin.map(line), found.is_name))
}

#[test]
fn a_parameter_its_spec_and_its_operand_belong_together() {
    let expected = ["6:x_ref", "11:pl.BlockSpec", "12:x"].map(str::to_string);
    for (text, cursor) in [("kernel(x_ref", "kernel(x_$0ref"), ("= pl.Block", "= pl.Bl$0ock"), ("0)))(x)", "0)))($0x)")]
    {
        let (places, origin, is_name) = linked(text, cursor).expect("links");
        assert_eq!(places, expected, "{cursor}");
        assert_eq!(origin.as_deref(), Some("11:pl.BlockSpec"));
        assert!(is_name);
    }
    assert_eq!(linked("x = jnp.ones", "x = jnp.on$0es"), None);
}

#[test]
fn an_axis_its_program_ids_and_its_parameters_belong_together() {
    let (places, origin, is_name) = linked("program_id(0", "program_id($00").expect("links");
    assert_eq!(places, ["7:0", "11:i", "12:4", "12:i"]);
    assert_eq!(origin.as_deref(), Some("12:4"));
    assert!(!is_name, "others have nothing to say of a number");
    assert_eq!(linked("grid=(4", "grid=($04").map(|(places, ..)| places), Some(places));
}

#[test]
fn a_finding_and_the_programs_that_it_is_about_belong_together() {
    // A program too many: PL120, at the index maps.
    let text = format!("{PRELUDE}{}", LAUNCH.replace("grid=(4,)", "grid=(5,)"));
    let analysis = Analysis::new("/work/main.py", &text, &options());
    let finding = analysis.findings.iter().find(|finding| finding.code == "PL120").expect("PL120");
    let finding = analysis.place(finding.span);
    let shown = |offset: u32| {
        let found = links(&analysis, offset)?;
        let text = |span: pallas_ide::Span| analysis.source.slice(span).to_string();
        Some((text(found.here), found.origin.map(text), found.places.into_iter().map(text).collect::<Vec<_>>()))
    };
    let (_, origin, places) = shown(finding.start + 1).expect("from the finding");
    assert_eq!(origin.as_deref(), Some("(5,)"), "{places:?}");
    let grid = text.find("(5,)").expect("there") as u32;
    // Inside of the parentheses stands the axis, with links of its own.
    let (here, _, places) = shown(grid).expect("from the grid");
    assert_eq!(here, "(5,)");
    assert!(places.contains(&analysis.source.slice(finding).to_string()), "{places:?}");
}

#[test]
fn the_outline_has_kernels_and_launches() {
    let (analysis, _) = at(&format!("{LAUNCH}$0"));
    let shown: Vec<(String, String)> =
        symbols(&analysis).into_iter().map(|symbol| (symbol.name, symbol.detail)).collect();
    let expected = [("kernel", "kernel of x_ref, o_ref"), ("launch kernel", "grid 4 · 4 programs")];
    assert_eq!(shown, expected.map(|(name, detail)| (name.to_string(), detail.to_string())));
    assert!(symbols(&at("$0").0).is_empty());
}

#[test]
fn the_ir_of_a_launch_can_be_read() {
    let (analysis, offset) = at(&LAUNCH.replace("pallas_call(", "pallas_call($0"));
    let text = kernel_ir(&analysis, Which::At(offset)).expect("a launch");
    assert!(text.contains("kernel") && text.contains("x_ref"), "{text}");
    assert_eq!(kernel_ir(&analysis, Which::All), Some(text));
    assert_eq!(kernel_ir(&at("$0").0, Which::All), None);
}

#[test]
fn every_prefix_is_answered() {
    let text = format!("{PRELUDE}{LAUNCH}");
    for cut in (0..text.len()).step_by(11) {
        let analysis = Analysis::new("/work/main.py", &text[..cut], &options());
        for offset in [cut, cut / 2, cut + 5] {
            completions(&analysis, offset as u32);
            signature_help(&analysis, offset as u32);
            links(&analysis, offset as u32);
        }
        symbols(&analysis);
    }
    assert!(!catalogue::members().is_empty());
}

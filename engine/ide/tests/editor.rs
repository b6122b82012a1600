//! What is shown where, on real kernels. `$0` marks the cursor; hints are written into the text between `«` and `»`.

use pallas_engine::{Analysis, AnalysisOptions, Disk, FileSystem, Memory, Overlay, Span};
use pallas_ide::{call_to_say, diagnostics, hover, inlay_hints, lenses};
use std::collections::HashMap;
use std::sync::Arc;

const PRELUDE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
";

fn analyse_with(files: Arc<dyn FileSystem>, text: &str) -> Analysis {
    Analysis::new(
        "/work/main.py",
        text,
        &AnalysisOptions { memory: Some(Memory::default()), ..AnalysisOptions::new(files) },
    )
}

fn analyse(text: &str) -> Analysis {
    analyse_with(Arc::new(Disk), text)
}

/// The hover at `$0` in a text after the prelude; its lines without empty ones and code fences.
#[track_caller]
fn check_hover(text: &str, expected: &[&str]) {
    let text = format!("{PRELUDE}{text}");
    let offset = text.find("$0").expect("a cursor");
    let analysis = analyse(&text.replacen("$0", "", 1));
    let markdown = hover(&analysis, offset as u32).map(|hover| hover.markdown).unwrap_or_default();
    let lines: Vec<&str> = markdown.lines().filter(|line| !line.is_empty() && !line.starts_with("```")).collect();
    assert_eq!(lines, expected, "findings: {:?}", analysis.findings);
}

#[track_caller]
fn check_hints(text: &str) {
    let text = format!("{PRELUDE}{text}");
    let mut plain = String::new();
    for (index, part) in text.split(['«', '»']).enumerate() {
        if index % 2 == 0 {
            plain.push_str(part);
        }
    }
    let analysis = analyse(&plain);
    let mut shown = String::new();
    let mut last = 0;
    for hint in inlay_hints(&analysis, Span::new(analysis.source.id, 0, plain.len())) {
        shown.push_str(&plain[last..hint.offset as usize]);
        shown.push_str(&format!("«{}»", hint.label));
        last = hint.offset as usize;
    }
    shown.push_str(&plain[last..]);
    assert_eq!(shown, text);
}

/// A kernel over a grid, with a cursor put in by the caller.
fn blocked(cursor_in: &str, with_cursor: &str) -> String {
    let text = "\
def kernel(x_ref, y_ref, o_ref):
  i = pl.program_id(0)
  n = pl.num_programs(axis=1)
  total = x_ref[...] + y_ref[0, :]
  o_ref[...] = total * i

x = jnp.ones((64, 256))
y = jnp.ones((8, 128))
spec = pl.BlockSpec((16, 128), lambda i, j: (i, j))
call = pl.pallas_call(kernel, out_shape=x, grid=(4, 2), in_specs=[spec, pl.BlockSpec((8, 128), lambda i, j: (0, 0))], out_specs=spec)
z = call(x, y)
";
    assert!(text.contains(cursor_in));
    text.replacen(cursor_in, with_cursor, 1)
}

#[test]
fn a_ref_parameter_has_its_block_and_its_operand() {
    check_hover(
        &blocked("kernel(x_ref", "kernel(x_$0ref"),
        &[
            "x_ref: ref<f32[16,128]>",
            "`x_ref`, input: blocks `(16, 128)` of `f32[64,256]`; program `(3, 1)` gets block `(3, 1)`; grid `(4, 2)`",
            "□ □   4 x 2 blocks of 16 x 128",
            "□ □   ■ program (3, 1)",
            "□ □   □ other programs'",
            "□ ■",
        ],
    );
}

#[test]
fn a_drawing_shows_what_no_program_has() {
    let text = "\
def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...]

x = jnp.ones((16, 1024))
y = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((16, 384), x.dtype), grid=(2, 3),
                   in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, 2 * j))],
                   out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, j)))(x)
";
    check_hover(
        &text.replacen("x_ref", "x_$0ref", 1),
        &[
            "x_ref: ref<f32[8,128]>",
            "`x_ref`, input: blocks `(8, 128)` of `f32[16,1024]`; program `(1, 2)` gets block `(1, 4)`; grid `(2, 3)`",
            "□ · □ · □ · · ·   2 x 8 blocks of 8 x 128",
            "□ · □ · ■ · · ·   ■ program (1, 2)",
            "                  □ other programs'",
            "                  · nobody's",
        ],
    );
}

#[test]
fn values_in_kernels_have_their_shapes() {
    check_hover(&blocked("total = x_ref", "tot$0al = x_ref"), &["total: f32[16,128]"]);
    check_hover(&blocked("y_ref[0, :]", "y_ref[$00, :]"), &["y_ref[0, :]: f32[128]"]);
    check_hover(&blocked("[...] + y", "[...] $0+ y"), &["x_ref[...] + y_ref[0, :]: f32[16,128]"]);
    check_hover(&blocked("x = jnp", "$0x = jnp"), &["x: f32[64,256]"]);
    check_hover(&blocked("z = call", "$0z = call"), &["z: f32[64,256]"]);
}

#[test]
fn a_program_id_has_the_range_of_its_axis() {
    check_hover(
        &blocked("program_id", "program$0_id"),
        &["pl.program_id(0): i32[]", "`0` to `3`: axis 0 of grid `(4, 2)`"],
    );
    let lines = ["`2`: axis 1 of grid `(4, 2)`"];
    let text = blocked("num_programs", "num_$0programs");
    let text = format!("{PRELUDE}{}", text);
    let analysis = analyse(&text.replacen("$0", "", 1));
    let shown = hover(&analysis, text.find("$0").expect("a cursor") as u32).expect("a hover");
    assert!(shown.markdown.ends_with(lines[0]), "{}", shown.markdown);
}

#[test]
fn a_block_spec_has_the_operands_that_it_cuts() {
    check_hover(
        &blocked("spec = pl.BlockSpec", "spec = pl.Block$0Spec"),
        &[
            "pl.BlockSpec((16, 128), lambda i, j: (i, j))",
            "`x_ref`, input: blocks `(16, 128)` of `f32[64,256]`; program `(3, 1)` gets block `(3, 1)`; grid `(4, 2)`",
            "`o_ref`, output: blocks `(16, 128)` of `f32[64,256]`; program `(3, 1)` gets block `(3, 1)`; grid `(4, 2)`",
            "□ □   4 x 2 blocks of 16 x 128",
            "□ □   ■ program (3, 1)",
            "□ □   □ other programs'",
            "□ ■",
        ],
    );
}

#[test]
fn a_kernel_has_its_launch() {
    check_hover(
        &blocked("def kernel", "def ker$0nel"),
        &[
            "kernel kernel",
            "grid `(4, 2)`: 8 programs",
            "- `x_ref`, input: blocks `(16, 128)` of `f32[64,256]`; program `(3, 1)` gets block `(3, 1)`",
            "- `y_ref`, input: blocks `(8, 128)` of `f32[8,128]`; program `(3, 1)` gets block `(0, 0)`",
            "- `o_ref`, output: blocks `(16, 128)` of `f32[64,256]`; program `(3, 1)` gets block `(3, 1)`",
        ],
    );
}

#[test]
fn a_kernel_says_what_it_is_profiled_on_where_something_says_so() {
    let launch = "from jax.experimental.pallas import triton as plgpu
def ker$0nel(x_ref, o_ref):
  o_ref[...] = x_ref[...]
x = jnp.zeros((8,))
pl.pallas_call(kernel, out_shape=x, compiler_params=plgpu.CompilerParams(num_warps=4))(x)
";
    check_hover(
        launch,
        &[
            "kernel kernel",
            "grid `()`: 1 program",
            "- `x_ref`, input: all of `f32[8]`",
            "- `o_ref`, output: all of `f32[8]`",
            "- profiled on NVIDIA H100, because it is written for Triton",
        ],
    );
}

#[test]
fn what_others_know_is_left_to_them() {
    check_hover("n = 3$0\n", &[]);
    check_hover("text = '$0abc'\n", &[]);
    check_hover("x = jnp.ones(3)\nprint(f'{x}$0')\n", &[]);
    check_hover("x = jnp.ones(3)\nprint(re$0pr(x))\n", &[]);
    check_hover("x = jnp.ones(3, $0 dtype=jnp.int32)\n", &[]);
    check_hover("# a comm$0ent\n", &[]);
    check_hover("j$0np.ones(3)\n", &[]);
    check_hover("$0", &[]);
}

#[test]
fn calls_speak_at_the_name_of_the_function() {
    check_hover("x = jnp.on$0es((3, 4))\n", &["jnp.ones((3, 4)): f32[3,4]"]);
    check_hover("x = jnp.ones((3, 4))\ny = x.su$0m(axis=0)\n", &["x.sum(axis=0): f32[4]"]);
    check_hover("n = pl.c$0div(10, 4)\n", &["pl.cdiv(10, 4): int = 3"]);
}

#[test]
fn several_evaluations_show_all_their_types_and_no_value() {
    let text = "def f(x):\n  return x + 1\nf(jnp.ones(2))\nf(jnp.ones(4))\n";
    check_hover(&text.replace("f(x)", "f($0x)"), &["x: f32[4] | f32[2]"]);
    check_hover("for i in range(3):\n  $0i\n", &[]);
}

#[test]
fn hints_stand_behind_refs_and_assigned_values_of_kernels_alone() {
    check_hints(
        "\
def kernel(x_ref«: ref<f32[8,128]>», o_ref«: ref<f32[8,128]>»):
  x«: f32[8,128]» = x_ref[...]
  half, _ = x[:4]«», x
  total«: f32[8]» = x.sum(axis=1)
  total += 1
  o_ref[...] = x + total[:, None]

x = jnp.ones((8, 128))
y = pl.pallas_call(kernel, out_shape=x)(x)
"
        .replace("half, _ = x[:4]«», x", "half«: f32[4,128]», _ = x[:4], x")
        .as_str(),
    );
}

#[test]
fn hints_at_launches_say_what_is_computed() {
    check_hints(
        "\
def kernel(x_ref«: ref<f32[8,128]>», o_ref«: ref<f32[8,128]>»):
  o_ref[...] = x_ref[...]

def launch(x, rows):
  grid = (x.shape[0] // rows,)
  return pl.pallas_call(
    kernel, out_shape=x, grid=grid« = (2,) | ...»,
    in_specs=[pl.BlockSpec((rows, 128)« = (8, 128)», lambda i: (i, 0))],
    out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
  )(x)

launch(jnp.ones((32, 128)), 8)
launch(jnp.ones((16, 128)), 8)
",
    );
}

#[test]
fn findings_elsewhere_are_shown_where_they_came_from() {
    let helper = format!("{PRELUDE}\ndef shapes(x):\n  return x.reshape(7, 7)\n");
    let files = Overlay::new(HashMap::from([("/work/helper.py".to_string(), helper.into())]), Arc::new(Disk));
    let text = format!("{PRELUDE}from helper import shapes\ny = shapes(jnp.ones((8, 128)))\n");
    let analysis = analyse_with(Arc::new(files), &text);
    let shown = diagnostics(&analysis);
    assert_eq!(shown.len(), 1, "{shown:?}");
    let shown = &shown[0];
    assert_eq!(shown.span.file, analysis.source.id);
    assert!(analysis.source.slice(shown.span).contains("shapes("), "{:?}", analysis.source.slice(shown.span));
    assert!(shown.message.contains("(in helper.py:6)"), "{}", shown.message);
    assert_eq!(analysis.source_of(shown.notes[0].span).path.as_ref(), "/work/helper.py");
    assert!(shown.message_with_notes(&analysis).contains("\nhelper.py:6: "));
}

#[test]
fn files_without_jax_are_left_alone() {
    let analysis = analyse("import requests\nx = undefined\n");
    assert!(diagnostics(&analysis).is_empty());
    assert_eq!(hover(&analysis, 18), None);
}

#[test]
fn every_offset_of_every_prefix_is_answered() {
    let text = format!("{PRELUDE}{}", blocked("z = call", "z = call"));
    for cut in (0..text.len()).step_by(13) {
        let analysis = analyse(&text[..cut]);
        for offset in (0..=cut as u32 + 3).step_by(7) {
            hover(&analysis, offset);
        }
        for diagnostic in diagnostics(&analysis) {
            assert!(diagnostic.span.end as usize <= cut);
        }
    }
}

#[test]
fn lenses_say_grid_and_findings() {
    let text = format!(
        "{PRELUDE}\
def kernel(x_ref, o_ref):
  o_ref[...] += x_ref[...]

spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
def launch(x):
  return pl.pallas_call(kernel, out_shape=x, grid=(4, 2), in_specs=[spec], out_specs=spec)(x)

launch(jnp.ones((32, 256)))
def nobody_calls(x: jax.Array):
  return pl.pallas_call(lambda x_ref, o_ref: o_ref.set(x_ref[...]), out_shape=x)(x)
"
    );
    let analysis = analyse(&text);
    let shown: Vec<(&str, String)> =
        lenses(&analysis).into_iter().map(|lens| (&text[lens.span.range()][..22], lens.title)).collect();
    assert_eq!(
        shown,
        [
            ("pl.pallas_call(kernel,", "grid 4x2 · 8 programs · 1 finding".to_string()),
            ("pl.pallas_call(lambda ", "no grid · 1 program · with made-up arguments".to_string()),
        ]
    );
}

#[test]
fn arguments_that_a_test_or_a_comment_gives_are_not_made_up() {
    let text = format!(
        "{PRELUDE}
import pytest

def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...]

@pytest.mark.parametrize('rows', [8, 16])
def test_rows(rows):
  return pl.pallas_call(kernel, out_shape=jnp.ones((rows, 128)))(jnp.ones((rows, 128)))

# pallas: call(x=f32[8, 128])
def said(x):
  return pl.pallas_call(kernel, out_shape=x)(x)
"
    );
    let titles: Vec<String> = lenses(&analyse(&text)).into_iter().map(|lens| lens.title).collect();
    let of_test = "no grid · 1 program · launched in 2 ways · with given arguments";
    assert_eq!(titles, [of_test, "no grid · 1 program · with given arguments"]);
}

#[test]
fn a_function_whose_argument_cannot_be_made_up_says_which() {
    let text = format!(
        "{PRELUDE}
import masks

def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...]

def masked(x: jax.Array, info: masks.Info):
  return pl.pallas_call(kernel, out_shape=x)(x * masks.scale(info))
"
    );
    let titles: Vec<String> = lenses(&analyse(&text)).into_iter().map(|lens| lens.title).collect();
    let why = "no argument can be made up for `info: masks.Info`";
    assert_eq!(titles, [format!("not checked: nobody calls it here, and {why}")]);
}

#[test]
fn a_function_that_was_not_reached_says_why_and_can_be_told_its_arguments() {
    let text = format!(
        "{PRELUDE}
def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...]

@jax.jit
def double(x: jax.Array, steps: int):
  if hash(str(x.shape)) != 5:
    raise ValueError('only some')
  return pl.pallas_call(kernel, out_shape=x)(x)
"
    );
    let analysis = analyse(&text);
    let titles: Vec<String> = lenses(&analysis).into_iter().map(|lens| lens.title).collect();
    let why = "running this raises ValueError: only some";
    assert_eq!(titles, [format!("not checked: nobody calls it here, and with made-up arguments {why}")]);
    let at = text.find("double").expect("the function");
    assert_eq!(call_to_say(&analysis, &(0..3)), None);
    let fix = call_to_say(&analysis, &(at..at)).expect("an edit");
    assert_eq!(fix.title, "say what `double` is called with");
    // All of its head is meant, and nothing of its body.
    let end = text.find("int):").expect("the parameters") + "int):".len();
    assert_eq!(call_to_say(&analysis, &(end..end)), Some(fix.clone()));
    assert_eq!(call_to_say(&analysis, &(end + 4..end + 4)), None);
    let [edit] = fix.edits.as_slice() else { panic!("one edit") };
    assert_eq!(edit.replacement, "# pallas: call(x=f32[1024,1024], steps=128)\n");
    let mut said = text.clone();
    said.insert_str(edit.span.start as usize, &edit.replacement);
    assert!(said.contains("# pallas: call(x=f32[1024,1024], steps=128)\n@jax.jit\ndef double"));
    let analysis = analyse(&said);
    let messages: Vec<String> = diagnostics(&analysis).into_iter().map(|found| found.message).collect();
    assert!(messages.iter().any(|message| message.contains("only some")), "said, so that it counts: {messages:?}");
    assert_eq!(call_to_say(&analysis, &(at..at)), None);
    // What is called as a comment says, and launches nothing, says so, wherever it might have led.
    let analysis = analyse("import jax\n# pallas: call(x=f32[8, 128])\ndef scale(x):\n  return x * 2\n");
    let titles: Vec<String> = lenses(&analysis).into_iter().map(|lens| lens.title).collect();
    assert_eq!(titles, ["not checked: it launches nothing with these arguments"]);
}

#[test]
fn what_nobody_calls_has_hints_that_say_so() {
    check_hints(
        "\
def kernel(x_ref«: ref<f32[1024,1024]>?», o_ref«: ref<f32[1024,1024]>?»):
  y«: f32[1024,1024]?» = x_ref[...]
  o_ref[...] = y

def double(x: jax.Array):
  m, n = x.shape
  return pl.pallas_call(kernel, out_shape=x)(x)
",
    );
}

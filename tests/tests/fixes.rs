//! Every fix is applied, and the file analysed again: the finding is gone, nothing else that is wrong came, and the text is what
//! a person would have written. Near misses have no fix.

use pallas_engine::{Analysis, AnalysisOptions, Disk, Finding, Severity};
use std::sync::Arc;

const PRELUDE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
";

fn analyse(text: &str) -> Analysis {
    Analysis::new("/work/kernel.py", text, &AnalysisOptions::new(Arc::new(Disk)))
}

fn describe(analysis: &Analysis) -> Vec<String> {
    let line = |finding: &Finding| analysis.source.line_of(finding.span.start);
    analysis.findings.iter().map(|f| format!("{} {}: {}", f.code, line(f), f.message)).collect()
}

/// A file with findings of a rule that fixes mend: the first is fixed until there is none.
#[track_caller]
fn check(code: &str, before: &str, after: &str) {
    let mut text = format!("{PRELUDE}{before}");
    let first = analyse(&text);
    let others = |analysis: &Analysis| -> Vec<String> {
        let serious = analysis.findings.iter().filter(|f| f.code != code && f.severity != Severity::Info);
        serious.map(|f| f.message.clone()).collect()
    };
    let known = others(&first);
    assert!(first.findings.iter().any(|f| f.code == code), "{:#?}", describe(&first));
    for _ in 0..5 {
        let analysis = analyse(&text);
        let Some(finding) = analysis.findings.iter().find(|f| f.code == code) else { break };
        let fix = finding.fix.as_ref().unwrap_or_else(|| panic!("no fix: {:#?}\n{text}", describe(&analysis)));
        assert!(!fix.title.is_empty() && !fix.title.ends_with('.'));
        text = fix.apply(analysis.source.id, &text);
    }
    assert_eq!(text, format!("{PRELUDE}{after}"));
    let mended = analyse(&text);
    assert!(!mended.findings.iter().any(|f| f.code == code), "{:#?}", describe(&mended));
    let new: Vec<String> = others(&mended).into_iter().filter(|message| !known.contains(message)).collect();
    assert!(new.is_empty(), "{new:#?}\n{text}");
}

/// A file with a finding of a rule that no fix is certain for.
#[track_caller]
fn check_none(code: &str, text: &str) {
    let analysis = analyse(&format!("{PRELUDE}{text}"));
    let findings: Vec<&Finding> = analysis.findings.iter().filter(|f| f.code == code).collect();
    assert!(!findings.is_empty(), "{:#?}", describe(&analysis));
    assert!(findings.iter().all(|f| f.fix.is_none()), "{findings:#?}");
}

const COPY: &str = "
def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...]

";

#[test]
fn an_index_map_gets_the_parameters_that_it_lacks() {
    let call = |map: &str| {
        format!(
            "{COPY}x = jnp.ones((32, 512))
pl.pallas_call(kernel, grid=(4, 4), out_shape=x,
               in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, j))],
               out_specs=pl.BlockSpec((8, 128), {map}))(x)
"
        )
    };
    let before = analyse(&format!("{PRELUDE}{}", call("lambda i: (i, 0)")));
    let fix = before.findings.iter().find(|f| f.code == "PL106").and_then(|f| f.fix.clone()).expect("a fix");
    assert_eq!(fix.title, "add the parameter `j`");
    let mended = fix.apply(before.source.id, &before.source.text);
    assert_eq!(mended, format!("{PRELUDE}{}", call("lambda i, j: (i, 0)")));
    assert!(!analyse(&mended).findings.iter().any(|f| f.code == "PL106"));
    check_none("PL106", &call("lambda i, j, k: (i, j)"));
}

#[test]
fn an_index_map_that_returns_offsets_returns_blocks() {
    let call = |map: &str| {
        format!(
            "{COPY}block = 32
x = jnp.ones((128, 512))
pl.pallas_call(kernel, grid=(4, 4), out_shape=x,
               in_specs=[pl.BlockSpec((block, 128), {map})],
               out_specs=pl.BlockSpec((block, 128), lambda i, j: (i, j)))(x)
"
        )
    };
    check("PL120", &call("lambda i, j: (i * 32, j)"), &call("lambda i, j: (i, j)"));
    check("PL120", &call("lambda i, j: (block * i, j * 128)"), &call("lambda i, j: (i, j)"));
    check_none("PL120", &call("lambda i, j: (i + 1, j)"));
}

#[test]
fn indices_in_each_others_place_are_exchanged() {
    let call = |map: &str| {
        format!(
            "
def add(x_ref, y_ref, o_ref):
  o_ref[...] = x_ref[...] + y_ref[...]

x = jnp.ones((96, 96))
here = pl.BlockSpec((32, 32), lambda i, j: (i, j))
pl.pallas_call(add, grid=(3, 3), out_shape=x, in_specs=[pl.BlockSpec((32, 32), {map}), here], out_specs=here)(x, x)
"
        )
    };
    check("PL126", &call("lambda i, j: (j, i)"), &call("lambda i, j: (i, j)"));
    check("PL126", &call("lambda i, j: (i, 0)"), &call("lambda i, j: (i, j)"));
    check("PL126", &call("lambda row, column: (0, column)"), &call("lambda row, column: (row, column)"));
    // Written in another way: nobody knows what was meant.
    check_none("PL126", &call("lambda i, j: tuple([j, i])"));
}

#[test]
fn blocks_outside_come_back_if_two_indices_were_exchanged() {
    let call = |map: &str| {
        format!(
            "{COPY}x = jnp.ones((32, 512))
pl.pallas_call(kernel, grid=(4, 8), out_shape=x,
               in_specs=[pl.BlockSpec((8, 64), {map})],
               out_specs=pl.BlockSpec((8, 64), lambda i, j: (i, j)))(x)
"
        )
    };
    check("PL120", &call("lambda i, j: (j, i)"), &call("lambda i, j: (i, j)"));
}

#[test]
fn a_grid_that_is_one_short_reaches_every_block() {
    let program = |grid: &str| {
        format!(
            "
def total(x_ref, o_ref):
  @pl.when(pl.program_id(0) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += x_ref[...]

n, block = 128, 32
x = jnp.ones((n, 128))
pl.pallas_call(total, grid={grid}, out_shape=jax.ShapeDtypeStruct((block, 128), jnp.float32),
               in_specs=[pl.BlockSpec((block, 128), lambda k: (k, 0))],
               out_specs=pl.BlockSpec((block, 128), lambda k: (0, 0)))(x)
"
        )
    };
    check("PL127", &program("(n // block - 1,)"), &program("(n // block,)"));
    check("PL127", &program("(3,)"), &program("(4,)"));
    check_none("PL127", &program("(n // 42,)"));
}

#[test]
fn a_result_is_stored_by_the_last_program() {
    let program = |last: &str| {
        format!(
            "
def total(x_ref, o_ref, acc_ref):
  @pl.when(pl.program_id(0) == 0)
  def _():
    acc_ref[...] = jnp.zeros_like(acc_ref)
  acc_ref[...] += x_ref[...]
  @pl.when(pl.program_id(0) == {last})
  def _():
    o_ref[...] = acc_ref[...]

x = jnp.ones((128, 128))
pl.pallas_call(total, grid=(4,), out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32),
               in_specs=[pl.BlockSpec((32, 128), lambda k: (k, 0))],
               out_specs=pl.BlockSpec((32, 128), lambda k: (0, 0)),
               scratch_shapes=[pltpu.VMEM((32, 128), jnp.float32)])(x)
"
        )
    };
    let right = program("pl.num_programs(0) - 1");
    check("PL128", &program("pl.num_programs(0)"), &right);
    check("PL129", &program("pl.num_programs(0) - 2"), &right);
    check_none("PL129", &program("2"));
}

#[test]
fn a_sum_of_blocks_is_added_up() {
    let program = |store: &str| {
        format!(
            "
def gradient(x_ref, g_ref, dw_ref):
  x = x_ref[...]
{store}jnp.sum(x * g_ref[...], axis=0, keepdims=True)

x = jnp.ones((128, 128))
pl.pallas_call(gradient, grid=(4,), out_shape=jax.ShapeDtypeStruct((1, 128), jnp.float32),
               in_specs=[pl.BlockSpec((32, 128), lambda i: (i, 0))] * 2,
               out_specs=pl.BlockSpec((1, 128), lambda i: (0, 0)))(x, x)
"
        )
    };
    let after = "\n  @pl.when(pl.program_id(0) == 0)\n  def _():\n    dw_ref[...] = jnp.zeros_like(dw_ref)\n\n  dw_ref[...] += ";
    check("PL132", &program("  dw_ref[...] = "), &program(after));
}

#[test]
fn an_accumulator_is_set_to_zero_once() {
    let program = |zeros: &str| {
        format!(
            "
def total(x_ref, o_ref):
{zeros}  o_ref[...] += x_ref[...]

x = jnp.ones((128, 128))
pl.pallas_call(total, grid=(4,), out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32),
               in_specs=[pl.BlockSpec((32, 128), lambda k: (k, 0))],
               out_specs=pl.BlockSpec((32, 128), lambda k: (0, 0)))(x)
"
        )
    };
    let after = "  @pl.when(pl.program_id(0) == 0)\n  def _():\n    o_ref[...] = jnp.zeros_like(o_ref)\n\n";
    check("PL129", &program("  o_ref[...] = jnp.zeros_like(o_ref)\n"), &program(after));
}

#[test]
fn a_grid_is_rounded_up() {
    let call = |grid: &str, length: usize| {
        format!(
            "{COPY}n, block = {length}, 32
x = jnp.ones((n,))
spec = pl.BlockSpec((block,), lambda i: (i,))
pl.pallas_call(kernel, grid={grid}, out_shape=x, in_specs=[spec], out_specs=spec)(x)
"
        )
    };
    check("PL121", &call("(n // block,)", 100), &call("(pl.cdiv(n, block),)", 100));
    check("PL123", &call("(n // block,)", 20), &call("(pl.cdiv(n, block),)", 20));
    check_none("PL121", &call("(3,)", 100));
}

#[test]
fn an_accumulator_is_set_to_zero_when_its_block_begins() {
    let program = |body: &str| {
        format!(
            "
def matmul(x_ref, y_ref, o_ref):
  \"\"\"A block of the product.\"\"\"
{body}
x = jnp.ones((64, 96))
y = jnp.ones((96, 64))
pl.pallas_call(matmul, grid=(2, 2, 3), out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float32),
               in_specs=[pl.BlockSpec((32, 32), lambda i, j, k: (i, k)), pl.BlockSpec((32, 32), lambda i, j, k: (k, j))],
               out_specs=pl.BlockSpec((32, 32), lambda i, j, k: (i, j)))(x, y)
"
        )
    };
    let init = "  @pl.when(pl.program_id(2) == 0)\n  def _():\n    o_ref[...] = jnp.zeros_like(o_ref)\n\n";
    for sum in ["  o_ref[...] += x_ref[...] @ y_ref[...]\n", "  o_ref[...] = o_ref[...] + x_ref[...] @ y_ref[...]\n"] {
        check("PL203", &program(sum), &program(&format!("{init}{sum}")));
    }
    // A maximum begins with something else; and who writes a part of it has a reason.
    check_none("PL203", &program("  o_ref[...] = jnp.maximum(o_ref[...], x_ref[...] @ y_ref[...])\n"));
    check_none("PL203", &program("  o_ref[:4] = jnp.zeros((4, 32))\n  o_ref[...] += x_ref[...] @ y_ref[...]\n"));
}

#[test]
fn an_accumulator_in_scratch_memory_is_set_to_zero_too() {
    let program = |init: &str| {
        format!(
            "
def total(x_ref, o_ref, acc_ref):
{init}    acc_ref[...] += x_ref[...]

    @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
    def _():
        o_ref[...] = acc_ref[...]

x = jnp.ones((4, 3, 8, 128))
pl.pallas_call(total, grid=(4, 3), out_shape=jax.ShapeDtypeStruct((4, 8, 128), jnp.float32),
               in_specs=[pl.BlockSpec((None, None, 8, 128), lambda i, k: (i, k, 0, 0))],
               out_specs=pl.BlockSpec((None, 8, 128), lambda i, k: (i, 0, 0)),
               scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)])(x)
"
        )
    };
    let init = "    @pl.when(pl.program_id(1) == 0)\n    def _():\n        acc_ref[...] = jnp.zeros_like(acc_ref)\n\n";
    check("PL203", &program(""), &program(init));
}

#[test]
fn what_lies_past_the_end_is_masked() {
    let program = |value: &str| {
        format!(
            "
def total(x_ref, o_ref):
  o_ref[...] = {value}

x = jnp.ones((100, 128))
pl.pallas_call(total, grid=(4,), out_shape=jax.ShapeDtypeStruct((4, 128), jnp.float32),
               in_specs=[pl.BlockSpec((32, 128), lambda i: (i, 0))],
               out_specs=pl.BlockSpec((1, 128), lambda i: (i, 0)))(x)
"
        )
    };
    let mask = "pl.program_id(0) * x_ref.shape[0] + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 0) < 100";
    check(
        "PL204",
        &program("jnp.sum(x_ref[...], axis=0, keepdims=True)"),
        &program(&format!("jnp.sum(jnp.where({mask}, x_ref[...], 0), axis=0, keepdims=True)")),
    );
    check(
        "PL204",
        &program("x_ref[...].max(axis=0, keepdims=True)"),
        &program(&format!("jnp.where({mask}, x_ref[...], -jnp.inf).max(axis=0, keepdims=True)")),
    );
    // What a product with something else makes of a zero, nobody knows.
    check_none("PL204", &program("jnp.prod(x_ref[...], axis=0, keepdims=True)"));
    check_none("PL204", &program("jnp.sum(jnp.exp(x_ref[...]), axis=0, keepdims=True)"));
}

#[test]
fn both_factors_of_a_product_are_masked() {
    let program = |x: &str, y: &str| {
        format!(
            "
def product(x_ref, y_ref, o_ref):
  @pl.when(pl.program_id(2) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += {x} @ {y}

pl.pallas_call(product, grid=(2, 1, 4), out_shape=jax.ShapeDtypeStruct((64, 128), jnp.float32),
               in_specs=[pl.BlockSpec((32, 32), lambda i, j, k: (i, k)), pl.BlockSpec((32, 128), lambda i, j, k: (k, j))],
               out_specs=pl.BlockSpec((32, 128), lambda i, j, k: (i, j)))(jnp.ones((64, 100)), jnp.ones((100, 128)))
"
        )
    };
    let masked = |name: &str, dimension: usize| {
        format!(
            "jnp.where(pl.program_id(2) * {name}.shape[{dimension}] + jax.lax.broadcasted_iota(jnp.int32, {name}.shape, \
             {dimension}) < 100, {name}[...], 0)"
        )
    };
    check("PL204", &program("x_ref[...]", "y_ref[...]"), &program(&masked("x_ref", 1), &masked("y_ref", 0)));
}

#[test]
fn the_axis_that_is_reduced_over_moves_to_the_end() {
    let program = |axis: usize, grid: &str, params: &str, semantics: &str| {
        format!(
            "
def total(x_ref, o_ref):
  @pl.when(pl.program_id({axis}) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += x_ref[...]

pl.pallas_call(total, grid={grid}, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
               in_specs=[pl.BlockSpec((None, 1, 128), lambda {params}: (k, i, 0))],
               out_specs=pl.BlockSpec((1, 128), lambda {params}: (i, 0)),
               compiler_params=pltpu.CompilerParams(dimension_semantics={semantics}))(jnp.ones((4, 8, 128)))
"
        )
    };
    let before = program(0, "(4, 8)", "k, i", "(\"arbitrary\", \"parallel\")");
    check("PL124", &before, &program(1, "(8, 4)", "i, k", "(\"parallel\", \"arbitrary\")"));
    // A kernel that is launched elsewhere, too, would break there.
    let twice = format!("{before}{}", before.split_once("\n\n").map_or("", |(_, call)| call));
    check_none("PL124", &twice);
}

#[test]
fn an_axis_that_is_reduced_over_is_declared_arbitrary() {
    let program = |semantics: &str| {
        format!(
            "
def total(x_ref, o_ref):
  @pl.when(pl.program_id(1) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += x_ref[...]

pl.pallas_call(total, grid=(8, 4), out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
               in_specs=[pl.BlockSpec((None, 1, 128), lambda i, k: (k, i, 0))],
               out_specs=pl.BlockSpec((1, 128), lambda i, k: (i, 0)),
               compiler_params=pltpu.CompilerParams(dimension_semantics={semantics}))(jnp.ones((4, 8, 128)))
"
        )
    };
    check("PL125", &program("(\"parallel\", \"parallel\")"), &program("(\"parallel\", \"arbitrary\")"));
    check_none("PL125", &program("(\"parallel\",) * 2"));
}

#[test]
fn a_product_keeps_its_sums() {
    let program = |product: &str| {
        format!(
            "
def matmul(x_ref, y_ref, o_ref):
  o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += {product}

x = jnp.ones((64, 64), jnp.bfloat16)
pl.pallas_call(matmul, out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float32))(x, x)
"
        )
    };
    check(
        "PL205",
        &program("jnp.dot(x_ref[...], y_ref[...])"),
        &program("jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)"),
    );
    check_none("PL205", &program("x_ref[...] @ y_ref[...]"));
}

#[test]
fn a_value_is_converted_to_the_dtype_of_its_ref() {
    let program = |value: &str| {
        format!(
            "
def matmul(x_ref, y_ref, o_ref):
  o_ref[...] = {value}

x = jnp.ones((64, 64), jnp.bfloat16)
pl.pallas_call(matmul, out_shape=x)(x, x)
"
        )
    };
    let dot = "jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)";
    check("PL302", &program(dot), &program(&format!("{dot}.astype(o_ref.dtype)")));
    check("PL302", &program(&format!("{dot} + 1")), &program(&format!("({dot} + 1).astype(o_ref.dtype)")));
}

#[test]
fn new_arrays_get_the_name_of_the_old_one() {
    let update = "x.at[0].set(2.0)\n";
    check("PL315", &format!("x = jnp.ones((8,))\n{update}"), &format!("x = jnp.ones((8,))\nx = {update}"));
    // An assignment in a function would make a name of its own.
    check_none("PL315", &format!("x = jnp.ones((8,))\ndef change():\n  {update}change()\n"));
}

#[test]
fn old_spellings_become_new_ones() {
    let spec = |spec: &str| {
        format!(
            "{COPY}x = jnp.ones((32,))\npl.pallas_call(kernel, grid=(4,), out_shape=x, in_specs=[{spec}], out_specs=pl.BlockSpec((8,), lambda i: i))(x)\n"
        )
    };
    check("PL008", &spec("pl.BlockSpec(lambda i: (i,), (8,))"), &spec("pl.BlockSpec((8,), lambda i: (i,))"));
    let named = |spec: &str| format!("\ndef rows(i):\n  return (i,)\n\n{}", spec);
    check(
        "PL008",
        &named(&spec("pl.BlockSpec(rows, (8,), memory_space=pltpu.VMEM)")),
        &named(&spec("pl.BlockSpec((8,), rows, memory_space=pltpu.VMEM)")),
    );
    check(
        "PL008",
        "params = pltpu.TPUCompilerParams()\nspace = pltpu.ANY\n",
        "params = pltpu.CompilerParams()\nspace = pl.ANY\n",
    );
    let call = |params: &str| {
        format!("{COPY}x = jnp.ones((32,))\npl.pallas_call(kernel, out_shape=x, compiler_params={params})(x)\n")
    };
    let object = call("pltpu.CompilerParams(vmem_limit_bytes=2**20)");
    check("PL008", &call("dict(mosaic=dict(vmem_limit_bytes=2**20))"), &object);
    check("PL008", &call("{'mosaic': {'vmem_limit_bytes': 2**20}}"), &object);
    check_none("PL008", &call("dict(triton=dict(num_warps=4))"));
    // A mask has no place in a subscript.
    check_none(
        "PL008",
        "def kernel(x_ref, m_ref, o_ref):\n  o_ref[...] = pl.load(x_ref, (slice(None),), mask=m_ref[...])\n",
    );
    check(
        "PL008",
        "def kernel(x_ref, o_ref):\n  pl.store(o_ref, (0, slice(None)), pl.load(x_ref, (pl.ds(0, 8), slice(None)))[0])\n",
        "def kernel(x_ref, o_ref):\n  o_ref[0, :] = x_ref[pl.ds(0, 8), :][0]\n",
    );
    check(
        "PL008",
        "from jax.experimental.pallas import gpu as plgpu\nparams = plgpu.CompilerParams()\n",
        "from jax.experimental.pallas import triton as plgpu\nparams = plgpu.CompilerParams()\n",
    );
    check(
        "PL008",
        "import jax.experimental.pallas.gpu as gpu\nparams = gpu.CompilerParams()\n",
        "import jax.experimental.pallas.triton as gpu\nparams = gpu.CompilerParams()\n",
    );
    check(
        "PL008",
        "from jax.experimental.pallas.gpu import TritonCompilerParams\nparams = TritonCompilerParams()\n",
        "from jax.experimental.pallas.triton import CompilerParams as TritonCompilerParams\nparams = TritonCompilerParams()\n",
    );
    check(
        "PL008",
        "from jax.experimental.pallas.tpu import TPUCompilerParams as Params, VMEM\nparams = Params()\n",
        "from jax.experimental.pallas.tpu import CompilerParams as Params, VMEM\nparams = Params()\n",
    );
    check(
        "PL008",
        "from jax.experimental.pallas import mosaic_gpu as plgpu\nmesh = plgpu.GPUMesh\n",
        "from jax.experimental.pallas import mosaic_gpu as plgpu\nmesh = plgpu.Mesh\n",
    );
    // Who asks which of them there is knows that they moved.
    let asks = "params = pltpu.TPUCompilerParams() if hasattr(pltpu, 'TPUCompilerParams') else None\n";
    assert!(analyse(&format!("{PRELUDE}{asks}")).findings.iter().all(|f| f.code != "PL008"));
}

#[test]
fn a_comment_that_keeps_nothing_back_is_removed() {
    check("PL006", "x = 1  # pallas: ignore[PL203]\n", "x = 1\n");
}

#[test]
fn an_index_map_gets_its_parameters_where_the_others_have_them() {
    let call = |map: &str| {
        format!(
            "{COPY}x = jnp.ones((32, 512))
pl.pallas_call(kernel, grid=(4, 4, 1), out_shape=x,
               in_specs=[pl.BlockSpec((8, 128), {map})],
               out_specs=pl.BlockSpec((8, 128), lambda row, column, part: (row, column)))(x)
"
        )
    };
    let text = format!("{PRELUDE}{}", call("lambda row, part: (row, part)"));
    let before = analyse(&text);
    let fix = before.findings.iter().find(|f| f.code == "PL106").and_then(|f| f.fix.clone()).expect("a fix");
    assert_eq!(fix.title, "take `row, column, part`");
    assert_eq!(
        fix.apply(before.source.id, &text),
        format!("{PRELUDE}{}", call("lambda row, column, part: (row, part)"))
    );
}

#[test]
fn each_output_is_set_to_zero_where_its_own_blocks_begin() {
    let kernel = |zeros: &str| {
        format!(
            "
def scale_and_sum(x_ref, y_ref, sum_ref):
{zeros}  y_ref[...] = x_ref[...] * 2
  sum_ref[...] += jnp.sum(x_ref[...], axis=0)

x = jnp.ones((32, 128))
pl.pallas_call(scale_and_sum, grid=(4,), in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
               out_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0)), pl.BlockSpec((128,), lambda i: (0,))],
               out_shape=[x, jax.ShapeDtypeStruct((128,), x.dtype)])(x)
"
        )
    };
    check(
        "PL203",
        &kernel(""),
        &kernel("  @pl.when(pl.program_id(0) == 0)\n  def _():\n    sum_ref[...] = jnp.zeros_like(sum_ref)\n\n"),
    );
    // What is handed on from program to program in scratch memory begins with something, but when?
    check_none(
        "PL203",
        "
def running_sum(x_ref, y_ref, carry_ref):
  y_ref[...] = x_ref[...] + carry_ref[...]
  carry_ref[...] += jnp.sum(x_ref[...], axis=0)

x = jnp.ones((32, 128))
spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
pl.pallas_call(running_sum, grid=(4,), in_specs=[spec], out_specs=spec, out_shape=x,
               scratch_shapes=[pltpu.VMEM((128,), jnp.float32)])(x)
",
    );
}

#[test]
fn the_block_that_left_an_axis_to_nobody_is_the_wrong_one() {
    let launch = |map: &str| {
        format!(
            "
def attend(q_ref, k_ref, v_ref, o_ref):
  @pl.when(pl.program_id(1) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += (q_ref[...] @ k_ref[...].T) @ v_ref[...]

x = jnp.ones((32, 128))
pl.pallas_call(attend, grid=(4, 4), out_shape=x,
               in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, 0)),
                         pl.BlockSpec((8, 128), {map}),
                         pl.BlockSpec((8, 128), lambda i, j: (j, 0))],
               out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, 0)))(x, x, x)
"
        )
    };
    check("PL126", &launch("lambda i, j: (i, 0)"), &launch("lambda i, j: (j, 0)"));
}

#[test]
fn only_the_axis_that_is_short_is_rounded_up() {
    let launch = |grid: &str| {
        format!(
            "
def total(x_ref, o_ref):
  @pl.when(pl.program_id(1) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += x_ref[...]

m, n, rows, columns = 100, 300, 32, 128
x = jnp.ones((m, n))
pl.pallas_call(total, grid={grid}, out_shape=jax.ShapeDtypeStruct((m, 128), jnp.float32),
               in_specs=[pl.BlockSpec((rows, columns), lambda i, j: (i, j))],
               out_specs=pl.BlockSpec((rows, columns), lambda i, j: (i, 0)))(x)
"
        )
    };
    let text = format!("{PRELUDE}{}", launch("(m // rows, n // columns)"));
    let before = analyse(&text);
    let fix = before.findings.iter().find(|f| f.code == "PL121").and_then(|f| f.fix.clone()).expect("a fix");
    let after = format!("{PRELUDE}{}", launch("(pl.cdiv(m, rows), n // columns)"));
    assert_eq!(fix.apply(before.source.id, &text), after);
}

#[test]
fn a_name_that_hides_an_output_becomes_a_store() {
    let kernel = |store: &str| {
        format!(
            "
def double(x_ref, o_ref):
  {store} = x_ref[...] * 2

pl.pallas_call(double, out_shape=jnp.ones(8))(jnp.ones(8))
"
        )
    };
    check("PL122", &kernel("o_ref"), &kernel("o_ref[...]"));
    check_none("PL122", &kernel("out"));
}

#[test]
fn a_slice_of_python_becomes_one_of_pallas() {
    let kernel = |index: &str| {
        format!(
            "
def parts(x_ref, o_ref):
  i = pl.program_id(0)
  o_ref[...] = x_ref[{index}]

pl.pallas_call(parts, grid=(4,), in_specs=[pl.BlockSpec((32, 128), lambda i: (0, 0))],
               out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)), out_shape=jnp.ones((32, 128)))(jnp.ones((32, 128)))
"
        )
    };
    check("PL307", &kernel("i * 8:(i + 1) * 8, :"), &kernel("pl.ds(i * 8, 8), :"));
    check("PL307", &kernel("8 * i:8 * (i + 1)"), &kernel("pl.ds(8 * i, 8)"));
    check("PL307", &kernel("i * 8:i * 8 + 8"), &kernel("pl.ds(i * 8, 8)"));
    check_none("PL307", &kernel("i:i + i"));
}

#[test]
fn a_condition_of_python_becomes_one_of_pallas() {
    let kernel = |head: &str| {
        format!(
            "
def kernel(x_ref, o_ref, acc_ref):
  {head}
    zeros = jnp.zeros_like(acc_ref)
    acc_ref[...] = zeros
  acc_ref[...] += x_ref[...]
  o_ref[...] = acc_ref[...]

x = jnp.ones((8, 128))
pl.pallas_call(kernel, grid=(2,), out_shape=x, scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)])(x)
"
        )
    };
    check("PL306", &kernel("if pl.program_id(0) == 0:"), &kernel("@pl.when(pl.program_id(0) == 0)\n  def _():"));
    let kept = "
def kernel(x_ref, o_ref):
  y = x_ref[...]
  if pl.program_id(0) == 0:
    y = y * 2
  o_ref[...] = y

x = jnp.ones((8, 128))
pl.pallas_call(kernel, grid=(2,), out_shape=x)(x)
";
    check_none("PL306", kept);
    check_none("PL306", &kept.replace("    y = y * 2\n", "    return\n"));
}

#[test]
fn a_program_id_in_an_index_map_is_its_parameter() {
    let call = |index: &str| {
        format!(
            "{COPY}x = jnp.ones((32, 128))
spec = pl.BlockSpec((8, 128), lambda row: ({index}, 0))
pl.pallas_call(kernel, grid=(4,), out_shape=x, in_specs=[spec], out_specs=spec)(x)
"
        )
    };
    check("PL113", &call("pl.program_id(0)"), &call("row"));
}

#[test]
fn a_grid_of_floats_is_divided_into_integers() {
    let call = |grid: &str| {
        format!(
            "{COPY}n, block = 32, 8
x = jnp.ones((n, 128))
spec = pl.BlockSpec((block, 128), lambda i: (i, 0))
pl.pallas_call(kernel, grid=({grid},), out_shape=x, in_specs=[spec], out_specs=spec)(x)
"
        )
    };
    check("PL101", &call("n / block"), &call("n // block"));
    check(
        "PL101",
        &call("n / block").replace("block = 32, 8", "block = 36, 8"),
        &call("pl.cdiv(n, block)").replace("block = 32, 8", "block = 36, 8"),
    );
}

#[test]
fn what_a_compiler_takes_goes_into_its_parameters() {
    let call = |params: &str| {
        format!("{COPY}x = jnp.ones(8)\npl.pallas_call(kernel, out_shape=x, {params}, interpret=True)(x)\n")
    };
    let text = format!("{PRELUDE}{}", call("num_warps=4, num_stages=2"));
    let before = analyse(&text);
    let fix = before.findings.iter().find(|f| f.code == "PL001").and_then(|f| f.fix.clone()).expect("a fix");
    let mended = fix.apply(before.source.id, &text);
    let import = "from jax.experimental.pallas import triton as plgpu\n";
    let after = call("compiler_params=plgpu.CompilerParams(num_warps=4, num_stages=2)");
    assert_eq!(mended, format!("{PRELUDE}{import}{after}"));
    assert!(analyse(&mended).findings.is_empty());
    check_none("PL001", &call("num_warps=4, compiler_params=None"));
}

#[test]
fn a_number_as_a_block_becomes_a_tuple() {
    let call = |shape: &str| {
        format!(
            "{COPY}block = 8
x = jnp.ones(32)
spec = pl.BlockSpec({shape}, lambda i: (i,))
pl.pallas_call(kernel, grid=(4,), out_shape=x, in_specs=[spec], out_specs=spec)(x)
"
        )
    };
    check("PL104", &call("(block)"), &call("(block,)"));
    check("PL104", &call("block"), &call("(block,)"));
}

#[test]
fn words_that_no_compiler_knows_are_those_that_it_does() {
    let call = |word: &str| {
        format!(
            "{COPY}x = jnp.ones((32, 128))
spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
params = pltpu.CompilerParams(dimension_semantics=(\"{word}\",))
pl.pallas_call(kernel, grid=(4,), out_shape=x, in_specs=[spec], out_specs=spec, compiler_params=params)(x)
"
        )
    };
    check("PL131", &call("sequential"), &call("arbitrary"));
    check("PL131", &call("Parallel"), &call("parallel"));
}

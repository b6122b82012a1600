//! Accumulators: where they are set to zero, where they are stored, which axes they go along.

use super::{check, check_none};

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
fn an_axis_that_a_gpu_sums_over_is_declared_sequential() {
    let program = |semantics: &str| {
        format!(
            "
from jax.experimental.pallas import mosaic_gpu as plgpu

def total(x_ref, _, o_ref):
  o_ref[...] += x_ref[...]

x, zeros = jnp.ones((32, 128)), jnp.zeros((8, 128))
spec = pl.BlockSpec((1, 128), lambda i, k: (i, 0))
pl.pallas_call(total, grid=(8, 4), out_shape=zeros, input_output_aliases={{1: 0}},
               in_specs=[pl.BlockSpec((1, 128), lambda i, k: (k * 8 + i, 0)), spec], out_specs=spec,
               compiler_params=plgpu.CompilerParams(dimension_semantics={semantics}))(x, zeros)
"
        )
    };
    check("PL125", &program("(\"parallel\", \"parallel\")"), &program("(\"parallel\", \"sequential\")"));
    check("PL131", &program("(\"parallel\", \"in order\")"), &program("(\"parallel\", \"sequential\")"));
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

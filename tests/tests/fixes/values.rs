//! What a kernel computes and stores: masks, dtypes, slices, conditions.

use super::{check, check_none};

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

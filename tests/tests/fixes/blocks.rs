//! Index maps, blocks and grids.

use super::{COPY, PRELUDE, analyse, check, check_none};

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

//! The file that is measured: a matmul with an accumulator, again and again, each with a launcher that nobody calls, and other
//! functions between them until it is as long as it should be.

/// A file, and the places where characters are typed.
pub(crate) struct File {
    /// The text; ASCII.
    pub(crate) text: String,
    /// Zero-based line and column behind the last letter of a name in each kernel's index map.
    pub(crate) marks: Vec<(usize, usize)>,
}

const HEAD: &str = r#""""Blocked products of matrices."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
"#;

const KERNEL: &str = r#"

def _matmul_kernel_{i}(x_ref, y_ref, o_ref, acc_ref, *, steps: int, alpha: float = {alpha}):
    """Blocked product number {i}: o = alpha * x @ y."""

    @pl.when(pl.program_id(2) == 0)
    def _init():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    x = x_ref[...].astype(jnp.float32)
    y = y_ref[...].astype(jnp.float32)
    acc_ref[...] += jnp.dot(x, y, preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == steps - 1)
    def _store():
        out = alpha * acc_ref[...]
        o_ref[...] = jnp.where(out > 0, out, 0.01 * out).astype(o_ref.dtype)


@functools.partial(jax.jit, static_argnames=("bm", "bn", "bk"))
def matmul_{i}(x: jax.Array, y: jax.Array, *, bm: int = {bm}, bn: int = 128, bk: int = {bk}) -> jax.Array:
    m, k = x.shape
    _, n = y.shape
    grid = (pl.cdiv(m, bm), pl.cdiv(n, bn), pl.cdiv(k, bk))
    return pl.pallas_call(
        functools.partial(_matmul_kernel_{i}, steps=grid[2]),
        grid=grid,
        in_specs=[
            pl.BlockSpec((bm, bk), lambda i, j, kk: (i, kk)),
            pl.BlockSpec((bk, bn), lambda i, j, kk: (kk, j)),
        ],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, kk: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
    )(x, y)
"#;

/// A launch that the module itself makes.
const CALL: &str = r#"

x_{i} = jnp.ones((256, 512), jnp.bfloat16)
y_{i} = jnp.ones((512, 384), jnp.bfloat16)
z_{i} = matmul_{i}(x_{i}, y_{i})
"#;

const REFERENCE: &str = r#"

def reference_{i}(x: jax.Array, y: jax.Array, alpha: float = {alpha}) -> jax.Array:
    out = alpha * lax.dot_general(x, y, (((1,), (0,)), ((), ())))
    return jnp.where(out > 0, out, 0.01 * out).astype(x.dtype)
"#;

/// A file of about so many lines, with a kernel for every fifty of them; the module calls their launchers, or nobody does.
pub(crate) fn of(lines: usize, is_called: bool) -> File {
    let mut text = HEAD.to_string();
    let mut marks = Vec::new();
    for number in 0..lines.div_ceil(50) {
        let fill = |template: &str| {
            template
                .replace("{i}", &number.to_string())
                .replace("{alpha}", &format!("{}", 1.0 + number as f64 / 8.0))
                .replace("{bm}", &(64 << (number % 3)).to_string())
                .replace("{bk}", &(32 << (number % 4)).to_string())
        };
        text.push_str(&fill(KERNEL));
        let typed = text.rfind("(i, kk)").unwrap_or_default() + "(i, kk".len();
        let line = text[..typed].matches('\n').count();
        marks.push((line, typed - text[..typed].rfind('\n').map_or(0, |newline| newline + 1)));
        if is_called {
            text.push_str(&fill(CALL));
        }
        while text.matches('\n').count() < 50 * (number + 1) {
            text.push_str(&fill(REFERENCE).replace("reference_", &format!("reference_{}_", text.len())));
        }
    }
    File { text, marks }
}

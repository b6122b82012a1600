//! What integers of a kernel can be, in hovers. `$0` marks the cursor.

use pallas_engine::{Analysis, AnalysisOptions, Disk, Memory};
use pallas_ide::hover;
use std::sync::Arc;

const KERNEL: &str = "\
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

BLOCK = 128

def offset(row):
  return row * 2

def kernel(s_ref, x_ref, o_ref):
  i, j = pl.program_id(0), pl.program_id(1)
  start = i * BLOCK
  start += 8
  wrapped = (i + 3) % 4
  both = offset(i)

  def body(k, acc):
    at = k * 16
    return acc + x_ref[pl.ds(start + at, 16), :]

  acc = lax.fori_loop(1, 5, body, jnp.zeros((16, 128), jnp.float32))

  @pl.loop(0, 8, step=2)
  def _(t):
    o_ref[pl.ds(t, 1), :] = acc[:1] + s_ref[j]

  for u in range(3):
    o_ref[u, :] = acc[u]
    v = u * i

  picked = s_ref[j]
  either = jnp.where(picked > 0, i, 7)
  if_known = i
  o_ref[either, :] = acc[0] + wrapped + both + if_known + v

x = jnp.ones((1024, 128))
s = jnp.arange(4)
pl.pallas_call(
    kernel,
    grid_spec=pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(4, 2),
        in_specs=[pl.BlockSpec((1024, 128), lambda a, b, s: (0, 0))],
        out_specs=pl.BlockSpec((16, 128), lambda a, b, s: (a * 1, 0)),
    ),
    out_shape=jax.ShapeDtypeStruct((64, 128), jnp.float32),
)(s, x)
";

/// What a hover says of the range of what stands at `$0`, which `with_cursor` puts into the first `code`.
#[track_caller]
fn range_at(code: &str, with_cursor: &str) -> String {
    assert!(KERNEL.contains(code), "{code}");
    let text = KERNEL.replacen(code, with_cursor, 1);
    let offset = text.find("$0").expect("a cursor");
    let options = AnalysisOptions { memory: Some(Memory::default()), ..AnalysisOptions::new(Arc::new(Disk)) };
    let analysis = Analysis::new("/work/main.py", &text.replacen("$0", "", 1), &options);
    let markdown = hover(&analysis, offset as u32).map(|hover| hover.markdown).unwrap_or_default();
    let line = markdown.lines().find_map(|line| line.strip_suffix(": grid `(4, 2)`"));
    line.unwrap_or_default().to_string()
}

#[test]
fn program_ids_and_what_is_computed_from_them() {
    assert_eq!(range_at("i * BLOCK", "$0i * BLOCK"), "`0` to `3`");
    assert_eq!(range_at("i * BLOCK", "i $0* BLOCK"), "`0` to `384` in steps of `128`");
    // Of a name that is bound more than once, all that it is bound to.
    assert_eq!(range_at("start += 8", "$0start += 8"), "`0` to `392` in steps of `8`");
    assert_eq!(range_at("(i + 3) % 4", "(i $0+ 3) % 4"), "`3` to `6`");
    assert_eq!(range_at("return row * 2", "return row $0* 2"), "`0` to `6` in steps of `2`");
}

#[test]
fn counters_of_loops() {
    assert_eq!(range_at("def body(k", "def body($0k"), "`1` to `4`");
    assert_eq!(range_at("at = k * 16", "at = $0k * 16"), "`1` to `4`");
    assert_eq!(range_at("at = k * 16", "at = k $0* 16"), "`16` to `64` in steps of `16`");
    assert_eq!(range_at("pl.ds(t, 1)", "pl.ds($0t, 1)"), "`0` to `6` in steps of `2`");
    // A loop that Python runs.
    assert_eq!(range_at("o_ref[u, :]", "o_ref[$0u, :]"), "`0` to `2`");
    assert_eq!(range_at("v = u * i", "v = u $0* i"), "`0` to `6`");
}

#[test]
fn starts_of_slices() {
    assert_eq!(range_at("pl.ds(start + at", "pl.ds(start $0+ at"), "`24` to `456` in steps of `16`");
    assert_eq!(range_at("pl.ds(start + at", "pl.d$0s(start + at"), "begins at `24` to `456` in steps of `16`");
}

#[test]
fn parameters_of_index_maps() {
    assert_eq!(range_at("lambda a, b, s: (0, 0)", "lambda $0a, b, s: (0, 0)"), "`0` to `3`");
    assert_eq!(range_at("lambda a, b, s: (0, 0)", "lambda a, $0b, s: (0, 0)"), "`0` to `1`");
    assert_eq!(range_at("(a * 1, 0)", "($0a * 1, 0)"), "`0` to `3`");
    assert_eq!(range_at("(a * 1, 0)", "(a $0* 1, 0)"), "`0` to `3`");
}

#[test]
fn what_depends_on_data_has_no_range() {
    assert_eq!(range_at("picked = s_ref[j]", "$0picked = s_ref[j]"), "");
    assert_eq!(range_at("jnp.where(picked > 0, i, 7)", "jnp.$0where(picked > 0, i, 7)"), "`0` to `7`");
    assert_eq!(range_at("if_known + v", "$0if_known + v"), "`0` to `3`");
}

//! Schedules of threads and copies that are explored, and replayed.

use super::{Case, shown};

/// Two threads of a block; with a barrier, or both at once.
fn two_threads(ordered: bool) -> String {
    let (arrive, wait) = match ordered {
        true => ("plgpu.barrier_arrive(barrier)", "plgpu.barrier_wait(barrier)"),
        false => ("pass", "pass"),
    };
    format!(
        "import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

def kernel(o_ref, barrier):
  @pl.when(lax.axis_index('wg') == 0)
  def _():
    o_ref[...] = jnp.full((8,), 1.0)
    {arrive}

  @pl.when(lax.axis_index('wg') == 1)
  def _():
    {wait}
    o_ref[...] = jnp.full((8,), 2.0)

out = jax.ShapeDtypeStruct((8,), jnp.float32)
launch = plgpu.kernel(kernel, out_type=out, scratch_types=[plgpu.Barrier()], num_threads=2, thread_name='wg')
print(launch()[0])
"
    )
}

#[test]
fn schedules_are_explored_and_replayed() {
    let case = Case::with("racy.py", two_threads(false));
    let explored = case.run(&["run", "--explore", "20", "racy.py"]);
    assert_eq!((explored.status.code(), &*explored.stdout), (Some(1), &b"2.0\n"[..]), "{}", shown(&explored));
    let said = String::from_utf8_lossy(&explored.stderr).into_owned();
    assert!(said.contains("gives `o_ref` of `kernel` (launch 1) other values: 8 of 8 elements"), "{said}");
    let seed = said.split("--schedule ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a way to replay it");
    let replayed = case.run(&["run", "--schedule", seed, "racy.py"]);
    assert_eq!(&*replayed.stdout, b"1.0\n", "{}", shown(&replayed));

    let case = Case::with("ordered.py", two_threads(true));
    let explored = case.run(&["run", "--explore", "20", "ordered.py"]);
    assert_eq!((explored.status.code(), &*explored.stdout), (Some(0), &b"2.0\n"[..]), "{}", shown(&explored));
    assert!(String::from_utf8_lossy(&explored.stderr).contains("20 schedules gave the same results"));
    let wrong = case.run(&["run", "--schedule", "first", "ordered.py"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("not of the form seed=7, nor `late`"), "{}", shown(&wrong));
    let case = Case::with("plain.py", "print(1)\n");
    let explored = case.run(&["run", "--explore", "2", "plain.py"]);
    assert!(String::from_utf8_lossy(&explored.stderr).contains("every schedule is the same"));
}

#[test]
fn copies_are_done_early_and_late_when_schedules_are_explored() {
    let kernel = |wait: &str, late: &str| {
        format!(
            "import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

def kernel(x_hbm, o_ref, tile, sem):
  tile[...] = jnp.zeros_like(tile)
  copy = pltpu.make_async_copy(x_hbm, tile, sem)
  copy.start()
  {wait}
  o_ref[...] = tile[...]
  {late}

out = pl.pallas_call(
    kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
    scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA], interpret=pltpu.InterpretParams(),
)(jnp.ones((8, 128), jnp.float32))
print(out[0, 0])
"
        )
    };
    let case = Case::with("early.py", kernel("pass", "copy.wait()"));
    let explored = case.run(&["run", "--quiet", "--explore", "20", "early.py"]);
    // As JAX, which copies when somebody waits.
    assert_eq!((explored.status.code(), &*explored.stdout), (Some(1), &b"0.0\n"[..]), "{}", shown(&explored));
    let said = String::from_utf8_lossy(&explored.stderr).into_owned();
    assert!(said.contains("gives `o_ref` of `kernel` (launch 1) other values: 1024 of 1024 elements"), "{said}");
    let seed = said.split("--schedule ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a way to replay it");
    let replayed = case.run(&["run", "--quiet", "--schedule", seed, "early.py"]);
    assert_eq!(&*replayed.stdout, b"1.0\n", "{}", shown(&replayed));

    let case = Case::with("awaited.py", kernel("copy.wait()", "pass"));
    let explored = case.run(&["run", "--quiet", "--explore", "20", "awaited.py"]);
    assert_eq!((explored.status.code(), &*explored.stdout), (Some(0), &b"1.0\n"[..]), "{}", shown(&explored));
    let none = case.run(&["run", "--quiet", "--explore", "20", "--explore-seconds", "0", "awaited.py"]);
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(said.contains("no schedule came to its end, of 20: the 0 seconds are over"), "{said}");
}

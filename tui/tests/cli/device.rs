//! Kernels on a device, on the simulator of one, and as Triton's IR.

use super::{Case, shown};

#[test]
fn triton_ir_is_printed_or_refused_at_its_line() {
    let case = Case::with("kernels.py", ODD);
    insta::assert_snapshot!(shown(&case.run(&["lower", "kernels.py", "--emit", "ttir"])));
}

#[test]
fn a_form_that_has_nothing_to_do_with_a_way_to_machine_code_says_so() {
    let case = Case::with("kernels.py", ODD);
    for (emit, backend, words) in [
        ("ttir", "tileir", "--backend is about machine code"),
        ("ir", "simt", "--backend is about machine code"),
        ("cuda", "tileir", "that of `--backend tileir` is `--emit tileir`"),
        ("tileir", "simt", "those of `--backend simt` are `--emit simt` and `cuda`"),
    ] {
        let output = case.run(&["lower", "kernels.py", "--emit", emit, "--backend", backend]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
    let output = case.run(&["lower", "kernels.py", "--emit", "cuda", "--backend", "simt"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("__global__"), "{}", shown(&output));
}

#[test]
fn code_is_for_the_device_that_is_named() {
    let text = "\
import jax, jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def pair(o_ref):
  o_ref[jax.lax.axis_index('c')] = jax.lax.axis_index('c')


print(plgpu.kernel(pair, out_shape=jax.ShapeDtypeStruct((2,), jnp.int32), cluster=(2,), cluster_names=('c',))())
";
    let case = Case::with("kernels.py", text);
    let output = case.run(&["lower", "kernels.py", "--emit", "cuda"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("__cluster_dims__(2, 1, 1)"), "{}", shown(&output));
    let output = case.run(&["lower", "kernels.py", "--emit", "cuda", "--capability", "80"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("kernels.py:10:7: `pair` is not compiled for a GPU: clusters are for Hopper"), "{said}");
}

#[test]
fn a_device_that_is_not_there_is_said() {
    // On a machine with a GPU these run on it.
    if pallas_engine::cuda::driver().is_ok() {
        return;
    }
    let case = Case::with("kernels.py", ODD);
    let mut text = String::new();
    for arguments in [
        &["run", "--device", "cuda", "kernels.py"][..],
        &["run", "--device", "auto", "kernels.py"],
        &["run", "--device", "cpu", "kernels.py"],
        &["run", "--verify", "kernels.py"],
    ] {
        text.push_str(&format!("$ pallas-tui {}\n{}\n", arguments.join(" "), shown(&case.run(arguments))));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn the_simulator_gives_what_interpret_mode_gives() {
    let case = Case::with("kernels.py", ODD);
    let output = case.run(&["run", "--device", "simulator", "--verify", "kernels.py"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[2. 2. 2. 2. 2. 2. 2. 2.]\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("2 launches gave what interpret mode gives"));
}

#[test]
fn a_launch_that_a_device_refuses_inside_of_jit_says_its_line() {
    let case = Case::with("kernels.py", STEPPED);
    let output = case.run(&["run", "--device", "simulator", "kernels.py"]);
    assert_ne!(output.status.code(), Some(0), "{}", shown(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("`nextafter` of float8_e5m2 is not lowered yet") && said.contains("kernels.py, line 7"),
        "{said}"
    );
}

#[test]
fn checked_kernels_tell_of_positions_outside() {
    let case = Case::with("kernels.py", OUTSIDE);
    let output = case.run(&["run", "--device", "simulator", "--checked", "kernels.py"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[0. 4. 7.]\n");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("kernels.py:7:") && said.contains("PL202") && said.contains("program (2,)"), "{said}");
    let output = case.run(&["run", "--quiet", "--device", "simulator", "kernels.py"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("outside"), "{}", shown(&output));
}

/// A kernel that reads one past the end.
const OUTSIDE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def pick_kernel(x_ref, o_ref):
  o_ref[0] = x_ref[pl.program_id(0) * 4]


print(pl.pallas_call(
    pick_kernel, grid=(3,), in_specs=[pl.BlockSpec((8,), lambda i: (0,))], out_specs=pl.BlockSpec((1,), lambda i: (i,)),
    out_shape=jax.ShapeDtypeStruct((3,), jnp.float32))(jnp.arange(8.0)))
";

/// A kernel with an op that is not lowered.
const STEPPED: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def step_kernel(x_ref, o_ref):
  o_ref[...] = jax.lax.nextafter(x_ref[...], x_ref[...])


def call(x):
  return pl.pallas_call(step_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


print(jax.jit(call)(jnp.ones(8, jnp.float8_e5m2)))
";

/// A launch that Triton has, and one whose blocks have no power of two of elements.
const ODD: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def double_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


def call(x):
  return pl.pallas_call(double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


print(call(jnp.ones(8)))
jax.jit(call)(jnp.ones(6))
";

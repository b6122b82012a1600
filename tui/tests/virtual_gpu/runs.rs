//! What runs on the device, and gives what interpret mode gives.

use super::{DOUBLE, Machine, Said};
use std::fs;
use std::path::Path;

#[test]
fn doctor_says_what_device_there_is() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    let said = machine.run(&["doctor"], &[]);
    for words in [
        "interpret (CPU), simulator (CPU), cuda (GPU)",
        "CUDA driver knows CUDA 13.0",
        "Virtual H100, sm_90, 134 MB, 132 multiprocessors",
        "libnvrtc.so.13",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let said = machine.run(&["doctor"], &[("PALLAS_DRIVER_DEVICE", "8.0")]);
    assert!(said.out.contains("Virtual A100, sm_80"), "{}", said.out);
}

/// The folder of samples.
fn sample(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    fs::read_to_string(root.join("samples").join(name)).expect("a sample")
}

/// Runs a file on the device and in interpret mode, and compares.
fn agrees(text: &str, more: &[(&str, &str)]) -> Option<(Machine, Said)> {
    let machine = Machine::with(text)?;
    let said = machine.run(&["run", "--device", "cuda", "--verify", "k.py"], more);
    let calls = machine.calls();
    let faults: Vec<&String> = calls.iter().filter(|line| line.starts_with("FAULT")).collect();
    assert_eq!(said.code, Some(0), "{}\n{faults:#?}", said.err);
    assert!(said.err.contains("gave what interpret mode gives"), "{}", said.err);
    assert!(!said.err.contains("differs"), "{}", said.err);
    Some((machine, said))
}

#[test]
fn launches_give_what_interpret_mode_gives() {
    let Some((_, said)) = agrees(DOUBLE, &[]) else { return };
    assert_eq!(said.out, "[ 0.  2.  4.  6.  8. 10. 12. 14.]\n[ 2.  4.  6.  8. 10. 12.]\n");
    assert!(said.err.contains("2 launches ran on Virtual H100, for "), "{}", said.err);
}

#[test]
fn samples_give_what_interpret_mode_gives_on_both_devices() {
    for name in ["02_blocked_add.py", "08_reduction.py", "13_row_softmax.py", "16_random.py"] {
        for device in ["9.0", "8.0"] {
            let Some((machine, _)) = agrees(&sample(name), &[("PALLAS_DRIVER_DEVICE", device)]) else { return };
            let ran = machine.calls().iter().filter(|line| line.starts_with("RAN ")).count();
            assert!(ran > 0, "{name}");
        }
    }
}

/// A kernel of two blocks in one cluster.
const CLUSTER: &str = "\
import jax, jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def pair_kernel(o_ref):
  o_ref[jax.lax.axis_index('c')] = jax.lax.axis_index('c')


print(plgpu.kernel(
    pair_kernel, out_shape=jax.ShapeDtypeStruct((2,), jnp.int32), cluster=(2,), cluster_names=('c',))())
";

#[test]
fn what_hopper_alone_has_gives_what_interpret_mode_gives() {
    // Boxes of arrays as parameters by value; more shared memory than a kernel has without asking; clusters.
    for (text, call) in [
        (sample("19_gpu_triple_buffering.py"), "cuTensorMapEncodeTiled(7, 1, "),
        (sample("21_gpu_pipelined_matmul.py"), "cuFuncSetAttribute(8, 40976)"),
        (CLUSTER.to_string(), "cuLaunchKernel([2, 1, 1], [128, 1, 1], 0)"),
    ] {
        let Some((machine, _)) = agrees(&text, &[]) else { return };
        assert!(machine.calls().iter().any(|other| other.starts_with(call)), "no {call}: {:#?}", machine.calls());
        let said = machine.run(&["run", "--device", "cuda", "k.py"], &[("PALLAS_DRIVER_DEVICE", "8.0")]);
        let words = "for Hopper (sm_90a) and later devices, and the device is sm_80";
        assert!(said.err.contains(words), "{}", said.err);
    }
}

#[test]
fn what_blackwell_alone_has_gives_what_interpret_mode_gives() {
    // Barriers of clusters; products into tensor memory, which a Hopper device does not have.
    for name in ["28_gpu_cluster_sync.py", "25_gpu_tensor_memory.py"] {
        let Some((_, said)) = agrees(&sample(name), &[("PALLAS_DRIVER_DEVICE", "10.0")]) else { return };
        assert!(said.err.contains("ran on Virtual B200"), "{}", said.err);
    }
    let Some(machine) = Machine::with(&sample("25_gpu_tensor_memory.py")) else { return };
    let said = machine.run(&["run", "--device", "cuda", "k.py"], &[]);
    assert!(said.err.contains("and the device is sm_90"), "{}", said.err);
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

#[test]
fn checked_kernels_tell_of_positions_outside() {
    let Some(machine) = Machine::with(OUTSIDE) else { return };
    let said = machine.run(&["run", "--device", "cuda", "--checked", "k.py"], &[]);
    assert_eq!(said.out, "[0. 4. 7.]\n", "{}", said.err);
    let has = |words: &str| said.err.contains(words);
    assert!(has("k.py:7:") && has("PL202") && has("program (2,)"), "{}", said.err);
}

#[test]
fn profiles_are_measured_by_graphs_of_launches_unless_nobody_wants_it() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    let said = machine.run(&["profile", "--device", "cuda", "k.py"], &[]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let words = "measured, Virtual H100 by CUDA C++: ";
    assert!(said.out.contains(words) && said.out.contains("replayed as one graph"), "{}", said.out);
    assert!(machine.names().iter().any(|name| name == "cuGraphLaunch"));
    let said = machine.run(&["profile", "--device", "cuda", "--timing", "off", "k.py"], &[]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!said.out.contains("measured, Virtual"), "{}", said.out);
    assert!(!machine.names().iter().any(|name| name == "cuGraphLaunch"), "each launch runs once");
    assert!(!machine.left().contains("graph"), "{}", machine.left());
}

#[test]
fn what_does_not_fit_on_the_device_is_said_with_its_sizes() {
    let Some(machine) = Machine::with(&DOUBLE.replace("arange(8.0)", "ones((64, 1024)).sum(0)")) else { return };
    let said = machine.run(&["run", "--device", "cuda", "k.py"], &[("PALLAS_DRIVER_MEMORY", "6000")]);
    let words =
        "the device is out of memory: 4096 bytes were asked for, 1904 are free; the launch's arrays have 8192 bytes";
    assert!(said.err.contains(words) && said.err.contains("k.py, line 11)"), "{}", said.err);
    assert!(!machine.left().contains("memory"), "{}", machine.left());
}

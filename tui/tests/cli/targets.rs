//! What a program asks of the device that it is told to run on.

use super::Case;

#[test]
fn a_program_can_be_told_how_many_cores_its_gpu_has() {
    let case = Case::with("a.py", "import jax\nprint(jax.devices()[0].core_count)\n");
    for (target, cores) in [("hopper", "132\n"), ("blackwell", "148\n")] {
        let told = case.run(&["run", "--target", target, "a.py"]);
        assert_eq!(String::from_utf8_lossy(&told.stdout), cores);
    }
    let alone = case.run(&["run", "a.py"]);
    assert!(String::from_utf8_lossy(&alone.stderr).contains("no attribute 'core_count'"));
}

#[test]
fn a_program_can_be_told_which_tpu_it_runs_on() {
    let text = "\
import jax
from jax._src import test_util as jtu
from jax.experimental.pallas import tpu as pltpu
print(jax.default_backend(), jax.devices()[0].platform, jtu.is_device_tpu_at_least(6), jtu.is_device_tpu(6, 'e'))
print(pltpu.get_tpu_info().num_lanes)
";
    let case = Case::with("a.py", text);
    let told = case.run(&["run", "--target", "tpu-v6e", "a.py"]);
    assert_eq!(String::from_utf8_lossy(&told.stdout), "tpu tpu True True\n128\n");
    let alone = case.run(&["run", "a.py"]);
    assert_eq!(String::from_utf8_lossy(&alone.stdout), "cpu cpu False False\n");
    assert!(String::from_utf8_lossy(&alone.stderr).contains("Unsupported TPU device kind: cpu"));
}

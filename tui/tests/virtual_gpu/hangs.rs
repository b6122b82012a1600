//! Kernels that do not end: they are given up, and nothing waits for them, neither another run nor the end of the process.

use super::terminal::{PATIENCE, Session};
use super::{DOUBLE, Machine};
use std::time::{Duration, Instant};

/// A loop over products that ends at once where they are of ones, and never where they are of zeros.
const ENDLESS: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def wait_kernel(x_ref, o_ref):
  o_ref[...] = jax.lax.while_loop(lambda c: jnp.min(c) < 1, lambda c: c * x_ref[...], x_ref[...])


def call(x, scale=1):
  return pl.pallas_call(wait_kernel, out_shape=x)(x * scale)


call(jnp.ones(8))
";

#[test]
fn a_kernel_that_does_not_end_is_given_up_after_its_time_and_nothing_waits_for_it() {
    let Some(machine) = Machine::with(ENDLESS) else { return };
    let begun = Instant::now();
    // The variant after the one that hangs would stand behind it in its first copy.
    let arguments = ["tune", "k.py", "--param", "scale=1,0,2", "--device", "cuda", "--patience", "3"];
    let said = machine.run(&arguments, &[("PALLAS_DRIVER_BUDGET", "100000")]);
    let took = begun.elapsed();
    assert!((Duration::from_secs(3)..Duration::from_secs(30)).contains(&took), "{took:?}");
    let all = said.out + &said.err;
    assert!(all.contains("the kernel did not end within 3 seconds, and was given up; the device is lost"), "{all}");
    let words =
        "since an earlier run, in which the kernel did not end within 3 seconds, and was given up (end this program";
    assert!(all.contains(words), "{all}");
    let calls = machine.calls();
    let last = calls.iter().rposition(|line| line.starts_with("cuEventQuery")).expect("it was waited for");
    let after: Vec<&String> = calls[last + 1..].iter().filter(|line| line.starts_with("cuM")).collect();
    assert_eq!(after, Vec::<&String>::new(), "nothing touches memory or modules");
    assert!(machine.left().contains("memory"), "what a kernel still uses is not given back");
}

#[test]
fn the_terminal_program_goes_on_after_a_device_was_lost_and_ends_while_a_kernel_hangs() {
    let Some(machine) = Machine::with(DOUBLE) else { return };
    let mut session = Session::open(&machine, &["k.py", "--device", "cuda"], "cuEventQuery=700");
    session.wait_for("illegal address");
    session.press("r");
    session.wait_for("lost to this process");
    session.press("q");
    assert_eq!(session.end(), 0);
    let mut session = Session::open(&machine, &["k.py", "--device", "cuda"], "cuEventQuery=600");
    let begun = Instant::now();
    while !machine.names().iter().any(|name| name == "cuLaunchKernel") {
        assert!(begun.elapsed() < PATIENCE, "it does not launch");
        std::thread::sleep(Duration::from_millis(20));
    }
    let begun = Instant::now();
    session.press("q");
    assert_eq!(session.end(), 0);
    assert!(begun.elapsed() < Duration::from_secs(10), "nobody waits for the kernel");
}

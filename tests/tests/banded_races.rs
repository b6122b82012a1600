//! Two programs that store one block of a product whose blocks go through the grid in bands, as somebody sees it who runs with checks or
//! without them: the programs are named, and not the blocks, which are numbered in another order.

use pallas_engine::accelerator::{Accelerator, Gpu, Ran, Simulator};
use pallas_engine::ir::{Finding, Launch};
use pallas_engine::simt::lower::grid::plan;
use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_tests::device::{Fake, Faults};
use pallas_tests::simt::inputs;
use std::sync::Arc;

const FILE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def product(x_ref, y_ref, o_ref):
  o_ref[...] = jnp.dot(x_ref[...], y_ref[...])


pl.pallas_call(
    product, grid=(11, 33), in_specs=[pl.BlockSpec((8, 8), lambda i, j: (i, 0)), pl.BlockSpec((8, 8), lambda i, j: (0, j))],
    out_specs=pl.BlockSpec((8, 8), lambda i, j: (i, COLUMN)), out_shape=jax.ShapeDtypeStruct((88, 264), jnp.float32),
    compiler_params=pltpu.CompilerParams(dimension_semantics=('parallel', 'parallel')))(
        jnp.ones((88, 8)), jnp.ones((8, 264)))
";

/// The launch whose programs store to this column of blocks.
fn launch(column: &str) -> Arc<Launch> {
    let text = FILE.replace("COLUMN", column);
    let analysis = Analysis::new("kernels.py", &text, &AnalysisOptions::new(Arc::new(Disk)));
    let launch = analysis.launches.into_iter().next().expect("a launch");
    assert!(plan(&launch).bands.is_some());
    launch
}

fn simulated(launch: &Launch, checked: bool) -> Ran {
    Simulator { checked, ..Simulator::default() }.run(launch, &inputs(launch)).expect("it runs")
}

fn on_device(launch: &Arc<Launch>, checked: bool) -> Ran {
    let fake = Fake::new(std::slice::from_ref(launch), Faults::default());
    let mut gpu = Gpu::with(Box::new(fake.clone()), Box::new(fake), None).checked(checked).trapping_nan(checked);
    gpu.run(launch, &inputs(launch)).expect("it runs")
}

fn races(ran: &Ran) -> Vec<&str> {
    let races = |finding: &&Finding| finding.code == "PL410";
    ran.findings.iter().filter(races).filter_map(|finding| finding.evidence.as_deref()).collect()
}

#[test]
fn a_race_of_programs_in_bands_is_told_with_their_ids() {
    // In a band of eight rows, columns follow each other; row 9 is in the second band.
    let launch = launch("jnp.where((i == 9) & (j == 20), 19, j)");
    for ran in [simulated(&launch, true), on_device(&launch, true)] {
        let races = races(&ran);
        let said = "program (9, 20) first, at element (72, 152) of o_ref that program (9, 19) has written";
        assert!(races.first().is_some_and(|race| race.starts_with(said)), "{races:?}");
        let both =
            |race: &&str| race.starts_with("program (9, 20)") && race.contains("that program (9, 19) has written");
        assert!(races.iter().all(both), "{races:?}");
    }
    let seen = simulated(&launch, false).seen;
    let said = "in program (9, 20) and program (9, 19)";
    assert!(!seen.is_empty() && seen.iter().all(|(words, _)| words.ends_with(said)), "{seen:?}");
}

#[test]
fn nothing_is_told_of_programs_in_bands_that_each_have_a_block() {
    let launch = launch("j");
    for ran in [simulated(&launch, true), simulated(&launch, false), on_device(&launch, true)] {
        assert_eq!(races(&ran), [""; 0]);
        assert!(ran.seen.is_empty() && ran.findings.is_empty(), "{:?} {:?}", ran.seen, ran.findings);
    }
}

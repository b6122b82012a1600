//! A launch as Tile IR, computed by what the IR means, and the same in interpret mode, on the same made-up arrays.

use crate::simt::{Outcome, Patience, against, inputs};
use pallas_ir::Launch;
use pallas_tileir::{compile, run};

/// Ops that a launch may take.
const FUEL: u64 = 400_000;

/// Runs a launch both ways.
pub fn compare(launch: &Launch) -> Outcome {
    let mut launch = launch.clone();
    for axis in std::mem::take(&mut launch.dynamic) {
        launch.grid[axis] = 2;
    }
    let program = match compile(&launch) {
        Ok(program) => program,
        Err(refusal) => return Outcome::Refused(refusal.message),
    };
    if let Err(refusal) = program.bytecode() {
        return Outcome::Wrong(refusal.message);
    }
    let inputs = inputs(&launch);
    let expected = match pallas_interpret::run_launch(&launch, inputs.clone(), &mut Patience(4_000_000)) {
        Ok(expected) => expected,
        Err(error) => return Outcome::NotInterpreted(error.to_string()),
    };
    let outputs = match run::run(&launch, &program, &inputs, FUEL) {
        Ok(outputs) => outputs,
        Err(fault) => return Outcome::Wrong(format!("it stopped: {fault}")),
    };
    against(&outputs, &expected)
}

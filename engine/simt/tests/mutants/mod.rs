//! Cases as programs for the simulator, and programs with one instruction changed.

use pallas_ir::Launch;
use pallas_ir::text::parse_launch;
use pallas_simt::ir::{Op, Region};
use pallas_simt::{Architecture, Program, compile};
use pallas_tensor::{Array, Scalar};
use std::path::Path;

/// Steps that no case needs.
pub(crate) const FUEL: u64 = 1_000_000;

/// A case.
pub(crate) fn launch(name: &str) -> Launch {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name);
    parse_launch(&std::fs::read_to_string(file).expect("a case")).expect("a launch")
}

/// A case for the device that it is for.
pub(crate) fn program(name: &str) -> Program {
    let launch = launch(name);
    compile(&launch, Architecture::meant_by(&launch)).expect("a program")
}

/// Numbers for its operands.
pub(crate) fn inputs(name: &str) -> Vec<Array> {
    let launch = launch(name);
    let inputs = launch.operands.iter().filter(|operand| operand.role != pallas_ir::Role::Output).map(|operand| {
        let numbers = (0..operand.array.shape.size()).map(|number| Scalar::Float((number % 13) as f64 - 6.0));
        let numbers: Vec<Scalar> = numbers.collect();
        Array::from_scalars(operand.array.dtype, operand.array.shape.clone(), &numbers).expect("an array")
    });
    inputs.collect()
}

/// What becomes of an instruction.
pub(crate) type Change = fn(&Op) -> Option<Option<Op>>;

/// Changes the instruction with this number of those that can be; `false` if there are fewer.
pub(crate) fn changed(region: &mut Region, change: Change, number: &mut usize) -> bool {
    for position in 0..region.insts.len() {
        if let Some(other) = change(&region.insts[position].op) {
            if *number == 0 {
                match other {
                    Some(op) => region.insts[position].op = op,
                    None => drop(region.insts.remove(position)),
                }
                return true;
            }
            *number -= 1;
        }
        for inner in &mut region.insts[position].regions {
            if changed(inner, change, number) {
                return true;
            }
        }
    }
    false
}

//! The simulator sees what goes wrong when a barrier or a wait is missing: each one of the generated products of matrices is dropped
//! in turn, and each wait is made to wait for one group of copies fewer.

use pallas_ir::Launch;
use pallas_ir::text::parse_launch;
use pallas_simt::ir::{Op, Region};
use pallas_simt::sim::{Kind, run};
use pallas_simt::{Architecture, Program, compile};
use pallas_tensor::{Array, Scalar};
use std::path::Path;

const FUEL: u64 = 1_000_000;

fn launch(name: &str) -> Launch {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name);
    parse_launch(&std::fs::read_to_string(file).expect("a case")).expect("a launch")
}

fn program(name: &str) -> Program {
    compile(&launch(name), Architecture::new(90)).expect("a program")
}

fn inputs(name: &str) -> Vec<Array> {
    let launch = launch(name);
    let inputs = launch.operands.iter().take(2).map(|operand| {
        let numbers = (0..operand.array.shape.size()).map(|number| Scalar::Float((number % 13) as f64 - 6.0));
        let numbers: Vec<Scalar> = numbers.collect();
        Array::from_scalars(operand.array.dtype, operand.array.shape.clone(), &numbers).expect("an array")
    });
    inputs.collect()
}

/// What becomes of an instruction.
type Change = fn(&Op) -> Option<Option<Op>>;

/// Changes the instruction with this number of those that can be; `false` if there are fewer.
fn changed(region: &mut Region, change: Change, number: &mut usize) -> bool {
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

fn barrier_gone(op: &Op) -> Option<Option<Op>> {
    (*op == Op::Barrier).then_some(None)
}

fn wait_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::WaitAhead(_)).then_some(None)
}

fn wait_for_less(op: &Op) -> Option<Option<Op>> {
    match op {
        Op::WaitAhead(pending) => Some(Some(Op::WaitAhead(pending + 1))),
        _ => None,
    }
}

fn every_one_counts(name: &str, change: Change, at_least: usize) {
    let inputs = inputs(name);
    let (whole, report) = run(&program(name), &inputs, FUEL).expect("it runs");
    assert!(report.is_clean(), "{:?}", report.complaints);
    assert!(whole[0].iter_scalars().all(|element| matches!(element, Scalar::Float(number) if number.is_finite())));
    let mut dropped = 0;
    loop {
        let mut mutant = program(name);
        if !changed(&mut mutant.kernel.body, change, &mut { dropped }) {
            break;
        }
        let (_, report) = run(&mutant, &inputs, FUEL).expect("it runs");
        let seen = report.count(Kind::Race) + report.count(Kind::UnderWay) + report.count(Kind::Uninitialized);
        assert!(seen > 0, "{name}: nobody saw that number {dropped} is another");
        dropped += 1;
    }
    assert!(dropped >= at_least, "{name} has only {dropped} of them");
}

#[test]
fn every_barrier_of_a_product_on_tensor_cores_counts() {
    every_one_counts("matmul.ir", barrier_gone, 1);
}

#[test]
fn every_wait_of_a_product_on_tensor_cores_counts() {
    every_one_counts("matmul.ir", wait_gone, 1);
    every_one_counts("matmul.ir", wait_for_less, 1);
}

#[test]
fn fragments_are_read_without_two_of_them_in_one_bank() {
    let (_, report) = run(&program("matmul.ir"), &inputs("matmul.ir"), FUEL).expect("it runs");
    assert_eq!(report.bank_conflicts, 0);
}

#[test]
fn every_barrier_of_a_product_by_sums_counts() {
    every_one_counts("matmul_f32.ir", barrier_gone, 1);
}

#[test]
fn blocks_that_write_to_one_place_are_seen() {
    let mut mutant = program("matmul_f32.ir");
    // Four times the blocks for the same output: the ids of the programs go beyond the grid.
    mutant.kernel.blocks *= 2;
    let (_, report) = run(&mutant, &inputs("matmul_f32.ir"), FUEL).expect("it runs");
    assert!(report.count(Kind::OutOfBounds) > 0 || report.count(Kind::BlockRace) > 0);
}

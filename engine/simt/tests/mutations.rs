//! The simulator sees what goes wrong when a barrier is missing: every barrier of the generated products of matrices is dropped in
//! turn.

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

/// Removes the barrier with this number; `None` if there are fewer.
fn without(region: &mut Region, number: &mut usize) -> bool {
    for position in 0..region.insts.len() {
        if region.insts[position].op == Op::Barrier {
            if *number == 0 {
                region.insts.remove(position);
                return true;
            }
            *number -= 1;
        }
        for inner in &mut region.insts[position].regions {
            if without(inner, number) {
                return true;
            }
        }
    }
    false
}

fn every_barrier_counts(name: &str, at_least: usize) {
    let inputs = inputs(name);
    let (whole, report) = run(&program(name), &inputs, FUEL).expect("it runs");
    assert!(report.is_clean(), "{:?}", report.complaints);
    assert!(whole[0].iter_scalars().all(|element| matches!(element, Scalar::Float(number) if number.is_finite())));
    let mut dropped = 0;
    loop {
        let mut mutant = program(name);
        if !without(&mut mutant.kernel.body, &mut { dropped }) {
            break;
        }
        let (_, report) = run(&mutant, &inputs, FUEL).expect("it runs");
        assert!(report.count(Kind::Race) > 0, "{name}: nobody saw that barrier {dropped} is missing");
        dropped += 1;
    }
    assert!(dropped >= at_least, "{name} has only {dropped} barriers");
}

#[test]
fn every_barrier_of_a_product_on_tensor_cores_counts() {
    every_barrier_counts("matmul.ir", 2);
}

#[test]
fn every_barrier_of_a_product_by_sums_counts() {
    every_barrier_counts("matmul_f32.ir", 2);
}

#[test]
fn blocks_that_write_to_one_place_are_seen() {
    let mut mutant = program("matmul_f32.ir");
    // Four times the blocks for the same output: the ids of the programs go beyond the grid.
    mutant.kernel.blocks *= 2;
    let (_, report) = run(&mutant, &inputs("matmul_f32.ir"), FUEL).expect("it runs");
    assert!(report.count(Kind::OutOfBounds) > 0 || report.count(Kind::BlockRace) > 0);
}

//! The simulator sees what goes wrong when a barrier or a wait is missing: each one of the generated products of matrices is dropped
//! in turn, and each wait is made to wait for one group of copies fewer, or for one product of warpgroups.

use crate::mutants::{Change, FUEL, changed, inputs, program};
use pallas_simt::ir::Op;
use pallas_simt::sim::{Kind, run};
use pallas_tensor::Scalar;

fn barrier_gone(op: &Op) -> Option<Option<Op>> {
    (*op == Op::Barrier).then_some(None)
}

fn wait_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::WaitAhead(_)).then_some(None)
}

fn wait_for_less(op: &Op) -> Option<Option<Op>> {
    match op {
        Op::WaitAhead(pending) => Some(Some(Op::WaitAhead(pending + 1))),
        Op::WaitProducts(pending) => Some(Some(Op::WaitProducts(pending + 1))),
        _ => None,
    }
}

fn publish_gone(op: &Op) -> Option<Option<Op>> {
    (*op == Op::Publish).then_some(None)
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
        let kinds = [Kind::Race, Kind::UnderWay, Kind::Uninitialized, Kind::Unfenced];
        let seen: u64 = kinds.into_iter().map(|kind| report.count(kind)).sum();
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

/// How many of some instructions a case has.
fn count(name: &str, is: fn(&Op) -> bool) -> usize {
    let mut count = 0;
    program(name).kernel.body.walk(&mut |inst| count += usize::from(is(&inst.op)));
    count
}

#[test]
fn every_barrier_and_wait_of_a_product_by_warpgroups_counts() {
    let name = "warpgroups_matmul.ir";
    assert_eq!(count(name, |op| matches!(op, Op::Multiply(_))), 1);
    assert_eq!(count(name, |op| *op == Op::WaitProducts(1)), 1, "a product is under way while the next round begins");
    // Before a slot is multiplied that has come, and before one is filled that was.
    every_one_counts(name, barrier_gone, 2);
    every_one_counts(name, wait_gone, 1);
    // For copies, for the product of the round before, and in the end.
    every_one_counts(name, wait_for_less, 3);
    every_one_counts(name, publish_gone, 1);
}

/// The sum is scratch memory that a branch of the first round zeroes, or sets, and one of the last round stores: rounds add to it and do
/// nothing else.
#[test]
fn every_barrier_and_wait_of_a_product_along_an_axis_of_the_grid_counts() {
    for name in ["warpgroups_grid.ir", "warpgroups_set.ir"] {
        assert_eq!(count(name, |op| matches!(op, Op::Multiply(_))), 1, "{name}: rounds are not copied");
        assert_eq!(count(name, |op| matches!(op, Op::Switch)), 0, "{name}: no round asks which one it is");
        assert_eq!(count(name, |op| *op == Op::WaitProducts(1)), 1, "{name}: a product is under way between rounds");
        let looked_at = count(name, |op| matches!(op, Op::Keep(_) | Op::Take(_)));
        assert_eq!(looked_at, 2, "{name}: sums are looked at before and behind the loop");
        every_one_counts(name, barrier_gone, 2);
        every_one_counts(name, wait_gone, 1);
        every_one_counts(name, wait_for_less, 3);
        every_one_counts(name, publish_gone, 1);
    }
}

#[test]
fn a_product_by_warpgroups_takes_its_left_factor_from_the_sums_of_another() {
    let name = "warpgroups_attention.ir";
    assert_eq!(count(name, |op| matches!(op, Op::Multiply(product) if product.left.is_none())), 1);
    assert_eq!(count(name, |op| matches!(op, Op::Multiply(_))), 2);
    every_one_counts(name, barrier_gone, 1);
    every_one_counts(name, wait_gone, 1);
    every_one_counts(name, wait_for_less, 3);
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

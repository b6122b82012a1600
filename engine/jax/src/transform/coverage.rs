//! Every op of the IR has a rule for lanes and a derivative, or is named here with the reason why not.

use super::{batch, derive};
use pallas_ir::{OpKind, ops};

/// Pure ops without a derivative: nobody's kernels take one, the formula waits for an op that is not there, or JAX has none
/// (the extremes over an axis).
const WITHOUT_DERIVATIVE: &[&str] = &["pmax", "pmin"];

/// Pure ops without operands: no lane makes a difference to them.
const WITHOUT_LANES: &[&str] = &["axis_index", "constant", "iota"];

#[test]
fn every_pure_op_has_a_rule_for_lanes() {
    let missing: Vec<&str> = ops::ALL
        .iter()
        .filter(|op| matches!(op.kind, OpKind::Pure { .. }))
        .map(|op| op.name)
        .filter(|name| !WITHOUT_LANES.contains(name) && !batch::has_rule(name))
        .collect();
    assert!(missing.is_empty(), "no batching rule for {missing:?}");
}

#[test]
fn every_pure_op_has_a_derivative() {
    let missing: Vec<&str> = ops::ALL
        .iter()
        .filter(|op| matches!(op.kind, OpKind::Pure { .. }))
        .filter(|op| derive::derivative(op).is_none())
        .map(|op| op.name)
        .collect();
    let unexpected: Vec<&&str> = missing.iter().filter(|name| !WITHOUT_DERIVATIVE.contains(name)).collect();
    assert!(unexpected.is_empty(), "no derivative for {unexpected:?}");
    let stale: Vec<&&str> = WITHOUT_DERIVATIVE.iter().filter(|name| !missing.contains(name)).collect();
    assert!(stale.is_empty(), "{stale:?} have a derivative by now");
}

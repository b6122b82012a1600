//! Ops that see the other lanes: sums over a named axis, the lane's own number.

use super::{Axis, Rule};
use pallas_ir::OpData;

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Rule)> {
    std::iter::empty()
}

/// Whether an op talks across the axis that is mapped over.
pub(super) fn is_over(op: &OpData, axis: &Axis) -> bool {
    match (&axis.name, op.attributes.str("axis_name")) {
        (Some(name), Some(asked)) => **name == *asked,
        _ => false,
    }
}

/// Whether an op gives each lane something of its own, whatever it is given.
pub(super) fn asks_for_lane(op: &OpData) -> bool {
    op.attributes.str("axis_name").is_some()
}

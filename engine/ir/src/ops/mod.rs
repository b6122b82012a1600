//! Every op, one file per family. An op is a static [`OpDef`]: type rule, evaluation and interval hook in one place.
//! Its documentation says operands, attributes and results. Names are those of lax's primitives where there is one.
//!
//! A new op: a static in its family's file, in the family's `all`, and re-exported here. Nothing else knows the list.

mod barriers;
mod binary;
mod bounds;
mod cluster;
mod collective;
mod compare;
mod control;
mod convert;
mod copies;
mod cumulative;
mod dot;
mod eval;
mod gather;
mod matrix_units;
mod memory;
mod pipeline;
mod precision;
mod program;
mod random;
mod reduce;
mod rule;
mod select;
mod semaphores;
mod slicing;
mod sort;
mod structural;
mod transfers;
mod transform;
mod unary;

use crate::op::{Op, OpDef};
use std::collections::HashMap;
use std::sync::LazyLock;

pub use barriers::*;
pub use binary::*;
pub use cluster::*;
pub use collective::*;
pub use compare::*;
pub use control::*;
pub use convert::*;
pub use copies::*;
pub use cumulative::*;
pub use dot::*;
pub use gather::*;
pub use matrix_units::*;
pub use memory::*;
pub use pipeline::*;
pub use program::*;
pub use random::*;
pub use reduce::*;
pub use select::*;
pub use semaphores::*;
pub use slicing::*;
pub use sort::*;
pub use structural::*;
pub use transfers::*;
pub use transform::*;
pub use unary::*;

/// Every op, family by family.
pub static ALL: LazyLock<Vec<&'static OpDef>> = LazyLock::new(|| {
    unary::all()
        .chain(binary::all())
        .chain(compare::all())
        .chain(select::all())
        .chain(convert::all())
        .chain(structural::all())
        .chain(slicing::all())
        .chain(reduce::all())
        .chain(cumulative::all())
        .chain(dot::all())
        .chain(gather::all())
        .chain(sort::all())
        .chain(random::all())
        .chain(memory::all())
        .chain(copies::all())
        .chain(semaphores::all())
        .chain(barriers::all())
        .chain(transfers::all())
        .chain(matrix_units::all())
        .chain(cluster::all())
        .chain(control::all())
        .chain(pipeline::all())
        .chain(program::all())
        .chain(transform::all())
        .chain(collective::all())
        .collect()
});

static BY_NAME: LazyLock<HashMap<&'static str, &'static OpDef>> =
    LazyLock::new(|| ALL.iter().map(|&def| (def.name, def)).collect());

/// The op called `name` in the text form.
pub fn find(name: &str) -> Option<Op> {
    BY_NAME.get(name).map(|&def| Op(def))
}

/// Whether an op is elementwise in two operands, and its evaluation takes a scalar for either of them as well.
pub fn is_elementwise_binary(op: Op) -> bool {
    binary::all().chain(compare::all()).any(|def| op == Op(def))
}

/// Whether an op is elementwise in its one operand.
pub fn is_elementwise_unary(op: Op) -> bool {
    unary::all().any(|def| op == Op(def))
}

/// Bounds of the elements of an array, for interval analysis; [`crate::Interval::ANY`] where there are none.
pub fn array_bounds(array: &pallas_tensor::Array) -> crate::Interval {
    bounds::of_array(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        assert_eq!(ALL.len(), BY_NAME.len());
        for def in ALL.iter() {
            assert_eq!(find(def.name), Some(Op(def)));
        }
        assert_eq!(find("frobnicate"), None);
    }
}

//! Comparisons of two tiles of the same shape and dtype. The result is a tile of `bool`, weakly typed if both operands
//! are (that is what JAX does; a weak `bool` promotes as a strong one).

use super::eval::{one, take};
use super::rule::{self, ANY, ORDERED};
use crate::op::{OpDef, OpKind};
use pallas_tensor::DType;
use pallas_tensor::ops::{CompareOp, compare};

macro_rules! compare_ops {
    ($($doc:literal $name:literal $static:ident $op:ident $accepts:ident;)*) => {
        $(
            #[doc = $doc]
            pub static $static: OpDef = OpDef {
                name: $name,
                doc: $doc,
                attributes: &[],
                infer: |context| rule::binary(context, $name, $accepts, Some(DType::Bool)),
                kind: OpKind::Pure {
                    eval: |_, operands| {
                        let [x, y] = take(operands)?;
                        one(compare(CompareOp::$op, &x, &y))
                    },
                    interval: None,
                },
            };
        )*
        /// The ops of the table.
        static TABLE: &[&OpDef] = &[$(&$static),*];
    };
}

compare_ops! {
    "`x == y`; also for random keys" "eq" EQ Eq ANY;
    "`x != y`; also for random keys" "ne" NE Ne ANY;
    "`x < y`" "lt" LT Lt ORDERED;
    "`x <= y`" "le" LE Le ORDERED;
    "`x > y`" "gt" GT Gt ORDERED;
    "`x >= y`" "ge" GE Ge ORDERED;
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    TABLE.iter().copied()
}

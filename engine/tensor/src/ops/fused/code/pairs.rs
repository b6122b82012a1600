//! Twice as many columns as a register holds, side by side: what a chain computes mostly waits for what it computed just before, and
//! a processor sees only so far ahead for something else to do. Each value is there twice, one behind the other.
//!
//! Only where all columns are there and registers suffice; else columns go through in one register as before.

use super::graph::{Graph, Id};
use super::machine::{Machine, Operand};
use super::order::{Order, pressure};
use super::translate::Translated;

/// Values that are so many that one waits for the other.
const LEAST: usize = 6;

/// Values of a chain, and those for columns twice more, in one order.
pub(super) struct Pair {
    /// The values of the chain, and behind them the others.
    pub(super) graph: Graph,
    pub(super) order: Vec<Id>,
    pub(super) results: [Id; 2],
}

impl Pair {
    /// The pair of a chain with so many operands; none where it does not pay.
    pub(super) fn new<M: Machine>(translated: &Translated, order: &Order, operands: usize) -> Option<Pair> {
        let place = order.of_columns.iter().position(|&id| id == translated.result)?;
        if order.of_columns.len() < LEAST {
            return None;
        }
        let mut graph = translated.graph.clone();
        let copies = [1, 2].map(|time| graph.again(&order.of_columns, time * operands));
        let results = copies.each_ref().map(|copy| copy[place]);
        let [first, second] = copies;
        let both: Vec<Id> = first.into_iter().zip(second).flat_map(|(one, other)| [one, other]).collect();
        let taken = order.constants.len() + order.kept.len();
        let fits = order.keeps_all && taken + pressure::<M>(&graph, &both, &results) <= M::VECTORS;
        fits.then_some(Pair { graph, order: both, results })
    }
}

/// Operands as they are read and written, and behind them for the first and the second half of a pair.
pub(super) fn operands<M: Machine>(operands: &[Operand]) -> Vec<Operand> {
    let further = [None, Some(0), Some(M::LANES as u32)];
    further.iter().flat_map(|&whole| operands.iter().map(move |&operand| Operand { whole, ..operand })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::ops::fused::code::avx512::Avx512;
    use crate::ops::fused::code::made::Kind;
    use crate::ops::fused::code::translate::translated;
    use crate::ops::fused::{ChainBuilder, Code, Place};
    use crate::ops::unary::UnaryOp;
    use crate::shape::Shape;

    /// Whether values of an operation go side by side.
    fn is_pair(op: UnaryOp) -> bool {
        let shape = Shape::from([100]);
        let mut builder = ChainBuilder::new(shape.clone());
        let x = builder.read(DType::F32, shape, Place::same(1)).expect("all of it");
        builder.step(Code::Unary(op), &[x], DType::F32).expect("floats");
        let chain = builder.finish().expect("one operation");
        let translated = translated::<Avx512>(&chain).expect("known");
        let kinds = [Kind { is_one: false, is_ahead: false, streams: false, size: 4 }; 2];
        let order = Order::new::<Avx512>(&translated, &kinds);
        let pair = Pair::new::<Avx512>(&translated, &order, kinds.len());
        if let Some(pair) = &pair {
            assert_eq!(pair.order.len(), 2 * order.of_columns.len());
            assert!(pair.results.iter().all(|result| pair.order.contains(result)));
        }
        pair.is_some()
    }

    #[test]
    fn what_waits_for_itself_goes_side_by_side() {
        assert!(is_pair(UnaryOp::Exp));
        assert!(!is_pair(UnaryOp::Neg), "one instruction waits for none");
    }
}

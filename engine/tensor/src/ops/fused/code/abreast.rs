//! More columns than a register holds, side by side: what a chain computes mostly waits for what it computed just before, and
//! a processor sees only so far ahead for something else to do. And where a chain computes little, most of what is done for
//! each register of columns is to count them. Each value is there twice or four times, one behind the other.
//!
//! Only where all columns are there and registers suffice; else columns go through in one register as before.

use super::graph::{Graph, Id};
use super::machine::{Machine, Operand};
use super::order::{Order, pressure};
use super::translate::Translated;

/// Registers of columns that go through side by side, at most.
const MOST: usize = 4;
/// Values that are so many that two registers are enough: it takes time to make code, and those that wait hide behind each other.
const MANY: usize = 24;

/// Values of a chain, and those for columns several times more, in one order.
pub(super) struct Abreast {
    /// The values of the chain, and behind them the others.
    pub(super) graph: Graph,
    pub(super) order: Vec<Id>,
    /// One for each register of columns; where two chains go side by side, those of both, one behind the other.
    pub(super) results: Vec<Id>,
    times: usize,
}

impl Abreast {
    /// As many columns of a chain with so many operands as go through at once, where each register of them needs so many others beside
    /// what is computed; none where it is one register of columns.
    pub(super) fn new<M: Machine>(
        translated: &Translated,
        order: &Order,
        operands: usize,
        others: usize,
    ) -> Option<Abreast> {
        let place = |(result, _)| order.of_columns.iter().position(|&id| id == result);
        let places: Vec<usize> = translated.results(operands).map(place).collect::<Option<_>>()?;
        let times = if order.of_columns.len() < MANY { [MOST, 2] } else { [2, 2] };
        times.iter().find_map(|&times| {
            let mut graph = translated.graph.clone();
            let copies: Vec<Vec<Id>> =
                (1..=times).map(|time| graph.again(&order.of_columns, time * operands)).collect();
            let results: Vec<Id> =
                copies.iter().flat_map(|copy| places.iter().map(move |&place| copy[place])).collect();
            let all: Vec<Id> =
                (0..order.of_columns.len()).flat_map(|n| copies.iter().map(move |copy| copy[n])).collect();
            let taken = order.constants.len() + order.kept.len() + times * others;
            let fits = order.keeps_all && taken + pressure::<M>(&graph, &all, &results) <= M::VECTORS;
            fits.then_some(Abreast { graph, order: all, results, times })
        })
    }

    /// How many registers of columns they are.
    pub(super) fn times(&self) -> usize {
        self.times
    }
}

/// Operands as they are read and written, and behind them for each register of columns that go through at once.
pub(super) fn operands<M: Machine>(operands: &[Operand], abreast: Option<&Abreast>) -> Vec<Operand> {
    let times = abreast.map_or(0, Abreast::times);
    let further = std::iter::once(None).chain((0..times).map(|time| Some((time * M::LANES) as u32)));
    further.flat_map(|whole| operands.iter().map(move |&operand| Operand { whole, ..operand })).collect()
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

    /// How many registers of columns go side by side through an operation.
    fn times(op: UnaryOp) -> Option<usize> {
        let shape = Shape::from([100]);
        let mut builder = ChainBuilder::new(shape.clone());
        let x = builder.read(DType::F32, shape, Place::same(1)).expect("all of it");
        builder.step(Code::Unary(op), &[x], DType::F32).expect("floats");
        let chain = builder.finish().expect("one operation");
        let translated = translated::<Avx512>(&chain).expect("known");
        let kinds = [Kind { is_one: false, is_ahead: false, is_far: false, streams: false, adds: false, size: 4 }; 2];
        let order = Order::new::<Avx512>(&translated, &kinds);
        let abreast = Abreast::new::<Avx512>(&translated, &order, kinds.len(), 0)?;
        assert_eq!(abreast.order.len(), abreast.times() * order.of_columns.len());
        assert!(abreast.results.iter().all(|result| abreast.order.contains(result)));
        Some(abreast.times())
    }

    #[test]
    fn what_is_cheap_goes_four_abreast_and_what_takes_its_time_two() {
        assert_eq!(times(UnaryOp::Neg), Some(4));
        assert_eq!(times(UnaryOp::Exp), Some(2));
    }
}

//! Numbers that note in a [`Graph`] what is to be computed with them: what the elementary functions of [`crate::math`] give for
//! them is their machine code.

use super::graph::{Graph, Id, Op, Relation};
use crate::isa::BaselineFma;
use crate::isa::Fma;
use crate::math::formulas::Number;
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A constant, or a value of a graph.
#[derive(Clone, Copy)]
pub(super) enum Noted<'g> {
    Constant(f32),
    Value(&'g RefCell<Graph>, Id),
}

use Noted::{Constant, Value};

impl<'g> Noted<'g> {
    /// The value in a graph.
    pub(super) fn id(self, graph: &'g RefCell<Graph>) -> Id {
        match self {
            Constant(x) => graph.borrow_mut().constant(x.to_bits()),
            Value(_, id) => id,
        }
    }

    /// The graph that one of several numbers is of; none where all are constants.
    fn graph(numbers: &[Noted<'g>]) -> Option<&'g RefCell<Graph>> {
        numbers.iter().find_map(|number| match number {
            Constant(_) => None,
            Value(graph, _) => Some(*graph),
        })
    }

    /// An operation; `of_constants` is its result where all operands are.
    fn of<const N: usize>(op: Op, operands: [Noted<'g>; N], of_constants: impl Fn([f32; N]) -> f32) -> Noted<'g> {
        match Noted::graph(&operands) {
            Some(graph) => {
                let ids = operands.map(|operand| operand.id(graph));
                let id = graph.borrow_mut().value(op, &ids);
                Value(graph, id)
            }
            None => Constant(of_constants(operands.map(|operand| match operand {
                Constant(x) => x,
                Value(..) => f32::NAN,
            }))),
        }
    }

    fn compared(self, relation: Relation, other: Noted<'g>) -> Truth<'g> {
        let Some(graph) = Noted::graph(&[self, other]) else {
            let (Constant(x), Constant(y)) = (self, other) else { return Truth::Constant(false) };
            return Truth::Constant(match relation {
                Relation::Equal => x == y,
                Relation::NotEqual => x != y,
                Relation::Below => x < y,
                Relation::AtMost => x <= y,
                Relation::Above => x > y,
                Relation::AtLeast => x >= y,
            });
        };
        let operands = [self, other].map(|operand| operand.id(graph));
        let id = graph.borrow_mut().value(Op::CompareFloat(relation), &operands);
        Truth::Value(graph, id)
    }
}

/// What a comparison gives.
#[derive(Clone, Copy)]
pub(super) enum Truth<'g> {
    Constant(bool),
    Value(&'g RefCell<Graph>, Id),
}

impl From<f32> for Noted<'_> {
    fn from(x: f32) -> Self {
        Constant(x)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $operator:tt),*) => { $(
        impl<'g> $trait for Noted<'g> {
            type Output = Noted<'g>;
            fn $method(self, other: Noted<'g>) -> Noted<'g> {
                Noted::of(Op::$trait, [self, other], |[x, y]| x $operator y)
            }
        }
        impl<'g> $trait<f32> for Noted<'g> {
            type Output = Noted<'g>;
            fn $method(self, other: f32) -> Noted<'g> {
                Noted::of(Op::$trait, [self, Constant(other)], |[x, y]| x $operator y)
            }
        }
    )* };
}
operators!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<'g> Neg for Noted<'g> {
    type Output = Noted<'g>;
    fn neg(self) -> Noted<'g> {
        match self {
            Constant(x) => Constant(-x),
            Value(graph, x) => Value(graph, graph.borrow_mut().negated(x)),
        }
    }
}

impl<'g> Number for Noted<'g> {
    type Truth = Truth<'g>;
    type Bits = Noted<'g>;

    fn fma(self, factor: impl Into<Self>, addend: impl Into<Self>) -> Self {
        let op = Op::MultiplyAdd { negates_product: false, subtracts: false };
        Noted::of(op, [self, factor.into(), addend.into()], |[x, y, z]| BaselineFma::fma(x, y, z))
    }

    fn flush(self) -> Self {
        Noted::of(Op::Flush, [self], |[x]| crate::math::flush(x))
    }

    fn floor(self) -> Self {
        Noted::of(Op::Round(1), [self], |[x]| x.floor())
    }

    fn sqrt(self) -> Self {
        Noted::of(Op::SquareRoot, [self], |[x]| x.sqrt())
    }

    fn abs(self) -> Self {
        Noted::and(self, 0x7fff_ffff)
    }

    fn copysign(self, sign: Self) -> Self {
        let (size, sign) = (self.abs(), Noted::and(sign, 0x8000_0000));
        Noted::of(Op::Or, [size, sign], |[x, y]| f32::from_bits(x.to_bits() | y.to_bits()))
    }

    fn clamp(self, low: f32, high: f32) -> Self {
        // The second operand is what comes of NaN.
        Noted::of(Op::Most, [Constant(low), self], |[low, x]| if x < low { low } else { x }).at_most(high)
    }

    fn at_most(self, high: f32) -> Self {
        Noted::of(Op::Least, [Constant(high), self], |[high, x]| if x > high { high } else { x })
    }

    fn is_below(self, other: impl Into<Self>) -> Truth<'g> {
        self.compared(Relation::Below, other.into())
    }

    fn is_above(self, other: impl Into<Self>) -> Truth<'g> {
        self.compared(Relation::Above, other.into())
    }

    fn is_at_most(self, other: impl Into<Self>) -> Truth<'g> {
        self.compared(Relation::AtMost, other.into())
    }

    fn is_at_least(self, other: impl Into<Self>) -> Truth<'g> {
        self.compared(Relation::AtLeast, other.into())
    }

    fn is_equal(self, other: impl Into<Self>) -> Truth<'g> {
        self.compared(Relation::Equal, other.into())
    }

    fn choose(truth: Truth<'g>, yes: impl Into<Self>, no: impl Into<Self>) -> Self {
        match truth {
            Truth::Constant(true) => yes.into(),
            Truth::Constant(false) => no.into(),
            Truth::Value(graph, truth) => {
                let operands = [truth, yes.into().id(graph), no.into().id(graph)];
                Value(graph, graph.borrow_mut().value(Op::Choose, &operands))
            }
        }
    }

    fn bits(self) -> Self {
        self
    }

    fn of_bits(bits: Self) -> Self {
        bits
    }

    fn of_integer(bits: Self) -> Self {
        Noted::of(Op::FromSigned, [bits], |[x]| x.to_bits().cast_signed() as f32)
    }

    fn plus(bits: Self, other: u32) -> Self {
        let other = Constant(f32::from_bits(other));
        let add = |[x, y]: [f32; 2]| f32::from_bits(x.to_bits().wrapping_add(y.to_bits()));
        Noted::of(Op::AddInteger, [bits, other], add)
    }

    fn and(bits: Self, mask: u32) -> Self {
        let mask = Constant(f32::from_bits(mask));
        Noted::of(Op::And, [bits, mask], |[x, y]| f32::from_bits(x.to_bits() & y.to_bits()))
    }

    fn or(bits: Self, mask: u32) -> Self {
        let mask = Constant(f32::from_bits(mask));
        Noted::of(Op::Or, [bits, mask], |[x, y]| f32::from_bits(x.to_bits() | y.to_bits()))
    }

    fn shifted_left(bits: Self, places: u32) -> Self {
        Noted::of(Op::ShiftLeft(places as u8), [bits], |[x]| f32::from_bits(x.to_bits() << places))
    }

    fn shifted_right(bits: Self, places: u32) -> Self {
        Noted::of(Op::ShiftRight(places as u8), [bits], |[x]| f32::from_bits(x.to_bits() >> places))
    }
}

//! Conditions of branches, as far as they say which programs of a grid take them.

use crate::block_map::{self, IndexForm};
use crate::function::{Function, OpData, OpId, ValueId};
use crate::launch::BlockDim;
use crate::op::{OpKind, ProgramOp};
use pallas_tensor::DType;
use std::collections::{BTreeSet, HashMap};

/// What a condition is made of: each is true or false by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Leaf {
    /// The program's id along an axis of several programs is 0.
    First(usize),
    /// A round of this loop is under way.
    Round(OpId),
    /// A value of which nothing is known is not 0.
    Holds(ValueId),
    /// A value of which nothing is known takes this branch of several.
    Takes(ValueId, usize),
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    Always(bool),
    Leaf(Leaf),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

/// Deeper than this, a condition is what nothing is known of.
const DEEPEST: usize = 16;

impl Condition {
    pub(super) fn not(self) -> Condition {
        match self {
            Condition::Always(value) => Condition::Always(!value),
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    pub(super) fn leaves(&self, into: &mut BTreeSet<Leaf>) {
        match self {
            Condition::Always(_) => {}
            Condition::Leaf(leaf) => {
                into.insert(*leaf);
            }
            Condition::Not(inner) => inner.leaves(into),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| part.leaves(into)),
        }
    }

    pub(super) fn holds(&self, leaf: &dyn Fn(&Leaf) -> bool) -> bool {
        match self {
            Condition::Always(value) => *value,
            Condition::Leaf(one) => leaf(one),
            Condition::Not(inner) => !inner.holds(leaf),
            Condition::All(parts) => parts.iter().all(|part| part.holds(leaf)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(leaf)),
        }
    }

    /// Whether nothing but program ids decides.
    pub(super) fn is_of_ids(&self) -> bool {
        let mut leaves = BTreeSet::new();
        self.leaves(&mut leaves);
        leaves.iter().all(|leaf| matches!(leaf, Leaf::First(_)))
    }
}

/// Reads conditions of a function under a grid.
pub(super) struct Conditions<'a> {
    function: &'a Function,
    grid: &'a [usize],
    definitions: HashMap<ValueId, OpId>,
    /// Parameters of regions that are other values.
    same: HashMap<ValueId, ValueId>,
}

impl<'a> Conditions<'a> {
    pub(super) fn new(function: &'a Function, grid: &'a [usize]) -> Conditions<'a> {
        let ops = function.ops.iter().enumerate();
        let definitions =
            ops.flat_map(|(number, op)| op.results.iter().map(move |&value| (value, OpId(number as u32)))).collect();
        Conditions { function, grid, definitions, same: HashMap::new() }
    }

    /// Says that a region's parameter is a value from outside.
    pub(super) fn bind(&mut self, param: ValueId, value: ValueId) {
        self.same.insert(param, value);
    }

    fn op(&self, value: ValueId) -> Option<&'a OpData> {
        self.definitions.get(&value).map(|&id| self.function.op(id))
    }

    fn resolved(&self, mut value: ValueId) -> ValueId {
        while let Some(&other) = self.same.get(&value) {
            value = other;
        }
        value
    }

    /// That a branch of `cond` is taken, of so many.
    pub(super) fn takes(&self, which: ValueId, branch: usize, branches: usize) -> Condition {
        let which = self.resolved(which);
        let last = branches.saturating_sub(1);
        if branches == 2 && self.is_truth(which) {
            let truth = self.truth(which, 0);
            return if branch == 1 { truth } else { truth.not() };
        }
        let against = IndexForm::Affine { constant: branch as i64, coefficients: vec![0; self.grid.len()] };
        let name = match branch {
            0 => "le",
            _ if branch == last => "ge",
            _ => "eq",
        };
        match self.form(which, 0) {
            Some(form) => self.compared(name, &form, &against, Leaf::Takes(which, branch)),
            None => Condition::Leaf(Leaf::Takes(which, branch)),
        }
    }

    /// Whether a value is a truth, or the number of one.
    fn is_truth(&self, value: ValueId) -> bool {
        self.function.ty(value).dtype() == DType::Bool
            || self.op(value).is_some_and(|op| {
                op.op.name == "convert_element_type"
                    && op.operands.first().is_some_and(|&from| self.is_truth(self.resolved(from)))
            })
    }

    /// That a scalar, or every element of a tile that is one scalar spread out, is not 0.
    pub(super) fn truth(&self, value: ValueId, depth: usize) -> Condition {
        let value = self.resolved(value);
        let unknown = Condition::Leaf(Leaf::Holds(value));
        let Some(op) = self.op(value).filter(|_| depth < DEEPEST) else { return unknown };
        let inner = |value: ValueId| self.truth(value, depth + 1);
        let dtype = |value: ValueId| self.function.ty(value).dtype();
        let is_bool = op.operands.iter().all(|&operand| dtype(operand) == DType::Bool);
        match (op.op.name, op.operands.as_slice()) {
            ("constant", _) => match op.attributes.array("value").and_then(pallas_tensor::Array::item) {
                Some(scalar) if dtype(value) == DType::Bool => {
                    scalar.as_int().map_or(unknown, |number| Condition::Always(number != 0))
                }
                _ => unknown,
            },
            ("convert_element_type", [from]) if is_bool || dtype(value) == DType::Bool && dtype(*from).is_integer() => {
                inner(*from)
            }
            ("broadcast_in_dim" | "reshape" | "squeeze", [from]) if self.function.ty(*from).shape().size() == 1 => {
                inner(*from)
            }
            ("not", [one]) if is_bool => inner(*one).not(),
            ("and", [one, two]) if is_bool => Condition::All(vec![inner(*one), inner(*two)]),
            ("or", [one, two]) if is_bool => Condition::Any(vec![inner(*one), inner(*two)]),
            ("ne" | "eq", [one, two]) if self.is_truth(*one) && self.constant(*two) == Some(0) => match op.op.name {
                "ne" => inner(*one),
                _ => inner(*one).not(),
            },
            ("eq" | "ne" | "lt" | "le" | "gt" | "ge", [one, two]) => {
                match (self.form(*one, depth + 1), self.form(*two, depth + 1)) {
                    (Some(one), Some(two)) => self.compared(op.op.name, &one, &two, Leaf::Holds(value)),
                    _ => unknown,
                }
            }
            _ => unknown,
        }
    }

    /// A value that the text says.
    pub(super) fn constant(&self, value: ValueId) -> Option<i128> {
        let op = self.op(self.resolved(value)).filter(|op| op.op.name == "constant")?;
        op.attributes.array("value")?.item()?.as_int()
    }

    /// A scalar as a sum of multiples of program ids, which fits 32 bits in every program: then it does not matter what wraps on the
    /// way.
    fn form(&self, value: ValueId, depth: usize) -> Option<IndexForm> {
        let value = self.resolved(value);
        let is_plain = |value: ValueId| {
            let ty = self.function.ty(value);
            ty.shape().rank() == 0 && matches!(ty.dtype(), DType::I32 | DType::I64)
        };
        let op = self.op(value).filter(|_| depth < DEEPEST && is_plain(value))?;
        let axis = || usize::try_from(op.attributes.int("axis")?).ok().filter(|&axis| axis < self.grid.len());
        let mut coefficients = vec![0; self.grid.len()];
        let form = match op.op.kind {
            OpKind::Program(ProgramOp::ProgramId) => {
                coefficients[axis()?] = 1;
                IndexForm::Affine { constant: 0, coefficients }
            }
            OpKind::Program(ProgramOp::NumPrograms) => {
                IndexForm::Affine { constant: i64::try_from(self.grid[axis()?]).ok()?, coefficients }
            }
            OpKind::Pure { .. } => {
                let operands: Option<Vec<IndexForm>> =
                    op.operands.iter().map(|&operand| self.form(operand, depth + 1)).collect();
                block_map::combine(op.op.name, &op.attributes, &operands?, self.grid.len())
            }
            _ => return None,
        };
        let (low, high) = form.starts(self.grid, BlockDim::Squeezed)?;
        (i32::try_from(low).is_ok() && i32::try_from(high).is_ok()).then_some(form)
    }

    /// A comparison of two sums. Where it is no matter of being first along one axis, `leaf` is the rest of it.
    fn compared(&self, name: &str, one: &IndexForm, two: &IndexForm, leaf: Leaf) -> Condition {
        let (IndexForm::Affine { constant: a, coefficients: x }, IndexForm::Affine { constant: b, coefficients: y }) =
            (one, two)
        else {
            return Condition::Leaf(leaf);
        };
        let meets = |difference: i64| match name {
            "eq" => difference == 0,
            "ne" => difference != 0,
            "lt" => difference < 0,
            "le" => difference <= 0,
            "gt" => difference > 0,
            _ => difference >= 0,
        };
        let factors: Vec<(usize, i64)> = (0..self.grid.len())
            .map(|axis| (axis, x[axis] - y[axis]))
            .filter(|&(axis, factor)| factor != 0 && self.grid[axis] > 1)
            .collect();
        let first = meets(a - b);
        let (axis, factor) = match factors.as_slice() {
            [] => return Condition::Always(first),
            [one] => *one,
            _ => return Condition::Leaf(leaf),
        };
        let last = self.grid[axis] as i64 - 1;
        let (near, far) = (a - b + factor, a - b + factor * last);
        // Whether it is the same for all programs but the first: differences go one way.
        let meeting = -(a - b) / factor;
        let hits = (a - b) % factor == 0 && (1..=last).contains(&meeting);
        let is_same = match name {
            "eq" | "ne" => !hits || last == 1,
            _ => meets(near) == meets(far),
        };
        let is_first = Condition::Leaf(Leaf::First(axis));
        match (first, is_same.then(|| meets(near))) {
            (first, Some(others)) if first == others => Condition::Always(first),
            (true, Some(_)) => is_first,
            (false, Some(_)) => is_first.not(),
            (true, None) => Condition::Any(vec![is_first, Condition::Leaf(leaf)]),
            (false, None) => Condition::All(vec![is_first.not(), Condition::Leaf(leaf)]),
        }
    }
}

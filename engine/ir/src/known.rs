//! What is known of a value: all of it, or bounds of its elements. One op at a time; where bounds hooks say nothing, the
//! range of the dtype is what is known. And what is known of the scalars that a launch fetches.

use crate::function::{Function, OpData};
use crate::interval::Interval;
use crate::op::{EvalContext, OpKind};
use crate::ops::array_bounds;
use crate::types::Type;
use pallas_tensor::{Array, DType, Scalar};
use smallvec::SmallVec;

/// Tiles with more elements than this are known by their bounds only.
const LARGEST_EXACT: usize = 1 << 12;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// The value.
    Exact(Array),
    /// Every element lies within; of no meaning for floats.
    Bounds(Interval),
}

/// What is known of operands before the grid of a launch runs, one entry for each of
/// [`Launch::with_known_elements`](crate::Launch::with_known_elements), in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scalars(pub Vec<Option<Known>>);

impl Scalars {
    /// Whether something is known of one of them.
    pub fn is_known(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }
}

impl Known {
    /// Nothing but the dtype.
    pub fn anything(dtype: DType) -> Known {
        Known::Bounds(range(dtype))
    }

    /// A scalar integer.
    pub fn integer(dtype: DType, value: i64) -> Known {
        Known::Exact(Array::scalar(dtype, Scalar::Int(value.into())))
    }

    /// A scalar integer between two ends.
    pub fn between(dtype: DType, (low, high): (i64, i64)) -> Known {
        match low == high {
            true => Known::integer(dtype, low),
            false => Known::Bounds(fit(Interval::range(low, high), dtype)),
        }
    }

    /// Bounds of the elements.
    pub fn interval(&self) -> Interval {
        match self {
            Known::Exact(array) => array_bounds(array),
            Known::Bounds(interval) => *interval,
        }
    }

    /// Either of two.
    pub fn or(&self, other: &Known) -> Known {
        let (left, right) = (self.interval(), other.interval());
        Known::Bounds(if left.is_bounded() && right.is_bounded() { left.union(right) } else { Interval::ANY })
    }
}

/// Every integer of a dtype.
fn range(dtype: DType) -> Interval {
    if dtype == DType::Bool {
        return Interval::range(0, 1);
    }
    if !dtype.is_integer() {
        return Interval::ANY;
    }
    match (dtype.bits(), dtype.is_signed()) {
        (64.., _) => Interval::ANY,
        (bits, true) => Interval::range(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (bits, false) => Interval::range(0, (1 << bits) - 1),
    }
}

/// Hooks compute without a width: what leaves the dtype's range has wrapped around, so nothing is known of it.
fn fit(interval: Interval, dtype: DType) -> Interval {
    let all = range(dtype);
    match interval.lower < all.lower || interval.upper > all.upper {
        true => all,
        false => interval,
    }
}

/// The first result of an op from what is known of its operands.
pub fn apply(function: &Function, op: &OpData, operands: &[&Known]) -> Option<Known> {
    let OpKind::Pure { eval, interval } = &op.op.kind else {
        return None;
    };
    let types: SmallVec<[Type; 1]> = op.results.iter().map(|&value| function.ty(value).clone()).collect();
    let dtype = types.first()?.dtype();
    if types.iter().all(|ty| ty.shape().size() <= LARGEST_EXACT) {
        let arrays: Option<SmallVec<[Array; 4]>> = operands
            .iter()
            .map(|known| match known {
                Known::Exact(array) => Some(array.clone()),
                Known::Bounds(_) => None,
            })
            .collect();
        if let Some(arrays) = arrays {
            let context = EvalContext { attributes: &op.attributes, results: &types };
            if let Ok(results) = eval(&context, arrays) {
                return results.into_iter().next().map(Known::Exact);
            }
        }
    }
    let bounds: SmallVec<[Interval; 4]> = operands.iter().map(|known| known.interval()).collect();
    let result = logic(op.op.name, dtype, &bounds).or_else(|| interval.map(|hook| hook(&op.attributes, &bounds)));
    Some(Known::Bounds(match result {
        Some(result) if dtype.is_integer() || dtype == DType::Bool => fit(result, dtype),
        _ => range(dtype),
    }))
}

/// Comparisons, and logic on booleans: guards are made of them.
fn logic(name: &str, dtype: DType, operands: &[Interval]) -> Option<Interval> {
    if dtype != DType::Bool {
        return None;
    }
    let decided = match (name, operands) {
        ("not", [x]) => x.value().map(|value| value == 0),
        ("or", [x, y]) => match (x.value(), y.value()) {
            (Some(1), _) | (_, Some(1)) => Some(true),
            (Some(0), Some(0)) => Some(false),
            _ => None,
        },
        ("and", [x, y]) => match (x.value(), y.value()) {
            (Some(0), _) | (_, Some(0)) => Some(false),
            (Some(1), Some(1)) => Some(true),
            _ => None,
        },
        // Ends that are not known may stand for more than they say: 64-bit unsigned values, floats.
        (_, [x, y]) if x.is_bounded() && y.is_bounded() => match name {
            "lt" => order(x.upper < y.lower, x.lower >= y.upper),
            "le" => order(x.upper <= y.lower, x.lower > y.upper),
            "gt" => order(x.lower > y.upper, x.upper <= y.lower),
            "ge" => order(x.lower >= y.upper, x.upper < y.lower),
            "eq" => order(same(x, y), apart(x, y)),
            "ne" => order(apart(x, y), same(x, y)),
            _ => return None,
        },
        _ => return None,
    };
    Some(decided.map_or(Interval::range(0, 1), |value| Interval::exactly(value.into())))
}

fn order(holds: bool, fails: bool) -> Option<bool> {
    match (holds, fails) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn same(x: &Interval, y: &Interval) -> bool {
    x.value().is_some() && x.value() == y.value()
}

fn apart(x: &Interval, y: &Interval) -> bool {
    x.upper < y.lower || y.upper < x.lower
}

//! Integers that wrap around on the way to where they choose elements: positions in Refs, block indices, masks. Computed
//! without a width from program ids, loop counters and constants; what depends on data is not looked at. Arithmetic that is
//! meant to wrap around (hashes, random numbers) goes through remainders, shifts and logic, which are not followed.

use crate::evaluate::{Slice, Slot};
use crate::guards::{self, Guards};
use crate::search::{Outcome, Verdict, search};
use crate::walk::{Enclosing, Source, Sources, walk};
use pallas_ir::op::MemoryOp;
use pallas_ir::{Certainty, Function, Known, Launch, Location, OpId, OpKind, ValueId};
use pallas_tensor::{Array, DType, Scalar};
use std::collections::HashSet;

/// What the integers choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A position in a Ref.
    Position,
    /// A block.
    Block,
    /// The elements of a mask, or a branch.
    Comparison,
}

/// An operation whose result does not fit.
pub(crate) struct Overflow {
    pub(crate) location: Location,
    pub(crate) certainty: Certainty,
    pub(crate) used: Use,
    /// The op, and the type of its result.
    pub(crate) name: &'static str,
    pub(crate) dtype: DType,
    /// Program ids, then loop counters.
    pub(crate) point: Vec<i64>,
    /// What does not fit.
    pub(crate) value: i128,
}

/// Boxes that are looked at for one use, and for all of a launch.
const BUDGET: usize = 512;
const TOTAL: usize = 1 << 14;
/// Operations before one use.
const LONGEST: usize = 64;

/// The operations that overflow, each place once.
pub(crate) fn overflows(launch: &Launch) -> Vec<Overflow> {
    let mut found = Vec::new();
    if launch.programs() == 0 {
        return found;
    }
    let mut left = TOTAL;
    let sources = Sources::new(&launch.kernel);
    walk(&launch.kernel, |id, path| {
        let op = launch.kernel.op(id);
        let (used, values): (Use, &[ValueId]) = match op.op.kind {
            OpKind::Memory(memory) => {
                let before = 1 + usize::from(!matches!(memory, MemoryOp::Load | MemoryOp::View));
                let count = op.attributes.index().map_or(0, |pattern| pattern.operand_count());
                (Use::Position, op.operands.get(before..before + count).unwrap_or_default())
            }
            OpKind::Pure { .. } if matches!(op.op.name, "lt" | "le" | "gt" | "ge") => {
                (Use::Comparison, &op.operands[..])
            }
            _ => return,
        };
        look(launch, &launch.kernel, &sources, path, (used, values), &mut left, &mut found);
    });
    for map in launch.operands.iter().filter_map(|operand| operand.index_map.as_ref()) {
        let sources = Sources::new(map);
        let yields = map.region(map.body).yields.clone();
        look(launch, map, &sources, &[], (Use::Block, &yields), &mut left, &mut found);
    }
    found
}

/// An op whose result may not fit, and what it takes.
struct Candidate {
    id: OpId,
    operands: Vec<Slot>,
}

fn look(
    launch: &Launch,
    function: &Function,
    sources: &Sources,
    path: &[Enclosing],
    (used, values): (Use, &[ValueId]),
    left: &mut usize,
    found: &mut Vec<Overflow>,
) {
    let cone = cone(function, sources, values);
    if cone.is_empty() || *left == 0 {
        return;
    }
    let mut slice = match std::ptr::eq(function, &raw const launch.kernel) {
        true => Slice::of_kernel(function, sources, launch),
        false => Slice::of_map(function, sources, launch),
    };
    guards::count(function, path, &mut slice);
    let candidates: Vec<Candidate> = cone
        .iter()
        .map(|&id| Candidate { id, operands: function.op(id).operands.iter().map(|&x| slice.add(x)).collect() })
        .collect();
    let Some(guards) = Guards::of(function, path, &mut slice) else { return };
    let judge = |bounds: &[(i64, i64)]| -> (Verdict, Option<(OpId, i128)>) {
        let known = slice.evaluate(bounds);
        let reached = guards.reached(bounds, &known);
        if reached == Verdict::No {
            return (Verdict::No, None);
        }
        let is_point = bounds.iter().all(|(low, high)| low == high);
        let mut all = Verdict::No;
        for candidate in &candidates {
            match leaves(function, sources, candidate, &known, is_point) {
                (Verdict::Yes, value) => return (reached, Some((candidate.id, value))),
                (Verdict::Maybe, _) => all = Verdict::Maybe,
                (Verdict::No, _) => {}
            }
        }
        (all, None)
    };
    let budget = if slice.depends_on_data() { 16 } else { BUDGET }.min(*left);
    let mut probes = 0;
    let outcome = search(guards.executions(launch, &slice), budget, |bounds| {
        probes += 1;
        judge(bounds).0
    });
    *left -= probes.min(*left);
    let Outcome::Found { point, everywhere } = outcome else { return };
    let exactly: Vec<(i64, i64)> = point.iter().map(|&value| (value, value)).collect();
    let Some((id, value)) = judge(&exactly).1 else { return };
    let location = function.location(id).clone();
    if found.iter().any(|known| known.location == location) {
        return;
    }
    let op = function.op(id);
    let dtype = op.results.first().map_or(DType::I32, |&result| function.ty(result).dtype());
    let certainty = if everywhere { Certainty::Proved } else { Certainty::Found };
    found.push(Overflow { location, certainty, used, name: op.op.name, dtype, point, value });
}

/// The ops before a use that may overflow: through what keeps a number, or adds and multiplies it.
fn cone(function: &Function, sources: &Sources, values: &[ValueId]) -> Vec<OpId> {
    let mut cone = Vec::new();
    let mut seen: HashSet<OpId> = HashSet::new();
    let mut todo: Vec<ValueId> = values.to_vec();
    while let Some(value) = todo.pop() {
        let Source::Result(id, 0) = sources.of(value) else { continue };
        let op = function.op(id);
        let dtype = function.ty(value).dtype();
        if !matches!(op.op.kind, OpKind::Pure { .. }) || !dtype.is_integer() || !seen.insert(id) || seen.len() > LONGEST
        {
            continue;
        }
        match op.op.name {
            "add" | "sub" | "mul" | "neg" | "shift_left" => {
                // What wraps around without a sign is often meant to.
                if !dtype.is_signed() {
                    continue;
                }
                cone.push(id);
                todo.extend(op.operands.iter().take(if op.op.name == "shift_left" { 1 } else { 2 }));
            }
            "iota" => cone.push(id),
            "convert_element_type" => {
                cone.push(id);
                todo.extend(&op.operands);
            }
            "broadcast_in_dim" | "reshape" | "squeeze" | "transpose" | "max" | "min" | "clamp" => {
                todo.extend(&op.operands);
            }
            "select_n" => todo.extend(op.operands.iter().skip(1)),
            _ => {}
        }
    }
    // What comes first is said.
    cone.sort_unstable();
    cone.retain(|&id| function.op(id).results.first().is_some_and(|&result| function.ty(result).dtype().bits() <= 32));
    cone
}

/// The smallest and the largest number of a dtype.
fn range(dtype: DType) -> (i128, i128) {
    let bits = dtype.bits();
    match dtype.is_signed() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}

/// Whether an op's result does not fit, and a number that does not.
fn leaves(
    function: &Function,
    sources: &Sources,
    candidate: &Candidate,
    known: &[Known],
    is_point: bool,
) -> (Verdict, i128) {
    let op = function.op(candidate.id);
    let Some(&result) = op.results.first() else { return (Verdict::No, 0) };
    let (least, most) = range(function.ty(result).dtype());
    let is_outside = |value: i128| value < least || value > most;
    let operands: Vec<&Known> = candidate.operands.iter().map(|slot| slot.of(known)).collect();
    if let Some(values) = exactly(op.op.name, &operands) {
        return match values.into_iter().find(|&value| is_outside(value)) {
            Some(value) => (Verdict::Yes, value),
            None => (Verdict::No, 0),
        };
    }
    let ends: Vec<(i128, i128)> = match op.op.name {
        "iota" => {
            let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok());
            let length = axis.and_then(|axis| op.attributes.ints("shape")?.get(axis).copied()).unwrap_or(0);
            vec![(0, i128::from(length) - 1)]
        }
        _ => {
            let bounds = operands.iter().map(|known| known.interval());
            // What is not known may be anything: that it does not fit is not known either.
            if bounds.clone().any(|bounds| !bounds.is_bounded()) {
                return (Verdict::Maybe, 0);
            }
            bounds.map(|bounds| (bounds.lower.into(), bounds.upper.into())).collect()
        }
    };
    let Some((low, high)) = spread(op.op.name, &ends) else { return (Verdict::Maybe, 0) };
    let loose = op.operands.iter().zip(&operands).filter(|(_, known)| known.interval().value().is_none());
    let loose: Vec<ValueId> = loose.map(|(&operand, _)| operand).collect();
    let are_reached = match loose[..] {
        [] => true,
        [only] => is_point && reaches_its_ends(function, sources, only),
        _ => false,
    };
    match (is_outside(low), is_outside(high)) {
        (false, false) => (Verdict::No, 0),
        (true, true) if (low < least) == (high < least) => (Verdict::Yes, if low < least { high } else { low }),
        (_, true) if are_reached => (Verdict::Yes, high),
        (true, _) if are_reached => (Verdict::Yes, low),
        _ => (Verdict::Maybe, 0),
    }
}

/// The elements of a result, computed without a width, where all operands are known.
fn exactly(name: &str, operands: &[&Known]) -> Option<Vec<i128>> {
    let arrays: Option<Vec<&Array>> = operands
        .iter()
        .map(|known| match known {
            Known::Exact(array) => Some(array),
            Known::Bounds(_) => None,
        })
        .collect();
    let arrays = arrays.filter(|arrays| !arrays.is_empty())?;
    let elements = |array: &Array| array.iter_scalars().map(Scalar::as_int).collect::<Option<Vec<i128>>>();
    let first = elements(arrays[0])?;
    match (name, arrays.get(1)) {
        ("neg", None) => Some(first.into_iter().map(|x| -x).collect()),
        ("convert_element_type", None) => Some(first),
        (_, Some(second)) => {
            let second = elements(second)?;
            let pairs = first.into_iter().zip(second);
            match name {
                "add" => Some(pairs.map(|(x, y)| x + y).collect()),
                "sub" => Some(pairs.map(|(x, y)| x - y).collect()),
                "mul" => pairs.map(|(x, y)| x.checked_mul(y)).collect(),
                "shift_left" => pairs.map(|(x, y)| (0..63).contains(&y).then(|| x << y)).collect(),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The ends of a result from those of its operands.
fn spread(name: &str, ends: &[(i128, i128)]) -> Option<(i128, i128)> {
    let over = |values: [i128; 4]| (values.into_iter().min(), values.into_iter().max());
    let (low, high) = match (name, ends) {
        ("iota" | "convert_element_type", &[x]) => (Some(x.0), Some(x.1)),
        ("neg", &[x]) => (Some(-x.1), Some(-x.0)),
        ("add", &[x, y]) => (Some(x.0 + y.0), Some(x.1 + y.1)),
        ("sub", &[x, y]) => (Some(x.0 - y.1), Some(x.1 - y.0)),
        ("mul", &[x, y]) => over([x.0 * y.0, x.0 * y.1, x.1 * y.0, x.1 * y.1]),
        ("shift_left", &[x, (by, also)]) if by == also && (0..63).contains(&by) => (Some(x.0 << by), Some(x.1 << by)),
        _ => (None, None),
    };
    low.zip(high)
}

/// Whether the bounds of a value are numbers that it has: numbers along a dimension, moved and scaled.
fn reaches_its_ends(function: &Function, sources: &Sources, value: ValueId) -> bool {
    let mut value = value;
    for _ in 0..LONGEST {
        let Source::Result(id, 0) = sources.of(value) else { return false };
        let op = function.op(id);
        match op.op.name {
            "iota" => return true,
            "broadcast_in_dim" | "reshape" | "squeeze" | "transpose" | "convert_element_type" | "neg" => {}
            _ => return false,
        }
        let Some(&operand) = op.operands.first() else { return false };
        value = operand;
    }
    false
}

//! Products of matrices: which way one is computed. Two plain matrices go through tensor cores where those take their dtypes, by
//! warpgroups ([`warpgroups`](super::warpgroups)) where they fit, else by warps ([`mma`](super::mma)); others through sums of a tile for each thread ([`fma`](super::fma)); everything else, batches and several
//! contracting axes, one term after the other ([`terms`](super::terms)). Narrow floats are summed in `f32`, integers in the
//! result's dtype.

use super::anchors::Deal;
use super::context::Lower;
use super::{fma, mma, warpgroups};
use crate::Refusal;
use crate::layout::Layout;
use pallas_ir::{Function, OpData, ValueId};
use pallas_tensor::DType;

/// A product of two matrices, without batches.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) left: ValueId,
    pub(crate) right: ValueId,
    /// Rows, columns, terms.
    pub(crate) extents: [usize; 3],
    /// Whether the terms are the last axis of the left factor, and of the right one.
    pub(crate) terms_last: [bool; 2],
    /// Of the factors.
    pub(crate) dtypes: [DType; 2],
    pub(crate) result: DType,
    /// What was asked for: `default`, `highest`, a preset's name.
    pub(crate) precision: Option<String>,
}

impl Plain {
    pub(crate) fn of(function: &Function, op: &OpData) -> Option<Plain> {
        if op.op.name != "dot_general" {
            return None;
        }
        let lists = |name: &str, side: usize| op.attributes.int_lists(name).and_then(|lists| lists.get(side).cloned());
        if (0..2).any(|side| lists("batch", side).is_none_or(|list| !list.is_empty())) {
            return None;
        }
        let sides = [op.operands[0], op.operands[1]].map(|value| turned(function, value));
        let [(left, _), (right, _)] = sides;
        let mut free = [0; 2];
        let mut terms = [0; 2];
        let mut terms_last = [false; 2];
        for (side, (value, is_turned)) in sides.into_iter().enumerate() {
            let shape = function.ty(value).shape();
            let (&[rows, columns], contracting) = (&shape[..], lists("contracting", side)?) else { return None };
            let &[axis] = contracting.as_slice() else { return None };
            let axis = if is_turned { 1 - axis } else { axis };
            terms_last[side] = axis == 1;
            (free[side], terms[side]) = if axis == 1 { (rows, columns) } else { (columns, rows) };
        }
        let result = function.ty(op.results[0]).dtype();
        Some(Plain {
            left,
            right,
            extents: [free[0], free[1], terms[0]],
            terms_last,
            dtypes: [function.ty(left).dtype(), function.ty(right).dtype()],
            result,
            precision: op.attributes.str("precision").map(str::to_string),
        })
    }

    /// What the sums are kept in.
    pub(crate) fn sums(&self) -> DType {
        sums_of(self.result)
    }
}

/// The matrix that a value is, or is the transposed one of.
fn turned(function: &Function, value: ValueId) -> (ValueId, bool) {
    let made = function.ops.iter().find(|op| op.results.contains(&value));
    match made {
        Some(op)
            if op.op.name == "transpose" && op.attributes.ints("permutation").is_some_and(|axes| axes == [1, 0]) =>
        {
            (op.operands[0], true)
        }
        _ => (value, false),
    }
}

/// Whether a transposed matrix is only multiplied, so that nobody has to transpose it.
pub(crate) fn is_only_multiplied(function: &Function, value: ValueId) -> bool {
    let yielded = function.regions.iter().any(|region| region.yields.contains(&value));
    let mut users = function.ops.iter().filter(|op| op.operands.contains(&value)).peekable();
    let multiplies = |op: &OpData| Plain::of(function, op).is_some_and(|plain| mma::fits(&plain) || fma::fits(&plain));
    turned(function, value).1 && !yielded && users.peek().is_some() && users.all(multiplies)
}

/// What a product of a dtype is summed up in.
pub(crate) fn sums_of(result: DType) -> DType {
    if result.is_float() && result.bits() < 32 { DType::F32 } else { result }
}

/// How the sums of a product are dealt; `None` if that does not matter.
pub(crate) fn sums(function: &Function, op: &OpData, deal: Deal) -> Option<Layout> {
    let plain = Plain::of(function, op)?;
    if let Ok(groups) = warpgroups::fits(&plain, deal) {
        return Some(warpgroups::sums(&plain, groups));
    }
    match mma::unit(&plain, deal) {
        Some(_) => Some(mma::sums(&plain, deal)),
        None => fma::fits(&plain).then(|| fma::sums(&plain, deal)),
    }
}

impl Lower<'_> {
    pub(crate) fn lower_dot(&mut self, op: &OpData) -> Result<(), Refusal> {
        let Some(plain) = Plain::of(self.function, op) else { return self.lower_terms(op) };
        let why = match warpgroups::fits(&plain, self.deal) {
            Ok(groups) => return self.lower_by_warpgroups(op, &plain, groups),
            Err(why) => why,
        };
        if let Some(unit) = mma::unit(&plain, self.deal) {
            if !why.is_empty() {
                let [m, n, k] = plain.extents;
                let what = format!("a product of {m} x {n}, of {k} terms");
                self.b.note(format!("{what}, goes by warps (mma.sync), not by warpgroups (wgmma): {why}"));
            }
            return self.lower_mma(op, &plain, unit);
        }
        match fma::fits(&plain) {
            true => self.lower_fma(op, &plain),
            false => self.lower_terms(op),
        }
    }
}

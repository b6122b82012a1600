//! Which block a program gets: index maps answered by formula where they are affine in the program ids, evaluated
//! otherwise. Maps that read prefetched scalars or branch are not answered here: they depend on data.

mod formula;
mod visits;

pub use formula::axis_name;
pub use visits::Visits;

use crate::function::{Function, ValueId};
use crate::launch::{BlockDim, Operand, Role};
use crate::op::{EvalContext, OpKind, ProgramOp};
use crate::types::Type;
use pallas_tensor::{Array, DType, Scalar};
use std::collections::HashMap;

/// The block indices of one operand as a function of the program ids.
#[derive(Clone, Debug)]
pub struct BlockMap<'a> {
    operand: &'a Operand,
    /// One per dimension of the array.
    pub dims: Vec<IndexForm>,
}

/// How one block index depends on the program ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexForm {
    /// `constant + sum(coefficients[axis] * program_id(axis))`
    Affine {
        /// The constant part.
        constant: i64,
        /// One per grid axis.
        coefficients: Vec<i64>,
    },
    /// Another function of the program ids, evaluated program by program.
    General,
    /// Depends on data, or cannot be evaluated here.
    Unknown,
}

impl IndexForm {
    /// First and last start, in elements, of the blocks of a dimension that is cut like this, over a grid; `None` where it is not
    /// affine, or not within an `i64`.
    pub fn starts(&self, grid: &[usize], dim: BlockDim) -> Option<(i64, i64)> {
        let IndexForm::Affine { constant, coefficients } = self else { return None };
        let (mut low, mut high) = (*constant, *constant);
        for (&factor, &extent) in coefficients.iter().zip(grid) {
            let far = factor.checked_mul(extent.saturating_sub(1) as i64)?;
            low = low.checked_add(far.min(0))?;
            high = high.checked_add(far.max(0))?;
        }
        let scale = match dim {
            BlockDim::Blocked(size) => size as i64,
            _ => 1,
        };
        Some((low.checked_mul(scale)?, high.checked_mul(scale)?))
    }
}

impl<'a> BlockMap<'a> {
    /// The block map of an operand under a grid of `axes` axes.
    pub fn new(operand: &'a Operand, axes: usize) -> Self {
        let zero = || IndexForm::Affine { constant: 0, coefficients: vec![0; axes] };
        let dims = match (&operand.index_map, operand.role) {
            (None, _) | (_, Role::Prefetch) => operand.block.iter().map(|_| zero()).collect(),
            (Some(map), _) => forms(map, axes, operand.block.len()),
        };
        BlockMap { operand, dims }
    }

    /// Whether every index is known for every program.
    pub fn is_known(&self) -> bool {
        !self.dims.contains(&IndexForm::Unknown)
    }

    /// Whether every index is affine.
    pub fn is_affine(&self) -> bool {
        self.dims.iter().all(|d| matches!(d, IndexForm::Affine { .. }))
    }

    /// The block indices of a program; `None` where they depend on data.
    pub fn indices(&self, program: &[usize]) -> Option<Vec<i64>> {
        if self.is_affine() {
            return self.dims.iter().map(|d| affine(d, program)).collect();
        }
        if !self.is_known() {
            return None;
        }
        evaluate(self.operand.index_map.as_ref()?, program)
    }

    /// First element of the program's block in each dimension, in coordinates of the array; outside of it where the block
    /// is.
    pub fn starts(&self, program: &[usize]) -> Option<Vec<i64>> {
        let indices = self.indices(program)?;
        Some(indices.iter().zip(&self.operand.block).map(|(&i, dim)| dim.start(i)).collect())
    }

    /// Whether the block index depends on a grid axis; `None` where that is not known.
    pub fn depends_on(&self, axis: usize) -> Option<bool> {
        let mut depends = false;
        for form in &self.dims {
            match form {
                IndexForm::Affine { coefficients, .. } => depends |= coefficients.get(axis).is_some_and(|&c| c != 0),
                IndexForm::General | IndexForm::Unknown => return None,
            }
        }
        Some(depends)
    }

    /// The part of the array that a program's block covers, per dimension, clipped to the array; `None` for a block that
    /// lies wholly outside, or that depends on data.
    pub fn region(&self, program: &[usize]) -> Option<Vec<std::ops::Range<usize>>> {
        let starts = self.starts(program)?;
        starts
            .iter()
            .zip(&self.operand.block)
            .zip(self.operand.array.shape.iter())
            .map(|((&start, dim), &extent)| {
                let end = start.saturating_add(dim.size() as i64).clamp(0, extent as i64) as usize;
                let begin = start.clamp(0, extent as i64) as usize;
                (begin < end || extent == 0).then_some(begin..end)
            })
            .collect()
    }
}

impl BlockDim {
    /// How many blocks cover an array dimension of this extent (for element-indexed dimensions: how many starts).
    pub fn blocks(self, extent: usize) -> usize {
        match self {
            BlockDim::Blocked(size) => extent.div_ceil(size.max(1)),
            BlockDim::Squeezed => extent,
            BlockDim::Element { size, low, high } => (extent + low + high + 1).saturating_sub(size),
        }
    }
}

fn affine(form: &IndexForm, program: &[usize]) -> Option<i64> {
    let IndexForm::Affine { constant, coefficients } = form else {
        return None;
    };
    Some(
        coefficients
            .iter()
            .zip(program)
            .fold(*constant, |sum, (&c, &p)| sum.saturating_add(c.saturating_mul(p as i64))),
    )
}

/// The forms of what a map yields.
fn forms(map: &Function, axes: usize, dims: usize) -> Vec<IndexForm> {
    let mut known: HashMap<ValueId, IndexForm> = HashMap::new();
    for (axis, &param) in map.params().iter().enumerate() {
        let form = match map.ty(param) {
            Type::Tensor(_) if axis < axes => {
                let mut coefficients = vec![0; axes];
                coefficients[axis] = 1;
                IndexForm::Affine { constant: 0, coefficients }
            }
            _ => IndexForm::Unknown,
        };
        known.insert(param, form);
    }
    let body = map.region(map.body);
    for &id in &body.ops {
        let op = map.op(id);
        let operands: Vec<IndexForm> =
            op.operands.iter().map(|v| known.get(v).cloned().unwrap_or(IndexForm::Unknown)).collect();
        let form = if matches!(op.op.kind, OpKind::Pure { .. }) && !operands.contains(&IndexForm::Unknown) {
            combine(op.op.name, &op.attributes, &operands, axes)
        } else {
            IndexForm::Unknown
        };
        for &result in &op.results {
            known.insert(result, form.clone());
        }
    }
    let mut forms: Vec<IndexForm> =
        body.yields.iter().map(|v| known.get(v).cloned().unwrap_or(IndexForm::Unknown)).collect();
    forms.resize(dims, IndexForm::Unknown);
    forms
}

/// The form of a pure op's result.
pub(crate) fn combine(name: &str, attributes: &crate::Attributes, operands: &[IndexForm], axes: usize) -> IndexForm {
    use IndexForm::{Affine, General};
    let constant_of = |form: &IndexForm| match form {
        Affine { constant, coefficients } if coefficients.iter().all(|&c| c == 0) => Some(*constant),
        _ => None,
    };
    let zip = |a: &[i64], b: &[i64], f: fn(i64, i64) -> Option<i64>| -> Option<Vec<i64>> {
        a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
    };
    let result = match (name, operands) {
        ("constant", []) => attributes
            .array("value")
            .and_then(|a| a.item())
            .and_then(|s| s.as_int())
            .and_then(|v| i64::try_from(v).ok())
            .map(|constant| Affine { constant, coefficients: vec![0; axes] }),
        ("convert_element_type", [x])
            if attributes.dtype("dtype").is_some_and(|d| d.bits() >= 32 && d.is_integer()) =>
        {
            Some(x.clone())
        }
        ("neg", [Affine { constant, coefficients }]) => constant
            .checked_neg()
            .map(|constant| Affine { constant, coefficients: coefficients.iter().map(|c| -c).collect() }),
        ("add", [Affine { constant: a, coefficients: x }, Affine { constant: b, coefficients: y }]) => {
            match (a.checked_add(*b), zip(x, y, i64::checked_add)) {
                (Some(constant), Some(coefficients)) => Some(Affine { constant, coefficients }),
                _ => None,
            }
        }
        ("sub", [Affine { constant: a, coefficients: x }, Affine { constant: b, coefficients: y }]) => {
            match (a.checked_sub(*b), zip(x, y, i64::checked_sub)) {
                (Some(constant), Some(coefficients)) => Some(Affine { constant, coefficients }),
                _ => None,
            }
        }
        ("mul", [a, b]) => {
            let (factor, form) = match (constant_of(a), constant_of(b)) {
                (Some(factor), _) => (Some(factor), b),
                (_, Some(factor)) => (Some(factor), a),
                _ => (None, a),
            };
            match (factor, form) {
                (Some(factor), Affine { constant, coefficients }) => {
                    let scaled: Option<Vec<i64>> = coefficients.iter().map(|c| c.checked_mul(factor)).collect();
                    match (constant.checked_mul(factor), scaled) {
                        (Some(constant), Some(coefficients)) => Some(Affine { constant, coefficients }),
                        _ => None,
                    }
                }
                _ => None,
            }
        }
        _ => None,
    };
    result.unwrap_or(General)
}

/// Evaluates a map that is pure for one program.
fn evaluate(map: &Function, program: &[usize]) -> Option<Vec<i64>> {
    let mut values: HashMap<ValueId, Array> = HashMap::new();
    for (&param, &id) in map.params().iter().zip(program) {
        values.insert(param, Array::scalar(DType::I32, Scalar::Int(id as i128)));
    }
    let body = map.region(map.body);
    for &id in &body.ops {
        let op = map.op(id);
        match &op.op.kind {
            OpKind::Pure { eval, .. } => {
                let operands = op.operands.iter().map(|v| values.get(v).cloned()).collect::<Option<_>>()?;
                let types: Vec<Type> = op.results.iter().map(|&v| map.ty(v).clone()).collect();
                let context = EvalContext { attributes: &op.attributes, results: &types };
                let results = eval(&context, operands).ok()?;
                values.extend(op.results.iter().copied().zip(results));
            }
            OpKind::Program(ProgramOp::ProgramId) => {
                let axis = usize::try_from(op.attributes.int("axis")?).ok()?;
                let id = *program.get(axis)?;
                values.insert(*op.results.first()?, Array::scalar(DType::I32, Scalar::Int(id as i128)));
            }
            _ => return None,
        }
    }
    body.yields.iter().map(|v| values.get(v)?.item()?.as_int().and_then(|i| i64::try_from(i).ok())).collect()
}

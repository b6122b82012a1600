//! Elementwise comparisons, to `bool`.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::deferred::put_off;
use crate::dtype::DType;
use crate::error::OpError;
use crate::lack::collected;
use crate::ops::convert::numbers;
use crate::ops::elementwise::Operand;
use crate::ops::fused::Code;
use crate::ops::number::Float;

/// A comparison of two arrays. Any comparison with NaN is false, but for [`CompareOp::Ne`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of lax and Python's operator module")]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CompareOp {
    /// Every comparison.
    pub fn all() -> impl Iterator<Item = CompareOp> {
        use CompareOp::*;
        [Eq, Ne, Lt, Le, Gt, Ge].into_iter()
    }

    /// The name in jaxprs: `eq`, `lt`.
    pub fn name(self) -> &'static str {
        match self {
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        }
    }

    /// Whether it holds for two numbers.
    pub fn holds<T: PartialOrd>(self, x: T, y: T) -> bool {
        match self {
            CompareOp::Eq => x == y,
            CompareOp::Ne => x != y,
            CompareOp::Lt => x < y,
            CompareOp::Le => x <= y,
            CompareOp::Gt => x > y,
            CompareOp::Ge => x >= y,
        }
    }

    /// The comparison with its operands exchanged.
    pub fn swapped(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
            CompareOp::Eq | CompareOp::Ne => self,
        }
    }
}

/// Compares element by element; shapes are equal or one operand has size 1.
///
/// # Errors
/// For dtypes that differ, keys under an ordering, and shapes that do not fit.
pub fn compare(op: CompareOp, left: &Array, right: &Array) -> Result<Array, OpError> {
    let (dtype, name) = (left.dtype(), op.name());
    if dtype != right.dtype() {
        return Err(OpError::DTypeMismatch { op: name, left: dtype, right: right.dtype() });
    }
    if dtype == DType::Key && !matches!(op, CompareOp::Eq | CompareOp::Ne) {
        return Err(OpError::DType { op: name, dtype });
    }
    if let Some(result) = put_off(&[left, right], Code::Compare(op), DType::Bool) {
        return Ok(result);
    }
    let (target, other, op) =
        if left.shape() == right.shape() || right.size() == 1 && (left.size() != 1 || left.rank() >= right.rank()) {
            (left, right, op)
        } else if left.size() == 1 {
            (right, left, op.swapped())
        } else {
            return Err(OpError::shapes(name, left.shape(), right.shape()));
        };
    let result = match (target.buffer(), other.buffer()) {
        (Buffer::Bool(x), Buffer::Bool(y)) => elements(op, x, y, |x| x),
        (Buffer::I8(x), Buffer::I8(y)) => elements(op, x, y, |x| x),
        (Buffer::I16(x), Buffer::I16(y)) => elements(op, x, y, |x| x),
        (Buffer::I32(x), Buffer::I32(y)) => elements(op, x, y, |x| x),
        (Buffer::I64(x), Buffer::I64(y)) => elements(op, x, y, |x| x),
        (Buffer::U8(x), Buffer::U8(y)) if !dtype.is_float() => elements(op, x, y, |x| x),
        (Buffer::U16(x), Buffer::U16(y)) => elements(op, x, y, |x| x),
        (Buffer::U32(x), Buffer::U32(y)) => elements(op, x, y, |x| x),
        (Buffer::U64(x), Buffer::U64(y)) => elements(op, x, y, |x| x),
        (Buffer::F32(x), Buffer::F32(y)) => elements(op, x, y, Float::flush),
        (Buffer::F64(x), Buffer::F64(y)) => elements(op, x, y, Float::flush),
        (Buffer::Key(x), Buffer::Key(y)) => elements(op, x, y, |x| x),
        // Decoding to `f32` is exact and keeps the order.
        _ => {
            let (x, y) = (numbers::<f32>(target)?, numbers::<f32>(other)?);
            elements(op, &x, &y, Float::flush)
        }
    };
    Ok(Array::from_parts(DType::Bool, target.shape().clone(), Buffer::Bool(result)))
}

/// `seen` is what the comparison makes of an element first: subnormal floats count as zero.
fn elements<T: PartialOrd + Copy>(op: CompareOp, x: &[T], y: &[T], seen: impl Fn(T) -> T) -> Vec<bool> {
    let y = Operand::new(y, x.len());
    match op {
        CompareOp::Eq => each(x, y, |x, y| seen(x) == seen(y)),
        CompareOp::Ne => each(x, y, |x, y| seen(x) != seen(y)),
        CompareOp::Lt => each(x, y, |x, y| seen(x) < seen(y)),
        CompareOp::Le => each(x, y, |x, y| seen(x) <= seen(y)),
        CompareOp::Gt => each(x, y, |x, y| seen(x) > seen(y)),
        CompareOp::Ge => each(x, y, |x, y| seen(x) >= seen(y)),
    }
}

#[inline(always)]
fn each<T: Copy>(x: &[T], y: Operand<'_, T>, f: impl Fn(T, T) -> bool) -> Vec<bool> {
    match y {
        Operand::Each(y) => collected(x.iter().zip(y).map(|(&x, &y)| f(x, y))),
        Operand::All(y) => collected(x.iter().map(|&x| f(x, y))),
    }
}

//! Ops that compute tiles from tiles.

use super::value::{self, Held, unsigned};
use super::{Fault, Machine, flag, int};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{Attribute, Operation};
use pallas_tensor::ops::{self, BinaryOp, CompareOp, UnaryOp};
use pallas_tensor::{Array, DType};

const UNARY: &[(Opcode, UnaryOp)] = &[
    (Opcode::AbsF, UnaryOp::Abs),
    (Opcode::AbsI, UnaryOp::Abs),
    (Opcode::Ceil, UnaryOp::Ceil),
    (Opcode::Floor, UnaryOp::Floor),
    (Opcode::Exp, UnaryOp::Exp),
    (Opcode::Exp2, UnaryOp::Exp2),
    (Opcode::Log, UnaryOp::Log),
    (Opcode::Sqrt, UnaryOp::Sqrt),
    (Opcode::Rsqrt, UnaryOp::Rsqrt),
    (Opcode::Sin, UnaryOp::Sin),
    (Opcode::Cos, UnaryOp::Cos),
    (Opcode::Tan, UnaryOp::Tan),
    (Opcode::SinH, UnaryOp::Sinh),
    (Opcode::CosH, UnaryOp::Cosh),
    (Opcode::TanH, UnaryOp::Tanh),
    (Opcode::NegF, UnaryOp::Neg),
];

const BINARY: &[(Opcode, BinaryOp)] = &[
    (Opcode::AddF, BinaryOp::Add),
    (Opcode::AddI, BinaryOp::Add),
    (Opcode::SubF, BinaryOp::Sub),
    (Opcode::SubI, BinaryOp::Sub),
    (Opcode::MulF, BinaryOp::Mul),
    (Opcode::MulI, BinaryOp::Mul),
    (Opcode::DivF, BinaryOp::Div),
    (Opcode::DivI, BinaryOp::Div),
    (Opcode::RemF, BinaryOp::Rem),
    (Opcode::RemI, BinaryOp::Rem),
    (Opcode::MaxF, BinaryOp::Max),
    (Opcode::MaxI, BinaryOp::Max),
    (Opcode::MinF, BinaryOp::Min),
    (Opcode::MinI, BinaryOp::Min),
    (Opcode::AndI, BinaryOp::And),
    (Opcode::OrI, BinaryOp::Or),
    (Opcode::XOrI, BinaryOp::Xor),
    (Opcode::Pow, BinaryOp::Pow),
    (Opcode::Atan2, BinaryOp::Atan2),
    (Opcode::ShLI, BinaryOp::ShiftLeft),
];

/// By the number of the predicate.
const COMPARE: [CompareOp; 6] =
    [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

/// An integer array as the op takes it.
fn signed(op: &Operation, array: &Array) -> Result<Array, Fault> {
    let has_sign = op.attributes.iter().any(|(name, _)| name == "signedness");
    match has_sign && int(op, "signedness") == 0 && unsigned(array.dtype()) != array.dtype() {
        true => Ok(ops::bitcast_convert(array, unsigned(array.dtype()))?),
        false => Ok(array.clone()),
    }
}

/// What an op gave, as its result's type has it: without a sign.
fn plain(array: Array, dtype: DType) -> Result<Array, Fault> {
    match unsigned(dtype) == array.dtype() && array.dtype() != dtype {
        true => Ok(ops::bitcast_convert(&array, dtype)?),
        false => Ok(array),
    }
}

/// Two arrays of one shape: in regions of reductions constants are scalars.
fn together(a: Array, b: Array) -> Result<(Array, Array), Fault> {
    Ok(match (a.rank(), b.rank()) {
        (0, rank) if rank > 0 => (ops::broadcast_in_dim(&a, b.shape().clone(), &[])?, b),
        (rank, 0) if rank > 0 => {
            let b = ops::broadcast_in_dim(&b, a.shape().clone(), &[])?;
            (a, b)
        }
        _ => (a, b),
    })
}

impl Machine<'_> {
    /// An op without effects.
    pub(super) fn pure(&mut self, op: &Operation) -> Result<Held, Fault> {
        let ty = op.result_types.first().ok_or_else(|| Fault::new("nothing here does that"))?;
        if op.opcode == Opcode::Constant {
            let found = op.attributes.iter().find(|(name, _)| name == "value");
            let Some((_, Attribute::DenseElements(elements))) = found else {
                return Err(Fault::new("a constant has no value"));
            };
            return Ok(Held::Tile(value::constant(elements)?));
        }
        let (dtype, shape) = value::tile(ty)?;
        if let Held::Pointers { memory, bytes, shape: from } = self.held(op, 0).unwrap_or(Held::Token(0, 0)) {
            return self.pointers(op, memory, bytes, from, dtype, shape);
        }
        if let Some((_, unary)) = UNARY.iter().find(|row| row.0 == op.opcode) {
            return Ok(Held::Tile(ops::unary(*unary, self.tile(op, 0)?)?));
        }
        if let Some((_, binary)) = BINARY.iter().find(|row| row.0 == op.opcode) {
            let (a, b) = together(self.tile(op, 0)?, self.tile(op, 1)?)?;
            if matches!(op.opcode, Opcode::MaxF | Opcode::MinF) && !flag(op, "propagate_nan") {
                return Err(Fault::new("an extreme loses NaN"));
            }
            let result = ops::binary(*binary, signed(op, &a)?, signed(op, &b)?)?;
            return Ok(Held::Tile(plain(result, dtype)?));
        }
        let array = match op.opcode {
            Opcode::Iota => Array::iota(dtype, shape, 0)?,
            Opcode::Reshape => ops::reshape(&self.tile(op, 0)?, shape)?,
            Opcode::Broadcast => {
                let x = self.tile(op, 0)?;
                let dims: Vec<usize> = (0..shape.len()).collect();
                ops::broadcast_in_dim(&x, shape, &dims)?
            }
            Opcode::Permute => {
                let found = op.attributes.iter().find(|(name, _)| name == "permutation");
                let Some((_, Attribute::DenseI32Array(order))) = found else {
                    return Err(Fault::new("a permutation has no order"));
                };
                let order: Vec<usize> = order.iter().map(|&axis| axis as usize).collect();
                ops::transpose(&self.tile(op, 0)?, &order)?
            }
            Opcode::Cat => {
                let (a, b) = (self.tile(op, 0)?, self.tile(op, 1)?);
                ops::concatenate(&[&a, &b], int(op, "dim") as usize)?
            }
            Opcode::Extract => {
                let x = self.tile(op, 0)?;
                let mut start = Vec::new();
                for (dim, &extent) in shape.iter().enumerate() {
                    let at = self.number(op, dim + 1)? * extent as i64;
                    let at = usize::try_from(at).ok().filter(|at| at + extent <= x.shape()[dim]);
                    start.push(at.ok_or_else(|| Fault::new("a part lies outside of its tile"))?);
                }
                let limit: Vec<usize> = start.iter().zip(&shape).map(|(start, extent)| start + extent).collect();
                ops::slice(&x, &start, &limit, None)?
            }
            Opcode::Select => {
                let (which, yes, no) = (self.tile(op, 0)?, self.tile(op, 1)?, self.tile(op, 2)?);
                let (yes, no) = together(yes, no)?;
                let (which, yes) = together(which, yes)?;
                let (_, no) = together(which.clone(), no)?;
                ops::select(&which, &yes, &no)?
            }
            Opcode::CmpI | Opcode::CmpF => {
                let (a, b) = together(self.tile(op, 0)?, self.tile(op, 1)?)?;
                let compare = COMPARE[int(op, "comparison_predicate") as usize];
                if op.opcode == Opcode::CmpF && (compare == CompareOp::Ne) != (int(op, "comparison_ordering") == 0) {
                    return Err(Fault::new("a comparison takes NaN for a number"));
                }
                ops::compare(compare, &signed(op, &a)?, &signed(op, &b)?)?
            }
            Opcode::ShRI => {
                let (a, by) = together(self.tile(op, 0)?, self.tile(op, 1)?)?;
                let shift = if int(op, "signedness") == 0 {
                    BinaryOp::ShiftRightLogical
                } else {
                    BinaryOp::ShiftRightArithmetic
                };
                ops::binary(shift, a, by)?
            }
            Opcode::Bitcast => ops::bitcast_convert(&self.tile(op, 0)?, dtype)?,
            Opcode::IToF | Opcode::ExtI => {
                let x = signed(op, &self.tile(op, 0)?)?;
                let wide = ops::convert(&x, if op.opcode == Opcode::ExtI { unsigned(dtype) } else { dtype })?;
                let wide = if x.dtype().is_signed() { ops::convert(&x, dtype)? } else { wide };
                plain(wide, dtype)?
            }
            Opcode::FToI => {
                let x = self.tile(op, 0)?;
                let to = if int(op, "signedness") == 0 { unsigned(dtype) } else { dtype };
                plain(ops::convert(&x, to)?, dtype)?
            }
            Opcode::FToF | Opcode::TruncI => ops::convert(&self.tile(op, 0)?, dtype)?,
            _ => return Err(Fault::new("nothing here computes it")),
        };
        Ok(Held::Tile(array))
    }

    /// Ops of pointers.
    fn pointers(
        &self,
        op: &Operation,
        memory: usize,
        bytes: Vec<i64>,
        from: Vec<usize>,
        dtype: DType,
        shape: Vec<usize>,
    ) -> Result<Held, Fault> {
        let bytes = match op.opcode {
            Opcode::Reshape | Opcode::PtrToPtr => bytes,
            Opcode::Assume => {
                let divisor = op.attributes.iter().find_map(|(_, value)| match value {
                    Attribute::DivBy(by) => i64::try_from(by.divisor).ok(),
                    _ => None,
                });
                if bytes.iter().any(|byte| byte % divisor.unwrap_or(1) != 0) {
                    return Err(Fault::new("a pointer is not aligned as it says"));
                }
                bytes
            }
            Opcode::Broadcast => {
                let places = Array::iota(DType::I32, vec![from.iter().product::<usize>().max(1)], 0)?;
                let places = ops::reshape(&places, from)?;
                let dims: Vec<usize> = (0..shape.len()).collect();
                let places = ops::broadcast_in_dim(&places, shape.clone(), &dims)?;
                let at = |place: pallas_tensor::Scalar| place.as_int().and_then(|at| bytes.get(at as usize)).copied();
                places.iter_scalars().map(|place| at(place).unwrap_or(0)).collect()
            }
            Opcode::Offset => {
                let offsets = ops::convert(&self.tile(op, 1)?, DType::I64)?.into_elements::<i64>().unwrap_or_default();
                let size = dtype.size_bytes().max(1) as i64;
                bytes.iter().zip(&offsets).map(|(byte, offset)| byte + offset * size).collect()
            }
            _ => return Err(Fault::new("nothing here does that to pointers")),
        };
        Ok(Held::Pointers { memory, bytes, shape })
    }
}

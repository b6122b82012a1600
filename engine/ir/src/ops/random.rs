//! `jax.random`'s primitives on typed keys (`key<fry>`, Threefry).

use super::eval::{Operands, Results, take};
use super::rule;
use crate::op::{EvalContext, EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::{DType, Shape};

/// Random bits. Operand: keys. Attributes: `bit_width` (8, 16, 32 or 64), `shape`. Result: for every key a tile of
/// `shape`, of the unsigned dtype of that width.
pub static RANDOM_BITS: OpDef = OpDef {
    name: "random_bits",
    doc: "Random bits of `bit_width` in `shape`, per key; operand: keys",
    attributes: &["bit_width", "shape"],
    infer: |context| {
        let keys = keys(context, "random_bits", 1)?;
        let dtype = match context.attributes.int("bit_width") {
            Some(8) => DType::U8,
            Some(16) => DType::U16,
            Some(32) => DType::U32,
            Some(64) => DType::U64,
            width => {
                return Err(InferError::type_error(format!(
                    "requires 8-, 16-, 32- or 64-bit field width, got {}",
                    width.unwrap_or(0)
                )));
            }
        };
        appended(context, "random_bits", keys, dtype)
    },
    kind: OpKind::Pure {
        eval,
        interval: None,
    },
};

/// New keys. Operand: keys. Attribute: `shape`. Result: for every key keys of `shape`.
pub static RANDOM_SPLIT: OpDef = OpDef {
    name: "random_split",
    doc: "Keys of `shape` split from each key; operand: keys",
    attributes: &["shape"],
    infer: |context| {
        let keys = keys(context, "random_split", 1)?;
        appended(context, "random_split", keys, DType::Key)
    },
    kind: OpKind::Pure {
        eval,
        interval: None,
    },
};

/// Keys mixed with numbers. Operands: keys, data (`u32`, same shape).
pub static RANDOM_FOLD_IN: OpDef = OpDef {
    name: "random_fold_in",
    doc: "Keys mixed with numbers; operands: keys, data (u32)",
    attributes: &[],
    infer: |context| {
        let keys = keys(context, "random_fold_in", 2)?;
        let data = context.tensor(1)?;
        if data.dtype != DType::U32 || data.shape != keys.shape {
            return Err(InferError::type_error(format!(
                "random_fold_in takes data of type {}, got {data}",
                keys.with_dtype(DType::U32)
            )));
        }
        Ok(rule::one(keys.clone()))
    },
    kind: OpKind::Pure {
        eval,
        interval: None,
    },
};

/// Keys from seeds. Operand: integer seeds.
pub static RANDOM_SEED: OpDef = OpDef {
    name: "random_seed",
    doc: "Keys from seeds; operand: integers",
    attributes: &[],
    infer: |context| {
        let seeds = rule::operand(context, "random_seed", rule::INTEGER)?;
        Ok(rule::one(seeds.with_dtype(DType::Key)))
    },
    kind: OpKind::Pure {
        eval,
        interval: None,
    },
};

/// Keys from their words. Operand: `u32`, the last dimension 2, which goes away.
pub static RANDOM_WRAP: OpDef = OpDef {
    name: "random_wrap",
    doc: "Keys from their words; operand: u32[..., 2]",
    attributes: &[],
    infer: |context| {
        rule::count(context, "random_wrap", 1)?;
        let words = context.tensor(0)?;
        match words.shape.split_last() {
            Some((2, shape)) if words.dtype == DType::U32 => {
                Ok(rule::one(TensorType::new(DType::Key, shape)))
            }
            _ => Err(InferError::type_error(format!(
                "random_wrap takes words of u32[...,2], got {words}"
            ))),
        }
    },
    kind: OpKind::Pure {
        eval,
        interval: None,
    },
};

/// The words of keys: a last dimension of 2 is added. Operand: keys.
pub static RANDOM_UNWRAP: OpDef = OpDef {
    name: "random_unwrap",
    doc: "The words of keys; operand: keys",
    attributes: &[],
    infer: |context| {
        let keys = keys(context, "random_unwrap", 1)?;
        let mut shape = keys.shape.clone();
        shape.push(2);
        Ok(rule::one(TensorType::new(DType::U32, shape)))
    },
    kind: OpKind::Pure {
        eval,
        interval: None,
    },
};

/// The block cipher. Operands: two key words and two counters, `u32` of one shape. Results: two of that shape.
pub static THREEFRY2X32: OpDef = OpDef {
    name: "threefry2x32",
    doc: "The Threefry block cipher; operands: two key words, two counters (u32)",
    attributes: &[],
    infer: |context| {
        rule::count(context, "threefry2x32", 4)?;
        let operands = rule::tensors(context)?;
        let shape = rule::same_shapes("threefry2x32", &operands)?;
        if operands.iter().any(|ty| ty.dtype != DType::U32) {
            return Err(InferError::type_error(
                "threefry2x32 requires uint32 operands",
            ));
        }
        let ty = TensorType::new(DType::U32, shape);
        Ok(smallvec::smallvec![ty.clone().into(), ty.into()])
    },
    kind: OpKind::Pure {
        eval,
        interval: None,
    },
};

fn eval(_: &EvalContext<'_>, operands: Operands) -> Results {
    let [_] = take(operands)?;
    Err(EvalError("random bits are not connected".into()))
}

fn keys<'a>(
    context: &'a InferContext<'_>,
    name: &str,
    count: usize,
) -> Result<&'a TensorType, InferError> {
    rule::count(context, name, count)?;
    let ty = context.tensor(0)?;
    if ty.dtype == DType::Key {
        return Ok(ty);
    }
    Err(InferError::type_error(format!(
        "{name} requires PRNG key array input, got array with dtype={}",
        ty.dtype
    ))
    .with_code("PL304"))
}

/// The keys' shape followed by the attribute `shape`.
fn appended(
    context: &InferContext<'_>,
    name: &str,
    keys: &TensorType,
    dtype: DType,
) -> Result<Types, InferError> {
    let inner = rule::sizes(context.attributes, name, "shape")?;
    let shape: Shape = keys.shape.iter().chain(&inner).copied().collect();
    Ok(rule::one(TensorType::new(dtype, shape)))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [
        &RANDOM_BITS,
        &RANDOM_SPLIT,
        &RANDOM_FOLD_IN,
        &RANDOM_SEED,
        &RANDOM_WRAP,
        &RANDOM_UNWRAP,
        &THREEFRY2X32,
    ]
    .into_iter()
}

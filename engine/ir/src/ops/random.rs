//! `jax.random`'s primitives on typed keys (`key<fry>`, Threefry).

use super::eval::{self, Operands, Results, attribute, sizes, take};
use super::rule;
use crate::op::{EvalContext, EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::{Array, Buffer, DType, OpError, Shape, ops, random};

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
    kind: OpKind::Pure { eval: eval_bits, interval: None },
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
    kind: OpKind::Pure { eval: eval_split, interval: None },
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
    kind: OpKind::Pure { eval: eval_fold_in, interval: None },
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
    kind: OpKind::Pure { eval: eval_seed, interval: None },
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
            Some((2, shape)) if words.dtype == DType::U32 => Ok(rule::one(TensorType::new(DType::Key, shape))),
            _ => Err(InferError::type_error(format!("random_wrap takes words of u32[...,2], got {words}"))),
        }
    },
    kind: OpKind::Pure { eval: eval_wrap, interval: None },
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
    kind: OpKind::Pure { eval: eval_unwrap, interval: None },
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
            return Err(InferError::type_error("threefry2x32 requires uint32 operands"));
        }
        let ty = TensorType::new(DType::U32, shape);
        Ok(smallvec::smallvec![ty.clone().into(), ty.into()])
    },
    kind: OpKind::Pure { eval: eval_threefry, interval: None },
};

/// One array per key, joined under the result's shape.
fn per_key(
    context: &EvalContext<'_>,
    keys: &Array,
    one: impl Fn([u32; 2], Shape) -> Result<Array, OpError>,
) -> Results {
    let inner = Shape::from(sizes(context.attributes.ints("shape"), "shape")?.as_slice());
    let outer = keys.shape().clone();
    let line = Shape::from([inner.size()]);
    let parts = words(keys)?
        .iter()
        .map(|&key| ops::reshape(&one(key, inner.clone())?, line.clone()))
        .collect::<Result<Vec<Array>, OpError>>()?;
    let shape: Shape = outer.iter().chain(&inner).copied().collect();
    let joined = match parts.as_slice() {
        [only] => only.clone(),
        // No keys: one gives the dtype.
        [] => return eval::one(one([0, 0], shape)),
        parts => ops::concatenate(&parts.iter().collect::<Vec<_>>(), 0)?,
    };
    eval::one(ops::reshape(&joined, shape))
}

fn words(keys: &Array) -> Result<&[[u32; 2]], EvalError> {
    keys.elements::<[u32; 2]>().ok_or_else(|| EvalError::new(format!("an array of {} holds no keys", keys.dtype())))
}

fn key_array(shape: &[usize], keys: Vec<[u32; 2]>) -> Results {
    eval::one(Array::with_dtype(DType::Key, shape, Buffer::Key(keys)))
}

fn eval_bits(context: &EvalContext<'_>, operands: Operands) -> Results {
    let [keys] = take(operands)?;
    let width = attribute(context.attributes.int("bit_width"), "bit_width")?;
    // The type rule has checked the width.
    let width = u32::try_from(width).unwrap_or(0);
    per_key(context, &keys, |key, shape| random::bits(key, width, shape))
}

fn eval_split(context: &EvalContext<'_>, operands: Operands) -> Results {
    let [keys] = take(operands)?;
    per_key(context, &keys, random::split)
}

fn eval_fold_in(_: &EvalContext<'_>, operands: Operands) -> Results {
    let [keys, data] = take(operands)?;
    let data = data.elements::<u32>().unwrap_or_default();
    let folded = words(&keys)?.iter().zip(data);
    let folded = folded.map(|(&key, &data)| random::fold_in(key, data));
    key_array(keys.shape(), folded.collect())
}

fn eval_seed(_: &EvalContext<'_>, operands: Operands) -> Results {
    let [seeds] = take(operands)?;
    let wide = seeds.dtype().bits() == 64;
    let keys = seeds
        .iter_scalars()
        // The low 64 bits are the seed's, signed or not.
        .map(|seed| random::seed(seed.as_int().unwrap_or(0) as i64, wide))
        .collect();
    key_array(seeds.shape(), keys)
}

fn eval_wrap(_: &EvalContext<'_>, operands: Operands) -> Results {
    let [data] = take(operands)?;
    let words = data.elements::<u32>().unwrap_or_default();
    let keys = words.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    let rank = data.rank().saturating_sub(1);
    key_array(&data.shape()[..rank], keys.collect())
}

fn eval_unwrap(_: &EvalContext<'_>, operands: Operands) -> Results {
    let [keys] = take(operands)?;
    let mut shape = keys.shape().clone();
    shape.push(2);
    eval::one(Array::new(shape, Buffer::U32(words(&keys)?.iter().flatten().copied().collect())))
}

fn eval_threefry(_: &EvalContext<'_>, operands: Operands) -> Results {
    let [k0, k1, c0, c1] = take::<4>(operands)?;
    let shape = k0.shape().clone();
    let get = |array: &Array| array.elements::<u32>().unwrap_or_default().to_vec();
    let (k0, k1, c0, c1) = (get(&k0), get(&k1), get(&c0), get(&c1));
    let (left, right): (Vec<u32>, Vec<u32>) = (0..k0.len().min(c1.len()))
        .map(|i| {
            let [left, right] = random::threefry_block([k0[i], k1[i]], [c0[i], c1[i]]);
            (left, right)
        })
        .unzip();
    Ok(smallvec::smallvec![Array::new(shape.clone(), Buffer::U32(left))?, Array::new(shape, Buffer::U32(right))?,])
}

fn keys<'a>(context: &'a InferContext<'_>, name: &str, count: usize) -> Result<&'a TensorType, InferError> {
    rule::count(context, name, count)?;
    let ty = context.tensor(0)?;
    if ty.dtype == DType::Key {
        return Ok(ty);
    }
    Err(InferError::type_error(format!("{name} requires PRNG key array input, got array with dtype={}", ty.dtype))
        .with_code("PL304"))
}

/// The keys' shape followed by the attribute `shape`.
fn appended(context: &InferContext<'_>, name: &str, keys: &TensorType, dtype: DType) -> Result<Types, InferError> {
    let inner = rule::sizes(context.attributes, name, "shape")?;
    let shape: Shape = keys.shape.iter().chain(&inner).copied().collect();
    Ok(rule::one(TensorType::new(dtype, shape)))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&RANDOM_BITS, &RANDOM_SPLIT, &RANDOM_FOLD_IN, &RANDOM_SEED, &RANDOM_WRAP, &RANDOM_UNWRAP, &THREEFRY2X32]
        .into_iter()
}

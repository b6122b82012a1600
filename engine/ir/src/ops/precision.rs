//! `reduce_precision` on the bits of each element, as XLA's `EmitReducePrecisionIR` does it: mantissa rounded to
//! nearest even, then exponents out of range become infinity or signed zero; denormals count as out of range.

use super::eval::{self, Operands, attribute, one, take};
use crate::op::{EvalContext, EvalError};
use pallas_tensor::{DType, ops};

/// Where exponent and mantissa lie in the bits of a float.
struct Layout {
    mantissa: u32,
    exponent: u32,
}

pub(super) fn reduce_precision(context: &EvalContext<'_>, operands: Operands) -> eval::Results {
    let [x] = take(operands)?;
    let exponent = attribute(context.attributes.int("exponent_bits"), "exponent_bits")?;
    let mantissa = attribute(context.attributes.int("mantissa_bits"), "mantissa_bits")?;
    // Larger than any float has: nothing is taken away.
    let exponent = u32::try_from(exponent).unwrap_or(u32::MAX);
    let mantissa = u32::try_from(mantissa).unwrap_or(u32::MAX);
    let (layout, bits) = match x.dtype() {
        DType::F64 => (Layout { mantissa: 52, exponent: 11 }, DType::U64),
        DType::F32 => (Layout { mantissa: 23, exponent: 8 }, DType::U32),
        DType::F16 => (Layout { mantissa: 10, exponent: 5 }, DType::U16),
        DType::BF16 => (Layout { mantissa: 7, exponent: 8 }, DType::U16),
        dtype => {
            return Err(EvalError::new(format!("reduce_precision of {dtype} is not supported")));
        }
    };
    let dtype = x.dtype();
    let words = ops::convert(&ops::bitcast_convert(&x, bits)?, DType::U64)?;
    let shape = words.shape().clone();
    let mut words = words.into_elements::<u64>().unwrap_or_default();
    for word in &mut words {
        *word = reduce(*word, &layout, exponent, mantissa);
    }
    let words = pallas_tensor::Array::new(shape, pallas_tensor::Buffer::U64(words))?;
    one(ops::bitcast_convert(&ops::convert(&words, bits)?, dtype))
}

fn reduce(word: u64, layout: &Layout, exponent_bits: u32, mantissa_bits: u32) -> u64 {
    let sign_bit = 1u64 << (layout.mantissa + layout.exponent);
    let infinity = ((1u64 << layout.exponent) - 1) << layout.mantissa;
    let (sign, magnitude) = (word & sign_bit, word & (sign_bit - 1));
    if magnitude > infinity {
        return word;
    }
    let mut magnitude = magnitude;
    if mantissa_bits < layout.mantissa {
        let dropped = layout.mantissa - mantissa_bits;
        let last_kept = (magnitude >> dropped) & 1;
        let half_less_one = (1u64 << (dropped - 1)) - 1;
        magnitude = (magnitude + half_less_one + last_kept) & !((1u64 << dropped) - 1);
    }
    if exponent_bits < layout.exponent {
        let bias = (1u64 << (layout.exponent - 1)) - 1;
        let reduced_bias = (1u64 << (exponent_bits - 1)) - 1;
        let exponent = magnitude >> layout.mantissa;
        if exponent > bias + reduced_bias {
            magnitude = infinity;
        } else if exponent <= bias - reduced_bias {
            magnitude = 0;
        }
    }
    sign | magnitude
}

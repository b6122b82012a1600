//! Products that are rounded once with what they are added to, and quotients by way of a reciprocal: what XLA's compiler
//! makes of `x * y + z` and of `x / y` in `float32`. When it does so is the caller's knowledge.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::deferred::put_off;
use crate::dtype::DType;
use crate::error::OpError;
use crate::isa::for_each_isa;
use crate::math::{flush, fma};
use crate::ops::elementwise::{Operand, copied, each};
use crate::ops::fused::Code;
use crate::shape::Shape;

/// The signs of a fused multiply-add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultiplyAdd {
    /// `x * y + z`
    Add,
    /// `x * y - z`
    SubtractAddend,
    /// `z - x * y`
    SubtractProduct,
}

impl MultiplyAdd {
    /// What it makes of three numbers: see [`multiply_add`].
    pub fn of_floats(self, [x, y, z]: [f32; 3], divides: bool) -> f32 {
        let y = if divides { reciprocal(y) } else { y };
        let (x, y, z) = (flush(x), flush(y), flush(z));
        flush(match self {
            MultiplyAdd::Add => fma(x, y, z),
            MultiplyAdd::SubtractAddend => fma(x, y, -z),
            MultiplyAdd::SubtractProduct => fma(-x, y, z),
        })
    }
}

/// Elements that are computed at a time.
const CHUNK: usize = 256;

/// Computes one: three `float32` arrays of one shape, any of them possibly of one element. Where it `divides`, the product
/// is with the reciprocal of `y`. A buffer that nobody else holds is reused.
///
/// # Errors
/// If an operand is not `float32`, or shapes do not fit.
pub fn multiply_add(x: Array, y: Array, z: Array, form: MultiplyAdd, divides: bool) -> Result<Array, OpError> {
    const OP: &str = "multiply_add";
    if let Some(result) = put_off(&[&x, &y, &z], Code::MultiplyAdd { form, divides }, DType::F32) {
        return Ok(result);
    }
    let mut operands = [x, y, z];
    let widest = |a: &&Array, b: &&Array| (a.size() != 1, a.rank()).cmp(&(b.size() != 1, b.rank()));
    let shape = operands.iter().max_by(widest).map(|array| array.shape().clone()).unwrap_or_default();
    for operand in &operands {
        if operand.dtype() != DType::F32 {
            return Err(OpError::DType { op: OP, dtype: operand.dtype() });
        }
        if operand.size() != 1 && *operand.shape() != shape {
            return Err(OpError::shapes(OP, &shape, operand.shape()));
        }
    }
    let size = shape.size();
    let reused = operands.iter().position(|operand| operand.size() == size && operand.is_unique());
    let result = match reused {
        Some(place) => {
            let nothing = Array::from_parts(DType::F32, Shape::from([0]), Buffer::F32(Vec::new()));
            let taken = std::mem::replace(&mut operands[place], nothing);
            let mut result: Vec<f32> = taken.into_elements().unwrap_or_default();
            for (number, part) in result.chunks_mut(CHUNK).enumerate() {
                let sources = sources(&operands, number * CHUNK, part.len());
                chunk(part, sources, Some(place), form, divides);
            }
            result
        }
        None => {
            let mut result = crate::array::reserve(&shape)?;
            let zeros = [0.0; CHUNK];
            for start in (0..size).step_by(CHUNK) {
                let length = CHUNK.min(size - start);
                result.extend_from_slice(&zeros[..length]);
                chunk(&mut result[start..], sources(&operands, start, length), None, form, divides);
            }
            result
        }
    };
    Ok(Array::from_parts(DType::F32, shape, Buffer::F32(result)))
}

/// The operands' parts of one chunk; the one that was taken has none.
fn sources(operands: &[Array; 3], start: usize, length: usize) -> [Operand<'_, f32>; 3] {
    operands.each_ref().map(|operand| match operand.elements::<f32>() {
        Some([one]) => Operand::All(*one),
        Some(elements) if !elements.is_empty() => Operand::Each(&elements[start..start + length]),
        _ => Operand::All(0.0),
    })
}

for_each_isa! {
/// One chunk; the operand at `own` is what the result holds already.
fn chunk<F>(result: &mut [f32], sources: [Operand<'_, f32>; 3], own: Option<usize>, form: MultiplyAdd, divides: bool) {
    let length = result.len();
    let mut values = [[0.0f32; CHUNK]; 3];
    for (place, (values, source)) in values.iter_mut().zip(sources).enumerate() {
        let values = &mut values[..length];
        match source {
            _ if own == Some(place) => values.copy_from_slice(result),
            Operand::Each(elements) => values.copy_from_slice(elements),
            Operand::All(one) => values.fill(one),
        }
    }
    let [a, b, c] = &mut values;
    if divides {
        each_in(b, reciprocal);
    }
    let terms = result.iter_mut().zip(a.iter().zip(b.iter().zip(c.iter())));
    match form {
        MultiplyAdd::Add => {
            terms.for_each(|(out, (&a, (&b, &c)))| *out = flush(F::fma(flush(a), flush(b), flush(c))));
        }
        MultiplyAdd::SubtractAddend => {
            terms.for_each(|(out, (&a, (&b, &c)))| *out = flush(F::fma(flush(a), flush(b), -flush(c))));
        }
        MultiplyAdd::SubtractProduct => {
            terms.for_each(|(out, (&a, (&b, &c)))| *out = flush(F::fma(-flush(a), flush(b), flush(c))));
        }
    }
}

/// `x * (1 / y)` in place, or `y * (1 / x)` if swapped.
fn by_reciprocal<F>(x: &mut [f32], y: Operand<'_, f32>, swapped: bool) {
    match y {
        Operand::All(y) if !swapped => {
            let factor = reciprocal(y);
            each(x, Operand::All(factor), false, |x, factor| flush(flush(x) * factor));
        }
        y => each(x, y, swapped, |x, y| flush(flush(x) * reciprocal(y))),
    }
}
}

#[inline(always)]
fn each_in(values: &mut [f32], f: impl Fn(f32) -> f32) {
    values.iter_mut().for_each(|x| *x = f(*x));
}

/// `1 / x`, rounded, as the factor of a product.
#[inline(always)]
fn reciprocal(value: f32) -> f32 {
    flush(1.0 / flush(value))
}

/// `x * (1 / y)` of `float32` arrays of one shape, either possibly of one element.
///
/// # Errors
/// If an operand is not `float32`, or shapes do not fit.
pub fn multiply_by_reciprocal(x: Array, y: Array) -> Result<Array, OpError> {
    if let Some(result) = put_off(&[&x, &y], Code::ByReciprocal, DType::F32) {
        return Ok(result);
    }
    let (mut target, other, swapped) = super::elementwise::pair("div", x, y)?;
    let (dtype, shape) = (target.dtype(), target.shape().clone());
    let (Some(a), Some(b)) = (target.elements::<f32>(), other.elements::<f32>()) else {
        return Err(OpError::DType { op: "div", dtype });
    };
    let b = Operand::new(b, a.len());
    if !target.is_unique() {
        let result = copied(a, |start, x| by_reciprocal(x, b.part(start, x.len()), swapped))?;
        return Ok(Array::from_parts(dtype, shape, Buffer::F32(result)));
    }
    if let Buffer::F32(x) = target.make_mut() {
        by_reciprocal(x, b, swapped);
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(values: &[f32]) -> Array {
        Array::from_f32s([values.len()], values).expect("as many")
    }

    #[test]
    fn every_sharing_and_form_gives_the_same_as_one_by_one() {
        let values = |step: f32| -> Vec<f32> { (0..1000).map(|i| (i as f32 * step) % 7.3 - 3.1).collect() };
        let (x, y, z) = (values(0.37), values(0.53), values(0.71));
        for held in 0..8 {
            for (form, sign, addend_sign) in [
                (MultiplyAdd::Add, 1.0, 1.0),
                (MultiplyAdd::SubtractAddend, 1.0, -1.0),
                (MultiplyAdd::SubtractProduct, -1.0, 1.0),
            ] {
                for divides in [false, true] {
                    let arrays = [&x, &y, &z].map(|values| array(values));
                    // Those that somebody holds are not written into.
                    let copies: Vec<Array> = (0..3).filter(|i| held >> i & 1 == 1).map(|i| arrays[i].clone()).collect();
                    let [a, b, c] = arrays;
                    let result = multiply_add(a, b, c, form, divides).expect("they fit");
                    let singly = |i: usize| form.of_floats([x[i], y[i], z[i]], divides);
                    for (i, &got) in result.elements::<f32>().expect("floats").iter().enumerate() {
                        let factor = if divides { 1.0 / y[i] } else { y[i] };
                        assert_eq!(got, fma(sign * x[i], factor, addend_sign * z[i]));
                        assert_eq!(got.to_bits(), singly(i).to_bits());
                    }
                    drop(copies);
                }
            }
        }
    }

    #[test]
    fn one_element_meets_all_in_every_place() {
        let one = || Array::scalar(DType::F32, crate::Scalar::Float(1.5));
        let many = || array(&[1.0, 2.0, 3.0]);
        let add = |x, y, z| multiply_add(x, y, z, MultiplyAdd::Add, false).expect("they fit");
        assert_eq!(add(one(), many(), one()), array(&[3.0, 4.5, 6.0]));
        assert_eq!(add(one(), one(), many()), array(&[3.25, 4.25, 5.25]));
        assert_eq!(multiply_by_reciprocal(one(), array(&[1.0, 2.0, 4.0])), Ok(array(&[1.5, 0.75, 0.375])));
        assert_eq!(multiply_by_reciprocal(many(), array(&[2.0])), Ok(array(&[0.5, 1.0, 1.5])));
        assert!(multiply_add(many(), array(&[1.0, 2.0]), one(), MultiplyAdd::Add, false).is_err());
    }
}

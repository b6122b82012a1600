//! Integers over axes that stand together: in any order, so that rows that lie one below the other are combined element by element.

use super::{ReduceOp, by_slabs};
use crate::array::{Array, filled};
use crate::buffer::{Buffer, Element};
use crate::dtype::DType;
use crate::error::OpError;
use crate::isa::for_each_isa;
use crate::ops::number::Integer;
use crate::shape::Shape;

/// The middle one of three axes, (outer, length, inner), of which none is empty; `None` for keys and `bool`.
pub(super) fn middle(op: ReduceOp, array: &Array, sizes: [usize; 3], shape: &Shape) -> Result<Option<Buffer>, OpError> {
    let dtype = array.dtype();
    macro_rules! each {
        ($($kind:ident)*) => {
            match array.buffer() {
                $(Buffer::$kind(x) => Some(Buffer::$kind(slabs(op, x, sizes, dtype, filled(shape, Default::default())?))),)*
                _ => None,
            }
        };
    }
    Ok(each!(I8 I16 I32 I64 U8 U16 U32 U64))
}

fn slabs<T: Integer + Element>(
    op: ReduceOp,
    values: &[T],
    [_, length, inner]: [usize; 3],
    dtype: DType,
    mut result: Vec<T>,
) -> Vec<T> {
    let none = row(op, &[], dtype);
    let columns = |values: &[T], result: &mut [T]| {
        result.fill(none);
        columns(op, values, inner, result);
    };
    let slabs = |values: &[T], result: &mut [T]| match inner {
        1 => {
            let rows = values.chunks_exact(length).zip(result);
            rows.for_each(|(values, result)| *result = row(op, values, dtype));
        }
        _ => {
            let slabs = values.chunks_exact(length * inner).zip(result.chunks_exact_mut(inner));
            slabs.for_each(|(values, result)| columns(values, result));
        }
    };
    by_slabs(values, [length, inner], &mut result, true, slabs, columns);
    result
}

for_each_isa! {
/// Combines columns with what `result` has of each; their elements are `pitch` apart.
fn columns<F, T: Integer>(op: ReduceOp, values: &[T], pitch: usize, result: &mut [T]) {
    match op {
        ReduceOp::Sum => down(values, pitch, result, T::add),
        ReduceOp::Prod => down(values, pitch, result, T::mul),
        ReduceOp::Max => down(values, pitch, result, T::max),
        ReduceOp::Min => down(values, pitch, result, T::min),
        ReduceOp::And => down(values, pitch, result, T::and),
        ReduceOp::Or => down(values, pitch, result, T::or),
        ReduceOp::Xor => down(values, pitch, result, T::xor),
    }
}
}

#[inline(always)]
fn down<T: Integer>(values: &[T], pitch: usize, result: &mut [T], combine: impl Fn(T, T) -> T) {
    for row in values.chunks(pitch) {
        result.iter_mut().zip(row).for_each(|(result, &x)| *result = combine(*result, x));
    }
}

for_each_isa! {
/// What the elements of a row come to; extremes of none are those of the dtype.
pub(super) fn row<F, T: Integer>(op: ReduceOp, row: &[T], dtype: DType) -> T {
    let fold = |start: T, f: fn(T, T) -> T| row.iter().fold(start, |sum, &x| f(sum, x));
    let limit = |wide: T, four_bits: [T; 2]| match dtype {
        DType::I4 | DType::I2 => four_bits[0],
        DType::U4 | DType::U2 => four_bits[1],
        _ => wide,
    };
    match op {
        ReduceOp::Sum => fold(T::ZERO, T::add),
        ReduceOp::Prod => fold(T::ONE, T::mul),
        ReduceOp::Max => {
            let eight = (0..3).fold(T::ONE, |power, _| power.add(power));
            fold(limit(T::MIN, [T::ZERO.sub(eight), T::ZERO]), T::max)
        }
        ReduceOp::Min => {
            let eight = (0..3).fold(T::ONE, |power, _| power.add(power));
            let seven = eight.sub(T::ONE);
            fold(limit(T::MAX, [seven, seven.add(eight)]), T::min)
        }
        ReduceOp::And => fold(T::ZERO.not(), T::and),
        ReduceOp::Or => fold(T::ZERO, T::or),
        ReduceOp::Xor => fold(T::ZERO, T::xor),
    }
}
}

#[cfg(test)]
mod tests {
    use crate::ops::{ReduceOp, reduce, transpose};
    use crate::{Array, DType, Scalar};

    /// The same over an axis that is not the last, which is the last one of another array.
    #[test]
    fn every_axis_gives_what_rows_give() {
        let dtypes = [
            DType::I8,
            DType::I16,
            DType::I32,
            DType::I64,
            DType::U8,
            DType::U16,
            DType::U32,
            DType::U64,
            DType::I4,
            DType::U4,
        ];
        let ops =
            [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::And, ReduceOp::Or, ReduceOp::Xor];
        for dtype in dtypes {
            for [outer, length, inner] in [[3, 5, 7], [1, 300, 1100], [40, 9, 1000], [70_000, 2, 2]] {
                let value = |i: usize| Scalar::Int((i.wrapping_mul(0x9E37_79B1) >> 9) as i128 & 0x7f);
                // Few dtypes of so many elements.
                if outer * length * inner > 10_000 && ![DType::I16, DType::U32].contains(&dtype) {
                    continue;
                }
                let values: Vec<Scalar> = (0..outer * length * inner).map(value).collect();
                let wide = Array::from_scalars(DType::I32, [outer, length, inner], &values).expect("as many");
                let array = crate::ops::convert(&wide, dtype).expect("integers");
                for op in ops {
                    let found = reduce(op, &array, &[1]).expect("integers");
                    let last = transpose(&array, &[0, 2, 1]).expect("three axes");
                    assert_eq!(
                        found,
                        reduce(op, &last, &[2]).expect("integers"),
                        "{op:?} of {dtype}, {outer} x {length} x {inner}"
                    );
                }
            }
        }
    }
}

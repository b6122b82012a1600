//! Operations give the same bits with every instruction set that the processor has: a test asks for each in turn, so that the
//! loops for smaller processors run on larger ones, too.

use super::*;
use crate::isa::asked_for;
use crate::{Array, Buffer, DType, OpError, Scalar};

/// Elements of every size, and what is special; the last ones fill no register.
const LENGTH: usize = 1555;

fn values(dtype: DType, shape: &[usize], seed: u64) -> Array {
    let special = [0.0, -0.0, 1e-40, -1e-39, f64::INFINITY, f64::NEG_INFINITY, 1e30, f64::NAN, 3e-5, 65000.0, 1e-320];
    let mut state = seed;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut value = || match dtype {
        DType::Bool => Scalar::Bool(below(2) == 1),
        dtype if dtype.is_float() => match below(10) {
            0 => Scalar::Float(special[below(11) as usize]),
            1 => Scalar::Float(f64::from(f32::from_bits(below(1 << 31) as u32))),
            _ => Scalar::Float(below(4000) as f64 / 500.0 - 4.0),
        },
        _ => Scalar::Int(i128::from(below(1 << 31)) - (1 << 30)),
    };
    let values: Vec<Scalar> = (0..shape.iter().product()).map(|_| value()).collect();
    Array::from_scalars(dtype, shape, &values).expect("as many")
}

/// The bits of elements; of NaN there is one.
fn bits(array: &Array) -> Vec<u64> {
    let bits = |scalar| match scalar {
        Scalar::Float(x) if x.is_nan() => f64::NAN.to_bits(),
        Scalar::Float(x) => x.to_bits(),
        Scalar::Int(x) => x as u64,
        Scalar::Bool(x) => u64::from(x),
        Scalar::Key([a, b]) => u64::from(a) << 32 | u64::from(b),
    };
    array.iter_scalars().map(bits).collect()
}

/// That an operation gives the same with every instruction set, or is refused with each.
fn check(what: &str, operation: impl Fn() -> Result<Array, OpError>) {
    let results = asked_for::with_each(|isa| (isa, operation().ok()));
    let [(first, expected), others @ ..] = &results[..] else { return };
    for (isa, found) in others {
        let (Some(expected), Some(found)) = (expected, found) else {
            assert!(expected.is_none() && found.is_none(), "{what}: {isa:?} or {first:?} refuses it");
            continue;
        };
        assert!(expected.dtype() == found.dtype() && expected.shape() == found.shape(), "{what}");
        let different = bits(expected).iter().zip(bits(found)).position(|(&a, b)| a != b);
        let values = different.map(|place| (place, expected.get(place), found.get(place)));
        assert!(different.is_none(), "{what}: {first:?} and {isa:?} differ at {values:?}");
    }
}

const DTYPES: [DType; 9] =
    [DType::F32, DType::BF16, DType::F16, DType::F64, DType::I32, DType::U8, DType::I16, DType::U64, DType::Bool];

#[test]
fn elementwise_operations_have_the_same_bits_everywhere() {
    for dtype in DTYPES {
        let [x, y, z] = [1, 2, 3].map(|seed| values(dtype, &[LENGTH], seed));
        for op in UnaryOp::all() {
            check(&format!("{op:?} of {dtype}"), || unary(op, x.clone()));
        }
        for op in BinaryOp::all() {
            check(&format!("{op:?} of {dtype}"), || binary(op, x.clone(), y.clone()));
        }
        for op in CompareOp::all() {
            check(&format!("{op:?} of {dtype}"), || compare(op, &x, &y));
        }
        for to in DTYPES {
            check(&format!("{dtype} to {to}"), || convert(&x, to));
        }
        let which = values(DType::Bool, &[LENGTH], 4);
        check(&format!("select of {dtype}"), || select_n(&which, &[&x, &y]));
        check(&format!("clamp of {dtype}"), || clamp(&y, x.clone(), &z));
        for exponent in [-2, 2, 3, 7] {
            check(&format!("power of {dtype}"), || integer_pow(x.clone(), exponent));
        }
    }
    let [x, y, z] = [1, 2, 3].map(|seed| values(DType::F32, &[LENGTH], seed));
    for form in [MultiplyAdd::Add, MultiplyAdd::SubtractAddend, MultiplyAdd::SubtractProduct] {
        for divides in [false, true] {
            check("multiply-add", || multiply_add(x.clone(), y.clone(), z.clone(), form, divides));
        }
    }
    check("reciprocal", || multiply_by_reciprocal(x.clone(), y.clone()));
}

#[test]
fn reductions_have_the_same_bits_everywhere() {
    let ops = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::And, ReduceOp::Or];
    for dtype in DTYPES {
        for shape in [&[7, 33, 5][..], &[40, 70], &[3, 1100], &[600, 3], &[17, 64], &[LENGTH]] {
            let x = values(dtype, shape, 5);
            for axis in 0..shape.len() {
                for op in ops {
                    check(&format!("{op:?} of {dtype} {shape:?} over {axis}"), || reduce(op, &x, &[axis]));
                }
                for op in [CumulativeOp::Sum, CumulativeOp::Prod, CumulativeOp::Max, CumulativeOp::LogSumExp] {
                    check(&format!("{op:?} of {dtype} {shape:?} along {axis}"), || cumulative(op, &x, axis, false));
                }
            }
        }
    }
}

#[test]
fn products_have_the_same_bits_everywhere() {
    // Ordinary numbers: a sum with infinities in it says nothing.
    let ordinary = |dtype: DType, size: usize, step: usize| {
        let elements: Vec<f32> = (0..size).map(|i| ((i * step) as f32 * 0.37) % 5.0 - 2.4).collect();
        convert(&Array::new([size], Buffer::F32(elements)).expect("as many"), dtype).expect("numbers")
    };
    for (dtype, output) in [
        (DType::F32, DType::F32),
        (DType::F64, DType::F64),
        (DType::F16, DType::F32),
        (DType::BF16, DType::F32),
        (DType::I8, DType::I32),
        (DType::I32, DType::I32),
    ] {
        let sizes = [(1, 300, 5), (3, 64, 7), (12, 40, 33), (70, 65, 1), (30, 257, 70), (64, 64, 64), (150, 300, 40)];
        for (rows, inner, columns) in sizes {
            let [a, b] = [(rows * inner, 1), (inner * columns, 3)].map(|(size, step)| ordinary(dtype, size, step));
            for turned in 0..4 {
                let (left, right) = (turned & 1, turned >> 1);
                let shape =
                    |turned: usize, down: usize, along: usize| if turned == 1 { [along, down] } else { [down, along] };
                let a = reshape(&a, shape(left, rows, inner)).expect("as many");
                let b = reshape(&b, shape(right, inner, columns)).expect("as many");
                let (left_contracting, right_contracting) = (vec![1 - left], vec![right]);
                let dimensions = DotDimensions { left_contracting, right_contracting, ..DotDimensions::default() };
                check(&format!("{dtype} {rows} x {inner} x {columns}, {turned}"), || {
                    dot_general(&a, &b, &dimensions, output)
                });
            }
        }
    }
}

//! Functions over whole arrays, which go through several elements at once, give to the bit what the functions of one
//! number give, whatever processor the test runs on: ordinary numbers, every exponent, both signs, and what is special.

use pallas_tensor::ops::{UnaryOp, unary};
use pallas_tensor::{Array, math};

fn arguments() -> Vec<f32> {
    let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-45, -1e-40];
    // A small linear generator: every exponent comes with many fractions.
    let mut state = 7u64;
    let patterns = (0..40_000).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from_bits((state >> 32) as u32)
    });
    // Long runs of ordinary arguments, which take the quick ways that one large one among them closes.
    let ordinary = (0..20_000).map(|i| (i as f32 - 10_000.0) * 0.0123);
    let near = (0..20_000).map(|i| (i as f32 - 10_000.0) * 1e-4);
    special.into_iter().chain(patterns).chain(ordinary).chain(near).collect()
}

/// A function of one number.
type Function = fn(f32) -> f32;

#[test]
fn arrays_and_numbers_have_the_same_digits() {
    let functions: [(UnaryOp, Function); 11] = [
        (UnaryOp::Exp, math::exp),
        (UnaryOp::Exp2, math::exp2),
        (UnaryOp::Expm1, math::expm1),
        (UnaryOp::Log, math::log),
        (UnaryOp::Log1p, math::log1p),
        (UnaryOp::Tanh, math::tanh),
        (UnaryOp::Logistic, math::logistic),
        (UnaryOp::Erf, math::erf),
        (UnaryOp::Sin, math::sin),
        (UnaryOp::Cos, math::cos),
        (UnaryOp::Rsqrt, math::rsqrt),
    ];
    let x = arguments();
    for (op, function) in functions {
        let array = Array::from_f32s([x.len()], &x).expect("as many");
        let kept = array.clone();
        // Once into a buffer of its own, once in place.
        for array in [array, Array::from_f32s([x.len()], &x).expect("as many")] {
            let result = unary(op, array).expect("floats");
            for (&x, &got) in x.iter().zip(result.elements::<f32>().expect("floats")) {
                let expected = function(x);
                let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                assert!(same, "{op:?}({x:e}) = {got:e}, and one by one {expected:e}");
            }
        }
        assert!(kept.same_bits(&Array::from_f32s([x.len()], &x).expect("as many")));
    }
}

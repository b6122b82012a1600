//! What a device computed against what interpret mode computes: integers exactly, floats to what their dtype can promise when
//! sums are taken in another order.

use pallas_ir::{Launch, Role};
use pallas_tensor::{Array, DType};

/// An output that is not the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The output's name.
    pub output: String,
    /// How many elements differ by more than they may.
    pub count: usize,
    /// Of how many.
    pub size: usize,
    /// Where the largest difference is.
    pub place: Vec<usize>,
    /// What the device has there.
    pub found: String,
    /// What interpret mode has there.
    pub expected: String,
}

/// By how much elements may differ, as a share of the largest one in the array.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-12,
        DType::F32 => 1e-5,
        DType::F16 => 2e-3,
        DType::BF16 => 1.6e-2,
        dtype if dtype.is_float() => 0.26,
        _ => 0.0,
    }
}

/// The outputs of a launch that are not the same.
pub fn compare(launch: &Launch, expected: &[Array], found: &[Array]) -> Vec<Difference> {
    let outputs = launch.with_role(Role::Output).zip(expected.iter().zip(found));
    outputs.filter_map(|((_, operand), (expected, found))| difference(&operand.name, expected, found)).collect()
}

fn difference(name: &str, expected: &Array, found: &Array) -> Option<Difference> {
    let share = tolerance(expected.dtype());
    let number = |array: &Array, index: usize| array.get(index).and_then(|scalar| scalar.as_f64()).unwrap_or(0.0);
    let size = expected.size();
    let finite = (0..size).map(|index| number(expected, index).abs()).filter(|value| value.is_finite());
    let allowed = share * finite.fold(0.0, f64::max);
    let (mut count, mut worst, mut at) = (0, f64::NEG_INFINITY, 0);
    for index in 0..size {
        let (one, other) = (number(expected, index), number(found, index));
        let same = match expected.dtype().is_float() {
            true => one == other || (one.is_nan() && other.is_nan()) || (one - other).abs() <= allowed,
            // Integers of 64 bits have no exact double.
            false => expected.get(index) == found.get(index),
        };
        if same {
            continue;
        }
        count += 1;
        let gap = (one - other).abs();
        let gap = if gap.is_nan() { f64::INFINITY } else { gap };
        if gap > worst {
            (worst, at) = (gap, index);
        }
    }
    if count == 0 && expected.shape() == found.shape() {
        return None;
    }
    let mut rest = at;
    let mut place = Vec::new();
    for stride in expected.shape().strides() {
        place.push(rest / stride.max(1));
        rest %= stride.max(1);
    }
    let shown = |array: &Array| match array.get(at) {
        Some(pallas_tensor::Scalar::Float(value)) => value.to_string(),
        Some(pallas_tensor::Scalar::Int(value)) => value.to_string(),
        Some(pallas_tensor::Scalar::Bool(value)) => value.to_string(),
        other => format!("{other:?}"),
    };
    Some(Difference { output: name.to_string(), count, size, place, found: shown(found), expected: shown(expected) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_tensor::Scalar;

    #[test]
    fn floats_may_differ_by_a_share_of_the_largest() {
        let one = Array::from_f32s(vec![2, 2], &[1000.0, 1.0, f32::NAN, f32::INFINITY]).expect("an array");
        let close = Array::from_f32s(vec![2, 2], &[1000.005, 1.005, f32::NAN, f32::INFINITY]).expect("an array");
        assert_eq!(difference("o", &one, &close), None);
        let far = Array::from_f32s(vec![2, 2], &[1000.0, 1.5, 0.0, f32::INFINITY]).expect("an array");
        let found = difference("o", &one, &far).expect("a difference");
        assert_eq!((found.count, found.size, found.place), (2, 4, vec![1, 0]));
        assert_eq!((found.found.as_str(), found.expected.as_str()), ("0", "NaN"));
    }

    #[test]
    fn integers_have_to_be_equal() {
        let value = |value| Array::scalar(DType::I64, Scalar::Int(value));
        let found = difference("n", &value(1 << 60), &value((1 << 60) + 1)).expect("a difference");
        assert_eq!((found.count, found.place), (1, Vec::new()));
        assert_eq!(difference("n", &value(3), &value(3)), None);
    }
}

//! What the golden tests share: arrays from bits, and a report of differences.

use pallas_tensor::{Array, Buffer, DType, Shape, ops};
use serde_json::Value;

/// A list inside a JSON object.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().expect("a list")
}

/// A string inside a JSON object.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect("a string")
}

/// A list of unsigned numbers inside a JSON object.
pub(crate) fn numbers(value: &Value, key: &str) -> Vec<u64> {
    let numbers = list(value, key).iter();
    numbers.map(|number| number.as_u64().expect("an unsigned number")).collect()
}

/// The same as positions.
pub(crate) fn positions(value: &Value, key: &str) -> Vec<usize> {
    numbers(value, key).into_iter().map(|number| number as usize).collect()
}

/// The array with these bits, repeated until the shape is full.
pub(crate) fn array_of(dtype: &str, shape: Shape, bits: &[u64]) -> Array {
    let dtype = DType::parse(dtype).expect("a dtype");
    let bits: Vec<u64> = bits.iter().copied().cycle().take(shape.size()).collect();
    let narrow = match dtype.bits() {
        4 => DType::U4,
        8 => DType::U8,
        16 => DType::U16,
        32 => DType::U32,
        _ => DType::U64,
    };
    let words = Array::new(shape, Buffer::U64(bits)).expect("as many as the shape says");
    let words = ops::convert(&words, narrow).expect("integers");
    if dtype == DType::Bool {
        return ops::convert(&words, dtype).expect("integers");
    }
    ops::bitcast_convert(&words, dtype).expect("equal widths")
}

/// An array written as `{dtype, shape, bits}`.
pub(crate) fn array(value: &Value) -> Array {
    let shape = positions(value, "shape").into_iter().collect();
    array_of(text(value, "dtype"), shape, &numbers(value, "bits"))
}

/// Whether two arrays agree bit for bit, any NaN counting as any other.
pub(crate) fn agree(left: &Array, right: &Array) -> bool {
    let same = |index| match (left.get(index), right.get(index)) {
        (Some(pallas_tensor::Scalar::Float(x)), Some(pallas_tensor::Scalar::Float(y))) => {
            x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
        }
        (x, y) => x == y,
    };
    left.dtype() == right.dtype() && left.shape() == right.shape() && (0..left.size()).all(same)
}

/// Collects differences, to show how many there are and the first few.
#[derive(Default)]
pub(crate) struct Report {
    checked: usize,
    differences: Vec<String>,
}

impl Report {
    /// Compares two texts.
    pub(crate) fn check(&mut self, what: &dyn std::fmt::Display, found: &str, expected: &str) {
        self.checked += 1;
        if found != expected {
            let difference = format!("{what}\nfound:\n{found}\nexpected:\n{expected}\n");
            self.differences.push(difference);
        }
    }

    /// Compares two arrays.
    pub(crate) fn check_array(&mut self, what: &dyn std::fmt::Display, found: &Array, expected: &Array) {
        self.checked += 1;
        if agree(found, expected) {
            return;
        }
        let describe = |array: &Array| format!("{} {}", array.dtype(), array.shape());
        let mut difference = format!("{what}: {} for {}\n", describe(found), describe(expected));
        if found.shape() == expected.shape() {
            let pairs = found.iter_scalars().zip(expected.iter_scalars()).enumerate();
            let unequal = pairs.filter(|(_, (x, y))| format!("{x:?}") != format!("{y:?}"));
            for (index, (found, expected)) in unequal.take(3) {
                difference += &format!("  [{index}] {found:?} for {expected:?}\n");
            }
        }
        self.differences.push(difference);
    }

    /// Fails if anything differed or too little was compared.
    pub(crate) fn finish(self, at_least: usize) {
        let count = self.differences.len();
        let first: String = self.differences.into_iter().take(40).collect();
        assert_eq!(count, 0, "{count} of {} differ:\n{first}", self.checked);
        assert!(self.checked >= at_least, "only {} cases", self.checked);
    }
}

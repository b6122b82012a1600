//! What the Refs of a program held: before the kernel, after it, and around each store. A run keeps no values; they are in a
//! report only for programs that somebody has looked at.

use crate::place::Place;
use pallas_tensor::{Array, Scalar};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most elements of an array that are written down.
const MOST_ELEMENTS: usize = 1 << 16;

/// A program with what its Refs held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramValues {
    /// The program's number, in row-major order of the grid.
    pub program: usize,
    /// Its Refs: operands in their order, then scratch.
    pub refs: Vec<RefValues>,
    /// What the kernel stored to them, in order: the first stores, as far as they were kept.
    pub stores: Vec<StoreValues>,
    /// How many stores there were.
    pub stored: usize,
}

/// A Ref before and after the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefValues {
    /// Its name in the kernel.
    pub name: String,
    /// `f32`
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Before.
    pub before: ArrayValues,
    /// After; `None` where the kernel failed.
    pub after: Option<ArrayValues>,
    /// Elements that are not after what they were before.
    pub changed: usize,
}

/// A Ref before and after a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoreValues {
    /// The Ref, by position in [`ProgramValues::refs`].
    pub at: usize,
    /// The expression that stores.
    pub place: Option<Place>,
    /// All of the Ref before.
    pub before: ArrayValues,
    /// And after.
    pub after: ArrayValues,
    /// Elements that are not after what they were before.
    pub changed: usize,
}

/// An array in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArrayValues {
    /// What is counted of all elements.
    pub stats: Stats,
    /// The elements in row-major order; of large arrays the first 65536.
    pub elements: Vec<Element>,
}

/// What an array holds, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// The least finite number.
    pub min: f64,
    /// The greatest finite number.
    pub max: f64,
    /// Their mean.
    pub mean: f64,
    /// How many are finite.
    pub finite: usize,
    /// How many are not a number.
    pub nan: usize,
    /// How many are infinite.
    pub infinite: usize,
}

/// An element: a number or a truth value; JSON has no number for `nan`, `inf` and `-inf`, which are strings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// Of a Ref of truth values.
    Bool(bool),
    /// Of a Ref of integers.
    Int(i64),
    /// Everything else.
    Float(f64),
}

impl Stats {
    /// Counts the elements of an array.
    pub fn of(array: &Array) -> Stats {
        let mut stats = Stats { min: f64::INFINITY, max: f64::NEG_INFINITY, ..Stats::default() };
        let mut sum = 0.0;
        for value in array.iter_scalars() {
            let Some(value) = value.as_f64() else { continue };
            if value.is_nan() {
                stats.nan += 1;
            } else if value.is_infinite() {
                stats.infinite += 1;
            } else {
                stats.finite += 1;
                sum += value;
                stats.min = stats.min.min(value);
                stats.max = stats.max.max(value);
            }
        }
        stats.mean = sum / stats.finite.max(1) as f64;
        if stats.finite == 0 {
            (stats.min, stats.max) = (0.0, 0.0);
        }
        stats
    }
}

impl ArrayValues {
    /// Those of an array that has been counted.
    pub fn new(array: &Array, stats: Stats) -> ArrayValues {
        ArrayValues { stats, elements: array.iter_scalars().take(MOST_ELEMENTS).map(Element::from).collect() }
    }
}

impl From<Scalar> for Element {
    fn from(scalar: Scalar) -> Element {
        match scalar {
            Scalar::Bool(value) => Element::Bool(value),
            Scalar::Int(value) => i64::try_from(value).map_or(Element::Float(value as f64), Element::Int),
            other => Element::Float(other.as_f64().unwrap_or(f64::NAN)),
        }
    }
}

impl Serialize for Element {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Element::Bool(value) => serializer.serialize_bool(value),
            Element::Int(value) => serializer.serialize_i64(value),
            Element::Float(value) if value.is_nan() => serializer.serialize_str("nan"),
            Element::Float(f64::INFINITY) => serializer.serialize_str("inf"),
            Element::Float(f64::NEG_INFINITY) => serializer.serialize_str("-inf"),
            Element::Float(value) => serializer.serialize_f64(value),
        }
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Element, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Bool(bool),
            Int(i64),
            Float(f64),
            Word(String),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Bool(value) => Element::Bool(value),
            Written::Int(value) => Element::Int(value),
            Written::Float(value) => Element::Float(value),
            Written::Word(word) => match word.as_str() {
                "nan" => Element::Float(f64::NAN),
                "inf" => Element::Float(f64::INFINITY),
                "-inf" => Element::Float(f64::NEG_INFINITY),
                _ => return Err(serde::de::Error::custom(format!("`{word}` is no element of an array"))),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_as_they_were_written() {
        let values = [1.5, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(Element::Float);
        let all: Vec<Element> = values.into_iter().chain([Element::Int(-7), Element::Bool(true)]).collect();
        let text = serde_json::to_string(&all).expect("it is written");
        assert_eq!(text, r#"[1.5,-0.0,"nan","inf","-inf",-7,true]"#);
        let read: Vec<Element> = serde_json::from_str(&text).expect("it is read");
        assert_eq!(format!("{read:?}"), format!("{all:?}"));
        assert!(serde_json::from_str::<Element>("\"much\"").is_err());
    }

    #[test]
    fn large_arrays_are_counted_whole_and_written_in_part() {
        let values: Vec<f32> = (0..100_000).map(|at| at as f32).collect();
        let array = Array::from_f32s([values.len()], &values).expect("well formed");
        let written = ArrayValues::new(&array, Stats::of(&array));
        assert_eq!(
            (written.elements.len(), written.stats.max, written.stats.finite),
            (MOST_ELEMENTS, 99_999.0, 100_000)
        );
    }
}

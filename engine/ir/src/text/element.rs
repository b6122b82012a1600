//! Elements of constants as text, exact for every dtype: `1`, `0.5`, `inf`, `-nan`, `true`, `key(1, 2)`.
//! The payload of a NaN is not kept.

use pallas_tensor::{Array, Scalar};
use std::fmt::Write;

/// Whether all elements have the same text, so that one stands for all.
fn splat(array: &Array) -> Option<Scalar> {
    let mut elements = array.iter_scalars();
    let first = elements.next()?;
    let same = |scalar: Scalar| match (first, scalar) {
        (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    };
    elements.all(same).then_some(first)
}

/// The data of an array without its type: one element where all are equal, else `dense<[...]>`, nested by dimension.
pub(super) fn write_data(out: &mut String, array: &Array) {
    match splat(array) {
        Some(only) => write_element(out, only, array.dtype().bits() < 64),
        None => {
            out.push_str("dense<");
            let mut elements = array.iter_scalars();
            let single = array.dtype().bits() < 64;
            write_nested(out, array.shape(), &mut elements, single);
            out.push('>');
        }
    }
}

fn write_nested(out: &mut String, shape: &[usize], elements: &mut impl Iterator<Item = Scalar>, single: bool) {
    match shape.split_first() {
        None => {
            if let Some(element) = elements.next() {
                write_element(out, element, single);
            }
        }
        Some((&size, rest)) => {
            out.push('[');
            // Dimensions inside an empty one hold nothing and are not worth writing: the type says the shape.
            let size = if rest.contains(&0) { 0 } else { size };
            for index in 0..size {
                if index > 0 {
                    out.push_str(", ");
                }
                write_nested(out, rest, elements, single);
            }
            out.push(']');
        }
    }
}

/// One element; `single` for floats that `f32` holds exactly, whose shortest text is shorter.
fn write_element(out: &mut String, element: Scalar, single: bool) {
    // Writing to a string does not fail.
    let _ = match element {
        Scalar::Bool(value) => write!(out, "{value}"),
        Scalar::Int(value) => write!(out, "{value}"),
        Scalar::Float(value) => {
            out.push_str(&float(value, single));
            Ok(())
        }
        Scalar::Key([high, low]) => write!(out, "key({high}, {low})"),
    };
}

/// The shortest text that reads back as the same float, always recognisable as one.
pub(super) fn float(value: f64, single: bool) -> String {
    match (value.is_nan(), value.is_sign_negative()) {
        (true, false) => "nan".into(),
        (true, true) => "-nan".into(),
        _ if single => format!("{:?}", value as f32),
        _ => format!("{value:?}"),
    }
}

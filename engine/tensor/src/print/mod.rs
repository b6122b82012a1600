//! numpy's and JAX's text for arrays and scalars, to the letter (numpy 2.4, JAX 0.10.2).
//!
//! Follows numpy/_core/arrayprint.py and jax/_src/array.py. Only text: what to print and where
//! is the caller's.

mod digits;
mod element;
mod layout;
mod options;
mod scalar;

pub use layout::array2string;
pub use options::{FloatMode, PrintOptions, Sign};
pub use scalar::{python_float_repr, scalar_repr, scalar_str};

use crate::array::Array;
use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::shape::Shape;

/// What `print(x)` shows, with numpy's default options.
pub fn numpy_str(array: &Array) -> String {
    numpy_str_with(array, &PrintOptions::default())
}

/// What `print(x)` shows under the given options; the same for numpy and JAX arrays.
pub fn numpy_str_with(array: &Array, options: &PrintOptions) -> String {
    if let Some(overlay) = key_text(array, options) {
        return overlay;
    }
    match array.item() {
        Some(item) if array.rank() == 0 => scalar_str(array.dtype(), item),
        _ => array2string(array, options, " ", "", ""),
    }
}

/// What `repr(x)` of a numpy array shows, `array([1., 2.])`, with numpy's default options.
pub fn numpy_repr(array: &Array) -> String {
    numpy_repr_with(array, &PrintOptions::default())
}

/// What `repr(x)` of a numpy array shows under the given options.
pub fn numpy_repr_with(array: &Array, options: &PrintOptions) -> String {
    if let Some(overlay) = key_text(array, options) {
        return overlay;
    }
    const PREFIX: &str = "array(";
    let body = numpy_repr_body(array, options, PREFIX, ")");
    let dtype = array.dtype();
    let mut extras = Vec::new();
    let empty = array.size() == 0;
    if empty && array.shape().as_ref() != [0] || array.size() > options.threshold {
        extras.push(format!("shape={}", array.shape()));
    }
    let implied = matches!(dtype, DType::Bool | DType::I64 | DType::F64);
    if !implied || empty {
        // Names that are not Python identifiers are quoted.
        let quoted = dtype.name().contains('_');
        extras.push(if quoted { format!("dtype='{dtype}'") } else { format!("dtype={dtype}") });
    }
    if extras.is_empty() {
        return format!("{PREFIX}{body})");
    }
    let extras = format!("{})", extras.join(", "));
    let text = format!("{PREFIX}{body},");
    let last_line = text.len() - text.rfind('\n').map_or(0, |newline| newline + 1);
    let spacer = if last_line + extras.len() + 1 > options.linewidth {
        format!("\n{}", " ".repeat(PREFIX.len()))
    } else {
        " ".to_owned()
    };
    format!("{text}{spacer}{extras}")
}

/// The bracketed, comma-separated elements as they stand between a prefix such as `array(` and a
/// suffix such as `)`: continuation lines are indented by the prefix's length, and lines kept
/// short enough for the suffix.
pub fn numpy_repr_body(array: &Array, options: &PrintOptions, prefix: &str, suffix: &str) -> String {
    array2string(array, options, ", ", prefix, suffix)
}

/// What `repr(x)` of a JAX array shows, `Array(3, dtype=int32, weak_type=True)`, with numpy's
/// default options.
pub fn jax_repr(array: &Array, weak_type: bool) -> String {
    jax_repr_with(array, weak_type, &PrintOptions::default())
}

/// What `repr(x)` of a JAX array shows under the given options.
pub fn jax_repr_with(array: &Array, weak_type: bool, options: &PrintOptions) -> String {
    if let Some(overlay) = key_text(array, options) {
        return overlay;
    }
    const PREFIX: &str = "Array(";
    let weak = if weak_type { ", weak_type=True" } else { "" };
    let dtype = format!("dtype={}{weak}", array.dtype());
    let body = if array.size() == 0 {
        format!("[], shape={}", array.shape())
    } else {
        numpy_repr_body(array, options, PREFIX, ",")
    };
    // The arithmetic of jax/_src/array.py, which looks for the newline from -1 on.
    let last_line = body.len() + 1 - body.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    let spacer =
        if last_line + dtype.len() + 2 > options.linewidth { " ".repeat(PREFIX.len()) } else { " ".to_owned() };
    format!("{PREFIX}{body},{spacer}{dtype})")
}

/// Arrays of random keys show the words underneath (jax/_src/prng.py); `None` for other arrays.
fn key_text(array: &Array, options: &PrintOptions) -> Option<String> {
    let Buffer::Key(keys) = array.buffer() else {
        return None;
    };
    let words = keys.iter().flatten().copied().collect();
    let mut shape: Shape = array.shape().clone();
    shape.push(2);
    let words = Array::from_parts(DType::U32, shape, Buffer::U32(words));
    let (shape, dtype) = (array.shape(), array.dtype());
    Some(format!("Array({shape}, dtype={dtype}) overlaying:\n{}", numpy_str_with(&words, options)))
}

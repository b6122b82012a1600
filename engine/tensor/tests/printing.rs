//! Compares array and scalar texts with those that numpy and JAX printed
//! (data/printing.json, written by tests/goldens/printing.py).

use crate::support::{Report, array_of, list, numbers, positions, text};
use pallas_tensor::print::{
    FloatMode, PrintOptions, Sign, jax_repr, jax_repr_with, numpy_repr_with, numpy_str, numpy_str_with,
    python_float_repr, scalar_repr, scalar_str,
};
use pallas_tensor::{Array, Buffer, Scalar, Shape};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("data/printing.json")).expect("the golden file is JSON")
}

fn options(value: &Value) -> PrintOptions {
    let mut options = PrintOptions::default();
    for (name, value) in value.as_object().expect("options") {
        let number = || value.as_u64().expect("a number") as usize;
        let string = || value.as_str().expect("a string");
        match name.as_str() {
            "precision" => options.precision = number(),
            "threshold" => options.threshold = number(),
            "edgeitems" => options.edgeitems = number(),
            "linewidth" => options.linewidth = number(),
            "suppress" => options.suppress = value.as_bool().expect("a truth value"),
            "nanstr" => options.nanstr = string().to_owned(),
            "infstr" => options.infstr = string().to_owned(),
            "sign" => {
                options.sign = match string() {
                    "+" => Sign::Plus,
                    " " => Sign::Space,
                    _ => Sign::Minus,
                }
            }
            "floatmode" => {
                options.floatmode = match string() {
                    "fixed" => FloatMode::Fixed,
                    "unique" => FloatMode::Unique,
                    "maxprec_equal" => FloatMode::MaxprecEqual,
                    _ => FloatMode::Maxprec,
                }
            }
            other => panic!("unknown option {other}"),
        }
    }
    options
}

#[test]
fn arrays_print_as_in_numpy_and_jax() {
    let mut report = Report::default();
    for case in list(&golden(), "arrays") {
        let shape = positions(case, "shape").into_iter().collect();
        let array = array_of(text(case, "dtype"), shape, &numbers(case, "bits"));
        let options = options(&case["options"]);
        let what = format!("{} {} {}", array.dtype(), array.shape(), case["options"]);
        let label = |kind: &str| format!("{kind} of {what}");
        report.check(&label("str"), &numpy_str_with(&array, &options), text(case, "str"));
        report.check(&label("repr"), &numpy_repr_with(&array, &options), text(case, "repr"));
        report.check(&label("jax str"), &numpy_str_with(&array, &options), text(case, "jax_str"));
        let found = jax_repr_with(&array, false, &options);
        report.check(&label("jax repr"), &found, text(case, "jax_repr"));
    }
    report.finish(4000);
}

#[test]
fn scalars_print_as_in_numpy_and_python() {
    let mut report = Report::default();
    for case in list(&golden(), "scalars") {
        let bits = case["bits"].as_u64().expect("bits");
        let array = array_of(text(case, "dtype"), Shape::scalar(), &[bits]);
        let value = array.item().expect("one element");
        let dtype = array.dtype();
        report.check(&dtype, &scalar_str(dtype, value), text(case, "str"));
        report.check(&dtype, &scalar_repr(dtype, value), text(case, "repr"));
        if let Scalar::Float(value) = value {
            report.check(&"python", &python_float_repr(value), text(case, "python"));
        }
    }
    report.finish(1000);
}

#[test]
fn weak_types_and_keys_are_shown() {
    let mut report = Report::default();
    let golden = golden();
    for case in list(&golden, "weak") {
        let bits = case["bits"].as_u64().expect("bits");
        let array = array_of(text(case, "dtype"), Shape::scalar(), &[bits]);
        report.check(&"weak", &jax_repr(&array, true), text(case, "jax_repr"));
    }
    for case in list(&golden, "keys") {
        let words = numbers(case, "words");
        let keys = words.chunks(2).map(|pair| [pair[0] as u32, pair[1] as u32]);
        let shape: Shape = positions(case, "shape").into_iter().collect();
        let array = Array::new(shape, Buffer::Key(keys.collect())).expect("the sizes agree");
        report.check(&"key str", &numpy_str(&array), text(case, "str"));
        report.check(&"key repr", &jax_repr(&array, false), text(case, "repr"));
    }
    report.finish(8);
}

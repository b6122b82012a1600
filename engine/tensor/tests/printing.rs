//! Compares array and scalar texts with those that numpy and JAX printed
//! (data/printing.json, written by tests/goldens/printing.py).

use pallas_tensor::print::{
    FloatMode, PrintOptions, Sign, jax_repr, jax_repr_with, numpy_repr_with, numpy_str,
    numpy_str_with, python_float_repr, scalar_repr, scalar_str,
};
use pallas_tensor::{Array, Buffer, DType, Scalar, Shape, ops};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("data/printing.json")).expect("the golden file is JSON")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().expect("a list")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect("a string")
}

fn numbers(value: &Value, key: &str) -> Vec<u64> {
    let numbers = list(value, key).iter();
    numbers
        .map(|number| number.as_u64().expect("an unsigned number"))
        .collect()
}

/// The array with these bits, repeated until the shape is full.
fn array(dtype: &str, shape: Shape, bits: &[u64]) -> Array {
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

/// Collects differences, to show how many there are and the first few.
#[derive(Default)]
struct Report {
    checked: usize,
    differences: Vec<String>,
}

impl Report {
    fn check(&mut self, what: &dyn std::fmt::Display, found: &str, expected: &str) {
        self.checked += 1;
        if found != expected {
            let difference = format!("{what}\nfound:\n{found}\nexpected:\n{expected}\n");
            self.differences.push(difference);
        }
    }

    fn finish(self, at_least: usize) {
        let count = self.differences.len();
        let first: String = self.differences.into_iter().take(8).collect();
        assert_eq!(count, 0, "{count} of {} differ:\n{first}", self.checked);
        assert!(self.checked >= at_least, "only {} cases", self.checked);
    }
}

#[test]
fn arrays_print_as_in_numpy_and_jax() {
    let mut report = Report::default();
    for case in list(&golden(), "arrays") {
        let shape = numbers(case, "shape")
            .into_iter()
            .map(|size| size as usize)
            .collect();
        let array = array(text(case, "dtype"), shape, &numbers(case, "bits"));
        let options = options(&case["options"]);
        let what = format!("{} {} {}", array.dtype(), array.shape(), case["options"]);
        let label = |kind: &str| format!("{kind} of {what}");
        report.check(
            &label("str"),
            &numpy_str_with(&array, &options),
            text(case, "str"),
        );
        report.check(
            &label("repr"),
            &numpy_repr_with(&array, &options),
            text(case, "repr"),
        );
        report.check(
            &label("jax str"),
            &numpy_str_with(&array, &options),
            text(case, "jax_str"),
        );
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
        let array = array(text(case, "dtype"), Shape::scalar(), &[bits]);
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
        let array = array(text(case, "dtype"), Shape::scalar(), &[bits]);
        report.check(&"weak", &jax_repr(&array, true), text(case, "jax_repr"));
    }
    for case in list(&golden, "keys") {
        let words = numbers(case, "words");
        let keys = words.chunks(2).map(|pair| [pair[0] as u32, pair[1] as u32]);
        let shape: Shape = numbers(case, "shape")
            .into_iter()
            .map(|size| size as usize)
            .collect();
        let array = Array::new(shape, Buffer::Key(keys.collect())).expect("the sizes agree");
        report.check(&"key str", &numpy_str(&array), text(case, "str"));
        report.check(&"key repr", &jax_repr(&array, false), text(case, "repr"));
    }
    report.finish(8);
}

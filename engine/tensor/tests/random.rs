//! Compares random keys and samples with those of JAX, bit for bit
//! (data/random.json, written by tests/goldens/random_bits.py).

use crate::support::{Report, array, list, numbers, positions, text};
use pallas_tensor::{Array, Buffer, DType, OpError, Scalar, Shape, random};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("data/random.json")).expect("the golden file is JSON")
}

fn words(value: &Value, key: &str) -> [u32; 2] {
    let words = numbers(value, key);
    [words[0] as u32, words[1] as u32]
}

/// Keys as JAX shows their data: one more dimension, of two words.
fn key_data(keys: &Array) -> Array {
    let words = keys.elements::<[u32; 2]>().expect("keys").concat();
    let mut shape = keys.shape().clone();
    shape.push(2);
    Array::new(shape, Buffer::U32(words)).expect("two words each")
}

fn sample(op: &str, key: [u32; 2], parameters: &Value) -> Result<Array, OpError> {
    let shape = || -> Shape { positions(parameters, "shape").into_iter().collect() };
    let dtype = || DType::parse(text(parameters, "dtype")).expect("a dtype");
    let integer = |name: &str| parameters[name].as_i64().expect("an integer");
    let float = |dtype: DType, name: &str| {
        let value = parameters[name].as_f64().expect("a number");
        Array::scalar(dtype, Scalar::Float(value))
    };
    match op {
        "split" => random::split(key, shape()).map(|keys| key_data(&keys)),
        "fold_in" => {
            let folded = random::fold_in(key, integer("data") as u32);
            Array::new([2], Buffer::U32(folded.to_vec()))
        }
        "bits" => random::bits(key, integer("width") as u32, shape()),
        "uniform" => {
            let (low, high) = (float(DType::F64, "low"), float(DType::F64, "high"));
            random::uniform(key, [4, 16], dtype(), &low, &high)
        }
        "normal" => random::normal(key, shape(), dtype()),
        "randint" => {
            let limit = |name: &str| Array::scalar(DType::I64, Scalar::from(integer(name)));
            random::randint(key, [3, 7], &limit("low"), &limit("high"), dtype())
        }
        "bernoulli" => random::bernoulli(key, &float(DType::F32, "p"), [50]),
        "permutation" => {
            let elements: Vec<i32> = (0..shape().size() as i32).collect();
            let array = Array::from_i32s(shape(), &elements)?;
            random::permutation(key, &array, integer("axis") as usize)
        }
        other => panic!("unknown sampler {other}"),
    }
}

#[test]
fn seeds_make_the_same_keys() {
    let golden = golden();
    for case in list(&golden, "seeds") {
        let seed = case["seed"].as_i64().expect("an integer");
        let x64 = case["x64"].as_bool().expect("a flag");
        assert_eq!(random::seed(seed, x64), words(case, "words"), "{seed} {x64}");
    }
}

#[test]
fn samples_have_the_same_bits() {
    let mut report = Report::default();
    for case in list(&golden(), "samples") {
        let op = text(case, "op");
        let what = format!("{op} {} of {}", case["parameters"], case["key"]);
        match sample(op, words(case, "key"), &case["parameters"]) {
            Ok(found) => report.check_array(&what, &found, &array(&case["result"])),
            Err(error) => report.check(&what, &error.to_string(), ""),
        }
    }
    report.finish(200);
}

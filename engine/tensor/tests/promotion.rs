//! Compares type promotion with JAX and numpy, every pair of dtypes
//! (data/promotion.json, written by tests/goldens/promotion.py).

use pallas_tensor::{Casting, DType, can_cast, numpy_promote, promote};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("data/promotion.json")).expect("the golden file is JSON")
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn dtype(value: &Value) -> Option<DType> {
    value.as_str().map(|name| DType::parse(name).expect("a dtype"))
}

/// A `[name, flag]` pair, or nothing where JAX raised.
fn flagged(value: &Value) -> Option<(DType, bool)> {
    Some((dtype(&value[0])?, value[1].as_bool()?))
}

#[test]
fn jax_promotes_every_pair_alike() {
    let golden = golden();
    for (name, x64) in [("x32", false), ("x64", true)] {
        let pairs = rows(&golden["jax"][name]);
        assert!(pairs.len() > 300);
        for pair in pairs {
            let operands = [&pair[0], &pair[1]].map(|operand| flagged(operand).expect("operands"));
            assert_eq!(promote(&operands, x64), flagged(&pair[2]), "{operands:?} {name}");
        }
    }
    for case in rows(&golden["jax"]["triples_x32"]) {
        let operands = rows(&case[0]).iter().map(|operand| flagged(operand).expect("operands"));
        let operands: Vec<_> = operands.collect();
        assert_eq!(promote(&operands, false), flagged(&case[1]), "{operands:?}");
    }
    assert_eq!(promote(&[(DType::I32, true)], false), Some((DType::I32, true)));
    assert_eq!(promote(&[], false), None);
    assert_eq!(promote(&[(DType::Key, false), (DType::F32, false)], false), None);
}

#[test]
fn numpy_promotes_every_pair_alike() {
    let golden = golden();
    assert!(rows(&golden["numpy"]).len() >= 460);
    for case in rows(&golden["numpy"]) {
        let first = (dtype(&case[0]).expect("a dtype"), false);
        let second = match case[1].as_str().expect("a name") {
            "python bool" => (DType::Bool, true),
            "python int" => (DType::I64, true),
            "python float" => (DType::F64, true),
            name => (DType::parse(name).expect("a dtype"), false),
        };
        assert_eq!(numpy_promote(&[first, second]), dtype(&case[2]), "{first:?} {second:?}");
    }
}

#[test]
fn numpy_casts_alike() {
    for case in rows(&golden()["can_cast"]) {
        let [from, to] = [&case[0], &case[1]].map(|name| dtype(name).expect("a dtype"));
        let expected = [&case[2][0], &case[2][1]].map(|flag| flag.as_bool().expect("a flag"));
        let found = [Casting::Safe, Casting::SameKind].map(|casting| can_cast(from, to, casting));
        assert_eq!(found, expected, "{from} to {to}");
    }
}

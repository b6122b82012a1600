//! Compares array operations with what JAX computes on the CPU, bit for bit
//! (data/operations.json, written by tests/goldens/operations.py).

use crate::support::{self, Report, array, list, positions, text};
use pallas_tensor::ops::{self, BinaryOp, CompareOp, CumulativeOp, DotDimensions, PadDimension, ReduceOp, UnaryOp};
use pallas_tensor::{Array, DType, OpError};
use serde_json::Value;

fn unary_op(name: &str) -> UnaryOp {
    match name {
        "round_even" => UnaryOp::RoundEven,
        name => UnaryOp::all().find(|op| op.name() == name).expect("an operation"),
    }
}

fn dtype(parameters: &Value) -> DType {
    DType::parse(text(parameters, "dtype")).expect("a dtype")
}

fn position(parameters: &Value, key: &str) -> usize {
    parameters[key].as_u64().expect("a number") as usize
}

fn run(op: &str, parameters: &Value, operands: &[Array]) -> Result<Vec<Array>, OpError> {
    let name = parameters["name"].as_str().unwrap_or_default();
    let first = || operands[0].clone();
    let second = || operands[1].clone();
    let flag = |key: &str| parameters[key].as_bool().expect("a flag");
    let one = match op {
        "unary" | "function" => ops::unary(unary_op(name), first())?,
        "integer_pow" => {
            let exponent = parameters["exponent"].as_i64().expect("a number");
            ops::integer_pow(first(), exponent as i32)?
        }
        "binary" | "function2" => {
            let op = BinaryOp::all().find(|op| op.name() == name).expect("an operation");
            // The same whichever operand's buffer is reused.
            let shared = ops::binary(op, operands[0].clone(), operands[1].clone())?;
            let left_copy = ops::reshape(&operands[0], operands[0].shape().clone())?;
            let mut unique = operands[1].clone();
            unique.make_mut();
            assert!(support::agree(&shared, &ops::binary(op, left_copy, unique)?));
            shared
        }
        "compare" => {
            let op = CompareOp::all().find(|op| op.name() == name).expect("a comparison");
            ops::compare(op, &operands[0], &operands[1])?
        }
        "clamp" => ops::clamp(&operands[0], second(), &operands[2])?,
        "convert" => ops::convert(&operands[0], dtype(parameters))?,
        "bitcast" => ops::bitcast_convert(&operands[0], dtype(parameters))?,
        "reduce" => {
            let op = match name {
                "sum" => ReduceOp::Sum,
                "prod" => ReduceOp::Prod,
                "max" => ReduceOp::Max,
                "min" => ReduceOp::Min,
                "and" => ReduceOp::And,
                _ => ReduceOp::Or,
            };
            ops::reduce(op, &operands[0], &positions(parameters, "axes"))?
        }
        "argmax" | "argmin" => {
            let axis = position(parameters, "axis");
            ops::arg_extreme(&operands[0], axis, op == "argmax", DType::I32)?
        }
        "cumulative" => {
            let op = match name {
                "cumsum" => CumulativeOp::Sum,
                "cumprod" => CumulativeOp::Prod,
                "cummax" => CumulativeOp::Max,
                "cummin" => CumulativeOp::Min,
                _ => CumulativeOp::LogSumExp,
            };
            let axis = position(parameters, "axis");
            ops::cumulative(op, &operands[0], axis, flag("reverse"))?
        }
        "dot" => {
            let pair = |key: &str| -> Vec<Vec<usize>> {
                let axes = |value: &Value| -> Vec<usize> {
                    let axes = value.as_array().expect("axes").iter();
                    axes.map(|axis| axis.as_u64().expect("an axis") as usize).collect()
                };
                list(parameters, key).iter().map(axes).collect()
            };
            let (contracting, batch) = (pair("contracting"), pair("batch"));
            let dimensions = DotDimensions {
                left_contracting: contracting[0].clone(),
                right_contracting: contracting[1].clone(),
                left_batch: batch[0].clone(),
                right_batch: batch[1].clone(),
                in_order: false,
            };
            ops::dot_general(&operands[0], &operands[1], &dimensions, dtype(parameters))?
        }
        "sort" => {
            let keys = position(parameters, "keys");
            return ops::sort(operands, position(parameters, "axis"), keys);
        }
        "argsort" => {
            let axis = position(parameters, "axis");
            ops::argsort(&operands[0], axis, flag("descending"), DType::I64)?
        }
        "top_k" => {
            let count = position(parameters, "count");
            let (values, indices) = ops::top_k(&operands[0], count, DType::I32)?;
            return Ok(vec![values, indices]);
        }
        "pad" => {
            let padding: Vec<PadDimension> = list(parameters, "padding")
                .iter()
                .map(|dimension| PadDimension {
                    low: dimension[0].as_i64().expect("a number"),
                    high: dimension[1].as_i64().expect("a number"),
                    interior: dimension[2].as_u64().expect("a number") as usize,
                })
                .collect();
            ops::pad(&operands[0], &operands[1], &padding)?
        }
        other => panic!("unknown operation {other}"),
    };
    Ok(vec![one])
}

/// Whether floats agree to a few units in the last place (of the largest, for sums).
fn near(found: &Array, expected: &Array) -> bool {
    let values = |array: &Array| -> Vec<f64> { array.iter_scalars().filter_map(|value| value.as_f64()).collect() };
    let Some(info) = expected.dtype().finfo() else {
        return support::agree(found, expected);
    };
    let finite = |value: &f64| value.is_finite();
    let largest = values(expected).into_iter().filter(finite).fold(0.0, |x: f64, y| x.max(y.abs()));
    let same = |(x, y): (f64, f64)| {
        let error = (x - y).abs();
        let within = error <= 16.0 * info.eps * y.abs() || error <= info.eps * largest.min(16.0);
        within || x == y || x.is_nan() && y.is_nan()
    };
    found.shape() == expected.shape() && values(found).into_iter().zip(values(expected)).all(same)
}

fn check(kinds: &[&str], at_least: usize) {
    let cases: Value = serde_json::from_str(include_str!("data/operations.json")).expect("the golden file is JSON");
    let mut report = Report::default();
    for case in cases.as_array().expect("a list of cases") {
        let op = text(case, "op");
        if !kinds.contains(&op) {
            continue;
        }
        let operands: Vec<Array> = list(case, "operands").iter().map(array).collect();
        let expected: Vec<Array> = list(case, "results").iter().map(array).collect();
        let dtypes = operands.iter().map(|operand| format!("{}{}", operand.dtype(), operand.shape()));
        let dtypes = dtypes.collect::<Vec<_>>().join(", ");
        let what = format!("{op} {} of {dtypes}", case["parameters"]);
        match run(op, &case["parameters"], &operands) {
            Ok(found) if case["near"] == true => {
                for (found, expected) in found.iter().zip(&expected) {
                    if !near(found, expected) {
                        report.check_array(&what, found, expected);
                    }
                }
            }
            Ok(found) => {
                for (found, expected) in found.iter().zip(&expected) {
                    report.check_array(&what, found, expected);
                }
            }
            Err(error) => report.check(&what, &error.to_string(), ""),
        }
    }
    report.finish(at_least);
}

#[test]
fn unary_operations() {
    check(&["unary", "integer_pow"], 200);
}

#[test]
fn functions() {
    check(&["function", "function2"], 100);
}

#[test]
fn binary_operations() {
    check(&["binary", "compare", "clamp"], 300);
}

#[test]
fn conversions() {
    check(&["convert", "bitcast"], 400);
}

#[test]
fn reductions() {
    check(&["reduce", "argmax", "argmin"], 300);
}

#[test]
fn cumulative_operations() {
    check(&["cumulative"], 100);
}

#[test]
fn dot_products() {
    check(&["dot"], 80);
}

#[test]
fn sorting() {
    check(&["sort", "argsort", "top_k"], 30);
}

#[test]
fn padding() {
    check(&["pad"], 7);
}

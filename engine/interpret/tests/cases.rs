//! Launches against what JAX's interpret mode gives: `cases/*.case`, written by tests/goldens/interpret.py. A case is a
//! function that yields the inputs, one that yields the expected outputs, and the launch.

use pallas_interpret::{NoHooks, run_function, run_launch};
use pallas_ir::text::{parse_function, parse_launch};
use pallas_ir::verify_launch;
use pallas_tensor::{Array, Scalar};
use std::path::PathBuf;

/// Equal bit by bit, NaNs among themselves.
fn same(left: &Array, right: &Array) -> bool {
    let equal = |(a, b): (Scalar, Scalar)| match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    };
    left.dtype() == right.dtype()
        && left.shape() == right.shape()
        && left.iter_scalars().zip(right.iter_scalars()).all(equal)
}

fn run(text: &str) -> Result<(), String> {
    let mut parts = text.split("\n---\n");
    let mut next = || parts.next().ok_or("a part is missing");
    let (inputs, expected, launch) = (next()?, next()?, next()?);
    let arrays = |text: &str| -> Result<Vec<Array>, String> {
        let function = parse_function(text).map_err(|e| e.to_string())?;
        run_function(&function, Vec::new(), &mut NoHooks).map_err(|e| e.to_string())
    };
    let launch = parse_launch(launch).map_err(|e| e.to_string())?;
    let problems = verify_launch(&launch);
    if let Some(problem) = problems.first() {
        return Err(problem.to_string());
    }
    let found = run_launch(&launch, arrays(inputs)?, &mut NoHooks).map_err(|e| e.to_string())?;
    let expected = arrays(expected)?;
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        if !same(found, expected) {
            return Err(format!(
                "output {index}\n{}\nshould be\n{}",
                pallas_tensor::print::numpy_str(found),
                pallas_tensor::print::numpy_str(expected)
            ));
        }
    }
    match found.len() == expected.len() {
        true => Ok(()),
        false => Err(format!("{} outputs, {} expected", found.len(), expected.len())),
    }
}

#[test]
fn launches_give_what_jax_gives() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut count = 0;
    let mut failures = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the cases are part of the repository") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        count += 1;
        if let Err(message) = run(&text) {
            let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
            failures.push(format!("{name}: {message}"));
        }
    }
    assert!(count > 30, "cases are missing");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

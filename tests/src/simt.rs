//! A launch through the simulator of the SIMT IR, and the same in interpret mode, on the same made-up arrays.

use pallas_ir::{Launch, Role};
use pallas_simt::{Architecture, compile, sim};
use pallas_tensor::{Array, DType, Kind, Scalar};

/// Instructions that a launch may take in the simulator.
const FUEL: u64 = 4_000_000;

/// What became of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both computed the same, within the tolerance of the dtype, and nobody complained.
    Equal,
    /// Interpret mode does not run it on made-up arrays: nothing to compare with.
    NotInterpreted(String),
    /// It is not lowered, and why.
    Refused(String),
    /// The simulator stopped, complained, or computed something else.
    Wrong(String),
}

/// Runs a launch both ways.
pub fn compare(launch: &Launch) -> Outcome {
    let mut launch = launch.clone();
    for axis in std::mem::take(&mut launch.dynamic) {
        launch.grid[axis] = 2;
    }
    let inputs = inputs(&launch);
    let expected = match pallas_interpret::run_launch(&launch, inputs.clone(), &mut Patience(FUEL)) {
        Ok(expected) => expected,
        Err(error) => return Outcome::NotInterpreted(error.to_string()),
    };
    let program = match compile(&launch, Architecture::meant_by(&launch)) {
        Ok(program) => program,
        Err(refusal) => return Outcome::Refused(refusal.message),
    };
    let (outputs, report) = match sim::run(&program, &inputs, FUEL) {
        Ok(result) => result,
        Err(fault) => return Outcome::Wrong(format!("the simulator stopped: {fault}")),
    };
    if let Some(complaint) = report.complaints.first() {
        return Outcome::Wrong(format!("the simulator saw {complaint}"));
    }
    against(&outputs, &expected)
}

/// Whether outputs are those of interpret mode.
pub(crate) fn against(outputs: &[Array], expected: &[Array]) -> Outcome {
    if outputs.len() != expected.len() {
        return Outcome::Wrong(format!("{} outputs, should be {}", outputs.len(), expected.len()));
    }
    for (number, (output, expected)) in outputs.iter().zip(expected).enumerate() {
        if let Some(difference) = difference(output, expected) {
            return Outcome::Wrong(format!("output {number}: {difference}"));
        }
    }
    Outcome::Equal
}

/// Stops a run that made-up arrays keep from ending.
pub(crate) struct Patience(pub(crate) u64);

impl pallas_interpret::Hooks for Patience {
    fn cancelled(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }
}

/// Arrays for prefetched scalars and inputs, the same every time.
pub fn inputs(launch: &Launch) -> Vec<Array> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let of_four_bits = launch.operands.iter().any(|operand| operand.array.dtype == DType::F4E2M1Fn);
    let operands = launch.operands.iter().filter(|operand| operand.role != Role::Output);
    operands
        .map(|operand| {
            let dtype = operand.array.dtype;
            let mut second = 0;
            let elements: Vec<Scalar> = (0..operand.array.shape.size())
                .map(|number| match dtype.kind() {
                    // Which two of four terms a sparse factor has: the second one stands behind the first.
                    _ if dtype == DType::U2 => {
                        let [first, behind] = PLACES[next() as usize % PLACES.len()];
                        let place = if number % 2 == 0 { first } else { second };
                        second = behind;
                        Scalar::Int(place)
                    }
                    Kind::Bool => Scalar::Bool(next().is_multiple_of(2)),
                    // Scales of factors of four bits have no sign.
                    Kind::Float if of_four_bits && dtype == DType::F8E4M3Fn => {
                        Scalar::Float(f64::from(next() % 4096) / 1024.0).cast(dtype)
                    }
                    Kind::Float => Scalar::Float(f64::from(next() % 4096) / 1024.0 - 2.0).cast(dtype),
                    // Small ones, since some are indices; none is 0, which some loops never end with.
                    Kind::Signed | Kind::Unsigned => Scalar::Int(i128::from(1 + next() % 7)).cast(dtype),
                    Kind::Key => Scalar::Key([next(), next()]),
                })
                .collect();
            Array::from_scalars(dtype, operand.array.shape.clone(), &elements).expect("an array of the operand's type")
        })
        .collect()
}

/// Two places among four.
const PLACES: [[i128; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// How far two floats may be apart, relative to the larger and absolutely.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-11,
        DType::F32 => 2e-4,
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        _ => 0.13,
    }
}

pub(crate) fn difference(found: &Array, expected: &Array) -> Option<String> {
    if found.size() != expected.size() || found.dtype() != expected.dtype() {
        return Some("another type".to_string());
    }
    let tolerance = tolerance(expected.dtype());
    for (element, (a, b)) in found.iter_scalars().zip(expected.iter_scalars()).enumerate() {
        let equal = match (a, b) {
            (Scalar::Float(a), Scalar::Float(b)) => {
                (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
            }
            (a, b) => a == b,
        };
        if !equal {
            return Some(format!("element {element} is {a:?}, should be {b:?}"));
        }
    }
    None
}

/// A kernel for each expression of a table, whose first columns are the expression, what `x` is, and the type of the result.
pub fn expressions(rows: &str) -> String {
    let mut text = PRELUDE.to_string();
    for (number, row) in rows.lines().enumerate() {
        let [expression, x, out] = row.split('\t').take(3).collect::<Vec<_>>()[..] else {
            unreachable!("`{row}` has no three columns");
        };
        text.push_str(&format!("\ndef expression_{}(x_ref, o_ref):\n    x = x_ref[...]\n", number + 1));
        text.push_str(&format!("    o_ref[...] = {expression}\n\n"));
        text.push_str(&format!("ask(expression_{}, ({x}), ({out}))\n", number + 1));
    }
    text
}

const PRELUDE: &str = "\
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

def ask(kernel, x, out):
    launch = pl.pallas_call(kernel, grid=(1,), out_shape=jax.ShapeDtypeStruct(*out))
    jax.eval_shape(launch, jax.ShapeDtypeStruct(*x))
";

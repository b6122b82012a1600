//! Runs the SIMT IR without a GPU, all threads of a block in lockstep: the definition of the IR, and its test. A value is one
//! array with an element for each register of each thread, and scalar ops are evaluated as interpret mode evaluates them, so
//! that results differ only where the order of a sum does. Blocks run one after the other; what they do to each other is seen
//! by who touched which element last.

mod access;
mod actor;
mod ahead;
mod boxes;
mod claims;
mod clock;
mod control;
mod inst;
mod matrix;
mod memory;
mod phases;
mod products;
mod report;
mod sparse;
mod tensor;
mod tensor_copies;
mod world;

pub use report::{Complaint, Kind, Report};

use crate::ir::{Kernel, Memory, Space, TensorProduct};
use crate::lower::random;
use crate::{Initial, ParamKind, Program, pairs};
use memory::Ram;
use pallas_syntax::Span;
use pallas_tensor::{Array, Scalar, ops};
use std::fmt;
use world::World;

/// Why a simulation stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// In words.
    pub message: String,
    /// The Pallas source of the instruction.
    pub span: Span,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Runs a program. `inputs` are the launch's prefetched scalars and inputs in order; the result holds its outputs in order.
/// `fuel` is how many instructions it may take, each counted once for a block.
///
/// # Errors
/// What no hardware would do: values that are not there, control flow that threads disagree on, too long a run.
pub fn run(program: &Program, inputs: &[Array], fuel: u64) -> Result<(Vec<Array>, Report), Fault> {
    let fault = |message: &str| Fault { message: message.to_string(), span: Span::default() };
    let mut arrays: Vec<(usize, Array)> = Vec::new();
    let mut outputs = Vec::new();
    for param in &program.params {
        let ParamKind::Operand { operand, initial } = &param.kind else { continue };
        // Inputs stand before outputs, and count from 0.
        let given =
            |number: usize| inputs.get(number).map(random::in_memory).ok_or_else(|| fault("an input is missing"));
        let array = match initial {
            Initial::Given => given(*operand)?,
            Initial::GivenInPairs => pairs::packed(&given(*operand)?).map_err(|error| fault(&error.to_string()))?,
            Initial::CopyOf(other) => given(*other)?,
            Initial::Fill(value) => {
                Array::full(param.dtype, [param.len].as_slice(), *value).map_err(|error| fault(&error.to_string()))?
            }
        };
        if array.size() != param.len || array.dtype() != param.dtype {
            return Err(fault("an input does not have the type of the operand"));
        }
        let flat = ops::reshape(&array, [param.len].as_slice()).map_err(|error| fault(&error.to_string()))?;
        arrays.push((*operand, flat));
        if !matches!(initial, Initial::Given | Initial::GivenInPairs) {
            outputs.push((*operand, param.keys));
        }
    }
    let (arrays, report) = run_kernel(&program.kernel, arrays, fuel)?;
    let of = |(operand, keys): &(usize, bool)| {
        let (_, array) = arrays.iter().find(|(other, _)| other == operand)?;
        if *keys { random::from_memory(array) } else { Some(array.clone()) }
    };
    Ok((outputs.iter().filter_map(of).collect(), report))
}

/// Runs a kernel on arrays of its operands, by their numbers.
///
/// # Errors
/// As [`run`].
pub fn run_kernel(
    kernel: &Kernel,
    arrays: Vec<(usize, Array)>,
    fuel: u64,
) -> Result<(Vec<(usize, Array)>, Report), Fault> {
    let mut arrays = arrays;
    let mut memories = Vec::new();
    for memory in &kernel.memories {
        let array = match &memory.space {
            Space::Operand { operand, .. } => {
                let position = arrays.iter().position(|(other, _)| other == operand);
                position.map(|position| arrays.swap_remove(position).1)
            }
            Space::Constant(array) => ops::reshape(array, [array.size()].as_slice()).ok(),
            Space::Tensor => fresh(memory, memory.len * TensorProduct::LANES),
            Space::Phases { .. } | Space::Registers => fresh(memory, memory.len),
            Space::Shared | Space::Team | Space::Workspace => fresh(memory, memory.len),
        };
        let array = array.ok_or_else(|| Fault {
            message: format!("there is no array for {}", memory.name),
            span: Span::default(),
        })?;
        let constant = matches!(memory.space, Space::Constant(_) | Space::Operand { constant: true, .. });
        let own = matches!(memory.space, Space::Shared | Space::Team | Space::Tensor | Space::Workspace);
        let shared = matches!(memory.space, Space::Shared | Space::Team | Space::Tensor);
        let ram = Ram::new(&memory.name, array, shared, own, constant);
        memories.push(if memory.begins.is_some() { ram.filled() } else { ram });
    }
    let mut world = World::new(kernel, memories, fuel);
    while let Some(first) = world.claims.begin() {
        world.run(first)?;
    }
    let mut report = world.report;
    report.notes = world.clock.words;
    let operands = kernel.memories.iter().zip(world.rams).filter_map(|(memory, ram)| match memory.space {
        Space::Operand { operand, .. } => Some((operand, ram.array)),
        _ => None,
    });
    Ok((operands.collect(), report))
}

/// An array that nobody has written.
fn fresh(memory: &Memory, len: usize) -> Option<Array> {
    let element = memory.begins.unwrap_or_else(|| Scalar::zero(memory.dtype));
    Array::full(memory.dtype, [len].as_slice(), element).ok()
}

/// Whether registers are neighbours in memory, so many at a time, from a multiple of their number on. Masked off are all or none.
fn is_wide(indices: &[i64], threads: usize, vector: usize) -> bool {
    indices.chunks(vector * threads).all(|group| {
        (0..threads).all(|thread| {
            let first = group[thread];
            (1..vector).all(|n| group[n * threads + thread] == if first < 0 { first } else { first + n as i64 })
                && (first < 0 || first % vector as i64 == 0)
        })
    })
}

fn fault(message: String) -> Fault {
    Fault { message, span: Span::default() }
}

impl From<pallas_tensor::OpError> for Fault {
    fn from(error: pallas_tensor::OpError) -> Fault {
        fault(error.to_string())
    }
}

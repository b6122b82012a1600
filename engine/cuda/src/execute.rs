//! A launch from arrays to arrays: its program's parameters filled, run on a device, and read back.

use crate::bytes::{array, bytes};
use crate::device::Device;
use crate::failure::Failure;
use crate::launch::{Memory, Outcome, Work, run};
use pallas_ir::{Launch, Role};
use pallas_simt::{Initial, ParamKind, Program};
use pallas_tensor::{Array, Shape};

/// After how many seconds a kernel is given up.
pub const PATIENCE: u64 = 30;

/// Runs a program that was compiled from a launch on the arrays of its prefetched scalars and inputs. Gives its outputs, and
/// for how many microseconds the device worked.
///
/// # Errors
/// What went wrong on the device.
pub fn execute(
    device: &mut dyn Device,
    launch: &Launch,
    program: &Program,
    cubin: &[u8],
    inputs: &[Array],
) -> Result<(Vec<Array>, f64), Failure> {
    let initials = initials(launch, program, inputs);
    let work = work(launch, program, cubin, &initials);
    let Outcome { contents, microseconds } = run(device, &work)?;
    let mut contents = contents.into_iter();
    let mut results: Vec<Option<Array>> = launch.operands.iter().map(|_| None).collect();
    for param in &program.params {
        if let Some(operand) = output(launch, &param.kind) {
            let ty = &launch.operands[operand].array;
            results[operand] = contents.next().and_then(|content| array(ty.dtype, &ty.shape, &content));
        }
    }
    let mut outputs = Vec::new();
    for (number, operand) in launch.with_role(Role::Output) {
        // An output that the kernel never touches has no parameter: it is as it began.
        let untouched = || Array::zeros(operand.array.dtype, operand.array.shape.clone()).ok();
        outputs.extend(results[number].take().or_else(untouched));
    }
    Ok((outputs, microseconds))
}

/// What each parameter holds before the launch; `None`: anything.
pub fn initials(launch: &Launch, program: &Program, inputs: &[Array]) -> Vec<Option<Vec<u8>>> {
    program.params.iter().map(|param| initial(launch, &param.kind, param.dtype, param.len, inputs)).collect()
}

/// A program as work for a device.
pub fn work<'a>(launch: &Launch, program: &'a Program, cubin: &'a [u8], initials: &'a [Option<Vec<u8>>]) -> Work<'a> {
    let memories = program.params.iter().zip(initials).map(|(param, initial)| Memory {
        bytes: param.len.saturating_mul(param.dtype.size_bytes()),
        initial: initial.as_deref(),
        wanted: output(launch, &param.kind).is_some(),
    });
    Work {
        cubin,
        entry: &program.entry,
        blocks: program.blocks,
        threads: program.threads,
        shared: program.shared_bytes,
        memories: memories.collect(),
        patience: PATIENCE,
    }
}

/// The operand that a parameter is the output of.
fn output(launch: &Launch, kind: &ParamKind) -> Option<usize> {
    match kind {
        ParamKind::Operand { operand, .. } if launch.operands.get(*operand)?.role == Role::Output => Some(*operand),
        _ => None,
    }
}

/// What a parameter's memory holds before the launch.
fn initial(
    launch: &Launch,
    kind: &ParamKind,
    dtype: pallas_tensor::DType,
    len: usize,
    inputs: &[Array],
) -> Option<Vec<u8>> {
    let ParamKind::Operand { operand, initial } = kind else { return None };
    // Outputs are not given: inputs are counted without them.
    let given = |operand: usize| {
        let before = launch.operands.iter().take(operand).filter(|operand| operand.role != Role::Output);
        inputs.get(before.count()).map(bytes)
    };
    match initial {
        Initial::Given => given(*operand),
        Initial::CopyOf(other) => given(*other),
        Initial::Fill(value) => Array::full(dtype, Shape::from(vec![len]), *value).ok().map(|array| bytes(&array)),
    }
}

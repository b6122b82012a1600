//! The simulator of the SIMT IR as a device: what the threads of a GPU would do, in lockstep, on the CPU. Slow, and needs nothing.

use super::{Accelerator, NotRun, Ran};
use pallas_ir::{Launch, Role};
use pallas_simt::{Architecture, Options, compile_with, sim};
use pallas_tensor::{Array, ops};

/// How many instructions a launch may take, each counted once for a block.
const FUEL: u64 = 2_000_000_000;

/// A GPU that is simulated: an H100.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator {
    /// Whether kernels tell of positions outside of their Refs.
    pub checked: bool,
}

impl Accelerator for Simulator {
    fn name(&self) -> String {
        "the simulator".to_string()
    }

    fn run(&mut self, launch: &Launch, inputs: &[Array]) -> Result<Ran, NotRun> {
        let options = Options { architecture: Architecture::HOPPER, checked: self.checked };
        let program = compile_with(launch, options).map_err(|refusal| NotRun {
            message: refusal.message,
            span: Some(refusal.span),
            help: refusal.help,
        })?;
        let stopped = |message: String, span| NotRun { message, span, help: None };
        let (flat, report) =
            sim::run(&program, inputs, FUEL).map_err(|fault| stopped(fault.message.clone(), Some(fault.span)))?;
        let mut outputs = Vec::new();
        for ((_, operand), array) in launch.with_role(Role::Output).zip(flat) {
            let shaped = ops::reshape(&array, operand.array.shape.clone());
            outputs.push(shaped.map_err(|error| stopped(error.to_string(), None))?);
        }
        if outputs.len() != launch.with_role(Role::Output).count() {
            return Err(stopped("the program has no memory for one of the outputs".to_string(), None));
        }
        let seen = report.complaints.iter().map(|complaint| {
            let (kind, memory) = (complaint.kind.words(), &complaint.memory);
            if complaint.kind == sim::Kind::Outside {
                return (format!("{memory}, in block {}", complaint.block), complaint.span);
            }
            (format!("{kind}: {memory} at element {} in block {}", complaint.element, complaint.block), complaint.span)
        });
        Ok(Ran { outputs, microseconds: None, seen: seen.collect(), printed: report.printed })
    }
}

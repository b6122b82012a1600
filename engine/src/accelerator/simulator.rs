//! The simulator of the SIMT IR as a device: what the threads of a GPU would do, in lockstep, on the CPU. Slow, and needs nothing.

use super::{Accelerator, NotRun, Ran};
use pallas_ir::{Launch, Role};
use pallas_simt::{Architecture, compile, sim};
use pallas_tensor::{Array, ops};

/// How many instructions a launch may take, each counted once for a block.
const FUEL: u64 = 2_000_000_000;

/// A GPU that is simulated: an H100.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator;

impl Accelerator for Simulator {
    fn name(&self) -> String {
        "the simulator".to_string()
    }

    fn run(&mut self, launch: &Launch, inputs: &[Array]) -> Result<Ran, NotRun> {
        let program = compile(launch, Architecture::HOPPER).map_err(|refusal| NotRun {
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
            (format!("{kind}: {memory} at element {} in block {}", complaint.element, complaint.block), complaint.span)
        });
        Ok(Ran { outputs, microseconds: None, seen: seen.collect(), printed: report.printed })
    }
}

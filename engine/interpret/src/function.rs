//! Host functions: tapes of tiles that run once, outside of launches. Elementwise operations on many elements are put off until
//! somebody wants their results, as those outside of functions: then they go through memory together, on all cores.

use crate::error::RunError;
use crate::hooks::Hooks;
use crate::machine::{Machine, Value, registers};
use crate::memory::Memory;
use crate::tape::Tape;
use pallas_ir::{Function, Interpretation};
use pallas_tensor::{Array, deferring};

/// A host function ready to run.
#[derive(Debug)]
pub struct FunctionPlan {
    tape: Tape,
}

impl FunctionPlan {
    /// Flattens a function of tiles; the launches that it makes are prepared too.
    ///
    /// # Errors
    /// If it is not well formed.
    pub fn new(function: &Function) -> Result<FunctionPlan, RunError> {
        let tape = Tape::new(function)?;
        Ok(FunctionPlan { tape })
    }

    /// Runs it.
    ///
    /// # Errors
    /// If an op fails, the number of arguments is wrong, or the hooks cancel.
    pub fn run(&self, args: Vec<Array>, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        let body = &self.tape.body;
        if args.len() != body.params.len() {
            return Err(RunError::malformed(format!(
                "the function takes {} arguments, got {}",
                body.params.len(),
                args.len()
            )));
        }
        let mut registers = registers(&self.tape);
        let mut machine = Machine {
            registers: &mut registers,
            memory: &mut Memory::default(),
            ids: &[],
            grid: &[],
            hooks,
            tape: &self.tape,
            interpretation: Interpretation::Unsaid,
            places: None,
        };
        machine.enter(body, args.into_iter().map(Value::Tile));
        deferring(|| machine.run(body))?;
        machine
            .yields(body)?
            .into_iter()
            .map(|value| match value {
                Value::Tile(array) => Ok(array),
                _ => Err(RunError::malformed("a function yields a Ref")),
            })
            .collect()
    }
}

/// Runs a host function once.
///
/// # Errors
/// As [`FunctionPlan::new`] and [`FunctionPlan::run`].
pub fn run_function(function: &Function, args: Vec<Array>, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
    FunctionPlan::new(function)?.run(args, hooks)
}

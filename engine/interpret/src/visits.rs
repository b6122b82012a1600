//! Blocks that JAX's simulator of devices refuses: those outside of their arrays, and those of outputs that a core comes back
//! to. A TPU writes a block back when the next program has another one and does not
//! fetch it again, so a launch may not go away from a block of an output and come back
//! (`_check_for_revisiting` of jax/_src/pallas/mosaic/interpret/interpret_pallas_call.py).

use crate::block_plan::{BlockPlan, Starts};
use crate::error::RunError;
use pallas_tensor::Shape;
use std::collections::HashMap;

/// What one core has seen of one output.
#[derive(Debug, Default)]
pub(crate) struct Visits {
    /// For each block the ids of the first and of the last program that had it.
    blocks: HashMap<Starts, [Vec<usize>; 2]>,
    last: Option<Starts>,
}

impl Visits {
    /// A program has a block.
    ///
    /// # Errors
    /// If it was had before by programs that are not the last ones.
    pub(crate) fn visit(
        &mut self,
        output: usize,
        plan: &BlockPlan,
        starts: &Starts,
        ids: &[usize],
    ) -> Result<(), RunError> {
        if self.last.as_ref() == Some(starts) {
            if let Some(known) = self.blocks.get_mut(starts) {
                known[1] = ids.to_vec();
            }
            return Ok(());
        }
        if let Some([first, last]) = self.blocks.get(starts) {
            let tuple = |ids: &[usize]| Shape::from(ids).to_string();
            let ranges: Vec<String> = starts
                .iter()
                .zip(plan.block().iter())
                .map(|(&start, &size)| format!("{start}:{}", start + size as i64))
                .collect();
            return Err(RunError::eval(format!(
                "Revisited block ({}) of output {output} in iteration {}. The block was previously visited in iterations {} \
                 through {} . A TPU writes a block of an output back once, when another block takes its place: change the \
                 order of the grid's axes, so that programs with the same block follow each other",
                ranges.join(", "),
                tuple(ids),
                tuple(first),
                tuple(last),
            )));
        }
        self.blocks.insert(starts.clone(), [ids.to_vec(), ids.to_vec()]);
        self.last = Some(starts.clone());
        Ok(())
    }
}

/// A block that lies outside of its array, as JAX's simulator refuses it.
pub(crate) fn outside((name, what): (&str, &str), plan: &BlockPlan, indices: &[i64], ids: &[usize]) -> RunError {
    let indices: Vec<String> = indices.iter().map(ToString::to_string).collect();
    let indices = match indices.as_slice() {
        [one] => format!("({one},)"),
        indices => format!("({})", indices.join(", ")),
    };
    RunError::eval(format!(
        "Out-of-bounds block index {indices} for {what} {name} in iteration {}: the array has shape {}, a block {}. Give an \
         index map whose blocks lie in the array, or a smaller grid",
        Shape::from(ids),
        plan.array(),
        plan.block(),
    ))
}

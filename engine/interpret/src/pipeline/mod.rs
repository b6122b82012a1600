//! Pipelines inside a kernel, in the order of copies and waits of jax/_src/pallas/mosaic/pipeline.py: a prologue fetches
//! ahead; each step fetches, waits, runs the body, copies out and waits for what left the step before. What a slot holds
//! when the body reads it, stale blocks included, is therefore what it holds there.

mod stream;

use crate::error::RunError;
use crate::machine::{Machine, Value};
use crate::tape::{PipelineStep, Step};
use pallas_ir::Window;
use pallas_tensor::{Array, DType, Scalar};
use stream::Stream;

/// The grid of a pipeline as it runs.
pub(crate) struct Steps {
    extents: Vec<usize>,
    offsets: Vec<i64>,
    /// How many steps there are.
    count: i64,
}

impl Steps {
    /// Grid ids of a step; before the first and after the last the grid goes round.
    fn ids(&self, step: i64) -> Vec<i64> {
        let mut rest = step.rem_euclid(self.count.max(1));
        let mut ids = self.offsets.clone();
        for (id, &extent) in ids.iter_mut().zip(&self.extents).rev() {
            let extent = (extent as i64).max(1);
            *id += rest % extent;
            rest /= extent;
        }
        ids
    }
}

/// A grid id as the index maps and the body take it.
fn number(id: i64) -> Value {
    Value::Tile(Array::scalar(DType::I32, Scalar::Int(id.into())))
}

impl Machine<'_> {
    pub(crate) fn run_pipeline(&mut self, step: &Step, pipeline: &PipelineStep) -> Result<(), RunError> {
        let mut sources = step.operands.iter().copied();
        let mut next = || sources.next().ok_or_else(|| RunError::malformed("an operand of a pipeline is missing"));
        let mut extents = Vec::with_capacity(pipeline.pipeline.grid.len());
        for extent in &pipeline.pipeline.grid {
            extents.push(match extent {
                Some(extent) => *extent,
                None => usize::try_from(self.integer(next()?)?).unwrap_or(0),
            });
        }
        let mut offsets = vec![0; extents.len()];
        if pipeline.pipeline.offsets {
            for offset in &mut offsets {
                *offset = self.integer(next()?)?;
            }
        }
        let count = extents.iter().fold(1usize, |product, &extent| product.saturating_mul(extent));
        let steps = Steps { extents, offsets, count: i64::try_from(count).unwrap_or(i64::MAX) };
        if steps.count == 0 {
            return Ok(());
        }
        let first = self.memory.buffers.len();
        let mut streams = Vec::with_capacity(pipeline.maps.len());
        for (operand, map) in pipeline.pipeline.operands.iter().zip(&pipeline.maps) {
            let source = self.reference(next()?)?;
            streams.push(Stream::new(self, operand, map, source, step.location)?);
        }
        let result = match pipeline.pipeline.synchronous {
            true => self.run_synchronously(pipeline, &steps, &mut streams),
            false => self.run_ahead(pipeline, &steps, &mut streams, step),
        };
        self.memory.drop_copies(first);
        self.memory.last_signals.retain(|place, _| place.buffer < first);
        self.memory.buffers.truncate(first);
        self.memory.forget_from(first);
        result
    }

    fn run_ahead(
        &mut self,
        pipeline: &PipelineStep,
        steps: &Steps,
        streams: &mut [Stream<'_>],
        step: &Step,
    ) -> Result<(), RunError> {
        let stages = streams.iter().map(|stream| stream.slots()).max().unwrap_or(0).max(2);
        let last = steps.count - 1;
        for stream in &mut *streams {
            if stream.operand.window == Window::Whole && stream.is_input() {
                stream.copy_whole(self, true)?;
            }
        }
        // All fetches for one step come before those for the next.
        for ahead in 0..stages as i64 - 1 {
            for stream in &mut *streams {
                stream.fetch_first(self, steps, ahead)?;
            }
        }
        for now in 0..steps.count {
            self.poll()?;
            for stream in &mut *streams {
                stream.fetch_ahead(self, steps, now)?;
            }
            for stream in &mut *streams {
                if stream.has_slots() && (now == 0 || stream.changes(self, steps, now - 1, now)?) {
                    stream.wait_in(self, steps, now, step)?;
                }
            }
            self.run_body(pipeline, steps, streams, now)?;
            for stream in &mut *streams {
                if stream.has_slots() && (now == last || stream.changes(self, steps, now, now + 1)?) {
                    stream.copy_out(self, steps, now)?;
                }
            }
            for stream in &mut *streams {
                if stream.has_slots() && now > 0 && stream.changes(self, steps, now - 1, now)? {
                    stream.wait_out(self, steps, now - 1, step)?;
                }
            }
            for stream in &mut *streams {
                if stream.has_slots() && (now == last || stream.changes(self, steps, now, now + 1)?) {
                    stream.advance();
                }
            }
        }
        for stream in &mut *streams {
            if stream.has_slots() {
                stream.wait_out(self, steps, last, step)?;
            } else if stream.operand.window == Window::Whole && !stream.is_input() {
                stream.copy_whole(self, false)?;
            }
        }
        Ok(())
    }

    /// Without fetching ahead: everything is copied when it is needed.
    fn run_synchronously(
        &mut self,
        pipeline: &PipelineStep,
        steps: &Steps,
        streams: &mut [Stream<'_>],
    ) -> Result<(), RunError> {
        for now in 0..steps.count {
            self.poll()?;
            for stream in streams.iter_mut().filter(|stream| stream.is_input()) {
                stream.copy_now(self, steps, now)?;
            }
            self.run_body(pipeline, steps, streams, now)?;
            for stream in streams.iter_mut().filter(|stream| !stream.is_input()) {
                stream.copy_now(self, steps, now)?;
            }
        }
        Ok(())
    }

    fn run_body(
        &mut self,
        pipeline: &PipelineStep,
        steps: &Steps,
        streams: &mut [Stream<'_>],
        now: i64,
    ) -> Result<(), RunError> {
        let mut values: Vec<Value> = steps.ids(now).into_iter().map(number).collect();
        for stream in streams {
            values.push(Value::reference(stream.window(self, steps, now)?));
        }
        self.enter(&pipeline.body, values);
        self.run(&pipeline.body)
    }
}

//! Pipelines inside a kernel: loops over the pipeline's grid, with Refs to blocks of the Refs that it is given. Nothing is copied
//! ahead yet; a body sees what a block of its own would show it.

use super::context::{Bound, Lower};
use super::number::Number;
use super::refs::{RefDim, RefView, Shown};
use crate::Refusal;
use crate::ir::{Op, Ty};
use pallas_ir::{Attribute, BlockDim, OpData, Pipeline, PipelineOperand, RegionId};
use pallas_tensor::DType;
use std::sync::Arc;

/// A pipeline on its way.
struct Steps<'a> {
    pipeline: &'a Pipeline,
    extents: Vec<Number>,
    offsets: Vec<Number>,
    refs: Vec<RefView>,
    maps: &'a [RegionId],
    body: RegionId,
}

impl Lower<'_> {
    pub(crate) fn lower_pipeline(&mut self, op: &OpData) -> Result<(), Refusal> {
        let Some(Attribute::Pipeline(pipeline)) = op.attributes.get("pipeline") else { return Err(self.refuse(op)) };
        let pipeline: Arc<Pipeline> = pipeline.clone();
        let mut operands = op.operands.iter().copied();
        let mut extents = Vec::new();
        for extent in &pipeline.grid {
            extents.push(match extent {
                Some(extent) => Number::Known(*extent as i64),
                None => {
                    let value = operands.next().ok_or_else(|| self.malformed())?;
                    self.number(value)?
                }
            });
        }
        let mut offsets = vec![Number::Known(0); extents.len()];
        if pipeline.offsets {
            for offset in &mut offsets {
                let value = operands.next().ok_or_else(|| self.malformed())?;
                *offset = self.number(value)?;
            }
        }
        let refs = operands.map(|value| self.reference(value)).collect::<Result<Vec<_>, _>>()?;
        let Some((&body, maps)) = op.regions.split_last() else { return Err(self.refuse(op)) };
        let steps = Steps { pipeline: &pipeline, extents, offsets, refs, maps, body };
        self.steps(&steps, &mut Vec::new())
    }

    fn steps(&mut self, steps: &Steps<'_>, ids: &mut Vec<Number>) -> Result<(), Refusal> {
        let axis = ids.len();
        let Some(&extent) = steps.extents.get(axis) else { return self.step(steps, ids) };
        let (lower, upper) = (self.b.int(0), extent.value(&mut self.b));
        let params = self.b.open(&[Ty { dtype: DType::I32, regs: 1 }]);
        let id = Number::Computed(params[0]).add(&mut self.b, steps.offsets[axis]);
        ids.push(id);
        let inside = self.steps(steps, ids);
        ids.pop();
        let body = self.b.close(Vec::new());
        inside?;
        self.b.add(Op::For, &[lower, upper], &[], vec![body]);
        Ok(())
    }

    fn step(&mut self, steps: &Steps<'_>, ids: &[Number]) -> Result<(), Refusal> {
        let ids: Vec<_> = ids.iter().map(|id| id.value(&mut self.b)).collect();
        let mut blocks = Vec::new();
        for ((operand, view), &map) in steps.pipeline.operands.iter().zip(&steps.refs).zip(steps.maps) {
            for (&param, &id) in self.function.region(map).params.clone().iter().zip(&ids) {
                self.set_value(param, id);
            }
            let yields = self.region(map)?;
            let indices = yields.iter().map(|&value| self.number(value)).collect::<Result<Vec<_>, _>>()?;
            blocks.push(self.window(operand, view, &indices));
        }
        let params = self.function.region(steps.body).params.clone();
        for (&param, &id) in params.iter().zip(&ids) {
            self.set_value(param, id);
        }
        for (&param, block) in params[ids.len()..].iter().zip(blocks) {
            self.values.insert(param, Bound::Ref(block));
        }
        self.region(steps.body)?;
        Ok(())
    }

    /// The block of a Ref with these indices.
    fn window(&mut self, operand: &PipelineOperand, view: &RefView, indices: &[Number]) -> RefView {
        let mut window = view.clone();
        for ((dim, &index), (position, extent, step)) in operand.block.iter().zip(indices).zip(view.axes()) {
            let size = dim.size();
            let first = match dim {
                BlockDim::Blocked(size) => index.times(&mut self.b, *size as i64),
                BlockDim::Squeezed => index,
                BlockDim::Element { low, .. } => index.add(&mut self.b, Number::Known(-(*low as i64))),
            };
            let outer = view.dims[position];
            let far = first.times(&mut self.b, step);
            let offset = outer.offset.add(&mut self.b, far);
            let fits = extent.is_multiple_of(size.max(1)) && !matches!(dim, BlockDim::Element { .. });
            let end = match fits {
                true => outer.extent,
                false => Some(outer.offset.add(&mut self.b, Number::Known(extent as i64 * step))),
            };
            let shown = if *dim == BlockDim::Squeezed { Shown::At } else { Shown::Range { size, step } };
            window.dims[position] = RefDim { offset, shown, extent: end, ..outer };
        }
        window
    }
}

//! Blocks of operands in a rehearsal: what a launch copies for its programs takes its time, and moves nothing. As the compiler
//! has them, blocks are brought in while the program before runs, and go back while the next one does, in two slots.

use super::programs::Sequence;
use crate::agents::world::World;
use crate::block_plan::Starts;
use crate::error::RunError;
use crate::machine::Value;
use crate::times::{About, Copying, LaneStage};
use pallas_ir::Role;

/// Slots of an operand whose blocks move.
const SLOTS: usize = 2;

impl<'t> Sequence<'t> {
    /// A program begins: what it needs is waited for.
    pub(super) fn rehearse_blocks(
        &mut self,
        world: &mut World<'t, '_>,
        number: usize,
        asked: &[Starts],
    ) -> Result<(), RunError> {
        let (mut blocks, mut outputs) = (Vec::new(), Vec::new());
        for (position, (operand, known)) in self.operands() {
            let (began, same) = self.moves(number, position, &asked[position]);
            if known.role == Role::Prefetch || began && same {
                continue;
            }
            if operand.in_place {
                let starts = operand.blocks.inside(&asked[position]);
                let array = operand.blocks.view(self.array(number, position), &starts);
                if let Some(&param) = world.tape.body.params.get(position) {
                    world.agents[number].registers[param as usize] = Value::reference(array);
                }
                continue;
            }
            match known.role {
                Role::Output => outputs.push(position),
                _ => blocks.extend(self.block_copy(number, position, LaneStage::CopyIn)),
            }
        }
        if let Some(times) = &mut world.memory.times {
            times.begin_program(number, blocks, &outputs);
        }
        Ok(())
    }

    /// A program ends: a block of an output goes back, if the next one has another.
    pub(super) fn rehearse_leaving(&mut self, world: &mut World<'t, '_>, number: usize, position: usize, leaves: bool) {
        if leaves
            && let Some(copying) = self.block_copy(number, position, LaneStage::CopyOut)
            && let Some(times) = &mut world.memory.times
        {
            times.leave(number, position, copying);
        }
    }

    /// The copy of a block of an operand.
    fn block_copy(&mut self, number: usize, position: usize, stage: LaneStage) -> Option<Copying> {
        let (_, (operand, _)) = self.operands().nth(position)?;
        let elements = operand.ty.shape.size() as u64;
        let bytes = elements * operand.ty.dtype.size_bytes() as u64;
        let slot = Some(self.copied(number, position) % SLOTS);
        let about = About { buffer: operand.name.clone(), slot, ..About::default() };
        Some(Copying { link: None, stage, bytes, about })
    }
}

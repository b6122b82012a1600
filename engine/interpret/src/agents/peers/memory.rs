//! Memory of a device: its arrays, and what each of its cores has of its own.

use super::programs::Lane;
use crate::agents::agent::{Agent, Thread};
use crate::agents::blocks::Site;
use crate::agents::world::World;
use crate::block_plan::Starts;
use crate::error::RunError;
use crate::fresh;
use crate::launch::OperandPlan;
use crate::machine::{Value, registers};
use crate::memory::View;
use crate::visits::Visits;
use pallas_ir::{MemorySpace, RefType, Role};
use pallas_tensor::Array;

impl<'t> World<'t, '_> {
    /// Memory of a device, and an agent for each of its cores. The buffers of its outputs.
    pub(super) fn begin_device(&mut self, device: usize, given: Vec<Option<Array>>) -> Result<Vec<usize>, RunError> {
        let Some(mut sequence) = self.sequence.take() else { return Ok(Vec::new()) };
        let (peers, plan) = (sequence.peers, sequence.plan);
        let main = device * peers.cores;
        let params = &plan.tape.body.params;
        let positions = |output: bool| {
            let fits = move |(_, known): &(usize, &OperandPlan)| (known.role == Role::Output) == output;
            plan.operands.iter().enumerate().filter(fits).map(|(position, _)| position).collect::<Vec<_>>()
        };
        let (inputs, outputs) = (positions(false), positions(true));
        let mut arrays: Vec<usize> = Vec::new();
        for (position, ((operand, known), given)) in peers.operands.iter().zip(&plan.operands).zip(given).enumerate() {
            let alias = plan.aliases.iter().find(|(_, output)| outputs.get(*output) == Some(&position));
            let shared = alias.and_then(|(input, _)| arrays.get(*inputs.get(*input)?).copied());
            let buffer = match (known.role, shared, given) {
                (Role::Output, Some(shared), _) => shared,
                (Role::Output, None, _) => self.memory.add(operand.blocks.fresh(operand.blocks.padded())?),
                (_, _, Some(array)) => self.memory.add(array),
                (_, _, None) => return Err(RunError::malformed("an operand is missing")),
            };
            let name = sequence.named(&operand.name, device, None);
            let ty = RefType::new(operand.ty.dtype, operand.blocks.padded().clone(), MemorySpace::Any);
            self.memory.declare(buffer, Some(&name.into()), &ty);
            self.memory.call(buffer, &operand.name, &ty);
            if operand.in_place {
                self.blocks.adopt(buffer, (main, Site::Operand(position)), operand.ty.clone());
            }
            arrays.push(buffer);
        }
        for core in 0..peers.cores {
            let global = main + core;
            let mut own = registers(&plan.tape);
            let (mut refs, mut prefetched) = (Vec::new(), Vec::new());
            let mut scalars = Vec::new();
            for (position, (operand, known)) in peers.operands.iter().zip(&plan.operands).enumerate() {
                let buffer = match (known.role, operand.in_place) {
                    (Role::Prefetch, _) => {
                        let array = self.memory.buffers[arrays[position]].array.clone();
                        self.memory.add(array)
                    }
                    (_, true) => arrays[position],
                    _ => {
                        let block = fresh(operand.ty.dtype, operand.ty.shape.clone(), peers.interpretation)?;
                        let buffer = self.memory.add(block);
                        self.blocks.adopt(buffer, (global, Site::Operand(position)), operand.ty.clone());
                        let name = sequence.named(&operand.name, device, Some(core));
                        self.memory.declare(buffer, Some(&name.into()), &operand.ty);
                        self.memory.call(buffer, &operand.name, &operand.ty);
                        buffer
                    }
                };
                let view = View::whole(buffer, &operand.ty.shape);
                if known.role == Role::Prefetch {
                    prefetched.push(view.clone());
                }
                if operand.ty.space == MemorySpace::Smem {
                    scalars.push(buffer);
                }
                if let Some(&param) = params.get(position) {
                    own[param as usize] = Value::reference(view);
                }
                refs.push(buffer);
            }
            for (position, ty) in plan.scratch.iter().enumerate() {
                let (block, users) = sequence.owner(global, ty);
                let site = (block, Site::Scratch(position));
                let buffer = self.blocks.shared(self.memory, site, ty, users, peers.interpretation)?;
                if ty.space == MemorySpace::Smem {
                    scalars.push(buffer);
                }
                if let Some(&param) = params.get(peers.operands.len() + position) {
                    let plain = plan.tape.name(param).cloned().unwrap_or_else(|| "scratch".into());
                    let name = sequence.named(&plain, device, Some(core));
                    self.memory.declare(buffer, Some(&name.into()), ty);
                    self.memory.call(buffer, &plain, ty);
                    own[param as usize] = Value::reference(View::whole(buffer, &ty.shape));
                }
            }
            self.memory.scalars.extend(scalars);
            let count = peers.operands.len();
            sequence.lanes.push(Lane {
                device,
                core,
                at: None,
                over: false,
                refs,
                arrays: arrays.clone(),
                prefetched,
                asked: vec![Starts::new(); count],
                indices: vec![Vec::new(); count],
                visits: outputs.iter().map(|_| Visits::default()).collect(),
                copied: vec![0; count],
            });
            let agent = Agent::new(own, vec![0; sequence.grid.len()], global, Thread { number: 0, warp: None });
            self.agents.push(agent);
            let who = sequence.who(global);
            if let Some(races) = &mut self.memory.races {
                self.agents[global].actor = races.agent(who);
            }
            self.scheduler.add(global);
        }
        self.sequence = Some(sequence);
        (main..main + peers.cores).for_each(|core| self.begin_clock(core, None));
        Ok(outputs.iter().map(|&position| arrays[position]).collect())
    }
}

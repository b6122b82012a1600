//! Warps of a thread: agents of their own for a while, with the thread's registers.

use super::agent::{Agent, Kind, Thread, Waiting};
use super::world::World;
use crate::error::RunError;
use crate::machine::Value;
use crate::tape::{Block, Step};
use pallas_tensor::{Array, DType, Scalar};
use std::sync::Arc;

impl<'t> World<'t, '_> {
    /// Warps: a copy of the agent for each round, which waits until they have ended.
    pub(super) fn fork(&mut self, number: usize, step: &'t Step, body: &'t Block) -> Result<bool, RunError> {
        if std::mem::replace(&mut self.agents[number].forked, false) {
            // All have ended.
            self.agents[number].finish(step, [])?;
            return Ok(true);
        }
        let bounds = self.with_machine(number, |machine| {
            Ok((machine.integer(step.operands[0])?, machine.integer(step.operands[1])?))
        })?;
        for warp in bounds.0..bounds.1 {
            let parent = &self.agents[number];
            let thread = Thread { number: parent.thread.number, warp: Some(warp as usize) };
            let child = Agent::new(parent.registers.clone(), parent.ids.clone(), parent.block, thread);
            let mut child = Agent { parent: Some(number), ..child };
            let parent = self.agents[number].actor;
            let who = self.name(&child);
            if let Some(races) = &mut self.memory.races {
                child.actor = races.warp(parent, thread, || who);
            }
            let index = Value::Tile(Array::scalar(DType::I32, Scalar::Int(warp.into())));
            child.enter(body, [index], Kind::Body);
            // Places of warps that have ended are taken again.
            let free = self.agents.iter().position(|agent| agent.frames.is_empty() && agent.parent.is_some());
            let at = match free {
                Some(at) => {
                    self.agents[at] = child;
                    at
                }
                None => {
                    self.agents.push(child);
                    self.agents.len() - 1
                }
            };
            self.begin_clock(at, Some(number));
            self.agents[number].children += 1;
            self.scheduler.add(at);
        }
        let agent = &mut self.agents[number];
        match agent.children {
            0 => {
                agent.finish(step, [])?;
                Ok(true)
            }
            _ => {
                agent.forked = true;
                let what = "its warps".to_string();
                let name = Arc::default();
                agent.waits = Some(Waiting { what, name, place: None, location: step.location });
                Ok(false)
            }
        }
    }
}

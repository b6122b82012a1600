//! What warps do to tensor memory: they ask for columns and give them back, load and store their quarter of the lanes, and fence.

use super::super::Context;
use super::super::access::{aligned, shared};
use super::super::cluster::Cluster;
use super::super::warp::Warp;
use super::together;
use crate::fault::Cause;
use crate::inst::Address;
use crate::memory::SHARED;
use crate::tensor_memory::cells::{CHUNKS, Region};
use crate::tensor_memory::order::{Mark, Who};
use crate::tensor_memory::{COLUMNS, Tensor};
use crate::types::Space;

impl Warp {
    pub(super) fn tensor_of_warp(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        block: usize,
        tensor: &Tensor,
    ) -> Result<(), Cause> {
        let (who, now) = (Who::Warp(block, self.number), context.ran.instructions);
        match tensor {
            Tensor::Ask { to, columns, group } => {
                cluster.tensors.agree(*group)?;
                together(cluster, block, *group)?;
                let columns = self.common(*columns, "a number of columns")?;
                let first = cluster.tensors.of(block).ask(columns as usize, *group)?;
                let to = self.address(to, 0) - if to.space == Space::Generic { SHARED } else { 0 };
                aligned(to, 4)?;
                shared(cluster, to, 4)?.copy_from_slice(&first.to_le_bytes());
            }
            Tensor::GiveBack { at, columns, group } => {
                cluster.tensors.agree(*group)?;
                let at = self.common(*at, "an address of tensor memory")?;
                let columns = self.common(*columns, "a number of columns")? as usize;
                let (memory, by) = cluster.tensors.accessed(block, who, now);
                memory.give_back(at, columns, *group)?;
                let region = Region { block, chunks: ((1_u16 << CHUNKS) - 1) as u8, first: at as usize, columns };
                memory.may_end(&region, &by)?;
            }
            Tensor::AskNoMore { group } => {
                cluster.tensors.agree(*group)?;
                cluster.tensors.of(block).ask_no_more();
            }
            Tensor::Load { to, at } => {
                let region = self.quarter(at, block, to.len())?;
                let after = self.fenced();
                let (memory, by) = cluster.tensors.accessed(block, who, after);
                memory.has(&region, None)?;
                memory.may_thread(&region, &by, false)?;
                memory.mark(&region, Mark::Load, true);
                memory.touched(&region, who, now, false);
                let lane = region.chunks.trailing_zeros() as usize * 16;
                for (number, to) in to.iter().enumerate() {
                    let column = region.first + number;
                    let values = std::array::from_fn(|thread| u64::from(memory.cell(lane + thread, column)));
                    self.write(*to, u32::MAX, &values);
                }
                self.tensor.loads.push((to.clone(), region));
            }
            Tensor::Store { at, from } => {
                let region = self.quarter(at, block, from.len())?;
                let after = self.fenced();
                let (memory, by) = cluster.tensors.accessed(block, who, after);
                memory.has(&region, None)?;
                memory.may_thread(&region, &by, true)?;
                memory.mark(&region, Mark::Store, true);
                memory.touched(&region, who, now, true);
                let lane = region.chunks.trailing_zeros() as usize * 16;
                for (number, from) in from.iter().enumerate() {
                    for (thread, value) in self.regs[*from as usize].iter().enumerate() {
                        memory.put(lane + thread, region.first + number, *value as u32);
                    }
                }
                self.tensor.stores.push(region);
            }
            Tensor::WaitLoads => {
                for (_, region) in self.tensor.loads.drain(..) {
                    cluster.tensors.of(block).mark(&region, Mark::Load, false);
                }
            }
            Tensor::WaitStores => {
                for region in self.tensor.stores.drain(..) {
                    cluster.tensors.of(block).mark(&region, Mark::Store, false);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// When the last of its lanes that did so has fenced behind a synchronisation.
    fn fenced(&self) -> u64 {
        self.tensor.after.iter().copied().min().unwrap_or(0)
    }

    pub(super) fn fence_after(&mut self, lane: usize, now: u64) {
        self.tensor.after[lane] = now;
    }

    pub(super) fn after(&self, lane: usize) -> u64 {
        self.tensor.after[lane]
    }

    /// The columns of the warp's lanes, which are the only ones that it reaches (PTX ISA 9.7.16.8.1).
    fn quarter(&self, at: &Address, block: usize, columns: usize) -> Result<Region, Cause> {
        let base = self.common(at.base, "an address of tensor memory")?;
        let at = base.wrapping_add(at.offset as u32);
        let (lane, first) = (at as usize >> 16, at as usize & 0xffff);
        let own = self.number % 4 * 32;
        if lane != own {
            return Err(Cause::Undefined(format!(
                "lanes from {lane} on of tensor memory: warp {} reaches {own} to {}",
                self.number,
                own + 31
            )));
        }
        if first + columns > COLUMNS {
            return Err(Cause::Undefined(format!("columns {first}..{} of tensor memory", first + columns)));
        }
        Ok(Region { block, chunks: 0b11 << (own / 16), first, columns })
    }
}

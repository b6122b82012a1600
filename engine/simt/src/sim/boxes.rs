//! Boxes of arrays that engines copy, in the simulator: what is brought comes when a phase barrier lets it, what is sent is read and
//! written when somebody waits for it. Until then nobody may touch either.

use super::world::World;
use super::{Fault, fault};
use crate::ir::{Combine, Inst, MemoryId, Share, TensorMap, Value};
use pallas_ir::op::EvalContext;
use pallas_ir::{OpKind, TensorType, Type};
use pallas_syntax::Span;
use pallas_tensor::{Array, Scalar, ops};
use std::collections::VecDeque;

/// What a phase waits for.
#[derive(Debug)]
pub(super) enum Coming {
    /// A box.
    Box(Bringing),
    /// Products of a team, up to this one.
    Products {
        /// The team, by its number among agents.
        team: usize,
        /// How many.
        upto: u32,
    },
}

impl Coming {
    /// Bytes that a barrier counts.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Coming::Box(bringing) => bringing.bytes,
            Coming::Products { .. } => 0,
        }
    }
}

/// A box on its way to shared memory.
#[derive(Debug)]
pub(super) struct Bringing {
    from: usize,
    to: usize,
    /// Elements in the array, -1 outside; and where they go.
    source: Vec<i64>,
    indices: Vec<i64>,
    /// What comes, if that is known already.
    values: Option<Array>,
    bytes: u64,
    span: Span,
}

impl Bringing {
    /// Elements that are known.
    pub(super) fn known(to: usize, indices: Vec<i64>, values: Array, span: Span) -> Bringing {
        let bytes = (values.size() * values.dtype().size_bytes()) as u64;
        Bringing { from: to, to, source: Vec::new(), indices, values: Some(values), bytes, span }
    }
}

/// Boxes that a team has sent.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// Started, and in no group yet.
    open: Vec<Sending>,
    groups: VecDeque<Vec<Sending>>,
}

/// A box on its way from shared memory.
#[derive(Debug)]
struct Sending {
    from: usize,
    to: usize,
    source: Vec<i64>,
    indices: Vec<i64>,
    /// Once it was read.
    values: Option<Array>,
    combine: Combine,
    span: Span,
}

impl Sent {
    pub(super) fn commit(&mut self) {
        let group = std::mem::take(&mut self.open);
        self.groups.push_back(group);
    }
}

impl World<'_> {
    /// Elements of a box: in its array, -1 where there are none; and in shared memory.
    fn boxed(&mut self, map: &TensorMap, begins: &[Value], at: Value) -> Result<(Vec<i64>, Vec<i64>), Fault> {
        let begins = begins.iter().map(|&value| self.uniform(value)).collect::<Result<Vec<i64>, Fault>>()?;
        let first = self.uniform(at)?;
        let bytes = self.kernel.memory(map.memory).dtype.size_bytes();
        if first < 0 || !(first as usize * bytes).is_multiple_of(128) {
            return Err(fault(format!("a box at element {first} of shared memory, which is no multiple of 128 bytes")));
        }
        let (mut source, mut indices) = (Vec::new(), Vec::new());
        for number in 0..map.size() {
            let (mut rest, mut place, mut stride, mut inside) = (number, 0, 1, true);
            for dim in (0..map.boxed.len()).rev() {
                let at = begins[dim] + (rest % map.boxed[dim]) as i64;
                rest /= map.boxed[dim];
                inside &= (0..map.extents[dim] as i64).contains(&at);
                place += at * stride;
                stride *= map.extents[dim] as i64;
            }
            source.push(if inside { place } else { -1 });
            let byte = TensorMap::swizzled((first as usize + number) * bytes, map.swizzle);
            indices.push((byte / bytes) as i64);
        }
        Ok((source, indices))
    }

    pub(super) fn bring(
        &mut self,
        inst: &Inst,
        map: usize,
        to: MemoryId,
        phases: MemoryId,
        share: Share,
    ) -> Result<(), Fault> {
        let map = self.kernel.maps.get(map).ok_or_else(|| fault("a box that is not there".to_string()))?;
        let (operands, whom) = match (share, inst.operands.as_slice()) {
            (Share::Own, operands) => (operands, None),
            (_, [operands @ .., whom]) => (operands, Some(*whom)),
            (_, []) => return Err(fault("no box".to_string())),
        };
        let [begins @ .., at, which] = operands else { return Err(fault("no box".to_string())) };
        let (source, indices) = self.boxed(map, begins, *at)?;
        let bytes = (map.size() * self.kernel.memory(map.memory).dtype.size_bytes()) as u64;
        let from = self.at(map.memory);
        let access = self.single(&source, inst.span);
        self.rams[from].seen(&access, &mut self.report);
        let mut whither = Vec::new();
        match (share, whom) {
            (Share::All, Some(mask)) => {
                let mask = self.uniform(mask)?;
                for rank in (0..self.kernel.cluster as usize).filter(|rank| mask >> rank & 1 == 1) {
                    whither.push((self.at_rank(to, rank)?, self.phases_at(phases, *which, Some(rank))?));
                }
            }
            (Share::Leader, Some(rank)) => {
                let rank = self.rank(rank)?;
                whither.push((self.at(to), self.phases_at(phases, *which, Some(rank))?));
            }
            _ => {
                let place = self.phases_at(phases, *which, None)?;
                self.phases_of(place).expected += bytes;
                whither.push((self.at(to), place));
            }
        }
        // Blocks of a cluster share no bytes between arrays, so that this is about the block at hand.
        let access = self.single(&indices, inst.span);
        self.overlay(to, &access);
        for (to, place) in whither {
            let access = self.single(&indices, inst.span);
            let indices = self.rams[to].bounded(&access, &mut self.report);
            let access = self.single(&indices, inst.span);
            self.rams[to].set_out(&access, &mut self.report);
            let bringing = Bringing { from, to, source: source.clone(), indices, values: None, bytes, span: inst.span };
            self.expect(place, Coming::Box(bringing));
        }
        Ok(())
    }

    /// An access by the first thread.
    fn single<'i>(&self, indices: &'i [i64], span: Span) -> super::memory::Access<'i> {
        super::memory::Access { threads: 1, ..self.access(indices, 1, span) }
    }

    /// What was waited for has come, by this engine's so many-th phase.
    pub(super) fn come(&mut self, coming: Coming, by: (u32, u32)) -> Result<(), Fault> {
        let Bringing { from, to, source, indices, values, span, .. } = match coming {
            Coming::Box(bringing) => bringing,
            Coming::Products { team, upto } => return self.finish_products(team, upto),
        };
        let values = match values {
            Some(values) => values,
            None => self.rams[from].elements(&source)?,
        };
        let access = self.single(&indices, span);
        self.rams[to].land(&access, Some(by));
        self.rams[to].replace(&indices, &values)
    }

    pub(super) fn send(&mut self, inst: &Inst, from: MemoryId, map: usize, combine: Combine) -> Result<(), Fault> {
        let map = self.kernel.maps.get(map).ok_or_else(|| fault("a box that is not there".to_string()))?;
        let [at, begins @ ..] = inst.operands.as_slice() else { return Err(fault("no box".to_string())) };
        let (indices, source) = self.boxed(map, begins, *at)?;
        let (from, to) = (self.at(from), self.at(map.memory));
        let access = self.single(&source, inst.span);
        let source = self.rams[from].bounded(&access, &mut self.report);
        let access = self.single(&source, inst.span);
        self.rams[from].lend(&access, false, &mut self.report);
        let sending = Sending { from, to, source, indices, values: None, combine, span: inst.span };
        self.agents[self.turn].sent.open.push(sending);
        Ok(())
    }

    pub(super) fn wait_sent(&mut self, pending: u32, read: bool) -> Result<(), Fault> {
        let mut sent = std::mem::take(&mut self.agents[self.turn].sent);
        let over = sent.groups.len().saturating_sub(pending as usize);
        for sending in sent.groups.iter_mut().take(over).flatten().filter(|sending| sending.values.is_none()) {
            sending.values = Some(self.rams[sending.from].elements(&sending.source)?);
            let access = self.single(&sending.source, sending.span);
            self.rams[sending.from].take_back(&access, false);
        }
        let arrived: Vec<Sending> = if read { Vec::new() } else { sent.groups.drain(..over).flatten().collect() };
        self.agents[self.turn].sent = sent;
        for Sending { to, indices, values, combine, span, .. } in arrived {
            let Some(values) = values else { continue };
            let access = self.single(&indices, span);
            self.rams[to].write(&access, combine != Combine::Exchange, &mut self.report);
            let values = match combine.op() {
                None => values,
                Some(op) => {
                    let OpKind::Pure { eval, .. } = &op.kind else { return Err(fault(op.name.to_string())) };
                    let old = self.rams[to].elements(&indices)?;
                    let ty = TensorType::new(old.dtype(), [indices.len()].as_slice());
                    let context =
                        EvalContext { attributes: &pallas_ir::Attributes::none(), results: &[Type::Tensor(ty)] };
                    let results = eval(&context, [old, values].into_iter().collect()).map_err(|e| fault(e.message))?;
                    results.into_iter().next().ok_or_else(|| fault("nothing".to_string()))?
                }
            };
            self.rams[to].replace(&indices, &values)?;
        }
        Ok(())
    }
}

impl super::memory::Ram {
    /// Elements; zeros for -1.
    pub(super) fn elements(&self, indices: &[i64]) -> Result<Array, Fault> {
        let zero = Array::scalar(self.array.dtype(), Scalar::zero(self.array.dtype()));
        Ok(ops::take_flat(&self.array, indices, [indices.len()].as_slice(), &zero)?)
    }

    /// Puts elements in the place of others.
    pub(super) fn replace(&mut self, indices: &[i64], values: &Array) -> Result<(), Fault> {
        let nothing = Array::scalar(values.dtype(), Scalar::zero(values.dtype()));
        let array = std::mem::replace(&mut self.array, nothing);
        self.array = ops::scatter_flat(array, indices, values, ops::Combine::Replace)?;
        Ok(())
    }
}

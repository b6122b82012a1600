//! What computes tiles: chains, reductions, products, and any other function of tiles.

use super::super::{Act, From};
use super::{Known, Lying, Preparer, TILE, copy, reads, ready};
use crate::product::oriented;
use crate::tape::{Fused, FusedEnd, Product, Pure, Register, Source, Step};
use pallas_ir::Type;
use pallas_ir::op::EvalContext;
use pallas_tensor::ops::Scatter;
use pallas_tensor::ops::fused::{Chain, Ready, Reduction};
use pallas_tensor::{Array, DType, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

impl Preparer<'_> {
    /// Has a chain compute a tile.
    pub(super) fn tile(&mut self, chain: &Arc<Chain>, operands: &[Lying], acts: &mut Vec<Act>) -> Option<Lying> {
        let out = self.large_slot(chain.dtype(), chain.shape())?;
        let lying = Lying::dense(From::Slot(out), chain.dtype(), chain.shape());
        let (ready, reads) = ready(chain, operands, &lying.strides)?;
        acts.push(Act::Tile { ready, reads, out, base: 0, moves: None });
        Some(lying)
    }

    pub(super) fn fused(&mut self, step: &Step, fused: &Fused, is_outermost: bool, acts: &mut Vec<Act>) -> Option<()> {
        let chain = self.chains.get(fused.chain)?;
        match &fused.end {
            FusedEnd::Tile => {
                let operands = self.operands(chain, &step.operands)?;
                let tile = self.tile(chain, &operands, acts)?;
                self.known.insert(*step.results.first()?, Known::Tile(tile));
                Some(())
            }
            FusedEnd::Store(access) => {
                let (&reference, rest) = step.operands.split_first()?;
                let count = access.operands().count();
                let (positions, sources) = rest.split_at_checked(count)?;
                let operands = self.operands(chain, sources)?;
                self.store(step, access, (reference, positions), (chain, &operands), is_outermost, acts)
            }
            FusedEnd::Reduce { op, sizes, keeps, shape } => {
                let operands = self.operands(chain, &step.operands)?;
                let reduction = Reduction { op: *op, sizes: *sizes, keeps: *keeps };
                let arrays: SmallVec<[&[isize]; 4]> = operands.iter().map(|lying| &lying.strides[..]).collect();
                let ready = Ready::reducing(chain, &arrays, reduction)?;
                let reads = reads(&ready, &operands);
                let out = self.slot(chain.dtype(), shape)?;
                let keep = if *keeps { Some(self.large_slot(chain.dtype(), chain.shape())?) } else { None };
                let mut tile = |register: Option<&Register>, slot: usize, shape: &Shape| {
                    let lying = Lying::dense(From::Slot(slot), chain.dtype(), shape);
                    self.known.insert(*register?, Known::Tile(lying));
                    Some(())
                };
                tile(step.results.first(), out, shape)?;
                if let Some(keep) = keep {
                    tile(step.results.get(1), keep, chain.shape())?;
                }
                acts.push(Act::Reduce { ready: Box::new(ready), reduction, reads, keep, out });
                Some(())
            }
        }
    }

    pub(super) fn product(&mut self, step: &Step, product: &Product, acts: &mut Vec<Act>) -> Option<()> {
        let (reference, factors) = match (&product.onto, &step.operands[..]) {
            (None, factors) => (None, factors),
            (Some(access), [reference, factors @ ..]) if access.is_full() => (Some(*reference), factors),
            _ => return None,
        };
        let &[left, right] = factors else { return None };
        let mut factor = |source: Source, position: usize| {
            let lying = self.lying(source.register)?;
            let &[down, along] = &lying.strides[..] else { return None };
            let inner = product.contracting[position];
            Some((oriented(inner, 1 - position, &lying.shape, [down, along]), lying.read(0)))
        };
        let ((left_strides, rows, inner), left) = factor(left, 0)?;
        let ((right_strides, columns, same), right) = factor(right, 1)?;
        if inner != same {
            return None;
        }
        let shape = Shape::from([rows, columns]);
        let (out, adds) = match reference {
            None => {
                let out = self.slot(DType::F32, &shape)?;
                let tile = Lying::dense(From::Slot(out), DType::F32, &shape);
                self.known.insert(*step.results.first()?, Known::Tile(tile));
                (out, false)
            }
            Some(reference) => {
                let Some(Known::Ref(_, all)) = self.known.get(&reference.register) else { return None };
                let From::Slot(slot) = all.from else { return None };
                self.kernel.owned.get(slot).filter(|owned| !owned.is_apart)?;
                let is_read = [left, right].iter().any(|read| read.from == all.from);
                if is_read || all.dtype != DType::F32 || all.shape != shape {
                    return None;
                }
                self.kernel.owned.get_mut(slot)?.is_read = true;
                self.versions[slot] += 1;
                (slot, true)
            }
        };
        let factors = [(left, left_strides), (right, right_strides)];
        acts.push(Act::Product { factors, sizes: (rows, inner, columns), out, adds });
        Some(())
    }

    /// An operand by itself in its place, put together first where it is part of another, or lies apart.
    fn whole(&mut self, source: Source, acts: &mut Vec<Act>) -> Option<Lying> {
        let lying = self.lying(source.register)?;
        let is_part = lying.base != 0 || lying.moves.is_some() || matches!(lying.from, From::Input(_));
        match is_part {
            true => self.tile(&copy(&lying)?, &[lying], acts),
            false => self.dense(lying, acts),
        }
    }

    /// Elements one behind the other.
    fn dense(&mut self, lying: Lying, acts: &mut Vec<Act>) -> Option<Lying> {
        match lying.strides == Lying::dense(lying.from, lying.dtype, &lying.shape).strides {
            true => Some(lying),
            false => self.tile(&copy(&lying)?, &[lying], acts),
        }
    }

    pub(super) fn scatter_add(&mut self, step: &Step, scatter: Scatter, acts: &mut Vec<Act>) -> Option<()> {
        let &[x, updates, positions] = &step.operands[..] else { return None };
        let lying = self.lying(x.register)?;
        let x = self.dense(lying, acts)?;
        let updates = self.whole(updates, acts)?;
        let lying = self.lying(positions.register)?;
        let positions = self.dense(lying, acts)?;
        let count = positions.shape.size();
        if updates.dtype != x.dtype || positions.dtype != DType::I32 || ![1, count].contains(&updates.shape.size()) {
            return None;
        }
        let out = self.slot(x.dtype, &x.shape)?;
        self.known.insert(*step.results.first()?, Known::Tile(Lying::dense(From::Slot(out), x.dtype, &x.shape)));
        let (onto, positions, updates) = (x.read(0), (positions.read(0), count), updates.from);
        acts.push(Act::ScatterAdd { scatter, onto, updates, positions, out });
        Some(())
    }

    /// The results of a function of constants, which are the same in every program; none where it is of something else, or fails, or
    /// gives a large tile.
    fn constants(&self, pure: &Pure, operands: &[(From, DType, Shape)]) -> Option<SmallVec<[Array; 1]>> {
        let is_small =
            |ty: &Type| matches!(ty, Type::Tensor(ty) if ty.shape.checked_size().is_some_and(|size| size <= TILE));
        let constant = |(from, _, shape): &(From, DType, Shape)| match *from {
            From::Constant(constant) => {
                Some(&self.kernel.constants[constant]).filter(|array| array.shape() == shape).cloned()
            }
            From::Slot(_) | From::Input(_) => None,
        };
        if !pure.results.iter().all(is_small) {
            return None;
        }
        let operands = operands.iter().map(constant).collect::<Option<SmallVec<[Array; 4]>>>()?;
        (pure.eval)(&EvalContext { attributes: &pure.attributes, results: &pure.results }, operands).ok()
    }

    /// Any other function of tiles: its operands are put together first, where they lie apart.
    pub(super) fn pure(&mut self, step: &Step, pure: &Pure, acts: &mut Vec<Act>) -> Option<()> {
        let mut operands = Vec::with_capacity(step.operands.len());
        for source in &step.operands {
            let lying = self.whole(*source, acts)?;
            operands.push((lying.from, lying.dtype, lying.shape));
        }
        if let Some(results) = self.constants(pure, &operands) {
            for (&register, result) in step.results.iter().zip(results) {
                let from = From::Constant(self.kernel.constants.len());
                self.known.insert(register, Known::Tile(Lying::dense(from, result.dtype(), result.shape())));
                self.kernel.constants.push(result);
            }
            return Some(());
        }
        let mut outs = Vec::with_capacity(step.results.len());
        for (&register, ty) in step.results.iter().zip(&pure.results) {
            let Type::Tensor(ty) = ty else { return None };
            let out = self.slot(ty.dtype, &ty.shape)?;
            self.known.insert(register, Known::Tile(Lying::dense(From::Slot(out), ty.dtype, &ty.shape)));
            outs.push(out);
        }
        let results = pure.results.clone();
        let pure = Pure { eval: pure.eval, attributes: pure.attributes.clone(), results };
        acts.push(Act::Pure { pure: Box::new(pure), operands, outs });
        Some(())
    }
}

//! The expression behind a result that is put off, as one chain: what nobody else holds becomes part of it, everything else is read.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{Recipe, Work};
use crate::array::Array;
use crate::dtype::DType;
use crate::error::OpError;
use crate::ops::fused::{Arg, Chain, ChainBuilder, Code, Place};
use crate::ops::{BinaryOp, remains_near};
use crate::shape::Shape;

/// Something that a chain reads.
pub(super) enum Read {
    Array(Array),
    /// What is made while the chain runs.
    Made(Arc<Recipe>),
}

/// The expression behind a result as a chain.
pub(super) struct Expression {
    builder: ChainBuilder,
    /// What the chain computes: all elements in one dimension, or a block of them.
    shape: Shape,
    reads: Vec<Read>,
    /// What results that are put off are in the chain, by where they are kept.
    known: Vec<(usize, Arg)>,
    /// How often a result that is put off is an operand in here.
    uses: Vec<(usize, usize)>,
}

/// The operation behind a result: a remainder whose quotient is known to be small is one that has code.
fn near(code: Code, recipe: &Recipe) -> Code {
    let (Code::Binary(BinaryOp::Rem), DType::F32, [x, y]) = (code, recipe.dtype, &recipe.operands[..]) else {
        return code;
    };
    match (x.most_above_zero(), y.one_number()) {
        (Some(most), Some(y)) if remains_near(most, y as f32) => Code::NearRemainder,
        _ => code,
    }
}

impl Expression {
    /// The chain that computes a result, or a block of it, and what it reads.
    pub(super) fn chain(recipe: &Arc<Recipe>, shape: Shape) -> Result<(Chain, Vec<Read>), OpError> {
        let builder = ChainBuilder::new(shape.clone());
        let mut whole = Expression { builder, shape, reads: Vec::new(), known: Vec::new(), uses: Vec::new() };
        whole.count(recipe);
        whole.add(recipe)?;
        Ok((whole.builder.finish()?, whole.reads))
    }

    fn count(&mut self, recipe: &Arc<Recipe>) {
        for later in recipe.operands.iter().filter_map(Array::put_off).filter(|later| later.computed().is_none()) {
            let place = std::ptr::from_ref(later).addr();
            match self.uses.iter_mut().find(|(known, _)| *known == place) {
                Some((_, uses)) => *uses += 1,
                None => {
                    self.uses.push((place, 1));
                    if let Some(recipe) = later.recipe() {
                        self.count(&recipe);
                    }
                }
            }
        }
    }

    /// Adds a result and what it needs.
    fn add(&mut self, recipe: &Arc<Recipe>) -> Result<Arg, OpError> {
        let code = match (&recipe.work, recipe.operands.first()) {
            (Work::Step(code), _) => code,
            (Work::Same, Some(one)) => return self.arg(one),
            _ => return self.read_all(Read::Made(recipe.clone()), recipe.dtype),
        };
        let args: Result<SmallVec<[Arg; 3]>, OpError> =
            recipe.operands.iter().map(|operand| self.arg(operand)).collect();
        self.builder.step(near(*code, recipe), &args?, recipe.dtype)
    }

    /// Reads an element for each of the result.
    fn read_all(&mut self, read: Read, dtype: DType) -> Result<Arg, OpError> {
        let (shape, rank) = (self.shape.clone(), self.shape.rank());
        self.read(read, dtype, shape, Place::same(rank))
    }

    fn read(&mut self, read: Read, dtype: DType, shape: Shape, place: Place) -> Result<Arg, OpError> {
        let arg = self.builder.read(dtype, shape, place)?;
        self.reads.push(read);
        Ok(arg)
    }

    fn arg(&mut self, operand: &Array) -> Result<Arg, OpError> {
        if operand.size() == 1 {
            let one = operand.clone().relabel(Shape::scalar());
            return self.read(Read::Array(one), operand.dtype(), Shape::scalar(), Place::one(self.shape.rank(), 0));
        }
        let Some(later) = operand.put_off().filter(|later| later.computed().is_none()) else {
            return self.there(operand);
        };
        let place = std::ptr::from_ref(later).addr();
        if let Some(&(_, arg)) = self.known.iter().find(|(known, _)| *known == place) {
            return Ok(arg);
        }
        let uses = self.uses.iter().find(|(known, _)| *known == place).map_or(0, |(_, uses)| *uses);
        let alone = |recipe: &Arc<Recipe>| operand.holders() <= uses || matches!(recipe.work, Work::Same);
        match later.recipe().filter(alone) {
            Some(recipe) => {
                let arg = self.add(&recipe)?;
                self.known.push((place, arg));
                Ok(arg)
            }
            // Somebody else will want it, too.
            None => self.there(operand),
        }
    }

    /// An array whose elements are there, or are computed now.
    fn there(&mut self, operand: &Array) -> Result<Arg, OpError> {
        let place = std::ptr::from_ref(operand.buffer());
        let same = |read: &Read| matches!(read, Read::Array(array) if std::ptr::eq(array.buffer(), place));
        if let Some(read) = self.reads.iter().position(same) {
            return Ok(Arg::Read(read));
        }
        self.read_all(Read::Array(operand.clone()), operand.dtype())
    }
}

//! Steps that are chains of operations: tiles, stores and reductions of what is computed chunk by chunk.

use crate::access::{Access, Index};
use crate::arena::Given;
use crate::error::RunError;
use crate::later::{Over, Pending, Workshop, numbered, views};
use crate::machine::{Machine, Value};
use crate::memory::{View, ViewDim};
use crate::tape::{Fused, FusedEnd, Masking, Source, Step};
use pallas_ir::DimIndex;
use pallas_tensor::ops::fused::{Place, Target};
use pallas_tensor::ops::{self, ReduceOp};
use pallas_tensor::{Array, Shape};
use smallvec::SmallVec;

impl Machine<'_> {
    /// Runs a step that is a chain, and puts what it gives into its registers.
    pub(crate) fn run_fused(&mut self, step: &Step, fused: &Fused) -> Result<(), RunError> {
        let missing = || RunError::malformed("a chain gives what nobody takes");
        match &fused.end {
            FusedEnd::Tile => {
                self.ready(&step.operands)?;
                let tile = self.chain(fused.chain, &step.operands)?;
                self.consume(&step.operands);
                self.put(*step.results.first().ok_or_else(missing)?, Value::Tile(tile));
            }
            FusedEnd::Store(access) => self.store_chain(step, fused.chain, access)?,
            FusedEnd::Reduce { op, sizes, keeps, shape } => {
                self.ready(&step.operands)?;
                let (tile, rows) = self.reduce_chain(fused.chain, &step.operands, (*op, *sizes), shape, *keeps)?;
                self.consume(&step.operands);
                self.put(*step.results.first().ok_or_else(missing)?, Value::Tile(tile));
                if let Some(rows) = rows {
                    self.put(*step.results.get(1).ok_or_else(missing)?, Value::Tile(rows));
                }
            }
        }
        step.drops.iter().for_each(|&dropped| self.put(dropped, Value::Empty));
        Ok(())
    }

    /// Reads a window where the Ref shows part of an array that nobody has copied; a tile elsewhere.
    pub(crate) fn window(&mut self, step: &Step, access: &Access) -> Result<Value, RunError> {
        if let (true, [source]) = (access.is_full(), step.operands.as_slice())
            && let Value::Ref(view) = &self.registers[source.register as usize]
        {
            match self.memory.window(view.buffer) {
                Some(window) if view.is_whole(&window.layout.shape) => return Ok(Value::Window(window.clone())),
                Some(_) => {}
                None => {
                    if let Some(coming) = self.memory.coming(view) {
                        return Ok(Value::Coming(coming));
                    }
                    if let Some(tile) = self.memory.held(view) {
                        return Ok(Value::Tile(tile.clone()));
                    }
                }
            }
        }
        let operands = self.access(step, access, Masking::default(), false)?;
        self.report(step, access, &operands, false)?;
        if let Some(beyond) = self.beyond(step, access, &operands.view, &operands.indices, None)? {
            self.memory.settle(operands.view.buffer)?;
            let read = beyond.read(self.memory, &operands.view)?;
            return Ok(Value::Tile(ops::reshape(&read, access.shape.clone())?));
        }
        let window = match self.memory.window(operands.view.buffer) {
            Some(window) if operands.view.through.is_none() => window,
            _ => {
                self.memory.settle(operands.view.buffer)?;
                return Ok(Value::Tile(access.load(self.memory, &operands.view, &operands.indices)?));
            }
        };
        let selected = access.block_view(&operands.view, &operands.indices)?;
        Ok(Value::Window(window.select(&selected, &access.dims)))
    }

    /// Empties registers that nobody reads any more.
    pub(crate) fn consume(&mut self, operands: &[Source]) {
        for source in operands {
            if source.last_use {
                self.registers[source.register as usize] = Value::Empty;
            }
        }
    }

    /// Runs a chain over registers to a tile of its own.
    fn chain(&mut self, chain: usize, operands: &[Source]) -> Result<Array, RunError> {
        let Workshop { chains, lanes, tiles, scalars, .. } = &mut self.memory.workshop;
        let (number, chain) = (Given::Result(chain), numbered(chains, chain)?);
        let mut tile = tiles.take_again(number, chain.dtype(), chain.shape())?;
        chain.run(&views(chain, held(self.registers, operands), scalars)?, &mut Target::of(chain, &mut tile), lanes);
        tiles.keep_for(number, &tile);
        Ok(tile)
    }

    /// Runs one to a place.
    fn chain_onto(&mut self, chain: usize, operands: &[Source], target: &mut Target<'_>) -> Result<(), RunError> {
        let Workshop { chains, lanes, scalars, .. } = &mut self.memory.workshop;
        let chain = numbered(chains, chain)?;
        chain.run(&views(chain, held(self.registers, operands), scalars)?, target, lanes);
        Ok(())
    }

    /// The tile that a chain of no operations gives, where it is one that is there.
    fn moved(&self, chain: usize, reads: &[Source]) -> Option<Array> {
        let chain = self.memory.workshop.chains.get(chain).filter(|chain| chain.is_empty())?;
        match (reads, chain.read_type(0)) {
            (&[source], Some((_, shape))) if shape == chain.shape() => {
                match &self.registers[source.register as usize] {
                    Value::Tile(tile) => Some(tile.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What is in registers, for later.
    pub(crate) fn taken(&mut self, reads: &[Source]) -> Result<SmallVec<[Value; 4]>, RunError> {
        let take = |&source: &Source| match self.take(source)? {
            Value::Number(number) => Ok(Value::Tile(number.tile())),
            value => Ok(value),
        };
        reads.iter().map(take).collect()
    }

    fn reduce_chain(
        &mut self,
        chain: usize,
        operands: &[Source],
        (op, sizes): (ReduceOp, [usize; 2]),
        shape: &Shape,
        keeps: bool,
    ) -> Result<(Array, Option<Array>), RunError> {
        let Workshop { chains, lanes, tiles, scalars, .. } = &mut self.memory.workshop;
        let (number, chain) = (chain, numbered(chains, chain)?);
        let views = views(chain, held(self.registers, operands), scalars)?;
        let mut result = tiles.take_again(Given::Result(number), chain.dtype(), shape)?;
        let mut kept = match keeps {
            true => Some(tiles.take_again(Given::Rows(number), chain.dtype(), chain.shape())?),
            false => None,
        };
        {
            let sums = result.elements_mut::<f32>().ok_or_else(|| RunError::malformed("rows that are no floats"))?;
            let rows = kept.as_mut().and_then(|kept| kept.elements_mut::<f32>());
            chain.reduce(op, sizes, &views, rows, sums, lanes);
        }
        tiles.keep_for(Given::Result(number), &result);
        if let Some(kept) = &kept {
            tiles.keep_for(Given::Rows(number), kept);
        }
        Ok((result, kept))
    }

    /// Operands: the Ref, positions, what the chain reads.
    fn store_chain(&mut self, step: &Step, chain: usize, access: &Access) -> Result<(), RunError> {
        let mut sources = step.operands.iter().copied();
        let missing = || RunError::malformed("an operand is missing");
        let Value::Ref(view) = self.take(sources.next().ok_or_else(missing)?)? else {
            return Err(RunError::malformed("a tile stands where a Ref belongs"));
        };
        let mut indices: SmallVec<[Index; 4]> = SmallVec::new();
        for _ in access.operands() {
            indices.push(Index::Scalar(self.integer(sources.next().ok_or_else(missing)?)?));
        }
        let reads: SmallVec<[Source; 4]> = sources.collect();
        self.report_at(step, access, (&view, &indices, None), true)?;
        let buffer = view.buffer;
        let (dtype, shape) = (self.memory.dtype(&view)?, self.memory.shape(buffer));
        let fits = {
            let chain = numbered(&self.memory.workshop.chains, chain)?;
            chain.dtype() == dtype && *chain.shape() == access.shape
        };
        if !fits {
            return Err(RunError::malformed("what is stored does not have the type of the Ref"));
        }
        let through = view.through.is_some();
        if access.is_full() && !through && shape.is_some_and(|shape| view.is_whole(shape)) {
            if self.memory.buffers[buffer].defers {
                let (chain, reads) = self.going_on(buffer, chain, &reads)?;
                self.memory.store_later(buffer, Pending { chain, reads, over: Vec::new() });
                return Ok(());
            }
            self.ready(&reads)?;
            let tile = match self.moved(chain, &reads) {
                Some(tile) => tile,
                None => self.chain(chain, &reads)?,
            };
            self.consume(&reads);
            self.memory.put(buffer, tile);
            return Ok(());
        }
        self.ready(&reads)?;
        let leaves = !through && self.beyond(step, access, &view, &indices, None)?.is_some();
        if !through
            && !leaves
            && let Some(under) =
                self.memory.stored_over(buffer).map(|known| known.over.is_empty().then_some(known.chain))
        {
            let selected = access.block_view(&view, &indices)?;
            if !self.memory.shape(buffer).is_some_and(|shape| selected.overhangs(shape)) {
                let place = place(&selected, &access.dims);
                let inlaid = under.and_then(|under| self.memory.workshop.inlaid(under, chain, &place));
                let over = Over { chain, reads: self.taken(&reads)?, place, inlaid };
                if let Some(known) = self.memory.stored_over(buffer) {
                    known.over.push(over);
                }
                return Ok(());
            }
        }
        self.memory.settle(buffer)?;
        if through || leaves || self.memory.unknown.contains(&buffer) {
            let tile = self.chain(chain, &reads)?;
            self.consume(&reads);
            let opened = self.memory.open(&view)?;
            match self.beyond(step, access, &opened, &indices, None)? {
                Some(beyond) => beyond.write(self.memory, &opened, &tile, "write")?,
                None => access.store(self.memory, &opened, &indices, tile)?,
            }
            return self.memory.close(&view, &opened, true);
        }
        let selected = access.block_view(&view, &indices)?;
        if self.memory.peek(&view).is_ok_and(|array| selected.overhangs(array.shape())) {
            let tile = self.chain(chain, &reads)?;
            self.consume(&reads);
            return access.store(self.memory, &view, &indices, tile);
        }
        let mut array = self.memory.take(buffer);
        let strides: SmallVec<[isize; 6]> = array.shape().strides().iter().map(|&stride| stride as isize).collect();
        let (base, strides) = place(&selected, &access.dims).locate(0, &strides);
        let stored = self.chain_onto(chain, &reads, &mut Target::inside(&mut array, base, &strides[..]));
        self.consume(&reads);
        self.memory.put(buffer, array);
        stored
    }
}

/// What registers hold that a chain reads.
fn held<'a>(registers: &'a [Value], operands: &[Source]) -> impl Iterator<Item = &'a Value> + Clone {
    operands.iter().map(|source| &registers[source.register as usize])
}

/// Where a block lies in an array: its first element, and the dimensions that the subscript keeps.
fn place(selected: &View, dims: &[DimIndex]) -> Place {
    let mut place = Place { dims: SmallVec::new(), starts: SmallVec::new() };
    let mut subscript = dims.iter();
    for (axis, dim) in selected.dims.iter().enumerate() {
        match *dim {
            ViewDim::At(position) => place.starts.push(position),
            ViewDim::Range { start, stride, .. } => {
                place.starts.push(start);
                if !matches!(subscript.next(), Some(DimIndex::At(_))) {
                    place.dims.push(Some((axis, stride)));
                }
            }
        }
    }
    place
}

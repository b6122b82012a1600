//! Steps that are chains of operations: tiles, stores and reductions of what is computed chunk by chunk.

use crate::access::{Access, Index};
use crate::error::RunError;
use crate::later::{Pending, Workshop, view};
use crate::machine::{Machine, Value};
use crate::memory::{View, ViewDim};
use crate::tape::{Fused, FusedEnd, Masking, Source, Step};
use pallas_ir::DimIndex;
use pallas_tensor::ops::fused::{Target, View as Elements};
use pallas_tensor::ops::{self, ReduceOp};
use pallas_tensor::{Array, DType, Shape};
use smallvec::{SmallVec, smallvec};

type Values = SmallVec<[Value; 1]>;

impl Machine<'_> {
    /// Runs a step that is a chain.
    pub(crate) fn run_fused(&mut self, step: &Step, fused: &Fused) -> Result<Values, RunError> {
        match &fused.end {
            FusedEnd::Tile => {
                let tile = self.chain(fused.chain, &step.operands, None)?;
                self.consume(&step.operands);
                Ok(smallvec![Value::Tile(tile)])
            }
            FusedEnd::Store(access) => {
                self.store_chain(step, fused.chain, access)?;
                Ok(Values::new())
            }
            FusedEnd::Reduce { op, length, keeps, shape } => {
                let values = self.reduce_chain(fused.chain, &step.operands, (*op, *length), shape, *keeps)?;
                self.consume(&step.operands);
                Ok(values)
            }
        }
    }

    /// Reads a window where the Ref shows part of an array that nobody has copied; a tile elsewhere.
    pub(crate) fn window(&mut self, step: &Step, access: &Access) -> Result<Value, RunError> {
        if let (true, [source]) = (access.is_full(), step.operands.as_slice())
            && let Value::Ref(view) = &self.registers[source.register as usize]
            && let Some(window) = self.memory.window(view.buffer)
            && view.is_whole(&window.layout.shape)
        {
            return Ok(Value::Window(window.clone()));
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

    /// Runs a chain over registers, to a place or to a tile of its own.
    fn chain(&mut self, chain: usize, operands: &[Source], target: Option<&mut Target<'_>>) -> Result<Array, RunError> {
        let Workshop { chains, lanes, tiles } = &mut self.memory.workshop;
        let chain = chains.get(chain).ok_or_else(|| RunError::malformed("a chain is missing"))?;
        let views = views(self.registers, operands, chain)?;
        if let Some(target) = target {
            chain.run(&views, target, lanes);
            return Ok(Array::scalar(DType::Bool, pallas_tensor::Scalar::Bool(false)));
        }
        let mut tile = tiles.take(chain.dtype(), chain.shape())?;
        chain.run(&views, &mut Target::whole(&mut tile), lanes);
        tiles.keep(&tile);
        Ok(tile)
    }

    fn reduce_chain(
        &mut self,
        chain: usize,
        operands: &[Source],
        (op, length): (ReduceOp, usize),
        shape: &Shape,
        keeps: bool,
    ) -> Result<Values, RunError> {
        let Workshop { chains, lanes, tiles } = &mut self.memory.workshop;
        let chain = chains.get(chain).ok_or_else(|| RunError::malformed("a chain is missing"))?;
        let views = views(self.registers, operands, chain)?;
        let mut result = tiles.take(chain.dtype(), shape)?;
        let mut kept = match keeps {
            true => Some(tiles.take(chain.dtype(), chain.shape())?),
            false => None,
        };
        {
            let sums = result.elements_mut::<f32>().ok_or_else(|| RunError::malformed("rows that are no floats"))?;
            let rows = kept.as_mut().and_then(|kept| kept.elements_mut::<f32>());
            chain.reduce(op, length, &views, rows, sums, lanes);
        }
        tiles.keep(&result);
        let mut values: Values = smallvec![Value::Tile(result)];
        if let Some(kept) = kept {
            tiles.keep(&kept);
            values.push(Value::Tile(kept));
        }
        Ok(values)
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
            let chain =
                self.memory.workshop.chains.get(chain).ok_or_else(|| RunError::malformed("a chain is missing"))?;
            chain.dtype() == dtype && *chain.shape() == access.shape
        };
        if !fits {
            return Err(RunError::malformed("what is stored does not have the type of the Ref"));
        }
        let through = view.through.is_some();
        if access.is_full() && !through && shape.is_some_and(|shape| view.is_whole(shape)) {
            if self.memory.buffers[buffer].defers {
                let reads = reads.iter().map(|&source| self.take(source)).collect::<Result<_, _>>()?;
                self.memory.store_later(buffer, Pending { chain, reads });
                return Ok(());
            }
            let tile = self.chain(chain, &reads, None)?;
            self.consume(&reads);
            self.memory.put(buffer, tile);
            return Ok(());
        }
        self.memory.settle(buffer)?;
        let leaves = !through && self.beyond(step, access, &view, &indices, None)?.is_some();
        if through || leaves || self.memory.unknown.contains(&buffer) {
            let tile = self.chain(chain, &reads, None)?;
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
            let tile = self.chain(chain, &reads, None)?;
            self.consume(&reads);
            return access.store(self.memory, &view, &indices, tile);
        }
        let mut array = self.memory.take(buffer);
        let (base, strides) = located(&selected, &access.dims, &array);
        let stored = self.chain(chain, &reads, Some(&mut Target::inside(&mut array, base, strides)));
        self.consume(&reads);
        self.memory.put(buffer, array);
        stored.map(drop)
    }
}

/// What a chain reads, where it lies.
fn views<'a>(
    registers: &'a [Value],
    operands: &[Source],
    chain: &'a pallas_tensor::ops::fused::Chain,
) -> Result<SmallVec<[Elements<'a>; 6]>, RunError> {
    let of = |(number, source): (usize, &Source)| view(chain, number, &registers[source.register as usize]);
    operands.iter().enumerate().map(of).collect()
}

/// Where a block lies in an array: its first element, and strides along the dimensions that the subscript keeps.
fn located(selected: &View, dims: &[DimIndex], array: &Array) -> (usize, Vec<isize>) {
    let lines = array.shape().strides();
    let mut base = 0;
    let mut strides = Vec::new();
    let mut subscript = dims.iter();
    for (dim, &line) in selected.dims.iter().zip(&lines) {
        match *dim {
            ViewDim::At(position) => base += position * line,
            ViewDim::Range { start, stride, .. } => {
                base += start * line;
                if !matches!(subscript.next(), Some(DimIndex::At(_))) {
                    strides.push((stride * line) as isize);
                }
            }
        }
    }
    (base, strides)
}

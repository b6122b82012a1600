//! Copies between global and shared memory. What is a box goes through an engine (TMA): its elements have to be neighbours in both
//! memories. Anything else the threads of the team copy, at once; whoever waits for it sees no difference.
//!
//! **Panels.** Factors of products lie in shared memory as tensor cores read them: columns in panels of up to 128 bytes, each of all
//! rows, and pieces of 16 bytes change places from row to row. An engine brings one panel at a time. A matrix may have columns of two
//! kinds (`[rows, 2, n]`, tiled by `(8, 1, width)`): they lie one after the other, and programs look at them as one dimension.

use super::context::Lower;
use super::number::Number;
use super::refs::{RefDim, RefView, Shown};
use crate::Refusal;
use crate::ir::{Combine, MemoryId, Op, Share, Space, TensorMap, Value};
use pallas_ir::{OpData, RefType, Transform, ops};
use pallas_tensor::{DType, Scalar};

/// How a matrix lies in panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panels {
    /// Rows of the matrix, all of which a panel has, and its columns.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Columns of a panel.
    pub(crate) width: usize,
    /// Bytes of a row of a panel.
    pub(crate) swizzle: usize,
}

impl Panels {
    /// Bytes that such memory begins at a multiple of, and other memory that engines copy.
    pub(crate) const ALIGN: usize = 1024;
    pub(crate) const PLAIN_ALIGN: usize = 128;

    /// As the program says, or as a factor has to lie.
    pub(crate) fn of(ty: &RefType, multiplies: bool) -> Option<Panels> {
        let said = ty.layout.iter().find_map(|step| match step {
            Transform::Swizzled(bytes) => Some(*bytes),
            Transform::Tiled(_) => None,
        });
        // Tiles say which dimensions are columns; those in between are not cut.
        let tiles = ty.layout.iter().find_map(|step| match step {
            Transform::Tiled(tiles) if tiles.len() > 2 => Some(tiles),
            _ => None,
        });
        if tiles.is_some_and(|tiles| tiles[1..tiles.len() - 1].iter().any(|&tile| tile != 1)) {
            return None;
        }
        let begin = ty.shape.len().checked_sub(tiles.map_or(2, |tiles| tiles.len()))?;
        let (rows, columns) = (ty.shape[begin], ty.shape[begin + 1..].iter().product::<usize>());
        let last = ty.shape.last().copied()?;
        let bytes = ty.dtype.size_bytes();
        if !rows.is_multiple_of(8)
            || !rows.is_power_of_two()
            || !columns.is_power_of_two()
            || (said.is_none() && !multiplies)
        {
            return None;
        }
        let fits = |swizzle: &usize| last * bytes >= *swizzle && said.is_none_or(|said| *swizzle <= said);
        let swizzle = [128, 64, 32].into_iter().find(fits)?;
        Some(Panels { rows, columns, width: swizzle / bytes, swizzle })
    }
}

/// A box for an engine.
pub(crate) struct Piece {
    /// Where it begins in the array.
    begins: Vec<Number>,
    /// And in shared memory.
    at: Number,
}

impl Lower<'_> {
    pub(crate) fn lower_copy_in(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (global, shared) = (self.reference(op.operands[0])?, self.reference(op.operands[1])?);
        let (global, shared) = (self.by_bytes(op, global)?, self.by_bytes(op, shared)?);
        let (phases, which) = self.phases(op.operands[2])?;
        if op.attributes.int("partitioned").is_some() || op.attributes.flag("leader") {
            return self.copied_for_leader(op, &global, &shared, (phases, which));
        }
        if self.copied_together(op, &global, &shared, (phases, which))? {
            return Ok(());
        }
        let Some((map, pieces)) = self.boxes(&global, &shared) else {
            self.copied_by_threads(&global, &shared)?;
            self.b.add(Op::Publish, &[], &[], Vec::new());
            self.b.add(Op::Arrive { phases, alone: false, across: false }, &[which], &[], Vec::new());
            return Ok(());
        };
        self.brought(map, pieces, shared.memory, (phases, which), (Share::Own, None));
        self.b.add(Op::Arrive { phases, alone: true, across: false }, &[which], &[], Vec::new());
        Ok(())
    }

    /// Engines bring boxes.
    pub(crate) fn brought(
        &mut self,
        map: usize,
        pieces: Vec<Piece>,
        memory: MemoryId,
        (phases, which): (MemoryId, Value),
        (share, whom): (Share, Option<Value>),
    ) {
        for Piece { begins, at } in pieces {
            let mut operands: Vec<Value> = begins.iter().map(|begin| begin.value(&mut self.b)).collect();
            operands.extend([at.value(&mut self.b), which]);
            operands.extend(whom);
            self.b.add(Op::BringBox { map, memory, phases, share }, &operands, &[], Vec::new());
        }
    }

    pub(crate) fn lower_copy_out(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (shared, global) = (self.reference(op.operands[0])?, self.reference(op.operands[1])?);
        self.b.written(global.memory);
        let combine = match op.attributes.str("reduce") {
            None => Combine::Exchange,
            Some(how) => {
                let how = how.trim_start_matches(['u', 's']);
                let found = Combine::ALL.iter().find(|(name, _)| *name == how);
                found.ok_or_else(|| self.refuse_because(op, "that combines in this way is not lowered yet"))?.1
            }
        };
        let which = match op.attributes.flag("predicated") {
            true => {
                let made = self.held(op.operands[2])?.value;
                Some(self.b.convert(made, DType::I32))
            }
            false => None,
        };
        if which.is_some() {
            self.b.open(&[]);
        }
        let sent = self.sent(op, &shared, &global, combine);
        if let Some(which) = which {
            let made = self.b.close(Vec::new());
            self.b.add(Op::Switch, &[which], &[], vec![Default::default(), made]);
        }
        sent?;
        if !op.attributes.flag("open") {
            self.b.add(Op::CommitSent, &[], &[], Vec::new());
        }
        Ok(())
    }

    fn sent(&mut self, op: &OpData, shared: &RefView, global: &RefView, combine: Combine) -> Result<(), Refusal> {
        // Engines do not tell what they bring to an element that somebody watches; threads do.
        let is_watched = combine == Combine::Exchange && !self.teams.in_warp && self.is_watched(global);
        let boxes = if is_watched { None } else { self.boxes(global, shared) };
        match boxes {
            Some((map, pieces)) => {
                for Piece { begins, at } in pieces {
                    let mut operands = vec![at.value(&mut self.b)];
                    operands.extend(begins.iter().map(|begin| begin.value(&mut self.b)).collect::<Vec<_>>());
                    let send = Op::SendBox { memory: shared.memory, map, combine };
                    self.b.add(send, &operands, &[], Vec::new());
                }
                Ok(())
            }
            None if combine == Combine::Exchange => self.copied_by_threads(shared, global),
            None => Err(self.refuse_because(op, "that combines and is no box is not lowered yet")),
        }
    }

    /// Every thread takes some of the elements.
    fn copied_by_threads(&mut self, source: &RefView, destination: &RefView) -> Result<(), Refusal> {
        if self.teams.in_warp {
            return Err(self.unknown("a copy in a warp that is no box for an engine"));
        }
        self.refuse_pairs([source, destination])?;
        let (source, destination) = (source.without_units(), destination.without_units());
        if self.teams.places.contains(&source.memory) {
            return Err(self.unknown("a copy of metadata out of shared memory"));
        }
        if self.teams.places.contains(&destination.memory) {
            return self.packed_by_threads(&source, &destination);
        }
        let layout = self.layout(&source.shape());
        let from = self.whole(&source, &layout)?;
        let dtype = self.b.kernel().memory(source.memory).dtype;
        let zero = from.mask.map(|_| self.b.constant(dtype, Scalar::zero(dtype), 1));
        let value = self.b.load(source.memory, from.index, from.mask, zero, from.is_private);
        let to = self.whole(&destination, &layout)?;
        self.write(&destination, &to, value, None);
        Ok(())
    }

    /// The box that an engine can copy between two Refs, and where; `None` if it cannot.
    pub(crate) fn boxes(&mut self, global: &RefView, shared: &RefView) -> Option<(usize, Vec<Piece>)> {
        let (array, memory) = (self.b.kernel().memory(global.memory), self.b.kernel().memory(shared.memory));
        let Space::Operand { operand, .. } = array.space else { return None };
        let bytes = array.dtype.size_bytes();
        let mut extents = self.launch.operands.get(operand)?.array.shape.to_vec();
        if let Some(last) = extents.last_mut().filter(|_| self.teams.pairs.contains(&global.memory)) {
            *last /= super::pairs::PAIR;
        }
        let fits = matches!(bytes, 1 | 2 | 4 | 8)
            && matches!(memory.space, Space::Shared | Space::Team)
            && array.dtype == memory.dtype
            && self.teams.pairs.contains(&global.memory) == self.teams.pairs.contains(&shared.memory)
            && array.dtype.bits() >= 8
            && (1..=TensorMap::RANK).contains(&extents.len())
            && global.dims.len() == extents.len()
            && !extents.contains(&0);
        let strides = super::context::row_major(&extents);
        let is_cut_at_end =
            |(dim, &extent): (&RefDim, &usize)| dim.extent.is_none_or(|end| end == Number::Known(extent as i64));
        let is_array = global.dims.iter().zip(&strides).all(|(dim, &stride)| dim.stride == stride)
            && global.dims.iter().zip(&extents).all(is_cut_at_end);
        if !fits
            || !is_array
            || extents.last().is_some_and(|&last| extents.len() > 1 && !(last * bytes).is_multiple_of(16))
        {
            return None;
        }
        let mut boxed: Vec<usize> = global.dims.iter().map(box_extent).collect::<Option<_>>()?;
        let begins: Vec<Number> = global.dims.iter().map(|dim| dim.offset).collect();
        let here: Vec<(usize, i64)> = shared
            .axes()
            .into_iter()
            .filter(|axis| axis.1 != 1)
            .map(|(position, size, step)| (size, shared.dims[position].stride * step))
            .collect();
        let there: Vec<usize> = boxed.iter().copied().filter(|&extent| extent != 1).collect();
        if !here.iter().map(|&(size, _)| size).eq(there) {
            return None;
        }
        let last = boxed.len() - 1;
        // Dimensions along which there are several boxes: how many, how far apart there and here.
        let (at, repeats, swizzle): (_, Vec<(usize, usize, usize, usize)>, _) =
            match self.teams.panels.get(&shared.memory).copied() {
                Some(panels) => {
                    let (slot, row, column) = self.panel_begin(shared, panels)?;
                    // What has columns of several kinds has them in a dimension of its own.
                    let mut kinds = None;
                    let is_matrix = match here.as_slice() {
                        [(_, 1)] => true,
                        [(_, pitch), (_, 1)] => *pitch == panels.columns as i64,
                        [(_, pitch), (count, far), (_, 1)] => {
                            kinds = Some((
                                boxed.iter().enumerate().filter(|(_, extent)| **extent != 1).nth(1)?.0,
                                *count,
                                *far,
                            ));
                            *pitch == panels.columns as i64 && *far % panels.width as i64 == 0
                        }
                        _ => false,
                    };
                    if !is_matrix
                        || !boxed[last].is_multiple_of(panels.width)
                        || boxed[..last].iter().any(|&extent| extent > TensorMap::EXTENT)
                    {
                        return None;
                    }
                    let far = row.times(&mut self.b, panels.width as i64);
                    let column = self.divided(column, panels.width)?;
                    let column = column.times(&mut self.b, (panels.rows * panels.width) as i64);
                    let at = slot.add(&mut self.b, far);
                    let at = at.add(&mut self.b, column);
                    let mut repeats = Vec::new();
                    if let Some((dim, count, far)) = kinds {
                        boxed[dim] = 1;
                        repeats.push((dim, count, 1, far as usize * panels.rows));
                    }
                    let count = boxed[last] / panels.width;
                    boxed[last] = panels.width;
                    repeats.push((last, count, panels.width, panels.rows * panels.width));
                    (at, repeats, panels.swizzle)
                }
                None => {
                    let mut dense = 1;
                    for &(size, stride) in here.iter().rev() {
                        if stride != dense {
                            return None;
                        }
                        dense *= size as i64;
                    }
                    let known = |dim: &RefDim| match dim.offset {
                        Number::Known(offset) => offset * dim.stride * bytes as i64 % 128 == 0,
                        Number::Computed(_) => dim.stride * bytes as i64 % 128 == 0,
                    };
                    if !shared.dims.iter().all(known) {
                        return None;
                    }
                    let at = self.begin_of(shared);
                    // The first dimension may be longer than a box.
                    let first = boxed.iter().position(|&extent| extent != 1).unwrap_or(last);
                    let inner: usize = boxed[first + 1..].iter().product();
                    let chunk = boxed[first].min(TensorMap::EXTENT);
                    let count = boxed[first] / chunk;
                    let too_long = boxed[first + 1..].iter().any(|&extent| extent > TensorMap::EXTENT);
                    if too_long
                        || !boxed[first].is_multiple_of(chunk)
                        || (count > 1 && !(chunk * inner * bytes).is_multiple_of(128))
                    {
                        return None;
                    }
                    boxed[first] = chunk;
                    (at, vec![(first, count, chunk, chunk * inner)], 0)
                }
            };
        if !(boxed[last] * bytes).is_multiple_of(16) {
            return None;
        }
        let map = TensorMap { memory: global.memory, extents, boxed, swizzle };
        let map = self.b.tensor_map(map);
        let mut pieces = vec![Piece { begins, at }];
        for (dim, count, there, here) in repeats {
            let mut more = Vec::with_capacity(pieces.len() * count);
            for piece in &pieces {
                for number in 0..count as i64 {
                    let mut begins = piece.begins.clone();
                    begins[dim] = begins[dim].add(&mut self.b, Number::Known(number * there as i64));
                    let at = piece.at.add(&mut self.b, Number::Known(number * here as i64));
                    more.push(Piece { begins, at });
                }
            }
            pieces = more;
        }
        Some((map, pieces))
    }

    /// Where a part of memory in panels begins: its slot's first element, row and column.
    pub(crate) fn panel_begin(&mut self, view: &RefView, panels: Panels) -> Option<(Number, Number, Number)> {
        let (mut slot, mut row, mut column) = (Number::Known(0), Number::Known(0), Number::Known(0));
        for dim in &view.dims {
            let place = match dim.stride {
                1 => &mut column,
                stride if stride == panels.columns as i64 => &mut row,
                stride if stride < panels.columns as i64 && stride % panels.width as i64 == 0 => {
                    let far = dim.offset.times(&mut self.b, stride);
                    column = column.add(&mut self.b, far);
                    continue;
                }
                stride if stride % (panels.rows * panels.columns) as i64 == 0 => {
                    let far = dim.offset.times(&mut self.b, stride);
                    slot = slot.add(&mut self.b, far);
                    continue;
                }
                _ => return None,
            };
            *place = place.add(&mut self.b, dim.offset);
        }
        Some((slot, row, column))
    }

    /// A multiple of a power of two, divided by it.
    pub(crate) fn divided(&mut self, number: Number, by: usize) -> Option<Number> {
        match number {
            Number::Known(number) if number % by as i64 == 0 => Some(Number::Known(number / by as i64)),
            Number::Known(_) => None,
            Number::Computed(value) => {
                let shift = self.b.int(i64::from(by.trailing_zeros()));
                Some(Number::Computed(self.b.binary(&ops::SHIFT_RIGHT_ARITHMETIC, value, shift)))
            }
        }
    }

    /// Where elements lie whose pieces change places, from where they would lie in rows.
    pub(crate) fn in_panels(&mut self, memory: MemoryId, index: Value) -> Value {
        let Some(panels) = self.teams.panels.get(&memory).copied() else { return index };
        let dtype = self.b.kernel().memory(memory).dtype;
        let log = |number: usize| i64::from(number.trailing_zeros());
        let (row, column, width) = (log(panels.rows), log(panels.columns), log(panels.width));
        let bytes = log(dtype.size_bytes());
        let field = |this: &mut Self, value: Value, from: i64, bits: i64, to: i64| {
            let (from, mask, to) = (this.b.int(from), this.b.int((1 << bits) - 1), this.b.int(to));
            let low = this.b.binary(&ops::SHIFT_RIGHT_LOGICAL, value, from);
            let low = this.b.binary(&ops::AND, low, mask);
            this.b.binary(&ops::SHIFT_LEFT, low, to)
        };
        let mut place = field(self, index, 0, width, 0);
        for (from, bits, to) in [
            (column, row, width),
            (width, column - width, width + row),
            (column + row, 31 - column - row, column + row),
        ] {
            if bits > 0 {
                let part = field(self, index, from, bits, to);
                place = self.b.binary(&ops::ADD, place, part);
            }
        }
        let flips = field(self, place, 7 - bytes, log(panels.swizzle) - 4, 4 - bytes);
        self.b.binary(&ops::XOR, place, flips)
    }
}

/// What a box has of a dimension; `None` if not all elements are neighbours.
fn box_extent(dim: &RefDim) -> Option<usize> {
    match dim.shown {
        Shown::At | Shown::Range { size: 1, .. } => Some(1),
        Shown::Range { size, step: 1 } => Some(size),
        Shown::Range { .. } => None,
    }
}

impl RefView {
    /// Without dimensions of one element.
    pub(crate) fn without_units(&self) -> RefView {
        let mut view = self.clone();
        for dim in &mut view.dims {
            if matches!(dim.shown, Shown::Range { size: 1, .. }) {
                dim.shown = Shown::At;
            }
        }
        view
    }
}

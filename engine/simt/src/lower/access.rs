//! Subscripts of Refs: addresses and masks of what they select. As in interpret mode, slices and scalars without strides are a
//! block that is moved inside (or, `padded`, reads as memory that nobody wrote), everything else are positions by themselves:
//! reads are clamped, writes dropped.

use super::context::{Lower, Tile};
use super::number::{Number, binary};
use super::refs::{RefDim, RefView, Shown};
use crate::Refusal;
use crate::ir::Value;
use crate::layout::Layout;
use pallas_ir::{DimIndex, IndexPattern, Position, ValueId, ops};

/// Where the registers of a tile lie in memory.
pub(crate) struct Place {
    pub(crate) index: Value,
    /// Registers whose element exists; `None` if all do.
    pub(crate) mask: Option<Value>,
    pub(crate) layout: Layout,
    /// Whether no two threads have an index in common. Integer arrays may say the same twice: hardware then keeps any of the
    /// values, interpret mode the last.
    pub(crate) is_private: bool,
    /// Where positions are others than were asked for, if that is told.
    pub(crate) outside: Vec<Value>,
    /// Which piece of an element, if elements are shown as several.
    pub(crate) piece: Option<Value>,
}

impl Lower<'_> {
    /// Where a subscript points. `writes` decides what becomes of positions outside.
    pub(crate) fn place(
        &mut self,
        view: &RefView,
        pattern: &IndexPattern,
        operands: &[ValueId],
        layout: &Layout,
        padded: bool,
        writes: bool,
    ) -> Result<Place, Refusal> {
        self.outside.clear();
        self.piece = None;
        let mut mask = self.elements(layout);
        let mut operands = operands.iter().copied();
        let is_block = pattern.0.iter().all(|dim| match dim {
            DimIndex::Slice { stride, .. } => *stride == 1,
            DimIndex::At(_) => true,
            DimIndex::Part { .. } | DimIndex::Array => false,
        });
        // Dimensions of the result: slices before the arrays, the arrays, slices after.
        let slices = pattern.0.iter().filter(|dim| matches!(dim, DimIndex::Slice { .. })).count();
        let (before, arrays) = (pattern.array_position(), layout.shape.len().saturating_sub(slices));
        let mut slice = 0;
        let mut address = Number::Known(0);
        let mut offsets: Vec<Value> = Vec::new();
        let axes = view.axes();
        for (entry, &(position, bound, step)) in pattern.0.iter().zip(&axes) {
            let bound = bound as i64;
            let dim = view.dims[position];
            let mut start = |this: &mut Self, start: Position| match start {
                Position::Static(start) => Ok(Number::Known(start)),
                Position::Dynamic => operands.next().map_or(Err(this.malformed()), |value| this.number(value)),
            };
            match *entry {
                DimIndex::At(at) => {
                    let at = start(self, at)?;
                    let (at, inside) = self.position(at, bound, 1, is_block, padded, writes);
                    if let Some(inside) = inside {
                        mask = Some(self.both(mask, inside));
                    }
                    self.scalar(dim, at, step, &mut address, &mut mask);
                }
                DimIndex::Slice { start: first, size, stride } => {
                    let first = start(self, first)?;
                    let result = if slice < before { slice } else { slice + arrays };
                    slice += 1;
                    let last = stride as i64 * (size as i64 - 1).max(0);
                    let whole = matches!(first, Number::Known(first) if first >= 0 && first + last < bound);
                    let coord = self.b.coord(layout, result);
                    if whole || (is_block && !padded) {
                        let first = match whole {
                            true => first,
                            false => {
                                let asked = first.wrapped(&mut self.b, bound);
                                let taken = asked.clamp(&mut self.b, 0, bound - size as i64);
                                self.doubt_number(asked, taken);
                                taken
                            }
                        };
                        // The start is the same for all registers.
                        let moved = RefDim { offset: self.offset(dim, first, step), ..dim };
                        self.along(moved, coord, step * stride as i64, &mut address, &mut offsets, &mut mask);
                        continue;
                    }
                    if is_block {
                        let end = first.wrapped(&mut self.b, bound + size as i64).clamp(&mut self.b, 0, bound);
                        let first = end;
                        let reach = first.value(&mut self.b);
                        let reach = self.b.splat(reach, layout.registers());
                        let at = self.b.binary(&ops::ADD, reach, coord);
                        let limit = self.b.int(bound);
                        let inside = self.b.binary(&ops::LT, at, limit);
                        mask = Some(self.both(mask, inside));
                        let moved = RefDim { offset: self.offset(dim, first, step), ..dim };
                        self.along(moved, coord, step, &mut address, &mut offsets, &mut mask);
                        continue;
                    }
                    let stride = self.b.int(stride as i64);
                    let far = self.b.binary(&ops::MUL, coord, stride);
                    let first = first.value(&mut self.b);
                    let at = self.b.binary(&ops::ADD, far, first);
                    let at = self.scattered(at, bound, writes, &mut mask);
                    self.along(dim, at, step, &mut address, &mut offsets, &mut mask);
                }
                DimIndex::Array => {
                    let value = operands.next().ok_or_else(|| self.malformed())?;
                    let tile = self.held(value)?;
                    let wide = self.b.convert(tile.value, pallas_tensor::DType::I32);
                    let tile = Tile { value: wide, ..tile };
                    let at = self.spread(&tile, layout, before + arrays);
                    let at = self.scattered(at, bound, writes, &mut mask);
                    self.along(dim, at, step, &mut address, &mut offsets, &mut mask);
                }
                DimIndex::Part { .. } => {
                    return Err(Refusal::new("parts of computed length are not lowered yet", self.b.span));
                }
            }
        }
        // What the Ref itself has at one place.
        for dim in view.dims.iter().filter(|dim| dim.shown == Shown::At) {
            self.scalar(*dim, Number::Known(0), 1, &mut address, &mut mask);
        }
        let address = address.value(&mut self.b);
        let mut index = self.b.splat(address, layout.registers());
        for offset in offsets {
            index = self.b.binary(&ops::ADD, index, offset);
        }
        let index = self.in_panels(view.memory, index);
        let is_private = layout.is_private() && !pattern.0.contains(&DimIndex::Array);
        let outside = std::mem::take(&mut self.outside);
        let piece = self.piece.take().map(|piece| self.b.splat(piece, layout.registers()));
        Ok(Place { index, mask, layout: layout.clone(), is_private, outside, piece })
    }

    /// All of a Ref.
    pub(crate) fn whole(&mut self, view: &RefView, layout: &Layout) -> Result<Place, Refusal> {
        self.place(view, &IndexPattern::full(&view.shape()), &[], layout, false, true)
    }

    /// All of a Ref, or what arrays select of it.
    pub(crate) fn whole_or_selected(
        &mut self,
        view: &RefView,
        layout: &Layout,
        writes: bool,
    ) -> Result<Place, Refusal> {
        let Some(selected) = view.selected.clone() else { return self.whole(view, layout) };
        let view = RefView { selected: None, ..view.clone() };
        self.place(&view, &selected.pattern, &selected.operands, layout, false, writes)
    }

    pub(crate) fn malformed(&self) -> Refusal {
        Refusal::new("an index operand is missing", self.b.span)
    }

    /// A position in the array's own coordinates.
    fn offset(&mut self, dim: RefDim, first: Number, step: i64) -> Number {
        let first = first.times(&mut self.b, step);
        dim.offset.add(&mut self.b, first)
    }

    /// A scalar position inside of its Ref, and whether it is there at all.
    fn position(
        &mut self,
        at: Number,
        bound: i64,
        size: i64,
        is_block: bool,
        padded: bool,
        writes: bool,
    ) -> (Number, Option<Value>) {
        if matches!(at, Number::Known(at) if (0..bound).contains(&at)) {
            return (at, None);
        }
        if is_block && padded {
            let at = at.wrapped(&mut self.b, bound + size).clamp(&mut self.b, 0, bound);
            let inside = binary(&mut self.b, &ops::LT, at, Number::Known(bound)).value(&mut self.b);
            return (at, Some(inside));
        }
        let moved = at.wrapped(&mut self.b, bound);
        let at = moved.clamp(&mut self.b, 0, bound - size);
        self.doubt_number(moved, at);
        if is_block || !writes {
            return (at, None);
        }
        let inside = binary(&mut self.b, &ops::EQ, at, moved).value(&mut self.b);
        (at, Some(inside))
    }

    /// Positions by themselves: those below 0 count from the end; reads are clamped, writes dropped.
    fn scattered(&mut self, at: Value, bound: i64, writes: bool, mask: &mut Option<Value>) -> Value {
        let (zero, end) = (self.b.int(0), self.b.int(bound));
        let negative = self.b.binary(&ops::LT, at, zero);
        let moved = self.b.binary(&ops::ADD, at, end);
        let at = self.b.select(negative, moved, at);
        let last = self.b.int((bound - 1).max(0));
        let above = self.b.binary(&ops::MAX, at, zero);
        let inside = self.b.binary(&ops::MIN, above, last);
        self.doubt(at, inside);
        if writes {
            let same = self.b.binary(&ops::EQ, at, inside);
            *mask = Some(self.both(*mask, same));
        }
        inside
    }

    /// Adds a dimension in which all registers are at one place.
    fn scalar(&mut self, dim: RefDim, at: Number, step: i64, address: &mut Number, mask: &mut Option<Value>) {
        let at = self.offset(dim, at, step);
        if let Some(extent) = dim.extent {
            let at = at.value(&mut self.b);
            self.bounded(at, extent, mask);
        }
        let at = match dim.pieces {
            1 => at,
            pieces => {
                let at = at.value(&mut self.b);
                Number::Computed(self.element(at, pieces))
            }
        };
        let far = at.times(&mut self.b, dim.stride);
        *address = address.add(&mut self.b, far);
    }

    /// The element of memory that a position is a piece of; remembers which.
    fn element(&mut self, at: Value, pieces: i64) -> Value {
        let (count, last) = (self.b.int(pieces), self.b.int(pieces - 1));
        self.piece = Some(self.b.binary(&ops::AND, at, last));
        self.b.binary(&ops::DIV, at, count)
    }

    /// Adds a dimension in which each register has a position, from the dimension's offset on.
    fn along(
        &mut self,
        dim: RefDim,
        at: Value,
        step: i64,
        address: &mut Number,
        offsets: &mut Vec<Value>,
        mask: &mut Option<Value>,
    ) {
        if let Some(extent) = dim.extent {
            let far = self.scaled(at, step);
            let place = match dim.offset {
                Number::Known(0) => far,
                offset => {
                    let offset = offset.value(&mut self.b);
                    self.b.binary(&ops::ADD, far, offset)
                }
            };
            self.bounded(place, extent, mask);
        }
        if dim.pieces > 1 {
            let (far, offset) = (self.scaled(at, step), dim.offset.value(&mut self.b));
            let at = self.b.binary(&ops::ADD, far, offset);
            let element = self.element(at, dim.pieces);
            offsets.push(self.scaled(element, dim.stride));
            return;
        }
        let base = dim.offset.times(&mut self.b, dim.stride);
        *address = address.add(&mut self.b, base);
        offsets.push(self.scaled(at, step * dim.stride));
    }

    /// Masks off what is outside of the array.
    fn bounded(&mut self, place: Value, extent: Number, mask: &mut Option<Value>) {
        let (zero, extent) = (self.b.int(0), extent.value(&mut self.b));
        let below = self.b.binary(&ops::LT, place, extent);
        *mask = Some(self.both(*mask, below));
        let above = self.b.binary(&ops::GE, place, zero);
        *mask = Some(self.both(*mask, above));
    }

    /// Where main memory of a GPU ends along a dimension, if programs are teams that say what is copied.
    fn cut_at(&self, view: &RefView, position: usize) -> Option<Number> {
        let memory = self.b.kernel().memory(view.memory);
        let crate::ir::Space::Operand { operand, .. } = memory.space else { return None };
        let shape = &self.launch.operands.get(operand).filter(|_| self.has_teams)?.array.shape;
        (shape.rank() == view.dims.len()).then(|| Number::Known(shape[position] as i64))
    }

    /// A Ref to part of a Ref.
    pub(crate) fn part(
        &mut self,
        view: &RefView,
        pattern: &IndexPattern,
        operands: &[ValueId],
    ) -> Result<RefView, Refusal> {
        let mut part = view.clone();
        let mut operands = operands.iter().copied();
        for (entry, (position, bound, step)) in pattern.0.iter().zip(view.axes()) {
            let dim = view.dims[position];
            let (first, size, stride, at) = match *entry {
                DimIndex::At(first) => (first, 1, 1, true),
                DimIndex::Slice { start, size, stride } => (start, size, stride, false),
                DimIndex::Part { start, bound } => {
                    let mut next =
                        |this: &mut Self| operands.next().map_or(Err(this.malformed()), |value| this.number(value));
                    let first = match start {
                        Position::Static(first) => Number::Known(first),
                        Position::Dynamic => next(self)?,
                    };
                    let length = next(self)?.clamp(&mut self.b, 0, bound as i64);
                    // It is as long as computed: what is further on is not there.
                    let offset = self.offset(dim, first, step);
                    let reach = length.times(&mut self.b, step);
                    let mut extent = offset.add(&mut self.b, reach);
                    if let Some(outer) = dim.extent {
                        extent = binary(&mut self.b, &ops::MIN, extent, outer);
                    }
                    part.dims[position] =
                        RefDim { offset, shown: Shown::Range { size: bound, step }, extent: Some(extent), ..dim };
                    continue;
                }
                // Such a view is a selection.
                DimIndex::Array => return Err(self.malformed()),
            };
            let first = match first {
                Position::Static(first) => Number::Known(first),
                Position::Dynamic => {
                    let value = operands.next().ok_or_else(|| self.malformed())?;
                    self.number(value)?
                }
            };
            let bound = bound as i64;
            let span = if size == 0 { 0 } else { (size as i64 - 1) * stride as i64 + 1 };
            let shown = if at { Shown::At } else { Shown::Range { size, step: step * stride as i64 } };
            let known = matches!(first, Number::Known(first) if first >= 0 && first + span <= bound);
            let outer = self.cut_at(view, position);
            // A slice of a GPU's main memory may reach past its end, where copies find zeros.
            if let (Some(extent), false) = (outer, known) {
                let offset = self.offset(dim, first, step);
                part.dims[position] = RefDim { offset, shown, extent: Some(dim.extent.unwrap_or(extent)), ..dim };
                continue;
            }
            let first = match self.has_teams {
                // What reaches beyond shared memory is a mistake of the program's.
                true if matches!(first, Number::Computed(_)) => first,
                _ => first.wrapped(&mut self.b, bound).clamp(&mut self.b, 0, bound - span),
            };
            let offset = self.offset(dim, first, step);
            part.dims[position] = RefDim { offset, shown, ..dim };
        }
        Ok(part)
    }
}

//! Loads and stores. Where a subscript selects a tile of a regular cut of the array, as blocks do, it goes through a partition
//! view, which the machine copies by itself; everything else goes through pointers. As in interpret mode, slices without
//! strides are moved inside of their Ref, other positions are clamped when read and dropped when written; what lies outside
//! of the array reads as memory that nobody wrote.

use crate::emit::{choice, groups};
use crate::lower::Lower;
use crate::number::Number;
use crate::ops::{arith, convert, shape};
use crate::types::{Tile, array, element, fits, pointers, tile};
use crate::view::{View, position, shifted};
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{PaddingValue, PartitionViewType, Type, Value};
use pallas_ir::{DimIndex, IndexPattern, ValueId};
use pallas_tensor::{DType, Kind, Scalar, Shape};

/// What a subscript selects.
pub(crate) enum Place {
    /// A tile of a partition view, by the numbers of its block.
    Block {
        /// The view.
        view: Value,
        /// Along each dimension of the array.
        indices: Vec<Value>,
        /// The tile as the array's dimensions have it.
        whole: Vec<usize>,
        /// As the subscript has it.
        shape: Vec<usize>,
    },
    /// Elements, each with an address.
    Elements {
        /// Pointers.
        pointers: Value,
        /// Which of them there are; all without.
        mask: Option<Tile>,
        /// How many.
        shape: Vec<usize>,
    },
}

impl Place {
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Place::Block { shape, .. } | Place::Elements { shape, .. } => shape,
        }
    }
}

/// How an access treats what lies outside.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    /// What lies outside of the Ref reads as memory that nobody wrote.
    pub(crate) padded: bool,
    /// Positions outside are dropped rather than clamped.
    pub(crate) writes: bool,
    /// Pointers are wanted whatever it is.
    pub(crate) elements: bool,
}

/// Where something begins along a dimension of the array, and how many elements of it there are.
struct Window {
    start: Number,
    size: usize,
}

impl Lower<'_> {
    /// Where a subscript points.
    pub(crate) fn place(
        &mut self,
        view: &View,
        pattern: &IndexPattern,
        operands: &[ValueId],
        manner: Manner,
    ) -> Result<Place, Refusal> {
        let is_block = pattern.0.iter().all(|dim| match dim {
            DimIndex::Slice { stride, .. } => *stride == 1,
            DimIndex::At(_) => true,
            DimIndex::Part { .. } | DimIndex::Array => false,
        });
        if is_block && !manner.padded {
            let windows = self.windows(view, pattern, operands)?;
            let kept: Vec<usize> = pattern.result_shape(&Shape::scalar()).to_vec();
            fits(&kept)?;
            if !manner.elements
                && let Some(place) = self.partition(view, &windows, &kept)?
            {
                return Ok(place);
            }
            return self.window_elements(view, &windows, pattern, kept);
        }
        self.elements(view, pattern, operands, manner, is_block)
    }

    /// A block of a Ref, along each dimension of its memory.
    fn windows(&mut self, view: &View, pattern: &IndexPattern, operands: &[ValueId]) -> Result<Vec<Window>, Refusal> {
        let mut windows: Vec<Window> =
            view.dims.iter().map(|dim| Window { start: dim.offset.clone(), size: 1 }).collect();
        let mut operands = operands.iter().copied();
        for (entry, (place, bound, step)) in pattern.0.iter().zip(view.axes()) {
            let (start, size) = match *entry {
                DimIndex::At(start) => (start, 1),
                DimIndex::Slice { start, size, .. } => (start, size),
                DimIndex::Part { .. } | DimIndex::Array => return Err(no("a subscript is no block")),
            };
            let start = position(self, start, &mut operands)?;
            let last = (bound as i64 - size as i64).max(0);
            let start = start.wrapped(&mut self.e, bound as i64)?.clamp(&mut self.e, 0, last)?;
            windows[place] = Window { start: shifted(&mut self.e, &view.dims[place], &start, step)?, size };
        }
        Ok(windows)
    }

    /// The tile of a partition view that a block is, if it is one.
    fn partition(&mut self, view: &View, windows: &[Window], kept: &[usize]) -> Result<Option<Place>, Refusal> {
        let memory = &self.memories[view.memory];
        let cut = view.dims.iter().any(|dim| dim.extent.is_some());
        let is_regular = view.is_plain
            && memory.is_whole
            && memory.dtype != DType::Bool
            && !memory.shape.is_empty()
            && !memory.shape.contains(&0)
            && view.dims.iter().all(|dim| !dim.is_before && dim.shown.is_none_or(|(_, step)| step == 1));
        let fresh = self.fresh(memory.dtype);
        let padding = match (cut, memory.dtype.kind(), fresh) {
            (false, ..) => Some(PaddingValue::Zero),
            (true, Kind::Float, Scalar::Float(value)) if value.is_nan() => Some(PaddingValue::Nan),
            (true, _, value) if value.as_f64() == Some(0.0) => Some(PaddingValue::Zero),
            _ => None,
        };
        let Some(padding) = padding.filter(|_| is_regular) else { return Ok(None) };
        let parts: Option<Vec<Number>> = windows.iter().map(|window| window.start.part(window.size as i64)).collect();
        let Some(parts) = parts else { return Ok(None) };
        let whole: Vec<usize> = windows.iter().map(|window| window.size).collect();
        fits(&whole)?;
        let tensor_view = array(element(memory.dtype)?, &memory.shape);
        let ty = Type::PartitionView(PartitionViewType {
            tile_shape: whole.iter().map(|&size| size as i32).collect(),
            tensor_view: tensor_view.clone(),
            dim_map: (0..whole.len() as i32).collect(),
            padding_value: Some(padding),
        });
        let known = memory.partitions.iter().find(|(other, _)| *other == ty).map(|(_, value)| *value);
        let pointer = memory.pointer;
        let value = match known {
            Some(value) => value,
            None => {
                let tensor = Type::TensorView(tensor_view);
                let tensor = self.e.early(Opcode::MakeTensorView, &[pointer], vec![groups(&[1, 0, 0])], &[tensor])[0];
                let value = self.e.early(Opcode::MakePartitionView, &[tensor], vec![], std::slice::from_ref(&ty))[0];
                self.memories[view.memory].partitions.push((ty, value));
                value
            }
        };
        let mut indices = Vec::new();
        for part in &parts {
            indices.push(part.tile(&mut self.e)?.value);
        }
        Ok(Some(Place::Block { view: value, indices, whole, shape: kept.to_vec() }))
    }

    /// The elements of a block.
    fn window_elements(
        &mut self,
        view: &View,
        windows: &[Window],
        pattern: &IndexPattern,
        kept: Vec<usize>,
    ) -> Result<Place, Refusal> {
        let axes = view.axes();
        let mut sum = Addresses::new(&kept);
        let mut result = 0;
        for (place, (dim, window)) in view.dims.iter().zip(windows).enumerate() {
            let entry = axes.iter().position(|axis| axis.0 == place).and_then(|axis| pattern.0.get(axis));
            let line = match (entry, dim.shown) {
                (Some(DimIndex::Slice { size, .. }), Some((_, step))) => {
                    result += 1;
                    let line = shape::range(&mut self.e, *size)?;
                    let line = arith::scaled(&mut self.e, &line, step)?;
                    Some(shape::aligned(&mut self.e, &line, result - 1, &kept)?)
                }
                _ => None,
            };
            self.along(&mut sum, dim.stride, dim.extent, &window.start, line)?;
        }
        self.pointers(view, sum)
    }

    /// Elements that a subscript selects by themselves.
    fn elements(
        &mut self,
        view: &View,
        pattern: &IndexPattern,
        operands: &[ValueId],
        manner: Manner,
        is_block: bool,
    ) -> Result<Place, Refusal> {
        let mut shapes = Vec::new();
        for (kind, &value) in pattern.operands().zip(operands) {
            if kind == pallas_ir::attribute::IndexOperand::Array {
                shapes.push(Shape::from(self.tile(value)?.shape.as_slice()));
            }
        }
        let common = Shape::broadcast(&shapes.iter().collect::<Vec<_>>()).unwrap_or_default();
        let result = pattern.result_shape(&common).to_vec();
        fits(&result)?;
        let arrays_at = pattern.array_position();
        let mut operands = operands.iter().copied();
        let mut sum = Addresses::new(&result);
        let mut slices = 0;
        for (entry, (place, bound, step)) in pattern.0.iter().zip(view.axes()) {
            let dim = view.dims[place].clone();
            let bound = bound as i64;
            // Positions in the Ref.
            let at = match *entry {
                DimIndex::At(start) => {
                    let at = position(self, start, &mut operands)?;
                    let tile = at.tile(&mut self.e)?;
                    shape::spread(&mut self.e, &tile, &result)?
                }
                DimIndex::Slice { start, size, stride } => {
                    let axis = if slices < arrays_at { slices } else { slices + common.rank() };
                    slices += 1;
                    let mut start = position(self, start, &mut operands)?;
                    if is_block {
                        // Padded: what begins outside is looked for there.
                        start = start.wrapped(&mut self.e, bound + size as i64)?.clamp(&mut self.e, 0, bound)?;
                    }
                    let line = shape::range(&mut self.e, size)?;
                    let line = arith::scaled(&mut self.e, &line, stride as i64)?;
                    let line = shape::aligned(&mut self.e, &line, axis, &result)?;
                    let start = start.tile(&mut self.e)?;
                    arith::binary(&mut self.e, "add", &line, &start)?
                }
                DimIndex::Array => {
                    let value = operands.next().ok_or_else(|| no("a subscript lacks an operand"))?;
                    let tile = self.tile(value)?;
                    let tile = convert::cast(&mut self.e, &tile, DType::I32)?;
                    let first = arrays_at + common.rank() - tile.shape.len();
                    shape::aligned(&mut self.e, &tile, first, &result)?
                }
                DimIndex::Part { .. } => return Err(no("parts of computed length have no Tile IR")),
            };
            let at = if is_block {
                self.inside(&mut sum, &at, bound)?
            } else {
                self.scattered(&mut sum, &at, bound, manner.writes)?
            };
            let far = arith::scaled(&mut self.e, &at, step)?;
            self.along(&mut sum, dim.stride, dim.extent, &dim.offset, Some(far))?;
        }
        for dim in view.dims.iter().filter(|dim| dim.shown.is_none()) {
            self.along(&mut sum, dim.stride, dim.extent, &dim.offset, None)?;
        }
        self.pointers(view, sum)
    }

    /// Masks off what is not in `0..bound`.
    fn inside(&mut self, sum: &mut Addresses, at: &Tile, bound: i64) -> Result<Tile, Refusal> {
        let below = self.e.like(at, bound as f64)?;
        let below = arith::compare(&mut self.e, "lt", at, &below)?;
        sum.mask(self, below)?;
        let above = self.e.like(at, 0.0)?;
        let above = arith::compare(&mut self.e, "ge", at, &above)?;
        sum.mask(self, above)?;
        Ok(at.clone())
    }

    /// Positions by themselves: those below 0 count from the end; reads are clamped, writes dropped.
    fn scattered(&mut self, sum: &mut Addresses, at: &Tile, bound: i64, writes: bool) -> Result<Tile, Refusal> {
        let e = &mut self.e;
        let (zero, end, last) = (e.like(at, 0.0)?, e.like(at, bound as f64)?, e.like(at, (bound - 1).max(0) as f64)?);
        let is_negative = arith::compare(e, "lt", at, &zero)?;
        let moved = arith::binary(e, "add", at, &end)?;
        let at = arith::select(e, &is_negative, &moved, at)?;
        let above = arith::binary(e, "max", &at, &zero)?;
        let inside = arith::binary(e, "min", &above, &last)?;
        if writes {
            let same = arith::compare(e, "eq", &at, &inside)?;
            sum.mask(self, same)?;
        }
        Ok(inside)
    }

    /// Adds a dimension: `start`, and a line of positions from there if there are several.
    fn along(
        &mut self,
        sum: &mut Addresses,
        stride: i64,
        extent: Option<i64>,
        start: &Number,
        line: Option<Tile>,
    ) -> Result<(), Refusal> {
        if let Some(extent) = extent {
            let start = start.tile(&mut self.e)?;
            let at = match &line {
                Some(line) => arith::binary(&mut self.e, "add", line, &start)?,
                None => start,
            };
            self.inside(sum, &at, extent)?;
        }
        let base = start.times(&mut self.e, stride)?;
        sum.base = sum.base.add(&mut self.e, &base)?;
        if let Some(line) = line {
            let far = arith::scaled(&mut self.e, &line, stride)?;
            sum.far = Some(match sum.far.take() {
                Some(sum) => arith::binary(&mut self.e, "add", &sum, &far)?,
                None => far,
            });
        }
        Ok(())
    }

    fn pointers(&mut self, view: &View, sum: Addresses) -> Result<Place, Refusal> {
        let base = sum.base.tile(&mut self.e)?;
        let offset = match sum.far {
            Some(far) if base.known == Some(0) => shape::spread(&mut self.e, &far, &sum.shape)?,
            Some(far) => {
                let far = shape::spread(&mut self.e, &far, &sum.shape)?;
                arith::binary(&mut self.e, "add", &far, &base)?
            }
            None => shape::spread(&mut self.e, &base, &sum.shape)?,
        };
        let (dtype, _) = self.stored(view.memory)?;
        let scalar = element(dtype)?;
        let pointer = self.memories[view.memory].pointer;
        let ones = vec![1; sum.shape.len()];
        let mut value = pointer;
        if !sum.shape.is_empty() {
            value = self.e.early(Opcode::Reshape, &[value], vec![], &[pointers(scalar, &ones)])[0];
            value = self.e.op(Opcode::Broadcast, &[value], vec![], &[pointers(scalar, &sum.shape)])[0];
        }
        let value = self.e.op(Opcode::Offset, &[value, offset.value], vec![], &[pointers(scalar, &sum.shape)])[0];
        let mask = match sum.mask {
            Some(mask) => Some(shape::spread(&mut self.e, &mask, &sum.shape)?),
            None => None,
        };
        Ok(Place::Elements { pointers: value, mask, shape: sum.shape })
    }

    /// What is at a place; `other` where the mask, or the array, has nothing.
    pub(crate) fn read(
        &mut self,
        memory: usize,
        place: &Place,
        mask: Option<&Tile>,
        other: Scalar,
    ) -> Result<Tile, Refusal> {
        let (dtype, _) = self.stored(memory)?;
        let scalar = element(dtype)?;
        let token = self.memories[memory].token;
        let loaded = match place {
            Place::Block { view, indices, whole, shape } => {
                let mut operands = vec![*view];
                operands.extend(indices);
                operands.extend(token);
                let attributes = vec![
                    choice("memory_ordering_semantics", 0),
                    groups(&[1, indices.len(), usize::from(token.is_some())]),
                ];
                let values = self.e.op(Opcode::LoadViewTko, &operands, attributes, &[tile(scalar, whole), Type::Token]);
                self.advance(memory, values[1]);
                let loaded = Tile::new(values[0], dtype, whole);
                shape::reshaped(&mut self.e, &loaded, shape)?
            }
            Place::Elements { pointers, mask: own, shape } => {
                let mask = self.both(own.as_ref(), mask)?;
                let mut operands = vec![*pointers];
                let mut sizes = [1, 0, 0, usize::from(token.is_some())];
                if let Some(mask) = &mask {
                    let other = self.e.constant(dtype, shape, other)?;
                    operands.extend([mask.value, other.value]);
                    (sizes[1], sizes[2]) = (1, 1);
                }
                operands.extend(token);
                let attributes = vec![choice("memory_ordering_semantics", 0), groups(&sizes)];
                let values = self.e.op(Opcode::LoadPtrTko, &operands, attributes, &[tile(scalar, shape), Type::Token]);
                self.advance(memory, values[1]);
                Tile::new(values[0], dtype, shape)
            }
        };
        match self.memories[memory].dtype {
            DType::Bool => convert::cast(&mut self.e, &loaded, DType::Bool),
            dtype => Ok(Tile { dtype, ..loaded }),
        }
    }

    /// Puts a value at a place.
    pub(crate) fn write(
        &mut self,
        memory: usize,
        place: &Place,
        value: &Tile,
        mask: Option<&Tile>,
    ) -> Result<(), Refusal> {
        let (dtype, _) = self.stored(memory)?;
        let value = shape::spread(&mut self.e, value, place.shape())?;
        let value = if value.dtype == DType::Bool { convert::cast(&mut self.e, &value, dtype)? } else { value };
        let token = self.memories[memory].token.ok_or_else(|| no("memory that nobody writes is written"))?;
        let ordering = choice("memory_ordering_semantics", 0);
        let after = match place {
            Place::Block { view, indices, whole, .. } => {
                let value = shape::reshaped(&mut self.e, &value, whole)?;
                let mut operands = vec![value.value, *view];
                operands.extend(indices);
                operands.push(token);
                let attributes = vec![ordering, groups(&[1, 1, indices.len(), 1])];
                self.e.op(Opcode::StoreViewTko, &operands, attributes, &[Type::Token])[0]
            }
            Place::Elements { pointers, mask: own, .. } => {
                let mask = self.both(own.as_ref(), mask)?;
                let mut operands = vec![*pointers, value.value];
                operands.extend(mask.as_ref().map(|mask| mask.value));
                operands.push(token);
                let attributes = vec![ordering, groups(&[1, 1, usize::from(mask.is_some()), 1])];
                self.e.op(Opcode::StorePtrTko, &operands, attributes, &[Type::Token])[0]
            }
        };
        self.advance(memory, after);
        Ok(())
    }

    /// What is done to a memory next waits for this.
    pub(crate) fn advance(&mut self, memory: usize, token: Value) {
        let memory = &mut self.memories[memory];
        if memory.written {
            memory.token = Some(token);
        }
    }

    /// Where both masks are.
    pub(crate) fn both(&mut self, a: Option<&Tile>, b: Option<&Tile>) -> Result<Option<Tile>, Refusal> {
        Ok(match (a, b) {
            (Some(a), Some(b)) => Some(arith::binary(&mut self.e, "and", a, b)?),
            (mask, None) | (None, mask) => mask.cloned(),
        })
    }
}

/// Addresses as a sum.
struct Addresses {
    shape: Vec<usize>,
    base: Number,
    far: Option<Tile>,
    mask: Option<Tile>,
}

impl Addresses {
    fn new(shape: &[usize]) -> Addresses {
        Addresses { shape: shape.to_vec(), base: Number::Known(0), far: None, mask: None }
    }

    fn mask(&mut self, lower: &mut Lower<'_>, mask: Tile) -> Result<(), Refusal> {
        self.mask = Some(match self.mask.take() {
            Some(other) => arith::binary(&mut lower.e, "and", &other, &mask)?,
            None => mask,
        });
        Ok(())
    }
}

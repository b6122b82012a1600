//! Arrays in the device's memory, and Refs that show part of one.

use crate::Refusal;
use crate::emit::Emitter;
use crate::lower::Lower;
use crate::no;
use crate::number::Number;
use crate::types::{Tile, element, stored};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{Type, Value};
use pallas_ir::{DimIndex, IndexPattern, Position, ValueId};
use pallas_tensor::{DType, Shape};

/// An array that is a parameter of the kernel, or memory of the block's own.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// A pointer to its first element, as bools are stored.
    pub(crate) pointer: Value,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    /// Whether the kernel writes there.
    pub(crate) written: bool,
    /// What the next access waits for, if it is written.
    pub(crate) token: Option<Value>,
    /// Whether it begins at a parameter, so that views of tiles can be made of it.
    pub(crate) is_whole: bool,
    /// Views of it by the tiles that they are cut into.
    pub(crate) partitions: Vec<(Type, Value)>,
}

/// A Ref to part of a memory.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// Its position among the kernel's.
    pub(crate) memory: usize,
    pub(crate) dims: Vec<Dim>,
    /// Whether its dimensions are those of the memory.
    pub(crate) is_plain: bool,
}

/// A dimension of the memory.
#[derive(Clone, Debug)]
pub(crate) struct Dim {
    pub(crate) stride: i64,
    /// Where the Ref begins.
    pub(crate) offset: Number,
    /// How many elements it shows, and how far apart; `None`: the Ref does not have the dimension.
    pub(crate) shown: Option<(usize, i64)>,
    /// The array's extent, if what is shown may lie outside of it.
    pub(crate) extent: Option<i64>,
    /// Whether what is shown may begin before the array.
    pub(crate) is_before: bool,
}

impl View {
    /// All of a memory.
    pub(crate) fn whole(memory: usize, shape: &[usize]) -> View {
        let strides = Shape::from(shape).strides();
        let dims = shape.iter().zip(&strides).map(|(&extent, &stride)| Dim {
            stride: stride as i64,
            offset: Number::Known(0),
            shown: Some((extent, 1)),
            extent: None,
            is_before: false,
        });
        View { memory, dims: dims.collect(), is_plain: true }
    }

    /// The shape of the Ref.
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.dims.iter().filter_map(|dim| dim.shown.map(|(size, _)| size)).collect()
    }

    /// Positions of the Ref's dimensions among the memory's, with size and step.
    pub(crate) fn axes(&self) -> Vec<(usize, usize, i64)> {
        let axes = self.dims.iter().enumerate();
        axes.filter_map(|(position, dim)| dim.shown.map(|(size, step)| (position, size, step))).collect()
    }
}

/// The next index operand of a subscript, or the number that stands there.
pub(crate) fn position(
    lower: &mut Lower<'_>,
    position: Position,
    operands: &mut impl Iterator<Item = ValueId>,
) -> Result<Number, Refusal> {
    match position {
        Position::Static(value) => Ok(Number::Known(value)),
        Position::Dynamic => {
            let value = operands.next().ok_or_else(|| no("a subscript lacks an operand"))?;
            let tile = lower.tile(value)?;
            Number::of(&mut lower.e, &tile)
        }
    }
}

/// `offset + step * first`
pub(crate) fn shifted(e: &mut Emitter, dim: &Dim, first: &Number, step: i64) -> Result<Number, Refusal> {
    let first = first.times(e, step)?;
    dim.offset.add(e, &first)
}

impl Lower<'_> {
    /// A Ref to part of a Ref. What reaches beyond it is moved inside.
    pub(crate) fn part(&mut self, view: &View, pattern: &IndexPattern, operands: &[ValueId]) -> Result<View, Refusal> {
        let mut part = view.clone();
        let mut operands = operands.iter().copied();
        for (entry, (place, bound, step)) in pattern.0.iter().zip(view.axes()) {
            let (start, size, stride, shown) = match *entry {
                DimIndex::At(start) => (start, 1, 1, None),
                DimIndex::Slice { start, size, stride } => {
                    (start, size, stride as i64, Some((size, step * stride as i64)))
                }
                DimIndex::Part { .. } => return Err(no("parts of computed length have no Tile IR")),
                DimIndex::Array => return Err(no("Refs to what integer arrays select have no Tile IR")),
            };
            let span = if size == 0 { 0 } else { (size as i64 - 1) * stride + 1 };
            let last = bound as i64 - span;
            let start = position(self, start, &mut operands)?;
            let start = start.wrapped(&mut self.e, bound as i64)?.clamp(&mut self.e, 0, last.max(0))?;
            let dim = &mut part.dims[place];
            dim.offset = shifted(&mut self.e, &view.dims[place], &start, step)?;
            dim.shown = shown;
        }
        Ok(part)
    }

    /// A Ref to the same elements in another shape.
    pub(crate) fn reinterpreted(
        &mut self,
        view: &View,
        permutation: Option<&[i64]>,
        dtype: Option<DType>,
        shape: &[usize],
    ) -> Result<View, Refusal> {
        let axes = view.axes();
        if let Some(permutation) = permutation {
            let mut dims: Vec<Dim> = view.dims.iter().filter(|dim| dim.shown.is_none()).cloned().collect();
            let axis = |&axis: &i64| usize::try_from(axis).ok().and_then(|axis| axes.get(axis)).map(|axis| axis.0);
            dims.extend(permutation.iter().filter_map(axis).map(|place| view.dims[place].clone()));
            return Ok(View { memory: view.memory, dims, is_plain: false });
        }
        if dtype.is_some_and(|dtype| dtype != self.memories[view.memory].dtype) {
            return Err(no("Refs as another dtype have no Tile IR"));
        }
        let dense = Shape::from(view.shape().as_slice()).strides();
        let is_dense = axes.iter().zip(&dense).all(|(&(place, size, step), &stride)| {
            let dim = &view.dims[place];
            size <= 1 || (dim.stride * step == stride as i64 && dim.extent.is_none())
        });
        if !is_dense {
            return Err(no("a Ref that is not contiguous has no other shape in Tile IR"));
        }
        let mut base = Number::Known(0);
        for dim in &view.dims {
            let far = dim.offset.times(&mut self.e, dim.stride)?;
            base = base.add(&mut self.e, &far)?;
        }
        let mut reshaped = View { is_plain: false, ..View::whole(view.memory, shape) };
        reshaped.dims.insert(0, Dim { stride: 1, offset: base, shown: None, extent: None, is_before: false });
        Ok(reshaped)
    }

    /// A new memory.
    pub(crate) fn memory(
        &mut self,
        pointer: Value,
        dtype: DType,
        shape: &[usize],
        written: bool,
        is_whole: bool,
    ) -> usize {
        let token = written.then(|| self.e.op(Opcode::MakeToken, &[], vec![], &[Type::Token])[0]);
        let shape = shape.to_vec();
        self.memories.push(Memory { pointer, dtype, shape, written, token, is_whole, partitions: Vec::new() });
        self.memories.len() - 1
    }

    /// A memory's elements as bytes have them, and the pointer type of one.
    pub(crate) fn stored(&self, memory: usize) -> Result<(DType, Type), Refusal> {
        let dtype = stored(self.memories[memory].dtype);
        Ok((dtype, crate::types::pointers(element(dtype)?, &[])))
    }

    /// The tile that a value is.
    pub(crate) fn scalar(&mut self, value: ValueId) -> Result<Tile, Refusal> {
        let tile = self.tile(value)?;
        match tile.shape.iter().all(|&extent| extent == 1) {
            true => crate::ops::shape::reshaped(&mut self.e, &tile, &[]),
            false => Err(no("a tile stands where one number is wanted")),
        }
    }
}

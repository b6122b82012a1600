//! Places in arrays: Refs and views of them, and the pointers that a subscript of one means.

use crate::Refusal;
use crate::emit::Emitter;
use crate::ops::{arith, convert, shape};
use crate::types::{Tile, check_size, element, shaped};
use pallas_ir::attribute::IndexOperand;
use pallas_ir::{DimIndex, IndexPattern, Position};
use pallas_tensor::{DType, Scalar, Shape};

/// A Ref: part of an operand's array.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The function's parameter.
    argument: String,
    pub(crate) dtype: DType,
    dims: Vec<PlaceDim>,
    /// The dtype of offsets: wide where the array has 2^32 bytes or more.
    offset: DType,
}

/// A dimension of the array.
#[derive(Clone, Debug)]
struct PlaceDim {
    /// Elements between neighbours.
    stride: usize,
    /// Where the Ref begins: a scalar.
    start: Tile,
    /// Elements of the array between neighbours of the Ref; `None` where the Ref does not have the dimension.
    step: Option<usize>,
}

impl Place {
    /// A block.
    pub(crate) fn new(argument: String, dtype: DType, shape: &[usize], starts: Vec<Tile>, live: &[bool]) -> Place {
        let strides = Shape::from(shape).strides();
        let bytes =
            shape.iter().fold(dtype.size_bytes() as u128, |bytes, &extent| bytes.saturating_mul(extent as u128));
        let offset = if bytes > 1 << 32 { DType::I64 } else { DType::I32 };
        let dims = strides.iter().zip(starts).zip(live);
        let dims = dims.map(|((&stride, start), &live)| PlaceDim { stride, start, step: live.then_some(1) }).collect();
        Place { argument, dtype, dims, offset }
    }

    /// Part of it.
    pub(crate) fn view(
        &self,
        emitter: &mut Emitter,
        pattern: &IndexPattern,
        operands: &[Tile],
    ) -> Result<Place, Refusal> {
        let mut place = self.clone();
        let mut operands = operands.iter();
        let live = place.dims.iter_mut().filter(|dim| dim.step.is_some());
        for (dim, index) in live.zip(&pattern.0) {
            let step = dim.step.unwrap_or(1);
            let (start, stride) = match index {
                DimIndex::At(start) => (start, None),
                DimIndex::Slice { start, stride, .. } => (start, Some(*stride)),
                DimIndex::Part { .. } | DimIndex::Array => {
                    return Err(Refusal::new(
                        "Triton has no Refs to elements that lie anywhere, or are as many as is computed",
                    ));
                }
            };
            let start = position(emitter, start, &mut operands)?;
            let start = arith::scaled(emitter, &start, step as i64)?;
            dim.start = arith::sum(emitter, &dim.start, &start)?;
            dim.step = stride.map(|stride| stride * step);
        }
        Ok(place)
    }

    /// Pointers to what a subscript selects, and their type.
    pub(crate) fn pointers(
        &self,
        emitter: &mut Emitter,
        pattern: &IndexPattern,
        operands: &[Tile],
    ) -> Result<Pointers, Refusal> {
        let arrays = pattern.operands().zip(operands).filter(|(kind, _)| *kind == IndexOperand::Array);
        let shapes: Vec<Shape> = arrays.map(|(_, tile)| Shape::from(tile.shape.as_slice())).collect();
        let common = Shape::broadcast(&shapes.iter().collect::<Vec<_>>()).unwrap_or_default();
        let result = pattern.result_shape(&common);
        check_size(&result)?;
        let arrays_at = pattern.array_position();
        let mut operands = operands.iter();
        let mut indices = pattern.0.iter();
        let mut slices = 0;
        let mut total: Option<Tile> = None;
        for dim in &self.dims {
            let within = match dim.step {
                None => None,
                Some(step) => {
                    let Some(index) = indices.next() else { continue };
                    Some(match index {
                        DimIndex::At(at) => {
                            let at = position(emitter, at, &mut operands)?;
                            let at = convert::cast(emitter, &at, self.offset, false)?;
                            let at = arith::scaled(emitter, &at, step as i64)?;
                            shape::spread(emitter, &at, &result)?
                        }
                        DimIndex::Slice { start, size, stride } => {
                            let axis = if slices < arrays_at { slices } else { slices + common.rank() };
                            slices += 1;
                            let line = self.line(emitter, start, *size, stride * step, step, &mut operands)?;
                            aligned(emitter, &line, axis, &result)?
                        }
                        DimIndex::Array => {
                            let Some(tile) = operands.next() else { continue };
                            let tile = convert::cast(emitter, tile, self.offset, false)?;
                            let tile = arith::scaled(emitter, &tile, step as i64)?;
                            let last = arrays_at + common.rank();
                            let first = last - tile.shape.len();
                            aligned(emitter, &tile, first, &result)?
                        }
                        DimIndex::Part { .. } => {
                            return Err(Refusal::new("Triton has no tiles whose extent is computed"));
                        }
                    })
                }
            };
            let start = convert::cast(emitter, &dim.start, self.offset, false)?;
            let offset = match within {
                Some(within) if start.known == Some(0) => within,
                Some(within) => {
                    let start = shape::spread(emitter, &start, &result)?;
                    arith::sum(emitter, &within, &start)?
                }
                None => shape::spread(emitter, &start, &result)?,
            };
            let offset = arith::scaled(emitter, &offset, dim.stride as i64)?;
            total = Some(match total {
                None => offset,
                Some(total) => arith::sum(emitter, &total, &offset)?,
            });
        }
        let offset = match total {
            Some(total) => total,
            None => emitter.constant(self.offset, &result, Scalar::Int(0))?,
        };
        self.add(emitter, &offset)
    }

    /// Positions along one dimension: `start + stride * (0, 1, ...)`, the start in steps of the Ref.
    fn line<'t>(
        &self,
        emitter: &mut Emitter,
        start: &Position,
        size: usize,
        stride: usize,
        step: usize,
        operands: &mut impl Iterator<Item = &'t Tile>,
    ) -> Result<Tile, Refusal> {
        if let (Position::Static(start), 1) = (start, stride) {
            return shape::range(emitter, *start, size)
                .and_then(|range| convert::cast(emitter, &range, self.offset, false));
        }
        let start = position(emitter, start, operands)?;
        let start = convert::cast(emitter, &start, self.offset, false)?;
        let start = arith::scaled(emitter, &start, step as i64)?;
        let range = shape::range(emitter, 0, size)?;
        let range = convert::cast(emitter, &range, self.offset, false)?;
        let range = arith::scaled(emitter, &range, stride as i64)?;
        if start.known == Some(0) {
            return Ok(range);
        }
        let start = shape::spread(emitter, &start, &[size])?;
        arith::sum(emitter, &start, &range)
    }

    /// The argument plus offsets.
    fn add(&self, emitter: &mut Emitter, offset: &Tile) -> Result<Pointers, Refusal> {
        let pointer = format!("!tt.ptr<{}>", element(self.dtype)?);
        let ty = shaped(&pointer, &offset.shape);
        let base = if offset.is_scalar() {
            self.argument.clone()
        } else {
            let base = emitter.fresh();
            emitter.line(&format!("{base} = tt.splat {} : {pointer} -> {ty}", self.argument));
            base.to_string()
        };
        let mut pointers = Pointers { name: base, ty, dtype: self.dtype, shape: offset.shape.clone() };
        if offset.known != Some(0) {
            let name = emitter.fresh();
            emitter.line(&format!(
                "{name} = tt.addptr {}, {} : {}, {}",
                pointers.name,
                offset.name,
                pointers.ty,
                offset.ty()
            ));
            pointers.name = name.to_string();
        }
        if self.dtype == DType::Bool {
            // A bool has a byte in memory.
            pointers = pointers.cast(emitter, DType::U8)?;
        }
        Ok(pointers)
    }
}

/// Pointers, one for each element that a subscript selects.
#[derive(Clone, Debug)]
pub(crate) struct Pointers {
    pub(crate) name: String,
    pub(crate) ty: String,
    /// Of what they point to; bools are bytes in memory.
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
}

impl Pointers {
    /// The same places as another dtype of the same width.
    pub(crate) fn cast(&self, emitter: &mut Emitter, dtype: DType) -> Result<Pointers, Refusal> {
        let ty = shaped(&format!("!tt.ptr<{}>", element(dtype)?), &self.shape);
        let name = emitter.fresh();
        emitter.line(&format!("{name} = tt.bitcast {} : {} -> {ty}", self.name, self.ty));
        Ok(Pointers { name: name.to_string(), ty, dtype, shape: self.shape.clone() })
    }
}

/// A position as a scalar.
fn position<'t>(
    emitter: &mut Emitter,
    position: &Position,
    operands: &mut impl Iterator<Item = &'t Tile>,
) -> Result<Tile, Refusal> {
    match position {
        Position::Static(value) => emitter.index(*value),
        Position::Dynamic => {
            let tile = operands.next().ok_or_else(|| Refusal::new("a subscript lacks an operand"))?;
            Ok(tile.clone())
        }
    }
}

/// A tile whose axes are those of a shape from `first` on.
fn aligned(emitter: &mut Emitter, tile: &Tile, first: usize, target: &[usize]) -> Result<Tile, Refusal> {
    let mut tile = tile.clone();
    if tile.is_scalar() {
        return shape::spread(emitter, &tile, target);
    }
    while first + tile.shape.len() < target.len() {
        let axis = tile.shape.len();
        tile = shape::expand(emitter, &tile, axis)?;
    }
    while tile.shape.len() < target.len() {
        tile = shape::expand(emitter, &tile, 0)?;
    }
    shape::spread(emitter, &tile, target)
}

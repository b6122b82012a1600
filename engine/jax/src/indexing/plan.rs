//! What a subscript with arrays does to each axis, and where its dimensions stand in the result: numpy's placement rule.
//! Shared by reading ([`super::gather`]) and updating ([`super::scatter`]). Follows `_index_to_gather` in
//! jax/_src/numpy/indexing.py.

use super::parse::{Entry, Kind, Positions, slice_positions};
use crate::context::Context;
use crate::jnp::compose;
use crate::primitive;
use crate::tile::Tile;
use pallas_python::int::Int;
use pallas_python::raise::PyResult;
use pallas_tensor::{Array, Buffer, DType, Kind as DTypeKind, Scalar, Shape};

/// An index once `...` and masks are gone.
pub(super) enum Item {
    /// `None`
    New,
    /// Known positions of an axis.
    Slice {
        /// The axis.
        axis: usize,
        /// Which positions.
        positions: Positions,
    },
    /// Computed positions of an axis.
    Index {
        /// The axis.
        axis: usize,
        /// The positions; rank 0 for one of them.
        tile: Tile,
    },
    /// `pl.ds(start, size)`
    Dynamic {
        /// The axis.
        axis: usize,
        /// The first position.
        start: Tile,
        /// Number of positions.
        size: usize,
        /// Distance between them.
        stride: usize,
    },
}

/// A subscript as a list of items, with what decides where the dimensions of its arrays go.
pub(super) struct Plan {
    /// Axes of extent 1 to insert into the array first, one for each scalar mask.
    pub(super) inserted: Vec<usize>,
    /// The shape of the array with them.
    pub(super) shape: Shape,
    /// In the order of the subscript.
    pub(super) items: Vec<Item>,
    /// Whether integer arrays are among the indices, so that scalars belong with them.
    pub(super) advanced: bool,
    /// Whether all integer indices are neighbours: their dimensions stay in place, else they go to the front.
    pub(super) contiguous: bool,
}

impl Plan {
    /// Resolves parsed indices in which masks of rank 1 and more are expanded.
    ///
    /// # Errors
    /// For slices that do not work.
    pub(super) fn new(cx: &Context<'_>, shape: &Shape, entries: &[Entry]) -> PyResult<Plan> {
        let integers: Vec<usize> = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| matches!(entry.kind, Kind::Integer(_) | Kind::Array(_)))
            .map(|(at, _)| at)
            .collect();
        let contiguous = integers.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let mut plan =
            Plan { inserted: Vec::new(), shape: Shape::default(), items: Vec::new(), advanced: false, contiguous };
        let mut consumed = 0;
        for entry in entries {
            consumed = consumed.max(entry.axes.end);
            plan.add(cx, shape, entry)?;
        }
        for &extent in &shape[consumed..] {
            plan.add_whole(extent);
        }
        Ok(plan)
    }

    fn add_whole(&mut self, extent: usize) {
        let axis = self.shape.rank();
        self.shape.push(extent);
        self.items.push(Item::Slice { axis, positions: Positions { start: 0, step: 1, count: extent } });
    }

    fn add(&mut self, cx: &Context<'_>, shape: &Shape, entry: &Entry) -> PyResult<()> {
        let axis = self.shape.rank();
        match &entry.kind {
            Kind::NewAxis => self.items.push(Item::New),
            Kind::Ellipsis => entry.axes.clone().for_each(|axis| self.add_whole(shape[axis])),
            Kind::Boolean(mask) => {
                // A scalar mask selects none or all of a new axis of extent 1.
                let known = mask.array().and_then(|a| a.item()).and_then(Scalar::as_bool).unwrap_or(false);
                let positions =
                    Array::from_scalars(DType::I32, [usize::from(known)], &vec![Scalar::Int(0); usize::from(known)]);
                let positions = positions.map_err(|error| cx.interp.value_error(error.to_string()))?;
                self.inserted.push(axis);
                self.shape.push(1);
                self.advanced = true;
                self.items.push(Item::Index { axis, tile: Tile::concrete(positions) });
            }
            Kind::Slice(slice) => {
                let extent = shape[entry.axes.start];
                let positions = slice_positions(cx, slice, extent, entry.position)?;
                self.shape.push(extent);
                self.items.push(Item::Slice { axis, positions });
            }
            Kind::Integer(at) => {
                self.shape.push(shape[entry.axes.start]);
                self.items.push(Item::Index { axis, tile: integer_tile(cx, at)? });
            }
            Kind::Array(tile) => {
                self.shape.push(shape[entry.axes.start]);
                self.advanced |= tile.rank() > 0;
                self.items.push(Item::Index { axis, tile: tile.clone() });
            }
            Kind::Dynamic { start, size, stride } => {
                self.shape.push(shape[entry.axes.start]);
                self.items.push(Item::Dynamic { axis, start: start.clone(), size: *size, stride: *stride });
            }
        }
        Ok(())
    }

    /// The index items: axis and positions, all of one shape, negative ones counted from the end where `wrap`.
    ///
    /// # Errors
    /// `ValueError: Incompatible shapes for broadcasting: shapes=[(2,), (3,)]`; `IndexError` for axes of size 0 that
    /// scalars index.
    pub(super) fn indices(&self, cx: &Context<'_>, wrap: bool) -> PyResult<(Vec<usize>, Vec<Tile>)> {
        let mut axes = Vec::new();
        let mut tiles = Vec::new();
        for item in &self.items {
            let Item::Index { axis, tile } = item else { continue };
            let extent = self.shape[*axis];
            if extent == 0 && !self.advanced {
                return Err(empty_axis(cx, *axis));
            }
            axes.push(*axis);
            tiles.push(normalized(cx, tile, extent, wrap)?);
        }
        let tiles = crate::convert::broadcast(cx, "broadcast_arrays", &tiles)?;
        Ok((axes, tiles))
    }

    /// Where the dimensions of the index arrays stand among the items: before the item with this number.
    pub(super) fn index_place(&self) -> usize {
        if !self.contiguous {
            return 0;
        }
        self.items.iter().position(|item| matches!(item, Item::Index { .. })).unwrap_or(0)
    }
}

/// `index is out of bounds for axis 0 with size 0`
pub(super) fn empty_axis(cx: &Context<'_>, axis: usize) -> Box<pallas_python::Stop> {
    cx.interp.index_error(format!("index is out of bounds for axis {axis} with size 0"))
}

/// A known integer as an index.
///
/// # Errors
/// `OverflowError` where it does not fit.
pub(super) fn integer_tile(cx: &Context<'_>, at: &Int) -> PyResult<Tile> {
    match at.to_i64().filter(|at| i32::try_from(*at).is_ok()) {
        Some(at) => Ok(primitive::scalar(DType::I32, Scalar::Int(at.into()))),
        None => Err(cx.interp.overflow_error(format!("Python int {at} too large to convert to int32"))),
    }
}

/// An index as int32, negative ones counted from the end of an axis. What is known is computed at once: JAX stages the
/// arithmetic on constants, to the same effect.
pub(super) fn normalized(cx: &Context<'_>, index: &Tile, extent: usize, wrap: bool) -> PyResult<Tile> {
    let unsigned = index.dtype().kind() == DTypeKind::Unsigned;
    if let Tile::Concrete { array, .. } = index {
        if let Some(places) = array.elements::<i32>() {
            if !wrap || places.iter().all(|&at| at >= 0) {
                return Ok(Tile::concrete(array.clone()));
            }
            // (What does not fit is no place in any array.)
            let extent = i32::try_from(extent).unwrap_or(i32::MAX);
            let places = places.iter().map(|&at| if at < 0 { at.saturating_add(extent) } else { at }).collect();
            return Array::new(array.shape().clone(), Buffer::I32(places))
                .map(Tile::concrete)
                .map_err(|error| cx.interp.value_error(error.to_string()));
        }
        let scalars: Vec<Scalar> = array
            .iter_scalars()
            .map(|scalar| {
                let at = scalar.as_int().unwrap_or(0);
                let at = if wrap && at < 0 && !unsigned { at + extent as i128 } else { at };
                Scalar::Int(at.clamp(i32::MIN.into(), i32::MAX.into()))
            })
            .collect();
        return Array::from_scalars(DType::I32, array.shape().clone(), &scalars)
            .map(Tile::concrete)
            .map_err(|error| cx.interp.value_error(error.to_string()));
    }
    let index = primitive::convert(cx, index, DType::I32, false)?;
    if wrap && !unsigned { compose::wrap_negative(cx, &index, extent) } else { Ok(index) }
}

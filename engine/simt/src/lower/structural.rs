//! Tiles from nothing, and whole tiles whose elements are put in another order.

use super::context::{Lower, Tile};
use super::moves::Map;
use super::number::Number;
use super::random;
use crate::Refusal;
use crate::ir::Space;
use pallas_ir::OpData;
use pallas_tensor::Scalar;

impl Lower<'_> {
    pub(crate) fn lower_constant(&mut self, op: &OpData) -> Result<(), Refusal> {
        let array = op.attributes.array("value").map(random::in_memory).ok_or_else(|| self.malformed())?;
        let layout = self.dealt(op.results[0]);
        let mut elements = array.iter_scalars();
        let first = elements.next().unwrap_or(Scalar::zero(array.dtype()));
        let uniform = match first {
            Scalar::Float(number) => {
                elements.all(|element| matches!(element, Scalar::Float(n) if n.to_bits() == number.to_bits()))
            }
            _ => elements.all(|element| element == first),
        };
        let value = if uniform {
            self.b.constant(array.dtype(), first, layout.registers())
        } else {
            let name = format!("constant_{}", self.b.kernel().memories.len());
            let id = self.b.memory(name, array.dtype(), array.size(), Space::Constant(array.clone()));
            let map = Map::row_major(array.shape());
            let index = self.address(&layout, &map.strides, map.base);
            let mask = self.elements(&layout);
            self.b.load(id, index, mask, None, layout.is_private())
        };
        self.set_dealt(op.results[0], value, layout);
        Ok(())
    }

    pub(crate) fn lower_iota(&mut self, op: &OpData) -> Result<(), Refusal> {
        let ty = self.function.ty(op.results[0]).clone();
        let layout = self.dealt(op.results[0]);
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok());
        let axis = axis.ok_or_else(|| self.malformed())?;
        let coord = self.b.coord(&layout, axis);
        let value = self.b.convert(coord, ty.dtype());
        self.set_dealt(op.results[0], value, layout);
        Ok(())
    }

    /// The first operand, row-major, and the result's shape.
    fn moved(&self, op: &OpData) -> Result<(Tile, Map, Vec<usize>), Refusal> {
        let tile = self.held(op.operands[0])?;
        let map = Map::row_major(&tile.shape);
        Ok((tile, map, self.function.ty(op.results[0]).shape().to_vec()))
    }

    fn put(&mut self, op: &OpData, tile: Tile, from: Map, to: &Map) -> Result<(), Refusal> {
        let layout = self.dealt(op.results[0]);
        let value = self.deal_to(&[(tile, from)], &layout, to);
        self.set_dealt(op.results[0], value, layout);
        Ok(())
    }

    /// An op that only says something of its operand.
    pub(crate) fn lower_same(&mut self, op: &OpData) -> Result<(), Refusal> {
        let tile = self.held(op.operands[0])?;
        self.set_dealt(op.results[0], tile.value, tile.layout);
        Ok(())
    }

    pub(crate) fn lower_broadcast(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (tile, from, shape) = self.moved(op)?;
        let dims = self.axes(op, "dims")?;
        let mut strides = vec![0; shape.len()];
        for (dim, &result) in dims.iter().enumerate() {
            if tile.shape[dim] != 1 {
                strides[result] = from.strides[dim];
            }
        }
        self.put(op, tile, from, &Map { base: Number::Known(0), strides })
    }

    pub(crate) fn lower_reshape(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (tile, from, shape) = self.moved(op)?;
        let to = Map::row_major(&shape);
        self.put(op, tile, from, &to)
    }

    pub(crate) fn lower_transpose(&mut self, op: &OpData) -> Result<(), Refusal> {
        if super::dot::is_only_multiplied(self.function, op.results[0]) {
            return Ok(());
        }
        let (tile, from, _) = self.moved(op)?;
        let permutation = self.axes(op, "permutation")?;
        let strides = permutation.iter().map(|&axis| from.strides[axis]).collect();
        self.put(op, tile, from, &Map { base: Number::Known(0), strides })
    }

    pub(crate) fn lower_rev(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (tile, from, shape) = self.moved(op)?;
        let axes = self.axes(op, "axes")?;
        let mut to = from.clone();
        let mut base = 0;
        for axis in axes {
            base += (shape[axis] as i64 - 1).max(0) * from.strides[axis];
            to.strides[axis] = -from.strides[axis];
        }
        to.base = Number::Known(base);
        self.put(op, tile, from, &to)
    }

    pub(crate) fn lower_concatenate(&mut self, op: &OpData) -> Result<(), Refusal> {
        let shape = self.function.ty(op.results[0]).shape().to_vec();
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok());
        let axis = axis.ok_or_else(|| self.malformed())?;
        let to = Map::row_major(&shape);
        let mut parts = Vec::new();
        let mut begin = 0;
        for &operand in &op.operands {
            let tile = self.tile(operand)?;
            let base = Number::Known(begin * to.strides[axis]);
            begin += tile.shape[axis] as i64;
            parts.push((tile, Map { base, strides: to.strides.clone() }));
        }
        let value = self.deal(&parts, &shape, &to);
        self.set(op, value);
        Ok(())
    }

    /// An attribute that lists axes or extents.
    pub(crate) fn axes(&self, op: &OpData, name: &str) -> Result<Vec<usize>, Refusal> {
        let list = op.attributes.ints(name).unwrap_or_default();
        list.iter().map(|&axis| usize::try_from(axis).map_err(|_| self.malformed())).collect()
    }
}

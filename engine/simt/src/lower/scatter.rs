//! A tile with updates at computed positions. One position is a question to every register. Several go through shared memory:
//! where the last of all updates of an element counts, updates first claim the element by their number, so that the result is
//! that of doing one after the other; sums and extremes of dtypes that hardware adds up indivisibly are added up so; everything
//! else is done one position after the other.

use super::context::{Lower, Tile, row_major};
use super::number::Number;
use crate::Refusal;
use crate::ir::{Combine, MemoryId, Op, Ty, Value};
use pallas_ir::{OpData, OpDef, ValueId, ops};
use pallas_tensor::DType;

/// Where tiles lie meanwhile: apart from those that change hands.
const STAGE: usize = 3;

/// Updates on their way: their registers, where they go, and which of them go anywhere.
struct Updates {
    value: Value,
    index: Value,
    mask: Option<Value>,
    /// The number of each one's position, in the order in which they are to be done.
    turn: Value,
    positions: usize,
}

impl Lower<'_> {
    pub(crate) fn lower_scatter(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (tile, updates) = (self.tile(op.operands[0])?, self.tile(op.operands[1])?);
        let indices = op.operands.get(2..).unwrap_or_default();
        let positions = indices.first().map_or(1, |&index| self.function.ty(index).shape().size());
        let axes = self.axes(op, "axes")?;
        let (rank, first) = self.index_dims(indices, &axes);
        let kept: Vec<usize> = (0..tile.shape.len()).filter(|axis| !axes.contains(axis)).collect();
        // The dimension of the updates that runs along each axis of the tile that is not indexed.
        let along: Vec<(usize, usize)> =
            kept.iter().enumerate().map(|(n, &axis)| (axis, if n < first { n } else { n + rank })).collect();
        if positions == 1 {
            return self.scatter_one(op, &tile, &updates, &axes, &along);
        }
        let dtype = self.b.ty(tile.value).dtype;
        let strides = row_major(&tile.shape);
        let stage = self.numbered_stage(dtype, STAGE, tile.shape.iter().product());
        let elements = self.elements(&tile.layout);
        let once = self.once(&tile.layout, elements);
        let own = self.address(&tile.layout, &strides, Number::Known(0));
        self.b.store(stage, own, tile.value, once, tile.layout.is_private());
        let mut steps = vec![0; updates.shape.len()];
        for &(axis, dim) in &along {
            steps[dim] = strides[axis];
        }
        let mut index = self.address(&updates.layout, &steps, Number::Known(0));
        let mut mask = self.elements(&updates.layout);
        for (&axis, &operand) in axes.iter().zip(indices) {
            let (at, inside) = self.scattered_to(op, operand, tile.shape[axis], &updates, first + rank)?;
            if let Some(inside) = inside {
                mask = Some(self.both(mask, inside));
            }
            let far = self.scaled(at, strides[axis]);
            index = self.b.binary(&ops::ADD, index, far);
        }
        let mask = self.once(&updates.layout, mask);
        let mut turns = vec![0; updates.shape.len()];
        turns[first..first + rank].copy_from_slice(&row_major(&updates.shape[first..first + rank]));
        let turn = self.address(&updates.layout, &turns, Number::Known(0));
        let updates = Updates { value: updates.value, index, mask, turn, positions };
        match op.attributes.str("combine").unwrap_or("set") {
            "set" => self.scatter_last(&tile, stage, own, once, &updates),
            name => match indivisible(name, dtype) {
                Some(combine) => self.scatter_at_once(stage, name, combine, &updates),
                None => self.scatter_in_turn(stage, name, &updates)?,
            },
        }
        let value = self.b.load(stage, own, elements, None, tile.layout.is_private());
        self.set(op, value);
        Ok(())
    }

    /// How many dimensions the positions have, and which of the result's is their first.
    fn index_dims(&self, indices: &[ValueId], axes: &[usize]) -> (usize, usize) {
        let rank = indices.first().map_or(0, |&index| self.function.ty(index).shape().rank());
        let neighbours = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        (rank, axes.first().copied().filter(|_| neighbours).unwrap_or(0))
    }

    /// Positions along an axis for each update, inside of the tile, and whether they were.
    fn scattered_to(
        &mut self,
        op: &OpData,
        operand: ValueId,
        extent: usize,
        updates: &Tile,
        end: usize,
    ) -> Result<(Value, Option<Value>), Refusal> {
        let at = self.tile(operand)?;
        let at = Tile { value: self.b.convert(at.value, DType::I32), ..at };
        let at = self.spread(&at, &updates.layout, end);
        let (zero, last) = (self.b.int(0), self.b.int((extent as i64 - 1).max(0)));
        let above = self.b.binary(&ops::MAX, at, zero);
        let inside = self.b.binary(&ops::MIN, above, last);
        let drops = op.attributes.str("mode") != Some("clip");
        let same = drops.then(|| self.b.binary(&ops::EQ, at, inside));
        Ok((inside, same))
    }

    /// At one position: each register knows whether it is there.
    fn scatter_one(
        &mut self,
        op: &OpData,
        tile: &Tile,
        updates: &Tile,
        axes: &[usize],
        along: &[(usize, usize)],
    ) -> Result<(), Refusal> {
        let mut mask = None;
        for (&axis, &operand) in axes.iter().zip(&op.operands[2..]) {
            let mut at = self.number(operand)?;
            if op.attributes.str("mode") == Some("clip") {
                at = at.clamp(&mut self.b, 0, tile.shape[axis] as i64 - 1);
            }
            let (coord, at) = (self.b.coord(&tile.layout, axis), at.value(&mut self.b));
            let here = self.b.binary(&ops::EQ, coord, at);
            mask = Some(self.both(mask, here));
        }
        let from = super::moves::Map::row_major(&updates.shape);
        let mut strides = vec![0; tile.shape.len()];
        for &(axis, dim) in along {
            strides[axis] = from.strides[dim];
        }
        let to = super::moves::Map { base: Number::Known(0), strides };
        let update = self.deal_to(&[(updates.clone(), from)], &tile.layout, &to);
        let new = match function(op.attributes.str("combine").unwrap_or("set")) {
            Some(def) => self.b.binary(def, tile.value, update),
            None => update,
        };
        let value = match mask {
            Some(mask) => self.b.select(mask, new, tile.value),
            None => new,
        };
        self.set(op, value);
        Ok(())
    }

    /// The last update of each element.
    fn scatter_last(&mut self, tile: &Tile, stage: MemoryId, own: Value, once: Option<Value>, updates: &Updates) {
        let owners = self.numbered_stage(DType::I32, STAGE + 1, tile.shape.iter().product());
        let nobody = self.b.int(-1);
        self.b.store(owners, own, nobody, once, tile.layout.is_private());
        self.atomic(owners, Combine::Max, updates.index, updates.turn, updates.mask);
        let owner = self.b.load(owners, updates.index, updates.mask, None, false);
        let is_last = self.b.binary(&ops::EQ, owner, updates.turn);
        let mask = self.both(updates.mask, is_last);
        self.b.store(stage, updates.index, updates.value, Some(mask), false);
    }

    /// All updates, in any order.
    fn scatter_at_once(&mut self, stage: MemoryId, name: &str, combine: Combine, updates: &Updates) {
        let value = match name {
            "sub" => self.unary(&ops::NEG, updates.value),
            _ => updates.value,
        };
        self.atomic(stage, combine, updates.index, value, updates.mask);
    }

    /// All updates, one position after the other.
    fn scatter_in_turn(&mut self, stage: MemoryId, name: &str, updates: &Updates) -> Result<(), Refusal> {
        let def = function(name).ok_or_else(|| self.malformed())?;
        let (lower, upper) = (self.b.int(0), self.b.int(updates.positions as i64));
        let params = self.b.open(&[Ty { dtype: DType::I32, regs: 1 }]);
        let mine = self.b.binary(&ops::EQ, updates.turn, params[0]);
        let mask = self.both(updates.mask, mine);
        let old = self.b.load(stage, updates.index, Some(mask), None, false);
        let new = self.b.binary(def, old, updates.value);
        self.b.store(stage, updates.index, new, Some(mask), false);
        let body = self.b.close(Vec::new());
        self.b.add(Op::For, &[lower, upper], &[], vec![body]);
        Ok(())
    }

    fn atomic(&mut self, memory: MemoryId, combine: Combine, index: Value, value: Value, mask: Option<Value>) {
        let regs = self.b.ty(index).regs;
        let value = self.b.splat(value, regs);
        let mask = mask.map(|mask| self.b.splat(mask, regs));
        let ty = Ty { regs, ..self.b.ty(value) };
        let operands: Vec<Value> = [index, value].into_iter().chain(mask).collect();
        self.b.add(Op::Atomic { memory, combine, masked: mask.is_some() }, &operands, &[ty], Vec::new());
    }
}

/// What an update does to what is there; `None`: it takes its place.
fn function(name: &str) -> Option<&'static OpDef> {
    Some(match name {
        "add" => &ops::ADD,
        "sub" => &ops::SUB,
        "mul" => &ops::MUL,
        "min" => &ops::MIN,
        "max" => &ops::MAX,
        _ => return None,
    })
}

/// What hardware does in one step that nobody comes between.
fn indivisible(name: &str, dtype: DType) -> Option<Combine> {
    match (name, dtype) {
        ("add" | "sub", DType::F32 | DType::F64 | DType::I32 | DType::U32 | DType::U64) => Some(Combine::Add),
        ("max", DType::F32 | DType::I32 | DType::U32 | DType::U64) => Some(Combine::Max),
        ("min", DType::F32 | DType::I32 | DType::U32 | DType::U64) => Some(Combine::Min),
        _ => None,
    }
}

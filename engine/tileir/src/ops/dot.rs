//! `dot_general`: products of matrices, several of them along batch axes, added to where they go.

use super::{Results, arith, convert, one, shape};
use crate::emit::{Emitter, choice};
use crate::lower::{Bound, Lower};
use crate::types::Tile;
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{ScalarType, Value};
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind};

/// A product that is ready to be computed: factors of two or three dimensions, the first of three counts matrices.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    a: Tile,
    b: Tile,
    /// Whether factors are cut to ten bits of mantissa.
    tf32: bool,
    /// Of the sums.
    sums: DType,
    dtype: DType,
    shape: Vec<usize>,
}

impl Product {
    /// The product, added to a tile if there is one.
    pub(crate) fn computed(&self, e: &mut Emitter, onto: Option<&Tile>) -> Result<Tile, Refusal> {
        let rank = self.a.shape.len();
        let mut extents = self.a.shape.clone();
        extents[rank - 1] = self.b.shape[rank - 1];
        // What is added in another dtype is added afterwards.
        let begin = onto.filter(|tile| tile.dtype == self.sums && self.dtype == self.sums && tile.shape == self.shape);
        let accumulator = match begin {
            Some(tile) => shape::reshaped(e, tile, &extents)?,
            None => e.constant(self.sums, &extents, pallas_tensor::Scalar::zero(self.sums))?,
        };
        let sums = if self.sums == DType::I32 {
            let sign = |tile: &Tile| i64::from(tile.dtype.kind() == Kind::Signed);
            let signs = vec![choice("signedness_lhs", sign(&self.a)), choice("signedness_rhs", sign(&self.b))];
            e.tile(Opcode::MmaI, &[&self.a, &self.b, &accumulator], signs, self.sums, &extents)?
        } else if self.tf32 {
            let (a, b) = (cut(e, &self.a), cut(e, &self.b));
            let ty = accumulator.ty();
            let value = e.op(Opcode::MmaF, &[a, b, accumulator.value], vec![], &[ty])[0];
            Tile::new(value, self.sums, &extents)
        } else {
            e.tile(Opcode::MmaF, &[&self.a, &self.b, &accumulator], vec![], self.sums, &extents)?
        };
        let product = shape::reshaped(e, &sums, &self.shape)?;
        let product = convert::cast(e, &product, self.dtype)?;
        match onto {
            Some(tile) if begin.is_none() => arith::binary(e, "add", tile, &product),
            _ => Ok(product),
        }
    }
}

fn cut(e: &mut Emitter, x: &Tile) -> Value {
    let ty = crate::types::tile(ScalarType::TF32, &x.shape);
    e.op(Opcode::FToF, &[x.value], vec![arith::nearest()], &[ty])[0]
}

/// Axes of a factor in the order batch, then `first`, then `second`, as one dimension each; the batch is left out where it is
/// empty.
fn arranged(
    e: &mut Emitter,
    x: &Tile,
    batch: &[usize],
    first: &[usize],
    second: &[usize],
    batched: bool,
) -> Result<Tile, Refusal> {
    let order: Vec<usize> = batch.iter().chain(first).chain(second).copied().collect();
    let size = |axes: &[usize]| axes.iter().map(|&axis| x.shape[axis]).product::<usize>();
    let mut shape = vec![size(first), size(second)];
    if batched {
        shape.insert(0, size(batch));
    }
    let x = shape::permuted(e, x, &order)?;
    shape::reshaped(e, &x, &shape)
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    if op.op.name != "dot_general" {
        return Ok(None);
    }
    let tiles = lower.tiles(op)?;
    let (dtype, shape) = lower.result(op)?;
    let e = &mut lower.e;
    let axes = |name: &str, side: usize| -> Vec<usize> {
        let lists = op.attributes.int_lists(name).unwrap_or_default();
        let list = lists.get(side).map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(|&axis| usize::try_from(axis).ok()).collect()
    };
    let [mut a, mut b] = [tiles[0].clone(), tiles[1].clone()];
    let tf32 =
        a.dtype == DType::F32 && b.dtype == DType::F32 && op.attributes.str("precision") == Some("TF32_TF32_F32");
    let sums = match (a.dtype, b.dtype) {
        (DType::I8 | DType::U8, DType::I8 | DType::U8) if dtype == DType::I32 => DType::I32,
        (a, b) if a.is_float() && b.is_float() => {
            if a == DType::F64 || b == DType::F64 || dtype == DType::F64 {
                DType::F64
            } else {
                DType::F32
            }
        }
        (a, b) => {
            return Err(no(format!("products of {} and {} in {} have no Tile IR", a.name(), b.name(), dtype.name()))
                .with_help("take the SIMT back end"));
        }
    };
    if sums == DType::F64 || (a.dtype != b.dtype && sums == DType::F32) {
        (a, b) = (convert::cast(e, &a, sums)?, convert::cast(e, &b, sums)?);
    }
    let free = |tile: &Tile, side: usize| -> Vec<usize> {
        let (contracting, batch) = (axes("contracting", side), axes("batch", side));
        (0..tile.shape.len()).filter(|axis| !contracting.contains(axis) && !batch.contains(axis)).collect()
    };
    let batched = !axes("batch", 0).is_empty();
    let (free_a, free_b) = (free(&a, 0), free(&b, 1));
    let a = arranged(e, &a, &axes("batch", 0), &free_a, &axes("contracting", 0), batched)?;
    let b = arranged(e, &b, &axes("batch", 1), &axes("contracting", 1), &free_b, batched)?;
    let product = Product { a, b, tf32, sums, dtype, shape };
    if op.results.first().is_some_and(|&value| lower.is_used_once(value)) {
        return Ok(Some(vec![Bound::Product(product)]));
    }
    Ok(one(product.computed(&mut lower.e, None)?))
}

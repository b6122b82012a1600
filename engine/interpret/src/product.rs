//! Steps that are products of matrices: of factors where they lie, to a tile or onto what a Ref holds.

use crate::access::Access;
use crate::error::RunError;
use crate::later::type_of;
use crate::machine::{Machine, Value};
use crate::tape::{Product, Source, Step};
use pallas_tensor::ops::{self, BinaryOp, Matrix, matrix_product_onto};
use pallas_tensor::{Array, DType, Shape};
use smallvec::{SmallVec, smallvec};

type Values = SmallVec<[Value; 1]>;

impl Machine<'_> {
    /// Runs a step that is a product.
    pub(crate) fn run_product(&mut self, step: &Step, product: &Product) -> Result<Values, RunError> {
        self.ready(&step.operands)?;
        match (&product.onto, step.operands.as_slice()) {
            (None, factors @ [_, _]) => {
                let tile = self.multiply(product, factors)?;
                self.consume(factors);
                Ok(smallvec![Value::Tile(tile)])
            }
            (Some(access), [reference, factors @ ..]) => {
                self.accumulate(product, access, *reference, factors)?;
                self.consume(factors);
                Ok(Values::new())
            }
            _ => Err(RunError::malformed("a product takes two factors")),
        }
    }

    /// The product as a tile.
    fn multiply(&mut self, product: &Product, factors: &[Source]) -> Result<Array, RunError> {
        let (left, right, sizes) = matrices(self.registers, product, factors)?;
        let tiles = &mut self.memory.workshop.tiles;
        let mut tile = tiles.take(DType::F32, &Shape::from([sizes.0, sizes.2]))?;
        matrix_product_onto(&mut tile, left, right, sizes, false)?;
        tiles.keep(&tile);
        Ok(tile)
    }

    /// Adds the product to all of what a Ref holds.
    fn accumulate(
        &mut self,
        product: &Product,
        access: &Access,
        reference: Source,
        factors: &[Source],
    ) -> Result<(), RunError> {
        let Value::Ref(view) = self.take(reference)? else {
            return Err(RunError::malformed("a tile stands where a Ref belongs"));
        };
        self.memory.settle(view.buffer)?;
        // What another program has left there is not known here.
        let held = self.memory.array(&view)?;
        let direct = view.through.is_none() && view.is_whole(held.shape()) && held.dtype() == DType::F32;
        if !direct {
            let tile = self.multiply(product, factors)?;
            let opened = self.memory.open(&view)?;
            let old = access.load(self.memory, &opened, &[])?;
            access.store(self.memory, &opened, &[], ops::binary(BinaryOp::Add, old, tile)?)?;
            return self.memory.close(&view, &opened, true);
        }
        let (left, right, sizes) = matrices(self.registers, product, factors)?;
        let slot = &mut self.memory.buffers[view.buffer];
        slot.written = true;
        Ok(matrix_product_onto(&mut slot.array, left, right, sizes, true)?)
    }
}

/// Rows, inner elements and columns.
type Sizes = (usize, usize, usize);

/// How a product takes a matrix of which it sums over one dimension, where `contracted` is where it expects that: its strides, how many
/// rows or columns stay, and how many elements are summed.
pub(crate) fn oriented(
    inner: usize,
    contracted: usize,
    shape: &Shape,
    [down, along]: [isize; 2],
) -> ([isize; 2], usize, usize) {
    (if inner == contracted { [down, along] } else { [along, down] }, shape[1 - inner], shape[inner])
}

/// The factors of a product, as rows by inner elements and inner elements by columns.
fn matrices<'a>(
    registers: &'a [Value],
    product: &Product,
    factors: &[Source],
) -> Result<(Matrix<'a>, Matrix<'a>, Sizes), RunError> {
    let malformed = || RunError::malformed("a factor of a product is no matrix");
    let matrix = |position: usize, contracted: usize| {
        let value = &registers[factors.get(position).ok_or_else(malformed)?.register as usize];
        let (_, shape) = type_of(value).filter(|(_, shape)| shape.rank() == 2).ok_or_else(malformed)?;
        let (buffer, base, strides) = match value {
            Value::Tile(array) => (array.buffer(), 0, [shape[1] as isize, 1]),
            Value::Window(window) => {
                (window.array.buffer(), window.base, [window.layout.strides[0], window.layout.strides[1]])
            }
            Value::Coming(_) | Value::Ref(_) | Value::Number(_) | Value::Empty => return Err(malformed()),
        };
        let (strides, stays, inner) = oriented(product.contracting[position], contracted, shape, strides);
        Ok((Matrix { buffer, base, strides }, stays, inner))
    };
    let (left, rows, inner) = matrix(0, 1)?;
    let (right, columns, same) = matrix(1, 0)?;
    match inner == same {
        true => Ok((left, right, (rows, inner, columns))),
        false => Err(malformed()),
    }
}

//! Types as Tile IR has them, and tiles.

use crate::{Refusal, no};
use cutile_ir::ir::{PointerType, ScalarType, TensorViewType, TileElementType, TileType, Type, Value};
use pallas_tensor::DType;

/// The most elements that a tile may have.
const MOST: usize = 1 << 24;

/// How Tile IR names a dtype. Integers have no sign there: the ops have.
pub(crate) fn element(dtype: DType) -> Result<ScalarType, Refusal> {
    Ok(match dtype {
        DType::Bool => ScalarType::I1,
        DType::I8 | DType::U8 => ScalarType::I8,
        DType::I16 | DType::U16 => ScalarType::I16,
        DType::I32 | DType::U32 => ScalarType::I32,
        DType::I64 | DType::U64 => ScalarType::I64,
        DType::BF16 => ScalarType::BF16,
        DType::F16 => ScalarType::F16,
        DType::F32 => ScalarType::F32,
        DType::F64 => ScalarType::F64,
        DType::F8E4M3Fn => ScalarType::F8E4M3FN,
        DType::F8E5M2 => ScalarType::F8E5M2,
        other => return Err(no(format!("Tile IR has no {} values", other.name()))),
    })
}

/// How memory holds a dtype: bools are bytes.
pub(crate) fn stored(dtype: DType) -> DType {
    if dtype == DType::Bool { DType::U8 } else { dtype }
}

/// Refuses shapes that no tile has.
pub(crate) fn fits(shape: &[usize]) -> Result<(), Refusal> {
    if let Some(&extent) = shape.iter().find(|extent| !extent.is_power_of_two()) {
        return Err(no(format!(
            "Tile IR wants tiles whose extents are powers of 2, and one here has shape {}, of which {extent} is none",
            pallas_tensor::Shape::from(shape)
        ))
        .with_help("take such blocks, and mask what is too much; the SIMT back end has no such limit"));
    }
    let size = shape.iter().try_fold(1usize, |size, &extent| size.checked_mul(extent));
    match size {
        Some(size) if size <= MOST => Ok(()),
        _ => Err(no(format!("a tile of shape {} is more than Tile IR has", pallas_tensor::Shape::from(shape)))),
    }
}

fn extents(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&extent| extent as i64).collect()
}

/// `tile<8x128xf32>`
pub(crate) fn tile(scalar: ScalarType, shape: &[usize]) -> Type {
    Type::Tile(TileType { shape: extents(shape), element_type: TileElementType::Scalar(scalar) })
}

/// `tile<8x128xptr<f32>>`
pub(crate) fn pointers(pointee: ScalarType, shape: &[usize]) -> Type {
    let element_type = TileElementType::Pointer(Box::new(PointerType { pointee }));
    Type::Tile(TileType { shape: extents(shape), element_type })
}

/// A whole array in row-major order.
pub(crate) fn array(element_type: ScalarType, shape: &[usize]) -> TensorViewType {
    let strides = pallas_tensor::Shape::from(shape).strides();
    TensorViewType { element_type, shape: extents(shape), strides: extents(&strides) }
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub(crate) value: Value,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    /// Its value, for scalar integers that are known.
    pub(crate) known: Option<i64>,
    /// For scalar integers that are a multiple: of what, and how many times it is taken.
    pub(crate) multiple: Option<(Value, i64)>,
}

impl Tile {
    /// A tile of which nothing more is known.
    pub(crate) fn new(value: Value, dtype: DType, shape: &[usize]) -> Tile {
        Tile { value, dtype, shape: shape.to_vec(), known: None, multiple: None }
    }

    pub(crate) fn is_scalar(&self) -> bool {
        self.shape.is_empty()
    }

    /// Its type. Tiles of dtypes without one are refused when they are made.
    pub(crate) fn ty(&self) -> Type {
        tile(element(self.dtype).unwrap_or(ScalarType::I32), &self.shape)
    }
}

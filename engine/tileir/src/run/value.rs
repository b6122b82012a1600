//! Values of a module that runs: tiles as arrays, pointers as bytes of a memory, views, tokens.

use super::Fault;
use cutile_ir::ir::{DenseElements, PartitionViewType, ScalarType, TileElementType, Type};
use pallas_tensor::{Array, Buffer, DType, Scalar, ops};

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Held {
    Tile(Array),
    /// Bytes of a memory, one for each element.
    Pointers {
        memory: usize,
        bytes: Vec<i64>,
        shape: Vec<usize>,
    },
    /// An array in memory.
    Array {
        memory: usize,
        byte: i64,
    },
    /// An array cut into tiles.
    Cut {
        memory: usize,
        byte: i64,
        ty: PartitionViewType,
    },
    /// The chain that it is of, and how far it is along it.
    Token(u64, u64),
}

/// The dtype that stands for an element type: integers have their sign from the op.
pub(super) fn dtype(ty: ScalarType) -> Result<DType, Fault> {
    Ok(match ty {
        ScalarType::I1 => DType::Bool,
        ScalarType::I8 => DType::I8,
        ScalarType::I16 => DType::I16,
        ScalarType::I32 => DType::I32,
        ScalarType::I64 => DType::I64,
        ScalarType::F16 => DType::F16,
        ScalarType::BF16 => DType::BF16,
        // With all digits, as interpret mode has them.
        ScalarType::F32 | ScalarType::TF32 => DType::F32,
        ScalarType::F64 => DType::F64,
        ScalarType::F8E4M3FN => DType::F8E4M3Fn,
        ScalarType::F8E5M2 => DType::F8E5M2,
        other => return Err(Fault::new(format!("nothing here computes with {other:?}"))),
    })
}

/// An unsigned dtype of the same width.
pub(super) fn unsigned(dtype: DType) -> DType {
    match dtype {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        other => other,
    }
}

/// The dtype and shape of a tile type.
pub(super) fn tile(ty: &Type) -> Result<(DType, Vec<usize>), Fault> {
    match ty {
        Type::Tile(tile) => match &tile.element_type {
            TileElementType::Scalar(scalar) => Ok((dtype(*scalar)?, extents(&tile.shape))),
            TileElementType::Pointer(pointer) => Ok((dtype(pointer.pointee)?, extents(&tile.shape))),
        },
        other => Err(Fault::new(format!("{other:?} is no tile"))),
    }
}

pub(super) fn extents(shape: &[i64]) -> Vec<usize> {
    shape.iter().map(|&extent| usize::try_from(extent).unwrap_or(0)).collect()
}

/// Elements from their bytes.
pub(super) fn decoded(dtype: DType, shape: &[usize], data: &[u8]) -> Result<Array, Fault> {
    let wrong = || Fault::new("bytes are no elements");
    fn words<const N: usize>(data: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
        data.chunks_exact(N).map(|word| word.try_into().unwrap_or([0; N]))
    }
    let (buffer, plain) = match dtype.size_bytes() {
        1 => (Buffer::U8(data.to_vec()), DType::U8),
        2 => (Buffer::U16(words(data).map(u16::from_le_bytes).collect()), DType::U16),
        4 => (Buffer::U32(words(data).map(u32::from_le_bytes).collect()), DType::U32),
        8 => (Buffer::U64(words(data).map(u64::from_le_bytes).collect()), DType::U64),
        _ => return Err(wrong()),
    };
    let array = Array::with_dtype(plain, shape.to_vec(), buffer).map_err(|_| wrong())?;
    match dtype {
        DType::Bool => ops::convert(&array, DType::Bool).map_err(|_| wrong()),
        dtype if dtype == plain => Ok(array),
        dtype => ops::bitcast_convert(&array, dtype).map_err(|_| wrong()),
    }
}

/// The bytes of elements.
pub(crate) fn encoded(array: &Array) -> Vec<u8> {
    let plain = match array.dtype().size_bytes() {
        _ if array.dtype() == DType::Bool => ops::convert(array, DType::U8),
        1 => ops::bitcast_convert(array, DType::U8),
        2 => ops::bitcast_convert(array, DType::U16),
        4 => ops::bitcast_convert(array, DType::U32),
        _ => ops::bitcast_convert(array, DType::U64),
    };
    let Ok(plain) = plain else { return Vec::new() };
    match plain.buffer() {
        Buffer::U8(words) => words.clone(),
        Buffer::U16(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        Buffer::U32(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        Buffer::U64(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        _ => Vec::new(),
    }
}

/// A constant, which says each element or one for all.
pub(super) fn constant(elements: &DenseElements) -> Result<Array, Fault> {
    let (dtype, shape) = tile(&elements.element_type)?;
    let size: usize = shape.iter().product();
    let one = dtype.size_bytes().max(1);
    if elements.data.len() == one && size != 1 {
        let element = decoded(dtype, &[], &elements.data)?;
        let scalar = element.item().unwrap_or(Scalar::zero(dtype));
        return Array::full(dtype, shape, scalar).map_err(|error| Fault::new(error.to_string()));
    }
    decoded(dtype, &shape, &elements.data)
}

/// The numbers of a constant, as people write them.
pub(crate) fn numbers(ty: ScalarType, data: &[u8]) -> Vec<String> {
    let Ok(dtype) = dtype(ty) else { return vec!["?".to_string()] };
    let count = data.len() / dtype.size_bytes().max(1);
    let Ok(array) = decoded(dtype, &[count], data) else { return vec!["?".to_string()] };
    let words = |scalar: Scalar| match scalar {
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) if dtype == DType::F64 => format!("{value:?}"),
        Scalar::Float(value) => format!("{:?}", value as f32),
        other => format!("{other:?}"),
    };
    array.iter_scalars().map(words).collect()
}

//! Arrays as the bytes of a device's memory, little-endian, and back. Elements that are narrower than a byte have one each.

use half::{bf16, f16};
use pallas_tensor::{Array, Buffer, DType, Shape};

/// The bytes of an array.
pub fn bytes(array: &Array) -> Vec<u8> {
    macro_rules! little {
        ($elements:expr) => {
            $elements.iter().flat_map(|element| element.to_le_bytes()).collect()
        };
    }
    match array.buffer() {
        Buffer::Bool(elements) => elements.iter().map(|&element| u8::from(element)).collect(),
        Buffer::U8(elements) => elements.clone(),
        Buffer::I8(elements) => little!(elements),
        Buffer::I16(elements) => little!(elements),
        Buffer::I32(elements) => little!(elements),
        Buffer::I64(elements) => little!(elements),
        Buffer::U16(elements) => little!(elements),
        Buffer::U32(elements) => little!(elements),
        Buffer::U64(elements) => little!(elements),
        Buffer::BF16(elements) => little!(elements),
        Buffer::F16(elements) => little!(elements),
        Buffer::F32(elements) => little!(elements),
        Buffer::F64(elements) => little!(elements),
        Buffer::Key(elements) => elements.iter().flatten().flat_map(|word| word.to_le_bytes()).collect(),
    }
}

/// The array that bytes are; `None` if there are more or fewer than it has.
pub fn array(dtype: DType, shape: &Shape, bytes: &[u8]) -> Option<Array> {
    macro_rules! little {
        ($variant:ident, $ty:ty) => {{
            let chunks = bytes.chunks_exact(size_of::<$ty>());
            Buffer::$variant(chunks.map(|chunk| <$ty>::from_le_bytes(chunk.try_into().unwrap_or_default())).collect())
        }};
    }
    let storage = Array::zeros(dtype, Shape::default()).ok()?;
    let buffer = match storage.buffer() {
        Buffer::Bool(_) => Buffer::Bool(bytes.iter().map(|&byte| byte != 0).collect()),
        Buffer::U8(_) => Buffer::U8(bytes.to_vec()),
        Buffer::I8(_) => little!(I8, i8),
        Buffer::I16(_) => little!(I16, i16),
        Buffer::I32(_) => little!(I32, i32),
        Buffer::I64(_) => little!(I64, i64),
        Buffer::U16(_) => little!(U16, u16),
        Buffer::U32(_) => little!(U32, u32),
        Buffer::U64(_) => little!(U64, u64),
        Buffer::BF16(_) => little!(BF16, bf16),
        Buffer::F16(_) => little!(F16, f16),
        Buffer::F32(_) => little!(F32, f32),
        Buffer::F64(_) => little!(F64, f64),
        Buffer::Key(_) => {
            let words = bytes.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap_or_default()));
            let words: Vec<u32> = words.collect();
            Buffer::Key(words.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
        }
    };
    Array::with_dtype(dtype, shape.clone(), buffer).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_tensor::Scalar;

    #[test]
    fn every_dtype_comes_back_as_it_went() {
        for dtype in DType::all() {
            let mut given = Array::zeros(dtype, vec![2, 3]).expect("zeros");
            if dtype != DType::Key {
                given.set(1, Scalar::Int(1));
                given.set(4, Scalar::Int(1));
            }
            let there = bytes(&given);
            let back = array(dtype, given.shape(), &there).expect("the same bytes");
            assert!(given.same_bits(&back), "{}", dtype.name());
            assert!(array(dtype, given.shape(), &there[..there.len() - 1]).is_none_or(|a| !a.same_bits(&given)));
        }
    }
}

//! Boxes of arrays as the driver describes them to engines that copy (`CUtensorMap`).

#![allow(unsafe_code, reason = "the driver is a C library; each call says its invariant")]

use cudarc::driver::result::DriverError;
use cudarc::driver::sys;
use pallas_simt::ir::TensorMap;
use pallas_tensor::DType;

/// A description. The driver wants it aligned, and nobody but it knows what the words mean.
#[repr(C, align(64))]
pub(crate) struct Description(sys::CUtensorMap);

/// What the driver is told: extents and strides in bytes, the last dimension first; strides without that of the last dimension.
#[derive(Debug, PartialEq, Eq)]
struct Words {
    extents: Vec<u64>,
    strides: Vec<u64>,
    boxed: Vec<u32>,
    steps: Vec<u32>,
}

impl Words {
    fn new(map: &TensorMap, bytes: usize) -> Words {
        let extents: Vec<u64> = map.extents.iter().rev().map(|&extent| extent as u64).collect();
        let mut stride = bytes as u64;
        let strides = extents.iter().take(extents.len().saturating_sub(1)).map(|extent| {
            stride = stride.saturating_mul(*extent);
            stride
        });
        Words {
            strides: strides.collect(),
            boxed: map.boxed.iter().rev().map(|&extent| extent as u32).collect(),
            steps: vec![1; map.boxed.len()],
            extents,
        }
    }
}

impl Description {
    /// Of a box of an array that begins at this address.
    pub(crate) fn new(address: u64, map: &TensorMap, dtype: DType) -> Result<Description, DriverError> {
        use sys::CUtensorMapDataType_enum as Element;
        use sys::CUtensorMapSwizzle_enum as Swizzle;
        let words = Words::new(map, dtype.size_bytes());
        // Where nothing is combined, only how wide an element is matters: what lies outside is zeros.
        let element = match (dtype, dtype.size_bytes()) {
            (DType::F16, _) => Element::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            (DType::BF16, _) => Element::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            (DType::F32, _) => Element::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            (DType::F64, _) => Element::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
            (DType::I32, _) => Element::CU_TENSOR_MAP_DATA_TYPE_INT32,
            (DType::I64, _) => Element::CU_TENSOR_MAP_DATA_TYPE_INT64,
            (_, 1) => Element::CU_TENSOR_MAP_DATA_TYPE_UINT8,
            (_, 2) => Element::CU_TENSOR_MAP_DATA_TYPE_UINT16,
            (_, 4) => Element::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            _ => Element::CU_TENSOR_MAP_DATA_TYPE_UINT64,
        };
        let swizzle = match map.swizzle {
            128 => Swizzle::CU_TENSOR_MAP_SWIZZLE_128B,
            64 => Swizzle::CU_TENSOR_MAP_SWIZZLE_64B,
            32 => Swizzle::CU_TENSOR_MAP_SWIZZLE_32B,
            _ => Swizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
        };
        let mut description = Description(sys::CUtensorMap { opaque: [0; 16] });
        // SAFETY: the description is aligned to 64 bytes, and the lists are as long as the rank says; the driver keeps none of them.
        let answer = unsafe {
            sys::cuTensorMapEncodeTiled(
                &mut description.0,
                element,
                words.extents.len() as u32,
                address as *mut std::ffi::c_void,
                words.extents.as_ptr(),
                words.strides.as_ptr(),
                words.boxed.as_ptr(),
                words.steps.as_ptr(),
                sys::CUtensorMapInterleave_enum::CU_TENSOR_MAP_INTERLEAVE_NONE,
                swizzle,
                sys::CUtensorMapL2promotion_enum::CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                sys::CUtensorMapFloatOOBfill_enum::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
            )
        };
        answer.result().map(|()| description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_simt::ir::MemoryId;

    #[test]
    fn the_last_dimension_comes_first_and_has_no_stride() {
        let map = TensorMap { memory: MemoryId(0), extents: vec![3, 128, 256], boxed: vec![1, 64, 32], swizzle: 64 };
        let words = Words::new(&map, 2);
        assert_eq!(words.extents, [256, 128, 3]);
        assert_eq!(words.strides, [512, 512 * 128]);
        assert_eq!((words.boxed, words.steps), (vec![32, 64, 1], vec![1, 1, 1]));
        assert!(std::mem::align_of::<Description>() >= 64, "the driver wants it");
    }
}

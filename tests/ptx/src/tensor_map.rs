//! Descriptions of boxes of arrays, as kernels get them by value. The driver keeps its encoding to itself; this one is ours, and whoever
//! starts a kernel on this machine puts it where the driver's would be.

/// An array in global memory, and the boxes of it that are copied. Dimensions go from the innermost one on, as the driver wants them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Bytes of an element.
    pub element: usize,
    /// Where the array begins.
    pub address: u64,
    /// Its extents.
    pub extents: Vec<u64>,
    /// Bytes from one element to the next along each dimension; the first is that of an element.
    pub strides: Vec<u64>,
    /// The extents of a box.
    pub boxed: Vec<u32>,
    /// Which elements of a box are taken: each so many-th.
    pub steps: Vec<u32>,
    /// 0, 32, 64 or 128: the bytes over which 16-byte pieces are exchanged in shared memory.
    pub swizzle: u32,
    /// Whether what lies outside is NaN and not 0.
    pub fills_nan: bool,
    /// What a reduction combines, as `cuTensorMapEncodeTiled` numbers types.
    pub dtype: u32,
}

const MAGIC: u32 = 0x5450_6c61;

impl TensorMap {
    /// In the driver's 128 bytes. `None` if something is too large for them, or there are more than five dimensions.
    pub fn encode(&self) -> Option<[u8; 128]> {
        let rank = self.extents.len();
        let same = [self.strides.len(), self.boxed.len(), self.steps.len()].iter().all(|length| *length == rank);
        if !same || rank == 0 || rank > 5 {
            return None;
        }
        let mut bytes = [0; 128];
        let mut put = |at: usize, content: &[u8]| bytes[at..at + content.len()].copy_from_slice(content);
        put(0, &MAGIC.to_le_bytes());
        let flags = [u8::try_from(rank).ok()?, u8::try_from(self.element).ok()?, u8::try_from(self.swizzle).ok()?];
        put(4, &flags);
        put(7, &[u8::try_from(self.dtype).ok()? << 1 | u8::from(self.fills_nan)]);
        put(8, &self.address.to_le_bytes());
        for axis in 0..rank {
            put(16 + 8 * axis, &self.strides[axis].to_le_bytes());
            put(56 + 8 * axis, &self.extents[axis].to_le_bytes());
            put(96 + 2 * axis, &u16::try_from(self.boxed[axis]).ok()?.to_le_bytes());
            put(106 + 2 * axis, &u16::try_from(self.steps[axis]).ok()?.to_le_bytes());
        }
        Some(bytes)
    }

    /// What was encoded; `None` if these bytes are something else.
    pub fn decode(bytes: &[u8]) -> Option<TensorMap> {
        let bytes: &[u8; 128] = bytes.get(..128)?.try_into().ok()?;
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let short = |at: usize| u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let rank = usize::from(bytes[4]);
        if bytes[..4] != MAGIC.to_le_bytes() || rank == 0 || rank > 5 {
            return None;
        }
        Some(TensorMap {
            element: usize::from(bytes[5]),
            address: word(8),
            strides: (0..rank).map(|axis| word(16 + 8 * axis)).collect(),
            extents: (0..rank).map(|axis| word(56 + 8 * axis)).collect(),
            boxed: (0..rank).map(|axis| short(96 + 2 * axis)).collect(),
            steps: (0..rank).map(|axis| short(106 + 2 * axis)).collect(),
            swizzle: u32::from(bytes[6]),
            fills_nan: bytes[7] & 1 == 1,
            dtype: u32::from(bytes[7] >> 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_comes_back() {
        let map = TensorMap {
            element: 2,
            address: 0x7f00_0000_1000,
            extents: vec![4096, 128, 3, 1, 7],
            strides: vec![2, 8192, 1 << 20, 3 << 20, 1 << 38],
            boxed: vec![64, 256, 1, 1, 1],
            steps: vec![1, 2, 1, 1, 1],
            swizzle: 128,
            fills_nan: true,
            dtype: 9,
        };
        let bytes = map.encode().expect("it fits");
        assert_eq!(TensorMap::decode(&bytes), Some(map.clone()));
        assert_eq!(TensorMap::decode(&[0; 128]), None);
        assert_eq!(TensorMap { extents: vec![1], ..map }.encode(), None);
    }
}

//! Where the elements of a box lie: in the array, and in shared memory (PTX ISA 5.5, tensors).

use crate::tensor_map::TensorMap;

/// The address in shared memory after a swizzle: pieces of 16 bytes change places within rows of so many bytes, by the number of the
/// row of 128 bytes (PTX ISA 5.5.7). Addresses count, not places in the box.
pub(crate) fn swizzled(address: u64, swizzle: u32) -> u64 {
    let bits = match swizzle {
        128 => 7,
        64 => 3,
        32 => 1,
        _ => 0,
    };
    address ^ (address >> 7 & bits) << 4
}

/// Why the driver would refuse a description (`cuTensorMapEncodeTiled`).
pub(crate) fn refusal(map: &TensorMap) -> Option<String> {
    let inner = u64::from(*map.boxed.first()?) * map.element as u64;
    let span = map.swizzle;
    if !map.address.is_multiple_of(16) {
        return Some(format!("the array begins at {:#x}, no multiple of 16", map.address));
    }
    if map.strides[1..].iter().any(|stride| !stride.is_multiple_of(16)) {
        return Some(format!("strides {:?}, of which those after the first are no multiples of 16", map.strides));
    }
    if map.boxed.iter().any(|extent| *extent == 0 || *extent > 256) {
        return Some(format!("a box of {:?}", map.boxed));
    }
    if !inner.is_multiple_of(16) || (span > 0 && inner > u64::from(span)) {
        return Some(format!("a box with {inner} bytes along its innermost dimension, swizzled over {span}"));
    }
    None
}

/// Each run of the innermost dimension: the offset in the box before the swizzle, and for each of its elements the address in the
/// array, `None` outside.
pub(crate) fn elements(map: &TensorMap, begins: &[i32]) -> Vec<(usize, Option<u64>)> {
    let count: usize = map.boxed.iter().map(|extent| *extent as usize).product();
    let mut found = Vec::with_capacity(count);
    for number in 0..count {
        let (mut rest, mut address) = (number, Some(map.address));
        for (axis, begin) in begins.iter().enumerate() {
            let extent = map.boxed[axis] as usize;
            let at = i64::from(*begin) + (rest % extent) as i64 * i64::from(map.steps[axis]);
            rest /= extent;
            let inside = at >= 0 && (at as u64) < map.extents[axis];
            address = address.filter(|_| inside).map(|address| address + at as u64 * map.strides[axis]);
        }
        found.push((number * map.element, address));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_change_places_by_the_row() {
        assert_eq!(swizzled(0x080, 128), 0x090);
        assert_eq!(swizzled(0x3f0, 128), 0x380);
        assert_eq!(swizzled(0x100, 64), 0x120);
        assert_eq!(swizzled(0x080, 32), 0x090);
        assert_eq!(swizzled(0x100, 32), 0x100);
        assert_eq!(swizzled(0x3f0, 0), 0x3f0);
    }

    #[test]
    fn what_lies_outside_of_an_array_has_no_address() {
        let map = TensorMap {
            element: 4,
            address: 0x1000,
            extents: vec![6, 3],
            strides: vec![4, 32],
            boxed: vec![4, 2],
            steps: vec![1, 1],
            swizzle: 0,
            fills_nan: false,
            dtype: 7,
        };
        assert_eq!(refusal(&map), None);
        let found = elements(&map, &[4, -1]);
        assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 4, 8, 12, 16, 20, 24, 28]);
        let addresses: Vec<Option<u64>> = found.into_iter().map(|(_, address)| address).collect();
        assert_eq!(addresses, [None, None, None, None, Some(0x1010), Some(0x1014), None, None]);
        assert!(refusal(&TensorMap { strides: vec![4, 24], ..map }).is_some());
    }
}

//! Floats of four bits as engines and tensor cores take them: two in a byte, the first one in its lower half. The caller's arrays, and
//! what threads read, have a byte for each.

use pallas_tensor::{Array, Buffer, DType, OpError, ops};

/// An array of such floats as a row of bytes.
///
/// # Errors
/// Other elements, or an odd number of them.
pub fn packed(array: &Array) -> Result<Array, OpError> {
    let pairs = ops::reshape(array, [array.size() / 2, 2].as_slice())?;
    ops::bitcast_convert(&pairs, DType::U8)
}

/// The floats in bytes, one after the other.
///
/// # Errors
/// None, of bytes.
pub fn taken_apart(bytes: Vec<u8>) -> Result<Array, OpError> {
    let (count, bytes) = (bytes.len(), Buffer::U8(bytes));
    let pairs = ops::bitcast_convert(&Array::new([count].as_slice(), bytes)?, DType::F4E2M1Fn)?;
    ops::reshape(&pairs, [2 * count].as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_tensor::Scalar;

    #[test]
    fn the_first_of_two_is_in_the_lower_half() {
        let floats = [0.5, -6.0, 0.0, 1.5].map(Scalar::Float);
        let array = Array::from_scalars(DType::F4E2M1Fn, [2, 2].as_slice(), &floats).expect("an array");
        let bytes = packed(&array).expect("pairs");
        assert_eq!(bytes.elements::<u8>(), Some(&[0xf1, 0x30][..]));
        let again = taken_apart(bytes.into_elements().expect("bytes")).expect("floats");
        assert_eq!(again.iter_scalars().collect::<Vec<_>>(), floats);
        assert!(packed(&Array::zeros(DType::F4E2M1Fn, [3].as_slice()).expect("an array")).is_err());
    }
}

//! Memory for the elements of arrays: an error where there is none, never an abort. What is kept from arrays before is
//! [`crate::recycled`]'s.

use crate::buffer::{Buffer, Element, with_elements};
use crate::error::OpError;
use crate::lack::lack;
use crate::recycled;
use crate::shape::Shape;

/// An empty vector that can take `shape.size()` elements, in memory that somebody had before if there is any, or an error instead of
/// an abort.
pub(crate) fn reserve<T: Element>(shape: &Shape) -> Result<Vec<T>, OpError> {
    let too_large = || OpError::too_large(shape);
    recycled::empty(shape.checked_size().ok_or_else(too_large)?).ok_or_else(too_large)
}

/// So many elements of the type of a buffer's that hold anything, and whether their memory was used before; `None` if there is none.
pub(crate) fn room_like(like: &Buffer, length: usize) -> Option<(Buffer, bool)> {
    fn room<T: Element>(_like: &[T], length: usize) -> Option<(Buffer, bool)> {
        let taken = recycled::take::<T>(length)?;
        Some((T::wrap(taken.elements), taken.is_used))
    }
    with_elements!(like, elements => room(elements, length))
}

/// The same elements in memory of their own.
pub(super) fn copied(buffer: &Buffer) -> Buffer {
    fn copied<T: Element>(elements: &[T]) -> Buffer {
        let mut copy = recycled::empty::<T>(elements.len()).unwrap_or_else(|| lack(size_of_val(elements)));
        copy.extend_from_slice(elements);
        T::wrap(copy)
    }
    with_elements!(buffer, elements => copied(elements))
}

/// A vector of `shape.size()` copies of `value`.
pub(crate) fn filled<T: Element>(shape: &Shape, value: T) -> Result<Vec<T>, OpError> {
    let mut elements = reserve(shape)?;
    elements.resize(shape.size(), value);
    Ok(elements)
}

/// [`filled`], where the operating system may bring the memory when it is first touched: zeros cost nothing before.
pub(super) fn repeated<T: Element>(shape: &Shape, value: T) -> Result<Vec<T>, OpError> {
    if value.as_bytes().iter().any(|&byte| byte != 0) {
        return filled(shape, value);
    }
    let too_large = || OpError::too_large(shape);
    recycled::zeros(shape.checked_size().ok_or_else(too_large)?).ok_or_else(too_large)
}

/// That so many elements fit memory: an error here instead of an abort later.
fn check_room<T>(shape: &Shape) -> Result<(), OpError> {
    /// Bytes that are there for certain. Asking for memory to give it back makes an allocator forget that it is all zeros.
    const CERTAIN: usize = 1 << 30;
    let bytes = shape.checked_size().and_then(|size| size.checked_mul(size_of::<T>()));
    match bytes {
        Some(0..=CERTAIN) => Ok(()),
        _ => {
            recycled::make_room(bytes.unwrap_or(usize::MAX));
            let room = Vec::<T>::new().try_reserve_exact(shape.size());
            room.map_err(|_| OpError::too_large(shape))
        }
    }
}

/// Whether so many bytes can be had now. What the system has for certain is not asked for.
pub fn has_room(bytes: usize) -> bool {
    check_room::<u8>(&Shape::from([bytes])).is_ok()
}

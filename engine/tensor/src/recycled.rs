//! Memory of large arrays that nobody holds any more, for the next ones of their type: it is in place already, while the
//! operating system has to clear every page of new memory.
//!
//! What is taken from here holds anything. Whoever takes it writes all of it before anybody reads.

use std::sync::{Mutex, PoisonError};

use crate::buffer::{Buffer, Element, with_elements};

/// Bytes from which on memory is worth keeping.
const LEAST: usize = 1 << 20;
/// Bytes that are kept altogether.
const MOST: usize = 64 << 20;

/// The oldest first.
static KEPT: Mutex<Vec<Buffer>> = Mutex::new(Vec::new());

fn bytes(buffer: &Buffer) -> usize {
    fn bytes<T>(elements: &Vec<T>) -> usize {
        elements.capacity() * size_of::<T>()
    }
    with_elements!(buffer, elements => bytes(elements))
}

/// Whether a buffer is worth giving to [`keep`].
pub(crate) fn is_large(buffer: &Buffer) -> bool {
    buffer.len() >= LEAST / 8 && bytes(buffer) >= LEAST
}

/// Keeps the memory of a buffer for the next one.
pub(crate) fn keep(buffer: Buffer) {
    if !(LEAST..=MOST).contains(&bytes(&buffer)) {
        return;
    }
    let mut dropped = Vec::new();
    {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(buffer);
        let mut total: usize = kept.iter().map(bytes).sum();
        while total > MOST {
            let oldest = kept.remove(0);
            total -= bytes(&oldest);
            dropped.push(oldest);
        }
    }
    // Giving memory back takes its time: not while others wait.
    drop(dropped);
}

/// Elements that hold anything.
pub(crate) struct Taken<T> {
    pub(crate) elements: Vec<T>,
    /// Whether the memory is in place already. New memory is cleared page by page when it is first written, and lies in the
    /// caches then: writing past them would be slower.
    pub(crate) is_used: bool,
}

/// So many elements that hold anything; `None` if there is no memory for them.
pub(crate) fn take<T: Element>(length: usize) -> Option<Taken<T>> {
    let found = if length.checked_mul(size_of::<T>())? < LEAST { None } else { find(length) };
    match found {
        Some(mut elements) => {
            elements.resize(length, T::default());
            Some(Taken { elements, is_used: true })
        }
        None => Some(Taken { elements: zeros(length)?, is_used: false }),
    }
}

/// So many zeros, which cost nothing before they are touched; `None` if there is no memory for them.
pub(crate) fn zeros<T: Element>(length: usize) -> Option<Vec<T>> {
    T::new_vec_zeroed(length).ok()
}

fn find<T: Element>(length: usize) -> Option<Vec<T>> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = |buffer: &Buffer| {
        T::slice(buffer).is_some_and(|elements| elements.len() <= length + length / 4)
            && bytes(buffer) / size_of::<T>() >= length
    };
    let place = kept.iter().rposition(fits)?;
    T::unwrap_buffer(kept.remove(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_in_the_size_that_is_asked_for() {
        // A type that no other test has large arrays of.
        let length = LEAST + 12_345;
        keep(Buffer::I16(vec![7; length]));
        let taken: Taken<i16> = take(length - 10).expect("there");
        assert_eq!((taken.elements.len(), taken.is_used), (length - 10, true));
        keep(Buffer::I16(taken.elements));
        let taken: Taken<i16> = take(length).expect("there");
        assert_eq!((taken.elements.len(), taken.is_used), (length, true));
        let other: Taken<i16> = take(length / 4).expect("small");
        assert!(other.elements.iter().all(|&x| x == 0), "new memory, as what was kept is in use");
        assert!(!other.is_used);
        let small: Taken<i16> = take(10).expect("small");
        assert_eq!(small.elements, [0; 10]);
        assert!(take::<i16>(usize::MAX / 4).is_none() && zeros::<i16>(usize::MAX).is_none());
    }
}

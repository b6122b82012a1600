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

/// So many elements that hold anything.
pub(crate) fn take<T: Element>(length: usize) -> Vec<T> {
    let found = if length * size_of::<T>() < LEAST { None } else { find(length) };
    match found {
        Some(mut elements) => {
            elements.resize(length, T::default());
            elements
        }
        None => vec![T::default(); length],
    }
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
        let taken: Vec<i16> = take(length - 10);
        assert_eq!(taken.len(), length - 10);
        keep(Buffer::I16(taken));
        let taken: Vec<i16> = take(length);
        assert_eq!(taken.len(), length);
        let other: Vec<i16> = take(length / 4);
        assert!(other.iter().all(|&x| x == 0), "new memory, as what was kept is in use");
        let small: Vec<i16> = take(10);
        assert_eq!(small, [0; 10]);
    }
}

//! Memory of large arrays that nobody holds any more, for the next ones of their type: it is in place already, while the
//! operating system has to clear every page of new memory.
//!
//! What is taken from here holds anything. Whoever takes it writes all of it before anybody reads.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::buffer::{Buffer, Element, with_elements};

/// Bytes from which on memory is worth keeping.
const LEAST: usize = 1 << 20;
/// Bytes that are kept altogether.
const MOST: usize = 64 << 20;
/// Buffers of fewer bytes are tiles rather than arrays: kernels want a few of them again and again, beside the arrays that are there.
const TILE: usize = 16 << 20;
/// Bytes that are kept of tiles: as many as a kernel with large ones has, so that it takes no others.
const MOST_TILES: usize = 16 << 20;

static KEPT: Mutex<Kept> = Mutex::new(Kept { buffers: Vec::new() });

/// What is kept.
struct Kept {
    /// The oldest first.
    buffers: Vec<Buffer>,
}

impl Kept {
    /// Keeps a buffer, and gives back what is too much then.
    fn keep(&mut self, buffer: Buffer) -> Vec<Buffer> {
        self.buffers.push(buffer);
        let total = |below: usize| -> usize { self.buffers.iter().map(bytes).filter(|&bytes| bytes < below).sum() };
        let (tiles, all) = (total(TILE), total(usize::MAX));
        let mut given = self.oldest_below(TILE, tiles.saturating_sub(MOST_TILES));
        let less: usize = given.iter().map(bytes).sum();
        given.extend(self.oldest((all - less).saturating_sub(MOST)));
        given
    }

    /// The oldest, so many bytes of them at least, if there are as many.
    fn oldest(&mut self, missing: usize) -> Vec<Buffer> {
        self.oldest_below(usize::MAX, missing)
    }

    /// The same of those that have fewer bytes than so many.
    fn oldest_below(&mut self, most: usize, mut missing: usize) -> Vec<Buffer> {
        let mut given = Vec::new();
        while missing > 0
            && let Some(place) = self.buffers.iter().position(|buffer| bytes(buffer) < most)
        {
            let oldest = self.buffers.remove(place);
            missing = missing.saturating_sub(bytes(&oldest));
            given.push(oldest);
        }
        given
    }

    /// The latest that fits.
    fn find<T: Element>(&mut self, length: usize) -> Option<Vec<T>> {
        let fits = |buffer: &Buffer| {
            let room = bytes(buffer) / size_of::<T>();
            T::slice(buffer).is_some() && (length..=length + length / 4).contains(&room)
        };
        let place = self.buffers.iter().rposition(fits)?;
        T::unwrap_buffer(self.buffers.remove(place))
    }
}

fn kept() -> MutexGuard<'static, Kept> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

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
    let given = kept().keep(buffer);
    // Giving memory back takes its time: not while others wait.
    drop(given);
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
    let found = if length.checked_mul(size_of::<T>())? < LEAST { None } else { kept().find(length) };
    match found {
        Some(mut elements) => {
            elements.resize(length, T::default());
            Some(Taken { elements, is_used: true })
        }
        None => Some(Taken { elements: zeros(length)?, is_used: false }),
    }
}

/// Memory for so many elements, of which there are none yet; `None` if there is no memory for them.
pub(crate) fn empty<T: Element>(length: usize) -> Option<Vec<T>> {
    let found = if length.checked_mul(size_of::<T>())? < LEAST { None } else { kept().find(length) };
    if let Some(mut elements) = found {
        elements.clear();
        return Some(elements);
    }
    make_room(length * size_of::<T>());
    let mut elements = Vec::new();
    elements.try_reserve_exact(length).ok()?;
    Some(elements)
}

/// So many zeros, which cost nothing before they are touched; `None` if there is no memory for them.
pub(crate) fn zeros<T: Element>(length: usize) -> Option<Vec<T>> {
    make_room(length.checked_mul(size_of::<T>())?);
    T::new_vec_zeroed(length).ok()
}

/// Gives back as much as is about to be asked for: what is kept is for whoever needs as much again, and not beside what others
/// need.
pub(crate) fn make_room(bytes_wanted: usize) {
    if bytes_wanted < LEAST {
        return;
    }
    let given = kept().oldest(bytes_wanted);
    drop(given);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_in_the_size_that_is_asked_for() {
        let mut kept = Kept { buffers: Vec::new() };
        let length = LEAST + 12_345;
        assert!(kept.keep(Buffer::I16(vec![7; length])).is_empty());
        assert_eq!(kept.find::<i16>(length / 4), None, "it is much more than is asked for");
        assert_eq!(kept.find::<u16>(length), None, "elements of another type");
        let taken: Vec<i16> = kept.find(length - 10).expect("there");
        assert_eq!(taken.len(), length);
        assert_eq!(kept.find::<i16>(length), None, "it is in use");
        // What is kept is given back for others, and where it is too much: of tiles earlier than of arrays.
        kept.keep(Buffer::I16(taken));
        assert_eq!(kept.oldest(1).len(), 1);
        assert_eq!(kept.oldest(1).len(), 0);
        kept.keep(Buffer::U8(vec![0; MOST]));
        assert_eq!(kept.keep(Buffer::U8(vec![0; LEAST])).len(), 1);
        for _ in 0..MOST_TILES / LEAST - 1 {
            assert!(kept.keep(Buffer::U8(vec![0; LEAST])).is_empty());
        }
        assert_eq!(kept.keep(Buffer::U8(vec![0; 2 * LEAST])).len(), 2);
        assert!(kept.keep(Buffer::U8(vec![0; MOST - MOST_TILES])).is_empty(), "an array is no tile");
    }

    #[test]
    fn memory_is_as_long_as_it_was_asked_for_or_not_there() {
        let length = LEAST + 54_321;
        keep(Buffer::I16(vec![7; length]));
        assert_eq!(take::<i16>(length - 5).expect("there").elements.len(), length - 5);
        assert_eq!(take::<i16>(10).expect("small").elements, [0; 10]);
        assert!(take::<i16>(usize::MAX / 4).is_none() && zeros::<i16>(usize::MAX).is_none());
    }
}

//! A lack of memory where nothing can be returned: a result that was put off is wanted, or an array is copied because somebody
//! writes to it. It unwinds to whoever knows what was asked for, as a value of its own type: nobody takes it for a mistake of
//! the program's, no message is printed on the way, and what is between gives its memory back.

use crate::recycled;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// There is no memory for so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// What was asked for.
    pub bytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Out of memory allocating {} bytes: make arrays smaller, or delete those that are no longer needed.",
            self.bytes
        )
    }
}

impl std::error::Error for OutOfMemory {}

/// Says that there is no memory for so many bytes.
pub(crate) fn lack(bytes: usize) -> ! {
    resume_unwind(Box::new(OutOfMemory { bytes }))
}

/// What an iterator gives, in memory that may be lacking: for as many elements as an array has.
pub(crate) fn collected<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let (size, mut all) = (items.size_hint().0, Vec::new());
    recycled::make_room(size.saturating_mul(size_of::<T>()));
    if all.try_reserve_exact(size).is_err() {
        lack(size.saturating_mul(size_of::<T>()));
    }
    all.extend(items);
    all
}

/// Runs something that may want more memory than there is.
///
/// # Errors
/// [`OutOfMemory`] where it did. Everything else that unwinds goes on.
pub fn with_memory<R>(work: impl FnOnce() -> R) -> Result<R, OutOfMemory> {
    // Arrays that were to be written are dropped, or left as they were.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<OutOfMemory>() {
        Ok(lack) => *lack,
        Err(other) => resume_unwind(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_comes_back_as_an_error_and_other_panics_go_on() {
        assert_eq!(with_memory(|| 3), Ok(3));
        assert_eq!(with_memory(|| collected(0..3)), Ok(vec![0, 1, 2]));
        assert_eq!(
            with_memory(|| collected((0..usize::MAX).map(|_| 0u8)).len()),
            Err(OutOfMemory { bytes: usize::MAX })
        );
        assert_eq!(with_memory(|| lack(17)), Err(OutOfMemory { bytes: 17 }));
        let other = catch_unwind(|| with_memory(|| resume_unwind(Box::new("else"))));
        assert_eq!(other.expect_err("it goes on").downcast_ref::<&str>(), Some(&"else"));
    }
}

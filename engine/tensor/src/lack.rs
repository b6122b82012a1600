//! A lack of memory where nothing can be returned: a result that was put off is wanted, or an array is copied because somebody
//! writes to it. It unwinds to whoever knows what was asked for, as a value of its own type: nobody takes it for a mistake of
//! the program's, no message is printed on the way, and what is between gives its memory back.

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
        write!(formatter, "Out of memory allocating {} bytes.", self.bytes)
    }
}

impl std::error::Error for OutOfMemory {}

/// Says that there is no memory for so many bytes.
pub(crate) fn lack(bytes: usize) -> ! {
    resume_unwind(Box::new(OutOfMemory { bytes }))
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
        assert_eq!(with_memory(|| lack(17)), Err(OutOfMemory { bytes: 17 }));
        let other = catch_unwind(|| with_memory(|| resume_unwind(Box::new("else"))));
        assert_eq!(other.expect_err("it goes on").downcast_ref::<&str>(), Some(&"else"));
    }
}

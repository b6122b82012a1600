//! What memory holds that nobody has written, and what lies past the end of an array: JAX's values, or others, for somebody who
//! wants to know whether it matters. A property of the thread, which threads that it starts take over.

use crate::uninitialized_element;
use pallas_ir::Interpretation;
use pallas_tensor::{DType, Kind, Scalar};
use std::cell::Cell;

/// Which memory holds other values than JAX's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fill {
    /// Elements of blocks that lie past the end of their array.
    pub(crate) padding: bool,
    /// Outputs that nobody has written.
    pub(crate) outputs: bool,
    /// All other memory that nobody has written.
    pub(crate) memory: bool,
    /// What a load has where its mask is false and nobody says what to put there.
    pub(crate) lanes: bool,
}

thread_local! {
    static FILL: Cell<Fill> = const { Cell::new(Fill { padding: false, outputs: false, memory: false, lanes: false }) };
}

impl Fill {
    /// Everywhere.
    pub(crate) const ALL: Fill = Fill { padding: true, outputs: true, memory: true, lanes: true };

    /// What holds on this thread.
    pub(crate) fn current() -> Fill {
        FILL.get()
    }

    /// Runs something while this holds.
    pub(crate) fn during<R>(self, work: impl FnOnce() -> R) -> R {
        struct Restore(Fill);
        impl Drop for Restore {
            fn drop(&mut self) {
                FILL.set(self.0);
            }
        }
        let _before = Restore(FILL.replace(self));
        work()
    }
}

/// An element of an output that nobody has written.
pub(crate) fn output(dtype: DType, interpretation: Interpretation) -> Scalar {
    match FILL.get().outputs {
        true => other(dtype),
        false => crate::fresh_element(dtype, interpretation),
    }
}

/// An element of other memory that nobody has written.
pub(crate) fn memory(dtype: DType, interpretation: Interpretation) -> Scalar {
    match FILL.get().memory {
        true => other(dtype),
        false => crate::fresh_element(dtype, interpretation),
    }
}

/// An element past the end of an array.
pub(crate) fn padding(dtype: DType, interpretation: Interpretation) -> Scalar {
    match FILL.get().padding {
        true => other(dtype),
        false => crate::fresh_element(dtype, interpretation),
    }
}

/// An element past the end of a Ref.
pub(crate) fn outside(dtype: DType) -> Scalar {
    match FILL.get().padding {
        true => other(dtype),
        false => uninitialized_element(dtype),
    }
}

/// What a load has where its mask is false; nothing where it has what is there.
pub(crate) fn lanes(dtype: DType) -> Option<Scalar> {
    FILL.get().lanes.then(|| other(dtype))
}

/// A value that JAX's is not: an ordinary number where that is NaN, a large one where that is the smallest.
pub(crate) fn other(dtype: DType) -> Scalar {
    match dtype.kind() {
        Kind::Float => Scalar::Float(1.375),
        Kind::Signed | Kind::Unsigned => Scalar::Int(dtype.iinfo().map_or(1, |info| info.max / 3)),
        Kind::Bool => Scalar::Bool(true),
        Kind::Key => Scalar::zero(dtype),
    }
}

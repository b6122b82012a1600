//! What memory holds before anybody writes it, as interpret mode has it: programs that read it by mistake then compute the same
//! on a device, and the same every time. Somebody who wants to know whether they do has it hold something else ([`Garbage`]).

use pallas_ir::Interpretation;
use pallas_tensor::{DType, Kind, Scalar};

/// What interpret mode reads outside of a Ref: NaN, the smallest integer, false.
pub fn uninitialized(dtype: DType) -> Scalar {
    match dtype.kind() {
        Kind::Float => Scalar::Float(f64::NAN),
        Kind::Signed | Kind::Unsigned => Scalar::Int(dtype.iinfo().map_or(0, |info| info.min)),
        Kind::Bool | Kind::Key => Scalar::zero(dtype),
    }
}

/// What an array of a launch holds.
pub fn element(dtype: DType, interpretation: Interpretation) -> Scalar {
    match (interpretation, dtype.kind()) {
        _ if interpretation.zeroed() => Scalar::zero(dtype),
        (Interpretation::Device(_), Kind::Signed | Kind::Unsigned) => {
            Scalar::Int(dtype.iinfo().map_or(0, |info| info.max))
        }
        (Interpretation::Device(_), Kind::Bool) => Scalar::Bool(true),
        _ => uninitialized(dtype),
    }
}

/// Which memory holds other values than interpret mode's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Garbage {
    /// What blocks and subscripts find past the end.
    pub padding: bool,
    /// Outputs that nobody has written.
    pub outputs: bool,
    /// Memory of a block that nobody has written.
    pub memory: bool,
}

impl Garbage {
    /// All of it.
    pub const EVERYWHERE: Garbage = Garbage { padding: true, outputs: true, memory: true };

    /// An element of an output that nobody has written.
    pub(crate) fn output(self, dtype: DType, interpretation: Interpretation) -> Scalar {
        if self.outputs { other(dtype) } else { element(dtype, interpretation) }
    }

    /// An element of a block's memory that nobody has written.
    pub(crate) fn memory(self, dtype: DType, interpretation: Interpretation) -> Scalar {
        if self.memory { other(dtype) } else { element(dtype, interpretation) }
    }

    /// An element past the end of an array.
    pub(crate) fn past_array(self, dtype: DType, interpretation: Interpretation) -> Scalar {
        if self.padding { other(dtype) } else { element(dtype, interpretation) }
    }

    /// An element past the end of a Ref.
    pub(crate) fn past_ref(self, dtype: DType) -> Scalar {
        if self.padding { other(dtype) } else { uninitialized(dtype) }
    }
}

/// A value that interpret mode's is not. Integers are no larger than a loop on a device may take rounds before somebody thinks that
/// it hangs.
pub fn other(dtype: DType) -> Scalar {
    match dtype.kind() {
        Kind::Float => Scalar::Float(1.375),
        Kind::Signed | Kind::Unsigned => Scalar::Int(dtype.iinfo().map_or(1, |info| (info.max / 3).min(0x5555))),
        Kind::Bool => Scalar::Bool(true),
        Kind::Key => Scalar::zero(dtype),
    }
}

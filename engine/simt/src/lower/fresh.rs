//! What memory holds before anybody writes it, as interpret mode has it: programs that read it by mistake then compute the same
//! on a device, and the same every time.

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

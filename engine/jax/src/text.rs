//! How arrays print: numpy's text with the interpreter's print options.

use pallas_python::interp::Interp;
use pallas_python::value::Value;
use pallas_tensor::print::{self, PrintOptions};
use pallas_tensor::{Array, Scalar};
use std::cell::RefCell;

/// `np.set_printoptions`, per interpreter.
#[derive(Default)]
pub struct PrintState {
    /// The options in force.
    pub options: RefCell<PrintOptions>,
}

/// `str(array)`
pub fn str(interp: &Interp, array: &Array) -> String {
    print::numpy_str_with(array, &interp.extension::<PrintState>().options.borrow())
}

/// `Array([1, 2], dtype=int32)`
pub fn repr(interp: &Interp, array: &Array, weak: bool) -> String {
    print::jax_repr_with(array, weak, &interp.extension::<PrintState>().options.borrow())
}

/// `array([1, 2], dtype=int32)`
pub fn numpy_repr(interp: &Interp, array: &Array) -> String {
    print::numpy_repr_with(array, &interp.extension::<PrintState>().options.borrow())
}

/// The Python number that `.item()` gives.
pub fn python_scalar(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Bool(value) => Value::Bool(value),
        Scalar::Int(value) => match i64::try_from(value) {
            Ok(value) => Value::from(value),
            Err(_) => Value::int(num_bigint::BigInt::from(value)),
        },
        Scalar::Float(value) => Value::Float(value),
        Scalar::Key([a, b]) => Value::tuple([Value::from(i64::from(a)), Value::from(i64::from(b))]),
    }
}

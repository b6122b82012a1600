//! Functions that nobody calls: a file of kernels is mostly functions that other files call, and its author wants to see
//! shapes, blocks and mistakes all the same. Here it is worked out which functions of a module lead to a launch, and what
//! they can be called with: arrays whose ranks and dimensions come from annotations, docstrings and from what the body
//! does with them ([`usage`]), values for the other parameters from annotations and names ([`made`]).
//!
//! What is made up is a witness, not a fact. Who calls with it must say so, and must not report what another witness
//! would not show; that judgement is not made here.

mod gradient;
mod lengths;
mod made;
mod reach;
mod usage;

pub(crate) use gradient::EMBEDDED;
pub use gradient::gradient;
pub use lengths::Lengths;
pub use made::{Attempt, Planner};
pub use reach::leading;

use pallas_python::Value;

/// Whether a value is a launch that waits for its operands: `@functools.partial(pl.pallas_call, ...)` makes one of a kernel,
/// and the parameters of the `def` are not those of what its name means then.
pub fn is_launch(value: &Value) -> bool {
    value.downcast::<crate::pallas::call::PallasCall>().is_some()
}

//! Functions that nobody calls: a file of kernels is mostly functions that other files call, and its author wants to see
//! shapes, blocks and mistakes all the same. Here it is worked out which functions of a module lead to a launch, and what
//! they can be called with: arrays whose ranks and dimensions come from annotations, docstrings and from what the body
//! does with them ([`usage`]), values for the other parameters from annotations and names ([`made`]). What a call failed for teaches
//! what the next one needs ([`repair`]).
//!
//! What is made up is a witness, not a fact. Who calls with it must say so, and must not report what another witness
//! would not show; that judgement is not made here.

mod arrays;
mod cases;
mod configured;
mod described;
mod dims;
mod given;
mod gradient;
mod learnt;
mod lengths;
mod made;
mod methods;
mod planner;
mod reach;
mod repair;
mod tests;
mod usage;
mod within;

pub use cases::cases;
pub use given::{Given, MARK, given, provided};
pub use gradient::gradient;
pub use learnt::Learnt;
pub use lengths::Lengths;
pub use methods::{Method, methods};
pub use planner::{Attempt, Planner};
pub use reach::leading;
pub use repair::{Failure, Shown};
pub use tests::tests;
pub use within::within;

use pallas_python::embedded::EmbeddedModule;
use pallas_python::interp::Interp;
use pallas_python::{CallArgs, Value};

/// Calls in Python. No program imports them.
pub(crate) static EMBEDDED: &[EmbeddedModule] = &[
    EmbeddedModule { name: "_pallas_uncalled", text: include_str!("gradient.py"), is_package: false },
    EmbeddedModule { name: "_pallas_uncalled_within", text: include_str!("within.py"), is_package: false },
    EmbeddedModule { name: "_pallas_uncalled_given", text: include_str!("given.py"), is_package: false },
];

/// Whether a value is a launch that waits for its operands: `@functools.partial(pl.pallas_call, ...)` makes one of a kernel,
/// and the parameters of the `def` are not those of what its name means then.
pub fn is_launch(value: &Value) -> bool {
    value.downcast::<crate::pallas::call::PallasCall>().is_some()
}

/// Arguments as a tuple and a dictionary.
fn packed(interp: &Interp, args: &CallArgs) -> (Value, Value) {
    let keywords = interp.dict_of(args.keywords.iter().map(|(name, value)| (name.clone(), value.clone())));
    (Value::tuple(args.positional.iter().cloned()), keywords)
}

//! Forward through a launch: a kernel that computes the tangents beside the values (`_pallas_call_jvp_rule` of
//! jax/_src/pallas/pallas_call.py). There is no way back through a launch, in JAX neither.

use super::jvp::Dual;
use crate::context::Context;
use crate::transform::eval::unsupported;
use pallas_ir::OpData;
use pallas_python::raise::PyResult;

/// The results of a launch with their tangents.
///
/// # Errors
/// What JAX refuses: prefetched scalars, aliases.
pub(super) fn launch(cx: &Context<'_>, op: &OpData, _operands: &[Dual]) -> PyResult<Vec<Dual>> {
    Err(unsupported(cx, "derivative", op.op.name))
}

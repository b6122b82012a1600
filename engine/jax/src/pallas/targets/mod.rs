//! The modules of Pallas's targets: `triton`, `tpu`, `mosaic_gpu`. What TPU kernels do while they go on is in
//! `asynchronous`, what the threads of GPU kernels do in `agents`.

pub(crate) mod generator;
mod mosaic_gpu;
mod pack;
mod tpu;
mod triton;

use crate::context::Context;
use crate::convert;
use crate::primitive;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::DType;

/// The modules of the targets.
pub(super) static MODULES: &[&ModuleDef] = &[&triton::MODULE, &triton::OLD_MODULE, &tpu::MODULE, &mosaic_gpu::MODULE];

/// Functions that several modules offer.
pub(super) static SHARED_FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "dot",
    signature: "(a, b, trans_a=False, trans_b=False, allow_tf32=None, precision=None)",
    doc: "A product of two matrices, either transposed on the way; float32 accumulation.",
    run: dot,
}];

fn dot(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [a, b, trans_a, trans_b, allow_tf32, precision] = args.take();
    let cx = Context::jax(interp);
    let (a, b) = (convert::tile(&cx, &a, "dot")?, convert::tile(&cx, &b, "dot")?);
    if a.rank() != 2 || b.rank() != 2 {
        return Err(interp.value_error("`a` and `b` must be 2D arrays.".to_string()));
    }
    if !allow_tf32.is_none() && !precision.is_none() {
        return Err(interp.value_error("Only one of allow_tf32 and precision can be specified"));
    }
    // As JAX has it: TF32 is what high precision means.
    let precision = match &allow_tf32 {
        Value::None => precision,
        allowed => Value::from(if interp.truth(allowed)? { "high" } else { "highest" }),
    };
    let _precision = crate::lax::precision::scope(interp, &precision)?;
    let lhs = usize::from(!interp.truth(&trans_a)?);
    let rhs = usize::from(interp.truth(&trans_b)?);
    let dtype = match (a.dtype(), b.dtype()) {
        (a, b) if !a.is_float() && !b.is_float() => DType::I32,
        (DType::F64, _) | (_, DType::F64) => DType::F64,
        _ => DType::F32,
    };
    let result = primitive::dot_general(&cx, &a, &b, (&[lhs], &[rhs]), (&[], &[]), dtype)?;
    Ok(convert::value(&cx, result))
}

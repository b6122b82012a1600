//! `jax.eval_shape`: what a function gives, as shapes and dtypes, by tracing it.

use super::jit::Jitted;
use super::not_abstract::{self, not_abstract};
use super::struct_type;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::trace::{Trace, TraceKind};
use crate::tree;
use pallas_ir::Type;
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

pub(super) fn eval_shape(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, positional, keywords] = args.take();
    let cx = Context::jax(interp);
    let mut call = CallArgs::positional(interp.collect(&positional)?);
    if let Value::Dict(dict) = &keywords {
        for (key, value) in dict.borrow().iter() {
            call.keywords.push((Name::from(&*interp.to_str(key)?), value.clone()));
        }
    }
    // A jitted function says which of its arguments are static; of others, none is.
    let any = Jitted::plain(function.clone());
    let jitted = function.downcast::<Jitted>().unwrap_or(&any);
    let split = jitted.split(&cx, call)?;
    let (leaves, def) = tree::flatten(interp, &split.dynamic, None)?;
    let origin = format!("{} for jit", crate::pallas::launch::origin_of(&cx, &jitted.function));
    let trace = Trace::new(&cx, TraceKind::Jit, "eval_shape", origin, None);
    let arrays = (0..leaves.len()).filter(|&leaf| !leaves[leaf].is_unknown()).collect();
    trace.name_arguments(not_abstract::names(&jitted.function, &split, arrays));
    let mut tracers = Vec::new();
    for (number, leaf) in leaves.iter().enumerate() {
        // What is not known stays so, and the rest is still traced.
        if leaf.is_unknown() {
            tracers.push(leaf.clone());
            continue;
        }
        let Some(ty) = abstract_type(&cx, leaf)? else {
            return Err(not_abstract(&cx, &jitted.function, &split, number));
        };
        if let Some(tile) = trace.tile(trace.param(Type::Tensor(ty), None)) {
            tracers.push(Value::object(ArrayObject { tile }));
        }
    }
    let call = split.join(interp.collect(&tree::unflatten(interp, &def, &mut tracers.into_iter())?)?);
    let result = trace.within(&cx, || interp.call(&jitted.function, call))?;
    let (leaves, def) = tree::flatten(interp, &result, None)?;
    let shape = |leaf: &Value| match leaf {
        Value::Unknown(_) => Ok(leaf.clone()),
        leaf => Ok(struct_type::declared(&convert::tile(&cx, leaf, "eval_shape")?.ty())),
    };
    let shapes = leaves.iter().map(shape).collect::<PyResult<Vec<_>>>()?;
    tree::unflatten(interp, &def, &mut shapes.into_iter())
}

/// The type of an array, of a number, or of what declares one (`ShapeDtypeStruct`, anything with a shape and a dtype).
fn abstract_type(cx: &Context<'_>, value: &Value) -> PyResult<Option<pallas_ir::TensorType>> {
    if let Some(declared) = struct_type::declares(value) {
        return Ok(Some(declared));
    }
    if let Some(tile) = convert::try_tile(cx, value)? {
        return Ok(Some(tile.ty()));
    }
    let declared = crate::pallas::spec::declared(cx, value)?;
    Ok(declared.map(|(shape, dtype)| pallas_ir::TensorType::new(dtype, shape)))
}

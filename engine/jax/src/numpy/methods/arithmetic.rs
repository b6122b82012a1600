//! Methods of arrays that compute: in place, and those that Python's builtins call.

use super::this;
use crate::context::{Context, Rules};
use crate::jnp::call;
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::BinaryOp;

pub(super) fn fill(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let array = this(interp, args.get(0))?;
    array.assign(&Context::numpy(interp), &Value::Ellipsis, args.get(1))?;
    Ok(Value::None)
}

pub(super) fn sort(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let array = this(interp, args.get(0))?;
    let module = interp.import("numpy")?;
    let function = interp.get_attr(&module, "sort")?;
    let sorted = interp.call_values(&function, [args.get(0).clone(), args.get(1).clone()])?;
    array.assign(&Context::numpy(interp), &Value::Ellipsis, &sorted)?;
    Ok(Value::None)
}

/// The function of the module with the receiver and arguments of a method.
pub(super) fn by_function(interp: &Interp, name: &str, args: Arguments) -> PyResult<Value> {
    let module = interp.import("numpy")?;
    let function = interp.get_attr(&module, name)?;
    interp.call_values(&function, args.values().iter().cloned())
}

pub(super) fn round(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if call::given(args.get(1)).is_none() && this(interp, args.get(0))?.is_scalar() {
        let rounded = by_function(interp, "rint", Arguments::new([args.get(0).clone()].into_iter().collect()))?;
        return interp.to_f64(&rounded).and_then(|value| {
            let number = num_bigint::BigInt::from(value as i128);
            i64::try_from(number.clone()).map_or_else(|_| Ok(Value::int(number)), |small| Ok(Value::from(small)))
        });
    }
    let digits = call::given(args.get(1)).cloned().unwrap_or(Value::from(0i64));
    by_function(interp, "round", Arguments::new([args.get(0).clone(), digits].into_iter().collect()))
}

pub(super) fn divmod(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let quotient = interp.binary(BinaryOp::FloorDiv, args.get(0), args.get(1))?;
    let rest = interp.binary(BinaryOp::Mod, args.get(0), args.get(1))?;
    Ok(Value::tuple([quotient, rest]))
}

pub(super) fn in_place(interp: &Interp, args: Arguments, op: BinaryOp) -> PyResult<Value> {
    let [receiver, other] = args.take();
    let cx = Context { rules: Rules::Numpy, ..Context::numpy(interp) };
    if other.is_unknown() {
        this(interp, &receiver)?.view().forget();
        return Ok(receiver);
    }
    this(interp, &receiver)?.update(&cx, &receiver, op, &other)
}

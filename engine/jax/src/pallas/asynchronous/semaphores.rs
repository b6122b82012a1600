//! `pl.semaphore_signal`, `semaphore_wait`, `semaphore_read`, and `pltpu.get_barrier_semaphore`.

use super::device::{device, integer};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::pallas::semaphore::SemaphoreKind;
use crate::refs::RefObject;
use crate::trace::Trace;
use pallas_ir::{Attribute, Attributes, Op, ValueId, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use std::rc::Rc;

/// Rows of `pl`; `pltpu` had them too.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "semaphore_signal",
        signature: "(sem_or_view, inc=1, *, device_id=None, device_id_type=..., core_index=None)",
        doc: "Adds to a semaphore, on this device or another.",
        run: signal,
    },
    NativeDef {
        name: "semaphore_wait",
        signature: "(sem_or_view, value=1, *, decrement=True)",
        doc: "Waits until a semaphore has reached a value, and takes the value off.",
        run: wait,
    },
    NativeDef {
        name: "get_global",
        signature: "(what)",
        doc: "Semaphores that stay from launch to launch, others for each call.",
        run: global,
    },
    NativeDef { name: "semaphore_read", signature: "(sem_or_view)", doc: "The value of a semaphore.", run: read },
    NativeDef {
        name: "delay",
        signature: "(nanos)",
        doc: "Waits for some time; interpreted, not at all.",
        run: |_interp, _args| Ok(Value::None),
    },
];

/// Rows of `pltpu`.
pub static BARRIER: &[NativeDef] = &[NativeDef {
    name: "get_barrier_semaphore",
    signature: "()",
    doc: "The barrier semaphore that belongs to the kernel's collective_id.",
    run: |interp, _args| {
        let cx = Context::jax(interp);
        let trace = kernel(&cx, "get_barrier_semaphore")?;
        let values = trace.add(&cx, Op(&ops::BARRIER_SEMAPHORE), &[], Attributes::none(), &[])?;
        let reference = values.first().and_then(|&value| RefObject::new(&trace, value));
        reference.map(Value::object).ok_or_else(|| interp.runtime_error("there is no barrier semaphore"))
    },
}];

/// The trace of the kernel that is running.
pub(super) fn kernel(cx: &Context<'_>, function: &str) -> PyResult<Rc<Trace>> {
    cx.innermost().ok_or_else(|| {
        cx.interp.error_with(
            &cx.interp.types().value_error,
            format!("{function} must be called in a kernel."),
            Diagnosis {
                help: Some("call it in a function given to pl.pallas_call".to_string()),
                ..Diagnosis::default()
            },
        )
    })
}

/// A semaphore, or whatever stands in its place: the op says what is wrong with it.
fn semaphore(cx: &Context<'_>, trace: &Rc<Trace>, value: &Value, verb: &str) -> PyResult<ValueId> {
    if let Some(reference) = value.downcast::<RefObject>() {
        return reference.operand(cx);
    }
    if let Some(array) = value.downcast::<ArrayObject>() {
        return cx.value_in(trace, &array.tile);
    }
    let shown = cx.interp.repr(value)?;
    Err(cx.interp.error_with(
        &cx.interp.types().value_error,
        format!("Cannot {verb} on a non-semaphore Ref: {shown}"),
        Diagnosis { code: "PL320", ..Diagnosis::default() },
    ))
}

fn global(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [what] = args.take();
    let cx = Context::jax(interp);
    let trace = kernel(&cx, "get_global")?;
    let Some((kind, shape)) = crate::pallas::semaphore::requested(interp, &what)? else {
        return Err(interp.not_implemented_error("pl.get_global gives semaphores, and nothing else yet"));
    };
    let mut attributes =
        Attributes::none().with("shape", Attribute::Ints(shape.iter().map(|&extent| extent as i64).collect()));
    if kind == SemaphoreKind::Barrier {
        attributes = attributes.with("barrier", Attribute::Bool(true));
    }
    let values = trace.add(&cx, Op(&ops::GLOBAL_SEMAPHORE), &[], attributes, &[])?;
    let reference = values.first().and_then(|&value| RefObject::new(&trace, value));
    reference.map(Value::object).ok_or_else(|| interp.runtime_error("there is no global semaphore"))
}

fn signal(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [reference, amount, id, kind, core] = args.take();
    let cx = Context::jax(interp);
    let trace = kernel(&cx, "semaphore_signal")?;
    let amount = integer(&cx, &trace, &amount)?;
    let mut operands = vec![semaphore(&cx, &trace, &reference, "signal")?, amount];
    let mut attributes = Attributes::none();
    let mut core = match core {
        Value::None | Value::Unset => None,
        core => Some(integer(&cx, &trace, &core)?),
    };
    if let Some(device) = device(&cx, &trace, &id, &kind)? {
        operands.extend(&device.ids);
        attributes = attributes.with("device", Attribute::Str(device.kind.into()));
        core = core.or(device.core);
    }
    if let Some(core) = core {
        operands.push(core);
        attributes = attributes.with("core", Attribute::Bool(true));
    }
    trace.add(&cx, Op(&ops::SEMAPHORE_SIGNAL), &operands, attributes, &[])?;
    Ok(Value::None)
}

fn wait(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [reference, amount, decrement] = args.take();
    let cx = Context::jax(interp);
    let trace = kernel(&cx, "semaphore_wait")?;
    let amount = integer(&cx, &trace, &amount)?;
    let operands = [semaphore(&cx, &trace, &reference, "wait")?, amount];
    let mut attributes = Attributes::none();
    if !interp.truth(&decrement)? {
        attributes = attributes.with("keep", Attribute::Bool(true));
    }
    trace.add(&cx, Op(&ops::SEMAPHORE_WAIT), &operands, attributes, &[])?;
    Ok(Value::None)
}

fn read(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [reference] = args.take();
    let cx = Context::jax(interp);
    let trace = kernel(&cx, "semaphore_read")?;
    let operands = [semaphore(&cx, &trace, &reference, "read")?];
    let values = trace.add(&cx, Op(&ops::SEMAPHORE_READ), &operands, Attributes::none(), &[])?;
    match values.first().and_then(|&value| trace.tile(value)) {
        Some(tile) => Ok(Value::object(ArrayObject { tile })),
        None => Err(interp.runtime_error("a semaphore has no value")),
    }
}

//! The functions that make, read and write Refs: `jax.new_ref` and its like, and `jax.ref`.

use super::threads;
use crate::context::Context;
use crate::convert;
use crate::pallas::add_functions;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{BinaryOp, Name};

/// Rows of `jax`.
pub(crate) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "new_ref",
        signature: "(init_val, *, memory_space=None, kind=None)",
        doc: "A mutable array that begins as `init_val`.",
        run: new_ref,
    },
    NativeDef {
        name: "empty_ref",
        signature: "(ty, memory_space=None)",
        doc: "A mutable array whose elements nobody has written yet.",
        run: empty_ref,
    },
    NativeDef {
        name: "freeze",
        signature: "(ref)",
        doc: "The array that a Ref holds, at the end of its use.",
        run: freeze,
    },
    NativeDef {
        name: "free_ref",
        signature: "(ref)",
        doc: "Ends the use of a Ref.",
        run: |_i, _a| Ok(Value::tuple([])),
    },
];

/// `jax.ref`
pub(crate) static REF_MODULE: ModuleDef = ModuleDef {
    name: "jax.ref",
    doc: "Mutable arrays.",
    functions: &[
        NativeDef {
            name: "get",
            signature: "(ref, idx=None)",
            doc: "`ref[idx]`",
            run: |interp, args| {
                let [reference, key] = args.take();
                interp.get_item(&reference, &or_everything(key))
            },
        },
        NativeDef {
            name: "set",
            signature: "(ref, idx, value)",
            doc: "`ref[idx] = value`",
            run: |interp, args| {
                let [reference, key, value] = args.take();
                interp.set_item(&reference, &or_everything(key), value)?;
                Ok(Value::None)
            },
        },
        NativeDef { name: "swap", signature: "(ref, idx, value)", doc: "Writes, and gives what was there.", run: swap },
        NativeDef {
            name: "addupdate",
            signature: "(ref, idx, x)",
            doc: "`ref[idx] += x`",
            run: |interp, args| {
                let [reference, key, x] = args.take();
                add(interp, &reference, &or_everything(key), &x)
            },
        },
    ],
    populate: |interp, namespace| {
        add_functions(namespace, "jax.ref", FUNCTIONS);
        namespace.insert(Name::from("Ref"), Value::Class(interp.native_class(&crate::refs::JAX_REF)));
    },
};

fn or_everything(key: Value) -> Value {
    if key.is_none() { Value::Ellipsis } else { key }
}

fn new_ref(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [initial, space, _kind] = args.take();
    let cx = Context::jax(interp);
    if initial.is_unknown() {
        return Ok(initial);
    }
    if !space.is_none() && cx.innermost().is_none() {
        return Err(interp.not_implemented_error("array ref with memory space only works inside of a `jit`."));
    }
    match convert::try_tile(&cx, &initial)? {
        Some(tile) => Ok(threads::make(interp, tile)),
        None => {
            let class = interp.repr(&Value::Class(interp.type_of(&initial)))?;
            Err(interp.type_error(format!(
                "Error interpreting argument to new_ref as a JAX value. The problematic value is of type {class} and was \
                 passed to new_ref at position 0.\n"
            )))
        }
    }
}

fn empty_ref(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [ty, _space] = args.take();
    if ty.is_unknown() {
        return Ok(ty);
    }
    let cx = Context::jax(interp);
    match cx.innermost() {
        None => Err(interp.not_implemented_error("Evaluation rule for 'empty_ref' not implemented")),
        Some(trace) if matches!(trace.kind, crate::trace::TraceKind::Kernel) => Err(interp.not_implemented_error(
            "jax.empty_ref inside of a kernel is not provided by the workbench yet: pl.run_scoped \
                                    allocates the same",
        )),
        Some(_) => {
            let zeros = interp.call_method(&interp.import("jax.numpy")?, "zeros_like", [ty])?;
            Ok(threads::make(interp, convert::tile(&cx, &zeros, "empty_ref")?))
        }
    }
}

fn freeze(interp: &Interp, args: Arguments) -> PyResult<Value> {
    interp.get_item(args.get(0), &Value::Ellipsis)
}

fn swap(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [reference, key, value] = args.take();
    let key = or_everything(key);
    let old = interp.get_item(&reference, &key)?;
    interp.set_item(&reference, &key, value)?;
    Ok(old)
}

fn add(interp: &Interp, reference: &Value, key: &Value, x: &Value) -> PyResult<Value> {
    let old = interp.get_item(reference, key)?;
    interp.set_item(reference, key, interp.binary(BinaryOp::Add, &old, x)?)?;
    Ok(Value::None)
}

/// Methods of a Ref.
pub(super) static METHODS: &[NativeDef] = &[
    NativeDef { name: "addupdate", signature: "(self, x, idx=())", doc: "Adds to what is at `idx`.", run: add_method },
    NativeDef {
        name: "__getitem__",
        signature: "(self, idx, /)",
        doc: "`self[idx]`",
        run: |interp, args| interp.get_item(args.get(0), args.get(1)),
    },
    NativeDef {
        name: "__setitem__",
        signature: "(self, idx, x, /)",
        doc: "`self[idx] = x`",
        run: |interp, args| {
            let [this, key, value] = args.take();
            interp.set_item(&this, &key, value)?;
            Ok(Value::None)
        },
    },
];

fn add_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [reference, x, key] = args.take();
    let key = if matches!(&key, Value::Unset) { Value::Ellipsis } else { key };
    add(interp, &reference, &key, &x)
}

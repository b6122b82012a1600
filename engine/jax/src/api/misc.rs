//! Small functions of `jax`: waiting, moving, typing, scopes, debugging.

use super::struct_type;
use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::primitive;
use crate::refs::RefObject;
use crate::tree;
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// Rows of `jax`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "effects_barrier",
        signature: "()",
        doc: "Waits for prints; they are always done.",
        run: |_interp, _args| Ok(Value::None),
    },
    NativeDef { name: "block_until_ready", signature: "(x)", doc: "Waits for arrays.", run: block_until_ready },
    NativeDef {
        name: "device_put",
        signature: "(x, device=None, *, src=None, donate=False, may_alias=None)",
        doc: "Arrays on a device.",
        run: |interp, args| {
            let (x, device) = (args.get(0).clone(), args.get(1).clone());
            let arrays = to_arrays(interp, &x, &Context::jax(interp))?;
            if device.is_none() || device.is_unknown() {
                return Ok(arrays);
            }
            let placed = interp.get_attr(&interp.import("jax._src.shardings")?, "placed")?;
            interp.call_values(&placed, [arrays, device])
        },
    },
    NativeDef {
        name: "device_get",
        signature: "(x)",
        doc: "Arrays as numpy arrays.",
        run: |interp, args| {
            let [x] = args.take();
            to_arrays(interp, &x, &Context::numpy(interp))
        },
    },
    NativeDef {
        name: "eval_shape",
        signature: "(fun, *args, **kwargs)",
        doc: "Shapes and dtypes of a function's results, without computing them.",
        run: super::eval_shape::eval_shape,
    },
    NativeDef {
        name: "typeof",
        signature: "(x)",
        doc: "The type of an array.",
        run: |interp, args| {
            let [x] = args.take();
            let cx = Context::jax(interp);
            if let Some(reference) = x.downcast::<RefObject>() {
                return Ok(reference.aval());
            }
            match convert::try_tile(&cx, &x)? {
                Some(tile) => Ok(struct_type::value(&tile.ty())),
                None => {
                    let class = interp.repr(&Value::Class(interp.type_of(&x)))?;
                    let shown = interp.repr(&x)?;
                    let quoted = if shown.starts_with('\'') { shown } else { format!("'{shown}'") };
                    Err(interp.type_error(format!("Argument {quoted} of type {class} is not a valid JAX type")))
                }
            }
        },
    },
    NativeDef { name: "named_scope", signature: "(name)", doc: "A name for a part of a program.", run: scope },
    NativeDef {
        name: "named_call",
        signature: "(fun, *, name=None)",
        doc: "A function under a name.",
        run: |_interp, args| Ok(args.get(0).clone()),
    },
    NativeDef {
        name: "disable_jit",
        signature: "(disable=True)",
        doc: "Runs jitted functions without tracing.",
        run: disable_jit,
    },
    NativeDef {
        name: "default_matmul_precision",
        signature: "(precision)",
        doc: "A setting without effect here.",
        run: scope,
    },
    NativeDef {
        name: "ensure_compile_time_eval",
        signature: "()",
        doc: "A setting without effect here.",
        run: |_i, _a| Ok(Value::object(Scope(None))),
    },
    NativeDef {
        name: "clear_caches",
        signature: "()",
        doc: "Forgets compiled functions.",
        run: |_interp, _args| Ok(Value::None),
    },
];

/// Rows of `jax.debug`.
pub(super) static DEBUG_FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "print",
    signature: "(fmt, *args, ordered=False, partitioned=False, skip_format_check=False, **kwargs)",
    doc: "Prints values when the program runs.",
    run: super::printing::debug_print,
}];

/// Rows of `jax.dtypes`.
pub(super) static DTYPE_FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "itemsize_bits",
        signature: "(dtype)",
        doc: "Bits of an element.",
        run: |interp, args| {
            let [dtype] = args.take();
            Ok(Value::from(i64::from(dtype::parse(&Context::jax(interp), &dtype)?.bits())))
        },
    },
    NativeDef {
        name: "scalar_type_of",
        signature: "(x)",
        doc: "The Python type of numbers of an array's kind.",
        run: |interp, args| {
            let dtype = convert::tile(&Context::jax(interp), args.get(0), "scalar_type_of")?.dtype();
            let types = interp.types();
            Ok(Value::Class(match dtype.kind() {
                pallas_tensor::Kind::Bool => types.bool.clone(),
                pallas_tensor::Kind::Float => types.float.clone(),
                _ => types.int.clone(),
            }))
        },
    },
    NativeDef {
        name: "canonicalize_dtype",
        signature: "(dtype, allow_extended_dtype=False)",
        doc: "The dtype that JAX uses for one: 32-bit unless x64 is on.",
        run: |interp, args| {
            let cx = Context::jax(interp);
            Ok(dtype::value(dtype::parse_canonical(&cx, args.get(0))?))
        },
    },
    NativeDef {
        name: "issubdtype",
        signature: "(a, b)",
        doc: "Whether a dtype is of a kind.",
        run: |interp, args| {
            let [a, b] = args.take();
            let function = interp.get_attr(&interp.import("jax.numpy")?, "issubdtype")?;
            interp.call_values(&function, [a, b])
        },
    },
    NativeDef {
        name: "result_type",
        signature: "(*args)",
        doc: "The dtype that operands promote to.",
        run: |interp, args| {
            let function = interp.get_attr(&interp.import("jax.numpy")?, "result_type")?;
            interp.call(&function, CallArgs::positional(interp.collect(args.get(0))?))
        },
    },
];

/// Arrays whose elements nobody has looked at yet are computed now.
fn block_until_ready(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x] = args.take();
    if let Ok((leaves, _)) = tree::flatten(interp, &x, None) {
        leaves.iter().for_each(crate::array::compute);
    }
    Ok(x)
}

/// The leaves as arrays of the context's kind.
fn to_arrays(interp: &Interp, value: &Value, cx: &Context<'_>) -> PyResult<Value> {
    let (leaves, def) = tree::flatten(interp, value, None)?;
    let arrays = leaves
        .iter()
        .map(|leaf| {
            let tile = convert::tile(cx, leaf, "device_put")?;
            let tile = primitive::convert(cx, &tile, tile.dtype(), false)?;
            Ok(convert::value(cx, tile))
        })
        .collect::<PyResult<Vec<_>>>()?;
    tree::unflatten(interp, &def, &mut arrays.into_iter())
}

/// A context manager and decorator that does nothing to the values inside; `Some` switches jit off meanwhile.
struct Scope(Option<bool>);

static SCOPE_CLASS: NativeClass = NativeClass {
    name: "NameStackContext",
    module: "jax._src.api",
    doc: "A scope.",
    methods: &[
        NativeDef {
            name: "__enter__",
            signature: "(self)",
            doc: "Enters the scope.",
            run: |interp, args| {
                let [this] = args.take();
                switch(interp, &this, 1);
                Ok(this)
            },
        },
        NativeDef {
            name: "__exit__",
            signature: "(self, kind=None, value=None, traceback=None)",
            doc: "Leaves the scope.",
            run: |interp, args| {
                let [this, ..] = args.take::<4>();
                switch(interp, &this, -1);
                Ok(Value::Bool(false))
            },
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn switch(interp: &Interp, this: &Value, by: i32) {
    if let Some(Scope(Some(true))) = this.downcast::<Scope>() {
        let state = Context::jax(interp).state;
        state.jit_disabled.set(state.jit_disabled.get().saturating_add_signed(by));
    }
}

fn scope(_interp: &Interp, _args: Arguments) -> PyResult<Value> {
    Ok(Value::object(Scope(None)))
}

fn disable_jit(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [disable] = args.take();
    Ok(Value::object(Scope(Some(interp.truth(&disable)?))))
}

impl Object for Scope {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&SCOPE_CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    /// As a decorator it gives the function back.
    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(args.positional.first().cloned().ok_or_else(|| interp.type_error("expected a function".to_string())))
    }
}

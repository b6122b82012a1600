//! `jax.tree_util.Partial`: a `functools.partial` that is a pytree. Its arguments are children, its function is structure.

use crate::tree::{Registration, RegistrationKind, Registry};
use pallas_python::CallArgs;
use pallas_python::dict::Dict;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef, NativeFunction};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

static FLATTEN: NativeDef = NativeDef {
    name: "_flatten_partial",
    signature: "(partial)",
    doc: "Arguments, and the function.",
    run: |interp, args: Arguments| {
        let part = |name: &str| interp.get_attr(args.get(0), name);
        Ok(Value::tuple([Value::tuple([part("args")?, part("keywords")?]), part("func")?]))
    },
};

static UNFLATTEN: NativeDef = NativeDef {
    name: "_unflatten_partial",
    signature: "(function, children)",
    doc: "The partial with these arguments.",
    run: |interp, args: Arguments| {
        let [function, children] = args.take();
        let parts = interp.collect(&children)?;
        let [positional, keywords] = parts.as_slice() else {
            return Err(interp.value_error("a Partial has two children"));
        };
        let mut call = interp.call_args(positional, keywords)?;
        call.positional.insert(0, function);
        let class = interp.get_attr(&interp.import("jax.tree_util")?, "Partial")?;
        interp.call(&class, call)
    },
};

/// The class, registered as a node.
pub(super) fn class(interp: &Interp) -> PyResult<Value> {
    let base = interp.get_attr(&interp.import("functools")?, "partial")?;
    let mut body = Dict::default();
    body.insert(interp, Value::from("__module__"), Value::from("jax._src.tree_util"))?;
    let metaclass = Value::Class(interp.types().type_.clone());
    let body = Value::Dict(Rc::new(RefCell::new(body)));
    let arguments = CallArgs::positional([Value::from("Partial"), Value::tuple([base]), body]);
    let class = interp.call(&metaclass, arguments)?;
    if let Value::Class(class) = &class {
        let function = |def: &'static NativeDef| Value::Native(NativeFunction::new(def, "jax.tree_util"));
        let kind = RegistrationKind::Functions {
            flatten: function(&FLATTEN),
            unflatten: function(&UNFLATTEN),
            with_keys: Value::None,
        };
        interp.extension::<Registry>().register(interp, Registration { class: class.clone(), kind })?;
    }
    Ok(class)
}

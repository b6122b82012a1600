//! Meshes and shardings: `jax.sharding` and what stands on it. Arrays are never really divided; a sharding is something
//! that an array is remembered to have been given. The modules are Python (see [`pallas_python::embedded`]) over the few
//! functions of `jax._src.shards` here.

mod placement;

pub use placement::{Placement, is_placed, of, remember};

use crate::api::devices;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::pallas::add_functions;
use crate::transform;
use crate::tree;
use pallas_python::embedded::{DeferredName, EmbeddedModule};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// The modules in Python.
pub static EMBEDDED: &[EmbeddedModule] = &[
    EmbeddedModule { name: "jax._src.mesh", text: include_str!("mesh.py"), is_package: false },
    EmbeddedModule { name: "jax._src.shardings", text: include_str!("shardings.py"), is_package: false },
    EmbeddedModule { name: "jax._src.array_shards", text: include_str!("array_shards.py"), is_package: false },
    EmbeddedModule { name: "jax._src.shard_map", text: include_str!("shard_map.py"), is_package: false },
    EmbeddedModule { name: "jax._src.axis_types", text: include_str!("axis_types.py"), is_package: false },
    EmbeddedModule { name: "jax.sharding", text: include_str!("public.py"), is_package: false },
    EmbeddedModule { name: "jax.experimental.mesh_utils", text: include_str!("mesh_utils.py"), is_package: false },
    EmbeddedModule {
        name: "jax.experimental.shard_map",
        text: include_str!("experimental_shard_map.py"),
        is_package: false,
    },
];

/// Names of `jax` itself.
pub static DEFERRED: &[DeferredName] = &[
    DeferredName { module: "jax", name: "P", source: "jax._src.shardings" },
    DeferredName { module: "jax", name: "NamedSharding", source: "jax._src.shardings" },
];

/// The module in Rust.
pub static MODULES: &[&ModuleDef] = &[&ModuleDef {
    name: "jax._src.shards",
    doc: "What meshes and shardings need of the evaluator.",
    functions: FUNCTIONS,
    populate: |_interp, namespace| add_functions(namespace, "jax._src.shards", transform::SHARD_MAP),
}];

static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "is_host_unknown",
        signature: "()",
        doc: "Whether it is not known how many devices the program will run on.",
        run: |interp, _args| Ok(Value::Bool(devices::is_assumed(interp))),
    },
    NativeDef {
        name: "more_devices",
        signature: "(first, stop)",
        doc: "Devices with these numbers.",
        run: |interp, args| {
            let [first, stop] = args.take();
            let numbers = interp.to_usize(&first)?..interp.to_usize(&stop)?;
            Ok(Value::list(numbers.map(devices::device)))
        },
    },
    NativeDef {
        name: "is_eager",
        signature: "()",
        doc: "Whether nothing is being traced.",
        run: |interp, _args| Ok(Value::Bool(Context::jax(interp).innermost().is_none())),
    },
    NativeDef {
        name: "is_device",
        signature: "(x)",
        doc: "Whether it is a device.",
        run: |_interp, args| Ok(Value::Bool(devices::is_device(args.get(0)))),
    },
    NativeDef {
        name: "arrays",
        signature: "(x)",
        doc: "The leaves as arrays.",
        run: |interp, args| {
            let [x] = args.take();
            let cx = Context::jax(interp);
            let (leaves, def) = tree::flatten(interp, &x, None)?;
            let array = |leaf: &Value| -> PyResult<Value> {
                if leaf.downcast::<ArrayObject>().is_some() || leaf.is_unknown() {
                    return Ok(leaf.clone());
                }
                Ok(convert::value(&cx, convert::tile(&cx, leaf, "with_sharding_constraint")?))
            };
            let arrays = leaves.iter().map(array).collect::<PyResult<Vec<_>>>()?;
            tree::unflatten(interp, &def, &mut arrays.into_iter())
        },
    },
    NativeDef {
        name: "remember",
        signature: "(x, sharding)",
        doc: "The array, with its sharding.",
        run: placement::remembered,
    },
    NativeDef {
        name: "copies",
        signature: "(x)",
        doc: "What devices hold differently though they should hold the same: all of it, and along which axes.",
        run: placement::copies,
    },
];

/// Rows of `jax`: functions of the modules in Python, which are read when they are first used.
pub static TOP_LEVEL: &[NativeDef] = &[
    NativeDef {
        name: "shard_map",
        signature: "(f=None, /, *, out_specs, in_specs=None, mesh=None, axis_names=(), check_vma=True)",
        doc: "A function that maps `f` over the shards of its arguments.",
        run: |interp, args| {
            pass_on(
                interp,
                args,
                ("jax._src.shard_map", "shard_map"),
                &["", "out_specs", "in_specs", "mesh", "axis_names", "check_vma"],
            )
        },
    },
    NativeDef {
        name: "make_mesh",
        signature: "(axis_shapes, axis_names, axis_types=None, *, devices=None)",
        doc: "A mesh of the first devices.",
        run: |interp, args| pass_on(interp, args, ("jax._src.mesh", "make_mesh"), &["", "", "", "devices"]),
    },
    NativeDef {
        name: "set_mesh",
        signature: "(mesh)",
        doc: "Makes a mesh the current one.",
        run: |interp, args| pass_on(interp, args, ("jax._src.mesh", "set_mesh"), &[""]),
    },
    NativeDef {
        name: "reshard",
        signature: "(x, out_shardings)",
        doc: "Arrays distributed in another way.",
        run: |interp, args| pass_on(interp, args, ("jax._src.shardings", "reshard"), &["", ""]),
    },
];

/// Rows of `jax.lax`.
pub static LAX: &[NativeDef] = &[NativeDef {
    name: "with_sharding_constraint",
    signature: "(x, shardings)",
    doc: "Arrays distributed in this way.",
    run: |interp, args| pass_on(interp, args, ("jax._src.shardings", "with_sharding_constraint"), &["", ""]),
}];

/// What numpy makes of devices, if these are: a grid of them. Other objects are in no array of the workbench.
///
/// # Errors
/// What importing the module raises.
pub fn device_grid(interp: &Interp, value: &Value) -> PyResult<Option<Value>> {
    let mut first = value.clone();
    loop {
        first = match &first {
            Value::List(items) => match items.borrow().first() {
                Some(item) => item.clone(),
                None => return Ok(None),
            },
            Value::Tuple(items) => match items.first() {
                Some(item) => item.clone(),
                None => return Ok(None),
            },
            Value::Instance(instance) if &*instance.class.borrow().name == "DeviceGrid" => break,
            other if devices::is_device(other) => break,
            _ => return Ok(None),
        };
    }
    if matches!(value, Value::Instance(_)) {
        return Ok(Some(value.clone()));
    }
    if devices::is_device(value) {
        let grid = interp.get_attr(&interp.import("jax._src.mesh")?, "DeviceGrid")?;
        return interp.call_values(&grid, [Value::list([value.clone()]), Value::tuple([])]).map(Some);
    }
    let grid = interp.get_attr(&interp.import("jax._src.mesh")?, "grid")?;
    interp.call_values(&grid, [value.clone()]).map(Some)
}

/// Calls a function written in Python. `keywords` are the names of the arguments, empty for those by position.
fn pass_on(interp: &Interp, args: Arguments, (module, name): (&str, &str), keywords: &[&str]) -> PyResult<Value> {
    let mut call = pallas_python::CallArgs::default();
    for (&keyword, value) in keywords.iter().zip(args.values()) {
        if keyword.is_empty() {
            call.positional.push(value.clone());
        } else {
            call.keywords.push((pallas_syntax::ast::Name::from(keyword), value.clone()));
        }
    }
    let function = interp.get_attr(&interp.import(module)?, name)?;
    interp.call(&function, call)
}

//! `jax` itself: transformations, trees, devices, settings, and what else stands at the top of the package.

mod config;
pub mod devices;
mod eval_shape;
mod internals;
pub mod jit;
mod misc;
mod not_abstract;
pub(crate) mod printing;
mod struct_subclass;
pub(crate) mod struct_type;
mod trees;

use crate::array::JAX_ARRAY;
use crate::pallas::add_functions;
use crate::refs::JAX_REF;
use pallas_python::class::Namespace;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

/// `jax` and the small modules beside it.
pub static MODULES: &[&ModuleDef] = &[
    &JAX,
    &trees::TREE,
    &trees::TREE_UTIL,
    &ERRORS,
    &DEBUG,
    &DTYPES,
    &TYPING,
    &CORE,
    &config::CONFIG_MODULE,
    &config::PRIVATE_MODULE,
    &internals::SOURCE_INFO,
];

static JAX: ModuleDef =
    ModuleDef { name: "jax", doc: "Composable transformations of array programs.", functions: &[], populate };

/// Submodules that `import jax` brings with it. Those in Python (`sharding`, `interpreters`) are made when somebody asks for
/// them: few kernels do, and reading them would take half of what `import jax` takes.
const SUBMODULES: &[&str] = &[
    "numpy",
    "ref",
    "lax",
    "nn",
    "random",
    "tree",
    "tree_util",
    "errors",
    "debug",
    "dtypes",
    "typing",
    "core",
    "scipy",
];

fn populate(interp: &Interp, namespace: &mut Namespace) {
    config::add_public(namespace);
    for table in [jit::FUNCTIONS, misc::FUNCTIONS, devices::FUNCTIONS, trees::TOP_LEVEL] {
        add_functions(namespace, "jax", table);
    }
    crate::written::extend("jax", namespace);
    for table in crate::transform::TABLES {
        add_functions(namespace, "jax", table);
    }
    add_functions(namespace, "jax", crate::held::FUNCTIONS);
    namespace.insert(Name::from("Array"), Value::Class(interp.native_class(&JAX_ARRAY)));
    namespace.insert(Name::from("Ref"), Value::Class(interp.native_class(&JAX_REF)));
    namespace.insert(Name::from("Device"), Value::Class(interp.native_class(&devices::CLASS)));
    namespace.insert(Name::from("ShapeDtypeStruct"), struct_type::class(interp));
    add_functions(namespace, "jax", crate::sharding::TOP_LEVEL);
    add_functions(namespace, "jax", crate::jaxpr::FUNCTIONS);
    namespace.insert(Name::from("__version__"), Value::from("0.10.2"));
    namespace.insert(
        Name::from("__version_info__"),
        Value::tuple([Value::from(0i64), Value::from(10i64), Value::from(2i64)]),
    );
    namespace.insert(Name::from("config"), config::value());
    if let Ok(policies) = interp.import("jax.checkpoint_policies") {
        namespace.insert(Name::from("checkpoint_policies"), policies);
    }
    for name in SUBMODULES {
        // A submodule that is missing would show as an AttributeError where it is used.
        if let Ok(module) = interp.import(&format!("jax.{name}")) {
            namespace.insert(Name::from(*name), module);
        }
    }
}

static ERRORS: ModuleDef = ModuleDef {
    name: "jax.errors",
    doc: "Exceptions of JAX.",
    functions: &[],
    populate: |interp, namespace| {
        for class in crate::errors::all(interp) {
            namespace.insert(class.name.clone(), Value::Class(class));
        }
    },
};

static DEBUG: ModuleDef = ModuleDef {
    name: "jax.debug",
    doc: "Printing from traced code.",
    functions: &[],
    populate: |_interp, namespace| add_functions(namespace, "jax.debug", misc::DEBUG_FUNCTIONS),
};

static DTYPES: ModuleDef = ModuleDef {
    name: "jax.dtypes",
    doc: "Dtypes of JAX.",
    functions: &[],
    populate: |interp, namespace| {
        add_functions(namespace, "jax.dtypes", misc::DTYPE_FUNCTIONS);
        let limits = [("finfo", "finfo"), ("iinfo", "iinfo")];
        crate::python_types::share(interp, namespace, "jax.numpy", &limits);
        let error = crate::errors::type_promotion(interp);
        namespace.insert(error.name.clone(), Value::Class(error));
        for (name, value) in crate::dtype::exports(interp, crate::context::Rules::Jax) {
            if matches!(name, "bfloat16" | "prng_key" | "extended") {
                namespace.insert(Name::from(name), value);
            }
        }
    },
};

static TYPING: ModuleDef = ModuleDef {
    name: "jax.typing",
    doc: "Types for annotations.",
    functions: &[],
    populate: |interp, namespace| {
        for name in ["ArrayLike", "DTypeLike"] {
            namespace.insert(Name::from(name), Value::Class(interp.native_class(&JAX_ARRAY)));
        }
    },
};

static CORE: ModuleDef = ModuleDef {
    name: "jax.core",
    doc: "Abstract values of JAX.",
    functions: &[],
    populate: |interp, namespace| {
        namespace.insert(Name::from("ShapedArray"), struct_type::type_class(interp));
        namespace.insert(Name::from("Tracer"), Value::Class(interp.native_class(&crate::array::TRACER_CLASS)));
    },
};

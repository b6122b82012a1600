//! `jax.numpy`: functions with numpy's promotion and broadcasting over the ops. Each function is written once over a
//! [`Context`](crate::context::Context), which says whose rules apply, and has a table row for `jax.numpy` and one for
//! `numpy`. A family is a file (or two: what it computes, and its rows).

pub mod arithmetic;
pub mod aval;
pub mod call;
pub mod comparing;
pub mod compose;
pub mod creation;
pub mod diagonals;
pub mod einsum;
#[expect(missing_docs, reason = "named as the functions of numpy that they are")]
pub mod elementwise;
pub mod grids;
pub mod index_tricks;
pub mod joining;
pub mod linalg;
pub mod mapping;
pub mod methods;
pub mod padding;
pub mod products;
pub mod ranges;
pub mod reduction_rows;
pub mod reductions;
pub mod repeating;
pub mod searching;
pub mod shaping;
pub mod signals;
pub mod sorting;
pub mod statistics;
pub mod triangles;
pub mod types;
pub mod ufuncs;

use crate::context::Rules;
use pallas_python::class::Namespace;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{NativeDef, NativeFunction};
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

/// The rows of `jax.numpy`, by family.
pub static JAX_ROWS: &[&[NativeDef]] = &[
    creation::JAX_ROWS,
    triangles::JAX_ROWS,
    ranges::JAX_ROWS,
    ufuncs::UNARY_JAX,
    ufuncs::BINARY_JAX,
    ufuncs::JAX_ROWS,
    reduction_rows::JAX_ROWS,
    statistics::JAX_ROWS,
    shaping::JAX_ROWS,
    joining::JAX_ROWS,
    padding::JAX_ROWS,
    repeating::JAX_ROWS,
    diagonals::JAX_ROWS,
    products::JAX_ROWS,
    einsum::JAX_ROWS,
    searching::JAX_ROWS,
    sorting::JAX_ROWS,
    comparing::JAX_ROWS,
    types::JAX_ROWS,
    mapping::JAX_ROWS,
    signals::JAX_ROWS,
];

/// The same functions under numpy's rules, for the module `numpy`.
pub static NUMPY_ROWS: &[&[NativeDef]] = &[
    creation::NUMPY_ROWS,
    triangles::NUMPY_ROWS,
    ranges::NUMPY_ROWS,
    ufuncs::UNARY_NUMPY,
    ufuncs::BINARY_NUMPY,
    ufuncs::NUMPY_ROWS,
    reduction_rows::NUMPY_ROWS,
    statistics::NUMPY_ROWS,
    shaping::NUMPY_ROWS,
    joining::NUMPY_ROWS,
    padding::NUMPY_ROWS,
    repeating::NUMPY_ROWS,
    diagonals::NUMPY_ROWS,
    products::NUMPY_ROWS,
    einsum::NUMPY_ROWS,
    searching::NUMPY_ROWS,
    sorting::NUMPY_ROWS,
    comparing::NUMPY_ROWS,
    types::NUMPY_ROWS,
    mapping::NUMPY_ROWS,
    signals::NUMPY_ROWS,
];

/// Every row of [`NUMPY_ROWS`].
pub fn numpy_rows() -> impl Iterator<Item = &'static NativeDef> {
    NUMPY_ROWS.iter().flat_map(|table| table.iter())
}

/// What `numpy` has besides functions: constants, dtypes, limits, grids, and its elementwise functions as `ufunc` objects.
pub fn populate_numpy(interp: &Interp, namespace: &mut Namespace) {
    add_rows(namespace, Rules::Numpy, NUMPY_ROWS);
    add_values(interp, namespace, Rules::Numpy);
}

/// The rows of `numpy.linalg`.
pub static NUMPY_LINALG_ROWS: &[NativeDef] = linalg::NUMPY_ROWS;

/// The modules of this family.
pub static MODULES: &[&ModuleDef] = &[&JNP, &LINALG];

static JNP: ModuleDef = ModuleDef {
    name: "jax.numpy",
    doc: "Functions of numpy on JAX arrays.",
    functions: &[],
    populate: |interp, namespace| {
        add_rows(namespace, Rules::Jax, JAX_ROWS);
        crate::written::extend("jax.numpy", namespace);
        add_values(interp, namespace, Rules::Jax);
        namespace.insert(Name::from("ndarray"), Value::Class(interp.native_class(&crate::array::JAX_ARRAY)));
        for name in NUMPY_ONLY {
            namespace.shift_remove(*name);
        }
        if let Ok(linalg) = interp.import("jax.numpy.linalg") {
            namespace.insert(Name::from("linalg"), linalg);
        }
        // What JAX takes from numpy as it is.
        if let Ok(numpy) = interp.import("numpy") {
            for name in NUMPY_OWN {
                if let Ok(Some(value)) = interp.find_attr(&numpy, name) {
                    namespace.insert(Name::from(*name), value);
                }
            }
        }
    },
};

/// Names that only numpy has.
const NUMPY_ONLY: &[&str] = &["fix", "row_stack", "half", "intc"];

/// Functions that jax.numpy takes from numpy.
const NUMPY_OWN: &[&str] =
    &["array_repr", "array_str", "get_printoptions", "iterable", "printoptions", "set_printoptions"];

static LINALG: ModuleDef = ModuleDef {
    name: "jax.numpy.linalg",
    doc: "Linear algebra on JAX arrays.",
    functions: &[],
    populate: |_interp, namespace| {
        for row in linalg::JAX_ROWS {
            namespace.insert(Name::from(row.name), Value::Native(NativeFunction::new(row, "jax.numpy.linalg")));
        }
        crate::written::extend("jax.numpy.linalg", namespace);
    },
};

/// Adds the functions of tables to a namespace: `jax.numpy`'s or `numpy`'s.
pub fn add_rows(namespace: &mut Namespace, rules: Rules, tables: &'static [&'static [NativeDef]]) {
    for row in tables.iter().flat_map(|table| table.iter()) {
        namespace.insert(Name::from(row.name), ufuncs::function_value(row, rules));
    }
}

/// Adds constants, dtypes, limits and grids: what both modules have besides functions.
pub fn add_values(interp: &Interp, namespace: &mut Namespace, rules: Rules) {
    for (name, value) in crate::dtype::exports(interp, rules) {
        namespace.insert(Name::from(name), value);
    }
    for (name, value) in
        types::classes(interp).into_iter().chain(grids::grids(rules)).chain(index_tricks::objects(rules))
    {
        namespace.insert(Name::from(name), value);
    }
    let constants = [
        ("pi", std::f64::consts::PI),
        ("e", std::f64::consts::E),
        ("inf", f64::INFINITY),
        ("nan", f64::NAN),
        ("euler_gamma", 0.577_215_664_901_532_9),
    ];
    for (name, value) in constants {
        namespace.insert(Name::from(name), Value::Float(value));
    }
    namespace.insert(Name::from("newaxis"), Value::None);
}

//! `numpy`: arrays that are written in place and share memory, numpy's scalars, and the modules `numpy`,
//! `numpy.testing`, `numpy.linalg` and `numpy.random`. Functions that jax.numpy has too are written once, in
//! [`crate::jnp`]; here is what only numpy has.

mod array;
mod assign;
mod errors_state;
mod files;
mod flags;
mod forward;
mod iterate;
mod methods;
mod module;
mod operators;
mod printing;
mod random;
mod subscript;
mod testing;
mod view;

pub use array::{NDARRAY, NdArray};
pub(crate) use methods::{METHODS, PROPERTIES};

use crate::array::ArrayObject;
use crate::tile::Tile;
use pallas_python::module::ModuleDef;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use view::View;

/// The modules of this family.
pub static MODULES: &[&ModuleDef] = &[&module::MODULE, &testing::MODULE, &LINALG, &random::MODULE];

static LINALG: ModuleDef = ModuleDef {
    name: "numpy.linalg",
    doc: "Linear algebra.",
    functions: crate::jnp::linalg::NUMPY_ROWS,
    populate: |interp, namespace| {
        let class = interp.exception_class("numpy.linalg", "LinAlgError", &interp.types().value_error);
        namespace.insert(Name::from("LinAlgError"), Value::Class(class));
    },
};

/// A result of a numpy function: a scalar if its rank is 0, else an array with memory of its own.
pub fn value(tile: Tile) -> Value {
    match tile {
        Tile::Concrete { array, .. } => Value::object(NdArray::array_or_scalar(View::new(array))),
        Tile::Abstract(ty) => Value::object(NdArray::array_or_scalar(View::unknown(ty.dtype, ty.shape))),
        // numpy's functions refuse tracers, so that no result is one.
        traced => Value::object(ArrayObject { tile: traced }),
    }
}

/// As [`value`], an array even of rank 0: what numpy's constructors give.
pub fn array_value(tile: Tile) -> Value {
    match tile {
        Tile::Concrete { array, .. } => Value::object(NdArray::array(View::new(array))),
        Tile::Abstract(ty) => Value::object(NdArray::array(View::unknown(ty.dtype, ty.shape))),
        traced => Value::object(ArrayObject { tile: traced }),
    }
}

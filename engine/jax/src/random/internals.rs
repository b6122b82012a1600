//! `jax._src.random.threefry2x32`: JAX's generator as functions on the words of keys. Generators written in Python borrow
//! them; how such a generator is registered is Python (`prng.py`).

use crate::context::Context;
use crate::convert;
use crate::lax::primitives;
use crate::pallas::add_functions;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, Op, ops};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::{DType, Shape};

/// The module.
pub(super) static THREEFRY: ModuleDef = ModuleDef {
    name: "jax._src.random.threefry2x32",
    doc: "The Threefry generator on the words of its keys.",
    functions: &[],
    populate: |_interp, namespace| {
        add_functions(namespace, "jax._src.random.threefry2x32", FUNCTIONS);
        namespace.insert(Name::from("threefry2x32_p"), primitives::value(Op(&ops::THREEFRY2X32)));
    },
};

static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "threefry_seed",
        signature: "(seed)",
        doc: "The words of a key from an integer.",
        run: |interp, args| {
            let [seed] = args.take();
            let cx = Context::jax(interp);
            let seed = convert::tile(&cx, &seed, "threefry_seed")?;
            if seed.rank() != 0 || !seed.dtype().is_integer() {
                return Err(interp.type_error(format!(
                    "PRNG key seed must be an integer scalar; got {}",
                    crate::errors::type_text(&seed.ty())
                )));
            }
            words(
                &cx,
                &primitive::unary(&cx, &ops::RANDOM_SEED, &primitive::convert(&cx, &seed, seed.dtype(), false)?)?,
            )
        },
    },
    NativeDef {
        name: "threefry_split",
        signature: "(key, shape)",
        doc: "The words of new keys.",
        run: |interp, args| {
            let [key, shape] = args.take();
            let cx = Context::jax(interp);
            let shape = convert::shape(&cx, &shape)?;
            words(&cx, &super::keys::split_keys(&cx, &typed(&cx, &key)?, &shape)?)
        },
    },
    NativeDef {
        name: "threefry_fold_in",
        signature: "(key, data)",
        doc: "The words of a new key from a key and an integer.",
        run: |interp, args| {
            let [key, data] = args.take();
            let cx = Context::jax(interp);
            let data = primitive::convert(&cx, &convert::tile(&cx, &data, "threefry_fold_in")?, DType::U32, false)?;
            words(&cx, &primitive::binary(&cx, &ops::RANDOM_FOLD_IN, &typed(&cx, &key)?, &data)?)
        },
    },
    NativeDef {
        name: "threefry_random_bits",
        signature: "(key, bit_width, shape)",
        doc: "Uniform random bits from a key's words.",
        run: bits,
    },
];

fn bits(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, width, shape] = args.take();
    let cx = Context::jax(interp);
    let shape: Shape = convert::shape(&cx, &shape)?;
    let attributes = Attributes::none()
        .with("bit_width", Attribute::Int(interp.to_i64(&width)?))
        .with("shape", Attribute::Ints(shape.iter().map(|&extent| extent as i64).collect()));
    Ok(convert::value(&cx, cx.bind(&ops::RANDOM_BITS, &[&typed(&cx, &key)?], attributes)?))
}

/// Keys from their words.
fn typed(cx: &Context<'_>, key: &Value) -> PyResult<Tile> {
    let words = convert::tile(cx, key, "threefry")?;
    primitive::unary(cx, &ops::RANDOM_WRAP, &words)
}

/// The words of keys.
fn words(cx: &Context<'_>, keys: &Tile) -> PyResult<Value> {
    Ok(convert::value(cx, primitive::unary(cx, &ops::RANDOM_UNWRAP, keys)?))
}

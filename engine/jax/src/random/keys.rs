//! Keys: made from seeds, split, folded, and taken apart. Old-style keys are `uint32[2]` arrays.

use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, DType, Scalar, Shape};

/// Rows of the module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef { name: "key", signature: "(seed, *, impl=None)", doc: "A typed key from an integer seed.", run: key },
    NativeDef {
        name: "PRNGKey",
        signature: "(seed, *, impl=None)",
        doc: "An old-style key (`uint32[2]`) from an integer seed.",
        run: |interp, args| {
            let key = key(interp, args)?;
            let cx = Context::jax(interp);
            let key = convert::tile(&cx, &key, "PRNGKey")?;
            Ok(convert::value(&cx, primitive::unary(&cx, &ops::RANDOM_UNWRAP, &key)?))
        },
    },
    NativeDef { name: "split", signature: "(key, num=2)", doc: "New keys from one.", run: split },
    NativeDef { name: "fold_in", signature: "(key, data)", doc: "A new key from a key and an integer.", run: fold_in },
    NativeDef {
        name: "key_data",
        signature: "(keys)",
        doc: "The words of keys, as uint32.",
        run: |interp, args| {
            let [keys] = args.take();
            let cx = Context::jax(interp);
            let (keys, _) = typed(&cx, &keys, "key_data")?;
            Ok(convert::value(&cx, primitive::unary(&cx, &ops::RANDOM_UNWRAP, &keys)?))
        },
    },
    NativeDef {
        name: "wrap_key_data",
        signature: "(key_bits_array, *, impl=None)",
        doc: "Typed keys from their words.",
        run: |interp, args| {
            let [words, generator] = args.take();
            let cx = Context::jax(interp);
            only_threefry(interp, &generator)?;
            let words = convert::tile(&cx, &words, "wrap_key_data")?;
            Ok(convert::value(&cx, primitive::unary(&cx, &ops::RANDOM_WRAP, &words)?))
        },
    },
    NativeDef {
        name: "clone",
        signature: "(key)",
        doc: "The same key, for key-reuse checking.",
        run: |_interp, args| {
            let [key] = args.take();
            Ok(key)
        },
    },
    NativeDef {
        name: "key_impl",
        signature: "(keys)",
        doc: "The name of the keys' generator.",
        run: |_interp, _args| Ok(Value::from("threefry2x32")),
    },
];

/// A key argument as typed keys; the second part says whether it was old-style.
///
/// # Errors
/// `TypeError` for anything that is no key.
pub(super) fn typed(cx: &Context<'_>, value: &Value, function: &str) -> PyResult<(Tile, bool)> {
    let tile = convert::tile(cx, value, function)?;
    if tile.dtype() == DType::Key {
        return Ok((tile, false));
    }
    if tile.dtype() == DType::U32 && tile.shape().last() == Some(&2) {
        if cx.state.legacy_keys_refused.get() {
            return Err(cx.interp.value_error(
                "Legacy uint32 key array passed as key to jax.random function. Please create keys using \
                 jax.random.key(). If use of a raw key array was intended, set jax_legacy_prng_key=\"allow\"."
                    .to_string(),
            ));
        }
        return Ok((primitive::unary(cx, &ops::RANDOM_WRAP, &tile)?, true));
    }
    if tile.dtype() == DType::U32 {
        return Err(cx.interp.type_error(format!(
            "JAX encountered invalid PRNG key data: expected key_data.shape to end with (2,), got {}",
            tile.shape()
        )));
    }
    Err(cx.interp.type_error(format!(
        "unexpected PRNG key type <class 'jaxlib._jax.ArrayImpl'> for {function}: a key is made by `jax.random.key(seed)`"
    )))
}

/// One key.
pub(super) fn single(cx: &Context<'_>, value: &Value, function: &str) -> PyResult<Tile> {
    let (keys, _) = typed(cx, value, function)?;
    if keys.rank() != 0 {
        return Err(cx.interp.value_error(format!(
            "{function} accepts a single key, but was given a key array of shape {} != (). Use jax.vmap for batching.",
            keys.shape()
        )));
    }
    Ok(keys)
}

/// Keys as they came: typed or old-style.
fn restore(cx: &Context<'_>, keys: Tile, old: bool) -> PyResult<Value> {
    let keys = if old { primitive::unary(cx, &ops::RANDOM_UNWRAP, &keys)? } else { keys };
    Ok(convert::value(cx, keys))
}

fn key(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [seed, generator] = args.take();
    let cx = Context::jax(interp);
    only_threefry(interp, &generator)?;
    let tile = match &seed {
        // Python integers beyond 32 bits keep their low bits, as in JAX without x64.
        Value::Int(value) => {
            let low = value.to_i64().map_or_else(|| low_bits(value), |v| v as u32);
            Tile::concrete(Array::scalar(DType::I32, Scalar::Int(i128::from(low as i32))))
        }
        seed => convert::tile(&cx, seed, "key")?,
    };
    if tile.rank() != 0 {
        return Err(interp.type_error(format!(
            "key accepts a scalar seed, but was given an array of shape {} != (). Use jax.vmap for batching",
            tile.shape()
        )));
    }
    if !tile.dtype().is_integer() {
        return Err(interp.type_error(format!("PRNG key seed must be an integer; got {}", interp.repr(&seed)?)));
    }
    let tile = primitive::convert(&cx, &tile, tile.dtype(), false)?;
    Ok(convert::value(&cx, primitive::unary(&cx, &ops::RANDOM_SEED, &tile)?))
}

/// `impl=`: other generators draw other numbers, so none of them is replaced by the one there is.
fn only_threefry(interp: &Interp, generator: &Value) -> PyResult<()> {
    let name = match generator {
        Value::None | Value::Unset | Value::Unknown(_) => return Ok(()),
        Value::Str(name) => name.to_string(),
        other => interp.str(&interp.get_attr(other, "name")?)?,
    };
    let registered = interp.get_attr(&interp.import("jax._src.random.prng")?, "prngs")?;
    match name.as_str() {
        "threefry2x32" | "fry" => Ok(()),
        name if OTHERS.contains(&name) || interp.contains(&registered, &Value::str(name))? => Err(interp.error(
            &interp.types().not_implemented_error,
            format!(
                "keys of the generator \"{name}\" are not provided by the workbench yet: use the default generator, \
                 threefry2x32, or call the generator's own functions on key words"
            ),
        )),
        name => Err(interp.value_error(format!(
            "unrecognized PRNG implementation \"{name}\". Did you mean one of: \"philox2x32\", \"philox4x32\", \
             \"threefry2x32\", \"rbg\", \"unsafe_rbg\", \"threefry4x32\"?"
        ))),
    }
}

/// Generators that JAX has beside Threefry.
const OTHERS: &[&str] = &["philox2x32", "philox4x32", "rbg", "unsafe_rbg", "threefry4x32"];

fn low_bits(value: &pallas_python::int::Int) -> u32 {
    let modulus = num_bigint::BigInt::from(1u64 << 32);
    let low = ((value.to_big() % &modulus) + &modulus) % &modulus;
    low.iter_u32_digits().next().unwrap_or(0)
}

fn split(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [keys, count] = args.take();
    let cx = Context::jax(interp);
    let (keys, old) = typed(&cx, &keys, "split")?;
    let shape = convert::shape(&cx, &count)?;
    restore(&cx, split_keys(&cx, &keys, &shape)?, old)
}

/// Keys of `shape` from one key.
pub(super) fn split_keys(cx: &Context<'_>, keys: &Tile, shape: &Shape) -> PyResult<Tile> {
    let shape = Attribute::Ints(shape.iter().map(|&d| d as i64).collect());
    cx.bind(&ops::RANDOM_SPLIT, &[keys], Attributes::none().with("shape", shape))
}

/// Two keys from one.
pub(super) fn pair(cx: &Context<'_>, key: &Tile) -> PyResult<(Tile, Tile)> {
    let keys = split_keys(cx, key, &Shape::from(&[2][..]))?;
    let one = |start: usize| {
        primitive::slice(cx, &keys, &[start], &[start + 1], &[1]).and_then(|k| primitive::squeeze(cx, &k, &[0]))
    };
    Ok((one(0)?, one(1)?))
}

fn fold_in(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [keys, data] = args.take();
    let cx = Context::jax(interp);
    let (keys, old) = typed(&cx, &keys, "fold_in")?;
    let data = convert::tile(&cx, &data, "fold_in")?;
    if data.rank() != 0 || keys.rank() != 0 {
        return Err(interp.type_error(format!(
            "fold_in accepts a scalar, but was given an array of shape {} != (). Use jax.vmap for batching.",
            data.shape()
        )));
    }
    let data = primitive::convert(&cx, &data, DType::U32, false)?;
    restore(&cx, primitive::binary(&cx, &ops::RANDOM_FOLD_IN, &keys, &data)?, old)
}

//! Loads and stores as functions: the old `pl.load/store/swap/atomic_*` with an index tuple, and the Triton module's
//! `load/store` on `ref.at[index]` views, with masks.

use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::ref_index::RefIndex;
use crate::refs::{self, Access, RefObject};
use crate::tile::Tile;
use pallas_ir::Target;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_tensor::DType;
use std::rc::Rc;

/// Rows of `jax.experimental.pallas`: removed in JAX 0.9, and still in most published kernels.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "load",
        signature: "(x_ref_or_view, idx, *, mask=None, other=None, cache_modifier=None, eviction_policy=None, \
                    volatile=False)",
        doc: "Reads a Ref at an index, under a mask.",
        run: load,
    },
    NativeDef {
        name: "store",
        signature: "(x_ref_or_view, idx, val, *, mask=None, eviction_policy=None)",
        doc: "Writes a Ref at an index, under a mask.",
        run: store,
    },
    NativeDef {
        name: "swap",
        signature: "(x_ref_or_view, idx, val, *, mask=None, eviction_policy=None)",
        doc: "Writes a Ref at an index and returns what was there.",
        run: |interp, args| {
            let [reference, index, value, mask, _] = args.take();
            exchange(interp, &reference, &index, &value, &mask, None)
        },
    },
];

macro_rules! atomics {
    ($($name:literal $combine:literal $doc:literal)*) => {
        /// Atomic updates; each returns what was there before.
        pub static ATOMICS: &[NativeDef] = &[$(NativeDef {
            name: $name,
            signature: "(x_ref_or_view, idx, val, *, mask=None)",
            doc: $doc,
            run: |interp, args| {
                let [reference, index, value, mask] = args.take();
                exchange(interp, &reference, &index, &value, &mask, Some($combine))
            },
        }),*];
    };
}

atomics! {
    "atomic_add" "add" "Atomically `ref[idx] += val`."
    "atomic_max" "max" "Atomically `ref[idx] = max(ref[idx], val)`."
    "atomic_min" "min" "Atomically `ref[idx] = min(ref[idx], val)`."
    "atomic_and" "and" "Atomically `ref[idx] &= val`."
    "atomic_or" "or" "Atomically `ref[idx] |= val`."
    "atomic_xor" "xor" "Atomically `ref[idx] ^= val`."
    "atomic_xchg" "xchg" "Atomically exchanges `ref[idx]` with `val`."
}

/// Rows of `jax.experimental.pallas.triton`; a kernel that uses them is one for Triton.
pub static TRITON_FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        run: |interp, args| {
            of_triton(interp);
            (VIEW_FUNCTIONS[0].run)(interp, args)
        },
        ..VIEW_FUNCTIONS[0]
    },
    NativeDef {
        run: |interp, args| {
            of_triton(interp);
            (VIEW_FUNCTIONS[1].run)(interp, args)
        },
        ..VIEW_FUNCTIONS[1]
    },
];

/// The kernel that is being traced uses what only Triton has.
pub fn of_triton(interp: &Interp) {
    Context::jax(interp).state.surface.set(Target::Triton);
}

/// Rows that the Triton module and the TPU module have in common; the latter without the options.
pub static VIEW_FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "load",
        signature: "(ref, *, mask=None, other=None, cache_modifier=None, eviction_policy=None, volatile=False)",
        doc: "Reads a Ref or a view of one (`ref.at[index]`), under a mask.",
        run: |interp, args| {
            let [reference, mask, other, ..] = args.take::<6>();
            read(interp, &reference, &Value::Ellipsis, &mask, &other)
        },
    },
    NativeDef {
        name: "store",
        signature: "(ref, val, *, mask=None, eviction_policy=None)",
        doc: "Writes a Ref or a view of one (`ref.at[index]`), under a mask.",
        run: |interp, args| {
            let [reference, value, mask, _] = args.take();
            write(interp, &reference, &Value::Ellipsis, &value, &mask)
        },
    },
];

fn load(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [reference, index, mask, other, ..] = args.take::<7>();
    read(interp, &reference, &index, &mask, &other)
}

fn store(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [reference, index, value, mask, _] = args.take();
    write(interp, &reference, &index, &value, &mask)
}

fn resolve(cx: &Context<'_>, reference: &Value, index: &Value) -> PyResult<(RefObject, Rc<RefIndex>)> {
    match reference.downcast::<RefObject>() {
        Some(object) => object.resolve(cx, index),
        None => {
            let class = cx.interp.repr(&Value::Class(cx.interp.type_of(reference)))?;
            Err(cx.interp.error_with(
                &cx.interp.types().value_error,
                format!("Can only call `load`, `store` and `swap` on a `Ref`: {class}."),
                Diagnosis { code: "PL308", ..Diagnosis::default() },
            ))
        }
    }
}

fn mask_tile(cx: &Context<'_>, mask: &Value, index: &RefIndex) -> PyResult<Option<Tile>> {
    if mask.is_none() || mask.is_unset() {
        return Ok(None);
    }
    let mask = convert::tile(cx, mask, "load")?;
    let fits = pallas_tensor::Shape::broadcast(&[mask.shape(), &index.shape]).is_some_and(|s| s == index.shape);
    if !fits {
        return Err(cx.interp.error_with(
            &cx.interp.types().value_error,
            format!("Cannot broadcast mask of shape {} to the shape {} that is accessed", mask.shape(), index.shape),
            Diagnosis { code: "PL311", ..Diagnosis::default() },
        ));
    }
    primitive::convert(cx, &mask, pallas_tensor::DType::Bool, false).map(Some)
}

fn read(interp: &Interp, reference: &Value, index: &Value, mask: &Value, other: &Value) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let (base, index) = resolve(&cx, reference, index)?;
    let mask = mask_tile(&cx, mask, &index)?;
    let other = match other.clone().given() {
        Some(other) => Some(convert::tile(&cx, &other, "load")?),
        None => None,
    };
    let access = Access { mask: mask.as_ref(), other: other.as_ref(), padded: true };
    base.check_reachable(&cx, "load_p")?;
    let tile = base.load(&cx, &index, &access)?;
    Ok(convert::value(&cx, tile))
}

fn write(interp: &Interp, reference: &Value, index: &Value, value: &Value, mask: &Value) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let (base, index) = resolve(&cx, reference, index)?;
    let mask = mask_tile(&cx, mask, &index)?;
    let value = shaped(&cx, value, &base, &index)?;
    base.store(&cx, &index, &value, &Access { mask: mask.as_ref(), other: None, padded: true })?;
    Ok(Value::None)
}

fn exchange(
    interp: &Interp,
    reference: &Value,
    index: &Value,
    value: &Value,
    mask: &Value,
    combine: Option<&'static str>,
) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let (base, index) = resolve(&cx, reference, index)?;
    if let Some(refused) = combine.and_then(|combine| not_atomic(combine, base.ty.dtype)) {
        let diagnosis = Diagnosis { code: "PL304", ..Diagnosis::default() };
        return Err(interp.error_with(&interp.types().value_error, refused, diagnosis));
    }
    let mask = mask_tile(&cx, mask, &index)?;
    let value = shaped(&cx, value, &base, &index)?;
    let access = Access { mask: mask.as_ref(), other: None, padded: combine.is_none() };
    let old = base.swap(&cx, &index, &value, &access, combine)?;
    Ok(convert::value(&cx, old))
}

/// Why no element of this dtype is updated atomically (`_atomic_abstract_eval`).
fn not_atomic(combine: &str, dtype: DType) -> Option<String> {
    let name = match dtype {
        DType::F16 if combine != "add" => "f16",
        DType::Bool | DType::I8 | DType::I16 | DType::BF16 => dtype.name(),
        _ => return None,
    };
    Some(format!("`atomic_{combine}` does not support {name}."))
}

/// The functions broadcast and convert where the subscript does not: `pl.store(ref, idx, 0.)` is allowed.
fn shaped(cx: &Context<'_>, value: &Value, base: &RefObject, index: &RefIndex) -> PyResult<Tile> {
    let tile = refs::storable(cx, value, base.ty.dtype)?;
    let tile = if tile.weak() { primitive::convert(cx, &tile, base.ty.dtype, false)? } else { tile };
    let fits = pallas_tensor::Shape::broadcast(&[tile.shape(), &index.shape]).is_some_and(|s| s == index.shape);
    if fits { primitive::broadcast_to(cx, &tile, &index.shape) } else { Ok(tile) }
}

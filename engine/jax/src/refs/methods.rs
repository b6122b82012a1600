//! The methods and properties of Refs.

use super::{RefAt, RefObject};
use crate::context::Context;
use crate::pallas::semaphore::SemaphoreKind;
use pallas_ir::{Attribute, Attributes, MemorySpace, Op, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::BinaryOp;

pub(super) static METHODS: &[NativeDef] = &[
    NativeDef { name: "get", signature: "(self)", doc: "Reads the whole Ref.", run: get_method },
    NativeDef { name: "set", signature: "(self, value)", doc: "Writes the whole Ref.", run: set_method },
    NativeDef {
        name: "reshape",
        signature: "(self, *shape)",
        doc: "A Ref to the same memory in another shape.",
        run: reshape_method,
    },
    NativeDef {
        name: "bitcast",
        signature: "(self, dtype)",
        doc: "A Ref to the same memory as another dtype.",
        run: bitcast_method,
    },
    NativeDef {
        name: "transpose",
        signature: "(self, *permutation)",
        doc: "A Ref to the same memory with its dimensions in another order; reversed where none is given.",
        run: |interp, args| {
            let [this, permutation] = args.take();
            let given = interp.collect(&permutation)?;
            match given.as_slice() {
                [] | [Value::None] => transposed(interp, &this, &Value::None),
                [order @ (Value::Tuple(_) | Value::List(_))] => transposed(interp, &this, order),
                _ => transposed(interp, &this, &permutation),
            }
        },
    },
    NativeDef {
        name: "__getitem__",
        signature: "(self, key, /)",
        doc: "`self[key]`",
        run: |interp, args| {
            let [this, key] = args.take();
            interp.get_item(&this, &key)
        },
    },
    NativeDef {
        name: "__setitem__",
        signature: "(self, key, value, /)",
        doc: "`self[key] = value`",
        run: |interp, args| {
            let [this, key, value] = args.take();
            interp.set_item(&this, &key, value)?;
            Ok(Value::None)
        },
    },
];

pub(super) static PROPERTIES: &[NativeDef] = &[
    NativeDef { name: "shape", signature: "(self)", doc: "Extent of each dimension of the block.", run: shape },
    NativeDef { name: "dtype", signature: "(self)", doc: "Element type.", run: dtype },
    NativeDef { name: "ndim", signature: "(self)", doc: "Number of dimensions.", run: ndim },
    NativeDef { name: "size", signature: "(self)", doc: "Number of elements.", run: size },
    NativeDef { name: "at", signature: "(self)", doc: "A view of part of the Ref: `ref.at[index]`.", run: at },
    NativeDef { name: "memory_space", signature: "(self)", doc: "Where the Ref lives.", run: memory_space },
    NativeDef {
        name: "T",
        signature: "(self)",
        doc: "A Ref to the same memory with its dimensions reversed.",
        run: |interp, args| transposed(interp, args.get(0), &Value::None),
    },
];

/// The receiver of a method: the tables bind it, so anything else is a call through the class.
fn receiver(interp: &Interp, value: &Value) -> PyResult<RefObject> {
    value.downcast::<RefObject>().cloned().ok_or_else(|| interp.type_error("expected a Ref".to_string()))
}

fn get_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    interp.get_item(&this, &Value::Ellipsis)
}

fn set_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, value] = args.take();
    interp.set_item(&this, &Value::Ellipsis, value)?;
    Ok(Value::None)
}

/// Another Ref to the same memory.
fn reinterpreted(cx: &Context<'_>, reference: &RefObject, attributes: Attributes) -> PyResult<Value> {
    let value = reference.operand(cx)?;
    let results = reference.trace.add(cx, Op(&ops::REINTERPRET), &[value], attributes, &[])?;
    let result = results.first().and_then(|&value| RefObject::new(&reference.trace, value));
    result.map(Value::object).ok_or_else(|| cx.interp.runtime_error("a Ref has no result"))
}

fn reshape_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, shape] = args.take();
    let cx = Context::jax(interp);
    let reference = receiver(interp, &this)?;
    known_extents(interp, &reference, "reshape")?;
    let mut sizes = interp.collect(&shape)?;
    if let [Value::Tuple(_) | Value::List(_)] = sizes.as_slice() {
        sizes = interp.collect(&sizes[0])?;
    }
    let sizes = sizes.iter().map(|size| interp.to_i64(size)).collect::<PyResult<Vec<_>>>()?;
    let from = reference.shape();
    let known = sizes.iter().filter(|&&size| size != -1).product::<i64>();
    let open = sizes.iter().filter(|&&size| size == -1).count();
    let size = from.size() as i64;
    let shown = Value::tuple(sizes.iter().map(|&size| Value::from(size)));
    let sizes: Vec<i64> = match open {
        0 if known != size => {
            return Err(interp.value_error(format!("cannot reshape shape {from} into shape {}", interp.repr(&shown)?)));
        }
        0 => sizes,
        1 if known > 0 && size % known == 0 => {
            sizes.iter().map(|&extent| if extent == -1 { size / known } else { extent }).collect()
        }
        1 => {
            return Err(interp.value_error(format!(
                "Specified dims {} do not evenly divide the size of the ref ({size}).",
                interp.repr(&shown)?
            )));
        }
        _ => {
            return Err(
                interp.value_error(format!("At most one dimension can be -1, but got {}", interp.repr(&shown)?))
            );
        }
    };
    reinterpreted(&cx, &reference, Attributes::none().with("shape", Attribute::Ints(sizes)))
}

/// A Ref to the same memory with its dimensions permuted; reversed for `None`.
pub(crate) fn transposed(interp: &Interp, this: &Value, permutation: &Value) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let reference = receiver(interp, this)?;
    known_extents(interp, &reference, "transpose")?;
    let axes: Vec<i64> = match permutation {
        Value::None => (0..reference.shape().rank() as i64).rev().collect(),
        given => interp.collect(given)?.iter().map(|axis| interp.to_i64(axis)).collect::<PyResult<_>>()?,
    };
    reinterpreted(&cx, &reference, Attributes::none().with("permutation", Attribute::Ints(axes)))
}

fn bitcast_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, dtype] = args.take();
    let cx = Context::jax(interp);
    let dtype = crate::dtype::parse(&cx, &dtype)?;
    let reference = receiver(interp, &this)?;
    known_extents(interp, &reference, "bitcast")?;
    reinterpreted(&cx, &reference, Attributes::none().with("dtype", Attribute::DType(dtype)))
}

/// Refuses a Ref some of whose extents are computed.
fn known_extents(interp: &Interp, reference: &RefObject, method: &str) -> PyResult<()> {
    match reference.computed().is_empty() {
        true => Ok(()),
        false => Err(interp.not_implemented_error(format!(
            "`{method}` of a part whose size is traced is not provided by the workbench yet: {method} the Ref first, then \
             take the part"
        ))),
    }
}

pub(super) fn shape(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::tuple(receiver(interp, &this)?.extents()))
}

pub(super) fn dtype(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let ty = receiver(interp, &this)?.ty;
    Ok(match SemaphoreKind::of(ty.space) {
        Some(kind) => kind.dtype(),
        None => crate::dtype::value(ty.dtype),
    })
}

fn ndim(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::from(receiver(interp, &this)?.shape().len()))
}

fn size(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let reference = receiver(interp, &this)?;
    if reference.computed().is_empty() {
        return Ok(Value::from(reference.shape().size()));
    }
    let one = Value::from(1i64);
    reference.extents().iter().try_fold(one, |size, extent| interp.binary(BinaryOp::Mult, &size, extent))
}

pub(super) fn at(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::object(RefAt(receiver(interp, &this)?)))
}

fn memory_space(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let space = receiver(interp, &this)?.ty.space;
    Ok(if space == MemorySpace::Default { Value::None } else { crate::pallas::memory::space_value(space) })
}

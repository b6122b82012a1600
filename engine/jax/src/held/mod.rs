//! Refs outside of kernels: `jax.new_ref`, `jax.freeze`, and the functions of `jax.ref`.
//!
//! Such a Ref holds the array that it has at present; a write puts another array in its place. What is traced is therefore
//! free of effects: loops, branches and jitted functions carry the arrays in and out (see [`threads`]). Kernels have Refs of
//! their own (see [`crate::refs`]).

mod cores;
mod functions;
pub(crate) mod threads;

use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::pallas::slice::SliceObject;
use crate::primitive::{self, type_text};
use crate::ref_index;
use crate::refs;
use crate::tile::Tile;
use crate::trace::TraceKind;
pub(crate) use cores::{CoreRefs, in_core};
pub(crate) use functions::{FUNCTIONS, REF_MODULE};
use pallas_ir::{DimIndex, Position};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::{Slice, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// What a Ref holds, shared by everything that refers to it.
pub(crate) struct Held {
    /// No other Ref has it.
    pub(crate) number: usize,
    pub(crate) tile: RefCell<Tile>,
}

/// A Ref, or the part of one that `.at` makes.
pub(crate) struct HeldRef {
    pub(crate) held: Rc<Held>,
    /// Subscripts, one inside of the other.
    within: Vec<Value>,
}

/// `ref.at`
struct At(Rc<Held>, Vec<Value>);

/// `jax._src.core.Ref`
pub(crate) static CLASS: NativeClass = NativeClass {
    name: "Ref",
    module: "jax._src.core",
    doc: "A mutable array.",
    methods: functions::METHODS,
    properties: &[],
    construct: None,
    instance_check: None,
};

static AT_CLASS: NativeClass = NativeClass {
    name: "RefIndexer",
    module: "jax._src.state.types",
    doc: "Makes a view of a Ref by subscript.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn value_of(tile: &Tile) -> Value {
    Value::object(ArrayObject { tile: tile.clone() })
}

impl Held {
    /// The array that is held now.
    fn now(&self, cx: &Context<'_>) -> PyResult<Tile> {
        let tile = self.tile.borrow().clone();
        let in_kernel = cx.innermost().filter(|trace| matches!(trace.kind, TraceKind::Kernel));
        let is_of = |trace: &Rc<crate::trace::Trace>| matches!(&tile, Tile::Traced(t) if Rc::ptr_eq(&t.trace, trace));
        if in_kernel.is_some_and(|trace| !is_of(&trace)) {
            return Err(cx.interp.type_error("No constant handler for type: <class 'jax._src.core.Ref'>"));
        }
        if !threads::is_open(cx, &tile) {
            let class = crate::errors::unexpected_tracer(cx.interp);
            return Err(cx.interp.error(
                &class,
                "Encountered an unexpected tracer. A Ref from outside was written in a function that a transformation \
                 traced, or in a branch of `pl.when`; the workbench does not provide this.",
            ));
        }
        Ok(tile)
    }
}

impl HeldRef {
    pub(crate) fn whole(held: Rc<Held>) -> HeldRef {
        HeldRef { held, within: Vec::new() }
    }

    /// Tells Refs from each other.
    pub(crate) fn number(&self) -> Option<Value> {
        Some(Value::from(self.held.number))
    }

    /// The array or the part of it that this refers to.
    pub(crate) fn read(&self, cx: &Context<'_>) -> PyResult<Tile> {
        let mut tile = self.held.now(cx)?;
        for key in &self.within {
            tile = part(cx, &tile, key)?;
        }
        Ok(tile)
    }

    /// Puts `value` at `key`, as `ref[key] = value` does.
    pub(crate) fn write(&self, cx: &Context<'_>, key: &Value, value: &Value) -> PyResult<()> {
        let interp = cx.interp;
        let whole = self.held.now(cx)?;
        let value = refs::storable(cx, value, whole.dtype())?;
        if value.dtype() != whole.dtype() {
            let (expected, given) = (whole.dtype().name(), value.dtype().name());
            return Err(
                interp.value_error(format!("Invalid dtype for `swap`. Ref dtype: {expected}. Value dtype: {given}. "))
            );
        }
        // From the whole to the innermost part, and back.
        let mut parts = vec![whole];
        for key in &self.within {
            let inner = part(cx, parts.last().unwrap_or(&value), key)?;
            parts.push(inner);
        }
        let mut new = value;
        for (part, key) in parts.iter().rev().zip(std::iter::once(key).chain(self.within.iter().rev())) {
            new = replaced(cx, part, key, &new)?;
        }
        *self.held.tile.borrow_mut() = new;
        Ok(())
    }
}

/// `tile[key]`, with the subscripts that Refs take.
pub(crate) fn part(cx: &Context<'_>, tile: &Tile, key: &Value) -> PyResult<Tile> {
    let index = parsed(cx, tile, key)?;
    if ref_index::is_everything(key) && index.shape == *tile.shape() {
        return Ok(tile.clone());
    }
    let read = cx.interp.get_item(&value_of(tile), &as_array_key(cx, key)?)?;
    convert::tile(cx, &read, "get")
}

/// A subscript, which unlike those of kernels' Refs is refused where it is known to lie outside.
fn parsed(cx: &Context<'_>, tile: &Tile, key: &Value) -> PyResult<ref_index::RefIndex> {
    let index = ref_index::parse(cx, tile.shape(), key)?;
    for (dim, &extent) in index.pattern.0.iter().zip(tile.shape().iter()) {
        if let DimIndex::At(Position::Static(at)) = dim
            && usize::try_from(*at).map_or(true, |at| at >= extent)
        {
            return Err(cx.interp.value_error(format!("Out of bound indexer: idx={at}, dim={extent}.")));
        }
    }
    Ok(index)
}

fn replaced(cx: &Context<'_>, tile: &Tile, key: &Value, value: &Tile) -> PyResult<Tile> {
    let index = parsed(cx, tile, key)?;
    let fits = pallas_tensor::Shape::broadcast(&[value.shape(), &index.shape]).is_some_and(|both| both == index.shape);
    if !fits {
        return Err(cx.interp.value_error(format!(
            "Invalid shape for `swap`. Ref shape: {}. Expected shape: {}. Value shape: {}. Transforms: ({},). ",
            tile.shape(),
            index.shape,
            value.shape(),
            index.text()
        )));
    }
    let value = primitive::broadcast_to(cx, value, &index.shape)?;
    if ref_index::is_everything(key) {
        return primitive::convert(cx, &value, tile.dtype(), tile.weak());
    }
    let at = cx.interp.get_attr(&value_of(tile), "at")?;
    let at = cx.interp.get_item(&at, &as_array_key(cx, key)?)?;
    let written = cx.interp.call_method(&at, "set", [value_of(&value)])?;
    convert::tile(cx, &written, "swap")
}

/// Slices of pallas become slices of Python where their start is known, and positions where it is not.
fn as_array_key(cx: &Context<'_>, key: &Value) -> PyResult<Value> {
    let interp = cx.interp;
    let one = |key: &Value| -> PyResult<Value> {
        let Some(slice) = key.downcast::<SliceObject>() else { return Ok(key.clone()) };
        slice.known_size(cx)?;
        let [start, size, stride] = ["start", "size", "stride"].map(|name| interp.get_attr(key, name));
        let (start, size, stride) = (start?, interp.to_i64(&size?)?, interp.to_i64(&stride?)?);
        if let Value::Int(_) = start {
            let first = interp.to_i64(&start)?;
            let upper = Value::from(first + (size - 1) * stride + 1);
            return Ok(Value::Slice(Rc::new(Slice { lower: start, upper, step: Value::from(stride) })));
        }
        let steps = interp.call_method(&interp.import("jax.numpy")?, "arange", [Value::from(size)])?;
        let steps = interp.binary(pallas_syntax::ast::BinaryOp::Mult, &steps, &Value::from(stride))?;
        interp.binary(pallas_syntax::ast::BinaryOp::Add, &start, &steps)
    };
    match key {
        Value::Tuple(keys) => Ok(Value::tuple(keys.iter().map(one).collect::<PyResult<Vec<_>>>()?)),
        key => one(key),
    }
}

impl Object for HeldRef {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["shape", "dtype", "ndim", "size", "at", "sharding", "aval"]
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let cx = Context::jax(interp);
        if let Some(inside) = self.inside(&cx) {
            return interp.get_attr(&inside, name).map(Some);
        }
        Ok(Some(match name {
            "shape" | "dtype" | "ndim" | "size" | "sharding" => {
                return interp.get_attr(&value_of(&self.read(&cx)?), name).map(Some);
            }
            // JAX has views of Refs in what it traces only.
            "at" if cx.innermost().is_none() => return Err(interp.not_implemented_error("")),
            "at" => Value::object(At(self.held.clone(), self.within.clone())),
            _ => return Ok(None),
        }))
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::jax(interp);
        if let Some(inside) = self.inside(&cx) {
            return Some(interp.get_item(&inside, key));
        }
        Some(self.read(&cx).and_then(|tile| Ok(convert::value(&cx, part(&cx, &tile, key)?))))
    }

    fn set_item(&self, _this: &Value, key: &Value, value: Value, interp: &Interp) -> Option<PyResult<()>> {
        let cx = Context::jax(interp);
        if let Some(inside) = self.inside(&cx) {
            return Some(interp.set_item(&inside, key, value));
        }
        Some(self.write(&cx, key, &value))
    }

    fn length(&self, _this: &Value, interp: &Interp) -> Option<PyResult<usize>> {
        let first = self.read(&Context::jax(interp)).map(|tile| tile.shape().first().copied());
        Some(first.and_then(|first| first.ok_or_else(|| interp.type_error("len() of unsized object"))))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let tile = self.read(&Context::jax(interp))?;
        if tile.array().is_none() {
            return Ok(Some(format!("JitTracer({})", text(&tile))));
        }
        let array = interp.repr(&value_of(&tile))?;
        Ok(Some(format!("Ref{}", array.strip_prefix("Array").unwrap_or(&array))))
    }
}

/// `Ref{float32[4]}`
pub(crate) fn text(tile: &Tile) -> String {
    let ty = tile.ty();
    format!("Ref{{{}}}", type_text(&ty))
}

impl Object for At {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&AT_CLASS)
    }

    fn get_item(&self, _this: &Value, key: &Value, _interp: &Interp) -> Option<PyResult<Value>> {
        let mut within = self.1.clone();
        within.push(key.clone());
        Some(Ok(Value::object(HeldRef { held: self.0.clone(), within })))
    }
}

//! What `jax.vmap(f)`, `jax.grad(f)` and kin return: a callable that stands for the transformed function.

use crate::context::Context;
use crate::convert;
use crate::tile::Tile;
use crate::tree::{self, TreeDef};
use pallas_ir::TensorType;
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// What a transformed function does when it is called.
pub(super) trait Transformation: 'static {
    /// Calls it.
    ///
    /// # Errors
    /// What the function and the transformation raise.
    fn call(&self, cx: &Context<'_>, function: &Value, args: CallArgs) -> PyResult<Value>;
}

/// A transformed function.
pub(super) struct Transformed {
    function: Value,
    how: Box<dyn Transformation>,
}

static CLASS: NativeClass = NativeClass {
    name: "function",
    module: "builtins",
    doc: "A transformed function.",
    methods: &[crate::support::METHOD],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// A transformed function as a value. What is not callable is refused as JAX refuses it.
///
/// # Errors
/// `TypeError` for what cannot be called.
pub(super) fn transformed(interp: &Interp, function: Value, how: impl Transformation) -> PyResult<Value> {
    if function.is_unknown() {
        return Ok(function);
    }
    if !interp.is_callable(&function) {
        let shown = interp.repr(&function)?;
        return Err(interp.type_error(format!("Expected a callable value, got {shown}")));
    }
    Ok(Value::object(Transformed { function, how: Box::new(how) }))
}

/// Attributes that a wrapper takes from the function inside: its name, its documentation, itself.
pub(crate) fn wrapped_attribute(interp: &Interp, function: &Value, name: &str) -> PyResult<Option<Value>> {
    match name {
        "__wrapped__" => Ok(Some(function.clone())),
        "__name__" | "__doc__" | "__qualname__" | "__module__" => interp.find_attr(function, name),
        _ => Ok(None),
    }
}

impl Object for Transformed {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        wrapped_attribute(interp, &self.function, name)
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.how.call(&Context::jax(interp), &self.function, args))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        interp.repr(&self.function).map(Some)
    }
}

/// A pytree of arrays, taken apart.
pub(super) struct Flat {
    /// Its leaves.
    pub tiles: Vec<Tile>,
    /// How they go together.
    pub tree: TreeDef,
}

/// What came of taking a pytree apart.
pub(super) enum Leaves {
    /// Arrays.
    Arrays(Flat),
    /// In analysis: something unknown among them.
    Unknown(Value),
}

/// Takes a pytree of arrays apart.
///
/// # Errors
/// `TypeError` for a leaf that is no array.
pub(super) fn arrays(cx: &Context<'_>, value: &Value) -> PyResult<Leaves> {
    if value.is_unknown() {
        return Ok(Leaves::Unknown(value.clone()));
    }
    let (leaves, tree) = tree::flatten(cx.interp, value, None)?;
    let mut tiles = Vec::with_capacity(leaves.len());
    for leaf in &leaves {
        match convert::try_tile(cx, leaf)? {
            Some(tile) => tiles.push(tile),
            None if leaf.is_unknown() => return Ok(Leaves::Unknown(leaf.clone())),
            None => {
                let class = cx.interp.repr(&Value::Class(cx.interp.type_of(leaf)))?;
                let shown = cx.interp.str(leaf)?;
                return Err(cx
                    .interp
                    .type_error(format!("Argument '{shown}' of type {class} is not a valid JAX type")));
            }
        }
    }
    Ok(Leaves::Arrays(Flat { tiles, tree }))
}

/// Types of tiles.
pub(super) fn types(tiles: &[Tile]) -> Vec<TensorType> {
    tiles.iter().map(Tile::ty).collect()
}

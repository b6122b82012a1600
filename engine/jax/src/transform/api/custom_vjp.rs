//! `jax.custom_vjp`.

use super::super::custom::{self, CustomRule, ReverseRule};
use super::object::wrapped_attribute;
use super::split::{Split, known, nondiff_positions};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::errors::type_text;
use crate::tile::Tile;
use crate::transform::stage::assemble;
use crate::transform::walk::in_python;
use crate::tree::{self, TreeDef};
use pallas_ir::TensorType;
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// Rows of `jax`.
pub(super) static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "custom_vjp",
    signature: "(fun, nondiff_argnums=(), nondiff_argnames=())",
    doc: "A function whose cotangents are defined by the program.",
    run: |interp, args| {
        let [function, nondiff, names] = args.take();
        let nondiff = nondiff_positions(interp, &function, &nondiff, &names)?;
        Ok(Value::object(CustomVjp { function, nondiff, rules: RefCell::new(None) }))
    },
}];

/// A function with a `vjp` of its own.
pub(super) struct CustomVjp {
    function: Value,
    nondiff: Vec<usize>,
    /// Forward and backward.
    rules: RefCell<Option<(Value, Value)>>,
}

static CLASS: NativeClass = NativeClass {
    name: "custom_vjp",
    module: "jax._src.custom_derivatives",
    doc: "A function whose cotangents are defined by the program.",
    methods: &[NativeDef {
        name: "defvjp",
        signature: "(self, fwd, bwd, symbolic_zeros=False, optimize_remat=False)",
        doc: "Defines `fwd(*args) -> (result, residuals)` and `bwd(*nondiff, residuals, cotangent) -> cotangents`.",
        run: |_interp, args| {
            let [this, forward, backward, _zeros, _remat] = args.take();
            if let Some(object) = this.downcast::<CustomVjp>() {
                *object.rules.borrow_mut() = Some((forward, backward));
            }
            Ok(Value::None)
        },
    }],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for CustomVjp {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        match name {
            "fun" => Ok(Some(self.function.clone())),
            "fwd" | "bwd" => {
                Ok(self.rules.borrow().as_ref().map(|(fwd, bwd)| if name == "fwd" { fwd } else { bwd }.clone()))
            }
            _ => wrapped_attribute(interp, &self.function, name),
        }
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.run(&Context::jax(interp), args))
    }
}

impl CustomVjp {
    fn run(&self, cx: &Context<'_>, args: CallArgs) -> PyResult<Value> {
        let name = cx.interp.callable_name(&self.function);
        let Some((forward, backward)) = self.rules.borrow().clone() else {
            return Err(cx.interp.error(
                &cx.interp.types().attribute_error,
                format!("No VJP defined for custom_vjp function {name} using defvjp."),
            ));
        };
        let call = match Split::new(cx, &self.function, &self.nondiff, args)? {
            Err(value) => return Ok(value),
            Ok(call) => call,
        };
        let rule = Reverse { name: name.clone(), forward, backward, call: call.clone(), trees: RefCell::new(None) };
        call.run(cx, &name, CustomRule::Reverse(Rc::new(rule)), &self.function)
    }
}

/// The rule of one call.
struct Reverse {
    name: String,
    forward: Value,
    backward: Value,
    call: Split,
    /// Of what the forward function returned: the tree of the result, and how the residuals go together. And what it was
    /// called with, which under `vmap` has fewer dimensions than the operands of the call.
    trees: RefCell<Option<(TreeDef, Kept, Vec<TensorType>)>>,
}

/// Residuals: a tree of arrays and of whatever else the forward function kept.
#[derive(Clone)]
struct Kept {
    tree: TreeDef,
    /// What is no array, in its place; `None` for the next array.
    others: Vec<Option<Value>>,
}

impl ReverseRule for Reverse {
    fn forward(&self, cx: &Context<'_>, operands: &[Tile]) -> PyResult<(Vec<Tile>, Vec<Tile>)> {
        let arguments = self.call.arguments(cx, operands)?;
        let pair = custom::python(cx, &self.forward, arguments)?;
        let items = match &pair {
            Value::Tuple(_) | Value::List(_) => cx.interp.collect(&pair)?,
            _ => Vec::new(),
        };
        let [result, residuals] = items.as_slice() else {
            return Err(cx.interp.type_error(format!(
                "Custom VJP fwd rule {fwd} for function {name} must produce a pair (list or tuple of length two) where \
                 the first element represents the primal output (equal to those of the custom_vjp-decorated function \
                 {name}) and the second element represents residuals (i.e. values stored from the forward pass for use \
                 on the backward pass), but instead of a pair the fwd rule {fwd} produced {pair}.",
                fwd = cx.interp.callable_name(&self.forward),
                name = self.name,
                pair = cx.interp.repr(&pair)?
            )));
        };
        let result = known(cx, result)?;
        let (leaves, tree) = tree::flatten(cx.interp, residuals, None)?;
        let mut tiles = Vec::new();
        let mut others = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let number = matches!(leaf, Value::Bool(_) | Value::Int(_) | Value::Float(_));
            match if number { None } else { convert::try_tile(cx, &leaf)? } {
                Some(tile) => {
                    tiles.push(tile);
                    others.push(None);
                }
                None => others.push(Some(leaf)),
            }
        }
        let taken = operands.iter().map(Tile::ty).collect();
        *self.trees.borrow_mut() = Some((result.tree, Kept { tree, others }, taken));
        Ok((result.tiles, tiles))
    }

    fn backward(&self, cx: &Context<'_>, residuals: &[Tile], cotangents: &[Tile]) -> PyResult<Vec<Option<Tile>>> {
        let Some((out_tree, kept, taken)) = self.trees.borrow().clone() else {
            return Err(cx.interp.runtime_error("a backward rule before its forward rule".to_string()));
        };
        let mut tiles = residuals.iter();
        let mut leaves = kept.others.iter().map(|other| match other {
            Some(value) => value.clone(),
            None => tiles.next().map_or(Value::None, |tile| Value::object(ArrayObject { tile: tile.clone() })),
        });
        let residuals = tree::unflatten(cx.interp, &kept.tree, &mut leaves)?;
        let cotangent = assemble(cx, &out_tree, cotangents.iter().cloned())?;
        let mut arguments: Vec<Value> = self.call.nondiff.iter().map(|(_, value)| value.clone()).collect();
        arguments.extend([residuals, cotangent]);
        let given = custom::python(cx, &self.backward, arguments)?;
        in_python(cx, || self.collected(cx, &given, &taken))
    }
}

impl Reverse {
    /// A cotangent per array operand from what the backward rule returned; `taken` are the types of the operands.
    fn collected(&self, cx: &Context<'_>, given: &Value, taken: &[TensorType]) -> PyResult<Vec<Option<Tile>>> {
        let interp = cx.interp;
        let items = match given {
            Value::Tuple(_) | Value::List(_) => interp.collect(given)?,
            _ => Vec::new(),
        };
        if items.len() != self.call.trees.len() {
            return Err(self.mismatch(cx, given)?);
        }
        let mut leaves: Vec<Option<Value>> = Vec::with_capacity(self.call.leaves.len());
        for (item, tree) in items.iter().zip(&self.call.trees) {
            if !fill(cx, item, tree, &mut leaves)? {
                return Err(self.mismatch(cx, given)?);
            }
        }
        let mut paths = Vec::new();
        TreeDef::Tuple(self.call.trees.clone()).paths("", &mut paths);
        let mut types = taken.iter();
        self.call
            .only_arrays(&leaves)
            .into_iter()
            .zip(self.call.only_arrays(&paths))
            .map(|(leaf, path)| {
                let like = types.next();
                let (Some(leaf), Some(like)) = (leaf, like) else { return Ok(None) };
                if !like.dtype.is_float() {
                    return Ok(None);
                }
                let tile = convert::tile(cx, &leaf, "custom_vjp")?;
                let (ty, expected) = (tile.ty(), like);
                // JAX takes any dtype here for operands that are inexact, and keeps it.
                if ty.shape != expected.shape {
                    return Err(interp.value_error(format!(
                        "Custom VJP bwd rule must produce an output with the same type as the args tuple of the primal \
                         function, but at output{path} the bwd rule produced an output of type {} corresponding to an \
                         input of type {}, so {}the shapes do not match",
                        type_text(&ty),
                        type_text(expected),
                        if ty.dtype == expected.dtype { "" } else { "the dtypes do not match, and " }
                    )));
                }
                Ok(Some(tile))
            })
            .collect()
    }

    fn mismatch(&self, cx: &Context<'_>, given: &Value) -> PyResult<Box<pallas_python::Stop>> {
        let (_, tree) = tree::flatten(cx.interp, given, None)?;
        Ok(cx.interp.type_error(format!(
            "Custom VJP bwd rule must produce an output with the same container (pytree) structure as the args tuple of \
             the primal function, and in particular must produce a tuple of length equal to the number of arguments to \
             the primal function, but got bwd output structure PyTreeDef({}) for primal input structure PyTreeDef({}).",
            tree.text(cx.interp)?,
            TreeDef::Tuple(self.call.trees.clone()).text(cx.interp)?
        )))
    }
}

/// The leaves of `item`, one per leaf of `tree`; `None` stands for no cotangent of all it covers.
fn fill(cx: &Context<'_>, item: &Value, tree: &TreeDef, leaves: &mut Vec<Option<Value>>) -> PyResult<bool> {
    if item.is_none() {
        leaves.extend(std::iter::repeat_n(None, tree.leaves()));
        return Ok(true);
    }
    match (item, tree) {
        (_, TreeDef::Leaf) => {
            leaves.push(Some(item.clone()));
            Ok(true)
        }
        (Value::Tuple(_) | Value::List(_) | Value::Instance(_), TreeDef::Tuple(defs) | TreeDef::List(defs))
        | (Value::Tuple(_) | Value::Instance(_), TreeDef::NamedTuple(_, defs)) => {
            let items = cx.interp.collect(item)?;
            if items.len() != defs.len() {
                return Ok(false);
            }
            for (item, def) in items.iter().zip(defs) {
                if !fill(cx, item, def, leaves)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Dict(_), TreeDef::Dict(keys, defs)) => {
            for (key, def) in keys.iter().zip(defs) {
                let Ok(item) = cx.interp.get_item(item, key) else { return Ok(false) };
                if !fill(cx, &item, def, leaves)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => {
            let (found, def) = tree::flatten(cx.interp, item, None)?;
            // One cotangent stands for all of a subtree, and says nothing about an argument without arrays.
            if matches!(def, TreeDef::Leaf) {
                leaves.extend(std::iter::repeat_n(Some(item.clone()), tree.leaves()));
                return Ok(true);
            }
            if !def.same(tree, cx.interp)? {
                return Ok(false);
            }
            leaves.extend(found.into_iter().map(Some));
            Ok(true)
        }
    }
}

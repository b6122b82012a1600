//! `jax.vjp` and `jax.linear_transpose`.

use super::grad::{Traced, Tracing, trace};
use super::object::{Leaves, arrays};
use crate::context::Context;
use crate::errors::type_text;
use crate::tile::Tile;
use crate::transform::derive::{Pullback, vjp, zeros, zeros_like};
use crate::transform::stage::assemble;
use crate::tree::TreeDef;
use pallas_ir::TensorType;
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// Rows of `jax`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "vjp",
        signature: "(fun, *primals, has_aux=False, reduce_axes=())",
        doc: "The value of `fun`, and a function from cotangents of its results to cotangents of its arguments.",
        run: vjp_function,
    },
    NativeDef {
        name: "linear_transpose",
        signature: "(fun, *primals, reduce_axes=())",
        doc: "A function from cotangents of the results of a linear function to those of its arguments.",
        run: linear_transpose,
    },
];

/// The way back, as a function.
struct Back {
    pullback: Pullback,
    out_tree: TreeDef,
    out_types: Vec<TensorType>,
    in_trees: Vec<TreeDef>,
    in_types: Vec<TensorType>,
    /// Leaves of the result beyond the first of a pair with `has_aux`.
    aux: usize,
}

static CLASS: NativeClass = NativeClass {
    name: "VJP",
    module: "jax._src.api",
    doc: "A function from cotangents of results to cotangents of arguments.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Back {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.apply(&Context::jax(interp), args))
    }
}

impl Back {
    fn apply(&self, cx: &Context<'_>, args: CallArgs) -> PyResult<Value> {
        let Some(given) = args.positional.first() else {
            return Err(cx.interp.type_error("The function returned by `jax.vjp` takes one cotangent".to_string()));
        };
        let flat = match arrays(cx, given)? {
            Leaves::Unknown(value) => return Ok(value),
            Leaves::Arrays(flat) => flat,
        };
        if !flat.tree.same(&self.out_tree, cx.interp)? {
            return Err(cx.interp.value_error(format!(
                "unexpected tree structure of argument to vjp function: got {}, but expected to match {}",
                flat.tree.text(cx.interp)?,
                self.out_tree.text(cx.interp)?
            )));
        }
        for (tile, expected) in flat.tiles.iter().zip(&self.out_types) {
            let ty = tile.ty();
            if ty.shape != expected.shape || (ty.dtype != expected.dtype && expected.dtype.is_float()) {
                return Err(cx.interp.value_error(format!(
                    "unexpected JAX type (e.g. shape/dtype) for argument to vjp function: got {}, but expected {} because \
                     the corresponding output of the differentiated function had JAX type {}",
                    type_text(&ty),
                    type_text(expected),
                    type_text(expected)
                )));
            }
        }
        let mut cotangents: Vec<Option<Tile>> =
            flat.tiles.into_iter().zip(&self.out_types).map(|(tile, ty)| ty.dtype.is_float().then_some(tile)).collect();
        cotangents.resize(cotangents.len() + self.aux, None);
        let mut given = self.pullback.apply(cx, cotangents)?.into_iter();
        let mut values = Vec::with_capacity(self.in_trees.len());
        let mut types = self.in_types.iter();
        for tree in &self.in_trees {
            let mut tiles = Vec::with_capacity(tree.leaves());
            for ty in types.by_ref().take(tree.leaves()) {
                tiles.push(match given.next().flatten() {
                    Some(tile) => tile,
                    None => zeros(cx, ty)?,
                });
            }
            values.push(assemble(cx, tree, tiles)?);
        }
        Ok(Value::tuple(values))
    }
}

fn vjp_function(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, primals, has_aux, _axes] = args.take();
    let cx = Context::jax(interp);
    let has_aux = interp.truth(&has_aux)?;
    let primals = interp.collect(&primals)?;
    let (answer, back) = match backward(&cx, &function, primals, has_aux, false)? {
        Err(value) => return Ok(value),
        Ok(pair) => pair,
    };
    let back = Value::object(back);
    if !has_aux {
        return Ok(Value::tuple([answer, back]));
    }
    match interp.collect(&answer)?.as_slice() {
        [value, aux] => Ok(Value::tuple([value.clone(), back, aux.clone()])),
        _ => Err(interp.type_error("with has_aux=True the function must return a pair".to_string())),
    }
}

fn linear_transpose(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, primals, _axes] = args.take();
    let cx = Context::jax(interp);
    // Arguments may be given as types; a linear function is the same everywhere, so zeros will do.
    let mut values = Vec::new();
    for primal in interp.collect(&primals)? {
        let (leaves, tree) = crate::tree::flatten(interp, &primal, None)?;
        let mut tiles = Vec::with_capacity(leaves.len());
        for leaf in &leaves {
            tiles.push(match crate::pallas::spec::declared(&cx, leaf)? {
                Some((shape, dtype)) => zeros(&cx, &TensorType::new(dtype, shape))?,
                None => {
                    let tile = crate::convert::tile(&cx, leaf, "linear_transpose")?;
                    crate::primitive::convert(&cx, &zeros_like(&cx, &tile)?, tile.dtype(), tile.weak())?
                }
            });
        }
        values.push(assemble(&cx, &tree, tiles)?);
    }
    Ok(match backward(&cx, &function, values, false, true)? {
        Err(value) => value,
        Ok((_, back)) => Value::object(back),
    })
}

/// The value of a function and its way back; or something unknown.
fn backward(
    cx: &Context<'_>,
    function: &Value,
    primals: Vec<Value>,
    has_aux: bool,
    linear: bool,
) -> PyResult<Result<(Value, Back), Value>> {
    let positions: Vec<usize> = (0..primals.len()).collect();
    let args = CallArgs::positional(primals);
    let name = if linear { "linear_transpose" } else { "vjp" };
    let Traced { staged, tiles, trees } = match trace(cx, name, function, &args, &positions, &|_| Ok(()))? {
        Tracing::Unknown(value) => return Ok(Err(value)),
        Tracing::Done(traced) => traced,
    };
    let out_tree = match (&staged.tree, has_aux) {
        (TreeDef::Tuple(defs), true) if defs.len() == 2 => defs[0].clone(),
        (tree, _) => tree.clone(),
    };
    let in_types: Vec<TensorType> = tiles.iter().map(Tile::ty).collect();
    let mut wanted: Vec<bool> = in_types.iter().map(|ty| ty.dtype.is_float()).collect();
    wanted.resize(in_types.len() + staged.lifted.len(), false);
    let arguments = tiles.into_iter().chain(staged.lifted).collect();
    let (results, pullback) = vjp(cx, staged.function, arguments, &wanted)?;
    let leaves = out_tree.leaves();
    let out_types: Vec<TensorType> = results.iter().take(leaves).map(Tile::ty).collect();
    let aux = results.len() - leaves;
    let answer = assemble(cx, &staged.tree, results)?;
    Ok(Ok((answer, Back { pullback, out_tree, out_types, in_trees: trees, in_types, aux })))
}

//! `jax.jvp` and `jax.linearize`.

use super::grad::{Traced, Tracing, trace};
use super::object::{Leaves, arrays};
use crate::context::Context;
use crate::tile::Tile;
use crate::transform::derive::{Dual, instantiate, jvp};
use crate::transform::stage::{Staged, assemble};
use crate::tree::TreeDef;
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
        name: "jvp",
        signature: "(fun, primals, tangents, has_aux=False)",
        doc: "The value of `fun`, and how it changes along `tangents`.",
        run: jvp_function,
    },
    NativeDef {
        name: "linearize",
        signature: "(fun, *primals, has_aux=False)",
        doc: "The value of `fun`, and a function from tangents of its arguments to those of its results.",
        run: linearize,
    },
];

/// The results of a staged function with their tangents, as pytrees.
fn push(
    cx: &Context<'_>,
    staged: &Staged,
    primals: &[Tile],
    tangents: Vec<Tile>,
    has_aux: bool,
) -> PyResult<Vec<Value>> {
    let mut arguments: Vec<Dual> = primals
        .iter()
        .zip(tangents)
        .map(|(primal, tangent)| {
            let tangent = primal.dtype().is_float().then_some(tangent);
            Dual { primal: primal.clone(), tangent }
        })
        .collect();
    arguments.extend(staged.lifted.iter().cloned().map(Dual::constant));
    let results = jvp(cx, &staged.function, arguments)?;
    let mut tangents = Vec::with_capacity(results.len());
    for dual in &results {
        tangents.push(instantiate(cx, dual.tangent.clone(), &dual.primal)?);
    }
    let values = assemble(cx, &staged.tree, results.into_iter().map(|dual| dual.primal))?;
    let tangents = assemble(cx, &staged.tree, tangents)?;
    if !has_aux {
        return Ok(vec![values, tangents]);
    }
    let (values, tangents) = (cx.interp.collect(&values)?, cx.interp.collect(&tangents)?);
    match (values.as_slice(), tangents.as_slice()) {
        ([value, aux], [tangent, _]) => Ok(vec![value.clone(), tangent.clone(), aux.clone()]),
        _ => Err(cx.interp.type_error("with has_aux=True the function must return a pair".to_string())),
    }
}

/// Tangents that fit the primals.
fn matched(cx: &Context<'_>, trees: &[TreeDef], primals: &[Tile], tangents: &Value) -> PyResult<Leaves> {
    let flat = match arrays(cx, tangents)? {
        Leaves::Unknown(value) => return Ok(Leaves::Unknown(value)),
        Leaves::Arrays(flat) => flat,
    };
    let expected = TreeDef::Tuple(trees.to_vec());
    let listed = match &flat.tree {
        TreeDef::List(defs) => TreeDef::Tuple(defs.clone()),
        tree => tree.clone(),
    };
    if !listed.same(&expected, cx.interp)? {
        return Err(cx.interp.type_error(format!(
            "primal and tangent arguments to jax.jvp must have the same tree structure; primals have tree structure {} \
             whereas tangents have tree structure {}.",
            expected.text(cx.interp)?,
            flat.tree.text(cx.interp)?
        )));
    }
    for (primal, tangent) in primals.iter().zip(&flat.tiles) {
        if primal.dtype() != tangent.dtype() {
            return Err(cx.interp.type_error(format!(
                "primal and tangent arguments to jax.jvp do not match; dtypes must be equal, or in case of int/bool \
                 primal dtype the tangent dtype must be float0.Got primal dtype {0} and so expected tangent dtype {0}, \
                 but got tangent dtype {1} instead.",
                primal.dtype().name(),
                tangent.dtype().name()
            )));
        }
        if primal.shape() != tangent.shape() {
            return Err(cx.interp.value_error(format!(
                "jvp called with different primal and tangent shapes;Got primal shape {} and tangent shape as {}",
                primal.shape(),
                tangent.shape()
            )));
        }
    }
    Ok(Leaves::Arrays(flat))
}

fn jvp_function(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, primals, tangents, has_aux] = args.take();
    let cx = Context::jax(interp);
    let has_aux = interp.truth(&has_aux)?;
    for value in [&primals, &tangents] {
        if !matches!(value, Value::Tuple(_) | Value::List(_) | Value::Unknown(_)) {
            return Err(interp.type_error(format!(
                "primal and tangent arguments to jax.jvp must be tuples or lists; found {} and {}.",
                interp.type_of(&primals).name,
                interp.type_of(&tangents).name
            )));
        }
    }
    let primals = interp.collect(&primals)?;
    let positions: Vec<usize> = (0..primals.len()).collect();
    let args = CallArgs::positional(primals);
    let Traced { staged, tiles, trees } = match trace(&cx, "jvp", &function, &args, &positions, &|_| Ok(()))? {
        Tracing::Unknown(value) => return Ok(value),
        Tracing::Done(traced) => traced,
    };
    match matched(&cx, &trees, &tiles, &tangents)? {
        Leaves::Unknown(value) => Ok(value),
        Leaves::Arrays(flat) => Ok(Value::tuple(push(&cx, &staged, &tiles, flat.tiles, has_aux)?)),
    }
}

/// The function that `linearize` returns.
struct Linear {
    staged: Staged,
    tiles: Vec<Tile>,
    trees: Vec<TreeDef>,
}

static CLASS: NativeClass = NativeClass {
    name: "function",
    module: "builtins",
    doc: "A function from tangents of arguments to tangents of results.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Linear {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::jax(interp);
        let tangents = Value::tuple(args.positional.iter().cloned());
        let run = || match matched(&cx, &self.trees, &self.tiles, &tangents)? {
            Leaves::Unknown(value) => Ok(value),
            Leaves::Arrays(flat) => {
                let mut results = push(&cx, &self.staged, &self.tiles, flat.tiles, false)?;
                Ok(results.pop().unwrap_or(Value::None))
            }
        };
        Some(run())
    }
}

fn linearize(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, primals, has_aux] = args.take();
    let cx = Context::jax(interp);
    if interp.truth(&has_aux)? {
        return Err(interp.error(
            &interp.types().not_implemented_error,
            "jax.linearize(has_aux=True) is not provided by the workbench yet".to_string(),
        ));
    }
    let primals = interp.collect(&primals)?;
    let positions: Vec<usize> = (0..primals.len()).collect();
    let args = CallArgs::positional(primals);
    let Traced { staged, tiles, trees } = match trace(&cx, "linearize", &function, &args, &positions, &|_| Ok(()))? {
        Tracing::Unknown(value) => return Ok(value),
        Tracing::Done(traced) => traced,
    };
    let wanted: Vec<bool> = (0..staged.function.params().len()).map(|number| number < tiles.len()).collect();
    crate::transform::derive::check_linear(&cx, &staged.function, &wanted)?;
    let zeros = tiles.iter().map(|tile| crate::transform::derive::zeros_like(&cx, tile)).collect::<PyResult<_>>()?;
    let mut results = push(&cx, &staged, &tiles, zeros, false)?;
    results.truncate(1);
    results.push(Value::object(Linear { staged, tiles, trees }));
    Ok(Value::tuple(results))
}

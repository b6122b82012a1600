//! `jax.grad` and `jax.value_and_grad` (jax/_src/api.py).

use super::object::{Leaves, Transformation, arrays, transformed, types};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::primitive;
use crate::tile::Tile;
use crate::trace::TraceKind;
use crate::transform::derive::{vjp, zeros_like};
use crate::transform::stage::{Outcome, Staged, assemble, stage_at};
use crate::tree::{self, TreeDef};
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// Rows of `jax`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "grad",
        signature: "(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=())",
        doc: "A function that gives the gradient of `fun`, which returns a scalar.",
        run: |interp, args| gradient(interp, args, false),
    },
    NativeDef {
        name: "value_and_grad",
        signature: "(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False, reduce_axes=())",
        doc: "A function that gives the value of `fun` and its gradient.",
        run: |interp, args| gradient(interp, args, true),
    },
];

/// Which positional arguments a derivative is taken by.
pub(super) enum Argnums {
    /// One; its gradient comes alone.
    One(i64),
    /// Several; their gradients come in a tuple.
    Several(Vec<i64>),
}

impl Argnums {
    pub(super) fn parse(interp: &Interp, value: &Value) -> PyResult<Self> {
        Ok(match value {
            Value::Tuple(_) | Value::List(_) => {
                let items = interp.collect(value)?;
                Argnums::Several(items.iter().map(|item| interp.to_i64(item)).collect::<PyResult<_>>()?)
            }
            value => Argnums::One(interp.to_i64(value)?),
        })
    }

    pub(super) fn list(&self) -> Vec<i64> {
        match self {
            Argnums::One(number) => vec![*number],
            Argnums::Several(numbers) => numbers.clone(),
        }
    }

    /// The positions among `count` arguments.
    pub(super) fn positions(&self, cx: &Context<'_>, count: usize) -> PyResult<Vec<usize>> {
        self.list()
            .into_iter()
            .map(|number| {
                let position = if number < 0 { number + count as i64 } else { number };
                usize::try_from(position).ok().filter(|&position| position < count).ok_or_else(|| {
                    let shown = self.list().iter().map(i64::to_string).collect::<Vec<_>>();
                    let shown = match self {
                        Argnums::One(number) => number.to_string(),
                        Argnums::Several(_) if shown.len() == 1 => format!("({},)", shown[0]),
                        Argnums::Several(_) => format!("({})", shown.join(", ")),
                    };
                    let most = self.list().into_iter().max().unwrap_or(0) + 1;
                    cx.interp.type_error(format!(
                        "differentiating with respect to argnums={shown} requires at least {most} positional arguments \
                         to be passed by the caller, but got only {count} positional arguments."
                    ))
                })
            })
            .collect()
    }
}

struct Gradient {
    argnums: Argnums,
    has_aux: bool,
    allow_int: bool,
    with_value: bool,
}

fn gradient(interp: &Interp, args: Arguments, with_value: bool) -> PyResult<Value> {
    let [function, argnums, has_aux, holomorphic, allow_int, _axes] = args.take();
    let argnums = Argnums::parse(interp, &argnums)?;
    let (has_aux, allow_int) = (interp.truth(&has_aux)?, interp.truth(&allow_int)?);
    if interp.truth(&holomorphic)? {
        return Err(interp.error(
            &interp.types().not_implemented_error,
            "jax.grad(holomorphic=True) needs complex arrays, which the workbench does not provide yet".to_string(),
        ));
    }
    transformed(interp, function, Gradient { argnums, has_aux, allow_int, with_value })
}

/// A call of which some positional arguments are traced.
pub(super) struct Traced {
    pub(super) staged: Staged,
    /// Tiles of the traced arguments.
    pub(super) tiles: Vec<Tile>,
    /// The tree of each traced argument.
    pub(super) trees: Vec<TreeDef>,
}

/// What came of tracing a call.
pub(super) enum Tracing {
    Done(Traced),
    Unknown(Value),
}

/// Traces `function` by the arguments at `positions`; the others are passed as they are.
pub(super) fn trace(
    cx: &Context<'_>,
    name: &str,
    function: &Value,
    args: &CallArgs,
    positions: &[usize],
    check: &dyn Fn(&Tile) -> PyResult<()>,
) -> PyResult<Tracing> {
    let mut tiles = Vec::new();
    let mut trees = Vec::new();
    for &position in positions {
        match arrays(cx, &args.positional[position])? {
            Leaves::Unknown(value) => return Ok(Tracing::Unknown(value)),
            Leaves::Arrays(flat) => {
                flat.tiles.iter().try_for_each(check)?;
                tiles.extend(flat.tiles);
                trees.push(flat.tree);
            }
        }
    }
    // A linear function is traced for all arguments alike.
    let arguments = if name == "linear_transpose" { &[] } else { &tiles[..] };
    let outcome = stage_at(cx, name, true, &types(&tiles), arguments, |params| {
        let mut values = params.into_iter().map(|tile| Value::object(ArrayObject { tile }));
        let mut call = args.clone();
        for (&position, tree) in positions.iter().zip(&trees) {
            call.positional[position] = tree::unflatten(cx.interp, tree, &mut values)?;
        }
        cx.interp.call(function, call)
    })?;
    Ok(match outcome {
        Outcome::Unknown(value) => Tracing::Unknown(value),
        Outcome::Staged(staged) => Tracing::Done(Traced { staged, tiles, trees }),
    })
}

impl Transformation for Gradient {
    fn call(&self, cx: &Context<'_>, function: &Value, args: CallArgs) -> PyResult<Value> {
        let positions = self.argnums.positions(cx, args.positional.len())?;
        let check = |tile: &Tile| self.check_input(cx, tile);
        let Traced { staged, tiles, trees } = match trace(cx, "grad", function, &args, &positions, &check)? {
            Tracing::Unknown(value) => return Ok(value),
            Tracing::Done(traced) => traced,
        };
        let value_tree = if self.has_aux { self.pair(cx, &staged.tree)? } else { staged.tree.clone() };
        let mut wanted: Vec<bool> = tiles.iter().map(|tile| tile.dtype().is_float()).collect();
        let count = wanted.len();
        wanted.resize(count + staged.lifted.len(), false);
        let likes = tiles.clone();
        let arguments = tiles.into_iter().chain(staged.lifted).collect();
        let (results, back) = vjp(cx, staged.function, arguments, &wanted)?;
        let value = &results[..value_tree.leaves()];
        self.check_output(cx, value, &value_tree, &staged.numbers)?;
        let one = own_constant(cx, primitive::scalar_like(&value[0], 1.0))?;
        let mut cotangents = vec![Some(one)];
        cotangents.resize(results.len(), None);
        let mut given = back.apply(cx, cotangents)?.into_iter();
        let mut gradients = Vec::with_capacity(count);
        for like in &likes {
            gradients.push(match given.next().flatten() {
                Some(tile) => tile,
                None => zeros_like(cx, like)?,
            });
        }
        let mut gradients = gradients.into_iter();
        let mut by_argument = Vec::with_capacity(trees.len());
        for tree in &trees {
            by_argument.push(assemble(cx, tree, gradients.by_ref().take(tree.leaves()))?);
        }
        let gradient = match (&self.argnums, by_argument.len()) {
            (Argnums::One(_), 1) => by_argument.remove(0),
            _ => Value::tuple(by_argument),
        };
        let answer = assemble(cx, &staged.tree, results)?;
        if self.with_value {
            return Ok(Value::tuple([answer, gradient]));
        }
        if self.has_aux {
            let aux = cx.interp.collect(&answer)?.pop().unwrap_or(Value::None);
            return Ok(Value::tuple([gradient, aux]));
        }
        Ok(gradient)
    }
}

impl Gradient {
    fn name(&self) -> &'static str {
        if self.with_value { "value_and_grad" } else { "grad" }
    }

    /// The tree of the first of a pair.
    fn pair(&self, cx: &Context<'_>, tree: &TreeDef) -> PyResult<TreeDef> {
        match tree {
            TreeDef::Tuple(defs) if defs.len() == 2 => Ok(defs[0].clone()),
            _ => Err(cx.interp.type_error(format!(
                "expected function with aux output to return a two-element tuple, but got type with structure {}",
                tree.text(cx.interp)?
            ))),
        }
    }

    fn check_input(&self, cx: &Context<'_>, tile: &Tile) -> PyResult<()> {
        let dtype = tile.dtype();
        if dtype.is_float() {
            return Ok(());
        }
        if !self.allow_int {
            return Err(cx.interp.type_error(format!(
                "grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), but got \
                 {}. If you want to use Boolean- or integer-valued inputs, use vjp or set allow_int to True.",
                dtype.name()
            )));
        }
        Err(cx.interp.error(
            &cx.interp.types().not_implemented_error,
            format!(
                "jax.{} with allow_int=True gives arrays of dtype float0, which the workbench does not provide yet",
                self.name()
            ),
        ))
    }

    fn check_output(
        &self,
        cx: &Context<'_>,
        value: &[Tile],
        tree: &TreeDef,
        numbers: &[Option<Value>],
    ) -> PyResult<()> {
        let (TreeDef::Leaf, [value]) = (tree, value) else {
            let leaf = |(tile, number): (&Tile, &Option<Value>)| match number {
                Some(number) => number.clone(),
                None => Value::object(ArrayObject { tile: tile.clone() }),
            };
            let mut leaves = value.iter().zip(numbers).map(leaf);
            let output = tree::unflatten(cx.interp, tree, &mut leaves)?;
            return Err(cx.interp.type_error(format!(
                "Gradient only defined for scalar-output functions. Output was {}.",
                cx.interp.repr(&output)?
            )));
        };
        if value.rank() > 0 {
            return Err(cx.interp.type_error(format!(
                "Gradient only defined for scalar-output functions. Output had shape: {}.",
                value.shape()
            )));
        }
        if !value.dtype().is_float() {
            return Err(cx.interp.type_error(format!(
                "grad requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but got {}. For \
                 differentiation of functions with integer outputs, use jax.vjp directly.",
                value.dtype().name()
            )));
        }
        Ok(())
    }
}

/// A constant of our own making inside a kernel: part of it, not captured from outside.
fn own_constant(cx: &Context<'_>, tile: Tile) -> PyResult<Tile> {
    match cx.trace() {
        Some(trace) if trace.kind == TraceKind::Kernel => {
            let value = cx.value_in(&trace, &tile)?;
            Ok(trace.tile(value).unwrap_or(tile))
        }
        _ => Ok(tile),
    }
}

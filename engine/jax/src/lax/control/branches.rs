//! `cond` and `switch`.

use super::{assemble, leaves, staged, tiles};
use crate::context::Context;
use crate::convert;
use crate::held::threads::Threads;
use crate::primitive;
use crate::tile::Tile;
use crate::tree::TreeDef;
use pallas_ir::{Attributes, Op, TensorType, ops};
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar};

/// Builds the ops of a branch.
type BranchFn<'b> = dyn FnMut(&Context<'_>) -> PyResult<Vec<Tile>> + 'b;

/// A branch of [`cond`]: builds its part and returns its results.
pub type Branch<'b> = &'b mut BranchFn<'b>;

/// A branch on a scalar: `branches[clamp(index)]`. Booleans index `[false, true]`.
pub fn cond(cx: &Context<'_>, index: &Tile, branches: &mut [Branch<'_>]) -> PyResult<Vec<Tile>> {
    staged(cx, "cond", |trace| {
        let index = primitive::convert(cx, index, DType::I32, false)?;
        let index = cx.value_in(trace, &index)?;
        let mut regions = Vec::new();
        for branch in branches.iter_mut() {
            let (region, ()) = trace.in_region(&[], |_| {
                let results = branch(cx)?;
                let yields = results.iter().map(|tile| cx.value_in(trace, tile)).collect::<PyResult<Vec<_>>>()?;
                Ok((yields, ()))
            })?;
            regions.push(region);
        }
        let results = trace.add(cx, Op(&ops::COND), &[index], Attributes::none(), &regions)?;
        Ok(tiles(trace, &results))
    })
}

fn operands_of(operands: &Value, single: Value, interp: &Interp) -> PyResult<Vec<Value>> {
    let mut all = interp.collect(operands)?;
    if !matches!(single, Value::Unset | Value::Ellipsis) {
        all.push(single);
    }
    Ok(all)
}

pub(super) fn cond_function(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [predicate, on_true, on_false, operands, operand, _linear] = args.take();
    let cx = Context::jax(interp);
    let operands = operands_of(&operands, operand, interp)?;
    if predicate.is_unknown() {
        return Ok(predicate);
    }
    let tile = convert::tile(&cx, &predicate, "cond")?;
    if tile.rank() != 0 {
        let shown = interp.repr(&predicate)?;
        return Err(interp.type_error(format!("Pred must be a scalar, got {shown} of shape {}.", tile.shape())));
    }
    let condition = if tile.dtype() == DType::Bool {
        tile
    } else {
        let zero = primitive::scalar_like(&tile, 0.0);
        primitive::binary(&cx, &ops::NE, &tile, &Tile::Concrete { array: zero_array(&zero), weak: tile.weak() })?
    };
    branches(&cx, "cond", &condition, &[on_false, on_true], &operands)
}

fn zero_array(tile: &Tile) -> pallas_tensor::Array {
    tile.array().cloned().unwrap_or_else(|| pallas_tensor::Array::scalar(tile.dtype(), Scalar::Int(0)))
}

pub(super) fn switch(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [index, functions, operands, operand] = args.take();
    let cx = Context::jax(interp);
    let operands = operands_of(&operands, operand, interp)?;
    let functions = interp.collect(&functions)?;
    if functions.is_empty() {
        return Err(interp.value_error("Empty branch sequence".to_string()));
    }
    let index = convert::tile(&cx, &index, "switch")?;
    if !index.dtype().is_integer() || index.rank() != 0 {
        return Err(
            interp.type_error(format!("Index type must be an integer, got {}", primitive::type_text(&index.ty())))
        );
    }
    branches(&cx, "switch", &index, &functions, &operands)
}

/// What a branch returned: its structure and types.
type BranchShape = Option<(TreeDef, Vec<TensorType>)>;

/// Traces functions as branches, checks that they agree, and puts the result together.
pub(super) fn branches(
    cx: &Context<'_>,
    name: &str,
    index: &Tile,
    functions: &[Value],
    operands: &[Value],
) -> PyResult<Value> {
    let threads = Threads::live(cx);
    threads.settle(cx, carrying_branches(cx, name, index, functions, operands, &threads))
}

fn carrying_branches(
    cx: &Context<'_>,
    name: &str,
    index: &Tile,
    functions: &[Value],
    operands: &[Value],
    threads: &Threads,
) -> PyResult<Value> {
    let mut shapes: Vec<BranchShape> = functions.iter().map(|_| None).collect();
    let mut closures: Vec<Box<BranchFn<'_>>> = Vec::new();
    for (function, slot) in functions.iter().zip(shapes.iter_mut()) {
        closures.push(Box::new(move |cx: &Context<'_>| {
            threads.restore();
            let result = cx.interp.call_values(function, operands.iter().cloned())?;
            let (tiles, def) = leaves(cx, &threads.join(&result, threads.now()), name)?;
            *slot = Some((def, tiles.iter().map(Tile::ty).collect()));
            // The op compares types without weakness: what is weak in one branch alone is not weak.
            Ok(tiles)
        }));
    }
    let mut list: Vec<Branch<'_>> = closures.iter_mut().map(|c| &mut **c as Branch<'_>).collect();
    let results = cond(cx, index, &mut list);
    drop(list);
    drop(closures);
    let known: Vec<(TreeDef, Vec<TensorType>)> = shapes.into_iter().flatten().collect();
    let mut order: Vec<usize> = (0..known.len()).collect();
    if name == "cond" && known.len() == 2 {
        // The true branch is named first.
        order.reverse();
    }
    if let Some((&first, others)) = order.split_first() {
        for &other in others {
            let names = match name {
                "cond" => ["true_fun".to_string(), "false_fun".to_string()],
                _ => ["branch 0".to_string(), format!("branch{other}")],
            };
            let pair = [(&names[0], &functions[first], &known[first]), (&names[1], &functions[other], &known[other])];
            if let Some(stop) = disagreement(cx, name, pair)? {
                return Err(agree_or(stop, name));
            }
        }
    }
    // What a branch itself raises has nothing to do with the others.
    let all_returned = known.len() == functions.len();
    let results = results.map_err(|stop| if all_returned { agree_or(stop, name) } else { stop })?;
    let Some((def, _)) = known.into_iter().next() else { return Ok(Value::None) };
    assemble(cx, &def, results)
}

type Named<'n> = (&'n String, &'n Value, &'n (TreeDef, Vec<TensorType>));

/// How two branches differ, in JAX's words.
fn disagreement(cx: &Context<'_>, name: &str, [a, b]: [Named<'_>; 2]) -> PyResult<Option<Box<Stop>>> {
    let interp = cx.interp;
    let ((first, first_function, (def, types)), (second, second_function, (other, others))) = (a, b);
    let origin = |function: &Value| crate::pallas::launch::origin_of(cx, function);
    let who = format!("{first} is {}\n{second} is {}", origin(first_function), origin(second_function));
    if !def.same(other, interp)? {
        let differences = crate::tree::differences(interp, def, other)?;
        let at = |path: &str| if path.is_empty() { String::new() } else { format!(" at path {path}") };
        let differences: Vec<String> = differences
            .iter()
            .map(|d| {
                format!(
                    "{first} output{0} is a {1} but {second} output{0} is a {2}, so {3}",
                    at(&d.path),
                    d.first,
                    d.second,
                    d.why
                )
            })
            .collect();
        let what = match differences.as_slice() {
            [one] => one.clone(),
            several => several.iter().map(|one| format!("  * {one}")).collect::<Vec<_>>().join(";\n"),
        };
        return Ok(Some(interp.type_error(format!(
            "{name} branch outputs must have the same pytree structure, but they differ:\n\n{who}\n\n{what}.\n\nRevise \
             {first} and/or {second} so that they have the same pytree structure."
        ))));
    }
    let mut paths = Vec::new();
    def.paths("", &mut paths);
    let mut differences = Vec::new();
    for ((a, b), path) in types.iter().zip(others).zip(&paths) {
        let why: Vec<&str> =
            [(a.dtype != b.dtype, "the dtypes do not match"), (a.shape != b.shape, "the shapes do not match")]
                .into_iter()
                .filter_map(|(differs, text)| differs.then_some(text))
                .collect();
        if why.is_empty() {
            continue;
        }
        let at = if path.is_empty() { String::new() } else { format!(" at path {path}") };
        differences.push(format!(
            "output of {first}{at} has type {} but the corresponding output of {second} has type {}, so {}",
            primitive::type_text(a),
            primitive::type_text(b),
            why.join(", and ")
        ));
    }
    let what = match differences.as_slice() {
        [] => return Ok(None),
        [one] => format!("The {one}."),
        several => {
            several
                .iter()
                .map(|one| format!("  * the {one};"))
                .collect::<Vec<_>>()
                .join("\n")
                .trim_end_matches(';')
                .to_string()
                + "."
        }
    };
    Ok(Some(interp.type_error(format!(
        "{name} branches must have equal output types but they differ.\n\n{who}\n\n{what}\n\nRevise {first} and/or \
         {second} so that all output types match."
    ))))
}

/// The op's own refusal of branches that differ, under the rule for control flow.
fn agree_or(mut stop: Box<Stop>, name: &str) -> Box<Stop> {
    if let Stop::Raise(raise) = &mut *stop
        && raise.diagnosis.is_none()
    {
        raise.diagnosis = Some(Box::new(Diagnosis {
            code: "",
            help: Some(format!("make every branch of `{name}` return the same shapes and dtypes")),
            ..Diagnosis::default()
        }));
    }
    stop
}

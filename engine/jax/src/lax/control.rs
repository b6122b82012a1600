//! Structured control flow: `cond`, `switch`, `fori_loop`, `while_loop`, `scan`, as IR regions. Outside any trace a
//! function is traced around them and run at once.

use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::held::threads::Threads;
use crate::primitive;
use crate::tile::Tile;
use crate::trace::{Trace, TraceKind};
use crate::tree::{self, TreeDef};
use pallas_ir::{Attribute, Attributes, Op, OpDef, TensorType, Type, ValueId, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar};
use std::rc::Rc;

/// Rows of `jax.lax`.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "cond",
        signature: "(pred, true_fun, false_fun, *operands, operand=..., linear=None)",
        doc: "Calls one of two functions on the operands.",
        run: cond_function,
    },
    NativeDef {
        name: "switch",
        signature: "(index, branches, *operands, operand=...)",
        doc: "Calls the function at `index`, clamped into range, on the operands.",
        run: switch,
    },
    NativeDef {
        name: "fori_loop",
        signature: "(lower, upper, body_fun, init_val, *, unroll=None)",
        doc: "Folds `body_fun(i, carry)` over `lower <= i < upper`.",
        run: fori_loop,
    },
    NativeDef {
        name: "while_loop",
        signature: "(cond_fun, body_fun, init_val)",
        doc: "Applies `body_fun` to the carry as long as `cond_fun` holds.",
        run: while_loop,
    },
    NativeDef {
        name: "scan",
        signature: "(f, init, xs=None, length=None, reverse=False, unroll=1, _split_transpose=False)",
        doc: "Folds `f(carry, x) -> (carry, y)` over the leading axis of `xs`, and stacks the `y`.",
        run: scan,
    },
    NativeDef {
        name: "associative_scan",
        signature: "(fn, elems, reverse=False, axis=0)",
        doc: "Running results of an associative function along an axis.",
        run: super::associative_scan::associative_scan,
    },
    NativeDef {
        name: "map",
        signature: "(f, xs, *, batch_size=None)",
        doc: "Applies `f` to each slice of the leading axis, one after the other, and stacks the results.",
        run: map,
    },
];

/// Builds the ops of a branch.
type BranchFn<'b> = dyn FnMut(&Context<'_>) -> PyResult<Vec<Tile>> + 'b;

/// A branch of [`cond`]: builds its part and returns its results.
pub type Branch<'b> = &'b mut BranchFn<'b>;

/// Runs `build` inside a trace: the open one, or a new one that is run when it is complete.
///
/// `build` returns the values that the op yields.
pub fn staged(
    cx: &Context<'_>,
    name: &str,
    build: impl FnOnce(&Rc<Trace>) -> PyResult<Vec<Tile>>,
) -> PyResult<Vec<Tile>> {
    if let Some(trace) = cx.innermost() {
        return build(&trace);
    }
    let trace = Trace::new(cx, TraceKind::Jit, name, name.to_string(), None);
    let yields = trace.within(cx, || {
        let results = build(&trace)?;
        results.iter().map(|tile| cx.value_in(&trace, tile)).collect::<PyResult<Vec<_>>>()
    })?;
    let function = trace.finish(yields);
    cx.run_function(&function, &[])
}

/// Stages an effect on tiles.
pub fn effect(cx: &Context<'_>, op: &'static OpDef, tiles: &[Tile], attributes: Attributes) -> PyResult<()> {
    staged(cx, op.name, |trace| {
        let operands = tiles.iter().map(|tile| cx.value_in(trace, tile)).collect::<PyResult<Vec<_>>>()?;
        trace.add(cx, Op(op), &operands, attributes, &[])?;
        Ok(Vec::new())
    })?;
    Ok(())
}

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

fn tiles(trace: &Rc<Trace>, values: &[ValueId]) -> Vec<Tile> {
    values.iter().filter_map(|&value| trace.tile(value)).collect()
}

fn values(cx: &Context<'_>, trace: &Rc<Trace>, tiles: &[Tile]) -> PyResult<Vec<ValueId>> {
    tiles.iter().map(|tile| cx.value_in(trace, tile)).collect()
}

/// Leaves of a pytree as tiles.
pub(super) fn leaves(cx: &Context<'_>, value: &Value, function: &str) -> PyResult<(Vec<Tile>, TreeDef)> {
    let (leaves, def) = tree::flatten(cx.interp, value, None)?;
    let tiles = leaves.iter().map(|leaf| convert::tile(cx, leaf, function)).collect::<PyResult<Vec<_>>>()?;
    Ok((tiles, def))
}

/// Tiles as a pytree.
pub(super) fn assemble(cx: &Context<'_>, def: &TreeDef, tiles: impl IntoIterator<Item = Tile>) -> PyResult<Value> {
    let mut leaves = tiles.into_iter().map(|tile| Value::object(ArrayObject { tile }));
    tree::unflatten(cx.interp, def, &mut leaves)
}

fn operands_of(operands: &Value, single: Value, interp: &Interp) -> PyResult<Vec<Value>> {
    let mut all = interp.collect(operands)?;
    if !matches!(single, Value::Unset | Value::Ellipsis) {
        all.push(single);
    }
    Ok(all)
}

fn cond_function(interp: &Interp, args: Arguments) -> PyResult<Value> {
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

fn switch(interp: &Interp, args: Arguments) -> PyResult<Value> {
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
fn branches(cx: &Context<'_>, name: &str, index: &Tile, functions: &[Value], operands: &[Value]) -> PyResult<Value> {
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
    let interp = cx.interp;
    let mut shapes: Vec<BranchShape> = functions.iter().map(|_| None).collect();
    let mut closures: Vec<Box<BranchFn<'_>>> = Vec::new();
    for (function, slot) in functions.iter().zip(shapes.iter_mut()) {
        closures.push(Box::new(move |cx: &Context<'_>| {
            threads.restore();
            let result = cx.interp.call_values(function, operands.iter().cloned())?;
            let (tiles, def) = leaves(cx, &threads.join(&result, threads.now()), name)?;
            *slot = Some((def, tiles.iter().map(Tile::ty).collect()));
            // Weakly typed results of one branch take the other's type; the op compares types without weakness.
            tiles.iter().map(|t| primitive::convert(cx, t, t.dtype(), false)).collect()
        }));
    }
    let mut list: Vec<Branch<'_>> = closures.iter_mut().map(|c| &mut **c as Branch<'_>).collect();
    let results = cond(cx, index, &mut list).map_err(|stop| agree_or(stop, name))?;
    drop(list);
    drop(closures);
    let mut known = shapes.into_iter().flatten();
    let Some((def, types)) = known.next() else { return Ok(Value::None) };
    for (other, other_types) in known {
        if !def.same(&other, interp)? {
            return Err(interp.type_error(format!(
                "{name} branches must have the same pytree structure, got {} and {}.",
                def.text(interp)?,
                other.text(interp)?
            )));
        }
        for (a, b) in types.iter().zip(&other_types) {
            if a.shape != b.shape || a.dtype != b.dtype {
                return Err(interp.type_error(format!(
                    "{name} branches must have equal output types but they differ: {} and {}",
                    primitive::type_text(a),
                    primitive::type_text(b)
                )));
            }
        }
    }
    assemble(cx, &def, results)
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

fn fori_loop(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [lower, upper, body, init, _unroll] = args.take();
    let cx = Context::jax(interp);
    let lower = convert::tile(&cx, &lower, "fori_loop")?;
    let upper = convert::tile(&cx, &upper, "fori_loop")?;
    for_loop(&cx, &lower, &upper, &init, &mut |cx, index, carry| {
        cx.interp.call_values(&body, [Value::object(ArrayObject { tile: index }), carry])
    })
}

/// `for i in lower..upper: carry = body(i, carry)` as one op.
pub fn for_loop(
    cx: &Context<'_>,
    lower: &Tile,
    upper: &Tile,
    init: &Value,
    body: &mut dyn FnMut(&Context<'_>, Tile, Value) -> PyResult<Value>,
) -> PyResult<Value> {
    let (dtype, _) = convert::common_dtype(cx, &[lower, upper])?;
    if !dtype.is_integer() || lower.rank() != 0 || upper.rank() != 0 {
        return Err(cx.interp.type_error(format!(
            "lower and upper arguments to fori_loop must have integer types, got {} and {}",
            lower.dtype().name(),
            upper.dtype().name()
        )));
    }
    let threads = Threads::live(cx);
    let refs = CarriedRefs::of(cx, init)?;
    let init = &threads.join(&refs.apart(cx, init)?, threads.tiles());
    let body = &mut |cx: &Context<'_>, index: Tile, carry: Value| {
        threads.round(cx, &carry, |carry| refs.apart(cx, &body(cx, index, refs.join(cx, carry)?)?))
    };
    let result = threads.settle(cx, carrying_for(cx, dtype, [lower, upper], init, body))?;
    refs.join(cx, result)
}

/// Refs in the carry of a loop: they stay what they are, and do not go round.
struct CarriedRefs(Option<(TreeDef, Vec<Option<Value>>)>);

impl CarriedRefs {
    fn of(cx: &Context<'_>, carry: &Value) -> PyResult<CarriedRefs> {
        let (found, def) = tree::flatten(cx.interp, carry, None)?;
        let is_ref = |value: &Value| value.downcast::<crate::refs::RefObject>().is_some();
        if !found.iter().any(is_ref) {
            return Ok(CarriedRefs(None));
        }
        let refs = found.into_iter().map(|value| is_ref(&value).then_some(value)).collect();
        Ok(CarriedRefs(Some((def, refs))))
    }

    /// The rest of a carry.
    fn apart(&self, cx: &Context<'_>, carry: &Value) -> PyResult<Value> {
        let Some((_, refs)) = &self.0 else { return Ok(carry.clone()) };
        let (found, _) = tree::flatten(cx.interp, carry, None)?;
        let rest = found.into_iter().zip(refs).filter(|(_, known)| known.is_none()).map(|(value, _)| value);
        Ok(Value::tuple(rest.collect::<Vec<_>>()))
    }

    /// The carry with its Refs.
    fn join(&self, cx: &Context<'_>, rest: Value) -> PyResult<Value> {
        let Some((def, refs)) = &self.0 else { return Ok(rest) };
        let mut rest = cx.interp.collect(&rest)?.into_iter();
        let mut all = refs.iter().filter_map(|known| known.clone().or_else(|| rest.next()));
        tree::unflatten(cx.interp, def, &mut all)
    }
}

fn carrying_for(
    cx: &Context<'_>,
    dtype: DType,
    [lower, upper]: [&Tile; 2],
    init: &Value,
    body: &mut dyn FnMut(&Context<'_>, Tile, Value) -> PyResult<Value>,
) -> PyResult<Value> {
    let (carry, def) = leaves(cx, init, "fori_loop")?;
    let carry = stable_carry(cx, carry, &mut |cx, types, trace| {
        let index = Tile::Abstract(TensorType::scalar(dtype));
        let index = trace.tile(cx.value_in(trace, &index)?).unwrap_or(index);
        let value = assemble(cx, &def, types.iter().cloned())?;
        body(cx, index, value)
    })?;
    let results = staged(cx, "fori_loop", |trace| {
        let lower = primitive::convert(cx, lower, dtype, false)?;
        let upper = primitive::convert(cx, upper, dtype, false)?;
        let mut operands = values(cx, trace, &[lower, upper])?;
        let carry_values = values(cx, trace, &carry)?;
        let mut params = vec![Type::Tensor(TensorType::scalar(dtype))];
        params.extend(carry_values.iter().map(|&v| trace.ty(v)));
        let (region, ()) = trace.in_region(&params, |inside| {
            let mut inside = tiles(trace, inside).into_iter();
            let index = inside.next().ok_or_else(|| cx.interp.runtime_error("a loop has no counter".to_string()))?;
            let value = assemble(cx, &def, inside)?;
            let result = body(cx, index, value)?;
            Ok((next_carry(cx, trace, "fori_loop", &def, &carry, &result)?, ()))
        })?;
        operands.extend(carry_values);
        let results = trace.add(cx, Op(&ops::FOR), &operands, Attributes::none(), &[region])?;
        Ok(tiles(trace, &results))
    })?;
    assemble(cx, &def, results)
}

/// What a loop body returns, as values to yield; it must look like the carry.
fn next_carry(
    cx: &Context<'_>,
    trace: &Rc<Trace>,
    name: &str,
    def: &TreeDef,
    carry: &[Tile],
    result: &Value,
) -> PyResult<Vec<ValueId>> {
    let interp = cx.interp;
    let (next, next_def) = leaves(cx, result, name)?;
    if !def.same(&next_def, interp)? {
        return Err(interp.error_with(
            &interp.types().type_error,
            format!(
                "{name} body function carry input and carry output must have the same pytree structure, but they \
                 differ:\n\nThe input carry is a {} but the corresponding component of the carry output is a {}",
                def.text(interp)?,
                next_def.text(interp)?
            ),
            Diagnosis { code: "PL310", ..Diagnosis::default() },
        ));
    }
    let mut yields = Vec::new();
    for (before, after) in carry.iter().zip(&next) {
        let after = if after.weak() != before.weak() && after.dtype() == before.dtype() {
            primitive::convert(cx, after, before.dtype(), before.weak())?
        } else {
            after.clone()
        };
        if before.shape() != after.shape() || before.dtype() != after.dtype() {
            return Err(interp.error_with(
                &interp.types().type_error,
                format!(
                    "{name} body function carry input and carry output must have equal types, but they differ:\n\nThe \
                     input carry has type {} but the corresponding output carry component has type {}, so the {} do not \
                     match.\n\nRevise the function so that all output types match the corresponding input types.",
                    primitive::type_text(&before.ty()),
                    primitive::type_text(&after.ty()),
                    if before.shape() == after.shape() { "dtypes" } else { "shapes" }
                ),
                Diagnosis {
                    code: "PL310",
                    message: Some(format!(
                        "the loop's carry begins as {} and comes back as {}",
                        before.ty(),
                        after.ty()
                    )),
                    ..Diagnosis::default()
                },
            ));
        }
        yields.push(cx.value_in(trace, &after)?);
    }
    Ok(yields)
}

/// A loop body from a carry to what it returns, in a trace.
type CarryFn<'b> = &'b mut dyn FnMut(&Context<'_>, &[Tile], &Rc<Trace>) -> PyResult<Value>;

/// Weakly typed initial carries take the dtype that the body gives them, as JAX's `_promote_weak_typed_inputs` does.
/// `body` is traced once in a scratch trace to find out; only done where a carry is weak.
fn stable_carry(cx: &Context<'_>, carry: Vec<Tile>, body: CarryFn<'_>) -> PyResult<Vec<Tile>> {
    if !carry.iter().any(Tile::weak) {
        return Ok(carry);
    }
    let types = probe(cx, &carry, body)?;
    let Some(types) = types else { return Ok(carry) };
    carry
        .into_iter()
        .zip(types)
        .map(|(tile, ty)| {
            if tile.weak() && tile.shape() == &ty.shape && !(ty.weak && ty.dtype == tile.dtype()) {
                let abstracted = [&Tile::Abstract(tile.ty()), &Tile::Abstract(ty)];
                let (dtype, weak) = convert::common_dtype(cx, &abstracted)?;
                primitive::convert(cx, &tile, dtype, weak)
            } else {
                Ok(tile)
            }
        })
        .collect()
}

/// The types that a body gives back for a carry, found in a region that is thrown away. `None` where the number of
/// leaves differs (the real trace reports it).
fn probe(cx: &Context<'_>, carry: &[Tile], body: CarryFn<'_>) -> PyResult<Option<Vec<TensorType>>> {
    let mut found = None;
    let expected = carry.len();
    let mut run = |trace: &Rc<Trace>| -> PyResult<()> {
        let params: Vec<Type> = carry.iter().map(|t| Type::Tensor(t.ty())).collect();
        trace.discarded_region(&params, |inside| {
            let result = body(cx, &tiles(trace, inside), trace)?;
            let (next, _) = leaves(cx, &result, "fori_loop")?;
            if next.len() == expected {
                found = Some(next.iter().map(Tile::ty).collect());
            }
            Ok(())
        })
    };
    match cx.innermost() {
        Some(trace) => run(&trace)?,
        None => {
            let trace = Trace::new(cx, TraceKind::Jit, "probe", "probe".to_string(), None);
            trace.within(cx, || run(&trace))?;
        }
    }
    Ok(found)
}

fn while_loop(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [test, body, init] = args.take();
    let cx = Context::jax(interp);
    let threads = Threads::live(&cx);
    let init = threads.join(&init, threads.tiles());
    let mut test = |carry: Value| interp.call_values(&test, [threads.split(&cx, &carry)?]);
    let mut body = |carry: Value| threads.round(&cx, &carry, |carry| interp.call_values(&body, [carry]));
    threads.settle(&cx, carrying_while(&cx, &init, &mut test, &mut body))
}

/// A Python function of one value.
type ValueFn<'f> = &'f mut dyn FnMut(Value) -> PyResult<Value>;

fn carrying_while(cx: &Context<'_>, init: &Value, test: ValueFn<'_>, body: ValueFn<'_>) -> PyResult<Value> {
    let interp = cx.interp;
    let (carry, def) = leaves(cx, init, "while_loop")?;
    let carry = stable_carry(cx, carry, &mut |cx, types, _trace| body(assemble(cx, &def, types.iter().cloned())?))?;
    let results = staged(cx, "while_loop", |trace| {
        let operands = values(cx, trace, &carry)?;
        let params: Vec<Type> = operands.iter().map(|&v| trace.ty(v)).collect();
        let (test_region, ()) = trace.in_region(&params, |inside| {
            let verdict = test(assemble(cx, &def, tiles(trace, inside))?)?;
            let verdict = convert::tile(cx, &verdict, "while_loop")?;
            if verdict.rank() != 0 || verdict.dtype() != DType::Bool {
                return Err(interp.type_error(format!(
                    "cond_fun must return a boolean scalar, but got output type(s) [{}].",
                    primitive::type_text(&verdict.ty())
                )));
            }
            Ok((vec![cx.value_in(trace, &verdict)?], ()))
        })?;
        let (body_region, ()) = trace.in_region(&params, |inside| {
            let result = body(assemble(cx, &def, tiles(trace, inside))?)?;
            Ok((next_carry(cx, trace, "while_loop", &def, &carry, &result)?, ()))
        })?;
        let results = trace.add(cx, Op(&ops::WHILE), &operands, Attributes::none(), &[test_region, body_region])?;
        Ok(tiles(trace, &results))
    })?;
    assemble(cx, &def, results)
}

fn map(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, xs, _batch] = args.take();
    let cx = Context::jax(interp);
    let (_, stacked) = scan_over(
        &cx,
        &mut |cx, _carry, x| Ok((Value::None, cx.interp.call_values(&function, [x])?)),
        &Value::None,
        &xs,
        None,
        false,
    )?;
    Ok(stacked)
}

fn scan(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, init, xs, length, reverse, _unroll, _split] = args.take();
    let cx = Context::jax(interp);
    let length = match length.given() {
        Some(length) => Some(interp.to_usize(&length)?),
        None => None,
    };
    let reverse = interp.truth(&reverse)?;
    let (carry, stacked) = scan_over(
        &cx,
        &mut |cx, carry, x| {
            let result = cx.interp.call_values(&function, [carry, x])?;
            match cx.interp.collect(&result)?.as_slice() {
                [carry, y] => Ok((carry.clone(), y.clone())),
                _ => Err(cx.interp.type_error("scan body output must be a pair, got something else.".to_string())),
            }
        },
        &init,
        &xs,
        length,
        reverse,
    )?;
    Ok(Value::tuple([carry, stacked]))
}

/// One step of a scan.
type Step<'s> = &'s mut dyn FnMut(&Context<'_>, Value, Value) -> PyResult<(Value, Value)>;

/// A scan as a `for` whose carry holds the stacked results.
fn scan_over(
    cx: &Context<'_>,
    step: Step<'_>,
    init: &Value,
    xs: &Value,
    length: Option<usize>,
    reverse: bool,
) -> PyResult<(Value, Value)> {
    let threads = Threads::live(cx);
    let init = &threads.join(init, threads.tiles());
    let step = &mut |cx: &Context<'_>, carry: Value, x: Value| {
        let (next, y) = step(cx, threads.split(cx, &carry)?, x)?;
        Ok((threads.join(&next, threads.now()), y))
    };
    let mut stacked = Value::None;
    let carry = carrying_scan(cx, step, init, xs, length, reverse).map(|(carry, ys)| {
        stacked = ys;
        carry
    });
    Ok((threads.settle(cx, carry)?, stacked))
}

fn carrying_scan(
    cx: &Context<'_>,
    step: Step<'_>,
    init: &Value,
    xs: &Value,
    length: Option<usize>,
    reverse: bool,
) -> PyResult<(Value, Value)> {
    let interp = cx.interp;
    let (inputs, input_def) = leaves(cx, xs, "scan")?;
    let mut extents = inputs.iter().map(|t| t.shape().first().copied());
    let length = match (length, extents.next()) {
        (Some(length), _) => length,
        (None, Some(Some(extent))) => extent,
        (None, Some(None)) => {
            return Err(interp.value_error("scan got value with no leading axis to scan over".to_string()));
        }
        (None, None) => {
            return Err(interp.value_error("scan got no values to scan over and `length` not provided.".to_string()));
        }
    };
    if let Some(bad) = inputs.iter().find(|t| t.shape().first() != Some(&length)) {
        return Err(interp.value_error(format!(
            "scan got values with different leading axis sizes: {length}, {}.",
            bad.shape().first().copied().unwrap_or(0)
        )));
    }
    let (carry, carry_def) = leaves(cx, init, "scan")?;
    let at = |cx: &Context<'_>, index: &Tile| -> PyResult<Value> {
        let rows = inputs.iter().map(|t| row(cx, t, index)).collect::<PyResult<Vec<_>>>()?;
        assemble(cx, &input_def, rows)
    };
    // What one step gives, to size the stacked results and settle weak carries.
    let mut y_types: Option<(Vec<TensorType>, TreeDef)> = None;
    let zero = primitive::scalar(DType::I32, Scalar::Int(0));
    let carry = {
        let mut found = None;
        let types = probe(cx, &carry, &mut |cx, inside, _trace| {
            let value = assemble(cx, &carry_def, inside.iter().cloned())?;
            let (next, y) = step(cx, value, at(cx, &zero)?)?;
            let (ys, def) = leaves(cx, &y, "scan")?;
            found = Some((ys.iter().map(Tile::ty).collect::<Vec<_>>(), def));
            Ok(next)
        })?;
        y_types = found.or(y_types);
        match types {
            Some(types) => carry
                .into_iter()
                .zip(types)
                .map(|(tile, ty)| {
                    if tile.weak() && tile.shape() == &ty.shape {
                        primitive::convert(cx, &tile, ty.dtype, ty.weak)
                    } else {
                        Ok(tile)
                    }
                })
                .collect::<PyResult<Vec<_>>>()?,
            None => carry,
        }
    };
    let Some((y_types, y_def)) = y_types else {
        return Err(interp.type_error("scan's function returned nothing to stack".to_string()));
    };
    let mut state = carry.clone();
    for ty in &y_types {
        let shape = std::iter::once(length).chain(ty.shape.iter().copied()).collect();
        let empty = primitive::full(cx, &shape, ty.dtype, primitive::zero_scalar(ty.dtype))?;
        state.push(primitive::convert(cx, &empty, ty.dtype, ty.weak)?);
    }
    let count = carry.len();
    let state_def = TreeDef::Tuple(state.iter().map(|_| TreeDef::Leaf).collect());
    let init_state = assemble(cx, &state_def, state)?;
    let upper = primitive::scalar(DType::I32, Scalar::Int(length as i128));
    let result = for_loop(cx, &zero, &upper, &init_state, &mut |cx, index, state| {
        let index = if reverse {
            let last = primitive::scalar(DType::I32, Scalar::Int(length as i128 - 1));
            primitive::binary(cx, &ops::SUB, &last, &index)?
        } else {
            index
        };
        let (state, _) = leaves(cx, &state, "scan")?;
        let (carry_now, stacked) = state.split_at(count);
        let value = assemble(cx, &carry_def, carry_now.iter().cloned())?;
        let (next, y) = step(cx, value, at(cx, &index)?)?;
        let (mut next, next_def) = leaves(cx, &next, "scan")?;
        if !carry_def.same(&next_def, cx.interp)? {
            return Err(cx.interp.type_error(format!(
                "scan body function carry input and carry output must have the same pytree structure, but they differ: {} \
                 and {}",
                carry_def.text(cx.interp)?,
                next_def.text(cx.interp)?
            )));
        }
        let (ys, _) = leaves(cx, &y, "scan")?;
        for (array, y) in stacked.iter().zip(&ys) {
            next.push(set_row(cx, array, &index, y)?);
        }
        assemble(cx, &state_def, next)
    })?;
    let (state, _) = leaves(cx, &result, "scan")?;
    let (carry, stacked) = state.split_at(count);
    Ok((assemble(cx, &carry_def, carry.iter().cloned())?, assemble(cx, &y_def, stacked.iter().cloned())?))
}

/// `x[index]` along the leading axis.
pub(crate) fn row(cx: &Context<'_>, x: &Tile, index: &Tile) -> PyResult<Tile> {
    let sizes: Vec<i64> = std::iter::once(1).chain(x.shape().iter().skip(1).map(|&d| d as i64)).collect();
    let zero = primitive::scalar(index.dtype(), Scalar::Int(0));
    let mut operands = vec![x, index];
    operands.extend((1..x.rank()).map(|_| &zero));
    let slice = cx.bind(&ops::DYNAMIC_SLICE, &operands, Attributes::none().with("sizes", Attribute::Ints(sizes)))?;
    primitive::squeeze(cx, &slice, &[0])
}

/// `x.at[index].set(y)` along the leading axis.
pub(crate) fn set_row(cx: &Context<'_>, x: &Tile, index: &Tile, y: &Tile) -> PyResult<Tile> {
    let update = primitive::expand_dims(cx, &primitive::convert(cx, y, x.dtype(), x.weak())?, &[0])?;
    let zero = primitive::scalar(index.dtype(), Scalar::Int(0));
    let mut operands = vec![x, &update, index];
    operands.extend((1..x.rank()).map(|_| &zero));
    let updated = cx.bind(&ops::DYNAMIC_UPDATE_SLICE, &operands, Attributes::none())?;
    primitive::convert(cx, &updated, x.dtype(), x.weak())
}

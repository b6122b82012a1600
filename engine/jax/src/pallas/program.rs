//! The program's place in the grid, and the small functions of `jax.experimental.pallas`: `program_id`, `num_programs`,
//! `when`, `cdiv`, `debug_print` and their kin.

use crate::api::printing;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::lax::control;
use crate::pallas::asynchronous::pipeline;
use crate::tile::Tile;
use crate::trace::Trace;
use pallas_ir::{Attribute, Attributes, Certainty, Finding, Op, OpDef, Severity, ops};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_syntax::Span;
use std::rc::Rc;

/// Rows of the `pallas` module.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "program_id",
        signature: "(axis)",
        doc: "Index of the running program along a grid axis, an int32 scalar.",
        run: |interp, args| grid_question(interp, args, &ops::PROGRAM_ID),
    },
    NativeDef {
        name: "num_programs",
        signature: "(axis)",
        doc: "Extent of the grid along an axis.",
        run: num_programs,
    },
    NativeDef {
        name: "when",
        signature: "(condition, /)",
        doc: "Decorates a function of no arguments: it runs only where the condition holds.",
        run: when,
    },
    NativeDef { name: "cdiv", signature: "(a, b)", doc: "Division that rounds up.", run: cdiv },
    NativeDef {
        name: "next_power_of_2",
        signature: "(x)",
        doc: "The smallest power of two that is not less than `x`.",
        run: next_power_of_2,
    },
    NativeDef {
        name: "strides_from_shape",
        signature: "(shape)",
        doc: "Row-major strides of a shape, in elements.",
        run: strides_from_shape,
    },
    NativeDef {
        name: "align_to",
        signature: "(a, alignment)",
        doc: "The smallest multiple of `alignment` that is not less than `a`.",
        run: align_to,
    },
    NativeDef {
        name: "broadcast_to",
        signature: "(a, shape)",
        doc: "`a`, repeated to a shape.",
        run: |interp, args| {
            let [a, shape] = args.take();
            let broadcast = interp.get_attr(&interp.import("jax.numpy")?, "broadcast_to")?;
            interp.call_values(&broadcast, [a, shape])
        },
    },
    NativeDef {
        name: "multiple_of",
        signature: "(x, values)",
        doc: "States that `x` is a multiple of `values`; the value is `x`.",
        run: |_interp, args| {
            let [x, _values] = args.take();
            Ok(x)
        },
    },
    NativeDef {
        name: "max_contiguous",
        signature: "(x, values)",
        doc: "States how many values of `x` are contiguous; the value is `x`.",
        run: |_interp, args| {
            let [x, _values] = args.take();
            Ok(x)
        },
    },
    NativeDef {
        name: "debug_print",
        signature: "(fmt, *args)",
        doc: "Prints from inside a kernel; `{}` fields are filled from the arguments.",
        run: debug_print,
    },
];

fn grid_question(interp: &Interp, args: Arguments, op: &'static OpDef) -> PyResult<Value> {
    let [axis] = args.take();
    let cx = Context::jax(interp);
    if crate::refs::array_tile(&axis).is_some_and(Tile::is_traced) || !matches!(axis, Value::Int(_) | Value::Object(_))
    {
        let shown = interp.repr(&axis)?;
        return Err(interp.value_error(format!("`axis` must be a constant integer, got {shown}")));
    }
    let axis = interp.to_i64(&axis)?;
    match pipeline::asked(&cx, axis, op.name == ops::NUM_PROGRAMS.name) {
        Some(Ok(value)) => return Ok(value),
        Some(Err(axes)) => {
            return Err(interp.value_error(format!("Axis {axis} is out of bounds for a pipeline grid of {axes} axes")));
        }
        None => {}
    }
    let kernel = cx.state.traces.borrow().iter().rev().find_map(|t| t.grid.clone().filter(|_| !t.is_index_map()));
    let index_map = cx.trace().filter(|trace| kernel.is_none() && trace.is_index_map());
    let grid = kernel.or_else(|| index_map.as_ref()?.grid.clone());
    let (Some(trace), Some(grid)) = (cx.trace(), grid) else {
        return Err(interp.error_with(
            &interp.types().assertion_error,
            String::new(),
            Diagnosis {
                code: "PL113",
                message: Some(format!("`pl.{}` asks for the running program, but no kernel is running here", op.name)),
                help: Some("call it in the kernel, or use the index map's own parameters".to_string()),
                ..Diagnosis::default()
            },
        ));
    };
    if axis < 0 || axis as usize >= grid.len() {
        let shape = grid_text(&grid);
        return Err(interp.error_with(
            &interp.types().value_error,
            format!("Axis {axis} is out of bounds for grid {shape}"),
            Diagnosis {
                code: "PL114",
                message: Some(format!("grid axis {axis} does not exist: the grid is {shape}")),
                help: Some(match grid.len() {
                    0 => "give the pallas_call a `grid`".to_string(),
                    n => format!("use an axis from 0 to {}", n - 1),
                }),
                ..Diagnosis::default()
            },
        ));
    }
    if let Some(parameter) = index_map.and_then(|index_map| parameter(&index_map, axis as usize)) {
        if let Some(observer) = cx.state.observer() {
            observer.found(of_interpret_mode_only(interp.span()));
        }
        return Ok(parameter);
    }
    let attributes = Attributes::none().with("axis", Attribute::Int(axis));
    let value = trace.add(&cx, Op(op), &[], attributes, &[])?;
    match value.first().and_then(|&v| trace.tile(v)) {
        Some(tile) => Ok(Value::object(ArrayObject { tile })),
        None => Err(interp.runtime_error(format!("{} has no result", op.name))),
    }
}

/// A parameter of an index map: what `pl.program_id` is there.
fn parameter(index_map: &Rc<Trace>, axis: usize) -> Option<Value> {
    let parameter = index_map.with_function(|function| function.params().get(axis).copied())?;
    Some(Value::object(ArrayObject { tile: index_map.tile(parameter)? }))
}

/// JAX's lowering for TPUs hands index maps no program ids (`_program_id_lowering_rule` in `mosaic/lowering.py`).
fn of_interpret_mode_only(span: Span) -> Finding {
    Finding {
        code: "PL113",
        severity: Severity::Warning,
        certainty: Certainty::Proved,
        message: "`pl.program_id` in an index map: interpret mode takes it, a TPU does not compile it".to_string(),
        span,
        labels: Vec::new(),
        evidence: None,
        help: Some("use the index map's own parameter: it is the program id along that axis".to_string()),
        fix: None,
    }
}

/// `(4, None)`: extents that are not known are `None` in JAX's words.
pub(crate) fn grid_text(grid: &[Option<usize>]) -> String {
    let extents: Vec<String> =
        grid.iter().map(|extent| extent.map_or("None".to_string(), |extent| extent.to_string())).collect();
    match extents.as_slice() {
        [only] => format!("({only},)"),
        several => format!("({})", several.join(", ")),
    }
}

/// With a known extent JAX gives a Python int.
fn num_programs(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let axis = args.get(0).clone();
    if !cx.state.pipelines.borrow().is_empty() && matches!(axis, Value::Int(_)) {
        return grid_question(interp, args, &ops::NUM_PROGRAMS);
    }
    let grid = cx.state.traces.borrow().iter().rev().find_map(|t| t.grid.clone());
    if let (Some(grid), Value::Int(_)) = (grid, &axis)
        && let Some(&Some(extent)) = usize::try_from(interp.to_i64(&axis)?).ok().and_then(|a| grid.get(a))
    {
        return Ok(Value::from(extent));
    }
    grid_question(interp, args, &ops::NUM_PROGRAMS)
}

/// What `pl.when(condition)` returns: a decorator.
struct When(Value);

static WHEN_CLASS: NativeClass = NativeClass {
    name: "function",
    module: "builtins",
    doc: "Runs the decorated function where the condition holds.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn when(_interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [condition] = args.take();
    Ok(Value::object(When(condition)))
}

impl Object for When {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&WHEN_CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let Some(function) = args.positional.first().cloned() else {
            return Some(Err(interp.type_error("pl.when decorates a function of no arguments".to_string())));
        };
        Some(self.run(interp, &function))
    }
}

impl When {
    fn run(&self, interp: &Interp, function: &Value) -> PyResult<Value> {
        let cx = Context::jax(interp);
        let tile = match &self.0 {
            Value::Bool(true) => return interp.call_values(function, []).map(|_| Value::None),
            Value::Bool(false) => return Ok(Value::None),
            Value::Unknown(_) => return interp.call_values(function, []).map(|_| Value::None),
            condition => convert::tile(&cx, condition, "cond")?,
        };
        if tile.rank() != 0 {
            return Err(interp.error_with(
                &interp.types().type_error,
                format!("Pred must be a scalar, got {} of shape {}.", interp.repr(&self.0)?, tile.shape()),
                Diagnosis {
                    code: "PL115",
                    help: Some("reduce it to one boolean, for example with `jnp.any`".to_string()),
                    ..Diagnosis::default()
                },
            ));
        }
        control::cond(
            &cx,
            &tile,
            &mut [&mut |_cx: &Context<'_>| Ok(Vec::new()), &mut |cx: &Context<'_>| {
                let returned = interp.call_values(function, [])?;
                nothing_returned(cx, function, &returned)?;
                Ok(Vec::new())
            }],
        )?;
        Ok(Value::None)
    }
}

/// The other branch of `pl.when` returns nothing, so the decorated function must not either.
fn nothing_returned(cx: &Context<'_>, function: &Value, returned: &Value) -> PyResult<()> {
    let interp = cx.interp;
    if matches!(returned, Value::None | Value::Unknown(_)) {
        return Ok(());
    }
    let what = match returned {
        Value::Tuple(_) => "a <class 'tuple'>",
        Value::List(_) => "a <class 'list'>",
        Value::Dict(_) => "a <class 'dict'>",
        _ => "a pytree leaf",
    };
    Err(interp.error_with(
        &interp.types().type_error,
        format!(
            "cond branch outputs must have the same pytree structure, but they differ:\n\ntrue_fun is {}\nfalse_fun is \
             <lambda> at jax/_src/pallas/helpers.py:86\n\ntrue_fun output is {what} but false_fun output is a <class \
             'NoneType'>, so their Python types differ.\n\nRevise true_fun and/or false_fun so that they have the same \
             pytree structure.",
            crate::pallas::launch::origin_of(cx, function)
        ),
        Diagnosis {
            code: "",
            message: Some("a function under `pl.when` returns a value, which goes nowhere".to_string()),
            help: Some("store it to a Ref, or use `lax.cond` for a value of either branch".to_string()),
            ..Diagnosis::default()
        },
    ))
}

/// `(a + b - 1) // b` of ints; `lax.div(a + (b - 1), b)` as soon as one of them is an array.
fn cdiv(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [a, b] = args.take();
    ceiling(interp, &a, &b)
}

fn ceiling(interp: &Interp, a: &Value, b: &Value) -> PyResult<Value> {
    use pallas_syntax::ast::BinaryOp;
    let is_dimension = |value: &Value| matches!(value, Value::Int(_) | Value::Bool(_) | Value::Unknown(_));
    if is_dimension(a) && is_dimension(b) {
        let sum = interp.binary(BinaryOp::Add, a, b)?;
        let less = interp.binary(BinaryOp::Sub, &sum, &Value::from(1i64))?;
        return interp.binary(BinaryOp::FloorDiv, &less, b);
    }
    let less = interp.binary(BinaryOp::Sub, b, &Value::from(1i64))?;
    let sum = interp.binary(BinaryOp::Add, a, &less)?;
    let div = interp.get_attr(&interp.import("jax.lax")?, "div")?;
    interp.call_values(&div, [sum, b.clone()])
}

fn next_power_of_2(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x] = args.take();
    let x = interp.to_i64(&x)?;
    if x < 0 {
        return Err(interp.value_error("`next_power_of_2` requires a non-negative integer.".to_string()));
    }
    let power = (x.max(1) as u64).checked_next_power_of_two().and_then(|p| i64::try_from(p).ok());
    match power {
        Some(power) => Ok(Value::from(power)),
        None => Err(interp.overflow_error("next_power_of_2: the result does not fit in 64 bits".to_string())),
    }
}

fn strides_from_shape(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [shape] = args.take();
    let shape = convert::shape(&Context::jax(interp), &shape)?;
    Ok(Value::tuple(shape.strides().iter().map(|&s| Value::from(s))))
}

fn align_to(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, alignment] = args.take();
    let blocks = ceiling(interp, &x, &alignment)?;
    interp.binary(pallas_syntax::ast::BinaryOp::Mult, &blocks, &alignment)
}

/// Stages a print; outside of any trace it prints at once.
pub fn debug_print(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [format, values] = args.take();
    let cx = Context::jax(interp);
    let format = interp.to_str(&format)?;
    printing::stage(&cx, &format, &interp.collect(&values)?, &[], false)
}

/// Prints tiles by a format with `{}` fields.
pub fn stage_print(cx: &Context<'_>, format: &str, tiles: &[Tile]) -> PyResult<Value> {
    let attributes = Attributes::none().with("format", Attribute::Str(format.into()));
    control::effect(cx, &ops::DEBUG_PRINT, tiles, attributes)?;
    Ok(Value::None)
}

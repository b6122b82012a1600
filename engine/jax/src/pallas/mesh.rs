//! Kernels over a mesh of cores: `pl.kernel`, a launch with one program per core whose operands stay where they are, and
//! `pl.core_map`, a function of no arguments that runs once per core in the place where it is defined.
//!
//! TensorCores run at the same time and act on each other, and so do the blocks and threads of a GPU: a `core_map` over them is
//! a launch whose operands are the Refs that the function uses from outside. Of other meshes cores run one after the other, and
//! what they say to each other is not simulated.

mod cores;
mod programs;

use crate::context::Context;
use crate::lax::control;
use crate::pallas::agents::collective::{self, BlockAxes};
use crate::pallas::cache::Traces;
use crate::pallas::call::{self as launches, PallasCall};
use crate::pallas::interpretation;
use crate::pallas::scoped;
use crate::primitive;
use crate::transform::named::{self, NamedAxis};
use pallas_ir::{Attributes, AxisSemantics, Meeting, MemorySpace, Op, Target, TensorType, Type, ops};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::Span;
use pallas_tensor::{DType, Scalar};
use programs::Programs;
use std::rc::Rc;

/// Rows of the `pallas` module.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "kernel",
        signature: "(body=..., out_type=(), *, mesh, scratch_types=(), compiler_params=None, interpret=False, \
                    cost_estimate=None, debug=False, name=None, metadata=None, out_shape=..., scratch_shapes=...)",
        doc: "A kernel that runs once per core of a mesh, on operands that stay in main memory.",
        run: kernel,
    },
    NativeDef {
        name: "core_map",
        signature: "(mesh, *, compiler_params=None, interpret=False, debug=False, cost_estimate=None, name=None, \
                    metadata=None, scratch_shapes=())",
        doc: "Decorates a function that runs at once, on each core of a mesh.",
        run: |interp, args| {
            let span = interp.visible_span();
            let [mesh, params, interpret, _debug, _cost, _name, _metadata, scratch] = args.take();
            Ok(match axes(interp, &mesh)? {
                Ok(axes) => {
                    let blocks = BlockAxes::of_mesh(interp, &mesh)?;
                    let together = match Programs::of(interp, &mesh, axes.len(), &params)? {
                        Some(programs) => {
                            let meeting = launches::meeting(interp, &params)?;
                            Some(Together { programs, meeting, interpret, span })
                        }
                        None => None,
                    };
                    Value::object(Deferred::CoreMap { axes, blocks, scratch, together })
                }
                Err(unknown) => unknown,
            })
        },
    },
];

/// A decorator.
enum Deferred {
    /// `pl.kernel(mesh=...)` without a body.
    Kernel(Box<Declared>),
    CoreMap {
        axes: Axes,
        /// Which of them are a GPU's cluster and threads.
        blocks: Option<BlockAxes>,
        scratch: Value,
        /// Of programs that run at the same time.
        together: Option<Together>,
    },
}

/// What a `core_map` over programs that run at the same time is launched with.
struct Together {
    programs: Programs,
    meeting: Meeting,
    interpret: Value,
    /// Where it is called.
    span: Span,
}

/// What `pl.kernel` is given besides the body.
#[derive(Clone)]
struct Declared {
    out_type: Value,
    mesh: Value,
    scratch: Value,
    params: Value,
    interpret: Value,
    name: Value,
    span: Span,
}

static CLASS: NativeClass = NativeClass {
    name: "function",
    module: "builtins",
    doc: "A decorator made by pallas.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn kernel(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let span = interp.span();
    let [body, out_type, mesh, scratch, params, interpret, _cost, _debug, name, _metadata, out_shape, scratch_shapes] =
        args.take();
    let declared = Declared {
        out_type: out_shape.given().unwrap_or(out_type),
        mesh,
        scratch: scratch_shapes.given().unwrap_or(scratch),
        params,
        interpret,
        name,
        span,
    };
    match body {
        Value::Unset => Ok(Value::object(Deferred::Kernel(Box::new(declared)))),
        Value::List(_) | Value::Tuple(_) => Err(interp.not_implemented_error(
            "pl.kernel with several bodies is not provided by the workbench yet: give one body and one mesh",
        )),
        body => declared.launcher(interp, body),
    }
}

impl Declared {
    /// A function of arrays that launches the kernel.
    fn launcher(self, interp: &Interp, kernel: Value) -> PyResult<Value> {
        if let Some(unknown) = [&kernel, &self.out_type, &self.mesh].into_iter().find(|value| value.is_unknown()) {
            return Ok(unknown.clone());
        }
        let axes = match axes(interp, &self.mesh)? {
            Ok(axes) => axes,
            Err(unknown) => return Ok(unknown),
        };
        let programs = Programs::of(interp, &self.mesh, axes.len(), &self.params)?.unwrap_or_else(|| Programs {
            semantics: vec![AxisSemantics::Parallel; axes.len()],
            space: MemorySpace::Any,
            target: Target::Unsaid,
        });
        let pairs = axes.iter().map(|(name, size)| Value::tuple([Value::Str(name.clone()), Value::from(*size)]));
        Ok(Value::object(PallasCall {
            kernel,
            out_shape: self.out_type,
            grid_spec: Value::None,
            grid: Value::tuple(pairs.collect::<Vec<_>>()),
            in_specs: Value::None,
            out_specs: Value::None,
            scratch_shapes: self.scratch,
            aliases: Value::None,
            name: match self.name.given() {
                Some(name) => Some(interp.to_str(&name)?.to_string()),
                None => None,
            },
            interpretation: interpretation::parse(interp, &self.interpret)?,
            space: programs.space,
            semantics: programs.semantics,
            target: programs.target,
            written_for: Target::Unsaid,
            vmem_limit: None,
            meeting: launches::meeting(interp, &self.params)?,
            span: self.span,
            grid_span: None,
            out_shape_span: None,
            in_specs_span: None,
            out_specs_span: None,
            aliases_span: None,
            traces: Traces::default(),
        }))
    }
}

/// Names and extents of a mesh.
fn axes(interp: &Interp, mesh: &Value) -> PyResult<Result<Axes, Value>> {
    if mesh.is_unknown() {
        return Ok(Err(mesh.clone()));
    }
    if matches!(mesh, Value::List(_) | Value::Tuple(_)) {
        return Err(interp.not_implemented_error(
            "kernels over several meshes are not provided by the workbench yet: give one mesh",
        ));
    }
    let shape = interp.get_attr(mesh, "shape")?;
    let mut axes = Axes::new();
    for pair in interp.collect(&interp.call_method(&shape, "items", [])?)? {
        let pair = interp.collect(&pair)?;
        match pair.as_slice() {
            // How many cores there are is not known to analysis where nobody says what the kernel is meant for.
            [_, size] if size.is_unknown() => return Ok(Err(size.clone())),
            [name, size] => axes.push((interp.str(name)?.as_str().into(), interp.to_usize(size)?)),
            _ => return Err(interp.type_error("the shape of a mesh names its axes")),
        }
    }
    Ok(Ok(axes))
}

/// Axes of a mesh of cores: names and extents.
type Axes = Vec<(Rc<str>, usize)>;

impl Object for Deferred {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let Some(function) = args.positional.first().cloned() else {
            return Some(Err(interp.type_error("missing 1 required positional argument")));
        };
        Some(match self {
            Deferred::Kernel(declared) => (**declared).clone().launcher(interp, function),
            Deferred::CoreMap { axes, blocks, scratch, together } => {
                let cx = Context::jax(interp);
                let _blocks = blocks.clone().map(|blocks| collective::enter(&cx, Some(blocks)));
                match together {
                    Some(together) => cores::core_map(&cx, &function, axes, scratch, together),
                    None => core_map(&cx, &function, axes, scratch),
                }
            }
        })
    }
}

/// Runs a function once per core, the last axis fastest.
fn core_map(cx: &Context<'_>, function: &Value, axes: &[(Rc<str>, usize)], scratch: &Value) -> PyResult<Value> {
    let mut lanes = Vec::new();
    each_core(cx, function, axes, scratch, &mut lanes)?;
    Ok(Value::None)
}

/// Calls a function that gives nothing back.
fn call(cx: &Context<'_>, function: &Value, scratch: &Value) -> PyResult<()> {
    match scoped::with_scratch(cx, function, scratch)? {
        Value::None => Ok(()),
        other => {
            let shown = cx.interp.repr(&other)?;
            Err(cx.interp.value_error(format!(
                "The kernel function in core_map {} should return None. It returns a PyTree: {shown}.",
                crate::pallas::launch::origin_of(cx, function)
            )))
        }
    }
}

fn each_core(
    cx: &Context<'_>,
    function: &Value,
    axes: &[(Rc<str>, usize)],
    scratch: &Value,
    lanes: &mut Vec<NamedAxis>,
) -> PyResult<()> {
    let Some(((name, size), rest)) = axes.split_first() else {
        let _entered = named::enter(cx, lanes.clone());
        return call(cx, function, scratch);
    };
    control::staged(cx, "core_map", |trace| {
        let number = |n: usize| primitive::scalar(DType::I32, Scalar::Int(n as i128));
        let operands = [cx.value_in(trace, &number(0))?, cx.value_in(trace, &number(*size))?];
        let counter = Type::Tensor(TensorType::scalar(DType::I32));
        let (region, ()) = trace.in_region(&[counter], |values| {
            let lane = values.first().and_then(|&value| trace.tile(value));
            let lane = lane.ok_or_else(|| cx.interp.runtime_error("a core has no number"))?;
            lanes.push(NamedAxis { name: name.clone(), size: *size, trace: trace.clone(), lane, shards: None });
            let result = each_core(cx, function, rest, scratch, lanes);
            lanes.pop();
            result.map(|()| (Vec::new(), ()))
        })?;
        let attributes = Attributes::none().with("together", pallas_ir::Attribute::Bool(true));
        trace.add(cx, Op(&ops::FOR), &operands, attributes, &[region])?;
        Ok(Vec::new())
    })?;
    Ok(())
}

/// The numbers of the cores along the named axes of a kernel's grid, for `jax.lax.axis_index`.
pub(crate) fn named_axes(
    cx: &Context<'_>,
    trace: &Rc<crate::trace::Trace>,
    names: &[Option<Rc<str>>],
    grid: &[usize],
) -> PyResult<Vec<NamedAxis>> {
    let mut found = Vec::new();
    for (axis, (name, &size)) in names.iter().zip(grid).enumerate() {
        let Some(name) = name else { continue };
        let attributes = Attributes::none().with("axis", pallas_ir::Attribute::Int(axis as i64));
        let value = trace.add(cx, Op(&ops::PROGRAM_ID), &[], attributes, &[])?;
        if let Some(lane) = value.first().and_then(|&value| trace.tile(value)) {
            found.push(NamedAxis { name: name.clone(), size, trace: trace.clone(), lane, shards: None });
        }
    }
    Ok(found)
}

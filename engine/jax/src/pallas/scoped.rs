//! Allocations with a scope, and loops: `pl.run_scoped`, `pl.run_state`, `pl.with_scoped`, `pl.loop`.

use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::held::{self, HeldRef};
use crate::lax::control;
use crate::pallas::memory::MemoryRef;
use crate::pallas::{agents, semaphore, spec};
use crate::primitive;
use crate::ref_index;
use crate::refs::{Access, RefObject};
use crate::tile::Tile;
use crate::trace::Trace;
use crate::tree;
use pallas_ir::{Attribute, Attributes, MemorySpace, Op, RefType, Type, ops};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_syntax::ast::{BinaryOp, Name};
use pallas_tensor::{DType, Scalar};
use std::rc::Rc;

/// Rows of the `pallas` module.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "run_scoped",
        signature: "(f, *types, collective_axes=(), **kw_types)",
        doc: "Calls `f` with freshly allocated Refs, which live until it returns.",
        run: run_scoped,
    },
    NativeDef {
        name: "with_scoped",
        signature: "(*types, collective_axes=(), **kw_types)",
        doc: "Decorates a function: when it is called it gets freshly allocated Refs behind its arguments.",
        run: with_scoped,
    },
    NativeDef {
        name: "run_state",
        signature: "(f)",
        doc: "A function from values to values, from a function that changes Refs in place.",
        run: |_interp, args| {
            let [function] = args.take();
            Ok(Value::object(Deferred { kind: Kind::RunState, parts: vec![function], types: CallArgs::default() }))
        },
    },
    NativeDef {
        name: "loop",
        signature: "(lower, upper, *, init_carry=None, step=1, unroll=None)",
        doc: "Decorates a loop body `body(i)` or `body(i, carry)`; the loop runs where it is defined.",
        run: |_interp, args| {
            let [lower, upper, carry, step, _unroll] = args.take();
            let parts = vec![lower, upper, carry, step];
            Ok(Value::object(Deferred { kind: Kind::Loop, parts, types: CallArgs::default() }))
        },
    },
];

/// A decorator, or a function made from a function.
struct Deferred {
    kind: Kind,
    parts: Vec<Value>,
    types: CallArgs,
}

#[derive(Clone, Copy)]
enum Kind {
    RunState,
    Loop,
    /// The decorator.
    WithScoped,
    /// What it makes of a function: a function that allocates when it is called.
    Scoped,
}

static CLASS: NativeClass = NativeClass {
    name: "function",
    module: "builtins",
    doc: "A function made by pallas.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Deferred {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let argument = match (args.positional.first(), self.kind) {
            (Some(argument), _) => argument.clone(),
            (None, Kind::Scoped) => Value::None,
            (None, _) => return Some(Err(interp.type_error("missing 1 required positional argument".to_string()))),
        };
        Some(match self.kind {
            Kind::RunState => run_state(interp, &self.parts[0], &argument),
            Kind::Loop => run_loop(interp, &self.parts, &argument),
            Kind::WithScoped => {
                let (kind, parts, types) = (Kind::Scoped, vec![argument], self.types.clone());
                Ok(Value::object(Deferred { kind, parts, types }))
            }
            Kind::Scoped => scoped(interp, &self.parts[0], args.positional.into_vec(), self.types.clone()),
        })
    }
}

fn allocation(cx: &Context<'_>, request: &Value) -> PyResult<RefType> {
    if request.is_unknown() {
        // The kernel cannot be followed, but the program is not wrong.
        let message = "what is allocated here is not known, so that the kernel is not checked";
        return Err(cx.interp.error_with(
            &cx.interp.types().not_implemented_error,
            message.to_string(),
            Diagnosis { code: "PL005", message: Some(message.to_string()), ..Diagnosis::default() },
        ));
    }
    if let Some(request) = agents::requested(cx.interp, request)? {
        return allocation(cx, &request);
    }
    if let Some(memory) = request.downcast::<MemoryRef>() {
        let ty = memory.reference(cx.interp, |name| agents::grid_axis(cx, name))?;
        let refuses = cx.state.tracing_for.get().is_some_and(|simulator| !simulator.main_scopes);
        if refuses && matches!(ty.space, MemorySpace::Any | MemorySpace::Hbm) {
            return Err(cx.interp.value_error("Cannot allocate HBM in `run_scoped`."));
        }
        return Ok(ty);
    }
    if let Some((kind, shape)) = semaphore::requested(cx.interp, request)? {
        return Ok(kind.reference(shape));
    }
    match spec::declared(cx, request)? {
        Some((shape, dtype)) => Ok(RefType::new(dtype, shape, MemorySpace::Default)),
        None => {
            let shown = cx.interp.repr(request)?;
            Err(cx
                .interp
                .type_error(format!("run_scoped allocates memory such as pltpu.VMEM((8,), jnp.float32), got {shown}")))
        }
    }
}

fn type_arguments(interp: &Interp, types: &Value, keywords: &Value) -> PyResult<CallArgs> {
    let mut args = CallArgs::positional(interp.collect(types)?);
    if let Value::Dict(dict) = keywords {
        for (key, value) in dict.borrow().iter() {
            args.keywords.push((Name::from(&*interp.to_str(key)?), value.clone()));
        }
    }
    Ok(args)
}

/// Calls a function with scratch of these types: a sequence of arguments, or keywords.
pub(crate) fn with_scratch(cx: &Context<'_>, function: &Value, scratch: &Value) -> PyResult<Value> {
    let interp = cx.interp;
    let args = match scratch {
        Value::Dict(_) => type_arguments(interp, &Value::tuple([]), scratch)?,
        Value::None | Value::Unset => CallArgs::default(),
        types => type_arguments(interp, types, &Value::None)?,
    };
    if args.positional.is_empty() && args.keywords.is_empty() {
        return interp.call(function, args);
    }
    scoped(interp, function, Vec::new(), args)
}

fn run_scoped(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, types, axes, keywords] = args.take();
    let types = type_arguments(interp, &types, &keywords)?;
    allocated(interp, &function, Vec::new(), types, Some(collective_axes(interp, &axes)?))
}

fn with_scoped(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [types, _axes, keywords] = args.take();
    let types = type_arguments(interp, &types, &keywords)?;
    Ok(Value::object(Deferred { kind: Kind::WithScoped, parts: Vec::new(), types }))
}

/// The axes that `collective_axes` names: threads have what is allocated in common.
fn collective_axes(interp: &Interp, axes: &Value) -> PyResult<Vec<Rc<str>>> {
    let names = match axes {
        Value::None | Value::Unset => return Ok(Vec::new()),
        Value::Tuple(_) | Value::List(_) => interp.collect(axes)?,
        single => vec![single.clone()],
    };
    names.iter().map(|name| interp.str(name).map(|text| text.as_str().into())).collect()
}

/// Calls a function with arguments, and Refs of these types behind them.
fn scoped(interp: &Interp, function: &Value, first: Vec<Value>, types: CallArgs) -> PyResult<Value> {
    allocated(interp, function, first, types, None)
}

/// As [`scoped`]; along these axes programs have the Refs in common, where it was asked.
fn allocated(
    interp: &Interp,
    function: &Value,
    first: Vec<Value>,
    types: CallArgs,
    collective: Option<Vec<Rc<str>>>,
) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let requests = Value::tuple(types.positional.iter().cloned().chain(types.keywords.iter().map(|(_, v)| v.clone())));
    let (leaves, tree_def) = tree::flatten(interp, &requests, None)?;
    let params = leaves.iter().map(|leaf| allocation(&cx, leaf).map(Type::Ref)).collect::<PyResult<Vec<_>>>()?;
    if let Some(axes) = &collective {
        agents::collective::check(&cx, axes, &params)?;
    }
    let collective = collective.is_some_and(|axes| !axes.is_empty());
    let mut out_tree = None;
    let results = control::staged(&cx, "run_scoped", |trace| {
        let (region, def) = trace.in_region(&params, |values| {
            let refs = values.iter().filter_map(|&v| RefObject::new(trace, v).map(Value::object));
            let refs =
                interp.collect(&tree::unflatten(interp, &tree_def, &mut refs.collect::<Vec<_>>().into_iter())?)?;
            let (positional, keyword) = refs.split_at(types.positional.len());
            let mut args = CallArgs::positional(first.into_iter().chain(positional.iter().cloned()));
            args.keywords = types.keywords.iter().map(|(n, _)| n.clone()).zip(keyword.iter().cloned()).collect();
            if let Ok(bound) = interp.bind(function, args.clone()) {
                name_allocations(interp, trace, &bound);
            }
            let result = interp.call(function, args)?;
            let (leaves, def) = tree::flatten(interp, &result, None)?;
            let yields = leaves
                .iter()
                .map(|leaf| convert::tile(&cx, leaf, "run_scoped").and_then(|tile| cx.value_in(trace, &tile)))
                .collect::<PyResult<Vec<_>>>()?;
            Ok((yields, def))
        })?;
        out_tree = Some(def);
        let attributes = match collective {
            true => Attributes::none().with("collective", Attribute::Bool(true)),
            false => Attributes::none(),
        };
        let values = trace.add(&cx, Op(&ops::SCOPED), &[], attributes, &[region])?;
        Ok(values.iter().filter_map(|&v| trace.tile(v)).collect())
    })?;
    match out_tree {
        Some(def) => assemble(interp, &def, results),
        None => Ok(Value::None),
    }
}

/// Gives allocations the names of the parameters that they are passed to.
fn name_allocations(interp: &Interp, trace: &Rc<Trace>, bound: &[(Name, Value)]) {
    for (name, value) in bound {
        let Ok((leaves, _)) = tree::flatten(interp, value, None) else { continue };
        let single = leaves.len() == 1;
        for (position, leaf) in leaves.iter().enumerate() {
            let Some(object) = leaf.downcast::<RefObject>().filter(|object| object.is_of(trace)) else { continue };
            trace.name(object.value, if single { name.clone() } else { format!("{name}{position}").into() });
        }
    }
}

fn assemble(interp: &Interp, def: &tree::TreeDef, tiles: Vec<Tile>) -> PyResult<Value> {
    tree::unflatten(interp, def, &mut tiles.into_iter().map(|tile| Value::object(ArrayObject { tile })))
}

/// `run_state(f)(x)`: Refs that begin as `x`, changed by `f`, read at the end.
fn run_state(interp: &Interp, function: &Value, initial: &Value) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let (leaves, def) = tree::flatten(interp, initial, None)?;
    let mut tiles = Vec::with_capacity(leaves.len());
    let mut params = Vec::with_capacity(leaves.len());
    for leaf in &leaves {
        // An accumulator with a first value says where it is.
        let (value, space) = match agents::requested(interp, leaf)? {
            Some(request) => (interp.get_attr(leaf, "_init")?, allocation(&cx, &request)?.space),
            None => (leaf.clone(), MemorySpace::Default),
        };
        let tile = convert::tile(&cx, &value, "run_state")?;
        params.push(Type::Ref(RefType::new(tile.dtype(), tile.shape().clone(), space)));
        tiles.push(tile);
    }
    if cx.innermost().is_some_and(|trace| trace.is_transform()) {
        // What is transformed has no Refs of its own: these hold arrays.
        let refs: Vec<Value> = tiles.into_iter().map(|tile| held::threads::make(interp, tile)).collect();
        interp.call_values(function, [tree::unflatten(interp, &def, &mut refs.iter().cloned())?])?;
        let left = refs.iter().filter_map(|reference| reference.downcast::<HeldRef>());
        let left = left.map(|reference| reference.read(&cx)).collect::<PyResult<Vec<_>>>()?;
        return assemble(interp, &def, left);
    }
    let results = control::staged(&cx, "run_state", |trace| {
        let (region, ()) = trace.in_region(&params, |values| {
            let refs: Vec<RefObject> = values.iter().filter_map(|&v| RefObject::new(trace, v)).collect();
            for (reference, tile) in refs.iter().zip(&tiles) {
                let everything = ref_index::parse(&cx, &reference.ty.shape, &Value::Ellipsis)?;
                let tile = primitive::convert(&cx, tile, reference.ty.dtype, false)?;
                reference.store(&cx, &everything, &tile, &Access::default())?;
            }
            let mut objects = refs.iter().cloned().map(Value::object);
            interp.call_values(function, [tree::unflatten(interp, &def, &mut objects)?])?;
            let mut yields = Vec::new();
            for reference in &refs {
                let everything = ref_index::parse(&cx, &reference.ty.shape, &Value::Ellipsis)?;
                yields.push(cx.value_in(trace, &reference.load(&cx, &everything, &Access::default())?)?);
            }
            Ok((yields, ()))
        })?;
        let values = trace.add(&cx, Op(&ops::SCOPED), &[], Attributes::none(), &[region])?;
        Ok(values.iter().filter_map(|&v| trace.tile(v)).collect())
    })?;
    assemble(interp, &def, results)
}

/// `pl.loop(lower, upper, step=...)`, as jax/_src/pallas/helpers.py: a `fori_loop` over `cdiv(upper - lower, step)`.
fn run_loop(interp: &Interp, parts: &[Value], body: &Value) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let [lower, upper, carry, step] = parts else { return Ok(Value::None) };
    let distance = interp.binary(BinaryOp::Sub, upper, lower)?;
    let rounded = interp.binary(BinaryOp::Add, &distance, step)?;
    let rounded = interp.binary(BinaryOp::Sub, &rounded, &Value::from(1i64))?;
    let count = interp.binary(BinaryOp::FloorDiv, &rounded, step)?;
    let count = convert::tile(&cx, &count, "loop")?;
    let zero = Tile::Concrete { array: pallas_tensor::Array::scalar(DType::I32, Scalar::Int(0)), weak: true };
    let carried = control::Carried::counting(&zero, &count);
    control::for_loop(&cx, &carried, [&zero, &count], carry, &mut |cx, index, state| {
        let index = Value::object(ArrayObject { tile: index });
        let scaled = cx.interp.binary(BinaryOp::Mult, &index, step)?;
        let position = cx.interp.binary(BinaryOp::Add, lower, &scaled)?;
        if carry.is_none() {
            let result = cx.interp.call_values(body, [position])?;
            if !result.is_none() {
                return Err(cx
                    .interp
                    .type_error("the body of a pl.loop without init_carry must return None".to_string()));
            }
            return Ok(Value::None);
        }
        cx.interp.call_values(body, [position, state])
    })
}

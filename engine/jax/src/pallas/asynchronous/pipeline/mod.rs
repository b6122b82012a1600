//! `pltpu.emit_pipeline`: a pipeline inside a kernel, staged as one op with its index maps and its body as regions. The
//! order of copies and waits is not staged: it is the op's meaning. Pipelines that no such op can say are in `staged`.

mod grid;
mod partition;
mod staged;
mod windows;

pub use grid::PipelineGrid;
pub(crate) use grid::asked;
pub use staged::MODULE as GRIDS;

use crate::array::ArrayObject;
use crate::context::Context;
use crate::pallas::asynchronous::semaphores::kernel;
use crate::refs::RefObject;
use crate::tree;
use grid::Grid;
use pallas_ir::{
    Attribute, Attributes, Function, Op, OpKind, Pipeline, PipelineOperand, RefType, RegionId, Role, TensorType, Type,
    ValueId, ops,
};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_tensor::{DType, Shape};
use std::rc::Rc;
use std::sync::Arc;
use windows::Source;

/// Rows of `pltpu`.
pub static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "emit_pipeline",
    signature: "(body, *, grid, in_specs=(), out_specs=(), tiling=None, core_axis=None, core_axis_name=None, \
                dimension_semantics=None, trace_scopes=True, no_pipelining=False, _explicit_indices=False)",
    doc: "A function of Refs that runs `body` on their blocks, which are copied ahead of it.",
    run: emit_pipeline,
}];

/// What `emit_pipeline` returns.
struct Emitted {
    body: Value,
    grid: Vec<Value>,
    in_specs: Value,
    out_specs: Value,
    core_axis: Value,
    semantics: Value,
    synchronous: bool,
    explicit_indices: bool,
}

static CLASS: NativeClass = NativeClass {
    name: "function",
    module: "builtins",
    doc: "A pipeline; call it with Refs.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

static CALL: NativeDef = NativeDef {
    name: "pipeline",
    signature: "(*refs, scratches=None, allocations=None, body_prologue=None)",
    doc: "Runs the pipeline on Refs: inputs, then outputs.",
    run: |_interp, _args| Ok(Value::None),
};

fn emit_pipeline(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [
        body,
        grid,
        in_specs,
        out_specs,
        _tiling,
        core_axis,
        core_axis_name,
        semantics,
        _scopes,
        synchronous,
        explicit,
    ] = args.take();
    if let Some(unknown) = [&body, &grid, &in_specs, &out_specs].into_iter().find(|value| value.is_unknown()) {
        return Ok(unknown.clone());
    }
    if !core_axis.is_none() && !core_axis_name.is_none() {
        return Err(interp.value_error("core_axis and core_axis_name cannot both be provided."));
    }
    let extents = interp.collect(&grid)?;
    for extent in &extents {
        if matches!(extent, Value::Int(_)) && interp.to_i64(extent)? <= 0 {
            return Err(interp.error_with(
                &interp.types().value_error,
                format!("All elements in the grid must be strictly positive, but got grid={}", interp.repr(&grid)?),
                Diagnosis { code: "PL101", ..Diagnosis::default() },
            ));
        }
    }
    Ok(Value::object(Emitted {
        body,
        grid: extents,
        in_specs: normalized(in_specs),
        out_specs: normalized(out_specs),
        core_axis: if core_axis.is_none() { core_axis_name } else { core_axis },
        semantics,
        synchronous: interp.truth(&synchronous)?,
        explicit_indices: interp.truth(&explicit)?,
    }))
}

/// Specs as a tuple.
fn normalized(specs: Value) -> Value {
    match specs {
        Value::Tuple(_) => specs,
        Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
        single => Value::tuple([single]),
    }
}

impl Object for Emitted {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(crate::support::bind(interp, &CALL, args).and_then(|args| {
            let [refs, scratches, allocations, prologue] = args.take();
            let cx = Context::jax(interp);
            if !allocations.is_none() || self.has_parts(&cx)? {
                return self.run_staged(&cx, &refs, &scratches, &allocations, &prologue);
            }
            match self.run(&cx, &interp.collect(&refs)?, &scratches, &prologue)? {
                Some(done) => Ok(done),
                None => self.run_staged(&cx, &refs, &scratches, &allocations, &prologue),
            }
        }))
    }
}

impl Emitted {
    /// As one op; `None` where the body signals or waits and there are other devices or cores: whoever runs it has to be able
    /// to stop inside.
    fn run(&self, cx: &Context<'_>, refs: &[Value], scratches: &Value, prologue: &Value) -> PyResult<Option<Value>> {
        let interp = cx.interp;
        let trace = kernel(cx, "emit_pipeline")?;
        let grid = Grid::new(cx, &self.grid, &self.core_axis, &self.semantics)?;
        let inputs = interp.collect(&self.in_specs)?.len();
        let (in_refs, out_refs) = refs.split_at(inputs.min(refs.len()));
        let mut sources = Vec::new();
        windows::sources(cx, &self.in_specs, in_refs, Role::Input, &mut sources)?;
        windows::sources(cx, &self.out_specs, out_refs, Role::Output, &mut sources)?;

        let mut operands: Vec<ValueId> = Vec::new();
        let numbers = grid.dynamic.iter().chain(grid.offsets.iter().flatten());
        for tile in numbers {
            operands.push(cx.value_in(&trace, tile)?);
        }
        let mut regions = Vec::new();
        let mut described: Vec<PipelineOperand> = Vec::new();
        for source in &sources {
            operands.push(source.reference.operand(cx)?);
        }
        for source in &sources {
            let (region, operand) = windows::map(cx, &trace, &grid, source)?;
            regions.push(region);
            described.push(operand);
        }
        let body = self.body(cx, &trace, &grid, &sources, &mut described, scratches, prologue)?;
        let has_others = cx.state.in_cores.get() || !cx.state.axes.borrow().is_empty();
        if has_others && trace.with_function(|function| acts_on_others(function, body)) {
            return Ok(None);
        }
        regions.push(body);
        let pipeline = Pipeline {
            grid: grid.extents.clone(),
            offsets: grid.offsets.is_some(),
            synchronous: self.synchronous,
            operands: described,
        };
        let attributes = Attributes::none().with("pipeline", Attribute::Pipeline(Arc::new(pipeline)));
        trace.add(cx, Op(&ops::PIPELINE), &operands, attributes, &regions)?;
        Ok(Some(Value::None))
    }

    /// Traces the body; the blocks take the names of its parameters.
    #[expect(clippy::too_many_arguments, reason = "everything that a body sees")]
    fn body(
        &self,
        cx: &Context<'_>,
        trace: &Rc<crate::trace::Trace>,
        grid: &Grid,
        sources: &[Source],
        described: &mut [PipelineOperand],
        scratches: &Value,
        prologue: &Value,
    ) -> PyResult<pallas_ir::RegionId> {
        let interp = cx.interp;
        let axes = grid.extents.len();
        let number = Type::Tensor(TensorType::scalar(DType::I32));
        let mut params = vec![number; axes];
        params.extend(sources.iter().zip(&*described).map(|(source, operand)| {
            let shape = Shape::from(operand.block_shape());
            Type::Ref(RefType::new(source.reference.ty.dtype, shape, source.space))
        }));
        let (region, ()) = trace.in_region(&params, |values| {
            let (ids, refs) = values.split_at(axes);
            let ids: Vec<Value> =
                ids.iter().filter_map(|&id| trace.tile(id)).map(|tile| Value::object(ArrayObject { tile })).collect();
            let blocks: Vec<RefObject> = refs.iter().filter_map(|&value| RefObject::new(trace, value)).collect();
            let entered = grid.enter(cx, trace, &ids, self.explicit_indices);
            if !prologue.is_none() {
                interp.call_values(prologue, [])?;
            }
            let mut leaves = blocks.iter().cloned().map(Value::object);
            let mut args = Vec::new();
            if self.explicit_indices {
                args.push(Value::tuple(ids.iter().cloned()));
            }
            for specs in [&self.in_specs, &self.out_specs] {
                let (_, tree) = tree::flatten(interp, specs, None)?;
                args.extend(interp.collect(&tree::unflatten(interp, &tree, &mut leaves)?)?);
            }
            match scratches {
                Value::None | Value::Unset => {}
                scratches => args.extend(interp.collect(scratches)?),
            }
            let args = CallArgs::positional(args);
            if let Ok(bound) = interp.bind(&self.body, args.clone()) {
                name_blocks(interp, trace, &bound, refs, described);
            }
            interp.call(&self.body, args)?;
            drop(entered);
            Ok((Vec::new(), ()))
        })?;
        Ok(region)
    }
}

/// Whether a region signals or waits for a semaphore, or copies to another device.
fn acts_on_others(function: &Function, region: RegionId) -> bool {
    function.region(region).ops.iter().map(|&op| function.op(op)).any(|op| {
        matches!(op.op.kind, OpKind::Semaphore(_))
            || (matches!(op.op.kind, OpKind::Copy(_)) && op.attributes.flag("remote"))
            || op.regions.iter().any(|&inner| acts_on_others(function, inner))
    })
}

/// Gives blocks the names of the body's parameters.
fn name_blocks(
    interp: &Interp,
    trace: &Rc<crate::trace::Trace>,
    bound: &[(pallas_syntax::ast::Name, Value)],
    refs: &[ValueId],
    described: &mut [PipelineOperand],
) {
    for (name, value) in bound {
        let Ok((leaves, _)) = tree::flatten(interp, value, None) else { continue };
        let single = leaves.len() == 1;
        for (position, leaf) in leaves.iter().enumerate() {
            let Some(object) = leaf.downcast::<RefObject>() else { continue };
            let Some(number) = refs.iter().position(|&value| value == object.value) else { continue };
            let text: Arc<str> = if single { name.clone() } else { Arc::from(format!("{name}{position}")) };
            trace.name(object.value, text.clone());
            if let Some(operand) = described.get_mut(number) {
                operand.name = text;
            }
        }
    }
}

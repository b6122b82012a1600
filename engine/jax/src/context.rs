//! The context that array functions run in, and `bind`: the one place where an op is staged, computed, or only typed.

use crate::state::{InterpWorld, JaxState};
use crate::tile::{Tile, Traced};
use crate::trace::{Trace, TraceKind};
use crate::transform::named;
use pallas_ir::op::{EvalContext, InferContext, Types};
use pallas_ir::{Attributes, Function, InferError, Op, OpDef, OpKind, TensorType, Type, ValueId};
use pallas_python::interp::Interp;
use pallas_python::raise::{Abort, Diagnosis, PyResult, Stop};
use pallas_tensor::Array;
use smallvec::SmallVec;
use std::rc::Rc;

/// In analysis, results up to this many elements are computed, so that small tables and scalars are known.
const ANALYSIS_ELEMENTS: usize = 4096;

/// Whose rules apply: JAX's (32-bit by default, staged inside traces) or numpy's (64-bit, always computed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// `jax.numpy`, `jax.lax`, ...
    Jax,
    /// `numpy`
    Numpy,
}

/// What array functions run in.
#[derive(Clone)]
pub struct Context<'a> {
    /// The evaluator.
    pub interp: &'a Interp,
    /// This crate's state in it.
    pub state: Rc<JaxState>,
    /// Whose rules apply.
    pub rules: Rules,
}

impl<'a> Context<'a> {
    /// JAX's rules.
    pub fn jax(interp: &'a Interp) -> Self {
        Context { interp, state: interp.extension(), rules: Rules::Jax }
    }

    /// numpy's rules.
    pub fn numpy(interp: &'a Interp) -> Self {
        Context { interp, state: interp.extension(), rules: Rules::Numpy }
    }

    /// Whether 64-bit types stay 64-bit.
    pub fn x64(&self) -> bool {
        self.rules == Rules::Numpy || self.state.x64.get()
    }

    /// The trace into which every operation is staged now, whatever its operands.
    pub fn trace(&self) -> Option<Rc<Trace>> {
        match self.rules {
            Rules::Jax => self.state.current_trace(),
            Rules::Numpy => None,
        }
    }

    /// The innermost trace, also of a transformation: where control flow is built.
    pub fn innermost(&self) -> Option<Rc<Trace>> {
        match self.rules {
            Rules::Jax => self.state.innermost_trace(),
            Rules::Numpy => None,
        }
    }

    /// The trace into which an operation on these tiles is staged.
    pub fn trace_for<'t>(&self, operands: impl Iterator<Item = &'t Tile> + Clone) -> Option<Rc<Trace>> {
        match self.rules {
            Rules::Jax => self.state.trace_for(operands),
            Rules::Numpy => None,
        }
    }

    /// Applies an op with one result.
    ///
    /// # Errors
    /// The exception of the op's type rule; aborts on limits.
    pub fn bind(&self, op: &'static OpDef, operands: &[&Tile], attributes: Attributes) -> PyResult<Tile> {
        let mut results = self.bind_all(op, operands, attributes)?;
        results.pop().ok_or_else(|| self.interp.runtime_error(format!("{} has no result", op.name)))
    }

    /// Applies an op.
    ///
    /// # Errors
    /// As for [`Context::bind`].
    pub fn bind_all(
        &self,
        op: &'static OpDef,
        operands: &[&Tile],
        attributes: Attributes,
    ) -> PyResult<SmallVec<[Tile; 1]>> {
        if op.attributes.first() == Some(&"axis_name")
            && let Some(anchored) = named::anchored(self, operands, &attributes)
        {
            return self.bind_all(op, &anchored.iter().collect::<Vec<_>>(), attributes);
        }
        if std::ptr::eq(op, &raw const pallas_ir::ops::CONSTANT)
            && let Some(array) = attributes.array("value").filter(|array| array.rank() == 0)
        {
            // Whoever uses it stages it: until then its value is in sight, which the bounds of loops need.
            return Ok(smallvec::smallvec![Tile::Concrete { array: array.clone(), weak: attributes.flag("weak") }]);
        }
        if let Some(trace) = self.trace_for(operands.iter().copied()) {
            let values = operands.iter().map(|tile| self.value_in(&trace, tile)).collect::<PyResult<Vec<_>>>()?;
            let results = trace.add(self, Op(op), &values, attributes, &[])?;
            return Ok(results.into_iter().filter_map(|value| trace.tile(value)).collect());
        }
        let types: SmallVec<[Type; 4]> = operands.iter().map(|tile| Type::Tensor(tile.ty())).collect();
        let results = (op.infer)(&InferContext {
            operands: &types,
            attributes: &attributes,
            function: &self.state.empty,
            regions: &[],
        })
        .map_err(|error| self.infer_error(error))?;
        self.evaluate(op, operands, &attributes, &results)
    }

    /// Computes an op outside any trace, or only types it where data is missing or analysis should not compute.
    fn evaluate(
        &self,
        op: &'static OpDef,
        operands: &[&Tile],
        attributes: &Attributes,
        results: &Types,
    ) -> PyResult<SmallVec<[Tile; 1]>> {
        let OpKind::Pure { eval, .. } = op.kind else {
            return Err(self.interp.runtime_error(format!("{} cannot be used outside of a kernel", op.name)));
        };
        let size: usize = results.iter().map(|ty| ty.shape().checked_size().unwrap_or(usize::MAX)).sum();
        let known: Option<SmallVec<[Array; 4]>> = operands
            .iter()
            .map(|tile| match tile {
                Tile::Concrete { array, .. } => Ok(Some(array.clone())),
                Tile::Abstract(_) => Ok(None),
                Tile::Traced(traced) => Err(self.leaked(traced)),
            })
            .collect::<PyResult<Option<_>>>()?;
        let arrays = match known {
            Some(arrays) if !self.interp.is_analysis() || size <= ANALYSIS_ELEMENTS => arrays,
            _ => {
                return Ok(results.iter().filter_map(Type::tensor).map(|ty| Tile::Abstract(ty.clone())).collect());
            }
        };
        self.check_memory(results)?;
        // Whoever looks at a result computes it, with everything before it that has no other use.
        let arrays =
            pallas_tensor::deferring(|| eval(&EvalContext { attributes, results }, arrays)).map_err(|error| {
                let types = self.interp.types();
                self.interp
                    .error(if error.is_memory { &types.memory_error } else { &types.runtime_error }, error.message)
            })?;
        Ok(arrays
            .into_iter()
            .zip(results)
            .map(|(array, ty)| Tile::Concrete { array, weak: ty.tensor().is_some_and(|t| t.weak) })
            .collect())
    }

    /// Refuses to allocate what no machine has: an abort in analysis, Python's MemoryError in a run.
    pub fn check_memory(&self, types: &[Type]) -> PyResult<()> {
        const MOST: u128 = 16 << 30;
        let bytes = types.iter().filter_map(Type::tensor).map(TensorType::bytes).fold(0u128, u128::saturating_add);
        if bytes <= MOST && usize::try_from(bytes).is_ok_and(pallas_tensor::has_room) {
            return Ok(());
        }
        if self.interp.is_analysis() {
            return Err(Box::new(Stop::Abort(Abort::Memory { span: self.interp.span(), bytes })));
        }
        let message = format!("Out of memory allocating {bytes} bytes.");
        Err(self.interp.error(&self.interp.types().memory_error, message))
    }

    /// A tile as a value of `trace`: its own values as they are, data as constants.
    ///
    /// # Errors
    /// `UnexpectedTracerError` for values of another trace.
    pub fn value_in(&self, trace: &Rc<Trace>, tile: &Tile) -> PyResult<ValueId> {
        match tile {
            Tile::Traced(traced) if Rc::ptr_eq(&traced.trace, trace) && trace.is_open(traced.region) => {
                Ok(traced.value)
            }
            Tile::Traced(traced) => self.foreign(trace, traced),
            Tile::Concrete { array, weak } => trace.constant(self, array, *weak),
            Tile::Abstract(_) if trace.is_transform() => Ok(trace.lift(tile)),
            Tile::Abstract(ty) => self.placeholder(trace, ty),
        }
    }

    /// In analysis a captured array may have no data; zeros of its type stand for it. They are never run.
    fn placeholder(&self, trace: &Rc<Trace>, ty: &TensorType) -> PyResult<ValueId> {
        let zero = Array::zeros(ty.dtype, pallas_tensor::Shape::default())
            .map_err(|error| self.interp.value_error(error.to_string()))?;
        if ty.shape.rank() > 0 {
            trace.captured.borrow_mut().push((zero.clone(), self.interp.span()));
        }
        let scalar = Attributes::none().with("value", pallas_ir::Attribute::Array(zero));
        let scalar = trace.add(self, Op(&pallas_ir::ops::CONSTANT), &[], scalar, &[])?;
        if ty.shape.rank() == 0 {
            return Ok(scalar[0]);
        }
        let attributes = Attributes::none()
            .with("shape", pallas_ir::Attribute::Ints(ty.shape.iter().map(|&d| d as i64).collect()))
            .with("dims", pallas_ir::Attribute::Ints(Vec::new()));
        Ok(trace.add(self, Op(&pallas_ir::ops::BROADCAST_IN_DIM), &scalar, attributes, &[])?[0])
    }

    /// A value of an enclosing trace, or of one that has ended.
    fn foreign(&self, trace: &Rc<Trace>, traced: &Traced) -> PyResult<ValueId> {
        let open = self.state.traces.borrow().iter().any(|t| Rc::ptr_eq(t, &traced.trace));
        if !open || !traced.trace.is_open(traced.region) {
            return Err(self.leaked(traced));
        }
        if traced.trace.is_transform() && self.encloses(trace, &traced.trace) {
            return Err(self.interp.error(
                &self.interp.types().not_implemented_error,
                "a Ref is read or written with a value of a function that jax.vmap or jax.grad transforms inside a \
                 kernel; the workbench does not provide this yet. Read the Ref before the transformed function, or write \
                 its result after it."
                    .to_string(),
            ));
        }
        if trace.takes_scalars.get() && traced.ty.shape.rank() == 0 {
            if self.interp.is_analysis() {
                return self.placeholder(trace, &traced.ty);
            }
            return Err(self.interp.error(
                &self.interp.types().not_implemented_error,
                format!(
                    "The kernel function {} takes a scalar from a function that is traced around it; the workbench does not \
                     provide this yet. Pass it as an operand.",
                    trace.origin
                ),
            ));
        }
        let ty = pallas_ir::TensorType { weak: false, ..traced.ty.clone() };
        let (what, origin) = match trace.kind {
            TraceKind::Transform { .. } => return Ok(trace.lift(&Tile::Traced(traced.clone()))),
            // Its title ends with what it is traced for: `kernel at k.py:5 for pallas_call kernel`.
            TraceKind::Kernel => (
                "kernel",
                match trace.origin.rsplit_once(" for pallas_call") {
                    Some((function, _)) => format!("in the pallas_call {function}"),
                    None => trace.origin.clone(),
                },
            ),
            TraceKind::IndexMap => ("index map", trace.origin.clone()),
            TraceKind::Jit => ("function", trace.origin.clone()),
        };
        let message =
            format!("The {what} function {origin} captures constants [{ty}]. You should pass them as inputs.");
        let help = match (&trace.kind, ty.shape.rank()) {
            (TraceKind::IndexMap, _) => "pass it as a prefetched scalar operand (`PrefetchScalarGridSpec`)",
            (_, 0) => {
                "pass it as an operand (`jnp.reshape(scale, (1,))`, read as `scale_ref[0]`); a number that is known before \
                 the call is no tracer if `jax.jit` gets its name in `static_argnames`"
            }
            _ => "pass it as an operand with a BlockSpec of its own",
        };
        Err(self.interp.error_with(
            &self.interp.types().value_error,
            message,
            Diagnosis {
                code: "PL305",
                message: Some(format!("this {what} captures a value of the function around it: {ty}")),
                help: Some(help.into()),
                ..Diagnosis::default()
            },
        ))
    }

    /// Whether `inner` was opened while `outer` was.
    fn encloses(&self, outer: &Rc<Trace>, inner: &Rc<Trace>) -> bool {
        let traces = self.state.traces.borrow();
        let position = |trace: &Rc<Trace>| traces.iter().position(|t| Rc::ptr_eq(t, trace));
        position(outer) < position(inner)
    }

    /// `UnexpectedTracerError`
    fn leaked(&self, traced: &Traced) -> Box<Stop> {
        let class = crate::errors::unexpected_tracer(self.interp);
        self.interp.error(
            &class,
            format!(
                "Encountered an unexpected tracer. A function transformed by JAX had a side effect, allowing for a \
                 reference to an intermediate value with type {} wrapped in a JitTracer to escape the scope of the \
                 transformation.",
                traced.ty
            ),
        )
    }

    /// A type rule's refusal as a Python exception that carries its rule.
    pub fn infer_error(&self, error: InferError) -> Box<Stop> {
        let types = self.interp.types();
        let class = match error.exception {
            "ValueError" => &types.value_error,
            "IndexError" => &types.index_error,
            "NotImplementedError" => &types.not_implemented_error,
            _ => &types.type_error,
        };
        if error.code.is_empty() {
            return self.interp.error(class, error.message);
        }
        let (message, help) = error.explained.map(|(words, help)| (words, help.to_owned())).unzip();
        self.interp.error_with(
            class,
            error.message,
            Diagnosis { code: error.code, message, help, ..Diagnosis::default() },
        )
    }

    /// Runs a finished host function on no arguments but its constants, or types its results in analysis.
    pub fn run_function(&self, function: &Rc<Function>, arguments: &[Tile]) -> PyResult<Vec<Tile>> {
        let yields = function.region(function.body).yields.clone();
        let types: Vec<TensorType> = yields.iter().filter_map(|&v| function.ty(v).tensor().cloned()).collect();
        let arrays: Option<Vec<Array>> = arguments.iter().map(|tile| tile.array().cloned()).collect();
        let executor = self.state.executor.borrow().clone();
        let (Some(arrays), Some(executor), false) = (arrays, executor, self.interp.is_analysis()) else {
            return Ok(types.into_iter().map(Tile::Abstract).collect());
        };
        let world = InterpWorld::new(self.interp);
        let results = executor.run_function(function, arrays, &world).map_err(|error| error.raised(self.interp))?;
        world.ended()?;
        Ok(results.into_iter().zip(types).map(|(array, ty)| Tile::Concrete { array, weak: ty.weak }).collect())
    }
}

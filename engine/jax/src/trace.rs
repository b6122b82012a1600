//! Traces: IR functions under construction while the evaluator runs a kernel, an index map or a jitted function.
//!
//! As in JAX, while a trace is open every array operation is staged into it, also on concrete arrays. The trace of a
//! transformation (`vmap`, `grad`) takes only what depends on its own parameters; the rest goes to what encloses it.

use crate::blame::Names;
use crate::context::Context;
use crate::sharding::Placement;
use crate::tile::{Tile, Traced};
use crate::transform::known::Primals;
use pallas_ir::{Attribute, Attributes, Builder, Function, Location, Op, RegionId, Staged, Type, ValueId, ops};
use pallas_python::raise::PyResult;
use pallas_syntax::Span;
use pallas_tensor::{Array, Shape};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// What a trace is for; decides wording and what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// A Pallas kernel. Array constants may not be captured.
    Kernel,
    /// The index map of a BlockSpec.
    IndexMap,
    /// A jitted function, or control flow outside any trace.
    Jit,
    /// A function that is being transformed. Only operations on its own values are staged; values of enclosing traces
    /// become further parameters.
    Transform {
        /// Whether derivatives will be taken: custom derivatives and `stop_gradient` are kept as ops.
        differentiates: bool,
    },
}

/// What a kernel does with the generator of its core.
#[derive(Default)]
pub(crate) struct Drawn {
    /// Where it is seeded, with what, and whether every program does so.
    pub(crate) seeds: Vec<(Span, Vec<ValueId>, bool)>,
    /// The shapes of what it draws.
    pub(crate) shapes: Vec<Shape>,
    /// Whether it was seeded so far, be it on a condition, or in a function that is traced for itself.
    pub(crate) seeded: bool,
    /// Where it is drawn from first, before all that.
    pub(crate) unseeded: Option<Span>,
}

/// An open trace.
pub struct Trace {
    /// What it is for.
    pub kind: TraceKind,
    /// The function's Python name and place, as in `add_kernel at add.py:5`, for messages.
    pub origin: String,
    /// The grid that `program_id` may ask, with the extents that are known; `None` outside kernels.
    pub grid: Option<Vec<Option<usize>>>,
    /// Array constants that were captured, in order; for the error of kernels.
    pub captured: RefCell<Vec<(Array, Span)>>,
    /// Whether it takes scalars from outside: of kernels, those over a mesh.
    pub takes_scalars: Cell<bool>,
    /// In the trace of a transformation: tiles from outside, and the parameters that stand for them.
    lifted: RefCell<Vec<(Tile, ValueId)>>,
    /// In the trace of a derivative: what its values are, where that is known.
    primals: OnceCell<Primals>,
    /// In analysis: what its parameters were given, where a call led here. Nothing that is traced may follow from it.
    arguments: OnceCell<Vec<(ValueId, Tile)>>,
    /// How its values lie on devices, where that was said.
    placed: RefCell<Vec<(ValueId, Placement)>>,
    /// Of a kernel: how the generator of a core is seeded, and what is drawn from it.
    pub(crate) drawn: RefCell<Drawn>,
    /// Of a kernel in analysis: pipelines that were staged as loops, copies and waits.
    pub(crate) staged: RefCell<Vec<Staged>>,
    /// How the traced function calls its parameters, for messages.
    names: OnceCell<Box<Names>>,
    builder: RefCell<Builder>,
    /// Depth of the interpreter's call stack where the trace began.
    base_depth: usize,
}

impl Trace {
    /// A new trace, not yet on the stack.
    pub fn new(
        cx: &Context<'_>,
        kind: TraceKind,
        name: &str,
        origin: String,
        grid: Option<Vec<Option<usize>>>,
    ) -> Rc<Trace> {
        let location = Location { span: cx.interp.span(), calls: Vec::new() };
        Rc::new(Trace {
            kind,
            origin,
            grid,
            captured: RefCell::default(),
            takes_scalars: Cell::new(false),
            lifted: RefCell::default(),
            primals: OnceCell::new(),
            arguments: OnceCell::new(),
            placed: RefCell::default(),
            drawn: RefCell::default(),
            staged: RefCell::default(),
            names: OnceCell::new(),
            builder: RefCell::new(Builder::new(name, location)),
            base_depth: cx.interp.stack().len(),
        })
    }

    /// Says how its parameters are called: asked only where something goes wrong.
    pub(crate) fn name_arguments(&self, names: Box<Names>) {
        let _ = self.names.set(names);
    }

    /// The name of a parameter, where somebody has said.
    pub(crate) fn argument_name(&self, cx: &Context<'_>, number: usize) -> Option<String> {
        self.names.get().and_then(|names| names(cx, number))
    }

    /// Whether it traces an index map, which may ask how large the grid is, not where in it a program is.
    pub fn is_index_map(&self) -> bool {
        matches!(self.kind, TraceKind::IndexMap)
    }

    /// Runs `body` with the trace on the stack; it comes off however `body` ends.
    pub fn within<T>(self: &Rc<Trace>, cx: &Context<'_>, body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        cx.state.traces.borrow_mut().push(self.clone());
        let depth = cx.state.traces.borrow().len();
        let result = body();
        cx.state.traces.borrow_mut().truncate(depth - 1);
        result
    }

    /// Adds a parameter to the innermost open region.
    pub fn param(self: &Rc<Trace>, ty: Type, name: Option<Arc<str>>) -> ValueId {
        self.builder.borrow_mut().param(ty, name)
    }

    /// Adds a parameter of the function itself, whatever regions are open.
    pub(crate) fn body_param(&self, ty: Type, name: Option<Arc<str>>) -> (ValueId, RegionId) {
        let mut builder = self.builder.borrow_mut();
        let value = builder.body_param(ty, name);
        (value, builder.function().body)
    }

    /// Whether it is the trace of a transformation.
    pub fn is_transform(&self) -> bool {
        matches!(self.kind, TraceKind::Transform { .. })
    }

    /// What its values are, where that is known.
    pub(crate) fn primals(&self) -> Option<&Primals> {
        self.primals.get()
    }

    /// Says what its values are.
    pub(crate) fn set_primals(&self, primals: Primals) {
        let _ = self.primals.set(primals);
    }

    /// Notes what parameters were given by the call that is being traced.
    pub(crate) fn note_arguments(&self, params: &[Tile], arguments: &[Tile]) {
        let given = params.iter().zip(arguments).filter_map(|(param, argument)| match param {
            Tile::Traced(traced) => Some((traced.value, argument.clone())),
            _ => None,
        });
        let _ = self.arguments.set(given.collect());
    }

    /// What a parameter was given, where that was noted.
    pub(crate) fn argument(&self, param: ValueId) -> Option<Tile> {
        self.arguments.get()?.iter().find(|(value, _)| *value == param).map(|(_, tile)| tile.clone())
    }

    /// Remembers how a value lies on devices.
    pub(crate) fn place(&self, value: ValueId, placement: Placement) {
        self.placed.borrow_mut().push((value, placement));
    }

    /// How a value lies on devices, if that was said.
    pub(crate) fn placement(&self, value: ValueId) -> Option<Placement> {
        self.placed.borrow().iter().rfind(|(placed, _)| *placed == value).map(|(_, placement)| placement.clone())
    }

    /// Whether derivatives of what it traces will be taken.
    pub fn differentiates(&self) -> bool {
        matches!(self.kind, TraceKind::Transform { differentiates: true })
    }

    /// Whether a tile is a value of this trace.
    pub fn owns(self: &Rc<Trace>, tile: &Tile) -> bool {
        matches!(tile, Tile::Traced(traced) if Rc::ptr_eq(&traced.trace, self))
    }

    /// Whether a region is open inside the function's body.
    pub fn in_nested_region(&self) -> bool {
        self.builder.borrow().depth() > 1
    }

    /// The parameter that stands for a tile from outside.
    pub fn lift(self: &Rc<Trace>, tile: &Tile) -> ValueId {
        let same = |seen: &Tile| match (seen, tile) {
            (Tile::Traced(a), Tile::Traced(b)) => Rc::ptr_eq(&a.trace, &b.trace) && a.value == b.value,
            _ => false,
        };
        if let Some((_, value)) = self.lifted.borrow().iter().find(|(seen, _)| same(seen)) {
            return *value;
        }
        let value = self.builder.borrow_mut().body_param(Type::Tensor(tile.ty()), None);
        self.lifted.borrow_mut().push((tile.clone(), value));
        value
    }

    /// The tiles from outside, in the order of their parameters.
    pub fn lifted(&self) -> Vec<Tile> {
        self.lifted.borrow().iter().map(|(tile, _)| tile.clone()).collect()
    }

    /// The tile from outside that a parameter stands for.
    pub fn lifted_as(&self, param: ValueId) -> Option<Tile> {
        self.lifted.borrow().iter().find(|(_, value)| *value == param).map(|(tile, _)| tile.clone())
    }

    /// The function as far as it goes.
    pub fn with_function<T>(&self, look: impl FnOnce(&Function) -> T) -> T {
        look(self.builder.borrow().function())
    }

    /// Whether `region` is the body of the function itself.
    pub fn is_body(&self, region: RegionId) -> bool {
        self.with_function(|function| function.body == region)
    }

    /// A value of this trace as a tile. `None` for Refs.
    pub fn tile(self: &Rc<Trace>, value: ValueId) -> Option<Tile> {
        let builder = self.builder.borrow();
        let ty = builder.ty(value).tensor()?.clone();
        Some(Tile::Traced(Traced { trace: self.clone(), value, ty, region: builder.region() }))
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> Type {
        self.builder.borrow().ty(value).clone()
    }

    /// Whether values of `region` may be used now.
    pub fn is_open(&self, region: RegionId) -> bool {
        self.builder.borrow().is_open(region)
    }

    /// The innermost open region.
    pub fn region(&self) -> RegionId {
        self.builder.borrow().region()
    }

    /// Names a value for printing.
    pub fn name(&self, value: ValueId, name: Arc<str>) {
        self.builder.borrow_mut().name(value, name);
    }

    /// Runs `body` inside a new region with the given parameters, and yields what it returns.
    pub fn in_region<T>(
        self: &Rc<Trace>,
        params: &[Type],
        body: impl FnOnce(&[ValueId]) -> PyResult<(Vec<ValueId>, T)>,
    ) -> PyResult<(RegionId, T)> {
        let values: Vec<ValueId> = {
            let mut builder = self.builder.borrow_mut();
            builder.open_region();
            params.iter().map(|ty| builder.param(ty.clone(), None)).collect()
        };
        match body(&values) {
            Ok((yields, extra)) => Ok((self.builder.borrow_mut().close_region(yields), extra)),
            Err(stop) => {
                self.builder.borrow_mut().abandon_region();
                Err(stop)
            }
        }
    }

    /// Runs `body` inside a region that is thrown away: nothing refers to it, so its ops are never run.
    pub fn discarded_region(
        self: &Rc<Trace>,
        params: &[Type],
        body: impl FnOnce(&[ValueId]) -> PyResult<()>,
    ) -> PyResult<()> {
        self.in_region(params, |values| body(values).map(|()| (Vec::new(), ()))).map(|_| ())
    }

    /// Adds an op; its type errors become Python exceptions.
    pub fn add(
        &self,
        cx: &Context<'_>,
        op: Op,
        operands: &[ValueId],
        attributes: Attributes,
        regions: &[RegionId],
    ) -> PyResult<smallvec::SmallVec<[ValueId; 1]>> {
        let location = self.location(cx);
        let result = self.builder.borrow_mut().add(op, operands, attributes, regions, location);
        result.map_err(|error| cx.infer_error(error))
    }

    /// Adds a constant. Arrays (not scalars) are remembered as captured.
    pub fn constant(&self, cx: &Context<'_>, array: &Array, weak: bool) -> PyResult<ValueId> {
        if array.rank() > 0 {
            self.capture(array, cx.interp.span());
        }
        let mut attributes = Attributes::none().with("value", Attribute::Array(array.clone()));
        if weak {
            attributes = attributes.with("weak", Attribute::Bool(true));
        }
        Ok(self.add(cx, Op(&ops::CONSTANT), &[], attributes, &[])?[0])
    }

    /// Remembers that an array made outside the trace is used in it, once.
    pub fn capture(&self, array: &Array, span: Span) {
        let mut captured = self.captured.borrow_mut();
        // An array of numpy's is converted anew at each use.
        let is_same = |seen: &Array| std::ptr::eq(seen.buffer(), array.buffer()) || seen.same_bits(array);
        if !captured.iter().any(|(seen, _)| is_same(seen)) {
            captured.push((array.clone(), span));
        }
    }

    /// Ends the trace. The trace itself must not be used any more; leaked tracers find it closed.
    pub fn finish(&self, yields: Vec<ValueId>) -> Function {
        self.placed.take();
        let builder = self.builder.replace(Builder::closed());
        builder.finish(yields)
    }

    /// Where we are: the expression, and the calls that led there from the traced function. What embedded modules do is
    /// done where the program called them.
    fn location(&self, cx: &Context<'_>) -> Location {
        if let Some(location) = &*cx.state.place.borrow() {
            return location.clone();
        }
        let stack = cx.interp.stack();
        let inside = stack.iter().skip(self.base_depth + 1).rev().map(|entry| entry.span);
        let mut visible = inside.filter(|span| !cx.interp.is_embedded(span.file));
        let span = visible.next().unwrap_or_else(|| cx.interp.visible_span());
        Location { span, calls: visible.collect() }
    }
}

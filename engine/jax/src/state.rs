//! What `pallas-jax` keeps per interpreter: the stack of traces, settings, and the way to execute what was traced.

use crate::tile::Tile;
use crate::trace::Trace;
use pallas_ir::{Builder, DeviceOptions, Finding, Function, Interpretation, Launch, Location, Scalars, Target};
use pallas_python::interp::Interp;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::Span;
use pallas_tensor::Array;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// Runs traced functions and launches. The façade provides it, so that this crate needs no back end.
pub trait Executor {
    /// Runs a host function on arrays.
    ///
    /// # Errors
    /// A message for the reader where the function cannot be run (a limit, an op without an implementation).
    fn run_function(
        &self,
        function: &Rc<Function>,
        arguments: Vec<Array>,
        world: &dyn World,
    ) -> Result<Vec<Array>, ExecutionError>;

    /// Runs a launch on the arrays of its prefetched scalars and inputs, and returns its outputs.
    ///
    /// # Errors
    /// As for [`Executor::run_function`].
    fn run_launch(
        &self,
        launch: &Arc<Launch>,
        arguments: Vec<Array>,
        world: &dyn World,
    ) -> Result<Vec<Array>, ExecutionError>;
}

/// Why a run stopped.
#[derive(Clone, Debug, Default)]
pub struct ExecutionError {
    /// For the reader.
    pub message: String,
    /// The rule that it breaks, or empty.
    pub code: &'static str,
    /// The expression that made the op that failed.
    pub span: Option<Span>,
    /// Other places, with what each has to do with it.
    pub labels: Vec<(Span, String)>,
    /// What to do.
    pub help: Option<String>,
    /// Whether JAX's simulator of devices would have raised it.
    pub simulated: bool,
    /// Whether there was no memory for a tile or an output.
    pub is_memory: bool,
}

impl ExecutionError {
    /// The exception that the program sees, with the line where it happened.
    pub(crate) fn raised(self, interp: &Interp) -> Box<Stop> {
        let class = match self {
            _ if self.is_memory => &interp.types().memory_error,
            _ if self.simulated => &crate::errors::jax_runtime(interp),
            _ => &interp.types().runtime_error,
        };
        let place = self.span.and_then(|span| {
            let source = interp.source(span.file)?;
            let shown = source.shown(span.start);
            Some(format!(" ({}, line {})", shown.path, shown.at.line))
        });
        let message = format!("{}{}", self.message, place.unwrap_or_default());
        if self.code.is_empty() {
            return interp.error(class, message);
        }
        let diagnosis = Diagnosis {
            code: self.code,
            span: self.span,
            message: Some(self.message),
            labels: self.labels,
            help: self.help,
            ..Diagnosis::default()
        };
        interp.error_with(class, message, diagnosis)
    }
}

/// What running code may do to the outside.
pub trait World {
    /// `debug_print`: the format as written, and the values for its fields.
    fn debug_print(&self, format: &str, values: &[Array]);

    /// Whether to stop.
    fn cancelled(&self) -> bool;

    /// A launch begins (false), or has shown that two accesses race (true).
    fn raced(&self, found: bool);

    /// A core begins a program; `recorder` is the number of who is told.
    fn grid_point(&self, recorder: u32, ids: &[usize], core: usize);

    /// A place in a program, in words: `kernel.py:12`.
    fn place(&self, span: Span) -> Option<String>;
}

/// Told of launches and findings as they come up.
pub trait LaunchObserver {
    /// A launch was traced and is about to run (or would, in analysis), with what is known of the scalars that it fetches.
    fn launched(&self, launch: &Arc<Launch>, scalars: Scalars);

    /// A launch was traced, maybe inside of a function that a transformation will make another launch of.
    fn reached(&self, _interp: &Interp) {}

    /// Something was found while tracing that is not an exception.
    fn found(&self, finding: Finding);
}

/// What becomes of operands of several ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankPromotion {
    /// They are broadcast.
    Allow,
    /// They are broadcast, and a warning says so.
    Warn,
    /// They are refused.
    Raise,
}

/// The state; get it with `interp.extension::<JaxState>()`.
pub struct JaxState {
    /// Open traces, innermost last.
    pub(crate) traces: RefCell<Vec<Rc<Trace>>>,
    /// `jax_enable_x64`
    pub(crate) x64: Cell<bool>,
    /// `jax_numpy_dtype_promotion='strict'`
    pub(crate) strict_promotion: Cell<bool>,
    /// `jax_numpy_rank_promotion`
    pub(crate) rank_promotion: Cell<RankPromotion>,
    /// `jax_legacy_prng_key='error'`
    pub(crate) legacy_keys_refused: Cell<bool>,
    pub(crate) executor: RefCell<Option<Rc<dyn Executor>>>,
    pub(crate) observer: RefCell<Option<Rc<dyn LaunchObserver>>>,
    /// An empty function: type rules of ops without regions ask for one.
    pub(crate) empty: Function,
    /// `jax.disable_jit()` depth.
    pub(crate) jit_disabled: Cell<u32>,
    /// Where an op comes from that is staged again by a transformation; `None` while Python runs.
    pub(crate) place: RefCell<Option<Location>>,
    /// Named axes that are being mapped over, innermost last.
    pub(crate) axes: RefCell<Vec<crate::transform::named::NamedAxis>>,
    /// Axes of clusters and threads of the kernels that are being traced, innermost last.
    pub(crate) blocks: RefCell<Vec<Option<crate::pallas::agents::collective::BlockAxes>>>,
    /// The `precision=` of the call that multiplies; see `lax::precision::Scope`.
    pub(crate) precision: RefCell<Option<Arc<str>>>,
    /// `pltpu.force_tpu_interpret_mode`
    pub(crate) forced_interpretation: Cell<Option<Interpretation>>,
    /// Whether a function is being traced that runs on each core of a mesh (`pl.core_map`).
    pub(crate) in_cores: Cell<bool>,
    /// In a function that runs on each core, traced apart: the Refs from outside that it has used.
    pub(crate) core_refs: RefCell<Option<crate::held::CoreRefs>>,
    /// Who is told of programs (`grid_point_recorder`), by number from 1 on.
    pub(crate) recorders: RefCell<Vec<Value>>,
    /// The simulator that the kernel that is being traced is for, if it is for one: it refuses more than hardware does.
    pub(crate) tracing_for: Cell<Option<DeviceOptions>>,
    /// Whose functions the kernel that is being traced uses.
    pub(crate) surface: Cell<Target>,
    /// Grids of pipelines whose bodies are being traced, innermost last.
    pub(crate) pipelines: RefCell<Vec<crate::pallas::asynchronous::pipeline::PipelineGrid>>,
    /// Counts how often what was traced has been forgotten.
    pub(crate) era: Cell<u64>,
    /// Custom derivatives by the number that their ops carry.
    pub(crate) custom: RefCell<Vec<crate::transform::custom::CustomRule>>,
    /// Whether the last launch that was run has shown a race.
    pub(crate) raced: Cell<bool>,
    /// What launches are compiled with where the program does not say it.
    pub(crate) assumed_target: Cell<Target>,
    /// The kind and the cores of the TPU that an analysis is told programs run on.
    pub(crate) assumed_tpu: Cell<Option<(&'static str, i64)>>,
    /// Whether programs are told that they run on a GPU.
    pub(crate) assumed_gpu: Cell<bool>,
}

impl Default for JaxState {
    fn default() -> Self {
        JaxState {
            traces: RefCell::default(),
            x64: Cell::new(false),
            strict_promotion: Cell::new(false),
            rank_promotion: Cell::new(RankPromotion::Allow),
            legacy_keys_refused: Cell::new(false),
            executor: RefCell::new(None),
            observer: RefCell::new(None),
            empty: Builder::new("eager", Location::default()).finish(Vec::new()),
            jit_disabled: Cell::new(0),
            place: RefCell::new(None),
            axes: RefCell::default(),
            blocks: RefCell::default(),
            precision: RefCell::default(),
            forced_interpretation: Cell::new(None),
            in_cores: Cell::new(false),
            core_refs: RefCell::default(),
            recorders: RefCell::default(),
            tracing_for: Cell::new(None),
            surface: Cell::new(Target::Unsaid),
            pipelines: RefCell::default(),
            era: Cell::new(0),
            custom: RefCell::default(),
            raced: Cell::new(false),
            assumed_target: Cell::default(),
            assumed_tpu: Cell::default(),
            assumed_gpu: Cell::default(),
        }
    }
}

/// The TPU that is assumed where any will do.
const SOME_TPU: (&str, i64) = ("TPU v6 lite", 1);

/// Gives back what was assumed of the device.
struct Assuming<'a> {
    state: &'a JaxState,
    before: (Option<(&'static str, i64)>, bool),
}

/// A device that code may choose by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SomeDevice {
    /// A TPU.
    Tpu,
    /// A GPU: `jax.default_backend()` is `gpu`.
    Gpu,
}

impl Drop for Assuming<'_> {
    fn drop(&mut self) {
        self.state.assumed_tpu.set(self.before.0);
        self.state.assumed_gpu.set(self.before.1);
    }
}

impl JaxState {
    /// Says what is to be assumed of launches and of the device where the program does not say it: a compiler, and the kind
    /// and number of cores of a TPU.
    pub fn assume_target(&self, compiler: Target, tpu: Option<(&'static str, i64)>) {
        self.assumed_target.set(compiler);
        self.assumed_tpu.set(tpu);
    }

    /// Has some device be assumed until what this gives is dropped; of TPUs only if none is.
    pub fn assuming_some(&self, device: SomeDevice) -> impl Drop + use<'_> {
        let before = (self.assumed_tpu.get(), self.assumed_gpu.get());
        match device {
            SomeDevice::Tpu => self.assumed_tpu.set(before.0.or(Some(SOME_TPU))),
            SomeDevice::Gpu => {
                self.assumed_tpu.set(None);
                self.assumed_gpu.set(true);
            }
        }
        Assuming { state: self, before }
    }

    /// Sets what runs traced code.
    pub fn set_executor(&self, executor: Rc<dyn Executor>) {
        *self.executor.borrow_mut() = Some(executor);
    }

    /// Has jitted functions traced anew from here on, so that what follows shows all that it leads to by itself.
    pub fn forget_traces(&self) {
        self.era.set(self.era.get() + 1);
    }

    /// Names the settings that decide what programs compute (`jax_enable_x64` and its like).
    pub fn settings(&self) -> String {
        let (x64, strict, ranks) = (self.x64.get(), self.strict_promotion.get(), self.rank_promotion.get());
        let (keys, jit, interpretation) =
            (self.legacy_keys_refused.get(), self.jit_disabled.get(), self.forced_interpretation.get());
        format!("{x64} {strict} {ranks:?} {keys} {jit} {interpretation:?}")
    }

    /// Sets who is told of launches.
    pub fn set_observer(&self, observer: Rc<dyn LaunchObserver>) {
        *self.observer.borrow_mut() = Some(observer);
    }

    /// The innermost open trace that takes every operation.
    pub(crate) fn current_trace(&self) -> Option<Rc<Trace>> {
        self.traces.borrow().iter().rev().find(|trace| !trace.is_transform()).cloned()
    }

    /// The innermost open trace of any kind.
    pub(crate) fn innermost_trace(&self) -> Option<Rc<Trace>> {
        self.traces.borrow().last().cloned()
    }

    /// The trace that takes an operation on these tiles: transformations take what is theirs, other traces everything.
    pub(crate) fn trace_for<'t>(&self, operands: impl Iterator<Item = &'t Tile> + Clone) -> Option<Rc<Trace>> {
        let takes = |trace: &&Rc<Trace>| !trace.is_transform() || operands.clone().any(|tile| trace.owns(tile));
        self.traces.borrow().iter().rev().find(takes).cloned()
    }

    /// The launch observer, if there is one.
    pub(crate) fn observer(&self) -> Option<Rc<dyn LaunchObserver>> {
        self.observer.borrow().clone()
    }
}

/// Running code prints to the interpreter's standard output.
pub(crate) struct InterpWorld<'a>(&'a Interp, RefCell<Option<Box<Stop>>>);

impl<'a> InterpWorld<'a> {
    pub(crate) fn new(interp: &'a Interp) -> InterpWorld<'a> {
        InterpWorld(interp, RefCell::default())
    }

    /// Raises what a print could not format, when all has run, as JAX does: prints are callbacks.
    pub(crate) fn ended(self) -> PyResult<()> {
        let Some(stop) = self.1.into_inner() else { return Ok(()) };
        let Stop::Raise(raise) = &*stop else { return Err(stop) };
        let what = self.0.exception_line(&raise.exception);
        Err(self.0.error(
            &crate::errors::jax_runtime(self.0),
            format!("INTERNAL: CpuCallback error calling callback: {what}"),
        ))
    }
}

impl World for InterpWorld<'_> {
    fn debug_print(&self, format: &str, values: &[Array]) {
        let text = match formatted(self.0, format, values) {
            Ok(text) => text,
            Err(stop) => {
                self.1.borrow_mut().get_or_insert(stop);
                return;
            }
        };
        // Through `print`: the program may have put something else in the place of standard output.
        let print = self.0.import("builtins").and_then(|builtins| self.0.get_attr(&builtins, "print"));
        let printed = print.and_then(|print| self.0.call_values(&print, [pallas_python::Value::from(text.as_str())]));
        if printed.is_err() {
            self.0.host().write_stdout(&format!("{text}\n"));
        }
    }

    fn cancelled(&self) -> bool {
        self.0.host().cancelled()
    }

    fn raced(&self, found: bool) {
        crate::context::Context::jax(self.0).state.raced.set(found);
    }

    fn grid_point(&self, recorder: u32, ids: &[usize], core: usize) {
        let recorders = self.0.extension::<JaxState>().recorders.borrow().clone();
        let Some(recorder) = recorders.get((recorder as usize).wrapping_sub(1)) else { return };
        let ids = Value::tuple(ids.iter().map(|&id| Value::from(id)));
        // What it raises is not the kernel's.
        let _ = self.0.call_values(recorder, [Value::from(0_usize), ids, Value::from(core)]);
    }

    fn place(&self, span: Span) -> Option<String> {
        let source = self.0.source(span.file)?;
        Some(source.line_place(span.start))
    }
}

/// `format.format(*values)`; values follow a format without fields.
pub(crate) fn formatted(interp: &Interp, format: &str, values: &[Array]) -> PyResult<String> {
    if !format.contains('{') && !values.is_empty() {
        let parts = values.iter().map(|array| crate::text::str(interp, array));
        return Ok(std::iter::once(format.to_string()).chain(parts).collect::<Vec<_>>().join(" "));
    }
    let values = values.iter().map(|array| {
        let tile = crate::tile::Tile::concrete(array.clone());
        pallas_python::Value::object(crate::array::ArrayObject { tile })
    });
    let text = interp.call_method(&pallas_python::Value::from(format), "format", values)?;
    interp.str(&text)
}

//! `interpret=`: true, false, or `pltpu.InterpretParams(...)`; and the functions that force it on every kernel.

use crate::context::Context;
use crate::state::JaxState;
use pallas_ir::{DeviceOptions, Interpretation};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::Cell;
use std::rc::Rc;

/// The most cores of a device.
const MOST_CORES: u32 = 64;

/// Rows of `pltpu`.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "force_tpu_interpret_mode",
        signature: "(params=...)",
        doc: "A context in which kernels are interpreted with these parameters.",
        run: |interp, args| {
            let [params] = args.take();
            let forced = forced(interp, &params)?;
            Ok(Value::object(Forced { forced, before: Cell::new(None) }))
        },
    },
    NativeDef {
        name: "set_tpu_interpret_mode",
        signature: "(params=...)",
        doc: "Has kernels interpreted with these parameters.",
        run: |interp, args| {
            let [params] = args.take();
            let forced = forced(interp, &params)?;
            Context::jax(interp).state.forced_interpretation.set(forced);
            Ok(Value::None)
        },
    },
    NativeDef {
        name: "reset_tpu_interpret_mode_state",
        signature: "()",
        doc: "Forgets what an interpreted kernel that failed has left; nothing is left here.",
        run: |_interp, _args| Ok(Value::None),
    },
];

/// Methods of `InterpretParams`.
pub static METHODS: &[NativeDef] = &[
    NativeDef {
        name: "__post_init__",
        signature: "(self)",
        doc: "Refuses what no simulation can have.",
        run: |interp, args| {
            let [this] = args.take();
            let cores = interp.get_attr(&this, "num_cores_or_threads")?;
            if matches!(cores, Value::Int(_)) && interp.to_i64(&cores)? < 1 {
                let cores = interp.str(&cores)?;
                return Err(
                    interp.value_error(format!("Number of cores or threads must be at least 1, but got {cores}."))
                );
            }
            let clock = interp.get_attr(&this, "vector_clock_size")?;
            if matches!(clock, Value::Int(_)) && interp.to_i64(&clock)? < 1 {
                let clock = interp.str(&clock)?;
                return Err(interp.value_error(format!("Vector clock size must be at least 1, but got {clock}.")));
            }
            Ok(Value::None)
        },
    },
    NativeDef {
        name: "get_vector_clock_size",
        signature: "(self, num_devices)",
        doc: "How many entries JAX's vector clocks have; those of the workbench grow.",
        run: |interp, args| {
            let [this, devices] = args.take();
            let cores = interp.to_i64(&interp.get_attr(&this, "num_cores_or_threads")?)?;
            let all = interp.to_i64(&devices)?.saturating_mul(cores);
            let Some(size) = interp.get_attr(&this, "vector_clock_size")?.given() else {
                return Ok(Value::from(all.saturating_mul(2)));
            };
            let size = interp.to_i64(&size)?;
            match all >= size {
                true => Err(interp.value_error(format!(
                    "Vector clock size ({size}) must be greater than the total number of cores/threads ({all})."
                ))),
                false => Ok(Value::from(size)),
            }
        },
    },
];

/// Properties of `InterpretParams`.
pub static PROPERTIES: &[NativeDef] = &[NativeDef {
    name: "num_cores_per_device",
    signature: "(self)",
    doc: "Cores of a device.",
    run: |interp, args| interp.get_attr(args.get(0), "num_cores_or_threads"),
}];

/// What an `interpret` argument asks for.
///
/// # Errors
/// What reading its attributes raises.
pub fn parse(interp: &Interp, value: &Value) -> PyResult<Interpretation> {
    match value {
        Value::Bool(true) => return Ok(Interpretation::Plain),
        Value::None | Value::Unset | Value::Bool(false) | Value::Unknown(_) => return Ok(Interpretation::Unsaid),
        _ => {}
    }
    let class = interp.type_of(value).name.to_string();
    if !(class.contains("Interpret") && class.ends_with("Params")) {
        return Ok(if interp.truth(value)? { Interpretation::Plain } else { Interpretation::Unsaid });
    }
    let is = |name: &str, text: &str| -> PyResult<bool> {
        let found = interp.find_attr(value, name)?;
        Ok(matches!(found, Some(Value::Str(found)) if *found == *text))
    };
    let asks = |name: &str| match interp.find_attr(value, name)? {
        Some(asked) => interp.truth(&asked),
        None => Ok(false),
    };
    let number = |name: &str| -> PyResult<u32> {
        let found = interp.find_attr(value, name)?;
        Ok(match found {
            Some(Value::Int(number)) => number.to_string().parse().unwrap_or(0),
            _ => 0,
        })
    };
    let cores = match (class.as_str(), number("num_cores_or_threads")?) {
        // Of one core nothing is said.
        ("InterpretParams", cores) if cores > 1 => cores.min(MOST_CORES),
        _ => 0,
    };
    let recorder = match interp.find_attr(value, "grid_point_recorder")?.and_then(Value::given) {
        Some(recorder) if !interp.is_analysis() => keep_recorder(interp, recorder),
        _ => 0,
    };
    Ok(Interpretation::Device(DeviceOptions {
        padded: is("buffer_bounds", "padded")?,
        cores,
        main_scopes: asks("allow_hbm_allocation_in_run_scoped")?,
        seed: number("random_seed")?,
        recorder,
        eager: is("dma_execution_mode", "eager")?,
        zeroed: is("uninitialized_memory", "zero")?,
        lenient: is("out_of_bounds_reads", "uninitialized")?,
        races: asks("detect_races")?,
        skips_floats: asks("skip_floating_point_ops")?,
    }))
}

/// The number under which somebody is kept who is told of programs.
fn keep_recorder(interp: &Interp, recorder: Value) -> u32 {
    let state = interp.extension::<JaxState>();
    let mut recorders = state.recorders.borrow_mut();
    let known = recorders.iter().position(|other| interp.identical(other, &recorder));
    let at = known.unwrap_or_else(|| {
        recorders.push(recorder);
        recorders.len() - 1
    });
    at as u32 + 1
}

fn forced(interp: &Interp, params: &Value) -> PyResult<Option<Interpretation>> {
    match params {
        Value::Unset => Ok(Some(Interpretation::Device(DeviceOptions::default()))),
        Value::None => Ok(None),
        params => parse(interp, params).map(Some),
    }
}

/// What `force_tpu_interpret_mode` returns.
struct Forced {
    forced: Option<Interpretation>,
    before: Cell<Option<Interpretation>>,
}

static CLASS: NativeClass = NativeClass {
    name: "_GeneratorContextManager",
    module: "contextlib",
    doc: "A context in which kernels are interpreted.",
    methods: &[
        NativeDef {
            name: "__enter__",
            signature: "(self)",
            doc: "Begins to force the interpreter.",
            run: |interp, args: Arguments| {
                let [this] = args.take();
                if let Some(context) = this.downcast::<Forced>() {
                    let cell = &Context::jax(interp).state.forced_interpretation;
                    context.before.set(cell.replace(context.forced));
                }
                Ok(Value::None)
            },
        },
        NativeDef {
            name: "__exit__",
            signature: "(self, kind, value, traceback)",
            doc: "Ends it.",
            run: |interp, args: Arguments| {
                let this = args.get(0);
                if let Some(context) = this.downcast::<Forced>() {
                    Context::jax(interp).state.forced_interpretation.set(context.before.get());
                }
                Ok(Value::Bool(false))
            },
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Forced {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }
}

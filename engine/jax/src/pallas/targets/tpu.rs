//! `jax.experimental.pallas.tpu`: memory spaces, options, and the functions that move or reinterpret the elements of
//! vectors. Copies and semaphores are in `asynchronous`.

use super::{generator, pack};
use crate::context::Context;
use crate::convert;
use crate::jnp::compose;
use crate::jnp::repeating::roll_dynamic;
use crate::pallas::asynchronous::{copies, pipeline, semaphores};
use crate::pallas::{access, add_functions, enumerations, interpretation, memory, record, semaphore, spec, tpu_info};
use crate::primitive;
use crate::python_types;
use crate::tile::Tile;
use pallas_ir::MemorySpace;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::{DType, Scalar};

const NAME: &str = "jax.experimental.pallas.tpu";

/// `jax.experimental.pallas.tpu`
pub(super) static MODULE: ModuleDef = ModuleDef {
    name: NAME,
    doc: "Pallas for TPUs.",
    functions: &[],
    populate: |interp, namespace| {
        for table in [
            access::VIEW_FUNCTIONS,
            FUNCTIONS,
            pack::FUNCTIONS,
            tpu_info::FUNCTIONS,
            interpretation::FUNCTIONS,
            copies::FUNCTIONS,
            pipeline::FUNCTIONS,
            semaphores::BARRIER,
            // Names that only published code still has.
            semaphores::FUNCTIONS,
        ] {
            add_functions(namespace, NAME, table);
        }
        python_types::populate(
            interp,
            namespace,
            &[
                &enumerations::GRID_DIMENSION_SEMANTICS,
                &enumerations::SIDE_EFFECT_TYPE,
                &enumerations::CORE_TYPE,
                &enumerations::BUFFER_TYPE,
                &semaphore::SEMAPHORE_TYPE,
                &tpu_info::CHIP_VERSION,
                &tpu_info::TILING,
            ],
            &[
                &record::TPU_COMPILER_PARAMS,
                &record::INTERPRET_PARAMS,
                &tpu_info::TPU_INFO,
                &tpu_info::SPARSE_CORE_INFO,
            ],
        );
        let semantics = ["PARALLEL", "CORE_PARALLEL", "SUBCORE_PARALLEL", "ARBITRARY"];
        python_types::members(interp, namespace, "GridDimensionSemantics", &semantics);
        namespace.insert(Name::from("MemorySpace"), memory::tpu_spaces(interp));
        python_types::members(
            interp,
            namespace,
            "MemorySpace",
            &["VMEM", "VMEM_SHARED", "SMEM", "CMEM", "HBM", "SEMAPHORE"],
        );
        crate::written::extend(NAME, namespace);
        // Names that only published code still has.
        if let Some(Value::Class(spaces)) = namespace.get("MemorySpace") {
            spaces.namespace.borrow_mut().insert(Name::from("ANY"), memory::space_value(MemorySpace::Any));
        }
        namespace.insert(Name::from("ANY"), memory::space_value(MemorySpace::Any));
        for (old, new) in [
            ("TPUCompilerParams", "CompilerParams"),
            ("TPUMemorySpace", "MemorySpace"),
            ("TPUInterpretParams", "InterpretParams"),
            ("_SparseCoreInfo", "SparseCoreInfo"),
        ] {
            if let Some(value) = namespace.get(new).cloned() {
                namespace.insert(Name::from(old), value);
            }
        }
        namespace.shift_remove("SparseCoreInfo");
        python_types::share(
            interp,
            namespace,
            "jax.experimental.pallas",
            &[("DeviceIdType", "DeviceIdType"), ("HOST", "HOST")],
        );
        for (name, value) in spec::exports(interp) {
            if name == "PrefetchScalarGridSpec" {
                namespace.insert(Name::from(name), value);
            }
        }
    },
};

static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "repeat",
        signature: "(x, repeats, axis)",
        doc: "Copies of `x` one after the other.",
        run: repeat,
    },
    NativeDef {
        name: "roll",
        signature: "(x, shift, axis, *, stride=None, stride_axis=None)",
        doc: "Elements moved along an axis, those that leave coming in at the front; with a stride, each row further.",
        run: roll,
    },
    NativeDef {
        name: "prng_seed",
        signature: "(*seeds)",
        doc: "Seeds the generator of the core; interpreted, there is none.",
        run: generator::seed,
    },
    NativeDef {
        name: "prng_random_bits",
        signature: "(shape)",
        doc: "Bits from the generator of the core; interpreted, zeros.",
        run: |interp, args| {
            let cx = Context::jax(interp);
            let shape = convert::shape(&cx, args.get(0))?;
            generator::draw(&cx, &shape);
            Ok(convert::value(&cx, primitive::full(&cx, &shape, DType::I32, Scalar::Int(0))?))
        },
    },
    NativeDef {
        name: "with_memory_space_constraint",
        signature: "(x, memory_space)",
        doc: "The array, to be kept in a memory space.",
        run: with_memory_space_constraint,
    },
    NativeDef {
        name: "touch",
        signature: "(ref)",
        doc: "States that a Ref is read and written; nothing happens.",
        run: |_interp, _args| Ok(Value::None),
    },
    NativeDef {
        name: "trace_value",
        signature: "(label, value)",
        doc: "A value for the profiler; interpreted, there is none.",
        run: |interp, args| {
            let [_label, value] = args.take();
            let shape = convert::tile(&Context::jax(interp), &value, "trace_value")?.shape().clone();
            match shape.len() {
                0 => Ok(Value::None),
                _ => Err(interp.value_error(format!("trace_value requires a scalar value, got shape {shape}"))),
            }
        },
    },
];

fn repeat(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, repeats, axis] = args.take();
    let cx = Context::jax(interp);
    let x = convert::tile(&cx, &x, "repeat")?;
    let axis = convert::axis(&cx, &axis, x.rank())?;
    let copies = vec![&x; interp.to_usize(&repeats)?];
    Ok(convert::value(&cx, primitive::concatenate(&cx, &copies, axis)?))
}

fn roll(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, shift, axis, stride, stride_axis] = args.take();
    let cx = Context::jax(interp);
    let x = convert::tile(&cx, &x, "roll")?;
    if matches!(shift, Value::Int(_)) && interp.to_i64(&shift)? < 0 {
        return Err(interp.value_error("shift must be non-negative."));
    }
    let axis = interp.to_i64(&axis)?;
    let rank = x.rank() as i64;
    if !(0..rank).contains(&axis) {
        return Err(interp.value_error("axis is out of range."));
    }
    if stride.is_none() != stride_axis.is_none() {
        return Err(interp.value_error("stride and stride_axis must be both specified or not."));
    }
    let rolled = |x: &Tile, shift: Value| -> PyResult<Tile> {
        if let Some(shift) = convert::try_tile(&cx, &shift)?.filter(Tile::is_traced) {
            return roll_dynamic(&cx, x, &shift, &[axis as usize], true);
        }
        let function = interp.get_attr(&interp.import("jax.numpy")?, "roll")?;
        let result = interp.call_values(&function, [convert::value(&cx, x.clone()), shift, Value::from(axis)])?;
        convert::tile(&cx, &result, "roll")
    };
    if stride.is_none() {
        return Ok(convert::value(&cx, rolled(&x, shift)?));
    }
    let (stride, across) = (interp.to_i64(&stride)?, interp.to_i64(&stride_axis)?);
    if stride < 0 {
        return Err(interp.value_error("stride must be non-negative."));
    }
    if !(0..rank).contains(&across) {
        return Err(interp.value_error("stride_axis is out of range"));
    }
    if axis == across {
        return Err(interp.value_error("expected axis and stride_axis are different."));
    }
    let across = across as usize;
    let mut rows = Vec::new();
    for row in 0..x.shape()[across] {
        let further = Value::from(row as i64 * stride);
        let shift = interp.binary(pallas_syntax::ast::BinaryOp::Add, &shift, &further)?;
        rows.push(rolled(&compose::slice_axis(&cx, &x, across, row, row + 1)?, shift)?);
    }
    let rows: Vec<&Tile> = rows.iter().collect();
    Ok(convert::value(&cx, primitive::concatenate(&cx, &rows, across)?))
}

fn with_memory_space_constraint(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, space] = args.take();
    if let Value::Unknown(_) = space {
        return Ok(x);
    }
    match memory::parse_space(interp, &space)? {
        MemorySpace::Any => Ok(x),
        MemorySpace::Hbm | MemorySpace::Vmem | MemorySpace::Smem => {
            if Context::jax(interp).trace().is_none() && !interp.is_analysis() {
                return Err(interp.value_error("Cannot eagerly run with_memory_space_constraint."));
            }
            Ok(x)
        }
        _ => {
            Err(interp
                .not_implemented_error("with_memory_space_constraint only supports HBM, VMEM and SMEM.".to_string()))
        }
    }
}

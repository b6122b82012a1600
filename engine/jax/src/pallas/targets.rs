//! The modules of Pallas's targets: `triton`, `tpu`, `mosaic_gpu`, as far as launches with blocks go. Asynchronous copies,
//! semaphores and warp specialisation are not modelled yet: their names are absent, so that using them says so.

use crate::context::Context;
use crate::convert;
use crate::pallas::{access, add_functions, memory, record, spec};
use crate::primitive;
use pallas_ir::{Attribute, Attributes, MemorySpace, ops};
use pallas_python::class::Namespace;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::{DType, Shape};

/// `jax.experimental.pallas.triton`
pub(super) static TRITON: ModuleDef = ModuleDef {
    name: "jax.experimental.pallas.triton",
    doc: "Pallas for GPUs through Triton.",
    functions: &[],
    populate: |interp, namespace| {
        const NAME: &str = "jax.experimental.pallas.triton";
        add_functions(namespace, NAME, access::VIEW_FUNCTIONS);
        add_functions(namespace, NAME, access::ATOMICS);
        add_functions(namespace, NAME, SHARED_FUNCTIONS);
        add_functions(namespace, NAME, TRITON_FUNCTIONS);
        class(interp, namespace, "CompilerParams", &record::TRITON_COMPILER_PARAMS);
        class(interp, namespace, "TritonCompilerParams", &record::TRITON_COMPILER_PARAMS);
    },
};

/// `jax.experimental.pallas.tpu`
pub(super) static TPU: ModuleDef = ModuleDef {
    name: "jax.experimental.pallas.tpu",
    doc: "Pallas for TPUs.",
    functions: &[],
    populate: |interp, namespace| {
        const NAME: &str = "jax.experimental.pallas.tpu";
        add_functions(namespace, NAME, access::VIEW_FUNCTIONS);
        add_functions(namespace, NAME, TPU_FUNCTIONS);
        class(interp, namespace, "CompilerParams", &record::TPU_COMPILER_PARAMS);
        class(interp, namespace, "TPUCompilerParams", &record::TPU_COMPILER_PARAMS);
        class(interp, namespace, "InterpretParams", &record::INTERPRET_PARAMS);
        for (name, space) in [
            ("VMEM", MemorySpace::Vmem),
            ("SMEM", MemorySpace::Smem),
            ("HBM", MemorySpace::Hbm),
            ("ANY", MemorySpace::Any),
            ("SEMAPHORE", MemorySpace::Semaphore),
        ] {
            namespace.insert(Name::from(name), memory::space_value(space));
        }
        for (name, text) in [("PARALLEL", "parallel"), ("ARBITRARY", "arbitrary")] {
            namespace.insert(Name::from(name), Value::from(text));
        }
        for (name, value) in spec::exports(interp) {
            if name == "PrefetchScalarGridSpec" {
                namespace.insert(Name::from(name), value);
            }
        }
    },
};

/// `jax.experimental.pallas.mosaic_gpu`
pub(super) static MOSAIC_GPU: ModuleDef = ModuleDef {
    name: "jax.experimental.pallas.mosaic_gpu",
    doc: "Pallas for GPUs through Mosaic.",
    functions: &[],
    populate: |interp, namespace| {
        add_functions(namespace, "jax.experimental.pallas.mosaic_gpu", access::VIEW_FUNCTIONS);
        class(interp, namespace, "CompilerParams", &record::GPU_COMPILER_PARAMS);
        for (name, space) in [("GMEM", MemorySpace::Gmem), ("SMEM", MemorySpace::Shared)] {
            namespace.insert(Name::from(name), memory::space_value(space));
        }
        for (name, value) in spec::exports(interp) {
            if name == "BlockSpec" {
                namespace.insert(Name::from(name), value);
            }
        }
    },
};

/// `jax.experimental.pallas.gpu`, the old name of the Triton module.
pub(super) static GPU: ModuleDef = ModuleDef {
    name: "jax.experimental.pallas.gpu",
    doc: "The old name of jax.experimental.pallas.triton.",
    functions: &[],
    populate: |interp, namespace| (TRITON.populate)(interp, namespace),
};

fn class(
    interp: &Interp,
    namespace: &mut Namespace,
    name: &'static str,
    table: &'static pallas_python::class::NativeClass,
) {
    namespace.insert(Name::from(name), Value::Class(interp.native_class(table)));
}

/// Functions that several modules offer.
pub(super) static SHARED_FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "dot",
        signature: "(a, b, trans_a=False, trans_b=False, allow_tf32=None, precision=None)",
        doc: "A product of two matrices, either transposed on the way; float32 accumulation.",
        run: dot,
    },
    NativeDef {
        name: "reciprocal",
        signature: "(x, *, approx=False)",
        doc: "1 / x.",
        run: |interp, args: Arguments| {
            let [x, _approx] = args.take();
            interp.binary(pallas_syntax::ast::BinaryOp::Div, &Value::from(1.0), &x)
        },
    },
];

static TRITON_FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "approx_tanh",
        signature: "(x)",
        doc: "The hyperbolic tangent, with the hardware's approximation on a GPU.",
        run: |interp, args: Arguments| {
            let [x] = args.take();
            let cx = Context::jax(interp);
            let x = convert::tile(&cx, &x, "approx_tanh")?;
            let result = primitive::unary(&cx, &ops::TANH, &x)?;
            Ok(convert::value(&cx, result))
        },
    },
    NativeDef {
        name: "debug_barrier",
        signature: "()",
        doc: "Synchronises the threads of a program; nothing to do when interpreted.",
        run: |_interp, _args| Ok(Value::None),
    },
];

static TPU_FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "repeat",
        signature: "(x, repeats, axis)",
        doc: "Copies of `x` one after the other.",
        run: repeat,
    },
    NativeDef {
        name: "roll",
        signature: "(x, shift, axis, *, stride=None, stride_axis=None)",
        doc: "Elements moved along an axis, those that leave coming in at the front.",
        run: |interp, args: Arguments| {
            let [x, shift, axis, _, _] = args.take();
            let roll = interp.get_attr(&interp.import("jax.numpy")?, "roll")?;
            interp.call_values(&roll, [x, shift, axis])
        },
    },
    NativeDef {
        name: "bitcast",
        signature: "(x, ty)",
        doc: "The same bits as another dtype; a narrower dtype makes the second-last dimension longer.",
        run: bitcast,
    },
];

fn dot(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [a, b, trans_a, trans_b, _, _] = args.take();
    let cx = Context::jax(interp);
    let (a, b) = (convert::tile(&cx, &a, "dot")?, convert::tile(&cx, &b, "dot")?);
    if a.rank() != 2 || b.rank() != 2 {
        return Err(interp.value_error("`a` and `b` must be 2D arrays.".to_string()));
    }
    let lhs = usize::from(!interp.truth(&trans_a)?);
    let rhs = usize::from(interp.truth(&trans_b)?);
    let dtype = if a.dtype().is_float() { DType::F32 } else { DType::I32 };
    let result = primitive::dot_general(&cx, &a, &b, (&[lhs], &[rhs]), (&[], &[]), dtype)?;
    Ok(convert::value(&cx, result))
}

fn repeat(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, repeats, axis] = args.take();
    let cx = Context::jax(interp);
    let x = convert::tile(&cx, &x, "repeat")?;
    let axis = convert::axis(&cx, &axis, x.rank())?;
    let copies = vec![&x; interp.to_usize(&repeats)?];
    Ok(convert::value(&cx, primitive::concatenate(&cx, &copies, axis)?))
}

fn bitcast(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, dtype] = args.take();
    let cx = Context::jax(interp);
    let x = convert::tile(&cx, &x, "bitcast")?;
    let dtype = crate::dtype::parse(&cx, &dtype)?;
    if x.dtype().bits() == dtype.bits() {
        let attributes = Attributes::none().with("dtype", Attribute::DType(dtype));
        return Ok(convert::value(&cx, cx.bind(&ops::BITCAST_CONVERT_TYPE, &[&x], attributes)?));
    }
    if x.rank() < 2 {
        return Err(interp.value_error("Not implemented: bitcast 1D".to_string()));
    }
    // Rows are packed: narrower elements multiply the second-last dimension, wider ones divide it.
    let rows = x.shape()[x.rank() - 2];
    let (from, to) = (x.dtype().bits() as usize, dtype.bits() as usize);
    let mut swap: Vec<usize> = (0..x.rank()).collect();
    let attributes = || Attributes::none().with("dtype", Attribute::DType(dtype));
    if from > to {
        let factor = from / to;
        let wide = cx.bind(&ops::BITCAST_CONVERT_TYPE, &[&x], attributes())?;
        // [..., rows, columns, factor] -> [..., rows, factor, columns] -> [..., rows * factor, columns]
        swap.push(x.rank());
        swap.swap(x.rank() - 1, x.rank());
        let turned = primitive::transpose(&cx, &wide, &swap)?;
        let mut shape: Vec<usize> = x.shape().to_vec();
        shape[x.rank() - 2] = rows * factor;
        return Ok(convert::value(&cx, primitive::reshape(&cx, &turned, &Shape::from(shape.as_slice()))?));
    }
    let factor = to / from;
    if !rows.is_multiple_of(factor) {
        return Err(interp
            .value_error(format!("bitcast needs a second-last dimension that is a multiple of {factor}, got {rows}")));
    }
    let mut shape: Vec<usize> = x.shape()[..x.rank() - 2].to_vec();
    shape.extend([rows / factor, factor, x.shape()[x.rank() - 1]]);
    let split = primitive::reshape(&cx, &x, &Shape::from(shape.as_slice()))?;
    swap.push(x.rank());
    swap.swap(x.rank() - 1, x.rank());
    let turned = primitive::transpose(&cx, &split, &swap)?;
    Ok(convert::value(&cx, cx.bind(&ops::BITCAST_CONVERT_TYPE, &[&turned], attributes())?))
}

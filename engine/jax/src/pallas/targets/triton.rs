//! `jax.experimental.pallas.triton`, and its old name `gpu`.

use crate::context::Context;
use crate::convert;
use crate::pallas::{access, add_functions, record};
use crate::primitive;
use crate::python_types;
use pallas_ir::ops;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

const NAME: &str = "jax.experimental.pallas.triton";

/// `jax.experimental.pallas.triton`
pub(super) static MODULE: ModuleDef = ModuleDef {
    name: NAME,
    doc: "Pallas for GPUs through Triton.",
    functions: &[],
    populate: |interp, namespace| {
        for table in [access::TRITON_FUNCTIONS, access::ATOMICS, super::SHARED_FUNCTIONS, FUNCTIONS] {
            add_functions(namespace, NAME, table);
        }
        python_types::populate(interp, namespace, &[], &[&record::TRITON_COMPILER_PARAMS]);
        if let Some(class) = namespace.get("CompilerParams").cloned() {
            namespace.insert(Name::from("TritonCompilerParams"), class);
        }
    },
};

/// `jax.experimental.pallas.gpu`, the old name of the Triton module.
pub(super) static OLD_MODULE: ModuleDef = ModuleDef {
    name: "jax.experimental.pallas.gpu",
    doc: "The old name of jax.experimental.pallas.triton.",
    functions: &[],
    populate: |interp, namespace| (MODULE.populate)(interp, namespace),
};

static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "approx_tanh",
        signature: "(x)",
        doc: "The hyperbolic tangent, with the hardware's approximation on a GPU.",
        run: |interp, args: Arguments| {
            let [x] = args.take();
            access::of_triton(interp);
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
        run: |interp, _args| {
            access::of_triton(interp);
            Ok(Value::None)
        },
    },
    NativeDef {
        name: "atomic_cas",
        signature: "(ref, cmp, val)",
        doc: "Atomically replaces what equals `cmp`; the value is what was there.",
        run: |interp, args: Arguments| {
            let [reference, expected, value] = args.take();
            let everything = Value::Ellipsis;
            let old = interp.get_item(&reference, &everything)?;
            let same = interp.compare(pallas_syntax::ast::CompareOp::Eq, &old, &expected)?;
            let choose = interp.get_attr(&interp.import("jax.numpy")?, "where")?;
            let new = interp.call_values(&choose, [same, value, old.clone()])?;
            interp.set_item(&reference, &everything, new)?;
            Ok(old)
        },
    },
    NativeDef {
        name: "max_contiguous",
        signature: "(x, values)",
        doc: "States how many values of `x` are contiguous; the value is `x`.",
        run: |_interp, args| Ok(args.get(0).clone()),
    },
    NativeDef {
        name: "elementwise_inline_asm",
        signature: "(asm, *, args, constraints, pack, result_shape_dtypes)",
        doc: "Instructions of the GPU, elementwise; they cannot be interpreted.",
        run: inline_asm,
    },
];

fn inline_asm(interp: &Interp, _args: Arguments) -> PyResult<Value> {
    if interp.is_analysis() {
        return Ok(Value::unknown("the result of inline assembly", Some(interp.span())));
    }
    Err(interp.not_implemented_error(
        "MLIR translation rule for primitive 'elementwise_inline_asm' not found for platform cpu",
    ))
}

//! The corner of `jax._src` that kernels written on top of JAX's public names cannot do without.

use pallas_python::module::ModuleDef;
use pallas_python::native::NativeDef;
use pallas_python::value::Value;

/// `jax._src.source_info_util`
pub(super) static SOURCE_INFO: ModuleDef = ModuleDef {
    name: "jax._src.source_info_util",
    doc: "Which frames tracebacks show.",
    functions: &[
        NativeDef {
            name: "register_exclusion",
            signature: "(path)",
            doc: "Tracebacks show every frame here: nothing to do.",
            run: |_, _| Ok(Value::None),
        },
        NativeDef {
            name: "register_inclusion",
            signature: "(path)",
            doc: "Tracebacks show every frame here: nothing to do.",
            run: |_, _| Ok(Value::None),
        },
    ],
    populate: |_, _| {},
};

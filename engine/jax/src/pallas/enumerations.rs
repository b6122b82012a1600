//! Enumerations of pallas and of its TPU module: plain names that specs, launches and copies are given.

use crate::python_types::Enumeration;
use crate::python_types::Plain::{Int, Str};
use pallas_python::native::NativeDef;

const CORE: &str = "jax._src.pallas.core";
const TPU: &str = "jax._src.pallas.mosaic.core";

/// `pl.DeviceIdType`
pub static DEVICE_ID_TYPE: Enumeration = Enumeration {
    name: "DeviceIdType",
    module: "jax._src.pallas.primitives",
    members: &[("MESH", Str("mesh")), ("LOGICAL", Str("logical"))],
    methods: &[],
    properties: &[],
};

/// `pl.RevisitMode`
pub static REVISIT_MODE: Enumeration = Enumeration {
    name: "RevisitMode",
    module: CORE,
    members: &[("IMMEDIATE", Str("immediate")), ("ANY", Str("any"))],
    methods: &[],
    properties: &[],
};

/// `pltpu.GridDimensionSemantics`
pub static GRID_DIMENSION_SEMANTICS: Enumeration = Enumeration {
    name: "GridDimensionSemantics",
    module: TPU,
    members: &[
        ("PARALLEL", Str("parallel")),
        ("CORE_PARALLEL", Str("core_parallel")),
        ("SUBCORE_PARALLEL", Str("subcore_parallel")),
        ("ARBITRARY", Str("arbitrary")),
    ],
    methods: &[],
    properties: &[],
};

/// `pltpu.SideEffectType`
pub static SIDE_EFFECT_TYPE: Enumeration = Enumeration {
    name: "SideEffectType",
    module: TPU,
    members: &[
        ("PURE", Str("pure")),
        ("DATAFLOW_SIDE_EFFECTING", Str("dataflow_side_effecting")),
        ("SIDE_EFFECTING", Str("side_effecting")),
    ],
    methods: &[],
    properties: &[],
};

/// `pltpu.CoreType`
pub static CORE_TYPE: Enumeration = Enumeration {
    name: "CoreType",
    module: TPU,
    members: &[
        ("TC", Str("tc")),
        ("SC_SCALAR_SUBCORE", Str("sc_scalar_subcore")),
        ("SC_VECTOR_SUBCORE", Str("sc_vector_subcore")),
    ],
    methods: &[
        NativeDef {
            name: "__str__",
            signature: "(self)",
            doc: "Its value.",
            run: |interp, args| interp.get_attr(args.get(0), "value"),
        },
        NativeDef {
            name: "__repr__",
            signature: "(self)",
            doc: "Its name.",
            run: |interp, args| interp.get_attr(args.get(0), "name"),
        },
    ],
    properties: &[],
};

/// `pltpu.BufferType`
pub static BUFFER_TYPE: Enumeration = Enumeration {
    name: "BufferType",
    module: "jax._src.pallas.mosaic.pipeline",
    members: &[("INPUT", Int(1)), ("OUTPUT", Int(2)), ("INPUT_OUTPUT", Int(3)), ("MANUAL", Int(4))],
    methods: &[],
    properties: &[
        NativeDef {
            name: "is_input",
            signature: "(self)",
            doc: "Whether it is copied in.",
            run: |interp, args| one_of(interp, args.get(0), &["INPUT", "INPUT_OUTPUT"]),
        },
        NativeDef {
            name: "is_output",
            signature: "(self)",
            doc: "Whether it is copied out.",
            run: |interp, args| one_of(interp, args.get(0), &["OUTPUT", "INPUT_OUTPUT"]),
        },
    ],
};

fn one_of(
    interp: &pallas_python::Interp,
    member: &pallas_python::Value,
    names: &[&str],
) -> pallas_python::PyResult<pallas_python::Value> {
    let name = interp.to_str(&interp.get_attr(member, "name")?)?;
    Ok(pallas_python::Value::Bool(names.contains(&&*name)))
}

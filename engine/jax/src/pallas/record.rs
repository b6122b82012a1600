//! Plain option records: `CompilerParams` of each target, `CostEstimate`, `InterpretParams`. The launch reads what it
//! understands; everything else is kept and has no effect.

use crate::python_types::Plain::{Bool, Int, None, Required, Str};
use crate::python_types::Record;
use pallas_python::native::NativeDef;
use pallas_python::value::Value;

/// `pltpu.CompilerParams`
pub static TPU_COMPILER_PARAMS: Record = Record {
    name: "CompilerParams",
    module: "jax._src.pallas.mosaic.core",
    fields: &[
        ("dimension_semantics", None),
        ("allow_input_fusion", None),
        ("vmem_limit_bytes", None),
        ("collective_id", None),
        ("has_side_effects", Bool(false)),
        ("flags", None),
        ("internal_scratch_in_bytes", None),
        ("serialization_format", Int(1)),
        ("disable_bounds_checks", Bool(false)),
        ("disable_semaphore_checks", Bool(false)),
        ("skip_device_barrier", Bool(false)),
        ("allow_collective_id_without_custom_barrier", Bool(false)),
        ("shape_invariant_numerics", Bool(true)),
        ("use_tc_tiling_on_sc", None),
        ("needs_layout_passes", Bool(true)),
        ("fuse_transposed_lhs_in_matmul", Bool(false)),
    ],
    keyword_only: false,
    methods: &[
        NativeDef {
            name: "__post_init__",
            signature: "(self)",
            doc: "Lists become tuples.",
            run: |interp, args| {
                let this = args.get(0);
                for name in ["dimension_semantics", "allow_input_fusion"] {
                    if let Value::List(items) = interp.get_attr(this, name)? {
                        let items = Value::tuple(items.borrow().iter().cloned());
                        interp.set_attr_plainly(this, name, items)?;
                    }
                }
                Ok(Value::None)
            },
        },
        NativeDef {
            name: "replace",
            signature: "(self, /, **changes)",
            doc: "The same with other values for some fields.",
            run: |interp, args| {
                let [this, changes] = args.take();
                let replace = interp.get_attr(&interp.import("dataclasses")?, "replace")?;
                interp.call(&replace, interp.call_args(&Value::tuple([this]), &changes)?)
            },
        },
    ],
    properties: &[],
};

/// `plt.CompilerParams`
pub static TRITON_COMPILER_PARAMS: Record = Record {
    name: "CompilerParams",
    module: "jax._src.pallas.triton.core",
    fields: &[("num_warps", None), ("num_stages", None)],
    keyword_only: false,
    methods: &[],
    properties: &[],
};

/// `plgpu.CompilerParams`
pub static GPU_COMPILER_PARAMS: Record = Record {
    name: "CompilerParams",
    module: "jax._src.pallas.mosaic_gpu.core",
    fields: &[
        ("approx_math", Bool(false)),
        ("dimension_semantics", None),
        ("max_concurrent_steps", Int(1)),
        ("unsafe_no_auto_barriers", Bool(false)),
        ("reduction_scratch_bytes", Int(2048)),
        ("profile_space", Int(0)),
        ("profile_dir", Str("")),
        ("profile_trace_scope", None),
        ("lowering_semantics", None),
    ],
    keyword_only: true,
    methods: &[],
    properties: &[],
};

/// `pl.CostEstimate`
pub static COST_ESTIMATE: Record = Record {
    name: "CostEstimate",
    module: "jax._src.pallas.core",
    fields: &[
        ("flops", Required),
        ("transcendentals", Required),
        ("bytes_accessed", Required),
        ("remote_bytes_transferred", Int(0)),
    ],
    keyword_only: false,
    methods: &[NativeDef {
        name: "to_json",
        signature: "(self)",
        doc: "The estimate as the bytes of a JSON object.",
        run: |interp, args| {
            let fields = ["flops", "transcendentals", "bytes_accessed", "remote_bytes_transferred"]
                .iter()
                .map(|name| Ok(format!("\"{name}\": {}", interp.str(&interp.get_attr(args.get(0), name)?)?)))
                .collect::<Result<Vec<_>, Box<pallas_python::Stop>>>()?;
            Ok(Value::Bytes(format!("{{{}}}", fields.join(", ")).into_bytes().into()))
        },
    }],
    properties: &[],
};

/// `pltpu.InterpretParams`
pub static INTERPRET_PARAMS: Record = Record {
    name: "InterpretParams",
    module: "jax._src.pallas.mosaic.interpret.params",
    fields: &[
        ("detect_races", Bool(false)),
        ("out_of_bounds_reads", Str("raise")),
        ("skip_floating_point_ops", Bool(false)),
        ("uninitialized_memory", Str("nan")),
        ("num_cores_or_threads", Int(1)),
        ("vector_clock_size", None),
        ("logging_mode", None),
        ("dma_execution_mode", Str("on_wait")),
        ("random_seed", None),
        ("grid_point_recorder", None),
        ("allow_hbm_allocation_in_run_scoped", Bool(false)),
        ("buffer_bounds", Str("logical")),
    ],
    keyword_only: true,
    methods: super::interpretation::METHODS,
    properties: super::interpretation::PROPERTIES,
};

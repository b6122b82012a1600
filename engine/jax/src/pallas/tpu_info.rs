//! What pallas knows of TPU chips: `pltpu.ChipVersion`, `pltpu.TpuInfo` and the table behind `get_tpu_info_for_chip`.
//! All numbers are per TensorCore. The device here is a CPU, for which `get_tpu_info` raises as JAX does, unless the current
//! mesh names the device that is meant. Analysis does not know which one that is where the mesh does not say it.

use crate::context::Context;
use crate::python_types::Plain::{Int, None, Required, Str};
use crate::python_types::{Enumeration, Record};
use crate::state::JaxState;
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::DType;

const MODULE: &str = "jax._src.pallas.mosaic.tpu_info";

/// A chip: everything that does not depend on how many cores make a device.
struct Chip {
    member: &'static str,
    generation: i64,
    cores_per_chip: i64,
    megacore: bool,
    mxu_column_size: i64,
    num_mxus: i64,
    num_accumulators: i64,
    vmem: i64,
    cmem_per_chip: i64,
    smem: i64,
    /// Per chip, in this order: HBM bytes, bytes a second, operations a second of bf16, int8, fp8, int4.
    rates: [i64; 6],
    /// Cores, subcores, lanes, VMEM bytes of a subcore, DMA granule.
    sparse_core: Option<[i64; 5]>,
}

const KIB: i64 = 1 << 10;
const MIB: i64 = 1 << 20;
const GIGA: i64 = 1_000_000_000;
const TERA: i64 = 1_000 * GIGA;

const BASE: Chip = Chip {
    member: "",
    generation: 2,
    cores_per_chip: 2,
    megacore: false,
    mxu_column_size: 128,
    num_mxus: 4,
    num_accumulators: 0,
    vmem: 16 * MIB,
    cmem_per_chip: 0,
    smem: MIB,
    rates: [0; 6],
    sparse_core: Option::None,
};

static CHIPS: [Chip; 10] = [
    Chip { member: "TPU_V2", num_mxus: 1, smem: 16 * KIB, rates: [16 * GIGA, 716 * GIGA, 46 * TERA, 0, 0, 0], ..BASE },
    Chip {
        member: "TPU_V3",
        generation: 3,
        num_mxus: 2,
        smem: 16 * KIB,
        rates: [34_400_000_000, 825 * GIGA, 140 * TERA, 0, 0, 0],
        ..BASE
    },
    Chip {
        member: "TPU_V4I",
        generation: 4,
        cores_per_chip: 1,
        cmem_per_chip: 134_000_000,
        rates: [8_590_000_000, 614 * GIGA, 137 * TERA, 0, 0, 0],
        ..BASE
    },
    Chip {
        member: "TPU_V4",
        generation: 4,
        megacore: true,
        cmem_per_chip: 134_000_000,
        rates: [34_400_000_000, 1_230 * GIGA, 275 * TERA, 0, 0, 0],
        ..BASE
    },
    Chip {
        member: "TPU_V5E",
        generation: 5,
        cores_per_chip: 1,
        vmem: 128 * MIB,
        rates: [17_200_000_000, 820 * GIGA, 197 * TERA, 394 * TERA, 0, 788 * TERA],
        ..BASE
    },
    Chip {
        member: "TPU_V5P",
        generation: 5,
        megacore: true,
        vmem: 64 * MIB,
        rates: [103 * GIGA, 2_460 * GIGA, 459 * TERA, 918 * TERA, 0, 1_840 * TERA],
        sparse_core: Some([4, 16, 8, 512 * KIB, 32]),
        ..BASE
    },
    Chip {
        member: "TPU_V6E",
        generation: 6,
        cores_per_chip: 1,
        mxu_column_size: 256,
        num_mxus: 2,
        vmem: 128 * MIB,
        rates: [34_400_000_000, 1_640 * GIGA, 920 * TERA, 1_840 * TERA, 920 * TERA, 3_680 * TERA],
        sparse_core: Some([2, 16, 8, 256 * KIB, 32]),
        ..BASE
    },
    SEVEN,
    Chip { member: "TPU_7X", ..SEVEN },
    Chip {
        member: "TPU_8I",
        generation: 8,
        num_accumulators: 256,
        vmem: 192 * MIB,
        rates: [309 * GIGA, 8_600 * GIGA, 1_101 * TERA, 0, 8_808 * TERA, 0],
        sparse_core: Some([1, 4, 16, 512 * KIB, 64]),
        ..SEVEN
    },
];

const SEVEN: Chip = Chip {
    member: "TPU_7",
    generation: 7,
    mxu_column_size: 256,
    num_mxus: 2,
    num_accumulators: 128,
    vmem: 64 * MIB,
    rates: [206 * GIGA, 7_400 * GIGA, 2_310 * TERA, 0, 4_600 * TERA, 0],
    sparse_core: Some([2, 16, 16, 512 * KIB, 32]),
    ..BASE
};

/// `pltpu.ChipVersion`
pub static CHIP_VERSION: Enumeration = Enumeration {
    name: "ChipVersion",
    module: MODULE,
    members: &[
        ("TPU_V2", Str("v2")),
        ("TPU_V3", Str("v3")),
        ("TPU_V4I", Str("v4i")),
        ("TPU_V4", Str("v4")),
        ("TPU_V5E", Str("v5e")),
        ("TPU_V5P", Str("v5p")),
        ("TPU_V6E", Str("v6e")),
        ("TPU_7", Str("7")),
        ("TPU_7X", Str("7x")),
        ("TPU_8I", Str("8i")),
    ],
    methods: &[NativeDef {
        name: "__str__",
        signature: "(self)",
        doc: "Its value.",
        run: |interp, args| interp.get_attr(args.get(0), "value"),
    }],
    properties: &[
        NativeDef {
            name: "num_physical_tensor_cores_per_chip",
            signature: "(self)",
            doc: "How many TensorCores a chip has.",
            run: |interp, args| Ok(Value::from(chip(interp, args.get(0))?.cores_per_chip)),
        },
        NativeDef {
            name: "supports_megacore",
            signature: "(self)",
            doc: "Whether two cores can be one device.",
            run: |interp, args| Ok(Value::Bool(chip(interp, args.get(0))?.megacore)),
        },
        NativeDef {
            name: "is_lite",
            signature: "(self)",
            doc: "Whether a chip has one core.",
            run: |interp, args| Ok(Value::Bool(chip(interp, args.get(0))?.cores_per_chip == 1)),
        },
    ],
};

/// `pltpu.Tiling`
pub static TILING: Enumeration = Enumeration {
    name: "Tiling",
    module: MODULE,
    members: &[("COMPACT", Int(1)), ("SPARSE_CORE", Int(2))],
    methods: &[],
    properties: &[NativeDef {
        name: "shape",
        signature: "(self)",
        doc: "The shape of a tile.",
        run: |interp, args| {
            let compact = interp.to_i64(&interp.get_attr(args.get(0), "value")?)? == 1;
            let shape: &[i64] = if compact { &[8, 128] } else { &[8] };
            Ok(Value::tuple(shape.iter().map(|&extent| Value::from(extent))))
        },
    }],
};

/// What `TpuInfo.sparse_core` holds.
pub static SPARSE_CORE_INFO: Record = Record {
    name: "SparseCoreInfo",
    module: MODULE,
    fields: &[
        ("num_cores", Required),
        ("num_subcores", Required),
        ("num_lanes", Required),
        ("vmem_capacity_bytes", Required),
        ("dma_granule_size_bytes", Required),
    ],
    keyword_only: true,
    methods: &[],
    properties: &[],
};

/// `pltpu.TpuInfo`
pub static TPU_INFO: Record = Record {
    name: "TpuInfo",
    module: MODULE,
    fields: &[
        ("chip_version", Required),
        ("generation", Required),
        ("num_cores", Required),
        ("num_lanes", Required),
        ("num_sublanes", Required),
        ("mxu_column_size", Required),
        ("num_mxus", Required),
        ("num_accumulators", Required),
        ("vmem_capacity_bytes", Required),
        ("cmem_capacity_bytes", Required),
        ("smem_capacity_bytes", Required),
        ("hbm_capacity_bytes", Required),
        ("mem_bw_bytes_per_second", Required),
        ("bf16_ops_per_second", Required),
        ("int8_ops_per_second", Required),
        ("fp8_ops_per_second", Required),
        ("int4_ops_per_second", Required),
        ("sparse_core", None),
    ],
    keyword_only: true,
    methods: &[
        NativeDef {
            name: "is_matmul_supported",
            signature: "(self, lhs_dtype, rhs_dtype)",
            doc: "Whether the chip multiplies matrices of these dtypes without casts.",
            run: is_matmul_supported,
        },
        NativeDef {
            name: "get_sublane_tiling",
            signature: "(self, dtype)",
            doc: "Rows of a tile of this dtype.",
            run: sublane_tiling,
        },
    ],
    properties: &[
        NativeDef {
            name: "is_lite",
            signature: "(self)",
            doc: "Whether the chip has one core.",
            run: |interp, args| interp.get_attr(&interp.get_attr(args.get(0), "chip_version")?, "is_lite"),
        },
        NativeDef {
            name: "is_split_chip",
            signature: "(self)",
            doc: "Whether the cores of the chip are devices of their own.",
            run: |interp, args| {
                let cores = interp.get_attr(args.get(0), "num_cores")?;
                let version = interp.get_attr(args.get(0), "chip_version")?;
                let several = chip(interp, &version)?.cores_per_chip > 1;
                Ok(Value::Bool(interp.to_i64(&cores)? == 1 && several))
            },
        },
        NativeDef {
            name: "is_megacore",
            signature: "(self)",
            doc: "Whether two cores are one device.",
            run: |interp, args| Ok(Value::Bool(interp.to_i64(&interp.get_attr(args.get(0), "num_cores")?)? > 1)),
        },
    ],
};

/// Rows of `jax.experimental.pallas.tpu`.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "get_tpu_info",
        signature: "()",
        doc: "What is known of the TPU that programs run on.",
        run: info_of_device,
    },
    NativeDef {
        name: "get_tpu_info_for_chip",
        signature: "(chip_version, num_tensor_cores_per_logical_device)",
        doc: "What is known of a kind of TPU.",
        run: info_for_chip,
    },
    NativeDef {
        name: "is_tpu_device",
        signature: "()",
        doc: "Whether programs run on a TPU.",
        run: |interp, _args| match device(interp)? {
            Device::Meant { kind, .. } => Ok(Value::Bool(chip_of_kind(&kind).is_some())),
            Device::Cpu => Ok(Value::Bool(false)),
            Device::Unknown => Ok(unknown_device(interp)),
        },
    },
];

/// What devices of a chip call their kind.
const KINDS: [(&str, &str); 13] = [
    ("TPU v2", "TPU_V2"),
    ("TPU v3", "TPU_V3"),
    ("TPU v4", "TPU_V4"),
    ("TPU v4 lite", "TPU_V4I"),
    ("TPU v5e", "TPU_V5E"),
    ("TPU v5 lite", "TPU_V5E"),
    ("TPU v5", "TPU_V5P"),
    ("TPU v5p", "TPU_V5P"),
    ("TPU v6e", "TPU_V6E"),
    ("TPU v6 lite", "TPU_V6E"),
    ("TPU7", "TPU_7"),
    ("TPU7x", "TPU_7X"),
    ("TPU8i", "TPU_8I"),
];

/// The device that a program is traced for.
enum Device {
    /// The current mesh names it.
    Meant { kind: String, cores: Value },
    /// The one that it runs on.
    Cpu,
    /// Analysis is not told.
    Unknown,
}

fn device(interp: &Interp) -> PyResult<Device> {
    let mesh = interp.import("jax._src.mesh")?;
    let mesh = interp.call(&interp.get_attr(&mesh, "get_abstract_mesh")?, CallArgs::default())?;
    let device = interp.get_attr(&mesh, "abstract_device")?;
    let kind = if device.is_none() { Value::None } else { interp.get_attr(&device, "device_kind")? };
    match kind {
        // A mesh of the host's own devices says no more than the host.
        Value::Str(kind) if *kind != *"cpu" => {
            Ok(Device::Meant { kind: kind.to_string(), cores: interp.get_attr(&device, "num_cores")? })
        }
        _ => Ok(match interp.extension::<JaxState>().assumed_tpu.get() {
            Some((kind, cores)) => Device::Meant { kind: kind.to_string(), cores: Value::from(cores) },
            Option::None if interp.is_analysis() => Device::Unknown,
            Option::None => Device::Cpu,
        }),
    }
}

fn unknown_device(interp: &Interp) -> Value {
    Value::unknown("which TPU the program will run on", Some(interp.span()))
}

fn chip_of_kind(kind: &str) -> Option<&'static Chip> {
    let (_, member) = KINDS.iter().find(|(known, _)| *known == kind)?;
    CHIPS.iter().find(|chip| chip.member == *member)
}

fn info_of_device(interp: &Interp, _args: Arguments) -> PyResult<Value> {
    match device(interp)? {
        Device::Unknown => Ok(unknown_device(interp)),
        Device::Cpu => registered(interp, "cpu"),
        Device::Meant { kind, cores } => {
            let Some(chip) = chip_of_kind(&kind) else { return registered(interp, &kind) };
            let module = interp.import("jax.experimental.pallas.tpu")?;
            let version = interp.get_attr(&interp.get_attr(&module, "ChipVersion")?, chip.member)?;
            info(interp, chip, version, cores)
        }
    }
}

/// What a program has registered for a kind of device that is no TPU.
fn registered(interp: &Interp, kind: &str) -> PyResult<Value> {
    let module = interp.import(MODULE)?;
    let make = interp.call_method(&interp.get_attr(&module, "registry")?, "get", [Value::str(kind)])?;
    if make.is_none() {
        return Err(interp.value_error(format!("Unsupported TPU device kind: {kind}")));
    }
    interp.call(&make, CallArgs::default())
}

/// The row of a `ChipVersion`.
fn chip(interp: &Interp, version: &Value) -> PyResult<&'static Chip> {
    let name = match interp.find_attr(version, "name")? {
        Some(name) => interp.to_str(&name)?,
        Option::None => "".into(),
    };
    match CHIPS.iter().find(|chip| *chip.member == *name) {
        Some(chip) => Ok(chip),
        Option::None => {
            let shown = interp.str(version)?;
            Err(interp.value_error(format!("Unsupported TPU chip version: {shown}")))
        }
    }
}

fn info_for_chip(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [version, cores] = args.take();
    let chip = chip(interp, &version)?;
    let cores = interp.to_i64(&cores)?;
    if !chip.megacore && cores != 1 {
        return Err(interp.value_error(format!(
            "Lite chips and dual-core chips that do not support Megacore must have \
             num_tensor_cores_per_logical_device=1, but got {cores}."
        )));
    }
    info(interp, chip, version, Value::from(cores))
}

fn info(interp: &Interp, chip: &'static Chip, version: Value, cores: Value) -> PyResult<Value> {
    let module = interp.import("jax.experimental.pallas.tpu")?;
    let class = interp.get_attr(&module, "TpuInfo")?;
    let per_core = |value: i64| Value::from(value / chip.cores_per_chip);
    let [hbm, bandwidth, bf16, int8, fp8, int4] = chip.rates.map(per_core);
    let mut values = vec![version, Value::from(chip.generation), cores];
    values.extend([128, 8, chip.mxu_column_size, chip.num_mxus, chip.num_accumulators, chip.vmem].map(Value::from));
    values.extend([per_core(chip.cmem_per_chip), Value::from(chip.smem), hbm, bandwidth, bf16, int8, fp8, int4]);
    values.push(match chip.sparse_core {
        Option::None => Value::None,
        Some(numbers) => {
            let class = interp.get_attr(&module, "_SparseCoreInfo")?;
            interp.call(&class, by_keyword(&SPARSE_CORE_INFO, numbers.map(Value::from)))?
        }
    });
    interp.call(&class, by_keyword(&TPU_INFO, values))
}

fn by_keyword(record: &Record, values: impl IntoIterator<Item = Value>) -> CallArgs {
    let keywords = record.fields.iter().map(|(name, _)| Name::from(*name)).zip(values).collect();
    CallArgs { keywords, ..CallArgs::default() }
}

fn is_matmul_supported(interp: &Interp, args: Arguments) -> PyResult<Value> {
    use DType::{BF16, F8E4M3B11Fnuz, F8E4M3Fn, F8E5M2, F32, I4, I8, U4, U8};
    let [this, lhs, rhs] = args.take();
    let cx = Context::jax(interp);
    let (lhs, rhs) = (crate::dtype::parse(&cx, &lhs)?, crate::dtype::parse(&cx, &rhs)?);
    let both = |dtypes: &[DType]| dtypes.contains(&lhs) && dtypes.contains(&rhs);
    Ok(Value::Bool(match interp.to_i64(&interp.get_attr(&this, "generation")?)? {
        2 | 3 => lhs == F32 && rhs == F32,
        4 => [F32, BF16].contains(&lhs) && [F32, BF16, I8].contains(&rhs),
        5 | 6 => both(&[F32, BF16, F8E5M2, F8E4M3B11Fnuz]) || both(&[U8, I8]) || both(&[U4, I4]),
        7 | 8 => {
            both(&[F32, BF16]) || ([F32, BF16, F8E5M2, F8E4M3Fn].contains(&lhs) && [F8E5M2, F8E4M3Fn].contains(&rhs))
        }
        _ => false,
    }))
}

fn sublane_tiling(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, dtype] = args.take();
    let bits = i64::from(crate::dtype::parse(&Context::jax(interp), &dtype)?.bits());
    let sublanes = interp.to_i64(&interp.get_attr(&this, "num_sublanes")?)?;
    match interp.to_i64(&interp.get_attr(&this, "generation")?)? {
        generation if generation < 7 && matches!(bits, 16 | 32) => Ok(Value::from(sublanes)),
        generation if generation <= 7 => Ok(Value::from(sublanes * (32 / bits))),
        _ => Err(interp.not_implemented_error("TPU generation is not supported")),
    }
}

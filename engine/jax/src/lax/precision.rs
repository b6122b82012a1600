//! `lax.Precision`, `lax.DotAlgorithmPreset`, `lax.GatherScatterMode`, `lax.RoundingMethod`: names that calls pass on.
//! On the CPU every precision computes alike; what a product is asked for is kept for devices, which compute otherwise.

use crate::python_types::Plain::Int;
use crate::python_types::{self, Enumeration};
use crate::state::JaxState;
use pallas_python::class::Namespace;
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;
use std::sync::Arc;

/// `str(member)` is its name, `repr(member)` its name in its class.
static NAMED: [NativeDef; 2] = [
    NativeDef {
        name: "__str__",
        signature: "(self)",
        doc: "Its name.",
        run: |interp, args| interp.get_attr(args.get(0), "name"),
    },
    NativeDef {
        name: "__repr__",
        signature: "(self)",
        doc: "Its class and name.",
        run: |interp, args| {
            let name = interp.to_str(&interp.get_attr(args.get(0), "name")?)?;
            Ok(Value::from(format!("{}.{name}", interp.type_of(args.get(0)).name)))
        },
    },
];

static PRECISION: Enumeration = Enumeration {
    name: "Precision",
    module: "jax.lax",
    members: &[("DEFAULT", Int(0)), ("HIGH", Int(1)), ("HIGHEST", Int(2))],
    methods: &NAMED,
    properties: &[],
};

static PRESET: Enumeration = Enumeration {
    name: "DotAlgorithmPreset",
    module: "jax.lax",
    members: &[
        ("DEFAULT", Int(1)),
        ("ANY_F8_ANY_F8_F32", Int(2)),
        ("ANY_F8_ANY_F8_F32_FAST_ACCUM", Int(3)),
        ("ANY_F8_ANY_F8_ANY", Int(4)),
        ("ANY_F8_ANY_F8_ANY_FAST_ACCUM", Int(5)),
        ("F16_F16_F16", Int(6)),
        ("F16_F16_F32", Int(7)),
        ("BF16_BF16_BF16", Int(8)),
        ("BF16_BF16_F32", Int(9)),
        ("BF16_BF16_F32_X3", Int(10)),
        ("BF16_BF16_F32_X6", Int(11)),
        ("BF16_BF16_F32_X9", Int(12)),
        ("TF32_TF32_F32", Int(13)),
        ("TF32_TF32_F32_X3", Int(14)),
        ("F32_F32_F32", Int(15)),
        ("F64_F64_F64", Int(16)),
    ],
    methods: &NAMED,
    properties: &PRESET_TYPES,
};

/// What the products of a preset are computed in.
static PRESET_TYPES: [NativeDef; 3] = [
    NativeDef {
        name: "supported_lhs_types",
        signature: "(self)",
        doc: "The dtypes that the left operand may have; None where the operands decide.",
        run: |interp, args| operand_types(interp, args.get(0)),
    },
    NativeDef {
        name: "supported_rhs_types",
        signature: "(self)",
        doc: "The dtypes that the right operand may have; None where the operands decide.",
        run: |interp, args| operand_types(interp, args.get(0)),
    },
    NativeDef {
        name: "accumulation_type",
        signature: "(self)",
        doc: "The dtype that sums are kept in; None where the operands decide.",
        run: |interp, args| match &*interp.to_str(&interp.get_attr(args.get(0), "name")?)? {
            "DEFAULT" | "ANY_F8_ANY_F8_ANY" | "ANY_F8_ANY_F8_ANY_FAST_ACCUM" => Ok(Value::None),
            "F16_F16_F16" => scalar_type(interp, "float16"),
            "BF16_BF16_BF16" => scalar_type(interp, "bfloat16"),
            "F64_F64_F64" => scalar_type(interp, "float64"),
            _ => scalar_type(interp, "float32"),
        },
    },
];

fn operand_types(interp: &Interp, preset: &Value) -> PyResult<Value> {
    let names: &[&str] = match &*interp.to_str(&interp.get_attr(preset, "name")?)? {
        "DEFAULT" => return Ok(Value::None),
        name if name.starts_with("ANY_F8") => return Ok(Value::None),
        "F16_F16_F16" | "F16_F16_F32" => &["float16"],
        // Operands of float32 are taken as they are; others become bfloat16.
        "BF16_BF16_BF16" | "BF16_BF16_F32" => &["bfloat16", "float32"],
        "F64_F64_F64" => &["float64"],
        _ => &["float32"],
    };
    let types = names.iter().map(|name| scalar_type(interp, name)).collect::<PyResult<Vec<_>>>()?;
    Ok(Value::tuple(types))
}

/// The scalar type of numpy, or of ml_dtypes where numpy has none.
fn scalar_type(interp: &Interp, name: &str) -> PyResult<Value> {
    let module = if name == "bfloat16" { "ml_dtypes" } else { "numpy" };
    interp.get_attr(&interp.import(module)?, name)
}

static ROUNDING: Enumeration = Enumeration {
    name: "RoundingMethod",
    module: "jax.lax",
    members: &[("AWAY_FROM_ZERO", Int(0)), ("TO_NEAREST_EVEN", Int(1))],
    methods: &[],
    properties: &[],
};

static GATHER_MODE: Enumeration = Enumeration {
    name: "GatherScatterMode",
    module: "jax.lax",
    members: &[("CLIP", Int(1)), ("FILL_OR_DROP", Int(2)), ("PROMISE_IN_BOUNDS", Int(3)), ("ONE_HOT", Int(4))],
    methods: &[],
    properties: &[],
};

/// What a precision may be called.
const NAMES: &[&str] =
    &["highest", "float32", "high", "bfloat16_3x", "tensorfloat32", "default", "bfloat16", "fastest"];

/// Adds the enumerations to the module.
pub(super) fn populate(interp: &Interp, namespace: &mut Namespace) {
    python_types::populate(interp, namespace, &[&PRECISION, &PRESET, &ROUNDING, &GATHER_MODE], &[]);
}

/// Whether a value is one precision: a name, or a member of one of the enumerations.
fn is_precision(value: &Value, presets: bool) -> bool {
    match value {
        Value::None | Value::Unset | Value::Unknown(_) => true,
        Value::Str(name) => {
            NAMES.contains(&&**name) || presets && PRESET.members.iter().any(|(preset, _)| *preset == &**name)
        }
        Value::Instance(instance) => {
            let class = instance.class.borrow();
            *class.name == *PRECISION.name || presets && matches!(&*class.name, "DotAlgorithmPreset" | "DotAlgorithm")
        }
        _ => false,
    }
}

/// While it lives, products are made with a precision.
#[must_use = "the precision holds as long as this"]
pub(crate) struct Scope {
    state: Rc<JaxState>,
    before: Option<Arc<str>>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        self.state.precision.replace(self.before.take());
    }
}

/// One precision as products carry it: `default`, `high`, `highest`, or the name of a preset.
fn word(interp: &Interp, value: &Value) -> Option<Arc<str>> {
    let name = match value {
        Value::Str(name) => name.to_string(),
        Value::Instance(_) => interp.to_str(&interp.get_attr(value, "name").ok()?).ok()?.to_string(),
        _ => return None,
    };
    Some(match name.as_str() {
        "HIGHEST" | "highest" | "float32" => "highest".into(),
        "HIGH" | "high" | "bfloat16_3x" | "tensorfloat32" => "high".into(),
        "DEFAULT" | "default" | "bfloat16" | "fastest" => "default".into(),
        preset => preset.into(),
    })
}

/// Refuses what is no `precision=` argument, and has the products that follow made with it.
///
/// # Errors
/// `ValueError` in JAX's words.
pub(crate) fn scope(interp: &Interp, value: &Value) -> PyResult<Scope> {
    check(interp, value)?;
    let wished = match value {
        // The lower of the two is what the product gets, as in the lowering for GPUs.
        Value::Tuple(items) if items.len() == 2 => {
            let words: Vec<Arc<str>> = items.iter().filter_map(|item| word(interp, item)).collect();
            let rank = |word: &Arc<str>| ["default", "high", "highest"].iter().position(|name| *name == &**word);
            words.into_iter().min_by_key(rank)
        }
        value => word(interp, value),
    };
    let state = interp.extension::<JaxState>();
    let before = state.precision.replace(wished);
    Ok(Scope { state, before })
}

fn check(interp: &Interp, value: &Value) -> PyResult<()> {
    let culprit = match value {
        Value::Tuple(items) if items.len() == 2 => items.iter().find(|item| !is_precision(item, false)).cloned(),
        value => (!is_precision(value, true)).then(|| value.clone()),
    };
    match culprit {
        None => Ok(()),
        Some(culprit) => Err(interp.value_error(format!(
            "Precision argument must be one of:\n- None,\n- a string in ['highest', 'float32', 'high', 'bfloat16_3x', \
             'tensorfloat32', 'default', 'bfloat16', 'fastest', None],\n- a lax.Precision value,\n- a tuple of two \
             lax.Precision values or strings,\n- a lax.DotAlgorithmPreset or the name of one of these presets, or\n- a \
             lax.DotAlgorithm value;\nbut got {}.",
            interp.str(&culprit)?
        ))),
    }
}

//! What stands in brackets after the name of a primitive: our attributes under JAX's names.

use pallas_ir::{Attribute, Attributes, OpData};
use pallas_tensor::DType;

/// JAX's name for an op.
pub(super) fn primitive(op: &OpData) -> &'static str {
    if op.attributes.flag("any") { "add_any" } else { op.op.name }
}

/// The parameters of an op, sorted by name.
pub(super) fn parameters(op: &OpData) -> Vec<(String, String)> {
    let at = &op.attributes;
    let mut list: Vec<(String, String)> = match op.op.name {
        "add" => Vec::new(),
        "reduce_sum" => vec![given("axes", ints(at, "axes")), given("out_sharding", none())],
        "argmax" | "argmin" => {
            let axis = at.int("axis").unwrap_or(0);
            vec![given("axes", format!("({axis},)")), given("index_dtype", dtype(at, "dtype"))]
        }
        "dot_general" => dot_general(op),
        "slice" => {
            let strides = at.ints("strides").filter(|strides| strides.iter().any(|&stride| stride != 1));
            vec![
                given("limit_indices", ints(at, "limit")),
                given("start_indices", ints(at, "start")),
                given("strides", strides.map_or_else(none, |_| ints(at, "strides"))),
            ]
        }
        "dynamic_slice" => vec![given("slice_sizes", ints(at, "sizes"))],
        "squeeze" | "rev" => vec![given("dimensions", ints(at, "axes"))],
        "reshape" => {
            vec![given("dimensions", none()), given("new_sizes", ints(at, "shape")), given("sharding", none())]
        }
        "broadcast_in_dim" => match at.ints("dims") {
            Some([]) | None => Vec::new(),
            Some(_) => vec![given("broadcast_dimensions", ints(at, "dims"))],
        },
        "concatenate" => vec![given("dimension", int(at, "axis"))],
        "iota" => vec![
            given("dimension", int(at, "axis")),
            given("dtype", dtype(at, "dtype")),
            given("shape", ints(at, "shape")),
            given("sharding", none()),
        ],
        "convert_element_type" => {
            vec![given("new_dtype", dtype(at, "dtype")), given("weak_type", boolean(at.flag("weak")))]
        }
        "bitcast_convert_type" => vec![given("new_dtype", dtype(at, "dtype"))],
        "round" => vec![given("rounding_method", int(at, "rounding"))],
        "cumsum" | "cumprod" | "cummax" | "cummin" | "cumlogsumexp" => {
            vec![given("axis", int(at, "axis")), given("reverse", boolean(at.flag("reverse")))]
        }
        "sort" => vec![
            given("dimension", int(at, "axis")),
            given("is_stable", boolean(at.flag("stable"))),
            given("num_keys", at.int("num_keys").unwrap_or(1).to_string()),
        ],
        "pad" => vec![given("padding_config", padding(at))],
        _ => at.0.iter().map(|(name, value)| given(name, text(value))).collect(),
    };
    list.sort();
    list
}

fn given(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_string(), value.into())
}

fn none() -> String {
    "None".to_string()
}

fn boolean(value: bool) -> String {
    if value { "True" } else { "False" }.to_string()
}

fn int(at: &Attributes, name: &str) -> String {
    at.int(name).unwrap_or(0).to_string()
}

fn dtype(at: &Attributes, name: &str) -> String {
    at.dtype(name).map_or_else(none, |dtype: DType| dtype.name().to_string())
}

fn ints(at: &Attributes, name: &str) -> String {
    tuple(at.ints(name).unwrap_or_default())
}

/// `(1, 2)`
fn tuple(values: &[i64]) -> String {
    let items: Vec<String> = values.iter().map(i64::to_string).collect();
    if items.len() == 1 { format!("({},)", items[0]) } else { format!("({})", items.join(", ")) }
}

/// `[1, 2]`
fn list(values: &[i64]) -> String {
    format!("[{}]", values.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
}

fn dot_general(op: &OpData) -> Vec<(String, String)> {
    let at = &op.attributes;
    let pair = |name: &str| match at.int_lists(name) {
        Some([a, b]) => format!("({}, {})", list(a), list(b)),
        _ => "([], [])".to_string(),
    };
    let mut all = vec![given("dimension_numbers", format!("({}, {})", pair("contracting"), pair("batch")))];
    if let Some(precision) = at.str("precision") {
        let text = match precision {
            "default" | "high" | "highest" => {
                let name = format!("Precision.{}", precision.to_uppercase());
                format!("({name}, {name})")
            }
            preset => format!("DotAlgorithmPreset.{preset}"),
        };
        all.push(given("precision", text));
    }
    all.push(given("preferred_element_type", dtype(at, "dtype")));
    all
}

fn padding(at: &Attributes) -> String {
    let [low, high, interior] = ["low", "high", "interior"].map(|name| at.ints(name).unwrap_or_default());
    let each: Vec<String> =
        low.iter().zip(high).zip(interior).map(|((low, high), interior)| tuple(&[*low, *high, *interior])).collect();
    if each.len() == 1 { format!("({},)", each[0]) } else { format!("({})", each.join(", ")) }
}

fn text(value: &Attribute) -> String {
    match value {
        Attribute::Int(value) => value.to_string(),
        Attribute::Ints(values) => tuple(values),
        Attribute::IntLists(lists) => format!("({})", lists.iter().map(|l| tuple(l)).collect::<Vec<_>>().join(", ")),
        Attribute::Bool(value) => boolean(*value),
        Attribute::Float(value) => value.to_string(),
        Attribute::Str(value) => value.to_string(),
        Attribute::DType(value) => value.name().to_string(),
        Attribute::Array(_) => "...".to_string(),
        Attribute::Index(index) => format!("{} indices", index.0.len()),
        Attribute::Launch(launch) => format!("{} grid={:?}", launch.kernel.name, launch.grid),
        Attribute::Pipeline(pipeline) => format!("{} Refs", pipeline.operands.len()),
    }
}

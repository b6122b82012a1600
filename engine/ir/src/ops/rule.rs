//! Pieces of type rules that families share: accepted dtypes, equal shapes and dtypes, weak types, and the wording
//! that `jax/_src/lax/lax.py` (0.10.2) gives to refusals.

use crate::attribute::Attributes;
use crate::op::{InferContext, InferError, Types};
use crate::types::{TensorType, Type};
use pallas_tensor::{DType, Kind, Shape};
use smallvec::smallvec;

/// The dtypes that an op accepts, with the names that numpy's type tree gives them.
#[derive(Clone, Copy)]
pub(super) struct Accepts {
    pub(super) test: fn(DType) -> bool,
    pub(super) names: &'static str,
}

pub(super) const FLOAT: Accepts = Accepts { test: DType::is_float, names: "floating" };
/// As in the messages of functions that take complex numbers too; there are none here.
pub(super) const FLOAT_OR_COMPLEX: Accepts = Accepts { test: DType::is_float, names: "floating, complexfloating" };
pub(super) const INTEGER: Accepts = Accepts { test: DType::is_integer, names: "integer" };
pub(super) const NUMBER: Accepts =
    Accepts { test: |dtype| dtype.is_integer() || dtype.is_float(), names: "integer, floating, complexfloating" };
pub(super) const REAL: Accepts =
    Accepts { test: |dtype| dtype.is_integer() || dtype.is_float(), names: "integer, floating" };
pub(super) const SIGNED: Accepts =
    Accepts { test: DType::is_signed, names: "floating, complexfloating, signedinteger" };
pub(super) const BOOL_OR_INTEGER: Accepts =
    Accepts { test: |dtype| dtype.is_integer() || dtype == DType::Bool, names: "integer, bool" };
pub(super) const ORDERED: Accepts =
    Accepts { test: |dtype| dtype.kind() != Kind::Key, names: "integer, floating, bool" };
pub(super) const ANY: Accepts = Accepts { test: |_| true, names: "integer, floating, complexfloating, bool" };

/// One tile of a type.
pub(super) fn one(ty: TensorType) -> Types {
    smallvec![Type::Tensor(ty)]
}

/// Checks the number of operands.
pub(super) fn count(context: &InferContext<'_>, name: &str, count: usize) -> Result<(), InferError> {
    if context.operands.len() == count {
        return Ok(());
    }
    Err(InferError::type_error(format!(
        "{name} takes {count} operand{}, got {}",
        if count == 1 { "" } else { "s" },
        context.operands.len()
    )))
}

/// The only operand of a unary op, its dtype checked.
pub(super) fn operand<'a>(
    context: &'a InferContext<'_>,
    name: &str,
    accepts: Accepts,
) -> Result<&'a TensorType, InferError> {
    count(context, name, 1)?;
    let ty = context.tensor(0)?;
    if (accepts.test)(ty.dtype) {
        return Ok(ty);
    }
    Err(InferError::type_error(format!(
        "{name} does not accept dtype {}. Accepted dtypes are subtypes of {}.",
        ty.dtype, accepts.names
    ))
    .with_code("PL304"))
}

/// `unop`: the result has the operand's type.
pub(super) fn unary(context: &InferContext<'_>, name: &str, accepts: Accepts) -> Result<Types, InferError> {
    Ok(one(operand(context, name, accepts)?.clone()))
}

/// All operands as tiles.
pub(super) fn tensors<'a>(context: &'a InferContext<'_>) -> Result<Vec<&'a TensorType>, InferError> {
    (0..context.operands.len()).map(|index| context.tensor(index)).collect()
}

/// `naryop_dtype_rule`: every operand's dtype is accepted and all are the same.
pub(super) fn same_accepted_dtypes(name: &str, operands: &[&TensorType], accepts: Accepts) -> Result<(), InferError> {
    for (position, ty) in operands.iter().enumerate() {
        accepted(name, position, ty, accepts)?;
    }
    same_dtypes(name, operands)
}

/// Checks the dtype of one operand of several.
pub(super) fn accepted(name: &str, position: usize, ty: &TensorType, accepts: Accepts) -> Result<(), InferError> {
    if (accepts.test)(ty.dtype) {
        return Ok(());
    }
    Err(InferError::type_error(format!(
        "{name} does not accept dtype {} at position {position}. \
         Accepted dtypes at position {position} are subtypes of {}.",
        ty.dtype, accepts.names
    ))
    .with_code("PL304"))
}

/// `check_same_dtypes`.
pub(super) fn same_dtypes(name: &str, operands: &[&TensorType]) -> Result<(), InferError> {
    let Some((first, rest)) = operands.split_first() else {
        return Ok(());
    };
    if rest.iter().all(|ty| ty.dtype == first.dtype) {
        return Ok(());
    }
    let dtypes: Vec<&str> = operands.iter().map(|ty| ty.dtype.name()).collect();
    let mut message = format!("lax.{name} requires arguments to have the same dtypes, got {}.", dtypes.join(", "));
    if let Some((_, equivalent)) = JNP_EQUIVALENTS.iter().find(|(lax, _)| *lax == name) {
        message.push_str(&format!(
            " (Tip: jnp.{equivalent} is a similar function that does automatic type promotion on inputs)."
        ));
    }
    Err(InferError::type_error(message).with_code("PL304"))
}

/// `_JNP_FUNCTION_EQUIVALENTS` of lax.py, those that take several operands.
static JNP_EQUIVALENTS: &[(&str, &str)] = &[
    ("add", "add"),
    ("atan2", "arctan2"),
    ("bitwise_and", "bitwise_and"),
    ("bitwise_or", "bitwise_or"),
    ("bitwise_xor", "bitwise_xor"),
    ("concatenate", "concatenate"),
    ("div", "divide"),
    ("eq", "equal"),
    ("greater", "greater"),
    ("greater_equal", "greater_equal"),
    ("less", "less"),
    ("less_equal", "less_equal"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("mul", "multiply"),
    ("ne", "not_equal"),
    ("nextafter", "nextafter"),
    ("pow", "float_power"),
    ("select", "where"),
    ("shift_left", "left_shift"),
    ("shift_right_arithmetic", "right_shift"),
    ("shift_right_logical", "right_shift"),
    ("sub", "subtract"),
];

/// The shape that all operands have. Unlike lax, sizes of 1 and rank 0 do not broadcast: the caller says so.
pub(super) fn same_shapes(name: &str, operands: &[&TensorType]) -> Result<Shape, InferError> {
    let Some((first, rest)) = operands.split_first() else {
        return Ok(Shape::default());
    };
    if rest.iter().all(|ty| ty.shape == first.shape) {
        return Ok(first.shape.clone());
    }
    let ranks: std::collections::BTreeSet<usize> = operands.iter().map(|ty| ty.shape.rank()).collect();
    let message = if ranks.len() > 1 {
        let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
        format!("{name}: arrays must have the same number of dimensions, got {{{}}}", ranks.join(", "))
    } else {
        let shapes: Vec<String> = operands.iter().map(|ty| ty.shape.to_string()).collect();
        format!("{name} got incompatible shapes for broadcasting: {}.", shapes.join(", "))
    };
    Err(InferError::type_error(message).with_code("PL303"))
}

/// Whether the result of an op on these operands is weakly typed: if all of them are.
pub(super) fn all_weak(operands: &[&TensorType]) -> bool {
    operands.iter().all(|ty| ty.weak)
}

/// `naryop` of two operands: equal shapes, equal accepted dtypes; the result has the same, or `dtype`.
pub(super) fn binary(
    context: &InferContext<'_>,
    name: &str,
    accepts: Accepts,
    dtype: Option<DType>,
) -> Result<Types, InferError> {
    count(context, name, 2)?;
    let operands = tensors(context)?;
    // Shapes before dtypes, as in `standard_abstract_eval`.
    let shape = same_shapes(name, &operands)?;
    same_accepted_dtypes(name, &operands, accepts)?;
    Ok(one(TensorType { dtype: dtype.unwrap_or(operands[0].dtype), shape, weak: all_weak(&operands) }))
}

/// An attribute that the op cannot do without.
pub(super) fn missing(name: &str, attribute: &str) -> InferError {
    InferError::value_error(format!("{name} needs the attribute {attribute}"))
}

/// Non-negative integers of a required attribute.
pub(super) fn sizes(attributes: &Attributes, name: &str, key: &str) -> Result<Vec<usize>, InferError> {
    attributes
        .ints(key)
        .ok_or_else(|| missing(name, key))?
        .iter()
        .map(|&size| {
            usize::try_from(size).map_err(|_| {
                InferError::type_error(format!(
                    "{name} {key} must have every element be nonnegative, got {}.",
                    tuple(attributes.ints(key).unwrap_or_default())
                ))
            })
        })
        .collect()
}

/// A non-negative required attribute.
pub(super) fn size(attributes: &Attributes, name: &str, key: &str) -> Result<usize, InferError> {
    let value = attributes.int(key).ok_or_else(|| missing(name, key))?;
    usize::try_from(value)
        .map_err(|_| InferError::value_error(format!("{name} {key} must be non-negative, got {value}")))
}

/// A type as `str(ShapedArray)` prints it: `float32[2,3]`, a weak one `~float32[]`.
pub(super) fn aval(ty: &TensorType) -> String {
    let sizes: Vec<String> = ty.shape.iter().map(usize::to_string).collect();
    let weak = if ty.weak { "~" } else { "" };
    format!("{weak}{}[{}]", ty.dtype, sizes.join(","))
}

/// Integers as Python prints a tuple.
pub(super) fn tuple<T: std::fmt::Display>(values: &[T]) -> String {
    match values {
        [only] => format!("({only},)"),
        _ => {
            let texts: Vec<String> = values.iter().map(T::to_string).collect();
            format!("({})", texts.join(", "))
        }
    }
}

/// Whether the axes are distinct and below the rank.
pub(super) fn are_axes(axes: &[usize], rank: usize) -> bool {
    axes.iter().all(|&axis| axis < rank) && are_distinct(axes)
}

/// Whether no value occurs twice.
pub(super) fn are_distinct(values: &[usize]) -> bool {
    values.iter().enumerate().all(|(index, value)| !values[..index].contains(value))
}

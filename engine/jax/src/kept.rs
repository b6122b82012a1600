//! Values that outlive the interpreter that they were computed in: constants and arrays, which nothing can change.

use crate::array::ArrayObject;
use crate::tile::Tile;
use pallas_ir::TensorType;
use pallas_python::Value;
use pallas_python::int::Int;
use pallas_tensor::Array;

/// A value without its interpreter.
#[derive(Clone, Debug)]
pub enum Kept {
    /// `None`
    None,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `float`
    Float(f64),
    /// `str`
    Str(String),
    /// `tuple`
    Tuple(Vec<Kept>),
    /// An array that is known.
    Concrete(Array, bool),
    /// An array of which the type is known.
    Abstract(TensorType),
}

impl Kept {
    /// A value that can be kept; `None` of others.
    pub fn of(value: &Value) -> Option<Kept> {
        Some(match value {
            Value::None => Kept::None,
            Value::Bool(value) => Kept::Bool(*value),
            Value::Int(value) => Kept::Int(value.to_i64()?),
            Value::Float(value) => Kept::Float(*value),
            Value::Str(text) => Kept::Str(text.to_string()),
            Value::Tuple(items) => Kept::Tuple(items.iter().map(Kept::of).collect::<Option<_>>()?),
            Value::Object(_) => match &value.downcast::<ArrayObject>()?.tile {
                Tile::Concrete { array, weak } => Kept::Concrete(array.clone(), *weak),
                Tile::Abstract(ty) => Kept::Abstract(ty.clone()),
                Tile::Traced(_) => return None,
            },
            _ => return None,
        })
    }

    /// The value again.
    pub fn value(&self) -> Value {
        match self {
            Kept::None => Value::None,
            Kept::Bool(value) => Value::Bool(*value),
            Kept::Int(value) => Value::Int(Int::Small(*value)),
            Kept::Float(value) => Value::Float(*value),
            Kept::Str(text) => Value::str(text),
            Kept::Tuple(items) => Value::tuple(items.iter().map(Kept::value)),
            Kept::Concrete(array, weak) => {
                Value::object(ArrayObject { tile: Tile::Concrete { array: array.clone(), weak: *weak } })
            }
            Kept::Abstract(ty) => Value::object(ArrayObject { tile: Tile::Abstract(ty.clone()) }),
        }
    }
}

//! JAX arrays as Python values: `ArrayImpl` with data (or, in analysis, without), and tracers. Operators go to
//! `jnp::arithmetic`, methods to the tables of `jnp::methods`, indexing to `indexing`.

use crate::context::Context;
use crate::convert;
use crate::errors;
use crate::indexing;
use crate::jnp::{arithmetic, methods};
use crate::tile::Tile;
use crate::transform::known;
use pallas_python::class::{Class, NativeClass};
use pallas_python::int::Int;
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use pallas_tensor::{DType, Scalar};
use std::borrow::Cow;
use std::rc::Rc;

/// `jaxlib._jax.ArrayImpl` or a tracer.
pub struct ArrayObject {
    /// The array.
    pub tile: Tile,
}

/// `<class 'jaxlib._jax.ArrayImpl'>`
pub static ARRAY_CLASS: NativeClass = NativeClass {
    name: "ArrayImpl",
    module: "jaxlib._jax",
    doc: "An array.",
    methods: methods::METHODS,
    properties: methods::PROPERTIES,
    construct: None,
    instance_check: None,
};

/// `<class 'jax._src.interpreters.partial_eval.DynamicJaxprTracer'>`
pub static TRACER_CLASS: NativeClass = NativeClass {
    name: "DynamicJaxprTracer",
    module: "jax._src.interpreters.partial_eval",
    doc: "A value that stands for an array while a function is traced.",
    methods: methods::METHODS,
    properties: methods::PROPERTIES,
    construct: None,
    instance_check: None,
};

/// `jax.Array`: arrays and tracers alike.
pub static JAX_ARRAY: NativeClass = NativeClass {
    name: "Array",
    module: "jax",
    doc: "The abstract base of arrays and tracers.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: Some(|value| value.downcast::<ArrayObject>().is_some()),
};

/// `JitTracer(float32[8])`, with `~` before a weak type.
pub fn tracer_text(ty: &pallas_ir::TensorType) -> String {
    let weak = if ty.weak { "~" } else { "" };
    format!("JitTracer({weak}{})", errors::type_text(ty))
}

/// What `float(x)` of a traced value is told.
const FLOAT: &str = "The problem arose with the `float` function. If trying to convert the data type of a value, try using \
                     `x.astype(float)` or `jnp.array(x, float)` instead.";

impl ArrayObject {
    /// The array, with its data where it is traced but known.
    fn known(&self, cx: &Context<'_>) -> PyResult<Cow<'_, Tile>> {
        Ok(match &self.tile {
            Tile::Traced(_) => known::value(cx, &self.tile)?.map_or(Cow::Borrowed(&self.tile), Cow::Owned),
            tile => Cow::Borrowed(tile),
        })
    }

    /// The one element, for `bool`, `int` and `float`.
    fn scalar(&self, cx: &Context<'_>, what: &str) -> PyResult<Option<Scalar>> {
        match &*self.known(cx)? {
            Tile::Concrete { array, .. } if array.size() == 1 => Ok(array.get(0)),
            Tile::Abstract(ty) if ty.shape.size() == 1 => Ok(None),
            Tile::Traced(traced) => Err(errors::concrete_value_needed(cx, traced, what)),
            _ => Err(cx.interp.type_error(
                "Only scalar arrays can be converted to Python scalars; got arr.ndim=".to_string()
                    + &self.tile.rank().to_string(),
            )),
        }
    }
}

/// Computes the elements of an array, where they were put off until somebody looks.
pub fn compute(value: &Value) {
    if let Some(Tile::Concrete { array, .. }) = value.downcast::<ArrayObject>().map(|object| &object.tile) {
        array.buffer();
    }
}

impl Object for ArrayObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.tile.is_traced() { &TRACER_CLASS } else { &ARRAY_CLASS })
    }

    fn get_attr(&self, this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let class = self.class(interp);
        // Special names are asked for by protocols, which take their absence for an answer.
        if name.starts_with("__") || class.lookup(name).is_some() {
            return Ok(None);
        }
        Err(missing_attribute(interp, this, &class, name, self.tile.is_traced()))
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::jax(interp);
        Some(indexing::get_value(&cx, &self.tile, key))
    }

    fn set_item(&self, _this: &Value, _key: &Value, _value: Value, interp: &Interp) -> Option<PyResult<()>> {
        Some(Err(interp.type_error(
            "JAX arrays are immutable and do not support in-place item assignment. Instead of x[idx] = y, use x = \
             x.at[idx].set(y) or another .at[] method: \
             https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html"
                .to_string(),
        )))
    }

    fn binary(
        &self,
        _this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        let cx = Context::jax(interp);
        // `_rejected_binop_types` of jax/_src/numpy/array_methods.py, refused before Python has its say.
        if !reflected && matches!(other, Value::List(_) | Value::Tuple(_) | Value::Set(_) | Value::Dict(_)) {
            return Err(interp.type_error(format!(
                "unsupported operand type(s) for {}: '{}' and '{}'",
                op.symbol(),
                self.class(interp).name,
                interp.type_name(other)
            )));
        }
        let Some(other) = convert::try_tile(&cx, other)? else { return Ok(None) };
        convert::note_capture(&cx, &self.tile);
        let result = if reflected {
            arithmetic::operator(&cx, op, &other, &self.tile)?
        } else {
            arithmetic::operator(&cx, op, &self.tile, &other)?
        };
        Ok(Some(convert::value(&cx, result)))
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let cx = Context::jax(interp);
        let Some(other) = convert::try_tile(&cx, other)? else { return Ok(None) };
        convert::note_capture(&cx, &self.tile);
        match arithmetic::comparison(&cx, op, &self.tile, &other) {
            Some(result) => Ok(Some(convert::value(&cx, result?))),
            None => Ok(None),
        }
    }

    fn unary(&self, this: &Value, op: UnaryOp, interp: &Interp) -> PyResult<Option<Value>> {
        let cx = Context::jax(interp);
        if matches!(op, UnaryOp::Neg | UnaryOp::Invert) {
            convert::note_capture(&cx, &self.tile);
        }
        let result = match op {
            UnaryOp::Neg => arithmetic::negative(&cx, &self.tile)?,
            UnaryOp::Invert => arithmetic::invert(&cx, &self.tile)?,
            UnaryOp::Pos => return Ok(Some(this.clone())),
            UnaryOp::Not => return Ok(None),
        };
        Ok(Some(convert::value(&cx, result)))
    }

    fn truth(&self, _this: &Value, interp: &Interp) -> PyResult<Option<bool>> {
        let cx = Context::jax(interp);
        match &*self.known(&cx)? {
            Tile::Traced(traced) => Err(errors::boolean_conversion(&cx, traced)),
            Tile::Concrete { array, .. } if array.size() == 1 => Ok(array.get(0).and_then(Scalar::as_bool)),
            // Analysis knows the type but not the value: neither branch is wrong, and the evaluator takes the first.
            Tile::Abstract(ty) if ty.shape.size() == 1 => Ok(Some(true)),
            _ if self.tile.shape().size() == 0 => Err(interp.value_error(
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not \
                 empty."
                    .to_string(),
            )),
            _ => Err(interp.value_error(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
                    .to_string(),
            )),
        }
    }

    fn length(&self, _this: &Value, interp: &Interp) -> Option<PyResult<usize>> {
        Some(match self.tile.shape().first() {
            Some(&extent) => Ok(extent),
            None => Err(interp.type_error("len() of unsized object".to_string())),
        })
    }

    fn iterate(&self, _this: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::jax(interp);
        Some(indexing::rows(&cx, &self.tile).and_then(|rows| {
            let rows = rows.into_iter().map(|tile| convert::value(&cx, tile));
            interp.iter(&Value::list(rows))
        }))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(match &self.tile {
            Tile::Concrete { array, weak } => crate::text::repr(interp, array, *weak),
            Tile::Abstract(ty) => format!("Array({})", errors::type_text(ty)),
            Tile::Traced(traced) => match known::text(&Context::jax(interp), traced, true)? {
                Some(text) => text,
                None => tracer_text(&traced.ty),
            },
        }))
    }

    fn str(&self, this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        match &self.tile {
            Tile::Concrete { array, .. } => Ok(Some(crate::text::str(interp, array))),
            Tile::Traced(traced) => match known::text(&Context::jax(interp), traced, false)? {
                Some(text) => Ok(Some(text)),
                None => self.repr(this, interp),
            },
            _ => self.repr(this, interp),
        }
    }

    fn format(&self, this: &Value, spec: &str, interp: &Interp) -> PyResult<Option<String>> {
        // Scalars format as Python numbers, also without a spec: `f"{jnp.float32(0.1)}"` has all the digits.
        if let Tile::Concrete { array, .. } = &self.tile
            && array.rank() == 0
            && array.dtype() != DType::Key
            && let Some(scalar) = array.get(0)
        {
            return interp.format(&crate::text::python_scalar(scalar), spec).map(Some);
        }
        // An unknown scalar formats somehow; what comes out is as unknown as the scalar.
        if spec.is_empty() || (matches!(self.tile, Tile::Abstract(_)) && self.tile.rank() == 0) {
            return self.str(this, interp);
        }
        Err(interp.type_error(format!("unsupported format string passed to {}.__format__", self.class(interp).name)))
    }

    fn hash(&self, _this: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        match &self.tile {
            Tile::Traced(_) => None,
            _ => Some(Err(interp.type_error("unhashable type: 'jaxlib._jax.ArrayImpl'".to_string()))),
        }
    }

    fn as_int(&self, _this: &Value, interp: &Interp) -> Option<PyResult<Int>> {
        let cx = Context::jax(interp);
        match self.known(&cx) {
            Ok(tile) => {
                if let Tile::Traced(traced) = &*tile {
                    return Some(Err(errors::integer_conversion(&cx, traced)));
                }
            }
            Err(stop) => return Some(Err(stop)),
        }
        Some(self.scalar(&cx, "int()").map(|s| {
            let value = s.and_then(Scalar::as_int).unwrap_or(0);
            i64::try_from(value).map_or_else(|_| Int::from(num_bigint(value)), Int::from)
        }))
    }

    fn to_int(&self, this: &Value, interp: &Interp) -> Option<PyResult<Int>> {
        let cx = Context::jax(interp);
        let known = match self.known(&cx) {
            Ok(tile) => tile,
            Err(stop) => return Some(Err(stop)),
        };
        if let Tile::Traced(traced) = &*known {
            let what = "The problem arose with the `int` function. If trying to convert the data type of a value, try using \
                        `x.astype(int)` or `jnp.array(x, int)` instead.";
            return Some(Err(errors::concrete_value_needed(&cx, traced, what)));
        }
        self.as_int(this, interp)
    }

    fn is_index(&self) -> bool {
        self.tile.dtype().is_integer() && self.tile.rank() == 0
    }

    fn as_float(&self, _this: &Value, interp: &Interp) -> Option<PyResult<f64>> {
        let cx = Context::jax(interp);
        Some(self.scalar(&cx, FLOAT).map(|s| s.and_then(Scalar::as_f64).unwrap_or(0.0)))
    }

    fn is_undecided(&self) -> bool {
        known::is_undecided(&self.tile)
    }

    fn summary(&self, _interp: &Interp) -> Option<String> {
        Some(self.tile.ty().to_string())
    }
}

/// `AttributeError` in JAX's words, with the nearest name that there is.
pub(crate) fn missing_attribute(
    interp: &Interp,
    this: &Value,
    class: &Rc<Class>,
    name: &str,
    traced: bool,
) -> Box<pallas_python::Stop> {
    let message = if traced {
        format!("{} has no attribute {name}", class.name)
    } else {
        format!("'{}.{}' object has no attribute '{name}'", class.module, class.name)
    };
    let near = interp
        .attribute_names(this)
        .into_iter()
        .filter(|known| !known.starts_with('_'))
        .map(|known| (strsim::levenshtein(name, &known), known))
        .min()
        .filter(|(distance, known)| *distance <= known.len().max(name.len()).div_ceil(3));
    interp.error_with(
        &interp.types().attribute_error,
        message,
        pallas_python::Diagnosis {
            code: "PL312",
            message: Some(format!("{} have no attribute `{name}`", if traced { "traced values" } else { "arrays" })),
            help: near.map(|(_, known)| format!("did you mean `{known}`?")),
            ..Default::default()
        },
    )
}

/// Unsigned 64-bit values do not fit Python's small ints.
fn num_bigint(value: i128) -> num_bigint::BigInt {
    num_bigint::BigInt::from(value)
}

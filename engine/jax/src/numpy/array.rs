//! `numpy.ndarray` and numpy's scalars as Python values. What their subscripts select is in [`super::subscript`], their
//! methods in [`super::methods`], arithmetic in `jnp::arithmetic` under numpy's rules.

use super::assign::{check_count, values_for};
use super::methods;
use super::operators::{compute, python_int, same_kind, ufunc_name};
use super::subscript::{Selection, select};
use super::view::View;
use crate::array::ArrayObject;
use crate::context::{Context, Rules};
use crate::convert;
use crate::dtype;
use crate::errors;
use crate::jnp::{arithmetic, call};
use crate::primitive;
use crate::refs::RefObject;
use crate::tile::Tile;
use pallas_ir::TensorType;
use pallas_python::class::{Class, NativeClass};
use pallas_python::function::BoundMethod;
use pallas_python::int::Int;
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use pallas_tensor::{Array, DType, OpError, Scalar, Shape, print};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// An array that can be written in place and may share its memory with others, or a scalar.
pub struct NdArray {
    pub(super) view: RefCell<View>,
    /// A scalar such as `np.float32(1.0)`, which is no array and cannot be written.
    scalar: bool,
    /// `False` for what JAX lends out.
    pub(super) writeable: Cell<bool>,
    /// The array whose memory this one shares; `None` for those that have their own.
    pub(super) base: RefCell<Value>,
}

/// `<class 'numpy.ndarray'>`
pub static NDARRAY: NativeClass = NativeClass {
    name: "ndarray",
    module: "numpy",
    doc: "An array that can be written in place.",
    methods: methods::METHODS,
    properties: methods::PROPERTIES,
    construct: Some(methods::construct),
    instance_check: None,
};

impl NdArray {
    /// An array over a view.
    pub(super) fn array(view: View) -> NdArray {
        NdArray::new(view, false)
    }

    fn new(view: View, scalar: bool) -> NdArray {
        NdArray { view: RefCell::new(view), scalar, writeable: Cell::new(!scalar), base: RefCell::new(Value::None) }
    }

    /// A view of `array`, which is in `owner`: writeable if that is.
    pub(super) fn derived(owner: &Value, array: &NdArray, view: View) -> NdArray {
        let result = NdArray::array(view);
        result.writeable.set(array.writeable.get());
        // The base of a view of a view is where the memory belongs.
        let base = array.base.borrow().clone();
        *result.base.borrow_mut() = if base.is_none() { owner.clone() } else { base };
        result
    }

    /// A scalar; the view must have rank 0.
    fn scalar(view: View) -> NdArray {
        NdArray::new(view, true)
    }

    /// An array, or a scalar if the rank is 0.
    pub(super) fn array_or_scalar(view: View) -> NdArray {
        if view.shape.rank() == 0 { NdArray::scalar(view) } else { NdArray::array(view) }
    }

    /// Whether it is a scalar such as `np.float32(1.0)`.
    pub fn is_scalar(&self) -> bool {
        self.scalar
    }

    /// Where its elements are.
    pub(super) fn view(&self) -> View {
        self.view.borrow().clone()
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.view.borrow().dtype()
    }

    /// Shape.
    pub fn shape(&self) -> Shape {
        self.view.borrow().shape.clone()
    }

    /// Shape and dtype.
    pub fn ty(&self) -> TensorType {
        TensorType::new(self.dtype(), self.shape())
    }

    /// Its data in row-major order, or its type where analysis has no data.
    ///
    /// # Errors
    /// `MemoryError` where there is no room for a copy.
    pub fn tile(&self, cx: &Context<'_>) -> PyResult<Tile> {
        let view = self.view.borrow();
        Ok(match view.to_array().map_err(|error| op_error(cx, &error))? {
            Some(array) => Tile::concrete(array),
            None => Tile::Abstract(TensorType::new(view.dtype(), view.shape.clone())),
        })
    }

    /// Its data in row-major order.
    ///
    /// # Errors
    /// Where analysis has no data.
    pub fn to_array(&self, cx: &Context<'_>) -> PyResult<Array> {
        match self.tile(cx)? {
            Tile::Concrete { array, .. } => Ok(array),
            _ => Err(cx.interp.value_error("the values of this array are not known here")),
        }
    }

    /// Its only element.
    fn item(&self) -> Option<Scalar> {
        self.view.borrow().to_array().ok().flatten().and_then(|array| array.item())
    }

    /// Writes `values`, converted and broadcast, over what `key` selects.
    ///
    /// # Errors
    /// numpy's exceptions for keys and shapes that do not fit and for read-only arrays.
    pub(super) fn assign(&self, cx: &Context<'_>, key: &Value, values: &Value) -> PyResult<()> {
        if self.scalar {
            return Err(cx
                .interp
                .type_error(format!("'numpy.{}' object does not support item assignment", self.dtype().name())));
        }
        self.check_writeable(cx)?;
        let view = self.view();
        let selection = select(cx, &view, key)?;
        let shape = match &selection {
            Selection::View { view, .. } => view.shape.clone(),
            Selection::Positions { shape, .. } => shape.clone(),
            Selection::Shape(_) | Selection::Unknown => {
                view.forget();
                return Ok(());
            }
        };
        if let Selection::Positions { .. } = &selection {
            check_count(cx, key, values, &shape)?;
        }
        let Some(values) = values_for(cx, values, &shape, view.dtype())? else {
            view.forget();
            return Ok(());
        };
        match selection {
            Selection::View { view, .. } => view.write(values),
            Selection::Positions { positions, .. } => view.put(&positions, &values),
            Selection::Shape(_) | Selection::Unknown => Ok(()),
        }
        .map_err(|error| op_error(cx, &error))
    }

    /// `ValueError: assignment destination is read-only`
    pub(super) fn check_writeable(&self, cx: &Context<'_>) -> PyResult<()> {
        if self.writeable.get() {
            return Ok(());
        }
        Err(cx.interp.value_error("assignment destination is read-only"))
    }

    /// `this op= other`: computed, cast back under the `same_kind` rule, and written in place.
    ///
    /// # Errors
    /// numpy's exceptions for results that do not fit in shape or kind.
    pub(super) fn update(&self, cx: &Context<'_>, this: &Value, op: BinaryOp, other: &Value) -> PyResult<Value> {
        let result = match self.binary(this, op, other, false, cx.interp)? {
            Some(result) => result,
            None => return cx.interp.binary(op, this, other),
        };
        let Some(array) = result.downcast::<NdArray>().filter(|_| !self.scalar) else { return Ok(result) };
        self.check_writeable(cx)?;
        let (from, to) = (array.dtype(), self.dtype());
        if !same_kind(from, to) {
            let class = cx.interp.exception_class(
                "numpy._core._exceptions",
                "_UFuncOutputCastingError",
                &cx.interp.types().type_error,
            );
            return Err(cx.interp.error(
                &class,
                format!(
                    "Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule 'same_kind'",
                    ufunc_name(op),
                    from.name(),
                    to.name()
                ),
            ));
        }
        if array.shape() != self.shape() {
            return Err(cx.interp.value_error(format!(
                "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
                self.shape().to_string().replace(", ", ","),
                array.shape().to_string().replace(", ", ",")
            )));
        }
        self.assign(cx, &Value::Ellipsis, &result)?;
        Ok(this.clone())
    }

    /// The other operand of an operator; `None` for what numpy leaves to the other side.
    fn operand(&self, cx: &Context<'_>, other: &Value) -> PyResult<Option<Tile>> {
        if other.downcast::<ArrayObject>().is_some() || other.downcast::<RefObject>().is_some() {
            return Ok(None);
        }
        if let (Value::Int(value), true) = (other, self.dtype().is_integer()) {
            return python_int(cx, value, self.dtype()).map(Some);
        }
        call::try_operand(cx, other)
    }
}

/// An operation's refusal as a Python exception.
pub(super) fn op_error(cx: &Context<'_>, error: &OpError) -> Box<pallas_python::Stop> {
    match error {
        OpError::TooLarge { .. } => cx.interp.error(&cx.interp.types().memory_error, error.to_string()),
        _ => cx.interp.value_error(error.to_string()),
    }
}

impl Object for NdArray {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        if self.scalar { dtype::scalar_type(interp, self.dtype(), Rules::Numpy) } else { interp.native_class(&NDARRAY) }
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        let tables = methods::METHODS.iter().chain(methods::PROPERTIES).map(|row| row.name);
        tables.chain(methods::SHARED.iter().copied()).collect()
    }

    fn get_attr(&self, this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        if let Some(function) = methods::shared(interp, name)? {
            let method = BoundMethod { receiver: this.clone(), function };
            return Ok(Some(Value::BoundMethod(Rc::new(method))));
        }
        // numpy's own types say their module in this message.
        if name.starts_with("__") || self.class(interp).lookup(name).is_some() {
            return Ok(None);
        }
        let class = if self.scalar { self.dtype().name() } else { "ndarray" };
        Err(interp.attribute_error(format!("'numpy.{class}' object has no attribute '{name}'")))
    }

    fn set_attr(&self, name: &str, value: Value, interp: &Interp) -> PyResult<bool> {
        methods::set_attribute(self, name, &value, interp)
    }

    fn get_item(&self, this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::numpy(interp);
        if self.scalar {
            return Some(match key {
                Value::Tuple(items) if items.is_empty() => Ok(this.clone()),
                Value::Unknown(_) => Ok(key.clone()),
                _ => Err(interp.index_error("invalid index to scalar variable.")),
            });
        }
        let view = self.view();
        Some(select(&cx, &view, key).and_then(|selection| {
            let array = match selection {
                Selection::View { view, scalar: true } => {
                    let own = view.to_array().map_err(|error| op_error(&cx, &error))?;
                    NdArray::scalar(own.map_or_else(|| View::unknown(view.dtype(), Shape::default()), View::new))
                }
                Selection::View { view, scalar: false } => NdArray::derived(this, self, view),
                Selection::Positions { positions, shape } => {
                    let taken = view.take(&positions, shape.clone()).map_err(|error| op_error(&cx, &error))?;
                    NdArray::array(taken.map_or_else(|| View::unknown(view.dtype(), shape), View::new))
                }
                Selection::Shape(shape) => NdArray::array_or_scalar(View::unknown(view.dtype(), shape)),
                Selection::Unknown => {
                    return Ok(Value::unknown("the result depends on values", Some(interp.span())));
                }
            };
            Ok(Value::object(array))
        }))
    }

    fn set_item(&self, _this: &Value, key: &Value, value: Value, interp: &Interp) -> Option<PyResult<()>> {
        Some(self.assign(&Context::numpy(interp), key, &value))
    }

    fn binary(
        &self,
        _this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        let cx = Context::numpy(interp);
        let Some(other) = self.operand(&cx, other)? else { return Ok(None) };
        let this = self.tile(&cx)?;
        let result = if reflected { compute(&cx, op, &other, &this)? } else { compute(&cx, op, &this, &other)? };
        Ok(Some(convert::value(&cx, result)))
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let cx = Context::numpy(interp);
        if other.downcast::<ArrayObject>().is_some() || other.downcast::<RefObject>().is_some() {
            return Ok(None);
        }
        let this = self.tile(&cx)?;
        let Some(other) = call::try_operand(&cx, other)? else {
            // What is no number differs from every element.
            let differs = op == CompareOp::NotEq;
            if self.scalar || !(differs || op == CompareOp::Eq) || !matches!(other, Value::None | Value::Str(_)) {
                return Ok(None);
            }
            let result = primitive::full(&cx, this.shape(), DType::Bool, Scalar::Bool(differs))?;
            return Ok(Some(convert::value(&cx, result)));
        };
        match arithmetic::comparison(&cx, op, &this, &other) {
            Some(result) => Ok(Some(convert::value(&cx, result?))),
            None => Ok(None),
        }
    }

    fn unary(&self, _this: &Value, op: UnaryOp, interp: &Interp) -> PyResult<Option<Value>> {
        let cx = Context::numpy(interp);
        let this = self.tile(&cx)?;
        let result = match op {
            UnaryOp::Neg if this.dtype() == DType::Bool => {
                return Err(interp.type_error(
                    "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the \
                     logical_not function instead.",
                ));
            }
            UnaryOp::Neg => arithmetic::negative(&cx, &this)?,
            UnaryOp::Invert if this.dtype().is_float() => {
                return Err(interp.type_error(
                    "ufunc 'invert' not supported for the input types, and the inputs could not be safely coerced to \
                     any supported types according to the casting rule ''safe''",
                ));
            }
            UnaryOp::Invert => arithmetic::invert(&cx, &this)?,
            UnaryOp::Pos => this,
            UnaryOp::Not => return Ok(None),
        };
        Ok(Some(convert::value(&cx, result)))
    }

    fn is_undecided(&self) -> bool {
        self.view.borrow().is_unknown()
    }

    fn truth(&self, _this: &Value, interp: &Interp) -> PyResult<Option<bool>> {
        let size = self.view.borrow().shape.size();
        match (self.item().and_then(Scalar::as_bool), size) {
            (Some(truth), 1) => Ok(Some(truth)),
            (None, 1) => Ok(Some(true)),
            (_, 0) => Err(interp.value_error(
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not \
                 empty.",
            )),
            _ => Err(interp.value_error(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            )),
        }
    }

    fn length(&self, _this: &Value, interp: &Interp) -> Option<PyResult<usize>> {
        if self.scalar {
            return None;
        }
        Some(match self.view.borrow().shape.first() {
            Some(&extent) => Ok(extent),
            None => Err(interp.type_error("len() of unsized object")),
        })
    }

    fn iterate(&self, this: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        if self.scalar {
            return None;
        }
        let Some(&extent) = self.view.borrow().shape.first() else {
            return Some(Err(interp.type_error("iteration over a 0-d array")));
        };
        let items: PyResult<Vec<Value>> = (0..extent).map(|at| interp.get_item(this, &Value::from(at))).collect();
        Some(items.and_then(|items| interp.iter(&Value::list(items))))
    }

    fn contains(&self, this: &Value, item: &Value, interp: &Interp) -> Option<PyResult<bool>> {
        if self.scalar {
            return None;
        }
        Some(interp.compare(CompareOp::Eq, this, item).and_then(|equal| {
            Ok(match equal.downcast::<NdArray>() {
                Some(equal) => {
                    let tile = equal.tile(&Context::numpy(interp))?;
                    tile.array().is_some_and(|a| a.iter_scalars().any(|s| s.as_bool() == Some(true)))
                }
                None => interp.truth(&equal)?,
            })
        }))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(match self.tile(&Context::numpy(interp))? {
            Tile::Concrete { array, .. } => match array.item() {
                Some(item) if self.scalar => print::scalar_repr(array.dtype(), item),
                _ => crate::text::numpy_repr(interp, &array),
            },
            tile => format!("array({})", errors::type_text(&tile.ty())),
        }))
    }

    fn str(&self, this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        match self.tile(&Context::numpy(interp))? {
            Tile::Concrete { array, .. } => Ok(Some(crate::text::str(interp, &array))),
            _ => self.repr(this, interp),
        }
    }

    fn format(&self, this: &Value, spec: &str, interp: &Interp) -> PyResult<Option<String>> {
        match self.item() {
            // Scalars format as Python numbers, also without a spec: `f"{np.float32(0.1)}"` has all the digits.
            Some(item) if self.view.borrow().shape.rank() == 0 => {
                interp.format(&crate::text::python_scalar(item), spec).map(Some)
            }
            // An unknown scalar formats somehow; what comes out is as unknown as the scalar.
            None if self.view.borrow().shape.rank() == 0 => self.str(this, interp),
            _ if spec.is_empty() => self.str(this, interp),
            _ => Err(interp.type_error("unsupported format string passed to numpy.ndarray.__format__")),
        }
    }

    fn hash(&self, _this: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        match self.item() {
            Some(item) if self.scalar => Some(interp.hash(&crate::text::python_scalar(item))),
            _ => Some(Err(interp.type_error("unhashable type: 'numpy.ndarray'"))),
        }
    }

    fn as_int(&self, _this: &Value, interp: &Interp) -> Option<PyResult<Int>> {
        if self.view.borrow().shape.rank() > 0 {
            return Some(Err(interp.type_error("only 0-dimensional arrays can be converted to Python scalars")));
        }
        let number = match self.item() {
            Some(Scalar::Float(value)) if value.is_nan() => {
                return Some(Err(interp.value_error("cannot convert float NaN to integer")));
            }
            Some(Scalar::Float(value)) if value.is_infinite() => {
                return Some(Err(interp.overflow_error("cannot convert float infinity to integer")));
            }
            item => item.and_then(Scalar::as_int).unwrap_or(0),
        };
        Some(Ok(match i64::try_from(number) {
            Ok(number) => Int::from(number),
            Err(_) => Int::from(num_bigint::BigInt::from(number)),
        }))
    }

    fn is_index(&self) -> bool {
        self.dtype().is_integer() && self.view.borrow().shape.rank() == 0
    }

    fn as_float(&self, _this: &Value, interp: &Interp) -> Option<PyResult<f64>> {
        if self.view.borrow().shape.rank() > 0 {
            return Some(Err(interp.type_error("only 0-dimensional arrays can be converted to Python scalars")));
        }
        Some(Ok(self.item().and_then(Scalar::as_f64).unwrap_or(0.0)))
    }

    fn summary(&self, _interp: &Interp) -> Option<String> {
        Some(self.ty().to_string())
    }
}

//! `x.at[key]`: updates that give a new array (`_IndexUpdateRef` in jax/_src/numpy/array_methods.py).

use super::scatter::{update, update_tile};
use super::{Mode, Options, get_with};
use crate::context::Context;
use crate::convert;
use crate::jnp::{arithmetic, call, compose};
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar};
use std::rc::Rc;

/// `x.at`
struct AtHelper {
    array: Value,
}

/// `x.at[key]`
struct AtIndex {
    array: Value,
    key: Value,
}

static HELPER: NativeClass = NativeClass {
    name: "_IndexUpdateHelper",
    module: "jax._src.numpy.array_methods",
    doc: "Takes the subscript of an update: `x.at[key]`.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

static INDEX: NativeClass = NativeClass {
    name: "_IndexUpdateRef",
    module: "jax._src.numpy.array_methods",
    doc: "A place in an array, to be read or updated.",
    methods: METHODS,
    properties: &[],
    construct: None,
    instance_check: None,
};

macro_rules! updates {
    ($($name:literal $doc:literal $run:expr;)*) => {
        static METHODS: &[NativeDef] = &[
            NativeDef {
                name: "get",
                signature: "(self, *, indices_are_sorted=False, unique_indices=False, mode=None, fill_value=None, \
                            out_sharding=None, wrap_negative_indices=True)",
                doc: "The elements there, with a choice of what happens out of bounds.",
                run: read,
            },
            NativeDef {
                name: "apply",
                signature: "(self, func, *, indices_are_sorted=False, unique_indices=False, mode=None, \
                            wrap_negative_indices=True)",
                doc: "The array with a function applied to the elements there.",
                run: apply,
            },
            $(NativeDef {
                name: $name,
                signature: "(self, values, *, indices_are_sorted=False, unique_indices=False, mode=None, \
                            out_sharding=None, wrap_negative_indices=True)",
                doc: $doc,
                run: $run,
            }),*
        ];
    };
}

updates! {
    "set" "The array with the elements there replaced." |interp, args| write(interp, args, "set");
    "add" "The array with values added to the elements there." |interp, args| write(interp, args, "add");
    "subtract" "The array with values subtracted from the elements there." |interp, args| write(interp, args, "sub");
    "multiply" "The array with the elements there multiplied." |interp, args| write(interp, args, "mul");
    "mul" "The array with the elements there multiplied." |interp, args| write(interp, args, "mul");
    "min" "The array with the elements there no larger than values." |interp, args| write(interp, args, "min");
    "max" "The array with the elements there no smaller than values." |interp, args| write(interp, args, "max");
    "divide" "The array with the elements there divided." |interp, args| by_factors(interp, args, arithmetic::true_divide);
    "power" "The array with the elements there raised to powers." |interp, args| by_factors(interp, args, arithmetic::power);
}

/// `x.at`: the value must be an array.
pub fn at(value: Value) -> Value {
    Value::object(AtHelper { array: value })
}

impl Object for AtHelper {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&HELPER)
    }

    fn get_item(&self, _this: &Value, key: &Value, _interp: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(Value::object(AtIndex { array: self.array.clone(), key: key.clone() })))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("_IndexUpdateHelper({})", interp.repr(&self.array)?)))
    }
}

impl Object for AtIndex {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&INDEX)
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("_IndexUpdateRef({}, {})", interp.repr(&self.array)?, interp.repr(&self.key)?)))
    }
}

/// The receiver's array and key.
fn place(cx: &Context<'_>, this: &Value) -> PyResult<(Tile, Value)> {
    match this.downcast::<AtIndex>() {
        Some(index) => Ok((convert::tile(cx, &index.array, "at")?, index.key.clone())),
        None => Err(cx.interp.type_error(format!(
            "descriptor requires a '_IndexUpdateRef' object but received a '{}'",
            cx.interp.type_name(this)
        ))),
    }
}

/// `mode=`: a name, or a member of `lax.GatherScatterMode`.
///
/// # Errors
/// `ValueError: Unknown gather mode "..."`
pub(super) fn mode(cx: &Context<'_>, value: &Value) -> PyResult<Mode> {
    let Some(value) = call::given(value) else { return Ok(Mode::Default) };
    let name = match value {
        Value::Str(name) => name.to_string(),
        value => match cx.interp.find_attr(value, "name")? {
            Some(name) => cx.interp.str(&name)?.to_lowercase(),
            None => cx.interp.str(value)?,
        },
    };
    match name.as_str() {
        "fill" | "drop" | "fill_or_drop" => Ok(Mode::Fill),
        "clip" => Ok(Mode::Clip),
        "promise_in_bounds" => Ok(Mode::Promise),
        _ => Err(cx.interp.value_error(format!("Unknown gather mode \"{name}\""))),
    }
}

fn read(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let [this, _sorted, _unique, given_mode, fill, _sharding, wrap] = args.take();
    let (x, key) = place(&cx, &this)?;
    let mut options = Options { mode: mode(&cx, &given_mode)?, fill: None, wrap: call::flag(&cx, &wrap)? };
    if let Some(fill) = call::given(&fill) {
        let tile = call::operand(&cx, fill, "get")?;
        if tile.rank() > 0 {
            return Err(interp.value_error("fill_value argument to indexed get() must be a scalar"));
        }
        options.fill = call::concrete(&cx, &tile, "fill_value argument to indexed get()")?.and_then(|a| a.item());
    }
    get_with(&cx, &x, &key, &options)
}

/// The result of an update; in analysis, an update at an unknown place has the array's own type.
fn updated(cx: &Context<'_>, x: &Tile, result: Option<Tile>) -> Value {
    convert::value(cx, result.unwrap_or_else(|| Tile::Abstract(x.ty())))
}

fn write(interp: &Interp, args: Arguments, combine: &str) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let [this, values, _sorted, _unique, given_mode, _sharding, wrap] = args.take();
    let (x, key) = place(&cx, &this)?;
    if let Some(unknown) = call::find_unknown(&values, 3) {
        return Ok(unknown);
    }
    let options = Options { mode: mode(&cx, &given_mode)?, fill: None, wrap: call::flag(&cx, &wrap)? };
    let result = update(&cx, &x, &key, &values, combine, &options)?;
    Ok(updated(&cx, &x, result))
}

/// Division and powers: an array of ones, multiplied at the place, is the second operand.
fn by_factors(
    interp: &Interp,
    args: Arguments,
    operation: fn(&Context<'_>, &Tile, &Tile) -> PyResult<Tile>,
) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let [this, values, _sorted, _unique, given_mode, _sharding, wrap] = args.take();
    let (x, key) = place(&cx, &this)?;
    if let Some(unknown) = call::find_unknown(&values, 3) {
        return Ok(unknown);
    }
    let options = Options { mode: mode(&cx, &given_mode)?, fill: None, wrap: call::flag(&cx, &wrap)? };
    let ones = call::constant_like(&cx, &x, 1.0)?;
    match update(&cx, &ones, &key, &values, "mul", &options)? {
        Some(factors) => Ok(convert::value(&cx, operation(&cx, &x, &factors)?)),
        None => Ok(updated(&cx, &x, None)),
    }
}

/// `apply`: the function is applied once for every time that an element is named. Counts say how often.
fn apply(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let [this, function, _sorted, _unique, given_mode, wrap] = args.take();
    let (x, key) = place(&cx, &this)?;
    let options = Options { mode: mode(&cx, &given_mode)?, fill: None, wrap: call::flag(&cx, &wrap)? };
    let none = primitive::full(&cx, x.shape(), DType::I32, Scalar::Int(0))?;
    let one = primitive::scalar(DType::I32, Scalar::Int(1));
    let Some(counts) = update_tile(&cx, &none, &key, &one, "add", &options)? else {
        return Ok(updated(&cx, &x, None));
    };
    // Inside a trace the counts are not known: indices are taken to be distinct there.
    let most = counts.array().and_then(|a| a.iter_scalars().filter_map(Scalar::as_int).max()).unwrap_or(1);
    let mut result = x.clone();
    for round in 0..most {
        let value = interp.call_values(&function, [convert::value(&cx, result.clone())])?;
        if value.is_unknown() {
            return Ok(value);
        }
        let changed = convert::tile(&cx, &value, "apply")?;
        let changed = primitive::convert(&cx, &changed, x.dtype(), x.weak())?;
        let changed = primitive::broadcast_to(&cx, &changed, x.shape())?;
        let chosen = compose::with_constant(&cx, &ops::GT, &counts, round as f64)?;
        result = primitive::select(&cx, &chosen, &changed, &result)?;
    }
    Ok(convert::value(&cx, result))
}

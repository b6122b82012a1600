//! Iteration over positions (`ndindex`, `ndenumerate`) and Python functions made elementwise (`vectorize`).

use super::NdArray;
use super::methods::this;
use crate::context::Context;
use crate::jnp::call;
use crate::jnp::creation::array_from;
use crate::tile::Tile;
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, Shape};
use std::rc::Rc;

/// Rows of the module.
pub(super) static ROWS: &[NativeDef] = &[
    NativeDef {
        name: "ndindex",
        signature: "(*shape)",
        doc: "Every position of a shape, the last dimension fastest.",
        run: ndindex,
    },
    NativeDef { name: "ndenumerate", signature: "(arr)", doc: "Pairs of position and element.", run: ndenumerate },
    NativeDef {
        name: "vectorize",
        signature: "(pyfunc=..., otypes=None, doc=None, excluded=None, cache=False, signature=None)",
        doc: "A function of scalars as a function of arrays.",
        run: vectorize,
    },
];

fn positions(interp: &Interp, shape: &Shape) -> PyResult<Vec<Value>> {
    let size = shape.checked_size().unwrap_or(usize::MAX);
    interp.charge_bytes(size as u128 * 64)?;
    interp.charge(size as u64)?;
    let strides = shape.strides();
    Ok((0..size)
        .map(|flat| Value::tuple((0..shape.rank()).map(|axis| Value::from(flat / strides[axis] % shape[axis]))))
        .collect())
}

fn ndindex(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let given = match args.get(0) {
        Value::Tuple(items) if items.len() == 1 => items[0].clone(),
        items => items.clone(),
    };
    if let Some(unknown) = call::find_unknown(&given, 2) {
        return Ok(unknown);
    }
    let extents = call::int_sequence(&cx, &given)?;
    if extents.iter().any(|&extent| extent < 0) {
        return Err(interp.value_error("negative dimensions are not allowed"));
    }
    let shape: Shape = extents.iter().map(|&extent| extent as usize).collect();
    interp.iter(&Value::list(positions(interp, &shape)?))
}

fn ndenumerate(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    if let Some(unknown) = call::find_unknown(args.get(0), 3) {
        return Ok(unknown);
    }
    let array = match args.get(0).downcast::<NdArray>() {
        Some(_) => args.get(0).clone(),
        None => super::array_value(array_from(&cx, args.get(0), None)?),
    };
    let places = positions(interp, &this(interp, &array)?.shape())?;
    let pairs: PyResult<Vec<Value>> =
        places.into_iter().map(|place| Ok(Value::tuple([place.clone(), interp.get_item(&array, &place)?]))).collect();
    interp.iter(&Value::list(pairs?))
}

/// `np.vectorize(f)`
struct Vectorized {
    function: Value,
    otypes: Value,
}

static VECTORIZE: NativeClass = NativeClass {
    name: "vectorize",
    module: "numpy",
    doc: "A function of scalars as a function of arrays.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn vectorize(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, otypes, _doc, _excluded, _cache, signature] = args.take();
    if call::given(&signature).is_some() {
        return Err(interp.not_implemented_error("numpy.vectorize with a signature is not supported"));
    }
    Ok(Value::object(Vectorized { function, otypes }))
}

impl Object for Vectorized {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&VECTORIZE)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        // `@np.vectorize(otypes=[float])` is called once with the function.
        if self.function.is_unset() {
            let function = args.positional.first().cloned().unwrap_or(Value::None);
            return Some(Ok(Value::object(Vectorized { function, otypes: self.otypes.clone() })));
        }
        Some(self.apply(interp, args))
    }
}

impl Vectorized {
    fn apply(&self, interp: &Interp, args: CallArgs) -> PyResult<Value> {
        let cx = Context::numpy(interp);
        if let Some(unknown) = args.positional.iter().find_map(|value| call::find_unknown(value, 3)) {
            return Ok(unknown);
        }
        let mut arrays: Vec<Array> = Vec::new();
        for value in &args.positional {
            match array_from(&cx, value, None)? {
                Tile::Concrete { array, .. } => arrays.push(array),
                _ => return Ok(call::data_dependent(&cx, "vectorize")),
            }
        }
        let shapes: Vec<&Shape> = arrays.iter().map(Array::shape).collect();
        let Some(shape) = Shape::broadcast(&shapes) else {
            let texts: Vec<String> = shapes.iter().map(|shape| shape.to_string().replace(", ", ",")).collect();
            return Err(interp
                .value_error(format!("operands could not be broadcast together with shapes {} ", texts.join(" "))));
        };
        if shape.size() == 0 && call::given(&self.otypes).is_none() {
            return Err(interp.value_error("cannot call `vectorize` on size 0 inputs unless `otypes` is set"));
        }
        let mut columns = Vec::with_capacity(arrays.len());
        for array in &arrays {
            let dims: Vec<usize> = (shape.rank() - array.rank()..shape.rank()).collect();
            let spread = pallas_tensor::ops::broadcast_in_dim(array, shape.clone(), &dims)
                .map_err(|error| interp.value_error(error.to_string()))?;
            columns.push(spread);
        }
        let mut results = Vec::with_capacity(shape.size());
        for at in 0..shape.size() {
            let mut call = CallArgs { keywords: args.keywords.clone(), ..CallArgs::default() };
            for column in &columns {
                let scalar = column.get(at).unwrap_or(pallas_tensor::Scalar::Int(0));
                call.positional.push(super::value(Tile::concrete(Array::scalar(column.dtype(), scalar))));
            }
            results.push(interp.call(&self.function, call)?);
        }
        let dtype = match call::given(&self.otypes) {
            Some(Value::List(types)) => types.borrow().first().cloned(),
            Some(Value::Tuple(types)) => types.first().cloned(),
            Some(Value::Str(types)) => types.chars().next().map(|c| Value::from(c.to_string())),
            _ => None,
        };
        if let Some(Value::Tuple(first)) = results.first() {
            let columns: PyResult<Vec<Value>> = (0..first.len())
                .map(|column| {
                    let items: PyResult<Vec<Value>> =
                        results.iter().map(|row| interp.get_item(row, &Value::from(column))).collect();
                    stacked(&cx, items?, &shape, None)
                })
                .collect();
            return Ok(Value::tuple(columns?));
        }
        stacked(&cx, results, &shape, dtype)
    }
}

/// Results as an array of a shape; without an `otypes`, the dtype of the first decides.
fn stacked(cx: &Context<'_>, results: Vec<Value>, shape: &Shape, dtype: Option<Value>) -> PyResult<Value> {
    let dtype = match dtype {
        Some(dtype) => Some(crate::dtype::parse(cx, &dtype)?),
        None => match results.first() {
            Some(first) => Some(array_from(cx, first, None)?.dtype()),
            None => None,
        },
    };
    let line = array_from(cx, &Value::list(results), dtype)?;
    let tile = crate::primitive::reshape(cx, &line, shape)?;
    Ok(super::array_value(tile))
}

//! `pl.ds` / `pl.dslice` / `pl.Slice`: a slice of known size whose start may be traced.

use crate::context::Context;
use crate::convert;
use crate::ref_index;
use crate::refs;
use crate::tile::Tile;
use pallas_ir::{DimIndex, Position};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::{Slice, Value};
use std::any::Any;
use std::rc::Rc;

/// A slice with a start, a known size and a stride.
pub struct SliceObject {
    /// First position: an int or a traced scalar.
    pub start: Value,
    /// Number of positions.
    pub size: usize,
    /// Distance between positions.
    pub stride: usize,
}

static CLASS: NativeClass = NativeClass {
    name: "Slice",
    module: "jax._src.state.indexing",
    doc: "A slice of known size whose start may be traced.",
    methods: METHODS,
    properties: &[],
    construct: Some(|interp, _class, args| {
        let args = crate::support::bind(interp, &SLICE, args)?;
        slice_class(interp, args)
    }),
    instance_check: None,
};

const METHODS: &[NativeDef] = &[NativeDef {
    name: "from_slice",
    signature: "(slc, size)",
    doc: "A Python slice of a dimension of this size.",
    run: from_slice,
}];

static SLICE: NativeDef = NativeDef {
    name: "Slice",
    signature: "(start, size, stride=1)",
    doc: "A slice of known size whose start may be traced.",
    run: slice_class,
};

/// Rows of the `pallas` module.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "ds",
        signature: "(start, size=None, stride=None)",
        doc: "A slice `start : start + size` whose start may be traced.",
        run: dslice,
    },
    NativeDef {
        name: "dslice",
        signature: "(start, size=None, stride=None)",
        doc: "A slice `start : start + size` whose start may be traced.",
        run: dslice,
    },
];

/// `pl.Slice`
pub fn class(interp: &Interp) -> Value {
    Value::Class(interp.native_class(&CLASS))
}

impl Object for SliceObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "start" => Some(self.start.clone()),
            "size" => Some(Value::from(self.size)),
            "stride" => Some(Value::from(self.stride)),
            "is_dynamic_start" => Some(Value::Bool(!matches!(self.start, Value::Int(_)))),
            "is_dynamic_size" => Some(Value::Bool(false)),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let start = interp.repr(&self.start)?;
        Ok(Some(format!("Slice(start={start}, size={}, stride={})", self.size, self.stride)))
    }
}

fn slice_class(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [start, size, stride] = args.take();
    make(interp, start, &size, &stride)
}

fn from_slice(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [slice, size] = args.take();
    let Value::Slice(slice) = &slice else {
        return Err(interp.type_error(format!("from_slice() needs a slice, not '{}'", interp.type_name(&slice))));
    };
    let extent = usize::try_from(interp.to_i64(&size)?).unwrap_or_default();
    match ref_index::python_slice(&Context::jax(interp), slice, extent, "slice must have a step >= 1 (found: {})")? {
        DimIndex::Slice { start: Position::Static(start), size, stride } => {
            Ok(Value::object(SliceObject { start: Value::from(start), size, stride }))
        }
        _ => Err(interp.runtime_error("a slice with known bounds has a known start")),
    }
}

fn dslice(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [start, size, stride] = args.take();
    if start.is_none() {
        // `ds(None)` is the whole dimension.
        return Ok(Value::Slice(Rc::new(Slice { lower: Value::None, upper: Value::None, step: Value::None })));
    }
    if size.is_none() {
        // `ds(n)` is `ds(0, n)`.
        let zero = Value::from(0i64);
        return make(interp, zero, &start, &stride);
    }
    make(interp, start, &size, &stride)
}

fn make(interp: &Interp, start: Value, size: &Value, stride: &Value) -> PyResult<Value> {
    if refs::array_tile(size).is_some_and(Tile::is_traced) {
        return Err(interp.not_implemented_error(
            "a `pl.ds` whose size is a traced value is not provided by the workbench yet: copies of a part whose extent is \
             computed are not modelled",
        ));
    }
    let size_value = interp.to_i64(size)?;
    let Ok(size) = usize::try_from(size_value) else {
        return Err(interp.value_error(format!("`size` must be non-negative, but got {size_value}")));
    };
    let stride = match stride {
        Value::None | Value::Unset => 1,
        stride => interp.to_i64(stride)?,
    };
    if stride < 1 {
        return Err(interp.value_error(format!("`stride` must be >= 1, but got {stride}")));
    }
    let cx = Context::jax(interp);
    // A concrete array start is as good as an int.
    let start = match convert::try_tile(&cx, &start)? {
        Some(Tile::Concrete { array, .. }) if array.rank() == 0 => match array.item().and_then(|s| s.as_int()) {
            Some(value) => Value::from(value as i64),
            None => start,
        },
        _ => start,
    };
    Ok(Value::object(SliceObject { start, size, stride: stride as usize }))
}

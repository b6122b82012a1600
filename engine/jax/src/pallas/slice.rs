//! `pl.ds` / `pl.dslice` / `pl.Slice`: a slice whose start may be traced. Its size may be traced, too, where a copy takes
//! part of a Ref; nothing else takes such a slice.

use crate::array::ArrayObject;
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
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::{Slice, Value};
use std::rc::Rc;

/// A slice with a start, a size and a stride.
pub struct SliceObject {
    /// First position: an int or a traced scalar.
    pub start: Value,
    /// The start came as an array of JAX's, which tracing does not look into.
    pub is_of_array: bool,
    /// Number of positions.
    pub size: Size,
    /// Distance between positions.
    pub stride: usize,
}

/// How many positions a slice has.
#[derive(Clone)]
pub enum Size {
    /// So many.
    Known(usize),
    /// As many as a traced scalar says.
    Traced(Tile),
}

impl SliceObject {
    /// The size, where a slice of known size is needed.
    ///
    /// # Errors
    /// Where the size is traced.
    pub fn known_size(&self, cx: &Context<'_>) -> PyResult<usize> {
        match &self.size {
            Size::Known(size) => Ok(*size),
            Size::Traced(_) => Err(cx.interp.error_with(
                &cx.interp.types().type_error,
                "the size of this slice is a traced value, but the shape of an array has to be known".to_string(),
                Diagnosis {
                    code: "PL307",
                    help: Some(
                        "a part of traced size can only be copied: `pltpu.make_async_copy(ref.at[pl.ds(start, size)], ...)`"
                            .to_string(),
                    ),
                    ..Diagnosis::default()
                },
            )),
        }
    }
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

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "start" => Some(self.start.clone()),
            "size" => Some(self.size_value()),
            "stride" => Some(Value::from(self.stride)),
            "is_dynamic_start" => Some(Value::Bool(!matches!(self.start, Value::Int(_)))),
            "is_dynamic_size" => Some(Value::Bool(matches!(self.size, Size::Traced(_)))),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let (start, size) = (interp.repr(&self.start)?, interp.repr(&self.size_value())?);
        Ok(Some(format!("Slice(start={start}, size={size}, stride={})", self.stride)))
    }
}

impl SliceObject {
    fn size_value(&self) -> Value {
        match &self.size {
            Size::Known(size) => Value::from(*size),
            Size::Traced(tile) => Value::object(ArrayObject { tile: tile.clone() }),
        }
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
            let start = Value::from(start);
            Ok(Value::object(SliceObject { start, is_of_array: false, size: Size::Known(size), stride }))
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
    let cx = Context::jax(interp);
    let size = match refs::array_tile(size).filter(|tile| tile.is_traced()) {
        Some(tile) => Size::Traced(ref_index::scalar_index(&cx, tile, "size")?),
        None => {
            let value = interp.to_i64(size)?;
            let size = usize::try_from(value);
            let negative = |_| interp.value_error(format!("`size` must be non-negative, but got {value}"));
            Size::Known(size.map_err(negative)?)
        }
    };
    let stride = match stride {
        Value::None | Value::Unset => 1,
        stride => interp.to_i64(stride)?,
    };
    if stride < 1 {
        return Err(interp.value_error(format!("`stride` must be >= 1, but got {stride}")));
    }
    if stride != 1 && matches!(size, Size::Traced(_)) {
        return Err(interp.not_implemented_error(
            "a `pl.ds` with a traced size and a stride is not provided by the workbench yet: copy without a stride",
        ));
    }
    let is_of_array = start.downcast::<ArrayObject>().is_some();
    // A concrete array start is as good as an int.
    let start = match convert::try_tile(&cx, &start)? {
        Some(Tile::Concrete { array, .. }) if array.rank() == 0 => match array.item().and_then(|s| s.as_int()) {
            Some(value) => Value::from(value as i64),
            None => start,
        },
        _ => start,
    };
    Ok(Value::object(SliceObject { start, is_of_array, size, stride: stride as usize }))
}

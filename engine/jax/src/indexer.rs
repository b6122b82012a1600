//! `ref.at[...].transforms[0]`: the index of a part of a Ref, as JAX's `NDIndexer` shows it to programs. Reading and
//! writing do not come by here.

use crate::context::Context;
use crate::convert;
use crate::pallas::slice::{Size, SliceObject};
use crate::ref_index::RefIndex;
use crate::tile::Tile;
use pallas_ir::{DimIndex, Position};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, DType, Scalar};
use std::rc::Rc;

/// An index that a view has.
struct Indexer(Rc<RefIndex>);

static CLASS: NativeClass = NativeClass {
    name: "NDIndexer",
    module: "jax._src.state.indexing",
    doc: "The index of a part of a Ref.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// The index as a value.
pub(crate) fn value(index: &Rc<RefIndex>) -> Value {
    Value::object(Indexer(Rc::clone(index)))
}

impl Object for Indexer {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["indices"]
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "indices").then(|| Value::tuple(indices(&Context::jax(interp), &self.0))))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.0.text()))
    }
}

/// One entry for each dimension: a slice, or an integer array, which a plain integer has become, too.
fn indices(cx: &Context<'_>, index: &RefIndex) -> Vec<Value> {
    let mut operands = index.operands.iter().map(|tile| convert::value(cx, tile.clone()));
    let mut next = || operands.next().unwrap_or(Value::None);
    let entries = index.pattern.0.iter().map(|dim| match dim {
        DimIndex::At(Position::Static(at)) => {
            let array = Array::scalar(DType::I32, Scalar::Int(i128::from(*at)));
            convert::value(cx, Tile::Concrete { array, weak: true })
        }
        DimIndex::Slice { start: Position::Static(start), size, stride } => Value::object(SliceObject {
            start: Value::from(*start),
            is_of_array: false,
            size: Size::Known(*size),
            stride: *stride,
        }),
        DimIndex::Slice { size, stride, .. } => {
            Value::object(SliceObject { start: next(), is_of_array: false, size: Size::Known(*size), stride: *stride })
        }
        DimIndex::Part { start, bound } => {
            let start = match start {
                Position::Static(start) => Value::from(*start),
                Position::Dynamic => next(),
            };
            let size = match crate::refs::array_tile(&next()) {
                Some(size) => Size::Traced(size.clone()),
                None => Size::Known(*bound),
            };
            Value::object(SliceObject { start, is_of_array: false, size, stride: 1 })
        }
        DimIndex::At(Position::Dynamic) | DimIndex::Array => next(),
    });
    entries.collect()
}

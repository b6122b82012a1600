//! `mgrid` and `ogrid`: grids by subscript, `mgrid[0:2, 0:3]`.

use super::call::{self, given, result, results};
use super::joining;
use super::ranges::{Known, count, known, linspace_of, numpy_range};
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::{Slice, Value};
use pallas_tensor::{Scalar, Shape};
use std::rc::Rc;

/// `mgrid` and `ogrid`: grids by subscript.
struct Grid {
    rules: Rules,
    sparse: bool,
}

static GRID_CLASS: NativeClass = NativeClass {
    name: "nd_grid",
    module: "numpy",
    doc: "Makes grids from slices: mgrid[0:2, 0:3].",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// The objects `mgrid` and `ogrid`.
pub fn grids(rules: Rules) -> [(&'static str, Value); 2] {
    [("mgrid", Value::object(Grid { rules, sparse: false })), ("ogrid", Value::object(Grid { rules, sparse: true }))]
}

impl Object for Grid {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&GRID_CLASS)
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context { rules: self.rules, ..Context::jax(interp) };
        Some(grid(&cx, key, self.sparse))
    }
}

fn grid(cx: &Context<'_>, key: &Value, sparse: bool) -> PyResult<Value> {
    let slices: Vec<Value> = match key {
        Value::Tuple(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    let mut lines = Vec::new();
    for slice in &slices {
        let Value::Slice(slice) = slice else {
            return Err(cx.interp.type_error("mgrid and ogrid take slices with known bounds"));
        };
        lines.push(grid_line(cx, slice)?);
    }
    if !matches!(key, Value::Tuple(_)) {
        return result(cx, lines.remove(0));
    }
    let lines = convert::promote_dtypes(cx, &lines.iter().collect::<Vec<_>>())?;
    let extents: Vec<usize> = lines.iter().map(|line| line.shape()[0]).collect();
    let mut grids = Vec::new();
    for (axis, line) in lines.iter().enumerate() {
        let mut shape = if sparse { vec![1; extents.len()] } else { extents.clone() };
        shape[axis] = extents[axis];
        grids.push(p::broadcast_in_dim(cx, line, &Shape::from(shape.as_slice()), &[axis])?);
    }
    if sparse {
        return match cx.rules {
            Rules::Jax => call::result_list(cx, grids),
            Rules::Numpy => results(cx, grids),
        };
    }
    let tile = joining::stack_tiles(cx, &grids, 0)?;
    result(cx, tile)
}

/// One slice of a grid: a range, or `num` points where the step is imaginary.
pub(super) fn grid_line(cx: &Context<'_>, slice: &Slice) -> PyResult<Tile> {
    let zero = Value::from(0i64);
    let lower = given(&slice.lower).unwrap_or(&zero);
    if let Value::Complex(_, count) = &slice.step {
        let start = call::operand(cx, lower, "linspace")?;
        let stop = call::operand(cx, &slice.upper, "linspace")?;
        let count = count.abs() as usize;
        return linspace_of(cx, &start, &stop, count, convert::default_float(cx));
    }
    let interp = cx.interp;
    let start = known(cx, lower, "start", 0)?;
    let stop = known(cx, &slice.upper, "stop", 1)?;
    let step = given(&slice.step).map(|step| known(cx, step, "step", 2)).transpose()?;
    let (Known::Value(start, a, _), Known::Value(stop, b, _)) = (start, stop) else {
        return Err(interp.value_error("the bounds of a grid must be known"));
    };
    let step = match step {
        Some(Known::Value(step, ..)) => step,
        _ => Scalar::Int(1),
    };
    let float = a.is_float() || b.is_float() || matches!(step, Scalar::Float(_));
    let dtype = if float { convert::default_float(cx) } else { convert::default_int(cx) };
    let Some(size) = count(start, stop, Some(step)) else {
        return Err(interp.zero_division_error("division by zero"));
    };
    call::stage(cx, numpy_range(cx, dtype, start, step, size)?)
}

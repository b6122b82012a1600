//! Objects that are used by subscript: `s_` and `index_exp` give back the subscript, `r_` and `c_` join what stands in
//! it. `mgrid` and `ogrid` are in [`super::grids`].

use super::call;
use super::grids;
use super::joining;
use super::shaping;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// What a subscript does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trick {
    /// `s_[...]`: the subscript.
    Subscript,
    /// `index_exp[...]`: the subscript, always a tuple.
    Tuple,
    /// `r_[...]`: joins along the first axis.
    Rows,
    /// `c_[...]`: joins as columns.
    Columns,
}

struct IndexTrick {
    trick: Trick,
    rules: Rules,
}

static CLASS: NativeClass = NativeClass {
    name: "IndexExpression",
    module: "numpy",
    doc: "Used by subscript.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// The objects by name.
pub fn objects(rules: Rules) -> [(&'static str, Value); 4] {
    let object = |trick| Value::object(IndexTrick { trick, rules });
    [
        ("s_", object(Trick::Subscript)),
        ("index_exp", object(Trick::Tuple)),
        ("r_", object(Trick::Rows)),
        ("c_", object(Trick::Columns)),
    ]
}

impl Object for IndexTrick {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context { rules: self.rules, ..Context::jax(interp) };
        Some(match self.trick {
            Trick::Subscript => Ok(key.clone()),
            Trick::Tuple => Ok(match key {
                Value::Tuple(_) => key.clone(),
                key => Value::tuple([key.clone()]),
            }),
            Trick::Rows => joined(&cx, key, false),
            Trick::Columns => joined(&cx, key, true),
        })
    }
}

/// Slices as ranges, arrays and numbers as they are, one after the other; as columns side by side.
fn joined(cx: &Context<'_>, key: &Value, columns: bool) -> PyResult<Value> {
    let items = match key {
        Value::Tuple(items) => items.to_vec(),
        key => vec![key.clone()],
    };
    let mut tiles: Vec<Tile> = Vec::new();
    for item in &items {
        let tile = match item {
            Value::Slice(slice) => grids::grid_line(cx, slice)?,
            Value::Str(_) => {
                return Err(cx
                    .interp
                    .not_implemented_error("directives in the subscript of r_ are not supported here"));
            }
            Value::List(_) => super::creation::array_from(cx, item, None)?,
            item => call::operand(cx, item, "concatenate")?,
        };
        let tile = shaping::at_least_rank(cx, &tile, 1)?;
        tiles.push(if columns && tile.rank() == 1 { p::expand_dims(cx, &tile, &[1])? } else { tile });
    }
    let rank = tiles.iter().map(Tile::rank).max().unwrap_or(1);
    for tile in &mut tiles {
        *tile = p::expand_dims(cx, tile, &(0..rank - tile.rank()).collect::<Vec<_>>())?;
    }
    let tile = joining::concatenate_tiles(cx, &tiles, if columns { -1 } else { 0 }, None)?;
    Ok(convert::value(cx, tile))
}

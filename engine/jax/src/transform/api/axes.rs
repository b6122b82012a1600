//! `in_axes` and `out_axes`: trees of axes that are prefixes of the trees they speak of.

use crate::context::Context;
use crate::tree::{self, TreeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// One axis per leaf of `tree`; `None` where nothing is mapped.
///
/// # Errors
/// `ValueError` where the axes are no prefix of the tree.
pub(super) fn flatten(cx: &Context<'_>, what: &str, tree: &TreeDef, axes: &Value) -> PyResult<Vec<Option<i64>>> {
    let mut found = Vec::with_capacity(tree.leaves());
    if spread(cx, tree, axes, &mut found)? {
        return Ok(found);
    }
    Err(cx.interp.value_error(format!(
        "{what} specification must be a tree prefix of the corresponding value, got specification {} for value tree {}.",
        cx.interp.repr(axes)?,
        tree.text(cx.interp)?
    )))
}

fn spread(cx: &Context<'_>, tree: &TreeDef, axes: &Value, found: &mut Vec<Option<i64>>) -> PyResult<bool> {
    let interp = cx.interp;
    match axes {
        Value::None => {
            found.extend(std::iter::repeat_n(None, tree.leaves()));
            return Ok(true);
        }
        Value::Int(_) | Value::Bool(_) => {
            let axis = interp.to_i64(axes)?;
            found.extend(std::iter::repeat_n(Some(axis), tree.leaves()));
            return Ok(true);
        }
        _ => {}
    }
    match (tree, axes) {
        (TreeDef::Tuple(defs), Value::Tuple(items)) => each(cx, defs, items, found),
        (TreeDef::List(defs), Value::List(items)) => {
            let items = items.borrow().clone();
            each(cx, defs, &items, found)
        }
        (TreeDef::Dict(keys, defs) | TreeDef::OrderedDict(_, keys, defs), Value::Dict(dict)) => {
            if dict.borrow().len() != keys.len() {
                return Ok(false);
            }
            let mut items = Vec::with_capacity(keys.len());
            for key in keys {
                match interp.get_item(axes, key) {
                    Ok(item) => items.push(item),
                    Err(_) => return Ok(false),
                }
            }
            each(cx, defs, &items, found)
        }
        (TreeDef::NamedTuple(_, defs), Value::Instance(_)) => {
            let items = interp.collect(axes)?;
            each(cx, defs, &items, found)
        }
        (TreeDef::Custom(..), Value::Instance(_)) => {
            // The axes are in a value of the same class: take it apart the same way.
            let (items, def) = tree::flatten(interp, axes, None)?;
            if def.leaves() != tree.leaves() {
                return Ok(false);
            }
            let leaf = TreeDef::Leaf;
            for item in &items {
                if !spread(cx, &leaf, item, found)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn each(cx: &Context<'_>, defs: &[TreeDef], items: &[Value], found: &mut Vec<Option<i64>>) -> PyResult<bool> {
    if defs.len() != items.len() {
        return Ok(false);
    }
    for (def, item) in defs.iter().zip(items) {
        if !spread(cx, def, item, found)? {
            return Ok(false);
        }
    }
    Ok(true)
}

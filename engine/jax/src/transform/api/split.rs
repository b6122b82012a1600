//! The arguments of a call of a function with a derivative or a mapping of its own: what a rule speaks of, and what is passed
//! as it is.

use super::super::custom::{self, CustomRule};
use super::object::{Flat, Leaves, arrays};
use super::resolve::positional;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::tile::Tile;
use crate::transform::stage::assemble;
use crate::tree::{self, TreeDef};
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// A call of a function with a derivative of its own: what is differentiated, and what is passed as it is.
#[derive(Clone)]
pub(super) struct Split {
    /// Positional arguments that no derivative is taken by, with their places.
    pub(super) nondiff: Vec<(usize, Value)>,
    /// The tree of each other argument.
    pub(super) trees: Vec<TreeDef>,
    /// Leaves of the other arguments: arrays by their number among `tiles`, Python numbers as they are.
    pub(super) leaves: Vec<Leaf>,
    /// Array leaves.
    pub(super) tiles: Vec<Tile>,
}

/// A leaf of a call.
#[derive(Clone)]
pub(super) enum Leaf {
    Array(usize),
    Number(Value),
}

impl Split {
    /// Sorts the arguments of a call; keywords find their places by the function's signature.
    pub(super) fn new(
        cx: &Context<'_>,
        function: &Value,
        nondiff: &[usize],
        args: CallArgs,
    ) -> PyResult<Result<Split, Value>> {
        let interp = cx.interp;
        let positional = positional(interp, function, args)?;
        let mut split = Split { nondiff: Vec::new(), trees: Vec::new(), leaves: Vec::new(), tiles: Vec::new() };
        for (place, value) in positional.into_iter().enumerate() {
            if nondiff.contains(&place) {
                split.nondiff.push((place, value));
                continue;
            }
            if value.is_unknown() {
                return Ok(Err(value));
            }
            let (leaves, tree) = tree::flatten(interp, &value, None)?;
            for leaf in leaves {
                if matches!(leaf, Value::Bool(_) | Value::Int(_) | Value::Float(_)) {
                    split.leaves.push(Leaf::Number(leaf));
                    continue;
                }
                match arrays(cx, &leaf)? {
                    Leaves::Unknown(value) => return Ok(Err(value)),
                    Leaves::Arrays(flat) => {
                        split.leaves.push(Leaf::Array(split.tiles.len()));
                        split.tiles.extend(flat.tiles);
                    }
                }
            }
            split.trees.push(tree);
        }
        Ok(Ok(split))
    }

    /// The differentiated arguments, with these tiles for their arrays.
    pub(super) fn diff(&self, cx: &Context<'_>, tiles: &[Tile]) -> PyResult<Vec<Value>> {
        let mut leaves = self.leaves.iter().map(|leaf| match leaf {
            Leaf::Array(index) => Value::object(ArrayObject { tile: tiles[*index].clone() }),
            Leaf::Number(value) => value.clone(),
        });
        self.trees.iter().map(|tree| tree::unflatten(cx.interp, tree, &mut leaves)).collect()
    }

    /// All arguments in their places.
    pub(super) fn arguments(&self, cx: &Context<'_>, tiles: &[Tile]) -> PyResult<Vec<Value>> {
        let mut values = self.diff(cx, tiles)?;
        for (place, value) in &self.nondiff {
            values.insert((*place).min(values.len()), value.clone());
        }
        Ok(values)
    }

    /// The tiles of a tree of cotangents or tangents per differentiated argument; leaves of Python numbers are dropped.
    pub(super) fn only_arrays<T: Clone>(&self, leaves: &[T]) -> Vec<T> {
        let kept = self.leaves.iter().zip(leaves).filter(|(leaf, _)| matches!(leaf, Leaf::Array(_)));
        kept.map(|(_, value)| value.clone()).collect()
    }

    /// Calls the function, keeping `rule` where derivatives may be asked for.
    pub(super) fn run(&self, cx: &Context<'_>, name: &str, rule: CustomRule, function: &Value) -> PyResult<Value> {
        if custom::keeping(cx, &rule, &self.tiles).is_none() {
            let arguments = self.arguments(cx, &self.tiles)?;
            return cx.interp.call_values(function, arguments);
        }
        let mut found = None;
        let mut unknown = None;
        let results = custom::call(cx, name, rule, &self.tiles, &mut |tiles| {
            let result = cx.interp.call_values(function, self.arguments(cx, tiles)?)?;
            match arrays(cx, &result)? {
                Leaves::Arrays(flat) => {
                    found = Some(flat.tree);
                    Ok(flat.tiles)
                }
                Leaves::Unknown(value) => {
                    unknown = Some(value);
                    Ok(Vec::new())
                }
            }
        })?;
        match (unknown, found) {
            (Some(value), _) => Ok(value),
            (None, Some(tree)) => assemble(cx, &tree, results),
            (None, None) => Ok(Value::None),
        }
    }
}

/// `nondiff_argnums` and `nondiff_argnames` as positions.
pub(super) fn nondiff_positions(
    interp: &Interp,
    function: &Value,
    numbers: &Value,
    names: &Value,
) -> PyResult<Vec<usize>> {
    let params: Vec<String> = interp
        .underlying_function(function)
        .map(|function| function.code.params().iter().map(|param| param.name.to_string()).collect())
        .unwrap_or_default();
    let mut positions = Vec::new();
    let numbers = match numbers {
        Value::Int(_) => vec![numbers.clone()],
        Value::None | Value::Unset => Vec::new(),
        numbers => interp.collect(numbers)?,
    };
    for number in &numbers {
        let number = interp.to_i64(number)?;
        let number = if number < 0 { number + params.len() as i64 } else { number };
        positions.extend(usize::try_from(number).ok());
    }
    if let Value::Tuple(_) | Value::List(_) = names {
        for name in interp.collect(names)? {
            let name = interp.to_str(&name)?;
            positions.extend(params.iter().position(|param| **param == *name));
        }
    }
    positions.sort_unstable();
    positions.dedup();
    Ok(positions)
}

/// A pytree of arrays that a rule gave.
pub(super) fn known(cx: &Context<'_>, value: &Value) -> PyResult<Flat> {
    match arrays(cx, value)? {
        Leaves::Arrays(flat) => Ok(flat),
        Leaves::Unknown(_) => Err(cx.interp.runtime_error("a derivative gave something unknown".to_string())),
    }
}

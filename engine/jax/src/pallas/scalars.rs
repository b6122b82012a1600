//! What is known of the scalars that a launch fetches and of the integers that its programs have whole, when it is reached: all of them where they are computed by then, or
//! follow from what is; else between what they lie, as far as the operations that made them say. Decides nothing.

use crate::tile::{Tile, Traced};
use crate::trace::Trace;
use pallas_ir::{Function, Known, Launch, OpId, OpKind, Role, Scalars, ValueId, known};
use std::collections::HashMap;
use std::rc::Rc;

/// Larger arrays are not kept.
const LARGEST: usize = 1 << 12;
/// Operations that lead to an argument.
const LONGEST: usize = 512;

/// What is known of a launch's scalars from its arguments.
pub(crate) fn known_of(launch: &Launch, arguments: &[Tile]) -> Scalars {
    let before = launch.dynamic.len();
    let operands = launch.with_known_elements().map(|(number, operand)| (arguments.get(before + number), operand));
    let known = operands.map(|(tile, operand)| {
        let tile = tile.filter(|_| operand.role == Role::Prefetch || operand.array.shape.size() <= LARGEST)?;
        useful(&known_tile(tile, &mut LONGEST.clone())?)
    });
    Scalars(known.collect())
}

/// All elements of a tile, where they are computed by now or follow from what is.
pub(crate) fn exactly(tile: &Tile) -> Option<pallas_tensor::Array> {
    match known_tile(tile, &mut LONGEST.clone())?.0 {
        Known::Exact(array) => Some(array),
        Known::Bounds(_) => None,
    }
}

/// Bounds that only repeat the dtype, and what is said of floats, are of no use.
fn useful(known: &(Known, pallas_tensor::DType)) -> Option<Known> {
    let (known, dtype) = known;
    let is_said = match known {
        Known::Exact(array) => array.size() <= LARGEST,
        Known::Bounds(bounds) => {
            dtype.is_integer() && bounds.is_bounded() && *bounds != Known::anything(*dtype).interval()
        }
    };
    is_said.then(|| known.clone())
}

fn known_tile(tile: &Tile, left: &mut usize) -> Option<(Known, pallas_tensor::DType)> {
    match tile {
        Tile::Concrete { array, .. } => Some((Known::Exact(array.clone()), array.dtype())),
        Tile::Abstract(_) => None,
        Tile::Traced(Traced { trace, value, ty, .. }) => {
            let known = trace.with_function(|function| {
                let mut followed = Followed { trace, function, makers: makers(function), known: HashMap::new() };
                followed.value(*value, left)
            });
            Some((known?, ty.dtype))
        }
    }
}

/// Ops by their results.
fn makers(function: &Function) -> HashMap<ValueId, OpId> {
    let ops = function.ops.iter().enumerate();
    ops.flat_map(|(number, op)| op.results.iter().map(move |&result| (result, OpId(number as u32)))).collect()
}

/// A trace of which some values are followed to where they come from.
struct Followed<'a> {
    trace: &'a Rc<Trace>,
    function: &'a Function,
    makers: HashMap<ValueId, OpId>,
    known: HashMap<ValueId, Option<Known>>,
}

impl Followed<'_> {
    fn value(&mut self, value: ValueId, left: &mut usize) -> Option<Known> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let known = self.make(value, left);
        self.known.insert(value, known.clone());
        known
    }

    fn make(&mut self, value: ValueId, left: &mut usize) -> Option<Known> {
        *left = left.checked_sub(1)?;
        let Some(&id) = self.makers.get(&value) else {
            let tile = self.trace.argument(value).or_else(|| self.trace.lifted_as(value))?;
            return known_tile(&tile, left).map(|(known, _)| known);
        };
        let op = self.function.op(id);
        if !matches!(op.op.kind, OpKind::Pure { .. }) || op.results.first() != Some(&value) {
            return None;
        }
        let operands: Vec<Known> = op
            .operands
            .iter()
            .map(|&operand| {
                let dtype = self.function.ty(operand).dtype();
                self.value(operand, left).unwrap_or_else(|| Known::anything(dtype))
            })
            .collect();
        known::apply(self.function, op, &operands.iter().collect::<Vec<_>>())
    }
}

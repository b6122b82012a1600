//! Scalars that are fetched before the grid runs, and integers that every program has whole, where something is known of
//! them: reads of single ones, in index maps and in the kernel, become lookups in what is known, so that blocks, coverage and
//! everything else is judged with the data. Where the kernel does more with such an operand than read it, nothing is taken
//! for known.

use pallas_ir::launch::TAKES_PART;
use pallas_ir::op::{EvalContext, EvalError, MemoryOp, OpDef};
use pallas_ir::{
    Attribute, Attributes, DimIndex, Function, InferError, Interval, Known, Launch, Op, OpData, OpKind, Operand,
    Position, Role, Scalars, ValueId,
};
use pallas_tensor::{Array, DType, Scalar};
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;
use std::sync::Arc;

/// An element of what is known. Operands: the computed positions of the subscript. Attributes: `value`, all elements, or
/// `bounds`, between what they lie; the subscript; the shape and the name of the operand.
pub(crate) static LOOKUP: OpDef = OpDef {
    name: "lookup",
    doc: "An element of scalars that are known",
    attributes: &["value", "bounds", "index", "shape", "name"],
    // Made in the place of loads only, whose types have been checked.
    infer: |_| Err(InferError::type_error("lookups are not written")),
    kind: OpKind::Pure { eval: look_up, interval: Some(bounds) },
};

/// The launch with reads of known scalars resolved; `None` where there are none.
pub(crate) fn resolve(launch: &Launch, scalars: &Scalars) -> Option<Launch> {
    let fetched = launch.with_known_elements().zip(&scalars.0);
    let known: Vec<(usize, Arc<str>, &Known)> = fetched
        .filter_map(|((number, operand), known)| Some((number, operand.name.clone(), known.as_ref()?)))
        .filter(|(number, _, known)| fits(known, &launch.operands[*number]))
        .filter(|(number, ..)| launch.kernel.params().get(*number).is_some_and(|&p| only_reads(&launch.kernel, p)))
        .collect();
    if known.is_empty() {
        return None;
    }
    let mut resolved = launch.clone();
    for (number, name, known) in known {
        let shape: Vec<i64> = launch.operands[number].array.shape.iter().map(|&extent| extent as i64).collect();
        let known = (known, &shape[..]);
        replace(&mut resolved.kernel, number, &name, known);
        let axes = launch.grid.len();
        for map in resolved.operands.iter_mut().filter_map(|operand| operand.index_map.as_mut()) {
            replace(map, axes + number, &name, known);
        }
    }
    Some(resolved)
}

/// What is known, and that all devices take part: what those that stay away leave undone is not the kernel's mistake.
pub(crate) fn all_come<'a>(launch: &Launch, scalars: &'a Scalars) -> Cow<'a, Scalars> {
    let said = |operand: &Operand| &*operand.name == TAKES_PART;
    let mut fetched = launch.with_role(Role::Prefetch).map(|(_, operand)| operand);
    let Some(position) = fetched.position(said) else { return Cow::Borrowed(scalars) };
    let shape = &launch.operands[position].array.shape;
    let Ok(all) = Array::full(DType::I32, shape.clone(), Scalar::Int(1)) else { return Cow::Borrowed(scalars) };
    let mut known = scalars.clone();
    if known.0.len() <= position {
        known.0.resize(position + 1, None);
    }
    known.0[position] = Some(Known::Exact(all));
    Cow::Owned(known)
}

/// Whether what is known is of an operand's shape.
fn fits(known: &Known, operand: &Operand) -> bool {
    match known {
        Known::Exact(array) => *array.shape() == operand.array.shape,
        Known::Bounds(_) => true,
    }
}

/// Whether nothing but loads has to do with a parameter.
fn only_reads(function: &Function, param: ValueId) -> bool {
    let is_harmless =
        |op: &OpData| !op.operands.contains(&param) || matches!(op.op.kind, OpKind::Memory(MemoryOp::Load));
    function.ops.iter().all(is_harmless)
}

fn replace(function: &mut Function, parameter: usize, name: &Arc<str>, (known, shape): (&Known, &[i64])) {
    let Some(&param) = function.params().get(parameter) else { return };
    for op in &mut function.ops {
        let is_load = matches!(op.op.kind, OpKind::Memory(MemoryOp::Load)) && !op.attributes.flag("masked");
        let Some(pattern) = op.attributes.index().filter(|_| is_load && op.operands.first() == Some(&param)) else {
            continue;
        };
        if !pattern.0.iter().all(|dim| matches!(dim, DimIndex::At(_))) {
            continue;
        }
        let attributes = match known {
            Known::Exact(array) => Attributes::none().with("value", Attribute::Array(array.clone())),
            Known::Bounds(all) => Attributes::none().with("bounds", Attribute::Ints(vec![all.lower, all.upper])),
        };
        let attributes =
            attributes.with("index", Attribute::Index(pattern.clone())).with("shape", Attribute::Ints(shape.to_vec()));
        op.attributes = attributes.with("name", Attribute::Str(name.clone()));
        op.op = Op(&LOOKUP);
        op.operands.remove(0);
    }
}

/// Which positions a subscript can mean along each dimension, where those that are computed lie within bounds.
fn positions(attributes: &Attributes, computed: &[Interval]) -> Option<SmallVec<[(i64, i64); 4]>> {
    let mut computed = computed.iter();
    let along = attributes.index()?.0.iter().map(|dim| match dim {
        DimIndex::At(Position::Static(at)) => Some((*at, *at)),
        DimIndex::At(Position::Dynamic) => computed.next().map(|range| (range.lower, range.upper)),
        _ => None,
    });
    along.collect()
}

fn look_up(context: &EvalContext<'_>, operands: SmallVec<[Array; 4]>) -> Result<SmallVec<[Array; 1]>, EvalError> {
    let unknown = || EvalError::new("not known");
    let at = |operand: &Array| operand.item().and_then(Scalar::as_int).and_then(|at| i64::try_from(at).ok());
    let computed: Option<Vec<Interval>> = operands.iter().map(|operand| at(operand).map(Interval::exactly)).collect();
    let array = context.attributes.array("value").ok_or_else(unknown)?;
    let places = positions(context.attributes, &computed.ok_or_else(unknown)?).ok_or_else(unknown)?;
    let mut flat = 0;
    for ((place, _), &extent) in places.into_iter().zip(array.shape().iter()) {
        // What lies outside is another rule's business.
        let place = usize::try_from(place).ok().filter(|&place| place < extent).ok_or_else(unknown)?;
        flat = flat * extent + place;
    }
    let element = array.get(flat).ok_or_else(unknown)?;
    Ok(smallvec![Array::scalar(array.dtype(), element)])
}

fn bounds(attributes: &Attributes, operands: &[Interval]) -> Interval {
    if let Some(&[lower, upper]) = attributes.ints("bounds") {
        return Interval::range(lower, upper);
    }
    among(attributes, operands).unwrap_or(Interval::ANY)
}

/// The bounds of the elements of a vector that can be meant; of all elements where there are more dimensions.
fn among(attributes: &Attributes, operands: &[Interval]) -> Option<Interval> {
    let array = attributes.array("value")?;
    let integer = |scalar: Scalar| scalar.as_int().and_then(|value| i64::try_from(value).ok());
    let places = positions(attributes, operands)?;
    let elements: Option<Vec<i64>> = match (&places[..], &array.shape()[..]) {
        (&[(first, last)], &[extent]) => {
            let (first, last) = (usize::try_from(first).ok()?, usize::try_from(last).ok()?);
            if last >= extent {
                return None;
            }
            (first..=last).map(|at| array.get(at).and_then(integer)).collect()
        }
        (places, extents) => {
            let inside = places.iter().zip(extents).all(|(&(first, last), &n)| first >= 0 && last < n as i64);
            if !inside {
                return None;
            }
            array.iter_scalars().map(integer).collect()
        }
    };
    let elements = elements?;
    Some(Interval::range(*elements.iter().min()?, *elements.iter().max()?))
}

/// What lookups of a function look into: `index_ref`, once each.
pub(crate) fn consulted(function: &Function) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for op in function.ops.iter().filter(|op| op.op == Op(&LOOKUP)) {
        if let Some(name) = op.attributes.str("name").filter(|name| !names.contains(name)) {
            names.push(name);
        }
    }
    names
}

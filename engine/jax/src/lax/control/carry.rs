//! What goes round in a loop, and what its body may give back.

use super::{leaves, tiles};
use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::tile::Tile;
use crate::trace::{Trace, TraceKind};
use crate::tree::TreeDef;
use pallas_ir::{TensorType, Type, ValueId};
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use std::rc::Rc;

/// What a loop body returns, as values to yield; it must look like the carry.
pub(super) fn next_carry(
    cx: &Context<'_>,
    trace: &Rc<Trace>,
    name: &str,
    def: &TreeDef,
    carry: &[Tile],
    result: &Value,
) -> PyResult<Vec<ValueId>> {
    let interp = cx.interp;
    let (next, next_def) = leaves(cx, result, name)?;
    if !def.same(&next_def, interp)? {
        return Err(interp.error_with(
            &interp.types().type_error,
            format!(
                "{name} body function carry input and carry output must have the same pytree structure, but they \
                 differ:\n\nThe input carry is a {} but the corresponding component of the carry output is a {}",
                def.text(interp)?,
                next_def.text(interp)?
            ),
            Diagnosis { code: "PL310", ..Diagnosis::default() },
        ));
    }
    let mut yields = Vec::new();
    for (before, after) in carry.iter().zip(&next) {
        let after = if after.weak() != before.weak() && after.dtype() == before.dtype() {
            primitive::convert(cx, after, before.dtype(), before.weak())?
        } else {
            after.clone()
        };
        if before.shape() != after.shape() || before.dtype() != after.dtype() {
            return Err(interp.error_with(
                &interp.types().type_error,
                format!(
                    "{name} body function carry input and carry output must have equal types, but they differ:\n\nThe \
                     input carry has type {} but the corresponding output carry component has type {}, so the {} do not \
                     match.\n\nRevise the function so that all output types match the corresponding input types.",
                    primitive::type_text(&before.ty()),
                    primitive::type_text(&after.ty()),
                    if before.shape() == after.shape() { "dtypes" } else { "shapes" }
                ),
                Diagnosis {
                    code: "PL310",
                    message: Some(format!(
                        "the loop's carry begins as {} and comes back as {}",
                        before.ty(),
                        after.ty()
                    )),
                    ..Diagnosis::default()
                },
            ));
        }
        yields.push(cx.value_in(trace, &after)?);
    }
    Ok(yields)
}

/// A loop body from a carry to what it returns, in a trace.
pub(super) type CarryFn<'b> = &'b mut dyn FnMut(&Context<'_>, &[Tile], &Rc<Trace>) -> PyResult<Value>;

/// Weakly typed initial carries take the dtype that the body gives them, as JAX's `_promote_weak_typed_inputs` does.
/// `body` is traced once in a scratch trace to find out; only done where a carry is weak.
pub(super) fn stable_carry(cx: &Context<'_>, carry: Vec<Tile>, body: CarryFn<'_>) -> PyResult<Vec<Tile>> {
    if !carry.iter().any(Tile::weak) {
        return Ok(carry);
    }
    let types = probe(cx, &carry, body)?;
    let Some(types) = types else { return Ok(carry) };
    carry
        .into_iter()
        .zip(types)
        .map(|(tile, ty)| {
            if tile.weak() && tile.shape() == &ty.shape && !(ty.weak && ty.dtype == tile.dtype()) {
                let abstracted = [&Tile::Abstract(tile.ty()), &Tile::Abstract(ty)];
                let (dtype, weak) = convert::common_dtype(cx, &abstracted)?;
                primitive::convert(cx, &tile, dtype, weak)
            } else {
                Ok(tile)
            }
        })
        .collect()
}

/// The types that a body gives back for a carry, found in a region that is thrown away. `None` where the number of
/// leaves differs (the real trace reports it).
pub(super) fn probe(cx: &Context<'_>, carry: &[Tile], body: CarryFn<'_>) -> PyResult<Option<Vec<TensorType>>> {
    let mut found = None;
    let expected = carry.len();
    let mut run = |trace: &Rc<Trace>| -> PyResult<()> {
        let params: Vec<Type> = carry.iter().map(|t| Type::Tensor(t.ty())).collect();
        trace.discarded_region(&params, |inside| {
            let result = body(cx, &tiles(trace, inside), trace)?;
            let (next, _) = leaves(cx, &result, "fori_loop")?;
            if next.len() == expected {
                found = Some(next.iter().map(Tile::ty).collect());
            }
            Ok(())
        })
    };
    match cx.innermost() {
        Some(trace) => run(&trace)?,
        None => {
            let trace = Trace::new(cx, TraceKind::Jit, "probe", "probe".to_string(), None);
            trace.within(cx, || run(&trace))?;
        }
    }
    Ok(found)
}

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
use pallas_tensor::DType;
use std::cell::RefCell;
use std::rc::Rc;

/// What a loop body returns, as values to yield; it must look like the carry.
pub(super) fn next_carry(
    cx: &Context<'_>,
    trace: &Rc<Trace>,
    name: &str,
    def: &TreeDef,
    settling: &Settling<'_>,
    result: &Value,
) -> PyResult<Vec<ValueId>> {
    let interp = cx.interp;
    let carry = settling.carry;
    let (next, next_def) = leaves(cx, result, name)?;
    if !def.same(&next_def, interp)? {
        let what = |def: &TreeDef| -> PyResult<String> {
            Ok(match def {
                TreeDef::Leaf => "one value".to_string(),
                def => format!("`{}`", def.text(interp)?),
            })
        };
        return Err(interp.error_with(
            &interp.types().type_error,
            format!(
                "{name} body function carry input and carry output must have the same pytree structure, but they \
                 differ:\n\nThe input carry is a {} but the corresponding component of the carry output is a {}",
                def.text(interp)?,
                next_def.text(interp)?
            ),
            Diagnosis {
                code: "PL310",
                message: Some(format!(
                    "the loop's carry begins as {}, and its body returns {}",
                    what(def)?,
                    what(&next_def)?
                )),
                help: Some(match result {
                    Value::None => {
                        "return the carry from the body, or begin with `None` where there is none".to_string()
                    }
                    _ => "return from the body what it was given, in the same nesting".to_string(),
                }),
                ..Diagnosis::default()
            },
        ));
    }
    settling.check(cx, &next)?;
    let mut yields = Vec::new();
    for (leaf, (before, after)) in carry.iter().zip(&next).enumerate() {
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
                        "the loop's {} begins as {} and comes back as {}",
                        leaf_name(def, leaf),
                        before.ty(),
                        after.ty()
                    )),
                    help: Some(match before.shape() == after.shape() {
                        true => format!(
                            "let it begin as {0} (`dtype=jnp.{0}`), or convert what the body returns: `.astype(jnp.{1})`",
                            after.dtype().name(),
                            before.dtype().name()
                        ),
                        false => "let it begin with the shape that the body returns".to_string(),
                    }),
                    ..Diagnosis::default()
                },
            ));
        }
        yields.push(cx.value_in(trace, &after)?);
    }
    Ok(yields)
}

/// `carry`, `carry[1]`, `carry['sum']`: what goes round, or the part of it that is meant.
fn leaf_name(def: &TreeDef, leaf: usize) -> String {
    let mut names = Vec::new();
    def.paths("carry", &mut names);
    names.into_iter().nth(leaf).unwrap_or_else(|| "carry".to_string())
}

/// The carry that a body is being traced with, and the one that it needs.
pub(super) struct Settling<'c> {
    carry: &'c [Tile],
    needed: RefCell<Option<Vec<(DType, bool)>>>,
}

impl Settling<'_> {
    /// The carry that goes in.
    pub(super) fn carry(&self) -> &[Tile] {
        self.carry
    }

    /// Weakly typed initial carries take the dtype that the body gives them, as JAX's `_promote_weak_typed_inputs` does:
    /// the body is then traced again.
    fn check(&self, cx: &Context<'_>, next: &[Tile]) -> PyResult<()> {
        let needed = self.carry.iter().zip(next).map(|(tile, next)| promoted(cx, tile, &next.ty()));
        let needed = needed.collect::<PyResult<Vec<_>>>()?;
        let same = |(&(dtype, weak), tile): (&(DType, bool), &Tile)| dtype == tile.dtype() && weak == tile.weak();
        if needed.iter().zip(self.carry).all(same) {
            return Ok(());
        }
        *self.needed.borrow_mut() = Some(needed);
        Err(cx.interp.runtime_error("the carry of a loop takes another type".to_string()))
    }
}

/// Builds a loop with a carry, and once more where its body gives weakly typed parts of the carry another type.
///
/// # Errors
/// What `build` raises.
pub(super) fn settled<T>(
    cx: &Context<'_>,
    carry: Vec<Tile>,
    mut build: impl FnMut(&Settling<'_>) -> PyResult<T>,
) -> PyResult<T> {
    let first = Settling { carry: &carry, needed: RefCell::default() };
    let stop = match build(&first) {
        Ok(result) => return Ok(result),
        Err(stop) => stop,
    };
    let Some(needed) = first.needed.take() else { return Err(stop) };
    // Only once, as in JAX: what does not fit then is the program's mistake.
    let carry = carry.iter().zip(needed).map(|(tile, (dtype, weak))| primitive::convert(cx, tile, dtype, weak));
    let carry = carry.collect::<PyResult<Vec<_>>>()?;
    build(&Settling { carry: &carry, needed: RefCell::default() })
}

/// The dtype and weakness that a part of a carry needs: weakly typed it joins with what comes back.
fn promoted(cx: &Context<'_>, tile: &Tile, back: &TensorType) -> PyResult<(DType, bool)> {
    if tile.weak() && tile.shape() == &back.shape && !(back.weak && back.dtype == tile.dtype()) {
        return convert::common_dtype(cx, &[&Tile::Abstract(tile.ty()), &Tile::Abstract(back.clone())]);
    }
    Ok((tile.dtype(), tile.weak()))
}

/// A loop body from a carry to what it returns, in a trace.
type CarryFn<'b> = &'b mut dyn FnMut(&Context<'_>, &[Tile], &Rc<Trace>) -> PyResult<Value>;

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

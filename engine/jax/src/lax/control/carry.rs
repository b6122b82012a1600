//! What goes round in a loop, and what its body may give back.

use super::{leaves, tiles};
use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::tile::Tile;
use crate::trace::{Trace, TraceKind};
use crate::tree::{self, TreeDef};
use pallas_ir::{TensorType, Type, ValueId};
use pallas_python::interp::Interp;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_tensor::DType;
use std::cell::RefCell;
use std::rc::Rc;

/// How JAX calls a loop and what it carries, in messages.
pub(crate) struct Carried {
    /// The loop that JAX makes of it.
    kind: &'static str,
    /// What stands before the path of a part: `loop_carry[1]`, the name of the body's parameter.
    name: String,
    /// The parts that may be wrong, where they are not those of what goes round.
    parts: Option<Vec<String>>,
}

impl Carried {
    /// The carry of a `fori_loop`: a scan if its bounds are known.
    pub(crate) fn counting(lower: &Tile, upper: &Tile) -> Carried {
        match lower.is_traced() || upper.is_traced() {
            true => Carried { kind: "while_loop", name: "loop_carry[2]".to_string(), parts: None },
            false => Carried { kind: "scan", name: "loop_carry[1]".to_string(), parts: None },
        }
    }

    /// The first parameter of a body.
    pub(super) fn of_body(interp: &Interp, kind: &'static str, body: &Value) -> Carried {
        let function = interp.underlying_function(body);
        let name = function.and_then(|function| {
            let params = function.code.params();
            params.positional_only.iter().chain(&params.positional).next().map(|param| param.name.to_string())
        });
        Carried { kind, name: name.unwrap_or_else(|| "carry".to_string()), parts: None }
    }

    /// With the parts of `def` in the place of the first that go round.
    pub(super) fn parts_of(mut self, def: &TreeDef) -> Carried {
        let mut parts = Vec::new();
        def.paths("", &mut parts);
        self.parts = Some(parts);
        self
    }

    fn part(&self, path: &str) -> String {
        match path.is_empty() && !self.name.ends_with(']') {
            true => format!("the input carry {}", self.name),
            false => format!("the input carry component {}{path}", self.name),
        }
    }

    /// That what goes round has another structure than what comes back.
    pub(super) fn other_structure(&self, interp: &Interp, def: &TreeDef, next: &TreeDef) -> PyResult<String> {
        let class = |text: String| text.replace("pytree leaf", "<class 'jax._src.core.ShapedArray'>");
        let differences = tree::differences(interp, def, next)?.into_iter().map(|difference| {
            format!(
                "{} is a {} but the corresponding component of the carry output is a {}, so {}",
                self.part(&difference.path),
                class(difference.first),
                class(difference.second),
                difference.why
            )
        });
        Ok(format!(
            "{} body function carry input and carry output must have the same pytree structure, but they differ:\n\n{}\n\n\
             Revise the function so that the carry output has the same pytree structure as the carry input.",
            self.kind,
            listed(&differences.collect::<Vec<_>>())
        ))
    }

    /// That parts of it come back as another type; their numbers, with both types.
    fn other_types(&self, def: &TreeDef, parts: &[(usize, TensorType, TensorType)]) -> String {
        let mut paths = Vec::new();
        match &self.parts {
            Some(parts) => paths.clone_from(parts),
            None => def.paths("", &mut paths),
        }
        let differences = parts.iter().map(|(part, before, after)| {
            let why: Vec<&str> = [
                (before.dtype != after.dtype, "the dtypes do not match"),
                (before.shape != after.shape, "the shapes do not match"),
            ]
            .into_iter()
            .filter_map(|(differs, why)| differs.then_some(why))
            .collect();
            format!(
                "{} has type {} but the corresponding output carry component has type {}, so {}",
                self.part(paths.get(*part).map_or("", |path| path)),
                primitive::type_text(before),
                primitive::type_text(after),
                why.join(", and ")
            )
        });
        format!(
            "{} body function carry input and carry output must have equal types, but they differ:\n\n{}\n\nRevise the \
             function so that all output types match the corresponding input types.",
            self.kind,
            listed(&differences.collect::<Vec<_>>())
        )
    }
}

/// One difference is a sentence, several are a list.
fn listed(differences: &[String]) -> String {
    match differences {
        [one] => one.replacen("the", "The", 1) + ".",
        several => {
            let lines: Vec<String> = several.iter().map(|one| format!("  * {one}")).collect();
            lines.join(";\n") + "."
        }
    }
}

/// What a loop body returns, as values to yield; it must look like the carry.
pub(super) fn next_carry(
    cx: &Context<'_>,
    trace: &Rc<Trace>,
    carried: &Carried,
    def: &TreeDef,
    settling: &Settling<'_>,
    result: &Value,
) -> PyResult<Vec<ValueId>> {
    let interp = cx.interp;
    let carry = settling.carry;
    let (next, next_def) = leaves(cx, result, "fori_loop")?;
    if !def.same(&next_def, interp)? {
        return Err(interp.error_with(
            &interp.types().type_error,
            carried.other_structure(interp, def, &next_def)?,
            explained(interp, def, &next_def, result)?,
        ));
    }
    settling.check(cx, &next)?;
    let mut yields = Vec::new();
    let mut wrong = Vec::new();
    for (leaf, (before, after)) in carry.iter().zip(&next).enumerate() {
        let after = if after.weak() != before.weak() && after.dtype() == before.dtype() {
            primitive::convert(cx, after, before.dtype(), before.weak())?
        } else {
            after.clone()
        };
        if before.shape() != after.shape() || before.dtype() != after.dtype() {
            wrong.push((leaf, before.ty(), after.ty()));
            continue;
        }
        yields.push(cx.value_in(trace, &after)?);
    }
    let Some((leaf, before, after)) = wrong.first() else { return Ok(yields) };
    Err(interp.error_with(
        &interp.types().type_error,
        carried.other_types(def, &wrong),
        Diagnosis {
            code: "PL310",
            message: Some(format!("the loop's {} begins as {before} and comes back as {after}", leaf_name(def, *leaf))),
            help: Some(match before.shape == after.shape {
                true => format!(
                    "let it begin as {0} (`dtype=jnp.{0}`), or convert what the body returns: `.astype(jnp.{1})`",
                    after.dtype.name(),
                    before.dtype.name()
                ),
                false => "let it begin with the shape that the body returns".to_string(),
            }),
            ..Diagnosis::default()
        },
    ))
}

/// What the workbench says of a carry that comes back in another structure.
pub(super) fn explained(interp: &Interp, def: &TreeDef, next: &TreeDef, result: &Value) -> PyResult<Diagnosis> {
    let what = |def: &TreeDef| -> PyResult<String> {
        Ok(match def {
            TreeDef::Leaf => "one value".to_string(),
            def => format!("`{}`", def.text(interp)?),
        })
    };
    Ok(Diagnosis {
        code: "PL310",
        message: Some(format!("the loop's carry begins as {}, and its body returns {}", what(def)?, what(next)?)),
        help: Some(match result {
            Value::None => "return the carry from the body, or begin with `None` where there is none".to_string(),
            _ => "return from the body what it was given, in the same nesting".to_string(),
        }),
        ..Diagnosis::default()
    })
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

//! Imports of modules and names that moved: `from jax.experimental.pallas import gpu`, `... .tpu import TPUCompilerParams`. Those
//! under a condition are left alone, as elsewhere.

use super::{GPU, MOVED, Now, PALLAS, TRITON, plain};
use pallas_ir::{Edit, Finding, Fix};
use pallas_syntax::Span;
use pallas_syntax::ast::{Alias, Module, StmtKind};

/// What a module imports that moved.
pub(super) fn find(module: &Module, found: &mut Vec<Finding>) {
    for statement in module.body.iter() {
        match &statement.kind {
            StmtKind::Import(names) => {
                for alias in names.iter().filter(|alias| &*alias.name == GPU) {
                    // Without a name of its own every use has the old one.
                    let fix = alias.asname.is_some().then(|| within(module, alias.span, GPU, TRITON)).flatten();
                    found.push(old_module(alias.span, fix));
                }
            }
            StmtKind::ImportFrom { module: Some(from), names, level: 0 } => match &**from {
                PALLAS => {
                    for alias in names.iter().filter(|alias| &*alias.name == "gpu") {
                        found.push(old_module(alias.span, Some(renamed(alias, "triton"))));
                    }
                    moved(module, PALLAS, names, found);
                }
                GPU => {
                    found.push(old_module(statement.span, within(module, statement.span, GPU, TRITON)));
                    moved(module, GPU, names, found);
                }
                from => moved(module, from, names, found),
            },
            _ => {}
        }
    }
}

/// The module that Triton's had before.
fn old_module(span: Span, fix: Option<Edit>) -> Finding {
    let mut finding = plain(span, format!("{GPU} was removed in JAX 0.6.1"));
    finding.help = Some(format!("it is called `{TRITON}` now; Mosaic GPU is `jax.experimental.pallas.mosaic_gpu`"));
    finding.fix = fix.map(|edit| Fix { title: format!("import {TRITON}"), edits: vec![edit] });
    finding
}

/// Names of a module that it has under another name now.
fn moved(module: &Module, from: &str, names: &[Alias], found: &mut Vec<Finding>) {
    for alias in names {
        let Some(moved) = MOVED.iter().find(|moved| moved.module == from && *moved.name == *alias.name) else {
            continue;
        };
        let mut finding = plain(alias.span, format!("{} of {from} {}", alias.name, moved.what));
        match moved.now {
            Now::Name(now) => {
                finding.help = Some(format!("it is called `{now}` now"));
                finding.fix = Some(Fix { title: format!("import {now}"), edits: vec![renamed(alias, now)] });
            }
            Now::Module(now) => {
                finding.help = Some(format!("it is in `{now}` now"));
                // Where it is the only one, the module is all there is to change.
                let statement = module
                    .body
                    .iter()
                    .find(|statement| statement.span.start <= alias.span.start && alias.span.end <= statement.span.end);
                finding.fix = statement.filter(|_| names.len() == 1).and_then(|statement| {
                    let edit = within(module, statement.span, from, now)?;
                    Some(Fix { title: format!("import it from {now}"), edits: vec![edit] })
                });
            }
            Now::Otherwise(help) => finding.help = Some(help.to_string()),
        }
        found.push(finding);
    }
}

/// Another name is imported under the name that the file has for it.
fn renamed(alias: &Alias, now: &str) -> Edit {
    let own = alias.asname.as_ref().unwrap_or(&alias.name);
    let replacement = if **own == *now { now.to_string() } else { format!("{now} as {own}") };
    Edit { span: alias.span, replacement }
}

/// Another name in the place of the first `old` in a part of the text.
fn within(module: &Module, span: Span, old: &str, new: &str) -> Option<Edit> {
    let at = span.start + u32::try_from(module.slice(span).find(old)?).ok()?;
    let end = at + u32::try_from(old.len()).ok()?;
    Some(Edit { span: Span { start: at, end, ..span }, replacement: new.to_string() })
}

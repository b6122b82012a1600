//! Values that are made, and that nothing keeps (PL315): `x.at[...].set(...)` as a statement, and assignments under `pl.when` to a
//! name of the function around. Read off the syntax; what is an array and what a Ref is known from the types that were seen.

use crate::analysis::Analysis;
use crate::fixes::tree;
use crate::unapplied::is_when;
use pallas_ir::{Finding, Fix, Label};
use pallas_syntax::Span;
use pallas_syntax::ast::{Expr, ExprKind, FunctionDef, Name, Stmt, StmtKind};
use std::collections::HashSet;

/// Methods of `x.at[...]` that give another array.
const UPDATES: [&str; 10] = ["set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"];

/// Every such place of a file.
pub(crate) fn find(analysis: &Analysis) -> Vec<Finding> {
    let module = &analysis.module;
    let text = &module.source.text;
    let mut found = Vec::new();
    if text.contains(".at[") {
        tree::in_statements(&module.body, &mut |statement| {
            if let StmtKind::Expr(value) = &statement.kind {
                found.extend(updated(analysis, value));
            }
        });
    }
    let pallas = tree::module_name(module, "jax.experimental.pallas").filter(|_| text.contains("when("));
    if let Some(pallas) = pallas {
        tree::in_statements(&module.body, &mut |statement| {
            if let StmtKind::FunctionDef(around) = &statement.kind {
                assigned(around, &pallas, &mut found);
            }
        });
    }
    found
}

/// `x.at[...].set(...)`, where `x` is an array.
fn updated(analysis: &Analysis, call: &Expr) -> Option<Finding> {
    let ExprKind::Call { function, .. } = &call.kind else { return None };
    let ExprKind::Attribute { value: place, name, .. } = &function.kind else { return None };
    let ExprKind::Subscript { value: at, .. } = &place.kind else { return None };
    let ExprKind::Attribute { value: array, name: is_at, .. } = &at.kind else { return None };
    if &**is_at != "at" || !UPDATES.contains(&&**name) {
        return None;
    }
    let fact = analysis.facts.get(array.span)?;
    if !fact.ty.as_deref().is_some_and(|ty| !ty.starts_with("ref<") && ty.contains('[')) {
        return None;
    }
    let shown = analysis.module.slice(array.span).to_string();
    let mut finding =
        finding(call.span, format!("this makes another array, and nothing keeps it: `{shown}` stays as it is"));
    finding.help = Some(format!("assign it: `{shown} = {shown}.at[...].{name}(...)`"));
    if let ExprKind::Name(name) = &array.kind
        && is_own(analysis, call.span, name)
    {
        let span = Span { end: call.span.start, ..call.span };
        finding.fix = Some(Fix::replace(format!("assign it to {name}"), span, format!("{name} = ")));
    }
    Some(finding)
}

/// Whether an assignment at a place changes the name that is read there, and makes no other one.
fn is_own(analysis: &Analysis, place: Span, name: &Name) -> bool {
    let mut innermost: Option<&FunctionDef> = None;
    tree::in_statements(&analysis.module.body, &mut |statement| {
        if let StmtKind::FunctionDef(def) = &statement.kind
            && tree::contains(def.span, place)
            && innermost.is_none_or(|outer| tree::contains(outer.span, def.span))
        {
            innermost = Some(def);
        }
    });
    innermost.is_none_or(|def| def.scope.locals.contains(name))
}

/// What functions under `pl.when` assign to names of the function around.
fn assigned(around: &FunctionDef, pallas: &str, found: &mut Vec<Finding>) {
    tree::in_statements(&around.body, &mut |statement| {
        let StmtKind::FunctionDef(inner) = &statement.kind else { return };
        if !inner.decorators.iter().any(|decorator| is_when(decorator, pallas)) {
            return;
        }
        let mut said: HashSet<&Name> = HashSet::new();
        tree::in_statements(&inner.body, &mut |statement| {
            let StmtKind::Assign { targets, .. } = &statement.kind else { return };
            let [Expr { kind: ExprKind::Name(name), span, .. }] = targets.as_slice() else { return };
            let is_shadowed = inner.scope.locals.contains(name) && around.scope.locals.contains(name);
            if !is_shadowed || !reads(&inner.body, name).is_empty() {
                return;
            }
            let Some(read) = reads(&around.body, name).into_iter().find(|read| read.start >= inner.span.end) else {
                return;
            };
            if !said.insert(name) {
                return;
            }
            let mut finding = finding(
                *span,
                format!("`{name}` is a name of its own here: that of `{}` keeps the value that it has", around.name),
            );
            finding.labels.push(Label { span: read, text: format!("the `{name}` of `{}`", around.name) });
            finding.help = Some(format!(
                "choose by the condition: `{name} = jnp.where(condition, new, {name})`; or keep it in scratch memory, and \
                 store to that under `{pallas}.when`"
            ));
            found.push(finding);
        });
    });
}

/// Where a name is read, in a function and in those within.
fn reads(body: &[Stmt], name: &Name) -> Vec<Span> {
    let mut written: HashSet<Span> = HashSet::new();
    tree::in_statements(body, &mut |statement| {
        if let StmtKind::Assign { targets, .. } = &statement.kind {
            written.extend(targets.iter().map(|target| target.span));
        }
    });
    let mut read = Vec::new();
    tree::each(body, &mut |expr| {
        if matches!(&expr.kind, ExprKind::Name(other) if other == name) && !written.contains(&expr.span) {
            read.push(expr.span);
        }
    });
    read
}

fn finding(span: Span, message: String) -> Finding {
    crate::findings::proved("PL315", span, message)
}

//! Names and places of the kernel's parameters, given to the Refs and operands that they stand for.

use crate::pallas::call::PallasCall;
use crate::refs::RefObject;
use crate::trace::Trace;
use crate::tree;
use pallas_ir::Operand;
use pallas_python::CallArgs;
use pallas_python::function::Body;
use pallas_python::value::Value;
use pallas_syntax::Span;
use pallas_syntax::ast::{Expr, ExprKind, Stmt, StmtKind};
use pallas_syntax::visit;
use std::rc::Rc;
use std::sync::Arc;

/// Gives Refs and operands the names of the kernel's parameters, where an argument is a Ref or a flat tuple of them.
pub(super) fn name_parameters(
    interp: &pallas_python::Interp,
    trace: &Rc<Trace>,
    call: &PallasCall,
    operands: &mut [Operand],
    (bound, args): (&[(pallas_syntax::ast::Name, Value)], &CallArgs),
) {
    // A wrapper's parameters are those of the function that it says it wraps.
    let wrapped = interp
        .find_attr(&call.kernel, "__wrapped__")
        .ok()
        .flatten()
        .and_then(|wrapped| Some((interp.bind(&wrapped, args.clone()).ok()?, wrapped)));
    let (bound, kernel) = match &wrapped {
        Some((bound, wrapped)) => (bound.as_slice(), wrapped),
        None => (bound, &call.kernel),
    };
    let function = interp.underlying_function(kernel);
    for (name, value) in bound {
        let Ok((leaves, _)) = tree::flatten(interp, value, None) else { continue };
        let span = function.as_ref().and_then(|f| f.code.params().iter().find(|p| p.name == *name).map(|p| p.span));
        let single = leaves.len() == 1;
        for (position, leaf) in leaves.iter().enumerate() {
            let Some(object) = leaf.downcast::<RefObject>().filter(|object| object.is_of(trace)) else { continue };
            let text: Arc<str> = if single { name.clone() } else { Arc::from(format!("{name}{position}")) };
            trace.name(object.value, text.clone());
            if let Some(operand) = operands.get_mut(object.value.0 as usize) {
                operand.name = text;
                operand.spans.parameter = span;
                if let Some(function) = &function
                    && let Body::Statements(statements) = function.code.body()
                {
                    operand.spans.dropped = dropped(statements, &operand.name);
                    operand.spans.conditional = conditional(statements, name);
                }
            }
        }
    }
}

/// The `del` of a name at the top of a function's body.
fn dropped(statements: &[Stmt], name: &str) -> Option<Span> {
    let mut deleted = statements.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Delete(targets) => Some(targets),
        _ => None,
    });
    let is_it = |target: &Expr| match &target.kind {
        ExprKind::Name(found) => **found == *name,
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            items.iter().any(|item| matches!(&item.kind, ExprKind::Name(found) if **found == *name))
        }
        _ => false,
    };
    deleted.find_map(|targets| targets.iter().find(|target| is_it(target)).map(|target| target.span))
}

/// The innermost `if` that has the name in what it guards: functions inside belong to the body.
fn conditional(statements: &[Stmt], name: &str) -> Option<Span> {
    statements.iter().find_map(|stmt| {
        let mut found = None;
        if let StmtKind::FunctionDef(def) = &stmt.kind {
            found = conditional(&def.body, name);
        }
        visit::blocks(stmt, &mut |block| found = found.or_else(|| conditional(block, name)));
        match &stmt.kind {
            StmtKind::If { test, body, orelse } if found.is_none() => {
                (mentions(body, name) || mentions(orelse, name)).then_some(test.span)
            }
            _ => found,
        }
    })
}

fn mentions(statements: &[Stmt], name: &str) -> bool {
    fn inside(expr: &Expr, name: &str) -> bool {
        let mut found = matches!(&expr.kind, ExprKind::Name(used) if **used == *name);
        visit::inside(expr, &mut |child| found = found || inside(child, name));
        found
    }
    statements.iter().any(|stmt| {
        let mut found = matches!(&stmt.kind, StmtKind::FunctionDef(def) if mentions(&def.body, name));
        visit::expressions(stmt, &mut |expr| found = found || inside(expr, name));
        visit::blocks(stmt, &mut |block| found = found || mentions(block, name));
        found
    })
}

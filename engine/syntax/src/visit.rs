//! The children of an expression, in the order in which Python evaluates them.
//! Visits one level; what is a scope of its own (lambda bodies, comprehensions) is the caller's to decide.

use crate::ast::{Arg, Expr, ExprKind, FStringPart, Params, Stmt, StmtKind};
use crate::span::Span;

/// Calls `visit` with each direct child. Of a lambda only the defaults, of a comprehension only the first iterable
/// are children here: the rest belongs to another scope.
pub fn children<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Constant(_) | ExprKind::Error => {}
        ExprKind::FString(parts) => fstring(parts, visit),
        ExprKind::BinOp { left, right, .. } => {
            visit(left);
            visit(right);
        }
        ExprKind::UnaryOp { operand, .. } => visit(operand),
        ExprKind::BoolOp { values, .. } => values.iter().for_each(visit),
        ExprKind::Compare { left, rest, .. } => {
            visit(left);
            rest.iter().for_each(visit);
        }
        ExprKind::Call { function, args } => {
            visit(function);
            args.iter().for_each(|arg| visit(argument(arg)));
        }
        ExprKind::Attribute { value, .. } => visit(value),
        ExprKind::Subscript { value, index } => {
            visit(value);
            visit(index);
        }
        ExprKind::Slice { lower, upper, step } => {
            [lower, upper, step].into_iter().flatten().for_each(|part| visit(part));
        }
        ExprKind::Tuple(elements) | ExprKind::List(elements) | ExprKind::Set(elements) => {
            elements.iter().for_each(visit);
        }
        ExprKind::Dict(entries) => {
            for (key, value) in entries {
                key.iter().for_each(&mut *visit);
                visit(value);
            }
        }
        ExprKind::ListComp(comprehension)
        | ExprKind::SetComp(comprehension)
        | ExprKind::DictComp(comprehension)
        | ExprKind::GeneratorExp(comprehension) => {
            comprehension.clauses.iter().take(1).for_each(|c| visit(&c.iter));
        }
        ExprKind::Lambda(lambda) => defaults(&lambda.params, visit),
        ExprKind::IfExp { test, body, orelse } => {
            visit(test);
            visit(body);
            visit(orelse);
        }
        ExprKind::NamedExpr { value, .. }
        | ExprKind::Starred(value)
        | ExprKind::YieldFrom(value)
        | ExprKind::Await(value) => visit(value),
        ExprKind::Yield(value) => value.iter().for_each(|value| visit(value)),
    }
}

/// Calls `visit` with each block of a compound statement. A function or class is a scope of its own, and has none here.
pub fn blocks<'a>(statement: &'a Stmt, visit: &mut dyn FnMut(&'a [Stmt])) {
    match &statement.kind {
        StmtKind::For { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::If { body, orelse, .. } => {
            visit(body);
            visit(orelse);
        }
        StmtKind::With { body, .. } => visit(body),
        StmtKind::Match { cases, .. } => cases.iter().for_each(|case| visit(&case.body)),
        StmtKind::Try { body, handlers, orelse, finalbody } => {
            visit(body);
            handlers.iter().for_each(|handler| visit(&handler.body));
            visit(orelse);
            visit(finalbody);
        }
        _ => {}
    }
}

/// Calls `visit` with each expression that stands directly in a statement: not those of its blocks, nor of the parameters
/// and body of a function.
pub fn expressions<'a>(statement: &'a Stmt, visit: &mut dyn FnMut(&'a Expr)) {
    match &statement.kind {
        StmtKind::FunctionDef(def) => def.decorators.iter().chain(&def.returns).for_each(visit),
        StmtKind::ClassDef(class) => {
            class.decorators.iter().for_each(&mut *visit);
            class.bases.iter().for_each(|base| visit(argument(base)));
        }
        StmtKind::Return(value) => value.iter().for_each(visit),
        StmtKind::Delete(targets) => targets.iter().for_each(visit),
        StmtKind::Assign { targets, value } => targets.iter().chain([value]).for_each(visit),
        StmtKind::AugAssign { target, value, .. } => [target, value].into_iter().for_each(visit),
        StmtKind::AnnAssign { target, annotation, value } => {
            [target, annotation].into_iter().chain(value).for_each(visit);
        }
        StmtKind::TypeAlias { value, .. } => visit(value),
        StmtKind::For { target, iter, .. } => [target, iter].into_iter().for_each(visit),
        StmtKind::While { test, .. } | StmtKind::If { test, .. } => visit(test),
        StmtKind::With { items, .. } => {
            items.iter().flat_map(|item| [Some(&item.context), item.target.as_ref()]).flatten().for_each(visit);
        }
        StmtKind::Match { subject, cases } => {
            [subject].into_iter().chain(cases.iter().filter_map(|case| case.guard.as_ref())).for_each(visit);
        }
        StmtKind::Raise { exception, cause } => exception.iter().chain(cause).for_each(visit),
        StmtKind::Try { handlers, .. } => {
            handlers.iter().filter_map(|handler| handler.exception.as_ref()).for_each(visit);
        }
        StmtKind::Assert { test, message } => [test].into_iter().chain(message).for_each(visit),
        StmtKind::Expr(value) => visit(value),
        StmtKind::Import(_)
        | StmtKind::ImportFrom { .. }
        | StmtKind::Global(_)
        | StmtKind::Nonlocal(_)
        | StmtKind::Pass
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Error => {}
    }
}
/// Calls `visit` with each direct child, also with what belongs to another scope: the body of a lambda, the elements and
/// clauses of a comprehension.
pub fn inside<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Lambda(lambda) => {
            defaults(&lambda.params, visit);
            visit(&lambda.body);
        }
        ExprKind::ListComp(comprehension)
        | ExprKind::SetComp(comprehension)
        | ExprKind::DictComp(comprehension)
        | ExprKind::GeneratorExp(comprehension) => {
            for clause in &comprehension.clauses {
                visit(&clause.iter);
                clause.conditions.iter().for_each(&mut *visit);
            }
            visit(&comprehension.element);
            comprehension.value.iter().for_each(visit);
        }
        _ => children(expr, visit),
    }
}

/// The arguments of the call that has exactly this span, wherever in the statements it stands.
pub fn call_at<'a>(body: &'a [Stmt], span: Span) -> Option<&'a [Arg]> {
    let statement = body.iter().find(|statement| statement.span.covers(span))?;
    let mut found = None;
    let mut look = |expr: &'a Expr| found = found.or_else(|| call_within(expr, span));
    expressions(statement, &mut look);
    if let StmtKind::FunctionDef(def) = &statement.kind {
        defaults(&def.params, &mut look);
    }
    if found.is_some() {
        return found;
    }
    match &statement.kind {
        StmtKind::FunctionDef(def) => call_at(&def.body, span),
        StmtKind::ClassDef(class) => call_at(&class.body, span),
        _ => {
            blocks(statement, &mut |block: &'a [Stmt]| found = found.or_else(|| call_at(block, span)));
            found
        }
    }
}

fn call_within<'a>(expr: &'a Expr, span: Span) -> Option<&'a [Arg]> {
    if !expr.span.covers(span) {
        return None;
    }
    match &expr.kind {
        ExprKind::Call { args, .. } if expr.span == span => Some(args),
        _ => {
            let mut found = None;
            inside(expr, &mut |child: &'a Expr| found = found.or_else(|| call_within(child, span)));
            found
        }
    }
}

/// The value of an argument of any kind.
pub fn argument(arg: &Arg) -> &Expr {
    match arg {
        Arg::Positional(value) | Arg::Star(value) | Arg::DoubleStar(value) => value,
        Arg::Keyword(_, value, _) => value,
    }
}

/// The default values of parameters.
pub fn defaults<'a>(params: &'a Params, visit: &mut dyn FnMut(&'a Expr)) {
    params.iter().filter_map(|param| param.default.as_ref()).for_each(visit);
}

fn fstring<'a>(parts: &'a [FStringPart], visit: &mut dyn FnMut(&'a Expr)) {
    for part in parts {
        if let FStringPart::Field(field) = part {
            visit(&field.value);
            fstring(&field.spec, visit);
        }
    }
}

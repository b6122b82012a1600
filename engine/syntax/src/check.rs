//! What parses and is still refused by CPython's compiler: `return` outside a function, targets that cannot be
//! assigned, names declared global too late. Worded as CPython 3.11 words it.

use crate::ast::{Comprehension, Constant, Expr, ExprKind, FunctionDef, Name, Params, Stmt, StmtKind, SyntaxError};
use crate::scope;
use crate::span::Span;
use crate::visit;
use std::collections::HashMap;

/// The errors of a module's statements.
///
/// What depends on names that a broken line might have bound is asked only of a module that is `whole`.
pub(crate) fn module(body: &[Stmt], whole: bool) -> Vec<SyntaxError> {
    let mut check = Check { whole, ..Check::default() };
    check.statements(body);
    check.errors
}

#[derive(Default)]
struct Check {
    errors: Vec<SyntaxError>,
    place: Place,
    whole: bool,
    /// Names bound in the functions around this one, for `nonlocal`.
    enclosing: Vec<Vec<Name>>,
}

/// Where a statement stands.
#[derive(Clone, Copy, Default)]
struct Place {
    in_function: bool,
    in_async: bool,
    in_class: bool,
    in_loop: bool,
}

impl Check {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(SyntaxError { span, message: message.into() });
    }

    fn statements(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn in_loop(&mut self, body: &[Stmt]) {
        let outer = std::mem::replace(&mut self.place.in_loop, true);
        self.statements(body);
        self.place.in_loop = outer;
    }

    fn statement(&mut self, statement: &Stmt) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::FunctionDef(def) => self.function(def),
            StmtKind::ClassDef(def) => {
                def.decorators.iter().for_each(|d| self.expression(d));
                def.bases.iter().for_each(|base| self.expression(visit::argument(base)));
                let place = Place { in_class: true, ..Place::default() };
                let outer = std::mem::replace(&mut self.place, place);
                self.declarations(&Params::default(), &def.body);
                self.statements(&def.body);
                self.place = outer;
            }
            StmtKind::Return(value) => {
                if !self.place.in_function {
                    self.error(span, "'return' outside function");
                }
                value.iter().for_each(|v| self.expression(v));
            }
            StmtKind::Delete(targets) => targets.iter().for_each(|t| self.deleted(t)),
            StmtKind::Assign { targets, value } => {
                for target in targets {
                    if matches!(target.kind, ExprKind::Starred(_)) {
                        self.error(target.span, "starred assignment target must be in a list or tuple");
                    }
                    self.assigned(target);
                }
                self.plain(value);
            }
            StmtKind::AugAssign { target, value, .. } => {
                match augmented_kind(target) {
                    Some(what) => {
                        self.error(target.span, format!("'{what}' is an illegal expression for augmented assignment"))
                    }
                    None => self.assigned(target),
                }
                self.plain(value);
            }
            StmtKind::AnnAssign { target, value, .. } => {
                match &target.kind {
                    ExprKind::Tuple(_) => {
                        self.error(target.span, "only single target (not tuple) can be annotated");
                    }
                    ExprKind::List(_) => {
                        self.error(target.span, "only single target (not list) can be annotated");
                    }
                    _ => self.assigned(target),
                }
                value.iter().for_each(|v| self.expression(v));
            }
            StmtKind::For { target, iter, body, orelse } => {
                self.assigned(target);
                let iter = self.unless_awaited(iter, span, "for");
                self.plain(iter);
                self.in_loop(body);
                self.statements(orelse);
            }
            StmtKind::While { test, body, orelse } => {
                self.expression(test);
                self.in_loop(body);
                self.statements(orelse);
            }
            StmtKind::If { .. } => self.conditional(statement),
            StmtKind::With { items, body } => {
                for item in items.iter() {
                    let context = self.unless_awaited(&item.context, span, "with");
                    self.expression(context);
                    item.target.iter().for_each(|t| self.assigned(t));
                }
                self.statements(body);
            }
            StmtKind::Match { subject, cases } => {
                self.expression(subject);
                for case in cases.iter() {
                    case.guard.iter().for_each(|g| self.expression(g));
                    self.statements(&case.body);
                }
            }
            StmtKind::Raise { exception, cause } => {
                exception.iter().chain(cause).for_each(|e| self.expression(e));
            }
            StmtKind::Try { body, handlers, orelse, finalbody } => {
                self.statements(body);
                for (index, handler) in handlers.iter().enumerate() {
                    handler.exception.iter().for_each(|e| self.expression(e));
                    if handler.exception.is_none() && index + 1 < handlers.len() {
                        let mut span = handler.span;
                        span.end = span.start + "except".len() as u32;
                        self.error(span, "default 'except:' must be last");
                    }
                    self.statements(&handler.body);
                }
                self.statements(orelse);
                self.statements(finalbody);
            }
            StmtKind::Assert { test, message } => {
                self.expression(test);
                message.iter().for_each(|m| self.expression(m));
            }
            StmtKind::ImportFrom { names, .. } => {
                let star = names.iter().any(|alias| &*alias.name == "*");
                if star && (self.place.in_function || self.place.in_class) {
                    self.error(span, "import * only allowed at module level");
                }
            }
            StmtKind::Nonlocal(_) if !self.place.in_function && !self.place.in_class => {
                self.error(span, "nonlocal declaration not allowed at module level");
            }
            StmtKind::Expr(value) => self.plain(value),
            StmtKind::Break if !self.place.in_loop => self.error(span, "'break' outside loop"),
            StmtKind::Continue if !self.place.in_loop => {
                self.error(span, "'continue' not properly in loop");
            }
            _ => {}
        }
    }

    /// `elif`s nest in our tree: they are followed without recursion.
    fn conditional(&mut self, statement: &Stmt) {
        let mut current = statement;
        while let StmtKind::If { test, body, orelse } = &current.kind {
            self.expression(test);
            self.statements(body);
            match &**orelse {
                [only] => current = only,
                other => return self.statements(other),
            }
        }
        self.statement(current);
    }

    fn function(&mut self, def: &FunctionDef) {
        def.decorators.iter().for_each(|d| self.expression(d));
        visit::defaults(&def.params, &mut |default| self.expression(default));
        self.declarations(&def.params, &def.body);
        let place = Place { in_function: true, in_async: def.is_async, ..Place::default() };
        let outer = std::mem::replace(&mut self.place, place);
        self.enclosing.push(def.scope.locals.clone());
        self.statements(&def.body);
        self.enclosing.pop();
        self.place = outer;
    }

    /// `global` and `nonlocal` must come before the name is used, name no parameter, and find what they name.
    fn declarations(&mut self, params: &Params, body: &[Stmt]) {
        let mut declared = Vec::new();
        declarations(body, &mut declared);
        if declared.is_empty() {
            return;
        }
        let uses = scope::uses(body);
        for (statement, name, word) in declared {
            let span = statement.span;
            let first: HashMap<bool, u32> = uses
                .iter()
                .filter(|(used, at, _)| used == name && *at < span.start)
                .map(|(_, at, is_binding)| (*is_binding, *at))
                .collect();
            if params.iter().any(|param| param.name == *name) {
                self.error(span, format!("name '{name}' is parameter and {word}"));
            } else if first.contains_key(&true) {
                self.error(span, format!("name '{name}' is assigned to before {word} declaration"));
            } else if first.contains_key(&false) {
                self.error(span, format!("name '{name}' is used prior to {word} declaration"));
            } else if self.whole
                && word == "nonlocal"
                && &**name != "__class__"
                && !self.enclosing.iter().flatten().any(|n| n == name)
            {
                self.error(span, format!("no binding for nonlocal '{name}' found"));
            }
        }
    }

    /// An expression that may not be starred.
    /// What an `async for` or `async with` awaits, or the expression of a plain one.
    fn unless_awaited<'e>(&mut self, expr: &'e Expr, statement: Span, what: &str) -> &'e Expr {
        let Some(inner) = expr.awaited_by_statement() else { return expr };
        if !self.place.in_async {
            self.error(statement, format!("'async {what}' outside async function"));
        }
        inner
    }

    fn plain(&mut self, expr: &Expr) {
        if matches!(expr.kind, ExprKind::Starred(_)) {
            self.error(expr.span, "can't use starred expression here");
        }
        self.expression(expr);
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) if !self.place.in_function => {
                self.error(expr.span, "'yield' outside function");
            }
            ExprKind::YieldFrom(_) if self.place.in_async => {
                self.error(expr.span, "'yield from' inside async function");
            }
            // Statements look for themselves: this one is a comprehension.
            ExprKind::Await(_) if !self.place.in_async && expr.awaited_by_statement().is_some() => {
                self.error(expr.span, "asynchronous comprehension outside of an asynchronous function");
            }
            ExprKind::Await(_) if !self.place.in_function => {
                self.error(expr.span, "'await' outside function");
            }
            ExprKind::Await(_) if !self.place.in_async => {
                self.error(expr.span, "'await' outside async function");
            }
            ExprKind::Lambda(lambda) => {
                visit::children(expr, &mut |child| self.expression(child));
                let place = Place { in_function: true, ..Place::default() };
                let outer = std::mem::replace(&mut self.place, place);
                self.expression(&lambda.body);
                self.place = outer;
                return;
            }
            ExprKind::ListComp(c) => self.comprehension(c, "list comprehension"),
            ExprKind::SetComp(c) => self.comprehension(c, "set comprehension"),
            ExprKind::DictComp(c) => self.comprehension(c, "dict comprehension"),
            ExprKind::GeneratorExp(c) => self.comprehension(c, "generator expression"),
            _ => {}
        }
        visit::children(expr, &mut |child| self.expression(child));
    }

    fn comprehension(&mut self, comprehension: &Comprehension, what: &str) {
        let mut inner = vec![&comprehension.element];
        inner.extend(&comprehension.value);
        for (index, clause) in comprehension.clauses.iter().enumerate() {
            self.assigned(&clause.target);
            inner.extend((index > 0).then_some(&clause.iter));
            inner.extend(&clause.conditions);
        }
        if matches!(comprehension.element.kind, ExprKind::Starred(_)) {
            self.error(comprehension.element.span, "iterable unpacking cannot be used in comprehension");
        }
        for expr in inner {
            if let ExprKind::Yield(_) | ExprKind::YieldFrom(_) = expr.kind {
                self.error(expr.span, format!("'yield' inside {what}"));
            } else {
                self.expression(expr);
            }
        }
    }

    /// A target of `=`, `for`, `with`.
    fn assigned(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Tuple(elements) | ExprKind::List(elements) => {
                let stars = elements.iter().filter(|e| matches!(e.kind, ExprKind::Starred(_))).count();
                if stars > 1 {
                    self.error(target.span, "multiple starred expressions in assignment");
                }
                elements.iter().for_each(|e| self.assigned(e));
            }
            ExprKind::Starred(inner) => self.assigned(inner),
            _ => match target_kind(target) {
                Some(what) => self.error(target.span, format!("cannot assign to {what}")),
                None => self.expression(target),
            },
        }
    }

    fn deleted(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Tuple(elements) | ExprKind::List(elements) => {
                elements.iter().for_each(|e| self.deleted(e));
            }
            ExprKind::Starred(_) => self.error(target.span, "cannot delete starred"),
            _ => match target_kind(target) {
                Some(what) => self.error(target.span, format!("cannot delete {what}")),
                None => self.expression(target),
            },
        }
    }
}

/// The `global` and `nonlocal` declarations of a body, nested functions and classes left out.
fn declarations<'a>(body: &'a [Stmt], out: &mut Vec<(&'a Stmt, &'a Name, &'static str)>) {
    for statement in body {
        match &statement.kind {
            StmtKind::Global(names) => out.extend(names.iter().map(|n| (statement, n, "global"))),
            StmtKind::Nonlocal(names) => {
                out.extend(names.iter().map(|n| (statement, n, "nonlocal")));
            }
            _ => visit::blocks(statement, &mut |block| declarations(block, out)),
        }
    }
}

fn augmented_kind(target: &Expr) -> Option<&'static str> {
    match target.kind {
        ExprKind::Tuple(_) => Some("tuple"),
        ExprKind::List(_) => Some("list"),
        _ => target_kind(target),
    }
}

/// What CPython calls an expression that cannot be assigned; `None` for one that can.
pub(crate) fn target_kind(expr: &Expr) -> Option<&'static str> {
    Some(match &expr.kind {
        ExprKind::Name(_)
        | ExprKind::Attribute { .. }
        | ExprKind::Subscript { .. }
        | ExprKind::Tuple(_)
        | ExprKind::List(_)
        | ExprKind::Starred(_)
        | ExprKind::Slice { .. }
        | ExprKind::Error => return None,
        ExprKind::Constant(Constant::None) => "None",
        ExprKind::Constant(Constant::Bool(true)) => "True",
        ExprKind::Constant(Constant::Bool(false)) => "False",
        ExprKind::Constant(Constant::Ellipsis) => "ellipsis",
        ExprKind::Constant(_) => "literal",
        ExprKind::FString(_) => "f-string expression",
        ExprKind::BinOp { .. } | ExprKind::UnaryOp { .. } | ExprKind::BoolOp { .. } => "expression",
        ExprKind::Compare { .. } => "comparison",
        ExprKind::Call { .. } => "function call",
        ExprKind::Set(_) => "set display",
        ExprKind::Dict(_) => "dict literal",
        ExprKind::ListComp(_) => "list comprehension",
        ExprKind::SetComp(_) => "set comprehension",
        ExprKind::DictComp(_) => "dict comprehension",
        ExprKind::GeneratorExp(_) => "generator expression",
        ExprKind::Lambda(_) => "lambda",
        ExprKind::IfExp { .. } => "conditional expression",
        ExprKind::NamedExpr { .. } => "named expression",
        ExprKind::Yield(_) | ExprKind::YieldFrom(_) => "yield expression",
        ExprKind::Await(_) => "await expression",
    })
}

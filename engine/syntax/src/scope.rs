//! The symbol table: which names a function, lambda, class or comprehension binds, as CPython's symtable finds them.
//! Says nothing of what a free name refers to; that is looked up when it is evaluated.

use crate::ast::{
    Alias, Comprehension, ComprehensionClause, Expr, ExprKind, Name, Params, Pattern, Scope, Stmt, StmtKind,
};
use crate::span::Span;
use crate::visit;
use std::collections::HashSet;

/// The scope of a function body.
pub(crate) fn function(params: &Params, body: &[Stmt]) -> Scope {
    let mut collector = Collector::default();
    collector.params(params);
    collector.statements(body);
    collector.finish()
}

/// The scope of a lambda.
pub(crate) fn lambda(params: &Params, body: &Expr) -> Scope {
    let mut collector = Collector::default();
    collector.params(params);
    collector.expression(body);
    collector.finish()
}

/// The scope of a class body.
pub(crate) fn class(body: &[Stmt]) -> Scope {
    let mut collector = Collector::default();
    collector.statements(body);
    collector.finish()
}

/// The scope of a comprehension: its targets. A walrus inside binds in the function around it.
pub(crate) fn comprehension(clauses: &[ComprehensionClause]) -> Scope {
    let mut collector = Collector::default();
    for clause in clauses {
        collector.target(&clause.target);
    }
    collector.finish()
}

/// The names that statements of a module bind in it, in order of binding: `global` makes no difference there.
pub(crate) fn module_bindings(body: &[Stmt]) -> Vec<Name> {
    let mut collector = Collector::default();
    collector.statements(body);
    collector.bound
}

/// Every mention of a name in a scope: where, and whether it binds.
pub(crate) fn uses(body: &[Stmt]) -> Vec<(Name, u32, bool)> {
    let mut collector = Collector { uses: Some(Vec::new()), ..Collector::default() };
    collector.statements(body);
    collector.uses.unwrap_or_default()
}

#[derive(Default)]
struct Collector {
    bound: Vec<Name>,
    seen: HashSet<Name>,
    globals: Vec<Name>,
    nonlocals: Vec<Name>,
    is_generator: bool,
    /// Mentions, where they are asked for.
    uses: Option<Vec<(Name, u32, bool)>>,
}

impl Collector {
    fn finish(self) -> Scope {
        let mut locals = self.bound;
        if !self.globals.is_empty() || !self.nonlocals.is_empty() {
            locals.retain(|name| !self.globals.contains(name) && !self.nonlocals.contains(name));
        }
        Scope { locals, globals: self.globals, nonlocals: self.nonlocals, is_generator: self.is_generator }
    }

    fn bind(&mut self, name: &Name) {
        if self.seen.insert(name.clone()) {
            self.bound.push(name.clone());
        }
    }

    fn mention(&mut self, name: &Name, span: Span, binds: bool) {
        if let Some(uses) = &mut self.uses {
            uses.push((name.clone(), span.start, binds));
        }
    }

    fn params(&mut self, params: &Params) {
        // CPython's order of locals: positional, keyword-only, then *args and **kwargs.
        let named = [&params.positional_only, &params.positional, &params.keyword_only];
        named.into_iter().flatten().chain(&params.vararg).chain(&params.kwarg).for_each(|param| self.bind(&param.name));
    }

    fn statements(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::FunctionDef(def) => {
                def.decorators.iter().for_each(|d| self.expression(d));
                visit::defaults(&def.params, &mut |default| self.expression(default));
                self.mention(&def.name, def.name_span, true);
                self.bind(&def.name);
            }
            StmtKind::ClassDef(def) => {
                def.decorators.iter().for_each(|d| self.expression(d));
                def.bases.iter().for_each(|base| self.expression(visit::argument(base)));
                self.bind(&def.name);
            }
            StmtKind::Return(value) => value.iter().for_each(|v| self.expression(v)),
            StmtKind::Delete(targets) => targets.iter().for_each(|t| self.target(t)),
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|t| self.target(t));
                self.expression(value);
            }
            StmtKind::AugAssign { target, value, .. } => {
                self.target(target);
                self.expression(value);
            }
            StmtKind::AnnAssign { target, value, .. } => {
                self.target(target);
                value.iter().for_each(|v| self.expression(v));
            }
            StmtKind::TypeAlias { name, .. } => self.bind(name),
            StmtKind::For { target, iter, body, orelse } => {
                self.target(target);
                self.expression(iter);
                self.statements(body);
                self.statements(orelse);
            }
            StmtKind::While { test, body, orelse } | StmtKind::If { test, body, orelse } => {
                self.expression(test);
                self.statements(body);
                self.statements(orelse);
            }
            StmtKind::With { items, body } => {
                for item in items.iter() {
                    self.expression(&item.context);
                    item.target.iter().for_each(|t| self.target(t));
                }
                self.statements(body);
            }
            StmtKind::Match { subject, cases } => {
                self.expression(subject);
                for case in cases.iter() {
                    self.pattern(&case.pattern);
                    case.guard.iter().for_each(|g| self.expression(g));
                    self.statements(&case.body);
                }
            }
            StmtKind::Raise { exception, cause } => {
                exception.iter().chain(cause).for_each(|e| self.expression(e));
            }
            StmtKind::Try { body, handlers, orelse, finalbody } => {
                self.statements(body);
                for handler in handlers.iter() {
                    handler.exception.iter().for_each(|e| self.expression(e));
                    handler.name.iter().for_each(|name| self.bind(name));
                    self.statements(&handler.body);
                }
                self.statements(orelse);
                self.statements(finalbody);
            }
            StmtKind::Assert { test, message } => {
                self.expression(test);
                message.iter().for_each(|m| self.expression(m));
            }
            StmtKind::Import(names) => names.iter().for_each(|alias| self.module(alias)),
            StmtKind::ImportFrom { names, .. } => {
                for alias in names.iter().filter(|alias| &*alias.name != "*") {
                    self.bind(alias.asname.as_ref().unwrap_or(&alias.name));
                }
            }
            StmtKind::Global(names) => extend(&mut self.globals, names),
            StmtKind::Nonlocal(names) => extend(&mut self.nonlocals, names),
            StmtKind::Expr(value) => self.expression(value),
            StmtKind::Pass | StmtKind::Break | StmtKind::Continue | StmtKind::Error => {}
        }
    }

    /// `import a.b` binds `a`.
    fn module(&mut self, alias: &Alias) {
        match (&alias.asname, alias.name.split_once('.')) {
            (Some(name), _) => self.bind(name),
            (None, Some((first, _))) => self.bind(&Name::from(first)),
            (None, None) => self.bind(&alias.name),
        }
    }

    fn target(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => {
                self.mention(name, target.span, true);
                self.bind(name);
            }
            ExprKind::Tuple(elements) | ExprKind::List(elements) => {
                elements.iter().for_each(|e| self.target(e));
            }
            ExprKind::Starred(inner) => self.target(inner),
            _ => self.expression(target),
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Wildcard | Pattern::Value(_) | Pattern::Singleton(_) => {}
            Pattern::Capture { pattern, name, .. } => {
                pattern.iter().for_each(|p| self.pattern(p));
                self.bind(name);
            }
            Pattern::Sequence(patterns) | Pattern::Or(patterns) => {
                patterns.iter().for_each(|p| self.pattern(p));
            }
            Pattern::Star(name) => name.iter().for_each(|n| self.bind(n)),
            Pattern::Mapping { patterns, rest, .. } => {
                patterns.iter().for_each(|p| self.pattern(p));
                rest.iter().for_each(|n| self.bind(n));
            }
            Pattern::Class { positional, keywords, .. } => {
                positional.iter().for_each(|p| self.pattern(p));
                keywords.iter().for_each(|(_, p)| self.pattern(p));
            }
        }
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::NamedExpr { target, value, .. } => {
                self.expression(value);
                self.bind(target);
                return;
            }
            ExprKind::Name(name) => self.mention(name, expr.span, false),
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) => self.is_generator = true,
            ExprKind::ListComp(comprehension)
            | ExprKind::SetComp(comprehension)
            | ExprKind::DictComp(comprehension)
            | ExprKind::GeneratorExp(comprehension) => self.walrus_in(comprehension),
            _ => {}
        }
        visit::children(expr, &mut |child| self.expression(child));
    }

    /// A walrus in a comprehension binds in the scope around it.
    fn walrus_in(&mut self, comprehension: &Comprehension) {
        self.expression(&comprehension.element);
        comprehension.value.iter().for_each(|v| self.expression(v));
        for (position, clause) in comprehension.clauses.iter().enumerate() {
            if position > 0 {
                self.expression(&clause.iter);
            }
            clause.conditions.iter().for_each(|c| self.expression(c));
        }
    }
}

fn extend(names: &mut Vec<Name>, more: &[Name]) {
    for name in more {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
}

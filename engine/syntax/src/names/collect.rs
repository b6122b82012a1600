//! The walk that finds every mention of a name, with the scope that it stands in.

use super::{Mention, NameScope, Names, Role, ScopeId, ScopeKind, places};
use crate::ast::{
    Comprehension, Expr, ExprKind, FunctionDef, Module, Name, Param, Params, Pattern, Scope, Stmt, StmtKind,
};
use crate::scope::module_bindings;
use crate::span::{SourceFile, Span};
use crate::visit;

pub(super) fn names(module: &Module) -> Names {
    let mut walk = Walk { source: &module.source, names: Names::default(), scope: 0 };
    walk.names.scopes.push(NameScope {
        kind: ScopeKind::Module,
        parent: None,
        locals: module_bindings(&module.body),
        globals: Vec::new(),
        nonlocals: Vec::new(),
    });
    walk.statements(&module.body);
    for variable in &mut walk.names.variables {
        variable.mentions.sort_by_key(|mention| mention.span);
        variable.mentions.dedup();
    }
    walk.names
}

struct Walk<'a> {
    source: &'a SourceFile,
    names: Names,
    scope: ScopeId,
}

impl Walk<'_> {
    fn mention(&mut self, name: &Name, span: Span, role: Role) {
        self.names.mention(name, Mention { span, scope: self.scope, role });
    }

    /// As [`Walk::mention`], of a name whose place was looked for.
    fn placed(&mut self, name: &Name, span: Option<Span>, role: Role) {
        if let Some(span) = span {
            self.mention(name, span, role);
        }
    }

    fn inside(&mut self, kind: ScopeKind, scope: &Scope, walk: impl FnOnce(&mut Self)) {
        self.names.scopes.push(NameScope {
            kind,
            parent: Some(self.scope),
            locals: scope.locals.clone(),
            globals: scope.globals.clone(),
            nonlocals: scope.nonlocals.clone(),
        });
        let around = std::mem::replace(&mut self.scope, self.names.scopes.len() - 1);
        walk(self);
        self.scope = around;
    }

    fn statements(&mut self, body: &[Stmt]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::FunctionDef(def) => self.function(def),
            StmtKind::ClassDef(class) => {
                visit::expressions(statement, &mut |expr| self.expression(expr));
                self.mention(&class.name, class.name_span, Role::Class);
                self.inside(ScopeKind::Class, &class.scope, |walk| walk.statements(&class.body));
            }
            StmtKind::TypeAlias { name, value, .. } => {
                self.placed(name, places::first(self.source, span, name), Role::Assign);
                self.expression(value);
            }
            StmtKind::Import(aliases) => {
                for alias in aliases {
                    self.import(&alias.name, alias.asname.as_ref(), alias.span);
                }
            }
            StmtKind::ImportFrom { names, .. } => {
                for alias in names.iter().filter(|alias| &*alias.name != "*") {
                    self.import(&alias.name, alias.asname.as_ref(), alias.span);
                }
            }
            StmtKind::Global(names) | StmtKind::Nonlocal(names) => {
                for name in names {
                    self.placed(name, places::first(self.source, span, name), Role::Declare);
                }
            }
            StmtKind::Delete(targets) => targets.iter().for_each(|target| self.target(target)),
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|target| self.target(target));
                self.expression(value);
            }
            StmtKind::AnnAssign { target, annotation, value } => {
                self.target(target);
                self.expression(annotation);
                value.iter().for_each(|value| self.expression(value));
            }
            StmtKind::AugAssign { target, value, .. } => {
                self.target(target);
                self.expression(value);
            }
            StmtKind::For { target, iter, .. } => {
                self.target(target);
                self.expression(iter);
            }
            StmtKind::With { items, .. } => {
                for item in items.iter() {
                    self.expression(&item.context);
                    item.target.iter().for_each(|target| self.target(target));
                }
            }
            StmtKind::Match { cases, .. } => {
                visit::expressions(statement, &mut |expr| self.expression(expr));
                cases.iter().for_each(|case| self.pattern(&case.pattern, case.span));
            }
            StmtKind::Try { handlers, .. } => {
                visit::expressions(statement, &mut |expr| self.expression(expr));
                for handler in handlers.iter() {
                    if let (Some(name), Some(exception)) = (&handler.name, &handler.exception) {
                        let behind = Span { start: exception.span.end, ..handler.span };
                        self.placed(name, places::behind(self.source, behind, &["as"], name), Role::Assign);
                    }
                }
            }
            _ => visit::expressions(statement, &mut |expr| self.expression(expr)),
        }
        visit::blocks(statement, &mut |block| self.statements(block));
    }

    fn import(&mut self, name: &Name, asname: Option<&Name>, span: Span) {
        if let Some(asname) = asname {
            let start = span.end - asname.len() as u32;
            self.mention(asname, Span { start, ..span }, Role::Alias);
            return;
        }
        let first: Name = name.split_once('.').map_or(name.clone(), |(first, _)| first.into());
        let end = span.start + first.len() as u32;
        self.mention(&first, Span { end, ..span }, Role::Import);
    }

    fn function(&mut self, def: &FunctionDef) {
        def.decorators.iter().chain(&def.returns).for_each(|expr| self.expression(expr));
        self.around_params(&def.params);
        self.mention(&def.name, def.name_span, Role::Function);
        self.inside(ScopeKind::Function, &def.scope, |walk| {
            walk.params(&def.params);
            walk.statements(&def.body);
        });
    }

    /// Defaults and annotations, which belong to the scope around the function.
    fn around_params(&mut self, params: &Params) {
        let outside = |param: &Param| [param.annotation.clone(), param.default.clone()];
        params.iter().flat_map(outside).flatten().for_each(|expr| self.expression(&expr));
    }

    fn params(&mut self, params: &Params) {
        for param in params.iter() {
            // The span goes on to the annotation, and may begin with stars.
            self.placed(&param.name, places::first(self.source, param.span, &param.name), Role::Parameter);
        }
    }

    fn target(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => self.mention(name, target.span, Role::Assign),
            ExprKind::Tuple(elements) | ExprKind::List(elements) => elements.iter().for_each(|e| self.target(e)),
            ExprKind::Starred(inner) => self.target(inner),
            _ => self.expression(target),
        }
    }

    fn pattern(&mut self, pattern: &Pattern, case: Span) {
        let starred = |walk: &mut Self, name: &Option<Name>, sign: &str| {
            if let Some(name) = name {
                walk.placed(name, places::behind(walk.source, case, &[sign], name), Role::Assign);
            }
        };
        match pattern {
            Pattern::Wildcard | Pattern::Singleton(_) => {}
            Pattern::Value(value) => self.expression(value),
            Pattern::Capture { pattern, name, span } => {
                pattern.iter().for_each(|inner| self.pattern(inner, case));
                self.mention(name, *span, Role::Assign);
            }
            Pattern::Sequence(patterns) | Pattern::Or(patterns) => {
                patterns.iter().for_each(|inner| self.pattern(inner, case));
            }
            Pattern::Star(name) => starred(self, name, "*"),
            Pattern::Mapping { keys, patterns, rest } => {
                keys.iter().for_each(|key| self.expression(key));
                patterns.iter().for_each(|inner| self.pattern(inner, case));
                starred(self, rest, "**");
            }
            Pattern::Class { class, positional, keywords } => {
                self.expression(class);
                positional.iter().for_each(|inner| self.pattern(inner, case));
                keywords.iter().for_each(|(_, inner)| self.pattern(inner, case));
            }
        }
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.mention(name, expr.span, Role::Read),
            ExprKind::NamedExpr { target, target_span, value } => {
                self.mention(target, *target_span, Role::Assign);
                self.expression(value);
            }
            ExprKind::Lambda(lambda) => {
                self.around_params(&lambda.params);
                self.inside(ScopeKind::Function, &lambda.scope, |walk| {
                    walk.params(&lambda.params);
                    walk.expression(&lambda.body);
                });
            }
            ExprKind::ListComp(inner)
            | ExprKind::SetComp(inner)
            | ExprKind::DictComp(inner)
            | ExprKind::GeneratorExp(inner) => self.comprehension(inner),
            _ => visit::children(expr, &mut |child| self.expression(child)),
        }
    }

    fn comprehension(&mut self, inner: &Comprehension) {
        inner.clauses.iter().take(1).for_each(|clause| self.expression(&clause.iter));
        self.inside(ScopeKind::Comprehension, &inner.scope, |walk| {
            for (position, clause) in inner.clauses.iter().enumerate() {
                walk.target(&clause.target);
                if position > 0 {
                    walk.expression(&clause.iter);
                }
                clause.conditions.iter().for_each(|condition| walk.expression(condition));
            }
            walk.expression(&inner.element);
            inner.value.iter().for_each(|value| walk.expression(value));
        });
    }
}

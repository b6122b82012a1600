//! Functions, lambdas, classes: parameters of every kind, decorators, bases.

use super::{Kind, Lower, children, field, named};
use crate::ast::{ClassDef, Constant, ExprKind, FunctionDef, Lambda, Param, Params, Stmt, StmtKind};
use crate::scope;
use std::sync::Arc;
use tree_sitter::Node;

impl Lower<'_> {
    /// `@a`, `@b`, then a `def` or a `class`.
    pub(super) fn decorated(&mut self, node: Node<'_>) -> Stmt {
        let decorators: Vec<_> = named(node)
            .into_iter()
            .filter(|child| child.called() == "decorator")
            .map(|child| {
                self.starts_line(child);
                self.only(child)
            })
            .collect();
        let Some(definition) = field(node, "definition") else {
            return self.error_statement(node);
        };
        self.starts_line(definition);
        let mut statement = match definition.called() {
            "function_definition" => self.function(definition, decorators),
            "class_definition" => self.class(definition, decorators),
            _ => return self.error_statement(node),
        };
        statement.span = self.span(node).cover(statement.span);
        statement.span.end = match &statement.kind {
            StmtKind::FunctionDef(function) => function.span.end,
            StmtKind::ClassDef(class) => class.span.end,
            _ => statement.span.end,
        };
        statement
    }

    /// A `def`.
    pub(super) fn function(&mut self, node: Node<'_>, decorators: Vec<crate::ast::Expr>) -> Stmt {
        let Some(name) = field(node, "name") else {
            return self.error_statement(node);
        };
        let params = match field(node, "parameters") {
            Some(parameters) => self.params(parameters),
            None => Params::default(),
        };
        let returns = field(node, "return_type").map(|returns| self.expression(returns));
        let body = self.suite(field(node, "body"));
        let span = self.compound_span(node, &body);
        let is_async = children(node).first().is_some_and(|c| c.called() == "async");
        let function = FunctionDef {
            name: self.name(name),
            name_span: self.span(name),
            scope: scope::function(&params, &body),
            params,
            docstring: docstring(&body),
            body,
            decorators,
            returns,
            is_async,
            type_params: self.type_params(field(node, "type_parameters")),
            span,
        };
        Stmt { kind: StmtKind::FunctionDef(Arc::new(function)), span }
    }

    /// A `class`.
    pub(super) fn class(&mut self, node: Node<'_>, decorators: Vec<crate::ast::Expr>) -> Stmt {
        let Some(name) = field(node, "name") else {
            return self.error_statement(node);
        };
        let bases = match field(node, "superclasses") {
            Some(list) => self.arguments(list),
            None => Vec::new(),
        };
        let body = self.suite(field(node, "body"));
        let span = self.compound_span(node, &body);
        let class = ClassDef {
            name: self.name(name),
            name_span: self.span(name),
            bases,
            scope: scope::class(&body),
            docstring: docstring(&body),
            body,
            decorators,
            type_params: self.type_params(field(node, "type_parameters")),
            span,
        };
        Stmt { kind: StmtKind::ClassDef(Arc::new(class)), span }
    }

    /// A `lambda`.
    pub(super) fn lambda(&mut self, node: Node<'_>) -> ExprKind {
        let params = match field(node, "parameters") {
            Some(parameters) => self.params(parameters),
            None => Params::default(),
        };
        let body = self.expression_field(node, "body");
        ExprKind::Lambda(Arc::new(Lambda { scope: scope::lambda(&params, &body), params, body, span: self.span(node) }))
    }

    /// The parameters between the parentheses of a `def` or after a `lambda`.
    pub(super) fn params(&mut self, node: Node<'_>) -> Params {
        let mut params = Params::default();
        // Set once a `*` or `*args` was seen: what follows is keyword-only.
        let mut starred: Option<Node<'_>> = None;
        for child in named(node) {
            if params.kwarg.is_some() && !child.is_error() {
                let span = self.span(child);
                self.error(span, "arguments cannot follow var-keyword argument");
            }
            match child.called() {
                "positional_separator" => {
                    if !params.positional_only.is_empty() {
                        let span = self.span(child);
                        self.error(span, "/ may appear only once");
                    } else if starred.is_some() {
                        let span = self.span(child);
                        self.error(span, "/ must be ahead of *");
                    } else if params.positional.is_empty() {
                        let span = self.span(child);
                        self.error(span, "at least one argument must precede /");
                    } else {
                        params.positional_only = std::mem::take(&mut params.positional);
                    }
                }
                "keyword_separator" => {
                    self.check_one_star(starred, child);
                    starred = Some(child);
                }
                "list_splat_pattern" => {
                    self.check_one_star(starred, child);
                    starred = Some(child);
                    params.vararg = self.splat_param(child, child);
                }
                "dictionary_splat_pattern" => params.kwarg = self.splat_param(child, child),
                "typed_parameter" => {
                    let kind = named(child).first().map(|c| c.called());
                    match (kind, named(child).first()) {
                        (Some("list_splat_pattern"), Some(splat)) => {
                            self.check_one_star(starred, child);
                            starred = Some(child);
                            params.vararg = self.splat_param(*splat, child);
                        }
                        (Some("dictionary_splat_pattern"), Some(splat)) => {
                            params.kwarg = self.splat_param(*splat, child);
                        }
                        _ => self.plain_param(child, starred.is_some(), &mut params),
                    }
                }
                "identifier" | "default_parameter" | "typed_default_parameter" => {
                    self.plain_param(child, starred.is_some(), &mut params);
                }
                _ => {
                    if !child.is_error() {
                        let span = self.span(child);
                        self.error(span, "Function parameters cannot be parenthesized");
                    }
                }
            }
        }
        if let Some(star) = starred
            && star.called() == "keyword_separator"
            && params.keyword_only.is_empty()
        {
            let span = self.span(star);
            self.error(span, "named arguments must follow bare *");
        }
        self.check_duplicates(&params);
        params
    }

    fn check_one_star(&mut self, before: Option<Node<'_>>, node: Node<'_>) {
        if before.is_some() {
            let span = self.span(node);
            self.error(span, "* argument may appear only once");
        }
    }

    fn check_duplicates(&mut self, params: &Params) {
        let mut seen = std::collections::HashSet::new();
        let mut repeated = Vec::new();
        for param in params.iter() {
            if !seen.insert(param.name.clone()) {
                repeated.push((param.span, param.name.clone()));
            }
        }
        for (span, name) in repeated {
            self.error(span, format!("duplicate argument '{name}' in function definition"));
        }
    }

    fn plain_param(&mut self, node: Node<'_>, keyword_only: bool, params: &mut Params) {
        let (name, annotation, default) = if node.called() == "identifier" {
            (Some(node), None, None)
        } else {
            let name = field(node, "name").or_else(|| named(node).first().copied());
            (name, field(node, "type"), field(node, "value"))
        };
        let Some(name) = name.filter(|name| name.called() == "identifier") else {
            let span = self.span(node);
            self.error(span, "invalid syntax");
            return;
        };
        // As CPython's `arg`: the name and its annotation, without the default.
        let span = self.span_over(name, annotation.unwrap_or(name));
        let param = Param {
            name: self.name(name),
            annotation: annotation.map(|annotation| self.expression(annotation)),
            default: default.map(|default| self.expression(default)),
            span,
        };
        if keyword_only {
            params.keyword_only.push(param);
            return;
        }
        let last = params.positional.last().or(params.positional_only.last());
        if param.default.is_none() && last.is_some_and(|last| last.default.is_some()) {
            self.error(span, "non-default argument follows default argument");
        }
        params.positional.push(param);
    }

    fn splat_param(&mut self, splat: Node<'_>, whole: Node<'_>) -> Option<Param> {
        let name = named(splat).first().copied()?;
        if name.called() != "identifier" {
            let span = self.span(name);
            self.error(span, "invalid syntax");
            return None;
        }
        let annotation = field(whole, "type").filter(|_| whole.id() != splat.id());
        Some(Param {
            name: self.name(name),
            span: self.span_over(name, annotation.unwrap_or(name)),
            annotation: annotation.map(|annotation| self.expression(annotation)),
            default: None,
        })
    }
}

/// The string that a body starts with.
pub(crate) fn docstring(body: &[Stmt]) -> Option<Arc<str>> {
    match &body.first()?.kind {
        StmtKind::Expr(expr) => match &expr.kind {
            ExprKind::Constant(Constant::Str(text)) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

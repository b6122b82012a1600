//! Python in kernels that happens when they are traced, not when they run (PL313): `print` of a value, values that are appended
//! to lists from outside, assignments to variables from outside. Read off the syntax of kernels that were traced; what is a
//! value of the kernel is known from the types that were seen.

use crate::analysis::Analysis;
use crate::fixes::tree;
use pallas_ir::{Finding, Label, Severity};
use pallas_syntax::Span;
use pallas_syntax::ast::{Expr, ExprKind, FunctionDef, Module, Name, Stmt, StmtKind};
use pallas_syntax::visit;
use std::collections::HashSet;
use std::sync::Arc;

/// Methods that put something into a container.
const ADDS: [&str; 6] = ["append", "extend", "insert", "add", "update", "appendleft"];

/// What the kernels of a file do besides.
pub(crate) fn find(analysis: &Analysis) -> Vec<Finding> {
    let kernels: HashSet<Span> = analysis.launches.iter().filter_map(|launch| launch.spans.kernel).collect();
    let mut kernels: Vec<Span> = kernels.into_iter().collect();
    kernels.sort_unstable();
    let mut found = Vec::new();
    for name in kernels.into_iter().filter(|&span| analysis.module.holds(span)) {
        if let Some(kernel) = tree::function(&analysis.module, name) {
            let mut search = Search { analysis, kernel, inner: Vec::new(), found: Vec::new() };
            search.block(&kernel.body);
            found.append(&mut search.found);
        }
    }
    found
}

struct Search<'a> {
    analysis: &'a Analysis,
    kernel: &'a Arc<FunctionDef>,
    /// Functions within the kernel that enclose the place.
    inner: Vec<&'a Arc<FunctionDef>>,
    found: Vec<Finding>,
}

impl<'a> Search<'a> {
    fn block(&mut self, body: &'a [Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match &statement.kind {
            StmtKind::FunctionDef(def) => {
                self.inner.push(def);
                self.block(&def.body);
                self.inner.pop();
                return;
            }
            StmtKind::ClassDef(_) => return,
            StmtKind::Assign { targets, value } => {
                for target in targets {
                    self.assigned(target, value, statement.span);
                }
            }
            StmtKind::AugAssign { target, value, .. } => self.assigned(target, value, statement.span),
            StmtKind::Expr(value) => self.called(value),
            _ => {}
        }
        let mut blocks = Vec::new();
        visit::blocks(statement, &mut |block| blocks.push(block));
        blocks.into_iter().for_each(|block| self.block(block));
    }

    /// Whether a name is one of the program around the kernel.
    fn is_outside(&self, name: &Name) -> bool {
        let scopes = self.inner.iter().rev().map(|def| &def.scope).chain([&self.kernel.scope]);
        for scope in scopes {
            if scope.globals.contains(name) {
                return true;
            }
            if scope.locals.contains(name) {
                return false;
            }
        }
        true
    }

    fn assigned(&mut self, target: &Expr, value: &'a Expr, statement: Span) {
        let ExprKind::Name(name) = &target.kind else { return };
        let declared = |def: &FunctionDef| def.scope.globals.contains(name) || def.scope.nonlocals.contains(name);
        let innermost = self.inner.last().copied().unwrap_or(self.kernel);
        if !declared(innermost) || !self.is_outside(name) {
            return;
        }
        let is_traced = self.is_traced(value);
        let what = format!("`{name}` of the program around the kernel is assigned once, when the kernel is traced");
        self.report(statement, what, is_traced, "store what is to be kept to an output");
    }

    fn called(&mut self, call: &'a Expr) {
        let ExprKind::Call { function, args } = &call.kind else { return };
        match &function.kind {
            ExprKind::Name(name) if &**name == "print" && self.is_outside(name) => {
                let traced = args.iter().map(visit::argument).find(|value| self.is_traced(value));
                if let Some(value) = traced {
                    let shown = self.analysis.module.slice(value.span);
                    let what = format!("this prints what `{shown}` is called, once, when the kernel is traced");
                    self.report(call.span, what, true, "`pl.debug_print(\"{}\", ...)` prints values when programs run");
                }
            }
            ExprKind::Attribute { value, name, .. } if ADDS.contains(&&**name) => {
                let ExprKind::Name(list) = &value.kind else { return };
                if self.is_outside(list) && is_container(&self.analysis.module, list) {
                    let is_traced = args.iter().map(visit::argument).any(|value| self.is_traced(value));
                    let what = format!(
                        "`{list}` of the program around the kernel gets one entry, when the kernel is traced, not one for each \
                         program"
                    );
                    self.report(call.span, what, is_traced, "store what is to be kept to an output");
                }
            }
            _ => {}
        }
    }

    /// Whether an expression has a value of the kernel in it, other than its shape or type.
    fn is_traced(&self, expr: &'a Expr) -> bool {
        // In kernels every array is traced; `x.shape` is a tuple, whatever `x` is.
        if let Some(fact) = self.analysis.facts.get(expr.span) {
            if fact.ty.as_deref().is_some_and(|ty| !ty.starts_with("ref<") && ty.contains('[')) {
                return true;
            }
            if !matches!(fact.class.as_str(), "tuple" | "list" | "dict" | "str") {
                return false;
            }
        }
        let mut is_traced = false;
        match &expr.kind {
            ExprKind::Tuple(_) | ExprKind::List(_) | ExprKind::Dict(_) | ExprKind::FString(_) => {
                visit::children(expr, &mut |child| is_traced |= self.is_traced(child));
            }
            _ => {}
        }
        is_traced
    }

    fn report(&mut self, span: Span, message: String, is_traced: bool, help: &str) {
        let severity = if is_traced { crate::findings::severity("PL313") } else { Severity::Info };
        self.found.push(Finding {
            severity,
            labels: vec![Label { span: self.kernel.name_span, text: "the kernel".to_string() }],
            evidence: is_traced
                .then(|| "a traced value is no number: it has a shape and a dtype, and nothing else".to_string()),
            help: Some(help.to_string()),
            ..crate::findings::proved("PL313", span, message)
        });
    }
}

/// Whether a name is given a new list, set or dict somewhere.
fn is_container(module: &Module, name: &Name) -> bool {
    let mut found = false;
    tree::in_statements(&module.body, &mut |statement| {
        let StmtKind::Assign { targets, value } = &statement.kind else { return };
        let is_new = match &value.kind {
            ExprKind::List(_) | ExprKind::Dict(_) | ExprKind::Set(_) => true,
            ExprKind::Call { .. } => tree::callee(value)
                .is_some_and(|(class, _)| matches!(&**class, "list" | "set" | "dict" | "deque" | "defaultdict")),
            _ => false,
        };
        let is_it = |target: &Expr| matches!(&target.kind, ExprKind::Name(bound) if bound == name);
        found |= is_new && targets.iter().any(is_it);
    });
    found
}

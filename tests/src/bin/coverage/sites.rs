//! Launch sites in a syntax tree, with the functions around them.

use pallas_engine::Span;
use pallas_engine::syntax::ast::{ClassDef, Expr, ExprKind, FunctionDef, Module, Stmt, StmtKind};
use pallas_engine::syntax::visit;
use std::collections::HashSet;
use std::sync::Arc;

/// One use of a launcher.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// `pallas_call`, `kernel`, `core_map`
    pub(crate) launcher: String,
    /// The call, or the decorator.
    pub(crate) span: Span,
    /// The launcher's name in it.
    pub(crate) callee: Span,
    /// Whether it is no launcher of Pallas, but one of the package that calls it.
    pub(crate) is_wrapper: bool,
    /// The function of the module, or the class, that it stands in.
    pub(crate) within: Option<String>,
    /// The body of the function or method that it stands in, or the site itself.
    pub(crate) around: Span,
}

/// A function of the module, and the names that occur in it.
pub(crate) struct Outer {
    pub(crate) def: Arc<FunctionDef>,
    pub(crate) body: Span,
    pub(crate) names: HashSet<String>,
}

/// What was found in a module.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) sites: Vec<Site>,
    pub(crate) functions: Vec<Outer>,
    /// Classes of the module: dataclasses are made up for parameters.
    pub(crate) classes: Vec<Arc<ClassDef>>,
    names: HashSet<String>,
    within: Option<String>,
    /// The body of the outermost function around what is looked at.
    body: Option<Span>,
}

/// A function calls another through at most so many others.
const DEPTH: usize = 4;
/// Functions from which a site is tried to be reached.
const MOST_CALLERS: usize = 3;

const LAUNCHERS: [&str; 3] = ["pallas_call", "kernel", "core_map"];
/// `kernel` is a common word: it launches as an attribute of these.
const MODULES: [&str; 4] = ["pl", "plgpu", "pallas", "pltpu"];

/// Looks through a module.
pub(crate) fn find(module: &Module) -> Found {
    let mut found = Found::default();
    for stmt in module.body.iter() {
        found.top_level(stmt);
    }
    found
}

fn span_of(body: &[Stmt]) -> Span {
    body.iter().map(|stmt| stmt.span).reduce(Span::cover).unwrap_or_default()
}

impl Found {
    /// The functions that lead to `name`, those that nobody else calls first, public ones before others; at last itself.
    pub(crate) fn callers(&self, name: &str) -> Vec<&Outer> {
        let Some(own) = self.functions.iter().position(|function| &*function.def.name == name) else {
            return Vec::new();
        };
        let mut level = vec![own];
        let mut all = vec![(0, own)];
        for depth in 1..=DEPTH {
            let names: Vec<&str> = level.iter().map(|&index| &*self.functions[index].def.name).collect();
            level = (0..self.functions.len())
                .filter(|index| names.iter().any(|name| self.functions[*index].names.contains(*name)))
                .filter(|index| !all.iter().any(|(_, known)| known == index))
                .collect();
            all.extend(level.iter().map(|&index| (depth, index)));
        }
        let is_public = |index: usize| !self.functions[index].def.name.starts_with('_');
        all.sort_by_key(|&(depth, index)| (!is_public(index), std::cmp::Reverse(depth)));
        let mut picked: Vec<usize> = all.iter().map(|&(_, index)| index).take(MOST_CALLERS).collect();
        if !picked.contains(&own) {
            picked.push(own);
        }
        picked.into_iter().map(|index| &self.functions[index]).collect()
    }

    fn top_level(&mut self, stmt: &Stmt) {
        self.within = match &stmt.kind {
            StmtKind::FunctionDef(def) => Some(def.name.to_string()),
            StmtKind::ClassDef(def) => Some(def.name.to_string()),
            _ => None,
        };
        self.names.clear();
        self.stmt(stmt);
        if let StmtKind::ClassDef(def) = &stmt.kind {
            self.classes.push(def.clone());
        }
        if let StmtKind::FunctionDef(def) = &stmt.kind {
            self.functions.push(Outer {
                def: def.clone(),
                body: span_of(&def.body),
                names: std::mem::take(&mut self.names),
            });
        }
    }

    fn block(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::FunctionDef(def) => {
                def.decorators.iter().for_each(|decorator| self.expr(decorator));
                visit::defaults(&def.params, &mut |default| self.expr(default));
                let around = self.body;
                self.body = around.or(Some(span_of(&def.body)));
                self.block(&def.body);
                self.body = around;
                return;
            }
            StmtKind::ClassDef(def) => {
                def.decorators.iter().for_each(|decorator| self.expr(decorator));
                self.block(&def.body);
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StmtKind::Assign { value, .. } | StmtKind::AugAssign { value, .. } => self.expr(value),
            StmtKind::AnnAssign { value, .. } => value.iter().for_each(|value| self.expr(value)),
            StmtKind::Expr(value) => self.expr(value),
            StmtKind::For { iter, .. } => self.expr(iter),
            StmtKind::While { test, .. } | StmtKind::If { test, .. } | StmtKind::Assert { test, .. } => self.expr(test),
            StmtKind::With { items, .. } => items.iter().for_each(|item| self.expr(&item.context)),
            StmtKind::Match { subject, .. } => self.expr(subject),
            _ => {}
        }
        visit::blocks(stmt, &mut |block| self.block(block));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.names.insert(name.to_string());
            }
            ExprKind::Call { function, args } => {
                // `functools.partial(pl.pallas_call, ...)`, too.
                let callees = std::iter::once(&**function).chain(args.first().map(visit::argument));
                if let Some((launcher, callee, is_wrapper)) = callees.filter_map(launcher).next() {
                    let within = self.within.clone();
                    let around = self.body.unwrap_or(expr.span);
                    self.sites.push(Site { launcher, span: expr.span, callee, is_wrapper, within, around });
                }
            }
            ExprKind::Lambda(lambda) => self.expr(&lambda.body),
            ExprKind::ListComp(comprehension) | ExprKind::GeneratorExp(comprehension) => {
                self.expr(&comprehension.element);
            }
            _ => {}
        }
        visit::children(expr, &mut |child| self.expr(child));
    }
}

/// The launcher's name, where it stands, and whether it wraps one of Pallas.
fn launcher(expr: &Expr) -> Option<(String, Span, bool)> {
    match &expr.kind {
        ExprKind::Attribute { value, name, .. } if LAUNCHERS.contains(&&**name) => {
            let owner = match &value.kind {
                ExprKind::Name(owner) => &**owner,
                ExprKind::Attribute { name, .. } => &**name,
                _ => "",
            };
            let is_wrapper = !MODULES.contains(&owner);
            (&**name != "kernel" || !is_wrapper).then(|| (name.to_string(), expr.span, is_wrapper))
        }
        ExprKind::Name(name) if &**name == "pallas_call" => Some((name.to_string(), expr.span, false)),
        _ => None,
    }
}

//! Ranges of integers in kernels and index maps: what an expression can be over all programs and all rounds of loops. Finds
//! what a name stands for by reading the function that it is in; the ranges themselves are the engine's.

use crate::launches::{push, tuple};
use crate::walk;
use pallas_engine::check::ranges;
use pallas_engine::ir::Interval;
use pallas_engine::syntax::ast::{Arg, Constant, Expr, ExprKind, FunctionDef, Lambda, Params, Stmt, StmtKind, UnaryOp};
use pallas_engine::{Analysis, Launch, Span};

/// Names stand for names that stand for names no deeper than this.
const DEEPEST: usize = 8;

/// What an expression can be, in Markdown; `path` are the expressions around it, outermost first.
pub(crate) fn expression(analysis: &Analysis, path: &[&Expr], expr: &Expr) -> Option<String> {
    lines(analysis, expr.span, &lambdas(path), |place| place.expression(expr, DEEPEST))
}

/// What a parameter can be: the counter of a loop, or the program id along an axis.
pub(crate) fn parameter(analysis: &Analysis, name: &str, span: Span, path: &[&Expr]) -> Option<String> {
    lines(analysis, span, &lambdas(path), |place| place.name(name, span, DEEPEST))
}

fn lambdas<'a>(path: &[&'a Expr]) -> Vec<&'a Lambda> {
    let lambda = |expr: &&'a Expr| match &expr.kind {
        ExprKind::Lambda(lambda) => Some(&**lambda),
        _ => None,
    };
    path.iter().filter_map(lambda).collect()
}

/// The start of `pl.ds(start, size)` and its sisters.
pub(crate) fn slice(analysis: &Analysis, call: &Expr, path: &[&Expr]) -> Option<String> {
    let ExprKind::Call { function, args } = &call.kind else { return None };
    let (ExprKind::Attribute { name, .. } | ExprKind::Name(name)) = &function.kind else { return None };
    if !matches!(&**name, "ds" | "dslice" | "dynamic_slice") {
        return None;
    }
    let start = args.iter().find_map(|arg| match arg {
        Arg::Positional(value) => Some(value),
        Arg::Keyword(name, value, _) if &**name == "start" => Some(value),
        _ => None,
    })?;
    Some(format!("begins at {}", expression(analysis, path, start)?))
}

/// A line for each range that a launch gives.
fn lines(
    analysis: &Analysis,
    span: Span,
    lambdas: &[&Lambda],
    range: impl Fn(&Place<'_>) -> Option<Interval>,
) -> Option<String> {
    let mut functions: Vec<&FunctionDef> = Vec::new();
    walk::functions(&analysis.module.body, &mut |def| {
        if def.span.covers(span) {
            functions.push(def);
        }
    });
    let mut lines: Vec<String> = Vec::new();
    for launch in &analysis.launches {
        let place = Place { analysis, launch, functions: &functions, lambdas };
        if let Some(range) = place.is_evaluated().then(|| range(&place)).flatten() {
            push(&mut lines, format!("{}: grid `{}`", words(range), tuple(&launch.grid_words())));
        }
    }
    // One after the other, and no more than somebody reads.
    lines.truncate(4);
    (!lines.is_empty()).then(|| lines.join("\n\n"))
}

/// `0` to `384` in steps of `128`
fn words(range: Interval) -> String {
    match range.value() {
        Some(value) => format!("`{value}`"),
        None if range.stride > 1 => format!("`{}` to `{}` in steps of `{}`", range.lower, range.upper, range.stride),
        None => format!("`{}` to `{}`", range.lower, range.upper),
    }
}

/// A place in the program as a launch reaches it.
struct Place<'a> {
    analysis: &'a Analysis,
    launch: &'a Launch,
    /// The functions around it, outermost first.
    functions: &'a [&'a FunctionDef],
    /// The lambdas around it, outermost first.
    lambdas: &'a [&'a Lambda],
}

impl Place<'_> {
    /// Whether the launch evaluates the place at all: in its kernel, in what its kernel calls, or in an index map.
    fn is_evaluated(&self) -> bool {
        let kernels = self.analysis.launches.iter().filter_map(|launch| launch.spans.kernel);
        // What is in another launch's kernel is none of this one's.
        let in_another = || {
            let mut kernels = kernels;
            kernels.any(|kernel| self.functions.iter().any(|def| def.name_span == kernel))
        };
        self.is_in_kernel() || self.map().is_some() || !in_another()
    }

    fn is_in_kernel(&self) -> bool {
        self.functions.iter().any(|def| self.launch.spans.kernel == Some(def.name_span))
    }

    /// The operand whose index map the place is in.
    fn map(&self) -> Option<usize> {
        let is_map = |span: Span| {
            self.lambdas.iter().any(|lambda| lambda.span == span)
                || self.functions.iter().any(|def| def.span == span || def.name_span == span)
        };
        self.launch.operands.iter().position(|operand| operand.spans.index_map.is_some_and(is_map))
    }

    fn expression(&self, expr: &Expr, depth: usize) -> Option<Interval> {
        let depth = depth.checked_sub(1)?;
        match &expr.kind {
            ExprKind::Constant(Constant::Int(value)) => return Some(Interval::exactly(*value)),
            ExprKind::UnaryOp { op: UnaryOp::Pos, operand } => return self.expression(operand, depth),
            ExprKind::Name(name) => return self.name(name, expr.span, depth),
            _ => {}
        }
        self.known(expr.span).or_else(|| match self.map() {
            Some(operand) => ranges::of_index(self.launch, operand, expr.span),
            None => ranges::of_expression(self.launch, expr.span),
        })
    }

    /// A Python integer, or those that it was in the rounds of a loop that Python runs.
    fn known(&self, span: Span) -> Option<Interval> {
        // Elsewhere it may have been another one for each launch.
        if !self.is_in_kernel() && self.map().is_none() {
            return None;
        }
        let fact = self.analysis.facts.get(span)?;
        let (least, most) = fact.integers?;
        Some(Interval::range(least, most))
    }

    fn name(&self, name: &str, span: Span, depth: usize) -> Option<Interval> {
        if let Some(known) = self.known(span) {
            return Some(known);
        }
        let depth = depth.checked_sub(1)?;
        for lambda in self.lambdas.iter().rev() {
            if let Some(number) = position(&lambda.params, name) {
                return self.parameter(lambda.span, number);
            }
        }
        for def in self.functions.iter().rev() {
            let mut values = Vec::new();
            let mut is_understood = true;
            assigned(&def.body, name, &mut |value| match value {
                Some(value) => values.push(value),
                None => is_understood = false,
            });
            if !is_understood {
                return None;
            }
            if !values.is_empty() {
                let ranges = values.into_iter().map(|value| match value {
                    Assigned::To(value) => self.expression(value, depth),
                    Assigned::By(span) => ranges::of_expression(self.launch, span),
                });
                return ranges.reduce(|a, b| Some(a?.union(b?)))?;
            }
            if let Some(number) = position(&def.params, name) {
                return self.parameter(def.span, number);
            }
        }
        None
    }

    fn parameter(&self, function: Span, number: usize) -> Option<Interval> {
        if self.map().is_some() {
            return ranges::of_axis(self.launch, number);
        }
        (number == 0).then(|| ranges::of_counter(self.launch, function)).flatten()
    }
}

fn position(params: &Params, name: &str) -> Option<usize> {
    params.positional_only.iter().chain(&params.positional).position(|param| *param.name == *name)
}

/// What a statement gives a name.
enum Assigned<'a> {
    /// This value.
    To(&'a Expr),
    /// What an augmented assignment computes.
    By(Span),
}

/// Calls `visit` with everything that a function's own statements assign to a name; `None` for what is not understood.
fn assigned<'a>(body: &'a [Stmt], name: &str, visit: &mut dyn FnMut(Option<Assigned<'a>>)) {
    let is_it = |target: &Expr| matches!(&target.kind, ExprKind::Name(n) if **n == *name);
    let holds = |target: &Expr| {
        let mut found = false;
        walk::names(target, &mut |n| found |= is_it(n));
        found
    };
    for statement in body {
        match &statement.kind {
            StmtKind::Assign { targets, value } => {
                for target in targets.iter().filter(|target| holds(target)) {
                    visit(part(target, value, &is_it).map(Assigned::To));
                }
            }
            StmtKind::AnnAssign { target, value: Some(value), .. } if is_it(target) => visit(Some(Assigned::To(value))),
            StmtKind::AugAssign { target, .. } if is_it(target) => visit(Some(Assigned::By(statement.span))),
            StmtKind::For { target, .. } if holds(target) => visit(None),
            _ => {}
        }
        for inner in walk::bodies(statement) {
            assigned(inner, name, visit);
        }
    }
}

/// The part of a value that a name in a target gets.
fn part<'a>(target: &Expr, value: &'a Expr, is_it: &dyn Fn(&Expr) -> bool) -> Option<&'a Expr> {
    if is_it(target) {
        return Some(value);
    }
    let (ExprKind::Tuple(targets) | ExprKind::List(targets)) = &target.kind else { return None };
    let (ExprKind::Tuple(values) | ExprKind::List(values)) = &value.kind else { return None };
    let is_plain = |items: &[Expr]| !items.iter().any(|item| matches!(item.kind, ExprKind::Starred(_)));
    if targets.len() != values.len() || !is_plain(targets) || !is_plain(values) {
        return None;
    }
    targets.iter().zip(values).find_map(|(target, value)| part(target, value, is_it))
}

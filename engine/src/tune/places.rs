//! Where in a program a parameter gets its value: an assignment, the default of a function's parameter, an argument of a call. An
//! argument that only hands on a parameter of the same name is none.

use pallas_syntax::Span;
use pallas_syntax::ast::{Arg, Expr, ExprKind, Module, Stmt, StmtKind};
use pallas_syntax::visit;
use std::ops::Range;

/// Where a value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes of the value in the text.
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
}

/// A value with the name that it is given to.
struct Given<'a> {
    name: &'a str,
    value: &'a Expr,
    /// The functions around it, or the one that is called: it belongs to all of them.
    functions: Vec<&'a str>,
    /// Whether it is assigned at the top of the module.
    global: bool,
}

/// The places of a parameter, in order: all of the file, or those of a function, of calls of it, and of the module's own names.
pub fn places(module: &Module, function: Option<&str>, name: &str) -> Vec<Place> {
    let text = &module.source.text;
    let own = given(module).into_iter().filter(|given| given.name == name && belongs(given, function));
    let mut places: Vec<Place> = own
        .map(|given| {
            let Span { start, end, .. } = given.value.span;
            let range = start as usize..end as usize;
            Place { line: text[..range.start].matches('\n').count() + 1, range }
        })
        .collect();
    places.sort_by_key(|place| place.range.start);
    places.dedup();
    places
}

/// Names with a whole number for a value, in the order in which they first stand in the text.
pub fn candidates(module: &Module, function: Option<&str>) -> Vec<String> {
    let text = &module.source.text;
    let is_number = |value: &Expr| {
        let text = &text[value.span.start as usize..value.span.end as usize];
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
    };
    let mut own: Vec<Given<'_>> = given(module);
    own.retain(|given| is_number(given.value) && belongs(given, function));
    if function.is_some() {
        own.retain(|given| !given.global);
    }
    own.sort_by_key(|given| given.value.span.start);
    let mut names: Vec<String> = Vec::new();
    for given in own {
        if !names.iter().any(|name| name == given.name) {
            names.push(given.name.to_string());
        }
    }
    names
}

fn belongs(given: &Given<'_>, function: Option<&str>) -> bool {
    function.is_none_or(|function| given.global || given.functions.contains(&function))
}

fn given(module: &Module) -> Vec<Given<'_>> {
    let mut out = Vec::new();
    statements(&module.body, &mut Vec::new(), &mut out);
    out
}

fn statements<'a>(body: &'a [Stmt], around: &mut Vec<&'a str>, out: &mut Vec<Given<'a>>) {
    for statement in body {
        match &statement.kind {
            StmtKind::FunctionDef(function) => {
                around.push(&function.name);
                for param in function.params.iter() {
                    if let Some(value) = &param.default {
                        out.push(Given { name: &param.name, value, functions: around.clone(), global: false });
                        expression(value, around, out);
                    }
                }
                statements(&function.body, around, out);
                around.pop();
            }
            StmtKind::ClassDef(class) => statements(&class.body, around, out),
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|target| assigned(target, value, around, out));
            }
            StmtKind::AnnAssign { target, value: Some(value), .. } => assigned(target, value, around, out),
            _ => {}
        }
        visit::expressions(statement, &mut |expr| expression(expr, around, out));
        visit::blocks(statement, &mut |block| statements(block, around, out));
    }
}

fn assigned<'a>(target: &'a Expr, value: &'a Expr, around: &[&'a str], out: &mut Vec<Given<'a>>) {
    match (&target.kind, &value.kind) {
        (ExprKind::Name(name), _) => {
            out.push(Given { name, value, functions: around.to_vec(), global: around.is_empty() });
        }
        (ExprKind::Tuple(targets), ExprKind::Tuple(values)) if targets.len() == values.len() => {
            targets.iter().zip(values).for_each(|(target, value)| assigned(target, value, around, out));
        }
        _ => {}
    }
}

fn expression<'a>(expr: &'a Expr, around: &[&'a str], out: &mut Vec<Given<'a>>) {
    if let ExprKind::Call { function, args } = &expr.kind {
        let called = match &function.kind {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => Some(&**name),
            _ => None,
        };
        for arg in args {
            let Arg::Keyword(name, value, _) = arg else { continue };
            let hands_on = matches!(&value.kind, ExprKind::Name(other) if other == name);
            if !hands_on {
                let functions = around.iter().copied().chain(called).collect();
                out.push(Given { name, value, functions, global: false });
            }
        }
    }
    visit::children(expr, &mut |child| expression(child, around, out));
}

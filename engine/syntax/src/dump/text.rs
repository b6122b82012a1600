//! The leaves of the dump: spans, strings, constants, operators, scopes.

use crate::ast::{Alias, BinaryOp, CompareOp, Constant, Name, Scope, UnaryOp};
use crate::span::Span;
use std::fmt::Write;

pub(super) fn range(span: Span) -> String {
    format!("{}..{}", span.start, span.end)
}

/// Printable ASCII as it is, all else as `\u{hex}`.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            // Writing to a string cannot fail.
            _ => drop(write!(out, "\\u{{{:x}}}", c as u32)),
        }
    }
    out.push('"');
    out
}

pub(super) fn flush(out: &mut String, text: &mut String) {
    if !text.is_empty() {
        out.push(' ');
        out.push_str(&quoted(text));
        text.clear();
    }
}

/// Sorted, since CPython's symtable does not promise an order.
pub(super) fn scope_text(scope: &Scope) -> String {
    let names = |names: &[Name]| {
        let mut names: Vec<&str> = names.iter().map(|name| &**name).collect();
        names.sort_unstable();
        names.iter().fold(String::new(), |out, name| out + " " + name)
    };
    format!(
        "(scope{} |{} |{} |{})",
        names(&scope.locals),
        names(&scope.globals),
        names(&scope.nonlocals),
        if scope.is_generator { " generator" } else { "" }
    )
}

pub(super) fn aliases(names: &[Alias], place: impl Fn(Span) -> Span) -> String {
    names.iter().fold(String::new(), |out, alias| {
        let asname = alias.asname.as_deref().unwrap_or("_");
        format!("{out} (alias@{} {} {asname})", range(place(alias.span)), alias.name)
    })
}

pub(super) fn constant_text(constant: &Constant) -> String {
    match constant {
        Constant::None => "None".into(),
        Constant::Bool(true) => "True".into(),
        Constant::Bool(false) => "False".into(),
        Constant::Int(value) => format!("int {value}"),
        Constant::BigInt(digits) => format!("int {digits}"),
        Constant::Float(value) => format!("float {:016x}", value.to_bits()),
        Constant::Imaginary(value) => format!("imaginary {:016x}", value.to_bits()),
        Constant::Str(text) => format!("str {}", quoted(text)),
        Constant::Bytes(bytes) => {
            let text: String = bytes.iter().map(|b| char::from(*b)).collect();
            format!("bytes {}", quoted(&text))
        }
        Constant::Ellipsis => "Ellipsis".into(),
    }
}

pub(super) fn binary(op: BinaryOp) -> String {
    format!("{op:?}")
}

pub(super) fn compare(op: CompareOp) -> String {
    format!("{op:?}")
}

pub(super) fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "USub",
        UnaryOp::Pos => "UAdd",
        UnaryOp::Invert => "Invert",
        UnaryOp::Not => "Not",
    }
}

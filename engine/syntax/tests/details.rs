//! What the dump does not show: spans inside f-strings, the order of locals, name spans, soft edges of recovery.

use crate::common::module;
use pallas_syntax::ast::{Constant, Expr, ExprKind, FStringField, FStringPart, FunctionDef, Module, StmtKind};
use std::sync::Arc;

fn value(module: &Module) -> &Expr {
    match &module.body[0].kind {
        StmtKind::Expr(value) | StmtKind::Assign { value, .. } => value,
        other => panic!("{other:?}"),
    }
}

fn function(module: &Module) -> Arc<FunctionDef> {
    match &module.body[0].kind {
        StmtKind::FunctionDef(function) => function.clone(),
        other => panic!("{other:?}"),
    }
}

fn fields(module: &Module) -> Vec<FStringField> {
    let ExprKind::FString(parts) = &value(module).kind else {
        panic!("not an f-string");
    };
    parts
        .iter()
        .filter_map(|part| match part {
            FStringPart::Field(field) => Some(field.clone()),
            FStringPart::Literal(_) => None,
        })
        .collect()
}

#[test]
fn fields_of_fstrings_have_their_place_in_the_file() {
    // The last one is read again with its spec masked: `=` would be taken for a walrus.
    let module = module("f'é{ grid[0] = !r:>{width}} {slot:=+10}'");
    let fields = fields(&module);
    let text = |expr: &Expr| module.source.slice(expr.span).to_string();
    assert_eq!(text(&fields[0].value), "grid[0]");
    assert_eq!(fields[0].debug_text.as_deref(), Some(" grid[0] = "));
    assert_eq!(fields[0].conversion, Some('r'));
    let FStringPart::Field(width) = &fields[0].spec[1] else {
        panic!("{:?}", fields[0].spec);
    };
    assert_eq!(text(&width.value), "width");
    assert_eq!(text(&fields[1].value), "slot");
    assert_eq!(fields[1].debug_text, None);
    assert!(matches!(&fields[1].spec[0], FStringPart::Literal(spec) if &**spec == "=+10"));
}

#[test]
fn locals_come_in_the_order_of_binding_with_parameters_first() {
    let module = module("def f(b, *args, a=1, **k):\n  z = y = 1\n  for x in z: b = w = 2\n  z = 3\n");
    let function = function(&module);
    let locals: Vec<&str> = function.scope.locals.iter().map(|name| &**name).collect();
    // CPython: f.__code__.co_varnames
    assert_eq!(locals, ["b", "a", "args", "k", "z", "y", "x", "w"]);
    assert_eq!(module.source.slice(function.name_span), "f");
}

#[test]
fn decorators_belong_to_the_statement_and_not_to_the_definition() {
    let module = module("@a\n@b(c)\ndef f():\n    pass  # end\n\n\nx = 1\n");
    let function = function(&module);
    assert_eq!(module.source.slice(module.body[0].span), "@a\n@b(c)\ndef f():\n    pass");
    assert_eq!(module.source.slice(function.span), "def f():\n    pass");
}

#[test]
fn a_half_typed_attribute_keeps_its_value() {
    let module = module("x = pl.\ny = 2\n");
    let ExprKind::Attribute { value, name, name_span } = &value(&module).kind else {
        panic!("{:?}", module.body[0]);
    };
    assert_eq!(module.source.slice(value.span), "pl");
    assert_eq!((&**name, name_span.start, name_span.end), ("", 7, 7));
    assert!(matches!(module.body[1].kind, StmtKind::Assign { .. }));
    assert_eq!(module.errors.len(), 1);
}

#[test]
fn adjacent_strings_are_one() {
    let module = module("'a' r'\\b' \"c\"");
    assert!(matches!(&value(&module).kind, ExprKind::Constant(Constant::Str(text)) if &**text == "a\\bc"));
}

#[test]
fn a_line_has_one_error_at_most() {
    let module = module("def f(x, x, x): return )\nreturn (1 2, 3 4)\n");
    let lines: Vec<u32> = module.errors.iter().map(|error| module.source.line_of(error.span.start)).collect();
    assert_eq!(lines, [1, 2]);
}

#[test]
fn a_statement_cut_short_does_not_read_on_in_the_next_line() {
    // Each of these is one statement to the grammar.
    for text in [
        "x = y.\nz\n",
        "x = y +\nz\n",
        "import\na\n",
        "from a\nimport b\n",
        "x = y if z\nelse w\n",
        "def f():\n    x =\n    y\n    return x\n",
        "x = not\ny\n",
        "lambda x\n: x\n",
    ] {
        let module = module(text);
        assert!(!module.errors.is_empty(), "{text}");
    }
    let module = module("def f():\n    x =\n    y = 1\n    return x\n");
    assert_eq!(function(&module).body.len(), 3);
}

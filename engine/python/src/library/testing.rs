//! `_tests`: what test frameworks ask the evaluator that Python would tell them by frames and by `eval`: where an exception has
//! been, which lines a definition has, whether a condition of a mark holds. No module of Python's.

use super::support::{keywords, row};
use crate::exceptions::{Traceback, field};
use crate::function::Code;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::Span;
use pallas_syntax::ast::{Name, StmtKind};

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "_tests",
    doc: "What test frameworks ask the evaluator.",
    functions: &[
        row(
            "places",
            "(exception, /)",
            "Where an exception has been: (file, line, function), outermost first.",
            |interp, args| Ok(Value::list(places(interp, args.get(0)))),
        ),
        row(
            "lines",
            "(definition, /)",
            "The lines of a def or a class: (first decorator, itself, end), or None.",
            |interp, args| {
                Ok(lines(interp, args.get(0)).map_or(Value::None, |lines| Value::tuple(lines.map(Value::from))))
            },
        ),
        row(
            "analysed",
            "()",
            "Whether nothing runs: functions of tests are analysed one by one then, each within limits of its own.",
            |interp, _| Ok(Value::Bool(interp.is_analysis())),
        ),
        row(
            "condition",
            "(text, /, **names)",
            "The value of an expression that a mark has as text.",
            |interp, args| condition(interp, &interp.str(args.get(0))?, &keywords(args.get(1))),
        ),
    ],
    populate: |_, _| {},
};

fn line(interp: &Interp, span: Span, offset: u32) -> i64 {
    interp.source(span.file).map_or(0, |source| i64::from(source.line_of(offset)))
}

fn places(interp: &Interp, exception: &Value) -> Vec<Value> {
    let Some(traceback) = field(exception, "__traceback__") else { return Vec::new() };
    let Some(traceback) = traceback.downcast::<Traceback>() else { return Vec::new() };
    let outside = traceback.entries.iter().rev().filter(|entry| !interp.is_embedded(entry.span.file));
    let place = |entry: &crate::raise::TraceEntry| {
        let source = interp.source(entry.span.file)?;
        let line = Value::from(line(interp, entry.span, entry.span.start));
        Some(Value::tuple([Value::str(&source.path), line, Value::str(&entry.function)]))
    };
    outside.filter_map(place).collect()
}

fn lines(interp: &Interp, definition: &Value) -> Option<[i64; 3]> {
    let (first, span) = match definition {
        Value::Function(function) => match &function.code {
            Code::Def(def) => (def.decorators.first().map(|decorator| decorator.span), def.span),
            Code::Lambda(lambda) => (None, lambda.span),
        },
        // A class does not keep its decorators.
        Value::Class(class) => (None, class.span?),
        _ => return None,
    };
    let end = line(interp, span, span.end.saturating_sub(1));
    let own = line(interp, span, span.start);
    Some([first.map_or(own, |first| line(interp, first, first.start)), own, end])
}

/// Evaluates one expression in a module of its own. Only what stands in a mark of the program comes here, so nothing runs that is
/// not in its files.
fn condition(interp: &Interp, text: &str, names: &[(Name, Value)]) -> PyResult<Value> {
    const RESULT: &str = "__condition__";
    let source = interp.add_source(&format!("<condition {text}>"), &format!("{RESULT} = (\n{text}\n)\n"));
    let tree = interp.host().parse(source);
    let is_one = matches!(&tree.body[..], [only] if matches!(only.kind, StmtKind::Assign { .. }));
    if let Some(error) = tree.errors.first() {
        return Err(interp.error(&interp.types().syntax_error, error.message.clone()));
    }
    if !is_one {
        return Err(interp.error(&interp.types().syntax_error, "a condition is one expression"));
    }
    let module = interp.new_module(RESULT, None);
    module.namespace.borrow_mut().extend(names.iter().cloned());
    let outcome = interp.run_module(&tree, &module);
    interp.modules.borrow_mut().remove(RESULT);
    outcome?;
    let value = module.namespace.borrow().get(RESULT).cloned();
    Ok(value.unwrap_or(Value::None))
}

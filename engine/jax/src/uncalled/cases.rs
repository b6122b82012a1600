//! Calls that a test's decorators give: `@pytest.mark.parametrize("n", [1, 2])`, on the test or on its class. Finds the decorators;
//! their words are evaluated like those of a comment ([`super::given`]).

use super::given::{Given, Kind};
use pallas_syntax::ast::{Arg, ClassDef, Constant, Expr, ExprKind, FunctionDef, Module, StmtKind};

/// What `parametrize` calls its first two parameters.
const NAMED: [&str; 2] = ["argnames", "argvalues"];

/// The calls of a test that its decorators give, if they say all that it is called with. What they leave is the business of fixtures.
pub fn cases(module: &Module, def: &FunctionDef) -> Option<Given> {
    let of_class = class_of(module, def).map_or(&[][..], |class| &class.decorators);
    let marks: Vec<(&Expr, [&Expr; 2])> = def.decorators.iter().chain(of_class).filter_map(parametrized).collect();
    let given: Vec<&str> = marks.iter().filter_map(|(_, [names, _])| words(names)).flatten().collect();
    let is_given = |name: &str| given.contains(&name);
    if !def.params.iter().all(|param| param.default.is_some() || is_given(&param.name)) {
        return None;
    }
    let mark = |(_, arguments): &(&Expr, [&Expr; 2])| {
        let named = NAMED.iter().zip(arguments).map(|(name, value)| format!("{name}={}", module.slice(value.span)));
        format!("dict({})", named.collect::<Vec<_>>().join(", "))
    };
    let arguments = marks.iter().map(mark).collect::<Vec<_>>().join(", ");
    Some(Given::of(marks.first()?.0.span, arguments, Kind::Cases))
}

/// A decorator `@pytest.mark.parametrize(names, values)`, with what it is called with.
fn parametrized(decorator: &Expr) -> Option<(&Expr, [&Expr; 2])> {
    let ExprKind::Call { function, args } = &decorator.kind else { return None };
    match &function.kind {
        ExprKind::Attribute { name, .. } if &**name == "parametrize" => {
            Some((decorator, [argument(args, 0)?, argument(args, 1)?]))
        }
        _ => None,
    }
}

/// An argument by its place or by its name.
fn argument(args: &[Arg], at: usize) -> Option<&Expr> {
    match args.get(at) {
        Some(Arg::Positional(value)) => Some(value),
        _ => args.iter().find_map(|arg| match arg {
            Arg::Keyword(name, value, _) if **name == *NAMED[at] => Some(value),
            _ => None,
        }),
    }
}

/// The names that get values, if they are written out.
fn words(names: &Expr) -> Option<Vec<&str>> {
    match &names.kind {
        ExprKind::Tuple(parts) | ExprKind::List(parts) => parts.iter().map(text).collect(),
        _ => Some(text(names)?.split(',').map(str::trim).collect()),
    }
}

fn text(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Constant(Constant::Str(text)) => Some(text),
        _ => None,
    }
}

/// The class whose method it is.
fn class_of<'a>(module: &'a Module, def: &FunctionDef) -> Option<&'a ClassDef> {
    module.body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::ClassDef(class) => Some(&**class).filter(|class| {
            class.body.iter().any(|stmt| matches!(&stmt.kind, StmtKind::FunctionDef(method) if method.span == def.span))
        }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_syntax::{FileId, SourceFile};
    use std::sync::Arc;

    fn found(text: &str) -> Option<String> {
        let module = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(0), "t.py", text)));
        let def = module.body.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::FunctionDef(def) => Some(def.clone()),
            _ => None,
        });
        cases(&module, &def.expect("a function")).map(|given| given.arguments)
    }

    #[test]
    fn decorators_say_what_a_test_is_called_with() {
        let both = "@pytest.mark.parametrize(['n', 'm'], SIZES)\n@mark.parametrize(argvalues=[1], argnames='k')\ndef test(n, m, k): pass\n";
        let sets = "dict(argnames=['n', 'm'], argvalues=SIZES), dict(argnames='k', argvalues=[1])";
        assert_eq!(found(both).as_deref(), Some(sets));
        assert_eq!(found("@pytest.mark.parametrize('n', [1])\ndef test(n, fixture): pass\n"), None);
        assert_eq!(found("@pytest.mark.slow\ndef test(): pass\n"), None);
        assert_eq!(found("@pytest.mark.parametrize(NAMES, VALUES)\ndef test(n): pass\n"), None);
    }
}

//! The tests of a file, by pytest's rules, as they stand in its text: what can be said of them without running anything. Parameters
//! multiply them only when the file is run.

use pallas_engine::syntax::ast::{Arg, ClassDef, Expr, ExprKind, FunctionDef, Stmt, StmtKind};
use pallas_engine::{Analysis, Span};

/// A test, or a class of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// How pytest names it in its file: `TestAdd::test_rows`.
    pub name: String,
    /// Whether it is a class of tests.
    pub is_class: bool,
    /// All of it, decorators included.
    pub span: Span,
    /// Its name in the text.
    pub name_span: Span,
}

/// Whether a file is one of tests, by its name.
pub fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".py").is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
}

/// The tests of a file, in order; none where its name is not that of a file of tests, or where it has nothing to do with JAX.
pub fn tests(analysis: &Analysis) -> Vec<Test> {
    if !is_test_file(&analysis.source.path) || !analysis.speaks_of_jax() {
        return Vec::new();
    }
    let mut finder = Finder { analysis, cases: Vec::new(), found: Vec::new() };
    finder.statements(&analysis.module.body);
    finder.found.sort_by_key(|test| test.span.start);
    finder.found
}

struct Finder<'a> {
    analysis: &'a Analysis,
    /// Classes of the file that derive from `unittest.TestCase`.
    cases: Vec<&'a str>,
    found: Vec<Test>,
}

impl<'a> Finder<'a> {
    /// The tests among the statements of a module, in whatever branch they stand.
    fn statements(&mut self, body: &'a [Stmt]) {
        for statement in body {
            match &statement.kind {
                StmtKind::FunctionDef(def) => self.function(def, statement.span, &[]),
                StmtKind::ClassDef(class) => self.class(class, statement.span, &[]),
                _ => crate::walk::bodies(statement).into_iter().for_each(|inner| self.statements(inner)),
            }
        }
    }

    fn function(&mut self, def: &FunctionDef, span: Span, inside: &[&str]) {
        // What pytest calls makes nothing of coroutines.
        if def.name.starts_with("test") && !def.is_async {
            self.add(&def.name, false, span, def.name_span, inside);
        }
    }

    fn class(&mut self, class: &'a ClassDef, span: Span, inside: &[&'a str]) {
        let is_case = inside.is_empty()
            && class.bases.iter().any(|base| matches!(base, Arg::Positional(base) if self.is_case(base)));
        let has_init =
            |statement: &Stmt| matches!(&statement.kind, StmtKind::FunctionDef(def) if &*def.name == "__init__");
        if !is_case && (!class.name.starts_with("Test") || class.body.iter().any(has_init)) {
            return;
        }
        if is_case {
            self.cases.push(&class.name);
        }
        let before = self.found.len();
        let within: Vec<&str> = inside.iter().copied().chain([&*class.name]).collect();
        for statement in class.body.iter() {
            match &statement.kind {
                StmtKind::FunctionDef(def) => self.function(def, statement.span, &within),
                StmtKind::ClassDef(inner) if !is_case => self.class(inner, statement.span, &within),
                _ => {}
            }
        }
        // One that inherits its tests has none of its own.
        if self.found.len() > before || !class.bases.is_empty() {
            self.add(&class.name, true, span, class.name_span, inside);
        }
    }

    /// Whether a class derives from `unittest.TestCase`, as far as its name says it.
    fn is_case(&self, base: &Expr) -> bool {
        match &base.kind {
            ExprKind::Name(name) => self.cases.contains(&&**name) || name.ends_with("TestCase"),
            ExprKind::Attribute { name, .. } => name.ends_with("TestCase") || name.ends_with("Test"),
            _ => false,
        }
    }

    fn add(&mut self, name: &str, is_class: bool, span: Span, name_span: Span, inside: &[&str]) {
        let name = inside.iter().copied().chain([name]).collect::<Vec<_>>().join("::");
        self.found.push(Test {
            name,
            is_class,
            span: self.analysis.place(span),
            name_span: self.analysis.place(name_span),
        });
    }
}

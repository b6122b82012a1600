//! What the evaluator works out once per piece of code: which names are declared how, and where it yields.

use crate::function::Code;
use crate::interp::Interp;
use pallas_syntax::ast::{ClassDef, Comprehension, Expr, ExprKind, Name, Scope, Stmt, StmtKind};
use pallas_syntax::visit;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

/// Facts about a piece of code.
#[derive(Default)]
pub(crate) struct CodeInfo {
    /// Local names.
    pub(crate) declared: Rc<[Name]>,
    globals: Vec<Name>,
    nonlocals: Vec<Name>,
    /// Whether any name is global or nonlocal.
    pub(crate) has_declarations: bool,
    /// Addresses of statements with a `yield` in an expression of their own.
    pub(crate) yielding: HashSet<usize>,
    /// For a `lambda` that yields: its body as a `def` would have it.
    pub(crate) lambda_body: Option<Arc<[Stmt]>>,
    /// `__name__` and the beginning of the qualified names inside, made on first use.
    name: OnceCell<Rc<str>>,
    prefix: OnceCell<Rc<str>>,
    /// Keeps the code, and so the addresses, alive.
    _code: Option<Kept>,
}

#[expect(dead_code, reason = "held for as long as addresses into it are used")]
enum Kept {
    Code(Code),
    Class(Arc<ClassDef>),
    Comprehension(Arc<Comprehension>),
}

impl CodeInfo {
    fn new(scope: &Scope, code: Kept) -> CodeInfo {
        CodeInfo {
            declared: scope.locals.iter().cloned().collect(),
            has_declarations: !scope.globals.is_empty() || !scope.nonlocals.is_empty(),
            globals: scope.globals.clone(),
            nonlocals: scope.nonlocals.clone(),
            yielding: HashSet::new(),
            lambda_body: None,
            name: OnceCell::new(),
            prefix: OnceCell::new(),
            _code: Some(code),
        }
    }

    /// The name of the function in tracebacks.
    pub(crate) fn name(&self, code: &Code) -> Rc<str> {
        Rc::clone(self.name.get_or_init(|| Rc::from(&*code.name())))
    }

    /// `outer.<locals>.`
    pub(crate) fn prefix(&self, qualified_name: &str) -> Rc<str> {
        Rc::clone(self.prefix.get_or_init(|| Rc::from(format!("{qualified_name}.<locals>."))))
    }

    pub(crate) fn is_global(&self, name: &Name) -> bool {
        self.has_declarations && self.globals.contains(name)
    }

    pub(crate) fn is_nonlocal(&self, name: &Name) -> bool {
        self.has_declarations && self.nonlocals.contains(name)
    }
}

impl Interp {
    /// The facts about a function's code.
    pub(crate) fn code_info(&self, code: &Code) -> Rc<CodeInfo> {
        let address = match code {
            Code::Def(def) => Arc::as_ptr(def) as usize,
            Code::Lambda(lambda) => Arc::as_ptr(lambda) as usize,
        };
        self.remembered(address, || {
            let mut info = CodeInfo::new(code.scope(), Kept::Code(code.clone()));
            match code {
                Code::Def(def) if def.scope.is_generator => find_yields(&def.body, &mut info.yielding),
                Code::Lambda(lambda) if lambda.scope.is_generator => {
                    let stmt = Stmt { kind: StmtKind::Return(Some(lambda.body.clone())), span: lambda.body.span };
                    let body: Arc<[Stmt]> = Arc::from([stmt]);
                    find_yields(&body, &mut info.yielding);
                    info.lambda_body = Some(body);
                }
                _ => {}
            }
            info
        })
    }

    pub(crate) fn class_info(&self, def: &Arc<ClassDef>) -> Rc<CodeInfo> {
        self.remembered(Arc::as_ptr(def) as usize, || CodeInfo::new(&def.scope, Kept::Class(Arc::clone(def))))
    }

    pub(crate) fn comprehension_info(&self, comprehension: &Arc<Comprehension>) -> Rc<CodeInfo> {
        self.remembered(Arc::as_ptr(comprehension) as usize, || {
            CodeInfo::new(&comprehension.scope, Kept::Comprehension(Arc::clone(comprehension)))
        })
    }

    fn remembered(&self, address: usize, make: impl FnOnce() -> CodeInfo) -> Rc<CodeInfo> {
        if let Some(info) = self.codes.borrow().get(&address) {
            return Rc::clone(info);
        }
        let info = Rc::new(make());
        self.codes.borrow_mut().insert(address, Rc::clone(&info));
        info
    }
}

/// Collects the statements that yield in an expression of their own (not only in a nested statement).
fn find_yields(stmts: &[Stmt], found: &mut HashSet<usize>) {
    for stmt in stmts {
        let mut yields = false;
        own_expressions(stmt, &mut |expr| yields = yields || contains_yield(expr));
        if yields {
            found.insert(std::ptr::from_ref(stmt) as usize);
        }
        match &stmt.kind {
            StmtKind::For { body, orelse, .. }
            | StmtKind::While { body, orelse, .. }
            | StmtKind::If { body, orelse, .. } => {
                find_yields(body, found);
                find_yields(orelse, found);
            }
            StmtKind::With { body, .. } => find_yields(body, found),
            StmtKind::Match { cases, .. } => cases.iter().for_each(|case| find_yields(&case.body, found)),
            StmtKind::Try { body, handlers, orelse, finalbody } => {
                find_yields(body, found);
                handlers.iter().for_each(|handler| find_yields(&handler.body, found));
                find_yields(orelse, found);
                find_yields(finalbody, found);
            }
            _ => {}
        }
    }
}

fn own_expressions<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Expr)) {
    match &stmt.kind {
        StmtKind::FunctionDef(def) => {
            def.decorators.iter().for_each(&mut *visit);
            visit::defaults(&def.params, visit);
        }
        StmtKind::ClassDef(def) => {
            def.decorators.iter().for_each(&mut *visit);
            def.bases.iter().for_each(|base| visit(visit::argument(base)));
        }
        StmtKind::Return(value) => value.iter().for_each(visit),
        StmtKind::Delete(targets) => targets.iter().for_each(visit),
        StmtKind::Assign { targets, value } => {
            visit(value);
            targets.iter().for_each(visit);
        }
        StmtKind::AugAssign { target, value, .. } => {
            visit(target);
            visit(value);
        }
        StmtKind::AnnAssign { target, value, .. } => {
            visit(target);
            value.iter().for_each(visit);
        }
        StmtKind::For { target, iter, .. } => {
            visit(iter);
            visit(target);
        }
        StmtKind::While { test, .. } | StmtKind::If { test, .. } => visit(test),
        StmtKind::With { items, .. } => {
            for item in items.iter() {
                visit(&item.context);
                item.target.iter().for_each(&mut *visit);
            }
        }
        StmtKind::Match { subject, cases } => {
            visit(subject);
            cases.iter().filter_map(|case| case.guard.as_ref()).for_each(visit);
        }
        StmtKind::Raise { exception, cause } => exception.iter().chain(cause).for_each(visit),
        StmtKind::Try { handlers, .. } => {
            handlers.iter().filter_map(|handler| handler.exception.as_ref()).for_each(visit)
        }
        StmtKind::Assert { test, message } => {
            visit(test);
            message.iter().for_each(visit);
        }
        StmtKind::Expr(value) => visit(value),
        _ => {}
    }
}

fn contains_yield(expr: &Expr) -> bool {
    if matches!(expr.kind, ExprKind::Yield(_) | ExprKind::YieldFrom(_)) {
        return true;
    }
    let mut found = false;
    visit::children(expr, &mut |child| found = found || contains_yield(child));
    found
}

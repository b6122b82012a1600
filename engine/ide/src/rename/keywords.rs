//! Which function a call is of, as far as names say it, and the keywords of calls that are its parameters.

use super::files::{File, Target, World};
use crate::tests::is_test_file;
use pallas_engine::Span;
use pallas_engine::syntax::ast::{Arg, Expr, ExprKind, FunctionDef, Name, Params, Stmt, StmtKind};
use pallas_engine::syntax::names::Role;
use pallas_engine::syntax::visit;
use std::rc::Rc;

/// What these make of a function takes its parameters under their names.
const WRAPPERS: [&str; 16] = [
    "jit",
    "partial",
    "vmap",
    "pmap",
    "grad",
    "value_and_grad",
    "checkpoint",
    "remat",
    "custom_vjp",
    "custom_jvp",
    "named_call",
    "cache",
    "lru_cache",
    "shard_map",
    "jacfwd",
    "jacrev",
];
/// These call a function with the keywords that they get.
const PASSING_ON: [&str; 3] = ["partial", "run_scoped", "given"];
/// Names stand for names no further than this.
const DEEPEST: usize = 8;

/// A function: its file, and where its name stands, or the lambda begins.
#[derive(Clone)]
pub(super) struct Callable {
    pub(super) file: Rc<File>,
    pub(super) at: u32,
}

impl Callable {
    fn is(&self, other: &Callable) -> bool {
        self.file.path == other.file.path && self.at == other.at
    }
}

/// The function that a parameter is of, with its definition; none for that of a lambda.
pub(super) fn function_of(target: &Target) -> Option<(Callable, Option<&FunctionDef>, bool)> {
    let variable = &target.file.names.variables[target.variable];
    let binding = variable.bindings().find(|binding| binding.role == Role::Parameter)?;
    let mut found = None;
    functions(&target.file.module.body, &mut |def| {
        if let Some(named) = is_named(&def.params, binding.span) {
            found = Some((Callable { file: target.file.clone(), at: def.name_span.start }, Some(def), named));
        }
    });
    target.file.expressions(&mut |expr| {
        if let ExprKind::Lambda(lambda) = &expr.kind
            && let Some(named) = is_named(&lambda.params, binding.span)
        {
            found = Some((Callable { file: target.file.clone(), at: expr.span.start }, None, named));
        }
    });
    found
}

/// Whether the parameter at a place is one of these, and whether calls may name it.
fn is_named(params: &Params, at: Span) -> Option<bool> {
    let is_it = |param: &&pallas_engine::syntax::ast::Param| param.span.start == at.start;
    let named = params.positional.iter().chain(&params.keyword_only).find(is_it).map(|_| true);
    named.or_else(|| params.iter().find(is_it).map(|_| false))
}

fn functions<'f>(body: &'f [Stmt], found: &mut dyn FnMut(&'f FunctionDef)) {
    crate::walk::functions(body, found);
}

/// The variable of the parameter that a keyword of a call names.
pub(super) fn parameter(world: &World<'_>, file: &Rc<File>, call: &Expr, name: &Name) -> Option<Target> {
    let ExprKind::Call { function, args } = &call.kind else { return None };
    let passed_on = passes_on(function).then(|| first(args)).flatten();
    let called = callable(world, file, passed_on.unwrap_or(function), DEEPEST)?;
    let mut at = None;
    functions(&called.file.module.body, &mut |def| {
        if def.name_span.start == called.at {
            at = def.params.positional.iter().chain(&def.params.keyword_only).find(|p| p.name == *name).map(|p| p.span);
        }
    });
    called.file.expressions(&mut |expr| {
        if let ExprKind::Lambda(lambda) = &expr.kind
            && expr.span.start == called.at
        {
            at = lambda.params.positional.iter().find(|p| p.name == *name).map(|p| p.span);
        }
    });
    let variable = called.file.names.starting(at?.start)?;
    Some(Target { file: called.file, variable })
}

fn passes_on(function: &Expr) -> bool {
    last_name(function).is_some_and(|name| PASSING_ON.contains(&name))
}

/// `partial` of `functools.partial`.
pub(super) fn last_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) | ExprKind::Attribute { name, .. } => Some(name),
        _ => None,
    }
}

pub(super) fn first(args: &[Arg]) -> Option<&Expr> {
    args.iter().find_map(|arg| match arg {
        Arg::Positional(value) => Some(value),
        _ => None,
    })
}

/// The function that an expression of a file is, perhaps wrapped.
pub(super) fn callable(world: &World<'_>, file: &Rc<File>, expr: &Expr, depth: usize) -> Option<Callable> {
    let depth = depth.checked_sub(1)?;
    match &expr.kind {
        ExprKind::Lambda(_) => Some(Callable { file: file.clone(), at: expr.span.start }),
        ExprKind::Name(_) => {
            let variable = file.names.starting(expr.span.start)?;
            of_variable(world, world.home(Target { file: file.clone(), variable }), depth)
        }
        ExprKind::Attribute { value, name, .. } => match world.module_of(file, value) {
            Some(module) => of_variable(world, world.member(&module, name)?, depth),
            None => method(file, name),
        },
        ExprKind::Call { function, args } => {
            let wraps = match &function.kind {
                // `functools.partial(jax.jit, static_argnames="n")(f)`
                ExprKind::Call { function, args } if last_name(function) == Some("partial") => first(args)?,
                _ => function,
            };
            let wraps = last_name(wraps).is_some_and(|name| WRAPPERS.contains(&name));
            wraps.then(|| callable(world, file, first(args)?, depth)).flatten()
        }
        _ => None,
    }
}

fn of_variable(world: &World<'_>, target: Target, depth: usize) -> Option<Callable> {
    let file = &target.file;
    let binding = file.names.variables[target.variable].only_binding()?;
    match binding.role {
        Role::Function => Some(Callable { file: file.clone(), at: binding.span.start }),
        Role::Class => {
            let init = class_methods(&file.module.body, Some(binding.span), "__init__");
            init.first().map(|at| Callable { file: file.clone(), at: *at })
        }
        Role::Assign => {
            let mut value = None;
            assigned(&file.module.body, binding.span, &mut value);
            callable(world, file, value?, depth)
        }
        Role::Alias => {
            let import = file.imports.iter().find(|import| import.bound == binding.span)?;
            let module = world.module(&file.path, import.level, &import.module)?;
            of_variable(world, world.member(&module, import.member.as_deref()?)?, depth.checked_sub(1)?)
        }
        _ => None,
    }
}

/// The value that is assigned to nothing but the name at a place.
fn assigned<'f>(body: &'f [Stmt], at: Span, found: &mut Option<&'f Expr>) {
    for statement in body {
        match &statement.kind {
            StmtKind::Assign { targets, value } if targets.len() == 1 && targets[0].span == at => *found = Some(value),
            StmtKind::FunctionDef(def) => assigned(&def.body, at, found),
            StmtKind::ClassDef(class) => assigned(&class.body, at, found),
            _ => visit::blocks(statement, &mut |block| assigned(block, at, found)),
        }
    }
}

/// A method by its name, where one class of the file alone has it.
fn method(file: &Rc<File>, name: &str) -> Option<Callable> {
    let all = class_methods(&file.module.body, None, name);
    match all.as_slice() {
        [at] => Some(Callable { file: file.clone(), at: *at }),
        _ => None,
    }
}

/// The methods of this name of the class whose name stands at a place, or of all classes.
fn class_methods(body: &[Stmt], class_at: Option<Span>, name: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for statement in body {
        match &statement.kind {
            StmtKind::ClassDef(class) => {
                if class_at.is_none_or(|at| at == class.name_span) {
                    let methods = class.body.iter().filter_map(|inner| match &inner.kind {
                        StmtKind::FunctionDef(def) if *def.name == *name => Some(def.name_span.start),
                        _ => None,
                    });
                    found.extend(methods);
                }
                found.extend(class_methods(&class.body, class_at, name));
            }
            StmtKind::FunctionDef(def) => found.extend(class_methods(&def.body, class_at, name)),
            _ => visit::blocks(statement, &mut |block| found.extend(class_methods(block, class_at, name))),
        }
    }
    found
}

/// The places in a file where a keyword names a parameter of a function; `strings` gets what names it in quotes.
pub(super) fn mentions(
    world: &World<'_>,
    file: &Rc<File>,
    wanted: &Callable,
    name: &str,
    strings: &mut dyn FnMut(&Expr),
) -> Vec<Span> {
    let mut found = Vec::new();
    let is_wanted = |expr: &Expr| callable(world, file, expr, DEEPEST).is_some_and(|called| called.is(wanted));
    file.expressions(&mut |expr| {
        let ExprKind::Call { function, args } = &expr.kind else { return };
        if !args.iter().any(|arg| matches!(arg, Arg::Keyword(..))) {
            return;
        }
        if is_wanted(function) {
            named(args, name, &mut found);
        }
        // What is in front of the function in the call, if anything, takes it and its keywords.
        if first(args).is_some_and(is_wanted) {
            handed_over(function, args, name, &mut found, strings);
        } else if let ExprKind::Call { function: outer, args: inner } = &function.kind
            && last_name(outer) == Some("partial")
            && first(args).is_some_and(is_wanted)
            && let Some(taker) = first(inner)
        {
            handed_over(taker, inner, name, &mut found, strings);
        }
    });
    found
}

/// What the decorators of a function say of its parameters.
pub(super) fn decorated(def: &FunctionDef, name: &str, strings: &mut dyn FnMut(&Expr)) -> Vec<Span> {
    let mut found = Vec::new();
    for decorator in &def.decorators {
        let ExprKind::Call { function, args } = &decorator.kind else { continue };
        match last_name(function) {
            Some("partial") => {
                if let Some(taker) = first(args) {
                    handed_over(taker, args, name, &mut found, strings);
                }
            }
            Some("parametrize") => first(args).into_iter().for_each(&mut *strings),
            _ => handed_over(function, args, name, &mut found, strings),
        }
    }
    found
}

/// The arguments beside a function that is handed to `taker`: keywords that it is called with, names of its scratch memory, names
/// in strings.
fn handed_over(taker: &Expr, args: &[Arg], name: &str, found: &mut Vec<Span>, strings: &mut dyn FnMut(&Expr)) {
    let Some(taker) = last_name(taker) else { return };
    if PASSING_ON.contains(&taker) {
        named(args, name, found);
    }
    for arg in args {
        let Arg::Keyword(keyword, value, _) = arg else { continue };
        match &**keyword {
            "static_argnames" | "donate_argnames" | "nondiff_argnames" => match &value.kind {
                ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => {
                    items.iter().for_each(&mut *strings)
                }
                _ => strings(value),
            },
            "scratch_shapes" | "scratch_types" => match &value.kind {
                ExprKind::Call { function, args } if last_name(function) == Some("dict") => named(args, name, found),
                ExprKind::Dict(entries) => entries.iter().filter_map(|(key, _)| key.as_ref()).for_each(&mut *strings),
                _ => {}
            },
            _ => {}
        }
    }
}

fn named(args: &[Arg], name: &str, found: &mut Vec<Span>) {
    found.extend(args.iter().filter_map(|arg| match arg {
        Arg::Keyword(keyword, _, span) if **keyword == *name => {
            Some(Span { end: span.start + name.len() as u32, ..*span })
        }
        _ => None,
    }));
}

/// Refuses the parameters that pytest fills by their names, fixtures.
pub(super) fn is_filled_by_pytest(target: &Target, name: &str) -> Result<(), String> {
    let Some((callable, Some(def), _)) = function_of(target) else { return Ok(()) };
    let decorated_by = |wanted: &str| {
        def.decorators.iter().any(|decorator| match &decorator.kind {
            ExprKind::Call { function, .. } => last_name(function) == Some(wanted),
            _ => last_name(decorator) == Some(wanted),
        })
    };
    let is_test = is_test_file(&callable.file.path) && def.name.starts_with("test") && !decorated_by("given");
    let mut is_parameter = false;
    decorated(def, name, &mut |expr| is_parameter |= !super::mentioned::within(&target.file, expr, name).is_empty());
    if name != "self" && !is_parameter && (is_test || decorated_by("fixture")) {
        return Err(format!("`{name}` is filled by pytest with the fixture of that name"));
    }
    Ok(())
}

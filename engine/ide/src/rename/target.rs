//! What the cursor means: a variable, the parameter that a keyword of a call names, a name of another module; or why it cannot be
//! renamed.

use super::files::{File, Target, World};
use super::{captured, keywords};
use pallas_engine::Span;
use pallas_engine::syntax::ast::{Arg, Expr, ExprKind};
use pallas_engine::syntax::names::{Role, ScopeKind};
use std::rc::Rc;

/// What is to be renamed, and the mention of it at the cursor.
pub(super) struct Found {
    pub(super) target: Target,
    pub(super) here: Span,
}

/// What is at an offset of a file.
pub(super) fn at(world: &World<'_>, path: &str, offset: u32) -> Result<Option<Found>, String> {
    let Some(file) = world.file(path) else { return Ok(None) };
    if let Some(error) = file.module.errors.first() {
        return Err(format!(
            "{} is not Python, so that not all mentions can be seen: {}",
            file.line(error.span),
            error.message
        ));
    }
    let found = match variable(world, &file, offset)? {
        Some(found) => Some(found),
        None => match imported(world, &file, offset)? {
            Some(found) => Some(found),
            None => within_expression(world, &file, offset)?,
        },
    };
    if let Some(found) = &found {
        may_be(world, found)?;
    }
    Ok(found)
}

fn variable(world: &World<'_>, file: &Rc<File>, offset: u32) -> Result<Option<Found>, String> {
    let Some((variable, mention)) = file.names.at(offset) else { return Ok(None) };
    let here = mention.span;
    let target = Target { file: file.clone(), variable };
    let known = &file.names.variables[variable];
    if known.bindings().next().is_some() {
        return Ok(Some(Found { target: world.home(target), here }));
    }
    // Nobody here binds it: a star import may.
    if let Some(target) = world.member(file, &known.name) {
        return Ok(Some(Found { target, here }));
    }
    Err(format!("`{}` is not defined in this file: it is Python's own, or unknown", known.name))
}

/// `b` of `from a import b as c`, and parts of modules' names.
fn imported(world: &World<'_>, file: &Rc<File>, offset: u32) -> Result<Option<Found>, String> {
    let Some(import) = file.imports.iter().find(|import| import.member_span.touches(offset)) else { return Ok(None) };
    let Some(member) = import.member.as_deref().filter(|member| *member != "*") else {
        return Err(format!("`{}` is a module: its file would have to be renamed", import.module));
    };
    let target = world.module(&file.path, import.level, &import.module).and_then(|from| world.member(&from, member));
    match target {
        Some(target) => Ok(Some(Found { target, here: import.member_span })),
        None => Err(foreign(member, &import.module)),
    }
}

fn foreign(name: &str, module: &str) -> String {
    format!("`{name}` is a name of `{module}`, which is not part of this project")
}

fn within_expression(world: &World<'_>, file: &Rc<File>, offset: u32) -> Result<Option<Found>, String> {
    let mut found = Ok(None);
    file.expressions(&mut |expr| {
        if matches!(found, Ok(None)) && expr.span.touches(offset) {
            found = match &expr.kind {
                ExprKind::Attribute { value, name, name_span } if name_span.touches(offset) => {
                    attribute(world, file, value, name, *name_span).map(Some)
                }
                ExprKind::Call { function, args } => keyword(world, file, expr, function, args, offset),
                _ => Ok(None),
            };
        }
    });
    found
}

fn attribute(world: &World<'_>, file: &Rc<File>, value: &Expr, name: &str, here: Span) -> Result<Found, String> {
    if let Some(module) = world.module_of(file, value) {
        let target = world.member(&module, name);
        return target
            .map(|target| Found { target, here })
            .ok_or_else(|| format!("{} does not define `{name}`", captured::short(&module.path)));
    }
    let base = file.module.source.slice(value.span);
    let owner = match &value.kind {
        ExprKind::Name(_) | ExprKind::Attribute { .. } => crate::imports::Imports::new(&file.module).meaning(base),
        _ => None,
    };
    Err(match owner {
        Some(module) => foreign(name, &module),
        None => format!("`{name}` is an attribute: which objects have it is not known, so that it cannot be followed"),
    })
}

fn keyword(
    world: &World<'_>,
    file: &Rc<File>,
    call: &Expr,
    function: &Expr,
    args: &[Arg],
    offset: u32,
) -> Result<Option<Found>, String> {
    let named = args.iter().find_map(|arg| match arg {
        Arg::Keyword(name, _, span) => {
            let here = Span { end: span.start + name.len() as u32, ..*span };
            here.touches(offset).then_some((name, here))
        }
        _ => None,
    });
    let Some((name, here)) = named else { return Ok(None) };
    match keywords::parameter(world, file, call, name) {
        Some(target) => Ok(Some(Found { target, here })),
        None => {
            let callee = file.module.source.slice(function.span);
            Err(format!(
                "`{name}` is a parameter of `{callee}`, which is not a function of this project that could be followed"
            ))
        }
    }
}

/// Refuses what is found but cannot be followed.
fn may_be(world: &World<'_>, found: &Found) -> Result<(), String> {
    let Found { target, .. } = found;
    let (file, name) = (&target.file, target.name());
    if let Some(error) = file.module.errors.first() {
        return Err(format!(
            "{} of {} is not Python: {}",
            file.line(error.span),
            captured::short(&file.path),
            error.message
        ));
    }
    let variable = &file.names.variables[target.variable];
    if file.names.scopes[variable.scope].kind == ScopeKind::Class {
        return Err(format!(
            "`{name}` is an attribute of a class: which objects have it is not known, so that it cannot be followed"
        ));
    }
    for binding in variable.bindings().filter(|binding| binding.role == Role::Import) {
        let Some(import) = file.imports.iter().find(|import| import.bound == binding.span) else { continue };
        if import.member.is_none() && world.module(&file.path, 0, &import.module).is_some() {
            return Err(format!("`{name}` is a module of this project: its file would have to be renamed"));
        }
        if import.member.is_none() && import.module.contains('.') {
            return Err(format!(
                "`import {}` binds a part of a module's name: `import ... as` gives it a name of its own",
                import.module
            ));
        }
    }
    keywords::is_filled_by_pytest(target, name)
}

//! `o_ref[...] += ...` in a kernel that never sets it: zeros under `pl.when` in the programs that begin a new block.

use super::{Source, tree};
use pallas_ir::{BlockMap, Finding, Fix, Launch, Operand, Role};
use pallas_syntax::Span;
use pallas_syntax::ast::{BinaryOp, Expr, ExprKind, FunctionDef, Stmt, StmtKind};

/// PL203
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let pallas = tree::module_name(source.module, "jax.experimental.pallas")?;
    let numpy = tree::module_name(source.module, "jax.numpy")?;
    let kernel = kernel_around(source, finding.span)?;
    let name = accumulated(kernel, finding.span)?;
    let same =
        |one: &Launch, other: &Launch| one.grid.len() == other.grid.len() && reduced(one, name) == reduced(other, name);
    let launch = source.launch_of_kernel(kernel.name_span, same)?;
    if !kernel.params.iter().any(|param| &*param.name == name) || is_stored_elsewhere(kernel, name) {
        return None;
    }
    let axes = reduced(launch, name)?;
    // Scratch memory that no axis sums up in may well be meant to hand something on from program to program.
    if axes.is_empty() && launch.programs() > 1 && !launch.operands.iter().any(|operand| *operand.name == *name) {
        return None;
    }
    let first = kernel.body.iter().find(|statement| !is_docstring(statement))?;
    let text = &source.module.source.text;
    let start = source.module.place(first.span).start as usize;
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = &text[line..start];
    // `def kernel(x_ref, o_ref): o_ref[...] += x_ref[...]` has no line of its own to put it on.
    if !indent.chars().all(|c| c == ' ' || c == '\t') {
        return None;
    }
    let zeros = format!("{name}[...] = {numpy}.zeros_like({name})");
    let inserted = match axes.as_slice() {
        [] => format!("{indent}{zeros}\n"),
        axes => format!("{indent}{}\n\n", first_only(&pallas, axes, indent, &zeros)),
    };
    let at = Span::new(source.module.source.id, line, line);
    let title = if axes.is_empty() {
        format!("set {name} to zero first")
    } else {
        format!("set {name} to zero under `pl.when`")
    };
    Some(Fix::replace(title, at, inserted))
}

/// PL129: `acc_ref[...] = jnp.zeros_like(acc_ref)` in every program.
pub(super) fn once(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let pallas = tree::module_name(source.module, "jax.experimental.pallas")?;
    let kernel = kernel_around(source, finding.span)?;
    let name = accumulated(kernel, finding.span)?;
    let same =
        |one: &Launch, other: &Launch| one.grid.len() == other.grid.len() && reduced(one, name) == reduced(other, name);
    let launch = source.launch_of_kernel(kernel.name_span, same)?;
    let axes = reduced(launch, name).filter(|axes| !axes.is_empty())?;
    let sets = |statement: &&Stmt| match &statement.kind {
        StmtKind::Assign { targets, value } => {
            let is_zeros = tree::callee(value).is_some_and(|(called, _)| matches!(&**called, "zeros_like" | "zeros"));
            is_zeros
                && matches!(targets.as_slice(), [target] if tree::whole_ref(target).is_some_and(|set| &**set == name))
        }
        _ => false,
    };
    let mut set = kernel.body.iter().filter(sets);
    let statement = set.next().filter(|_| set.next().is_none())?;
    let text = &source.module.source.text;
    let start = source.module.place(statement.span).start as usize;
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = &text[line..start];
    if !indent.chars().all(|c| c == ' ' || c == '\t') {
        return None;
    }
    let mut guarded = first_only(&pallas, &axes, indent, source.text(statement.span));
    // What follows is set off from the function.
    let rest = &text[source.module.place(statement.span).end as usize..];
    if !rest.starts_with("\n\n") {
        guarded.push('\n');
    }
    Some(Fix::replace(format!("set {name} to zero under `pl.when`"), statement.span, guarded))
}

/// PL132: `dw_ref[...] = jnp.sum(...)` in every program.
pub(super) fn accumulate(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    // A maximum is not added up.
    if !finding.evidence.as_ref()?.contains(" sum up ") {
        return None;
    }
    let pallas = tree::module_name(source.module, "jax.experimental.pallas")?;
    let numpy = tree::module_name(source.module, "jax.numpy")?;
    let kernel = kernel_around(source, finding.span)?;
    let store = kernel.body.iter().find(|statement| tree::contains(statement.span, finding.span))?;
    let StmtKind::Assign { targets, value } = &store.kind else { return None };
    let [target] = targets.as_slice() else { return None };
    let name = tree::whole_ref(target)?;
    let same =
        |one: &Launch, other: &Launch| one.grid.len() == other.grid.len() && reduced(one, name) == reduced(other, name);
    let launch = source.launch_of_kernel(kernel.name_span, same)?;
    let axes = reduced(launch, name).filter(|axes| !axes.is_empty())?;
    let text = &source.module.source.text;
    let start = source.module.place(store.span).start as usize;
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = &text[line..start];
    if !indent.chars().all(|c| c == ' ' || c == '\t') {
        return None;
    }
    let zeros = format!("{name}[...] = {numpy}.zeros_like({name})");
    let guarded = first_only(&pallas, &axes, indent, &zeros);
    let sum = format!("{} += {}", source.text(target.span), source.text(value.span));
    // What stood before is set off from the function.
    let before = if text[..line].ends_with("\n\n") || text[..line].ends_with(":\n") { "" } else { "\n" };
    let replacement = format!("{before}{}{guarded}\n\n{indent}{sum}", if before.is_empty() { "" } else { indent });
    let at = match before.is_empty() {
        true => store.span,
        // From the beginning of the line, so that the blank line has no spaces.
        false => Span::new(source.module.source.id, line, source.module.place(store.span).end as usize),
    };
    Some(Fix::replace(format!("add to {name}, from zero on"), at, replacement))
}

/// A statement for the first programs along some axes only; without the indentation of its first line.
fn first_only(pallas: &str, axes: &[usize], indent: &str, statement: &str) -> String {
    let tests: Vec<String> = axes.iter().map(|axis| format!("{pallas}.program_id({axis}) == 0")).collect();
    let condition = match tests.as_slice() {
        [test] => test.clone(),
        tests => tests.iter().map(|test| format!("({test})")).collect::<Vec<_>>().join(" & "),
    };
    let inner = if indent.contains('\t') {
        format!("{indent}\t")
    } else {
        format!("{indent}{}", " ".repeat(indent.len().clamp(2, 4)))
    };
    format!("@{pallas}.when({condition})\n{indent}def _():\n{inner}{statement}")
}

/// The axes along which an output does not move, or for scratch memory no output: their first programs begin new blocks.
fn reduced(launch: &Launch, name: &str) -> Option<Vec<usize>> {
    let own = |output: &Operand| *output.name == *name;
    let is_output = launch.with_role(Role::Output).any(|(_, output)| own(output));
    let mut axes = Vec::new();
    for axis in (0..launch.grid.len()).filter(|&axis| launch.grid[axis] > 1 || launch.dynamic.contains(&axis)) {
        let mut follows = false;
        for (_, output) in launch.with_role(Role::Output).filter(|(_, output)| !is_output || own(output)) {
            follows |= BlockMap::new(output, launch.grid.len()).depends_on(axis)?;
        }
        if !follows {
            axes.push(axis);
        }
    }
    Some(axes)
}

/// The kernel that a place is in.
pub(super) fn kernel_around<'a>(source: &Source<'a>, place: Span) -> Option<&'a FunctionDef> {
    let mut kernels: Vec<Span> = source.launches.iter().filter_map(|launch| launch.spans.kernel).collect();
    kernels.dedup();
    let around = |name: Span| tree::function(source.module, name).filter(|def| tree::contains(def.span, place));
    kernels.into_iter().find_map(around).map(|def| &**def)
}

/// The Ref that is added to at a place: `o_ref[...] += x`, or `o_ref[...] = o_ref[...] + x`.
fn accumulated(kernel: &FunctionDef, place: Span) -> Option<&str> {
    let mut found = None;
    tree::in_statements(&kernel.body, &mut |statement| {
        if !tree::contains(statement.span, place) {
            return;
        }
        match &statement.kind {
            StmtKind::AugAssign { target, op: BinaryOp::Add, .. }
                if tree::contains(target.span, place) || statement.span == place =>
            {
                found = tree::whole_ref(target);
            }
            StmtKind::Assign { targets, value } => {
                if let ([target], ExprKind::BinOp { left, op: BinaryOp::Add, right }) =
                    (targets.as_slice(), &value.kind)
                    && let Some(name) = tree::whole_ref(target)
                    && [left, right].into_iter().any(|side| side.span == place && tree::whole_ref(side) == Some(name))
                {
                    found = Some(name);
                }
            }
            _ => {}
        }
    });
    found.map(|name| &**name)
}

/// Whether anything but additions to it is written to a Ref, or it is handed on: then who knows what it is to begin with.
fn is_stored_elsewhere(kernel: &FunctionDef, name: &str) -> bool {
    let mut elsewhere = false;
    tree::in_statements(&kernel.body, &mut |statement| {
        if let StmtKind::Assign { targets, value } = &statement.kind {
            let adds = |side: &Expr| tree::whole_ref(side).is_some_and(|other| &**other == name);
            let is_sum =
                matches!(&value.kind, ExprKind::BinOp { left, op: BinaryOp::Add, right } if adds(left) || adds(right));
            elsewhere |= !is_sum && targets.iter().any(|target| is_into(target, name));
        }
    });
    elsewhere
}

fn is_into(target: &Expr, name: &str) -> bool {
    match &target.kind {
        ExprKind::Subscript { value, .. } => matches!(&value.kind, ExprKind::Name(other) if &**other == name),
        _ => false,
    }
}

fn is_docstring(statement: &Stmt) -> bool {
    use pallas_syntax::ast::Constant;
    matches!(&statement.kind, StmtKind::Expr(Expr { kind: ExprKind::Constant(Constant::Str(_)), .. }))
}

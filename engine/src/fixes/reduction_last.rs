//! An axis of the grid that is reduced over and stands before others: it is moved to the end, in the grid, in the index maps
//! and in the kernel.

use super::{Source, tree};
use pallas_ir::{BlockMap, Edit, Finding, Fix, Launch, Role};
use pallas_syntax::Span;
use pallas_syntax::ast::{Arg, Constant, Expr, ExprKind, Param};

/// PL124
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let uses = |launch: &Launch| {
        let mut maps = launch.operands.iter().filter_map(|operand| operand.spans.index_map);
        maps.any(|map| map == finding.span)
    };
    let mut launches = source.launches.iter().filter(|launch| uses(launch));
    let launch = launches.next()?;
    // Specs and kernels that another launch shares would change it, too.
    let shares = |other: &Launch| {
        let mine: Vec<Option<Span>> = launch.operands.iter().map(|operand| operand.spans.index_map).collect();
        other.spans.call != launch.spans.call
            && (other.spans.kernel == launch.spans.kernel
                || other.operands.iter().any(|operand| mine.contains(&operand.spans.index_map)))
            || other.spans.call == launch.spans.call && other.spans.kernel != launch.spans.kernel
    };
    if source.launches.iter().any(|other| shares(other)) || !launch.dynamic.is_empty() {
        return None;
    }
    let order = order(launch)?;
    let mut edits = Vec::new();
    let ExprKind::Tuple(grid) = &tree::at(source.module, launch.spans.grid?)?.kind else { return None };
    permute(source, grid.iter().map(|extent| extent.span), &order, &mut edits)?;
    let mut maps: Vec<Span> = Vec::new();
    for operand in &launch.operands {
        match (operand.spans.index_map, &operand.index_map) {
            (Some(map), _) if !maps.contains(&map) => maps.push(map),
            // A map that is not written here counts the axes in their old order.
            (None, Some(_)) => return None,
            _ => {}
        }
    }
    for map in maps {
        let ExprKind::Lambda(lambda) = &tree::at(source.module, map)?.kind else { return None };
        let params: Vec<&Param> = lambda.params.iter().collect();
        if params.len() != lambda.params.positional.len() || params.iter().any(|param| param.default.is_some()) {
            return None;
        }
        permute(source, params.iter().take(order.len()).map(|param| param.span), &order, &mut edits)?;
    }
    semantics(source, launch, &order, &mut edits)?;
    program_ids(source, launch, &order, &mut edits)?;
    edits.retain(|edit| source.text(edit.span) != edit.replacement);
    edits.sort_by_key(|edit| edit.span);
    Some(Fix { title: "move the axis that is reduced over to the end of the grid".to_string(), edits })
}

/// The axes in their new order: those that outputs follow, then the others.
fn order(launch: &Launch) -> Option<Vec<usize>> {
    let mut followed = vec![false; launch.grid.len()];
    for (_, output) in launch.with_role(Role::Output) {
        let map = BlockMap::new(output, launch.grid.len());
        for (axis, follows) in followed.iter_mut().enumerate() {
            *follows |= map.depends_on(axis)?;
        }
    }
    let (mut order, reduced): (Vec<usize>, Vec<usize>) = (0..launch.grid.len()).partition(|&axis| followed[axis]);
    order.extend(reduced);
    Some(order)
}

/// Puts texts into their new order.
fn permute(
    source: &Source<'_>,
    spans: impl Iterator<Item = Span>,
    order: &[usize],
    edits: &mut Vec<Edit>,
) -> Option<()> {
    let spans: Vec<Span> = spans.collect();
    if spans.len() != order.len() {
        return None;
    }
    for (span, &old) in spans.iter().zip(order) {
        edits.push(Edit { span: *span, replacement: source.text(spans[old]).to_string() });
    }
    Some(())
}

/// `dimension_semantics`, where the launch has any: it must be written out in the call.
fn semantics(source: &Source<'_>, launch: &Launch, order: &[usize], edits: &mut Vec<Edit>) -> Option<()> {
    if launch.semantics.is_empty() {
        return Some(());
    }
    let mut found: Option<&Expr> = None;
    tree::each_inside(tree::at(source.module, launch.spans.call)?, &mut |expr| {
        if let ExprKind::Call { args, .. } = &expr.kind {
            found = found.or_else(|| {
                args.iter().find_map(|arg| match arg {
                    Arg::Keyword(name, value, _) if &**name == "dimension_semantics" => Some(value),
                    _ => None,
                })
            });
        }
    });
    let (ExprKind::Tuple(axes) | ExprKind::List(axes)) = &found?.kind else { return None };
    permute(source, axes.iter().map(|axis| axis.span), order, edits)
}

/// `program_id(0)` and `num_programs(0)` in the kernel; nobody else may ask, since who calls them is not known here.
fn program_ids(source: &Source<'_>, launch: &Launch, order: &[usize], edits: &mut Vec<Edit>) -> Option<()> {
    let kernel = tree::function(source.module, launch.spans.kernel?)?;
    let mut others: Vec<Span> = Vec::new();
    for other in source.launches.iter().filter_map(|other| other.spans.kernel).filter(|name| *name != kernel.name_span)
    {
        others.extend(tree::function(source.module, other).map(|def| def.span));
    }
    let mut is_known = true;
    tree::each(&source.module.body, &mut |expr| {
        let Some((name, args)) =
            tree::callee(expr).filter(|(name, _)| matches!(&***name, "program_id" | "num_programs"))
        else {
            return;
        };
        let _ = name;
        if others.iter().any(|other| tree::contains(*other, expr.span)) {
            return;
        }
        let axis = tree::argument(args, "axis", 0);
        let constant = axis.and_then(|axis| match axis.kind {
            ExprKind::Constant(Constant::Int(number)) => usize::try_from(number).ok().map(|number| (axis.span, number)),
            _ => None,
        });
        match constant.and_then(|(span, old)| Some((span, order.iter().position(|&axis| axis == old)?))) {
            Some((span, new)) if tree::contains(kernel.span, expr.span) => {
                edits.push(Edit { span, replacement: new.to_string() });
            }
            _ => is_known = false,
        }
    });
    is_known.then_some(())
}

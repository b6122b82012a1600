//! `dimension_semantics=("parallel", "parallel")` where an axis is reduced over: `"arbitrary"` for that axis, and for Mosaic GPU
//! `"sequential"`.

use super::{Source, tree};
use pallas_ir::{AxisSemantics, BlockMap, Edit, Finding, Fix, Role};
use pallas_syntax::ast::{Arg, Constant, Expr, ExprKind};

/// PL125
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let launch = source.launches.iter().find(|launch| {
        let is_launched = finding.labels.iter().any(|label| label.span == launch.spans.call);
        is_launched && launch.semantics.contains(&AxisSemantics::Parallel)
    })?;
    let call = tree::at(source.module, launch.spans.call)?;
    let mut semantics = None;
    tree::each_inside(call, &mut |expr| {
        if let ExprKind::Call { args, .. } = &expr.kind {
            for arg in args {
                if let Arg::Keyword(name, value, _) = arg
                    && &**name == "dimension_semantics"
                {
                    semantics = Some(value);
                }
            }
        }
    });
    let (ExprKind::Tuple(axes) | ExprKind::List(axes)) = &semantics?.kind else { return None };
    if axes.len() != launch.grid.len() {
        return None;
    }
    let word = if launch.target.is_mosaic_gpu() { "sequential" } else { "arbitrary" };
    let mut edits = Vec::new();
    for (axis, declared) in axes.iter().enumerate() {
        let is_shared = launch.grid[axis] > 1
            && launch
                .with_role(Role::Output)
                .any(|(_, operand)| BlockMap::new(operand, launch.grid.len()).depends_on(axis) == Some(false));
        if is_shared && launch.semantics.get(axis) == Some(&AxisSemantics::Parallel) && is_parallel(declared) {
            edits.push(Edit { span: declared.span, replacement: format!("\"{word}\"") });
        }
    }
    (!edits.is_empty()).then(|| Fix { title: format!("declare the axis `{word}`"), edits })
}

fn is_parallel(declared: &Expr) -> bool {
    match &declared.kind {
        ExprKind::Constant(Constant::Str(text)) => text.contains("parallel"),
        ExprKind::Attribute { name, .. } => name.contains("PARALLEL"),
        _ => false,
    }
}

//! `lambda i: (i * 32, 0)` with blocks of 32: block indices instead of element offsets.

use super::{Source, tree};
use pallas_ir::{BlockDim, BlockMap, Edit, Finding, Fix, IndexForm, Launch, Operand};
use pallas_syntax::ast::{BinaryOp, Expr, ExprKind};

/// PL120
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let ExprKind::Lambda(lambda) = &tree::at(source.module, finding.span)?.kind else { return None };
    let uses: Vec<(&Launch, &Operand)> = source
        .launches
        .iter()
        .flat_map(|launch| launch.operands.iter().map(move |operand| (&**launch, operand)))
        .filter(|(_, operand)| operand.spans.index_map == Some(finding.span))
        .collect();
    let (launch, operand) = *uses.first()?;
    if uses.iter().any(|(_, other)| other.block != operand.block) {
        return None;
    }
    let results: Vec<&Expr> = match &lambda.body.kind {
        ExprKind::Tuple(results) => results.iter().collect(),
        _ => vec![&lambda.body],
    };
    if results.len() != operand.block.len() {
        return None;
    }
    let forms = BlockMap::new(operand, launch.grid.len()).dims;
    let mut edits = Vec::new();
    for ((result, block), form) in results.iter().zip(&operand.block).zip(&forms) {
        if are_offsets(form, *block)
            && let Some(index) = divided(source, result, block.size() as i64)
        {
            edits.push(Edit { span: result.span, replacement: source.text(index.span).to_string() });
        }
    }
    let title = "return block indices, not element offsets".to_string();
    (!edits.is_empty()).then_some(Fix { title, edits })
}

/// Whether every index is a multiple of the block size, and some is not zero.
fn are_offsets(form: &IndexForm, block: BlockDim) -> bool {
    let (IndexForm::Affine { constant: 0, coefficients }, BlockDim::Blocked(size @ 2..)) = (form, block) else {
        return false;
    };
    let unit = size as i64;
    coefficients.iter().any(|&c| c != 0) && coefficients.iter().all(|c| c % unit == 0)
}

/// `i` of `i * size` and `size * i`.
fn divided<'a>(source: &Source<'_>, product: &'a Expr, size: i64) -> Option<&'a Expr> {
    let ExprKind::BinOp { left, op: BinaryOp::Mult, right } = &product.kind else { return None };
    let simple = |expr: &'a Expr| matches!(expr.kind, ExprKind::Name(_)).then_some(expr);
    if source.integer(right) == Some(size) {
        return simple(left);
    }
    (source.integer(left) == Some(size)).then(|| simple(right)).flatten()
}

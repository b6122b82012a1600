//! How long a dimension is that is written as a formula: `max_num_seqs + 1`, `heads_x2 // packing`, `align_to(head_dim, 128)`.

use pallas_syntax::ast::{Arg, BinaryOp, Constant, Expr, ExprKind, StmtKind};
use pallas_syntax::{FileId, SourceFile};
use std::sync::Arc;

/// The value of a formula, given that of each name; `None` if it is none, or not a positive number.
pub(super) fn evaluated(formula: &str, of: &dyn Fn(&str) -> usize) -> Option<usize> {
    let module = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(0), "dimension", formula)));
    let [statement] = &*module.body else { return None };
    let StmtKind::Expr(expr) = &statement.kind else { return None };
    if !module.errors.is_empty() {
        return None;
    }
    value(expr, of).and_then(|value| usize::try_from(value).ok()).filter(|value| *value > 0)
}

fn value(expr: &Expr, of: &dyn Fn(&str) -> usize) -> Option<i64> {
    match &expr.kind {
        ExprKind::Constant(Constant::Int(number)) => Some(*number),
        ExprKind::Name(name) => i64::try_from(of(name)).ok(),
        ExprKind::BinOp { left, op, right } => binary(value(left, of)?, *op, value(right, of)?),
        ExprKind::Call { function, args } => {
            let (ExprKind::Name(name) | ExprKind::Attribute { name, .. }) = &function.kind else { return None };
            let [Arg::Positional(first), Arg::Positional(second)] = args.as_slice() else { return None };
            let (first, second) = (value(first, of)?, value(second, of)?);
            let quotient = |down: i64| (down > 0).then(|| first.checked_add(down - 1).map(|up| up / down)).flatten();
            match &**name {
                "cdiv" | "ceil_div" => quotient(second),
                "align_to" | "round_up" => quotient(second)?.checked_mul(second),
                "max" => Some(first.max(second)),
                "min" => Some(first.min(second)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What an operator makes of two numbers.
pub(super) fn binary(left: i64, op: BinaryOp, right: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Sub => left.checked_sub(right),
        BinaryOp::Mult => left.checked_mul(right),
        BinaryOp::FloorDiv | BinaryOp::Div => left.checked_div_euclid(right),
        BinaryOp::Mod => left.checked_rem_euclid(right),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_come_to_numbers() {
        let of = |name: &str| if name == "n" { 8 } else { 3 };
        let value = |formula: &str| evaluated(formula, &of);
        assert_eq!(value("n + 1"), Some(9));
        assert_eq!(value("n * k"), Some(24));
        assert_eq!(value("n // k"), Some(2));
        assert_eq!(value("align_to(n, 128)"), Some(128));
        assert_eq!(value("pl.cdiv(n, 3)"), Some(3));
        assert_eq!(value("k - n"), None);
        assert_eq!(value("n //"), None);
        assert_eq!(value("9223372036854775807 + n"), None);
    }
}

//! What conditions say: dimensions, shapes and ranks that are the same.

use super::{Reader, Use, integer};
use pallas_syntax::ast::{CompareOp, Expr, ExprKind, Name, UnaryOp};

impl Reader<'_> {
    /// A condition that holds, or does not: equal shapes, dimensions, ranks.
    pub(super) fn holds(&mut self, test: &Expr, is_true: bool) {
        match &test.kind {
            ExprKind::BoolOp { values, .. } => values.iter().for_each(|value| self.holds(value, is_true)),
            ExprKind::UnaryOp { op: UnaryOp::Not, operand } => self.holds(operand, !is_true),
            ExprKind::Compare { left, ops, rest } => {
                let wanted = if is_true { CompareOp::Eq } else { CompareOp::NotEq };
                let sides: Vec<&Expr> = std::iter::once(&**left).chain(rest).collect();
                if ops.iter().all(|op| *op == wanted) {
                    self.equal(&sides);
                }
            }
            _ => {}
        }
    }

    /// Expressions that have the same value.
    fn equal(&mut self, sides: &[&Expr]) {
        let names: Vec<Name> = sides.iter().filter_map(|side| self.dimension_name(side)).collect();
        self.uses.equal.extend(names.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
        if let Some(rank) = sides.iter().find_map(|side| integer(side)).and_then(|rank| usize::try_from(rank).ok()) {
            for side in sides {
                if let Some(array) = self.rank_of(side) {
                    array.rank = array.rank.or(Some(rank));
                    array.is_array = true;
                }
            }
        }
        let mut shared = Use::default();
        for side in sides {
            match &side.kind {
                ExprKind::Tuple(dims) if dims.iter().all(|dim| dimension_text(dim).is_some()) => {
                    for (dim, index) in dims.iter().zip(0..) {
                        shared.name(index, &dimension_text(dim).unwrap_or_else(|| Name::from("_")));
                    }
                    shared.rank = Some(dims.len());
                }
                _ => {
                    if let Some(array) = self.shape_of(side) {
                        shared.merge(array);
                    }
                }
            }
        }
        for side in sides {
            if let Some(array) = self.shape_of(side) {
                array.merge(&shared);
                array.is_array = true;
            }
        }
    }

    /// The name of a dimension: a name, or `x.shape[1]`, which gets one if it has none.
    fn dimension_name(&mut self, expr: &Expr) -> Option<Name> {
        match &expr.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Subscript { value, index } => {
                let index = integer(index)?;
                let ExprKind::Attribute { value: array, .. } = &value.kind else { return None };
                let ExprKind::Name(owner) = &array.kind else { return None };
                let made = Name::from(format!("{owner}.shape[{index}]"));
                let array = self.shape_of(value)?;
                array.name(index, &made);
                let names = if index < 0 { &array.back } else { &array.front };
                names[if index < 0 { -index - 1 } else { index } as usize].clone()
            }
            _ => None,
        }
    }
}

/// A dimension as written: a name, or a number, which names itself.
fn dimension_text(expr: &Expr) -> Option<Name> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        _ => integer(expr).map(|number| Name::from(number.to_string())),
    }
}

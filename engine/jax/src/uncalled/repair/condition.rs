//! Assertions, and conditions that somebody raises for: what would have to hold.

use super::Lesson;
use super::place::{Place, Reading};
use pallas_syntax::Span;
use pallas_syntax::ast::{Arg, BoolOp, CompareOp, Constant, Expr, ExprKind, Stmt, StmtKind, UnaryOp};
use pallas_syntax::visit;
use pallas_tensor::DType;

impl Lesson<'_> {
    /// If an assertion failed, or somebody raised for a condition.
    pub(super) fn condition(&mut self) -> bool {
        let Some((span, tree)) = self.place() else { return false };
        let Some((test, wanted)) = failed(&tree.body, span, None) else { return false };
        self.hold(&test.clone(), wanted)
    }

    /// Has a condition hold, or not.
    fn hold(&mut self, test: &Expr, wanted: bool) -> bool {
        match &test.kind {
            ExprKind::UnaryOp { op: UnaryOp::Not, operand } => self.hold(operand, !wanted),
            ExprKind::BoolOp { op, values } => {
                // Of `a and b` that is to hold, what does not; of `a or b` that is not to hold, what does.
                let one_by_one = (*op == BoolOp::And) == wanted;
                let is_to_blame = |value: &&Expr| !one_by_one || self.truth(value) != Some(wanted);
                let blamed: Vec<&Expr> = values.iter().filter(is_to_blame).collect();
                let mut is_lesson = false;
                for value in blamed {
                    is_lesson |= self.hold(value, wanted);
                    // Of several ways out one will do.
                    if is_lesson && !one_by_one {
                        break;
                    }
                }
                is_lesson
            }
            ExprKind::Compare { left, ops, rest } => {
                let sides: Vec<&Expr> = std::iter::once(&**left).chain(rest).collect();
                let pairs = sides.windows(2).zip(ops);
                pairs.fold(false, |any, (pair, op)| {
                    let op = if wanted { Some(*op) } else { opposite(*op) };
                    op.is_some_and(|op| self.compare(pair[0], op, pair[1])) || any
                })
            }
            ExprKind::Call { args, .. } => self.family(args, wanted),
            ExprKind::Name(name) if self.has_parameter(name) => {
                self.learnt.set_flag(name, wanted);
                true
            }
            _ => false,
        }
    }

    /// What a condition came to, where it was seen.
    fn truth(&self, expr: &Expr) -> Option<bool> {
        match (self.failure.shown)(expr.span)?.value?.as_str() {
            "True" => Some(true),
            "False" => Some(false),
            _ => None,
        }
    }

    fn compare(&mut self, left: &Expr, op: CompareOp, right: &Expr) -> bool {
        let is_none = |expr: &Expr| matches!(expr.kind, ExprKind::Constant(Constant::None));
        if is_none(right) {
            let ExprKind::Name(name) = &left.kind else { return false };
            if !self.has_parameter(name) {
                return false;
            }
            match op {
                CompareOp::IsNot | CompareOp::NotEq => self.learnt.give(name),
                _ => self.learnt.leave_out(name),
            }
            return true;
        }
        if matches!(op, CompareOp::In) {
            let (ExprKind::Tuple(parts) | ExprKind::List(parts) | ExprKind::Set(parts)) = &right.kind else {
                return false;
            };
            return parts.iter().any(|part| self.compare(left, CompareOp::Eq, part));
        }
        let (a, b) = (self.reading(left), self.reading(right));
        match (op, a, b) {
            (CompareOp::Eq | CompareOp::Is, a, b) => self.equate((left, a), (right, b)),
            (CompareOp::LtE, Some(Reading::Int(a)), Some(Reading::Int(b))) if a > b => {
                self.solve(right, a) || self.solve(left, b)
            }
            (CompareOp::GtE, Some(Reading::Int(a)), Some(Reading::Int(b))) if a < b => {
                self.solve(left, b) || self.solve(right, a)
            }
            (CompareOp::Lt, Some(Reading::Int(a)), Some(Reading::Int(b))) if a >= b => {
                self.solve(right, a.saturating_mul(2).max(1)) || self.solve(left, b / 2)
            }
            (CompareOp::Gt, Some(Reading::Int(a)), Some(Reading::Int(b))) if a <= b => {
                self.solve(left, b.saturating_mul(2).max(1)) || self.solve(right, a / 2)
            }
            _ => false,
        }
    }

    /// Makes two sides the same: the later argument follows the earlier one.
    fn equate(&mut self, left: (&Expr, Option<Reading>), right: (&Expr, Option<Reading>)) -> bool {
        if left.1.is_some() && left.1 == right.1 {
            return false;
        }
        let (a, b) = (self.place_of(left.0), self.place_of(right.0));
        let first = |place: &Option<Place>| match place {
            Some(Place::Shape(arrays) | Place::Rank(arrays) | Place::DType(arrays) | Place::Dim(arrays, _)) => {
                arrays.first().copied()
            }
            _ => None,
        };
        let right_follows = a.is_none() || first(&a) < first(&b);
        let order = if right_follows { [(&right, &left), (&left, &right)] } else { [(&left, &right), (&right, &left)] };
        order.into_iter().any(|((expr, _), (_, wanted))| match wanted {
            Some(Reading::Int(number)) => self.solve(expr, *number),
            Some(wanted) => self.place_of(expr).is_some_and(|place| self.set(&place, wanted)),
            None => false,
        })
    }

    /// `jnp.issubdtype(x.dtype, jnp.integer)`
    fn family(&mut self, args: &[Arg], wanted: bool) -> bool {
        let [Arg::Positional(of), Arg::Positional(family)] = args else { return false };
        let ExprKind::Attribute { name, .. } = &family.kind else { return false };
        let dtype = match (&**name, wanted) {
            ("integer" | "signedinteger", true) | ("floating" | "inexact", false) => DType::I32,
            ("unsignedinteger", true) => DType::U32,
            ("floating" | "inexact", true) | ("integer", false) => DType::F32,
            _ => return false,
        };
        self.place_of(of).is_some_and(|place| self.set(&place, &Reading::DType(dtype)))
    }
}

/// What has to hold instead of a comparison that must not.
fn opposite(op: CompareOp) -> Option<CompareOp> {
    Some(match op {
        CompareOp::NotEq => CompareOp::Eq,
        CompareOp::Lt => CompareOp::GtE,
        CompareOp::LtE => CompareOp::Gt,
        CompareOp::Gt => CompareOp::LtE,
        CompareOp::GtE => CompareOp::Lt,
        CompareOp::Is => CompareOp::IsNot,
        CompareOp::IsNot => CompareOp::Is,
        CompareOp::NotIn => CompareOp::In,
        CompareOp::Eq | CompareOp::In => return None,
    })
}

/// The condition that the statement at a place failed for, and what it should have been.
fn failed<'a>(body: &'a [Stmt], span: Span, condition: Option<(&'a Expr, bool)>) -> Option<(&'a Expr, bool)> {
    let stmt = body.iter().find(|stmt| stmt.span.file == span.file && stmt.span.covers(span))?;
    match &stmt.kind {
        StmtKind::Assert { test, .. } => Some((test, true)),
        StmtKind::Raise { .. } => condition,
        StmtKind::If { test, body, orelse } => {
            failed(body, span, Some((test, false))).or_else(|| failed(orelse, span, Some((test, true))))
        }
        StmtKind::FunctionDef(def) => failed(&def.body, span, None),
        StmtKind::ClassDef(def) => failed(&def.body, span, None),
        _ => {
            let mut found = None;
            visit::blocks(stmt, &mut |block| found = found.or_else(|| failed(block, span, condition)));
            found
        }
    }
}

//! Arrays that are unpacked, indexed or used as indices in a way that they do not allow.

use super::super::planner::{Argument, Kind};
use super::super::usage::integer;
use super::Lesson;
use super::place::{Place, Reading, is_type};
use pallas_syntax::Span;
use pallas_syntax::ast::{Expr, ExprKind, Name, Stmt, StmtKind};
use pallas_syntax::visit;
use pallas_tensor::DType;

impl Lesson<'_> {
    /// If the number of dimensions was wrong, or floats were used as indices.
    pub(super) fn access(&mut self) -> bool {
        let message = self.failure.message;
        if let Some(rank) =
            number_between(message, "but ", " were indexed").or(number_between(message, "but ", " are indexed"))
        {
            return self.base_gets(rank);
        }
        if message.contains("values to unpack") {
            return self.unpacked();
        }
        if message.contains("Indexer must have integer") {
            return self.indices();
        }
        message.contains("tuple index out of range") && self.dimension_out_of_range()
    }

    /// If integers were wanted where the arguments have floats: `~mask`, `x % 8` of starts.
    pub(super) fn dtypes(&mut self) -> bool {
        let message = self.failure.message;
        if message.contains(" into a Ref of float32") {
            return self.stored(message);
        }
        if message.contains(" begins as i32") && message.contains(" comes back as f32") {
            return self.tables_become_integers();
        }
        if message.contains(" begins as bf16") && message.contains(" comes back as f32") {
            return self.halves_become_whole();
        }
        let is_bool = message.contains("subtypes of integer, bool");
        if !is_bool && !WANTS_INTEGERS.iter().any(|words| message.contains(words)) {
            return false;
        }
        let wanted = if is_bool { DType::Bool } else { DType::I32 };
        let mut inside = Vec::new();
        for expr in self.expressions() {
            inside.push(expr.span);
            visit::inside(&expr, &mut |part| inside.push(part.span));
        }
        let by_place = self.floats_become(&inside, wanted);
        by_place || self.named_become(wanted) || self.masks_become(wanted)
    }

    /// The same for arrays that the place calls by the name of their Ref: `lower_ref` of `lower`.
    fn named_become(&mut self, wanted: DType) -> bool {
        let mut names = Vec::new();
        self.expressions().iter().for_each(|expr| names_in(expr, &mut names));
        let is_named = |argument: &&Argument| {
            let is = |name: &Name| name.strip_suffix("_ref").unwrap_or(name) == &*argument.name;
            matches!(&argument.kind, Kind::Array(made, _) if made.dtype == DType::F32) && names.iter().any(is)
        };
        let named: Vec<Name> = self.made.iter().filter(is_named).map(|argument| argument.name.clone()).collect();
        named.iter().for_each(|name| self.learnt.set_dtype(name, wanted));
        !named.is_empty()
    }

    /// An integer that a loop carries became a float: what it is counted with has one dimension at most, as lengths and offsets do.
    fn tables_become_integers(&mut self) -> bool {
        let is_table = |argument: &&Argument| matches!(&argument.kind, Kind::Array(made, _) if made.dtype == DType::F32 && made.shape.len() <= 1);
        let tables: Vec<Name> = self.made.iter().filter(is_table).map(|argument| argument.name.clone()).collect();
        tables.iter().for_each(|table| self.learnt.set_dtype(table, DType::I32));
        !tables.is_empty()
    }

    /// Something that a loop carries became wider than the array that it was loaded from: halves that nobody has asked for.
    fn halves_become_whole(&mut self) -> bool {
        let is_half = |argument: &&Argument| {
            argument.is_of_any_dtype && matches!(&argument.kind, Kind::Array(made, _) if made.dtype == DType::BF16)
        };
        let halves: Vec<Name> = self.made.iter().filter(is_half).map(|argument| argument.name.clone()).collect();
        halves.iter().for_each(|half| self.learnt.set_dtype(half, DType::F32));
        !halves.is_empty()
    }

    /// `this stores int32 into a Ref of float32`: the array that the Ref is of has the dtype of the value.
    fn stored(&mut self, message: &str) -> bool {
        let stored = message.split("stores ").nth(1).and_then(|rest| rest.split(' ').next());
        let Some(dtype) = stored.and_then(super::super::described::dtype) else { return false };
        let bases = self.expressions().into_iter().filter_map(|expr| match expr.kind {
            ExprKind::Subscript { value, .. } => Some(value.span),
            _ => None,
        });
        let bases: Vec<Span> = bases.collect();
        self.floats_become(&bases, dtype)
    }

    /// Arrays of floats among the arguments, of which one of these expressions is, hold something else.
    fn floats_become(&mut self, spans: &[Span], wanted: DType) -> bool {
        let types: Vec<String> =
            spans.iter().filter_map(|span| (self.failure.shown)(*span).and_then(|shown| shown.ty)).collect();
        let mut any = false;
        for argument in self.made {
            if let Kind::Array(made, _) = &argument.kind
                && made.dtype == DType::F32
                && types.iter().any(|ty| is_type(ty, made))
            {
                self.learnt.set_dtype(&argument.name, wanted);
                any = true;
            }
        }
        any
    }

    /// The same for what is called a mask.
    fn masks_become(&mut self, wanted: DType) -> bool {
        let is_mask = |argument: &&Argument| {
            matches!(&argument.kind, Kind::Array(made, _) if made.dtype == DType::F32) && argument.name.contains("mask")
        };
        let masks: Vec<Name> = self.made.iter().filter(is_mask).map(|argument| argument.name.clone()).collect();
        masks.iter().for_each(|mask| self.learnt.set_dtype(mask, wanted));
        !masks.is_empty()
    }

    /// The parameter that is `None` at the place of the failure, and should not be.
    pub(super) fn none_at_place(&self) -> Option<Name> {
        let names = self.expressions().into_iter().map(|expr| match expr.kind {
            ExprKind::Attribute { value, .. } | ExprKind::Subscript { value, .. } => vec![*value],
            ExprKind::BinOp { left, right, .. } => vec![*left, *right],
            _ => Vec::new(),
        });
        let names = names.flatten().filter_map(|expr| match expr.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        });
        // What the call was given is not `None`.
        let names = names.filter(|name| self.made.iter().all(|argument| argument.name != *name));
        names.filter(|name| self.has_parameter(name) && !self.learnt.is_given(name)).last()
    }

    /// The expressions of the statement at the place of the failure that lie at or around it, innermost last.
    pub(super) fn expressions(&self) -> Vec<Expr> {
        let Some((span, tree)) = self.place() else { return Vec::new() };
        let mut found = Vec::new();
        around(&tree.body, span, &mut found);
        found
    }

    /// `x_ref[0, 0, i]` where the array has two dimensions.
    fn base_gets(&mut self, rank: i64) -> bool {
        let bases = self.expressions().into_iter().filter_map(|expr| match expr.kind {
            ExprKind::Subscript { value, .. } => match value.kind {
                ExprKind::Attribute { value, name, .. } if &*name == "at" => Some(*value),
                _ => Some(*value),
            },
            _ => None,
        });
        let arrays = bases.last().map(|base| self.arrays(&base)).unwrap_or_default();
        !arrays.is_empty() && self.set(&Place::Rank(arrays), &Reading::Int(rank))
    }

    /// `a, b, c = x.shape` where the array has two dimensions.
    fn unpacked(&mut self) -> bool {
        let Some((span, tree)) = self.place() else { return false };
        let mut rank = None;
        statements(&tree.body, span, &mut |stmt| {
            if let StmtKind::Assign { targets, value } = &stmt.kind
                && let [Expr { kind: ExprKind::Tuple(parts), .. }] = targets.as_slice()
                && let Some(Place::Shape(arrays)) = self.place_of(value)
            {
                rank = Some((arrays, parts.len()));
            }
        });
        rank.is_some_and(|(arrays, rank)| self.set(&Place::Rank(arrays), &Reading::Int(rank as i64)))
    }

    /// `x.shape[2]` where the array has two dimensions.
    fn dimension_out_of_range(&mut self) -> bool {
        for expr in self.expressions().iter().rev() {
            let ExprKind::Subscript { value, index } = &expr.kind else { continue };
            if let (Some(Place::Shape(arrays)), Some(index)) = (self.place_of(value), integer(index)) {
                let rank = if index < 0 { -index } else { index + 1 };
                return self.set(&Place::Rank(arrays), &Reading::Int(rank));
            }
        }
        false
    }

    /// `x[i]` where `i` holds floats: whatever floats of the arguments occur in the index are integers.
    fn indices(&mut self) -> bool {
        let mut any = false;
        for expr in self.expressions() {
            let mut inside = vec![expr.span];
            if let ExprKind::Subscript { index, .. } = &expr.kind {
                inside = vec![index.span];
                visit::inside(index, &mut |part| inside.push(part.span));
            }
            for span in inside {
                let Some(ty) = (self.failure.shown)(span).and_then(|shown| shown.ty) else { continue };
                for argument in self.made {
                    if let Kind::Array(made, _) = &argument.kind
                        && made.dtype == DType::F32
                        && is_type(&ty, made)
                    {
                        self.learnt.set_dtype(&argument.name, DType::I32);
                        any = true;
                    }
                }
            }
        }
        any
    }
}

/// What is said where floats are no indices, counts or bits.
const WANTS_INTEGERS: [&str; 6] = [
    "must have integer types",
    "must have an integer type",
    "subtypes of integer",
    "must be integer",
    "requires arguments to have the same dtypes, got float32, int32",
    "requires arguments to have the same dtypes, got int32, float32",
];

fn names_in(expr: &Expr, names: &mut Vec<Name>) {
    if let ExprKind::Name(name) = &expr.kind {
        names.push(name.clone());
    }
    visit::inside(expr, &mut |part| names_in(part, names));
}

/// Expressions at or around a place, outermost first.
fn around(body: &[Stmt], span: Span, found: &mut Vec<Expr>) {
    statements(body, span, &mut |stmt| {
        visit::expressions(stmt, &mut |expr| inside(expr, span, found));
    });
}

fn inside(expr: &Expr, span: Span, found: &mut Vec<Expr>) {
    if expr.span.covers(span) {
        found.push(expr.clone());
        visit::inside(expr, &mut |part| inside(part, span, found));
    }
}

/// Statements at or around a place, outermost first.
fn statements(body: &[Stmt], span: Span, visit_one: &mut dyn FnMut(&Stmt)) {
    let Some(stmt) = body.iter().find(|stmt| stmt.span.file == span.file && stmt.span.covers(span)) else { return };
    visit_one(stmt);
    match &stmt.kind {
        StmtKind::FunctionDef(def) => statements(&def.body, span, visit_one),
        StmtKind::ClassDef(def) => statements(&def.body, span, visit_one),
        _ => visit::blocks(stmt, &mut |block| statements(block, span, visit_one)),
    }
}

fn number_between(text: &str, before: &str, after: &str) -> Option<i64> {
    let end = text.find(after)?;
    let start = text[..end].rfind(before)? + before.len();
    text[start..end].trim().parse().ok()
}

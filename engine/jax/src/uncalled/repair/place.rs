//! Which argument an expression tells of: `x.shape[1]`, `len(x.shape)`, `x.dtype`, or a number that only one dimension has.

use super::super::described;
use super::super::dims::binary;
use super::super::planner::Kind;
use super::super::usage::integer;
use super::Lesson;
use pallas_ir::TensorType;
use pallas_syntax::ast::{Arg, BinaryOp, Constant, Expr, ExprKind, Name, UnaryOp};
use pallas_tensor::DType;

/// Something about arguments that can be made otherwise. Arguments are numbers into those of the attempt.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    Shape(Vec<usize>),
    Rank(Vec<usize>),
    DType(Vec<usize>),
    Dim(Vec<usize>, i64),
    /// All dimensions and numbers that are this number.
    Number(i64),
}

/// What an expression came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reading {
    Int(i64),
    Ints(Vec<i64>),
    DType(DType),
}

impl Lesson<'_> {
    /// The arrays among the arguments that an expression may be: those of its type, and of its name if there are several.
    pub(super) fn arrays(&self, expr: &Expr) -> Vec<usize> {
        let name = match &expr.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        };
        let shown = (self.failure.shown)(expr.span);
        let ty = shown.as_ref().and_then(|shown| shown.ty.as_deref());
        let array = |index: &usize| matches!(&self.made[*index].kind, Kind::Array(..));
        let same_type = |index: &usize| match (&self.made[*index].kind, ty) {
            (Kind::Array(made, _), Some(ty)) => is_type(ty, made),
            _ => false,
        };
        let all: Vec<usize> = (0..self.made.len()).filter(array).collect();
        let fitting: Vec<usize> = all.iter().copied().filter(same_type).collect();
        let named = |among: &[usize]| among.iter().copied().find(|index| Some(&self.made[*index].name) == name);
        match (named(&fitting), fitting.is_empty(), ty) {
            (Some(index), ..) => vec![index],
            (None, false, _) => fitting,
            // It was not seen; what has the name of a parameter is taken for it.
            (None, true, None) => named(&all).into_iter().collect(),
            (None, true, Some(_)) => Vec::new(),
        }
    }

    /// What an expression tells of.
    pub(super) fn place_of(&self, expr: &Expr) -> Option<Place> {
        let some = |arrays: Vec<usize>| Some(arrays).filter(|arrays| !arrays.is_empty());
        match &expr.kind {
            ExprKind::Attribute { value, name, .. } => match &**name {
                "shape" => some(self.arrays(value)).map(Place::Shape),
                "ndim" => some(self.arrays(value)).map(Place::Rank),
                "dtype" => some(self.arrays(value)).map(Place::DType),
                // `x.dtype.name`
                "name" | "type" => self.place_of(value).filter(|place| matches!(place, Place::DType(_))),
                _ => None,
            },
            ExprKind::Subscript { value, index } => {
                let ExprKind::Attribute { value: array, name, .. } = &value.kind else { return self.number(expr) };
                match (&**name, integer(index)) {
                    ("shape", Some(index)) => some(self.arrays(array)).map(|arrays| Place::Dim(arrays, index)),
                    _ => self.number(expr),
                }
            }
            ExprKind::Call { function, args } => {
                let (ExprKind::Name(name) | ExprKind::Attribute { name, .. }) = &function.kind else { return None };
                let [Arg::Positional(of)] = args.as_slice() else { return self.number(expr) };
                match &**name {
                    "len" => match self.place_of(of) {
                        Some(Place::Shape(arrays)) => Some(Place::Rank(arrays)),
                        _ => some(self.arrays(of)).map(|arrays| Place::Dim(arrays, 0)),
                    },
                    "dtype" => self.place_of(of),
                    _ => self.number(expr),
                }
            }
            _ => self.number(expr),
        }
    }

    /// A number that a dimension or a parameter has.
    fn number(&self, expr: &Expr) -> Option<Place> {
        match self.reading(expr)? {
            Reading::Int(number) if self.is_made(number) => Some(Place::Number(number)),
            _ => None,
        }
    }

    /// Whether a dimension or a parameter is this number. Small numbers are everywhere.
    pub(super) fn is_made(&self, number: i64) -> bool {
        number > 1
            && self.made.iter().any(|argument| match &argument.kind {
                Kind::Array(ty, _) => ty.shape.iter().any(|dim| i64::try_from(*dim) == Ok(number)),
                Kind::Number(made) => *made == number,
                Kind::Member(..) | Kind::LeftOut | Kind::Other => false,
            })
    }

    /// What an expression came to.
    pub(super) fn reading(&self, expr: &Expr) -> Option<Reading> {
        match &expr.kind {
            ExprKind::Constant(Constant::Int(number)) => return Some(Reading::Int(*number)),
            ExprKind::Constant(Constant::Str(text)) => return described::dtype(text).map(Reading::DType),
            ExprKind::UnaryOp { op: UnaryOp::Neg, operand } => {
                let Reading::Int(number) = self.reading(operand)? else { return None };
                return Some(Reading::Int(-number));
            }
            ExprKind::Tuple(parts) | ExprKind::List(parts) => {
                let number = |part| match self.reading(part) {
                    Some(Reading::Int(number)) => Some(number),
                    _ => None,
                };
                return parts.iter().map(number).collect::<Option<_>>().map(Reading::Ints);
            }
            _ => {}
        }
        if let Some(text) = (self.failure.shown)(expr.span).and_then(|shown| shown.value) {
            if let Ok(number) = text.parse() {
                return Some(Reading::Int(number));
            }
            let inside = text.strip_prefix(['(', '[']).and_then(|text| text.strip_suffix([')', ']']));
            if let Some(inside) = inside {
                let parts = inside.split(',').map(str::trim).filter(|part| !part.is_empty());
                return parts.map(|part| part.parse().ok()).collect::<Option<_>>().map(Reading::Ints);
            }
        }
        match &expr.kind {
            // `jnp.bfloat16`
            ExprKind::Attribute { name, .. } | ExprKind::Name(name) if described::dtype(name).is_some() => {
                described::dtype(name).map(Reading::DType)
            }
            ExprKind::Call { args, .. } if args.len() == 1 => match &args[0] {
                Arg::Positional(of) => self.reading(of).filter(|reading| matches!(reading, Reading::DType(_))),
                _ => None,
            },
            ExprKind::BinOp { left, op, right } => match (self.reading(left)?, self.reading(right)?) {
                (Reading::Int(left), Reading::Int(right)) => binary(left, *op, right).map(Reading::Int),
                _ => None,
            },
            _ => self.place_of_array(expr),
        }
    }

    /// Of `x.shape`, `x.ndim`, `x.dtype`, `x.shape[1]`: what the argument was made with.
    fn place_of_array(&self, expr: &Expr) -> Option<Reading> {
        let ExprKind::Attribute { value, name, .. } = &expr.kind else {
            let ExprKind::Subscript { value, index } = &expr.kind else { return None };
            let Reading::Ints(parts) = self.place_of_array(value)? else { return None };
            let index = integer(index)?;
            let index = if index < 0 { index + i64::try_from(parts.len()).ok()? } else { index };
            return parts.get(usize::try_from(index).ok()?).copied().map(Reading::Int);
        };
        let array = *self.arrays(value).first()?;
        let Kind::Array(ty, _) = &self.made[array].kind else { return None };
        let dims: Vec<i64> = ty.shape.iter().filter_map(|dim| i64::try_from(*dim).ok()).collect();
        match &**name {
            "shape" => Some(Reading::Ints(dims)),
            "ndim" => i64::try_from(dims.len()).ok().map(Reading::Int),
            "dtype" => Some(Reading::DType(ty.dtype)),
            _ => None,
        }
    }

    /// Makes a place be what is wanted. Whether something can be done about it.
    pub(super) fn set(&mut self, place: &Place, wanted: &Reading) -> bool {
        match (place, wanted) {
            (Place::DType(arrays), Reading::DType(dtype)) => {
                arrays.iter().for_each(|array| self.learnt.set_dtype(&self.made[*array].name, *dtype));
                true
            }
            (Place::Rank(arrays), Reading::Int(rank)) => usize::try_from(*rank).is_ok_and(|rank| {
                arrays.iter().for_each(|array| self.learnt.set_rank(&self.made[*array].name, rank));
                rank <= 8
            }),
            (Place::Shape(arrays), Reading::Ints(lengths)) => arrays.iter().fold(false, |any, array| {
                let Kind::Array(ty, dims) = &self.made[*array].kind else { return any };
                if ty.shape.rank() != lengths.len() {
                    self.learnt.set_rank(&self.made[*array].name, lengths.len());
                    return true;
                }
                let differing = ty.shape.iter().zip(lengths).zip(dims);
                let differing = differing.filter(|((dim, length), _)| i64::try_from(**dim) != Ok(**length));
                differing.fold(any, |any, ((_, length), dim)| self.learnt.set_length(dim, *length) || any)
            }),
            (Place::Dim(arrays, index), Reading::Int(length)) => arrays.iter().fold(false, |any, array| {
                let Kind::Array(ty, dims) = &self.made[*array].kind else { return any };
                let rank = ty.shape.rank();
                let index =
                    if *index < 0 { rank.checked_sub(index.unsigned_abs() as usize) } else { Some(*index as usize) };
                let dim = index.and_then(|index| dims.get(index));
                dim.is_some_and(|dim| self.learnt.set_length(dim, *length)) || any
            }),
            (Place::Number(old), Reading::Int(new)) => self.replace(*old, *new),
            _ => false,
        }
    }

    /// Makes all dimensions and numbers that are one number another one.
    pub(super) fn replace(&mut self, old: i64, new: i64) -> bool {
        let mut any = self.lengthen(old, new);
        for argument in self.made {
            if matches!(argument.kind, Kind::Number(number) if number == old && new > 0) {
                self.learnt.set_number(&argument.name, new);
                any = true;
            }
        }
        any
    }

    /// Makes all dimensions that have a length another one.
    pub(super) fn lengthen(&mut self, old: i64, new: i64) -> bool {
        let mut any = false;
        for argument in self.made {
            let Kind::Array(ty, dims) = &argument.kind else { continue };
            for (dim, name) in ty.shape.iter().zip(dims) {
                if i64::try_from(*dim) == Ok(old) {
                    any |= self.learnt.set_length(name, new);
                }
            }
        }
        any
    }

    /// Makes an expression come to a number, by what it is computed from.
    pub(super) fn solve(&mut self, expr: &Expr, wanted: i64) -> bool {
        if let Some(place) = self.place_of(expr) {
            return self.set(&place, &Reading::Int(wanted));
        }
        if let ExprKind::Name(name) = &expr.kind {
            return self.solve_parameter(name, wanted);
        }
        let ExprKind::BinOp { left, op, right } = &expr.kind else { return false };
        let (Some(Reading::Int(a)), Some(Reading::Int(b))) = (self.reading(left), self.reading(right)) else {
            return false;
        };
        let by_left = match op {
            BinaryOp::Add => wanted.checked_sub(b),
            BinaryOp::Sub => wanted.checked_add(b),
            BinaryOp::Mult => wanted.checked_div(b),
            BinaryOp::FloorDiv => wanted.checked_mul(b),
            // The next multiple.
            BinaryOp::Mod if wanted == 0 && b > 0 => (a / b).max(1).checked_mul(b),
            _ => None,
        };
        let by_right = match op {
            BinaryOp::Add => wanted.checked_sub(a),
            BinaryOp::Sub => a.checked_sub(wanted),
            BinaryOp::Mult => wanted.checked_div(a),
            BinaryOp::FloorDiv => a.checked_div(wanted),
            BinaryOp::Mod if wanted == 0 => Some(a),
            _ => None,
        };
        by_left.is_some_and(|wanted| self.solve(left, wanted))
            || by_right.is_some_and(|wanted| self.solve(right, wanted))
    }

    /// A parameter that is left out, by its name.
    fn solve_parameter(&mut self, name: &Name, wanted: i64) -> bool {
        let is_other =
            self.made.iter().any(|argument| argument.name == *name && matches!(argument.kind, Kind::Array(..)));
        if is_other || !self.has_parameter(name) {
            return false;
        }
        self.learnt.set_number(name, wanted);
        true
    }
}

/// Whether a type as it is shown is that of an argument: a Ref and a traced array have the type in it.
pub(super) fn is_type(shown: &str, made: &TensorType) -> bool {
    let made = made.to_string();
    shown.match_indices(&made).any(|(at, _)| !shown[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

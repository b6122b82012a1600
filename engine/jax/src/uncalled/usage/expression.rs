//! What expressions say of parameters: what is subscripted, divided, given to functions of arrays, to launches, or passed on.

use super::{Reader, Uses, integer, launches, param_name};
use pallas_syntax::ast::{Arg, BinaryOp, Constant, Expr, ExprKind, FunctionDef, Name};
use pallas_syntax::visit;

const ARRAY_ATTRIBUTES: [&str; 14] = [
    "shape",
    "dtype",
    "ndim",
    "T",
    "mT",
    "astype",
    "reshape",
    "transpose",
    "at",
    "sum",
    "mean",
    "max",
    "size",
    "ravel",
];

/// Functions of arrays whose first argument is one.
const TAKE_ARRAYS: [&str; 18] = [
    "asarray",
    "dot",
    "matmul",
    "dot_general",
    "exp",
    "sum",
    "max",
    "pad",
    "reshape",
    "transpose",
    "swapaxes",
    "squeeze",
    "expand_dims",
    "zeros_like",
    "ones_like",
    "empty_like",
    "concatenate",
    "moveaxis",
];

/// Functions whose first argument is a shape.
const TAKE_SHAPES: [&str; 10] =
    ["BlockSpec", "ShapeDtypeStruct", "VMEM", "SMEM", "ACC", "GMEM", "zeros", "ones", "full", "empty"];

impl Reader<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Attribute { value, name, .. } => {
                if let Some(param) = self.param(value) {
                    param.reads(name);
                    param.is_array |= ARRAY_ATTRIBUTES.contains(&&**name);
                }
            }
            ExprKind::Subscript { value, index } => self.subscript(value, index),
            ExprKind::BinOp { left, op: BinaryOp::FloorDiv | BinaryOp::Mod, right } => {
                for side in [left, right] {
                    if let Some(number) = self.param(side) {
                        number.is_number = true;
                    }
                }
            }
            ExprKind::Compare { left, rest, .. } => self.compared(left, rest),
            ExprKind::Call { function, args } => self.call(function, args),
            _ => {}
        }
        visit::inside(expr, &mut |child| self.expr(child));
    }

    /// `direction == "forward"`, `direction in ("forward", "reverse")`: the first text will do.
    fn compared(&mut self, left: &Expr, rest: &[Expr]) {
        let [right] = rest else { return };
        let text = match &right.kind {
            ExprKind::Constant(Constant::Str(text)) => Some(text),
            ExprKind::Tuple(parts) | ExprKind::List(parts) | ExprKind::Set(parts) => {
                match parts.first().map(|p| &p.kind) {
                    Some(ExprKind::Constant(Constant::Str(text))) => Some(text),
                    _ => None,
                }
            }
            _ => None,
        };
        if let (Some(text), Some(param)) = (text, self.param(left)) {
            param.text.get_or_insert_with(|| text.clone());
        }
    }

    fn subscript(&mut self, value: &Expr, index: &Expr) {
        if let Some(index) = integer(index)
            && let Some(array) = self.shape_of(value)
        {
            array.is_array = true;
            array.least = array.least.max(if index < 0 { -index } else { index + 1 } as usize);
        }
        let Some(array) = self.param(value) else { return };
        let parts = match &index.kind {
            ExprKind::Tuple(parts) => &parts[..],
            _ => std::slice::from_ref(index),
        };
        let is_slice = |part: &Expr| {
            matches!(part.kind, ExprKind::Slice { .. } | ExprKind::Constant(Constant::Ellipsis | Constant::None))
        };
        if parts.iter().any(is_slice) {
            let takes = |part: &&Expr| !matches!(part.kind, ExprKind::Constant(Constant::Ellipsis | Constant::None));
            array.is_array = true;
            array.least = array.least.max(parts.iter().filter(takes).count());
        }
    }

    fn call(&mut self, function: &Expr, args: &[Arg]) {
        self.uses.halves |= launches::multiplies_halves(function);
        let name = match &function.kind {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => name,
            // `pl.pallas_call(...)(x, y)`: operands, which the specs and the kernel tell of.
            ExprKind::Call { function: launcher, args: options } if launches::is_launcher(launcher) => {
                let known = launches::operands(options, self.functions);
                self.uses.halves |= launches::kernel_multiplies_halves(options, self.functions);
                let nothing = launches::Operand::default();
                for (index, arg) in args.iter().enumerate() {
                    if let Arg::Positional(value) = arg
                        && let Some(array) = self.param(value)
                    {
                        let known = known.get(index).unwrap_or(&nothing);
                        array.is_array = true;
                        array.rank = array.rank.or(known.rank);
                        array.dtype = array.dtype.or(known.dtype);
                    }
                }
                return;
            }
            _ => return,
        };
        if let ExprKind::Name(name) = &function.kind
            && let Some(def) = self.functions.get(name)
            && self.depth > 0
        {
            self.pass_on(&def.clone(), args);
        }
        let mut positional = args.iter().map(visit::argument);
        match &**name {
            "einsum" => {
                let Some(ExprKind::Constant(Constant::Str(spec))) = positional.next().map(|spec| &spec.kind) else {
                    return;
                };
                let inputs = spec.split("->").next().unwrap_or("").replace(' ', "");
                for (letters, value) in inputs.split(',').zip(positional) {
                    if let Some(array) = self.param(value) {
                        array.is_array = true;
                        if letters.chars().all(char::is_alphabetic) {
                            array.rank = array.rank.or(Some(letters.len()));
                        }
                    }
                }
            }
            "cdiv" | "range" => positional.for_each(|value| self.is_number(value)),
            // What is bound to a function is passed on to it.
            "partial" => {
                if let Some(def) = positional.next().and_then(param_name).and_then(|name| self.functions.get(name))
                    && self.depth > 0
                {
                    self.pass_on(&def.clone(), args.get(1..).unwrap_or_default());
                }
            }
            "int" => positional.take(1).for_each(|value| self.is_number(value)),
            "float" => {
                if let Some(number) = positional.next().and_then(|value| self.param(value)) {
                    number.is_float = true;
                }
            }
            _ if TAKE_SHAPES.contains(&&**name) => {
                if let Some(ExprKind::Tuple(dims)) = positional.next().map(|shape| &shape.kind) {
                    dims.iter().for_each(|dim| self.is_number(dim));
                }
            }
            _ if TAKE_ARRAYS.contains(&&**name) => {
                if let Some(array) = positional.next().and_then(|value| self.param(value)) {
                    array.is_array = true;
                }
            }
            _ => {}
        }
    }

    fn is_number(&mut self, value: &Expr) {
        if let Some(number) = self.param(value) {
            number.is_number = true;
        }
    }

    /// What a function of the module does with what it is passed, happens to the parameters that are passed.
    fn pass_on(&mut self, def: &FunctionDef, args: &[Arg]) {
        let theirs = Uses::through(def, self.functions, self.depth - 1);
        let params: Vec<&Name> = def.params.iter().map(|param| &param.name).collect();
        let mut next = 0;
        for arg in args {
            let (value, param) = match arg {
                Arg::Positional(value) => {
                    next += 1;
                    (value, params.get(next - 1).copied())
                }
                Arg::Keyword(name, value, _) => (value, Some(name)),
                Arg::Star(_) | Arg::DoubleStar(_) => return,
            };
            if let (Some(mine), Some(theirs)) = (self.param(value), param.and_then(|param| theirs.get(param))) {
                mine.merge(theirs);
            }
        }
        self.uses.halves |= theirs.halves;
        self.uses.equal.extend(theirs.equal);
    }
}

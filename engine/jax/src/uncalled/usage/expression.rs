//! What expressions say of parameters: what is subscripted, divided, given to functions of arrays, to launches, or passed on.

use super::{Reader, Uses, integer, param_name};
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

impl Reader<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Attribute { value, name, .. } => {
                if ARRAY_ATTRIBUTES.contains(&&**name)
                    && let Some(array) = self.param(value)
                {
                    array.is_array = true;
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
            ExprKind::Call { function, args } => self.call(function, args),
            _ => {}
        }
        visit::inside(expr, &mut |child| self.expr(child));
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
        let name = match &function.kind {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => name,
            // `pl.pallas_call(...)(x, y)`: operands, which the specs tell the rank of.
            ExprKind::Call { function: launcher, args: options } if is_launcher(launcher) => {
                let ranks = spec_ranks(options);
                for (index, arg) in args.iter().enumerate() {
                    if let Arg::Positional(value) = arg
                        && let Some(array) = self.param(value)
                    {
                        array.is_array = true;
                        array.rank = array.rank.or(ranks.get(index).copied().flatten());
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
            "cdiv" | "range" => positional.filter_map(|value| param_name(value)).for_each(|name| {
                if let Some(number) = self.uses.params.get_mut(name) {
                    number.is_number = true;
                }
            }),
            _ if TAKE_ARRAYS.contains(&&**name) => {
                if let Some(array) = positional.next().and_then(|value| self.param(value)) {
                    array.is_array = true;
                }
            }
            _ => {}
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
        self.uses.equal.extend(theirs.equal);
    }
}

fn is_launcher(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) | ExprKind::Attribute { name, .. } if &**name == "pallas_call")
}

/// The ranks that `in_specs=[...]` gives the operands, where block shapes are written out.
fn spec_ranks(options: &[Arg]) -> Vec<Option<usize>> {
    let specs = options.iter().find_map(|option| match option {
        Arg::Keyword(name, value, _) if &**name == "in_specs" => Some(value),
        _ => None,
    });
    let Some(ExprKind::List(specs) | ExprKind::Tuple(specs)) = specs.map(|specs| &specs.kind) else {
        return Vec::new();
    };
    let rank = |spec: &Expr| match &spec.kind {
        ExprKind::Call { args, .. } => args.iter().find_map(|arg| {
            let shape = match arg {
                Arg::Positional(value) => value,
                Arg::Keyword(name, value, _) if &**name == "block_shape" => value,
                _ => return None,
            };
            match &shape.kind {
                ExprKind::Tuple(dims) => Some(dims.len()),
                _ => None,
            }
        }),
        _ => None,
    };
    specs.iter().map(rank).collect()
}

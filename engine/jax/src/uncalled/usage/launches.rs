//! What a launch says of its operands: block specs tell ranks, index maps and the kernel how fetched scalars are read, and
//! products in the kernel what their factors hold.

use super::Functions;
use pallas_syntax::ast::{Arg, Constant, Expr, ExprKind, FunctionDef, Name, Params, Stmt, StmtKind};
use pallas_syntax::visit;
use pallas_tensor::DType;
use std::sync::Arc;

/// What is known of one operand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) rank: Option<usize>,
    pub(super) dtype: Option<DType>,
}

/// Whether a call makes a launch.
pub(super) fn is_launcher(expr: &Expr) -> bool {
    matches!(callee(expr), Some("pallas_call" | "kernel"))
}

/// What is known of the operands of a launch, in order; of those beyond the end nothing is.
pub(super) fn operands(options: &[Arg], functions: &Functions) -> Vec<Operand> {
    let grid_spec = keyword(options, "grid_spec").and_then(arguments);
    let spec = |name| keyword(options, name).or_else(|| keyword(grid_spec?, name));
    let fetched = spec("num_scalar_prefetch").and_then(super::integer).and_then(|count| usize::try_from(count).ok());
    let fetched = fetched.unwrap_or(0);
    let maps = [spec("in_specs"), spec("out_specs")];
    let mut operands = vec![Operand { rank: None, dtype: Some(DType::I32) }; fetched];
    maps.iter().flatten().for_each(|specs| read_by_maps(specs, &mut operands));
    operands.extend(elements(spec("in_specs")).iter().map(|spec| Operand { rank: rank(spec), dtype: None }));
    if let Some(kernel) = options.first().and_then(|kernel| kernel_of(visit::argument(kernel), functions)) {
        read_by_kernel(&kernel, fetched, &mut operands);
    }
    operands
}

/// Index maps read fetched scalars by their last parameters.
fn read_by_maps(specs: &Expr, fetched: &mut [Operand]) {
    if let ExprKind::Lambda(lambda) = &specs.kind {
        let names: Vec<&Name> = positional(&lambda.params).collect();
        // Of `*_` nothing is read.
        if let Some(from) = names.len().checked_sub(fetched.len()).filter(|_| lambda.params.vararg.is_none()) {
            let of = |name: &Name| names.get(from..).and_then(|names| names.iter().position(|known| *known == name));
            ranks_of(&lambda.body, &of, fetched);
        }
    }
    visit::inside(specs, &mut |part| read_by_maps(part, fetched));
}

/// Whether the kernel of a launch, a function of the module, multiplies halves.
pub(super) fn kernel_multiplies_halves(options: &[Arg], functions: &Functions) -> bool {
    let kernel = options.first().and_then(|kernel| kernel_of(visit::argument(kernel), functions));
    let mut multiplies = false;
    if let Some(kernel) = kernel {
        expressions(&kernel.body, &mut |expr| multiplies |= arguments(expr).is_some() && multiplies_halves(expr));
    }
    multiplies
}

/// What the body of a kernel says of its first parameters.
fn read_by_kernel(kernel: &FunctionDef, fetched: usize, operands: &mut Vec<Operand>) {
    let names: Vec<&Name> = positional(&kernel.params).collect();
    let of = |name: &Name| names.iter().position(|known| *known == name);
    let reads_scalar = |name: &Name| of(name).filter(|index| *index < fetched);
    expressions(&kernel.body, &mut |expr| {
        ranks_of(expr, &reads_scalar, operands);
        for (factor, dtype) in factors(expr) {
            let Some(index) = of(factor) else { continue };
            if operands.len() <= index {
                operands.resize(index + 1, Operand::default());
            }
            operands[index].dtype.get_or_insert(dtype);
        }
    });
}

/// `table[b, i]`: what is subscripted by numbers has as many dimensions.
fn ranks_of(expr: &Expr, of: &dyn Fn(&Name) -> Option<usize>, operands: &mut [Operand]) {
    if let ExprKind::Subscript { value, index } = &expr.kind
        && let ExprKind::Name(name) = &value.kind
        && let Some(operand) = of(name).and_then(|index| operands.get_mut(index))
    {
        let rank = match &index.kind {
            ExprKind::Tuple(parts) => Some(parts.len()),
            ExprKind::Constant(Constant::Ellipsis) => None,
            _ => Some(1),
        };
        operand.rank = operand.rank.or(rank);
    }
    visit::inside(expr, &mut |part| ranks_of(part, of, operands));
}

/// Whether a call is a product of a GPU's tensor cores, which multiply halves.
pub(super) fn multiplies_halves(function: &Expr) -> bool {
    matches!(callee(function), Some("wgmma" | "tcgen05_mma"))
}

/// The factors of a product whose form says what they hold: sums of 32-bit integers are made of bytes.
fn factors(expr: &Expr) -> Vec<(&Name, DType)> {
    let (Some(name), Some(args)) = (callee(expr), arguments(expr)) else { return Vec::new() };
    let sums_integers = || {
        let wanted = keyword(args, "preferred_element_type");
        wanted.is_some_and(|wanted| matches!(&wanted.kind, ExprKind::Attribute { name, .. } if &**name == "int32"))
    };
    if !matches!(name, "dot" | "dot_general" | "matmul") || !sums_integers() {
        return Vec::new();
    }
    let factors = args.iter().filter(|arg| matches!(arg, Arg::Positional(_))).take(2);
    factors.filter_map(|factor| base(visit::argument(factor))).map(|name| (name, DType::I8)).collect()
}

/// The Ref that a value was loaded from, or that a view is of.
fn base(expr: &Expr) -> Option<&Name> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Subscript { value, .. } => base(value),
        ExprKind::Attribute { value, name, .. } if &**name == "at" => base(value),
        _ => None,
    }
}

/// The function of the module that is launched: `kernel`, `functools.partial(kernel, ...)`.
fn kernel_of(expr: &Expr, functions: &Functions) -> Option<Arc<FunctionDef>> {
    match &expr.kind {
        ExprKind::Name(name) => functions.get(name).cloned(),
        ExprKind::Call { args, .. } if callee(expr) == Some("partial") => match args.as_slice() {
            [Arg::Positional(kernel), bound @ ..] if !bound.iter().any(|arg| matches!(arg, Arg::Positional(_))) => {
                kernel_of(kernel, functions)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The rank of a spec whose block shape is written out.
fn rank(spec: &Expr) -> Option<usize> {
    let shape = arguments(spec)?.iter().find_map(|arg| match arg {
        Arg::Positional(value) => Some(value),
        Arg::Keyword(name, value, _) if &**name == "block_shape" => Some(value),
        _ => None,
    });
    match &shape?.kind {
        ExprKind::Tuple(dims) => Some(dims.len()),
        _ => None,
    }
}

fn expressions<'a>(body: &'a [Stmt], look: &mut dyn FnMut(&'a Expr)) {
    for stmt in body {
        visit::expressions(stmt, &mut |expr| every(expr, look));
        match &stmt.kind {
            StmtKind::FunctionDef(def) => expressions(&def.body, look),
            _ => visit::blocks(stmt, &mut |block| expressions(block, look)),
        }
    }
}

fn every<'a>(expr: &'a Expr, look: &mut dyn FnMut(&'a Expr)) {
    look(expr);
    visit::inside(expr, &mut |part| every(part, look));
}

fn positional(params: &Params) -> impl Iterator<Item = &Name> {
    params.positional_only.iter().chain(&params.positional).map(|param| &param.name)
}

/// The last part of the name of what is called, or of a name itself.
fn callee(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) | ExprKind::Attribute { name, .. } => Some(name),
        ExprKind::Call { function, .. } => match &function.kind {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => Some(name),
            _ => None,
        },
        _ => None,
    }
}

fn arguments(expr: &Expr) -> Option<&[Arg]> {
    match &expr.kind {
        ExprKind::Call { args, .. } => Some(args),
        _ => None,
    }
}

fn keyword<'a>(args: &'a [Arg], wanted: &str) -> Option<&'a Expr> {
    args.iter().find_map(|arg| match arg {
        Arg::Keyword(name, value, _) if &**name == wanted => Some(value),
        _ => None,
    })
}

fn elements(specs: Option<&Expr>) -> &[Expr] {
    match specs.map(|specs| &specs.kind) {
        Some(ExprKind::List(specs) | ExprKind::Tuple(specs)) => specs,
        _ => &[],
    }
}

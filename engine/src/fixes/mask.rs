//! A read of a block that reaches past the end of its array, into a sum, a product or a maximum: a mask around it.

use super::{Source, initialise, tree};
use pallas_ir::{BlockDim, BlockMap, Finding, Fix, IndexForm, Launch, Operand};
use pallas_syntax::ast::{BinaryOp, Expr, ExprKind};

/// PL204
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let pallas = tree::module_name(source.module, "jax.experimental.pallas")?;
    let numpy = tree::module_name(source.module, "jax.numpy")?;
    let lax = tree::module_name(source.module, "jax.lax")?;
    let path = tree::path_to(source.module, finding.span)?;
    let place = path.iter().position(|expr| expr.span == finding.span)?;
    let name = tree::whole_ref(path[place])?;
    let neutral = neutral(path[place], *path.get(place.checked_sub(1)?)?, place.checked_sub(2).map(|p| path[p]))?;
    let kernel = initialise::kernel_around(source, finding.span)?;
    let find = |launch: &Launch| launch.operands.iter().position(|operand| operand.name == *name);
    // One literal in the kernel is right for one length only.
    let same = |one: &Launch, other: &Launch| match (find(one), find(other)) {
        (Some(a), Some(b)) => one.operands[a].array.shape == other.operands[b].array.shape,
        _ => false,
    };
    let launch = source.launch_of_kernel(kernel.name_span, same)?;
    let operand = &launch.operands[find(launch)?];
    let is_float = operand.array.dtype.is_float();
    let neutral = match neutral {
        Neutral::Zero => "0".to_string(),
        Neutral::Smallest if is_float => format!("-{numpy}.inf"),
        Neutral::Largest if is_float => format!("{numpy}.inf"),
        Neutral::Smallest | Neutral::Largest => return None,
    };
    let masks = masks(launch, operand)?;
    let tests: Vec<String> = masks
        .iter()
        .map(|mask| {
            let Mask { dimension, axis, length } = *mask;
            format!(
                "{pallas}.program_id({axis}) * {name}.shape[{dimension}] + \
                 {lax}.broadcasted_iota({numpy}.int32, {name}.shape, {dimension}) < {length}"
            )
        })
        .collect();
    let test = match tests.as_slice() {
        [test] => test.clone(),
        tests => tests.iter().map(|test| format!("({test})")).collect::<Vec<_>>().join(" & "),
    };
    let masked = format!("{numpy}.where({test}, {}, {neutral})", source.text(finding.span));
    Some(Fix::replace(format!("mask what lies past the end of {name}"), finding.span, masked))
}

/// What does not change a result.
enum Neutral {
    Zero,
    Smallest,
    Largest,
}

/// What a value that is used so may be replaced by: it must go straight into a sum, a product of matrices, a maximum or a
/// minimum, else nobody knows.
fn neutral(value: &Expr, parent: &Expr, around: Option<&Expr>) -> Option<Neutral> {
    let reduction = |name: &str| match name {
        "sum" | "dot" | "matmul" | "dot_general" => Some(Neutral::Zero),
        "max" | "amax" => Some(Neutral::Smallest),
        "min" | "amin" => Some(Neutral::Largest),
        _ => None,
    };
    match &parent.kind {
        ExprKind::BinOp { op: BinaryOp::MatMult, .. } => Some(Neutral::Zero),
        // `x_ref[...].sum(axis=0)`
        ExprKind::Attribute { name, .. } => {
            let is_called = around.is_some_and(
                |call| matches!(&call.kind, ExprKind::Call { function, .. } if function.span == parent.span),
            );
            reduction(name).filter(|_| is_called)
        }
        // `jnp.sum(x_ref[...], axis=0)`
        ExprKind::Call { .. } => {
            let (name, args) = tree::callee(parent)?;
            let is_operand = (0..2).any(|n| tree::argument(args, "a", n).is_some_and(|arg| arg.span == value.span));
            reduction(name).filter(|_| is_operand)
        }
        _ => None,
    }
}

/// A comparison that keeps what lies inside the array.
struct Mask {
    /// Of the Ref.
    dimension: usize,
    /// Of the grid.
    axis: usize,
    length: usize,
}

/// One for each dimension whose last block is partial; `None` where one is not as simple as that.
fn masks(launch: &Launch, operand: &Operand) -> Option<Vec<Mask>> {
    let forms = BlockMap::new(operand, launch.grid.len()).dims;
    let mut masks = Vec::new();
    let mut dimension = 0;
    for ((block, &length), form) in operand.block.iter().zip(operand.array.shape.iter()).zip(&forms) {
        match block {
            BlockDim::Squeezed => continue,
            BlockDim::Blocked(size) if length.is_multiple_of(*size) => {}
            BlockDim::Blocked(_) => {
                let IndexForm::Affine { constant: 0, coefficients } = form else { return None };
                let axes: Vec<usize> = (0..coefficients.len()).filter(|&axis| coefficients[axis] != 0).collect();
                let &[axis] = axes.as_slice() else { return None };
                if coefficients[axis] != 1 {
                    return None;
                }
                masks.push(Mask { dimension, axis, length });
            }
            BlockDim::Element { .. } => return None,
        }
        dimension += 1;
    }
    (!masks.is_empty()).then_some(masks)
}

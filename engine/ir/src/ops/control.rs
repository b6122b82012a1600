//! Ops that run regions. Types that go round (carries) or come out of several branches have to agree in shape and
//! dtype; weak types may differ, and the result is weak only if all are.

use super::rule;
use crate::function::{RegionId, ValueId};
use crate::op::{ControlOp, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::{TensorType, Type};
use pallas_tensor::DType;
use smallvec::SmallVec;

/// `for i in range(lower, upper)`. Operands: lower, upper (integer scalars of one dtype), carries.... One region
/// `(i, carries...)` that yields carries. Results: the last carries. Attribute `together`: the rounds, which carry nothing,
/// run at the same time: each is an agent of its own (a warp of a warpgroup).
pub static FOR: OpDef = OpDef {
    name: "for",
    doc: "`for i in range(lower, upper)` with carries; operands: lower, upper, carries...",
    attributes: &["together"],
    infer: infer_for,
    kind: OpKind::Control(ControlOp::For),
};

/// Operands: carries.... Regions `(carries...)`: one yields a `bool` scalar, whether to go on; the other the next
/// carries. Results: the last carries.
pub static WHILE: OpDef = OpDef {
    name: "while",
    doc: "Runs the second region while the first yields true; operands: carries...",
    attributes: &[],
    infer: infer_while,
    kind: OpKind::Control(ControlOp::While),
};

/// Operand: which (`i32` scalar, clamped into the branches; a `bool` scalar chooses between region 0, false, and
/// region 1, true). Regions without parameters, all yielding the same types. Results: what the chosen one yields.
pub static COND: OpDef = OpDef {
    name: "cond",
    doc: "Runs one of the regions; operand: which (i32, or bool for two regions: false, true)",
    attributes: &[],
    infer: infer_cond,
    kind: OpKind::Control(ControlOp::Cond),
};

/// Allocates Refs for the time of a region. No operands. One region, with a Ref parameter per allocation. Results: what
/// it yields. Attribute `collective`: the threads of a block have the Refs in common.
pub static SCOPED: OpDef = OpDef {
    name: "scoped",
    doc: "Runs a region with freshly allocated Refs, its parameters",
    attributes: &["collective"],
    infer: infer_scoped,
    kind: OpKind::Control(ControlOp::Scoped),
};

fn regions<const N: usize>(context: &InferContext<'_>, name: &str) -> Result<[RegionId; N], InferError> {
    <[RegionId; N]>::try_from(context.regions)
        .map_err(|_| InferError::type_error(format!("{name} takes {N} regions, got {}", context.regions.len())))
}

fn types<'a>(context: &'a InferContext<'_>, values: &[ValueId]) -> Vec<&'a Type> {
    values.iter().map(|&v| context.function.ty(v)).collect()
}

/// Whether a value of one type may stand where the other is expected.
pub(crate) fn compatible(expected: &Type, found: &Type) -> bool {
    match (expected, found) {
        (Type::Tensor(a), Type::Tensor(b)) => a.dtype == b.dtype && a.shape == b.shape,
        (Type::Ref(a), Type::Ref(b)) => a == b,
        _ => false,
    }
}

fn list(types: &[&Type]) -> String {
    let texts: Vec<String> = types.iter().map(|ty| ty.to_string()).collect();
    format!("({})", texts.join(", "))
}

fn check(name: &str, what: &str, expected: &[&Type], found: &[&Type]) -> Result<(), InferError> {
    let agree = expected.len() == found.len()
        && expected.iter().zip(found).all(|(expected, found)| compatible(expected, found));
    if agree {
        return Ok(());
    }
    Err(InferError::type_error(format!("{name}: {what} must have types {}, got {}", list(expected), list(found))))
}

/// The carries' types, weak where every one of them is.
fn joined(groups: &[Vec<&Type>]) -> Types {
    let Some((first, rest)) = groups.split_first() else {
        return Types::new();
    };
    first
        .iter()
        .enumerate()
        .map(|(index, &ty)| match ty {
            Type::Tensor(tensor) => Type::Tensor(TensorType {
                weak: tensor.weak
                    && rest.iter().all(|group| group.get(index).and_then(|ty| ty.tensor()).is_some_and(|ty| ty.weak)),
                ..tensor.clone()
            }),
            Type::Ref(_) => ty.clone(),
        })
        .collect()
}

fn only_tiles(name: &str, types: &[&Type]) -> Result<(), InferError> {
    match types.iter().find(|ty| ty.tensor().is_none()) {
        None => Ok(()),
        Some(ty) => Err(InferError::type_error(format!("{name} cannot carry or yield a Ref, got {ty}"))),
    }
}

fn infer_for(context: &InferContext<'_>) -> Result<Types, InferError> {
    let [body] = regions(context, "for")?;
    let (lower, upper) = (context.tensor(0)?, context.tensor(1)?);
    if lower.dtype != upper.dtype || !lower.dtype.is_integer() || lower.shape.rank() + upper.shape.rank() > 0 {
        return Err(InferError::type_error(format!(
            "for: bounds must be integer scalars of one dtype, got {lower} and {upper}"
        )));
    }
    let body = context.function.region(body);
    let carries: Vec<&Type> = context.operands[2..].iter().collect();
    only_tiles("for", &carries)?;
    let counter = Type::Tensor(TensorType::scalar(lower.dtype));
    let mut expected: Vec<&Type> = vec![&counter];
    expected.extend(&carries);
    let params = types(context, &body.params);
    check("for", "region parameters", &expected, &params)?;
    let yields = types(context, &body.yields);
    check("for", "yielded carries", &carries, &yields)?;
    Ok(joined(&[params[1..].to_vec(), carries, yields]))
}

fn infer_while(context: &InferContext<'_>) -> Result<Types, InferError> {
    let [condition, body] = regions(context, "while")?;
    let (condition, body) = (context.function.region(condition), context.function.region(body));
    let carries: Vec<&Type> = context.operands.iter().collect();
    only_tiles("while", &carries)?;
    let params = types(context, &body.params);
    check("while", "condition parameters", &carries, &types(context, &condition.params))?;
    check("while", "body parameters", &carries, &params)?;
    let flag = Type::Tensor(TensorType::scalar(DType::Bool));
    check("while", "what the condition yields", &[&flag], &types(context, &condition.yields))?;
    let yields = types(context, &body.yields);
    check("while", "yielded carries", &carries, &yields)?;
    Ok(joined(&[params, carries, yields]))
}

fn infer_cond(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "cond", 1)?;
    let which = context.tensor(0)?;
    let fits = match which.dtype {
        DType::Bool => context.regions.len() == 2,
        DType::I32 => !context.regions.is_empty(),
        _ => false,
    };
    if which.shape.rank() > 0 || !fits {
        return Err(InferError::type_error(format!(
            "cond: which must be an i32 scalar, or a bool scalar for two regions, got {which} for {} regions",
            context.regions.len()
        )));
    }
    let mut groups: SmallVec<[Vec<&Type>; 2]> = SmallVec::new();
    for &region in context.regions {
        let region = context.function.region(region);
        check("cond", "branch parameters", &[], &types(context, &region.params))?;
        let yields = types(context, &region.yields);
        only_tiles("cond", &yields)?;
        if let Some(first) = groups.first() {
            check("cond", "what branches yield", first, &yields)?;
        }
        groups.push(yields);
    }
    Ok(joined(&groups))
}

fn infer_scoped(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "scoped", 0)?;
    let [body] = regions(context, "scoped")?;
    let body = context.function.region(body);
    for ty in types(context, &body.params) {
        if ty.as_ref_type().is_none() {
            return Err(InferError::type_error(format!("scoped: parameters must be Refs, got {ty}")));
        }
    }
    let yields = types(context, &body.yields);
    only_tiles("scoped", &yields)?;
    Ok(joined(&[yields]))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&FOR, &WHILE, &COND, &SCOPED].into_iter()
}
